package migrate

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// namesOf are the names that rules ask to look for: what the formats are told
// of them.
func namesOf(t *rules.Table, clients []edit.Client) *find.Names {
	var w find.Wanted
	for _, k := range t.Keys() {
		w.Keys = append(w.Keys, k.From)
	}
	for _, set := range t.Sets() {
		for _, c := range set.Convert {
			if group, _, ok := strings.Cut(c.From, "/"); ok {
				w.Groups = append(w.Groups, group)
			}
		}
	}
	w.Kinds = t.Kinds()
	for _, group := range t.Groups() {
		for _, rule := range t.RulesOf(group) {
			w.Known = append(w.Known, rule.From)
		}
		if slices.ContainsFunc(t.RulesOf(group), func(r rules.Rule) bool {
			return r.Removed != "" || r.To.Version != r.From.Version || r.To.Kind != r.From.Kind
		}) {
			w.Remade = append(w.Remade, group)
		}
	}
	for _, group := range t.Groups() {
		if t.OnlyRenames(group) {
			w.Plain = append(w.Plain, group)
		}
	}
	for _, c := range clients {
		w.Clients = append(w.Clients, find.ClientName{Group: c.Group, Name: c.Old})
	}
	return find.NewNames(w)
}

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
		if rule.Removed != "" && rule.From.Plural != "" {
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
