package prove

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// undecoded checks a text that does not parse: by its lines or, where lines are added or missing
// and the actions of a template are the reason, by what it is without them.
func (f *proof) undecoded(lang, before, after string, at source.Position, depth int) error {
	if lang == "json" && isJSON(before) && !isJSON(after) { // with escapes that are none of YAML
		return f.fault(at, "the file parsed as JSON before and does not parse after")
	}
	x, y := withoutActions(before), withoutActions(after)
	if lang != "yaml" || !strings.Contains(before, "{{") || strings.Count(before, "\n") == strings.Count(after, "\n") || actionsOf(before) != actionsOf(after) {
		return f.lines(before, after, at, &outline{proof: f})
	}
	b, fault := decode(lang, x)
	a, again := decode(lang, y)
	f.shaped, f.split, f.moves = false, false, false
	if fault != nil {
		return f.lines(before, after, at, &outline{proof: f})
	}
	if again != nil {
		return f.fault(at, "the file parsed as YAML before, without its actions, and does not parse after: %v", again)
	}
	switch err := f.documents(b, a, depth); {
	case err != nil:
		return err
	case f.shaped || !f.moves:
		return f.lines(before, after, at, &outline{proof: f})
	}
	return f.remaining(before, after, at)
}

// action is an action of a template.
var action = lazyregexp.New(`\{\{[^}]*\}\}`)

// actionsOf are the actions of a template.
func actionsOf(s string) string { return strings.Join(action.FindAllString(s, -1), "\n") }

// withoutActions is a template with words where its actions are, and the same
// lines. One with nothing but actions is empty.
func withoutActions(s string) string {
	s = action.ReplaceAllStringFunc(s, func(x string) string { return "x" + strings.Repeat("\n", strings.Count(x, "\n")) })
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.Trim(l, " x\r") == "" {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// ofList says whether a line has nothing but groups or resources: an item of a
// list of them, the list, or a whole rule in braces.
func (f *proof) ofList(l string) bool {
	l, _, _ = strings.Cut(l, " #")
	t := strings.TrimSpace(strings.TrimLeft(l, " \t-"))
	if strings.HasPrefix(t, "{") && strings.HasSuffix(t, "}") {
		return strings.Contains(t, "apiGroups")
	}
	if key, rest, ok := strings.Cut(t, ":"); ok {
		return isList(key) && rest != ""
	}
	return strings.HasPrefix(strings.TrimLeft(l, " \t"), "- ") && !strings.ContainsAny(t, " {}")
}
