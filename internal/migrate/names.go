package migrate

import "github.com/project-codeflare/cfctl/internal/migrate/rules"

// wordMarks stand around a group without a dot, such as apps, where it is a
// group: the bare word is in too many files to look for. A group that keeps
// its name is of interest beside a version alone.
func wordMarks(t *rules.Table, group string) []string {
	marks := []string{`"` + group + `"`, `'` + group + `'`, `\"` + group + `\"`}
	moves := false
	for _, rule := range t.RulesOf(group) {
		if rule.From.Version == "" {
			marks = append(marks, group+"/")
		} else {
			marks = append(marks, group+"/"+rule.From.Version, group+`\/`+rule.From.Version, "."+rule.From.Version+"."+group)
		}
		if rule.Gone() && rule.From.Plural != "" {
			marks = append(marks, rule.From.Plural)
		}
		moves = moves || rule.To.Group != "" && rule.To.Group != group
	}
	if moves {
		for _, before := range []string{"- ", "[", ", ", ".", "=", ": ", ";"} {
			marks = append(marks, before+group)
		}
	}
	return marks
}
