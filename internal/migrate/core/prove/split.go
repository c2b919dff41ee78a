package prove

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A lineRange is lines of a text, the first and the last of them.
type lineRange struct{ first, last int }

// linesOf are the lines of a node.
func linesOf(n *node) lineRange {
	r := lineRange{n.pos.Line, n.pos.Line}
	for _, list := range [][]*node{n.keys, n.items} {
		for _, k := range list {
			x := linesOf(k)
			r.first, r.last = min(r.first, x.first), max(r.last, x.last)
		}
	}
	return r
}

// outside checks the lines of a text that was decoded. Lists of permissions with
// more or fewer rules after were compared by what they permit: of their lines,
// those that name no group and no resource must all be there after.
func (f *proof) outside(before, after string, at source.Position) error {
	if len(f.split) == 0 {
		return f.lines(before, after, at, true)
	}
	b, a := strings.Split(before, "\n"), strings.Split(after, "\n")
	bFrom, aFrom := 0, 0
	piece := func(bTo, aTo int) error {
		x, y := strings.Join(b[bFrom:bTo], "\n"), strings.Join(a[aFrom:aTo], "\n")
		return f.lines(x, y, source.Position{Line: at.Line + bFrom, Column: 1}, true)
	}
	for _, s := range f.split {
		x, y := s[0], s[1]
		if x.first <= bFrom || y.first <= aFrom || x.last > len(b) || y.last > len(a) {
			return f.fault(at, "the lists of permissions overlap")
		}
		if err := piece(x.first-1, y.first-1); err != nil {
			return err
		}
		if err := f.kept(b[x.first-1:x.last], a[y.first-1:y.last], at.Line+x.first-1); err != nil {
			return err
		}
		bFrom, aFrom = x.last, y.last
	}
	return piece(len(b), len(a))
}

// undecoded checks a text that does not parse: by its lines or, where that fails
// and the actions of a template are the reason, by what it is without them.
func (f *proof) undecoded(lang, before, after string, at source.Position, depth int) error {
	if lang == "json" && isJSON(before) && !isJSON(after) { // with escapes that are none of YAML
		return f.fault(at, "the file parsed as JSON before and does not parse after")
	}
	err := f.lines(before, after, at, false)
	if err == nil || lang != "yaml" || !strings.Contains(before, "{{") {
		return err
	}
	x, y := withoutActions(before), withoutActions(after)
	b, fault := decode(lang, x)
	a, again := decode(lang, y)
	if fault != nil || again != nil || actionsOf(before) != actionsOf(after) {
		return err
	}
	f.shaped, f.split, f.folds = false, nil, false
	switch {
	case f.documents(b, a, depth) != nil || f.shaped:
		return err
	case f.folds:
		return f.remaining(before, after, at)
	case len(f.split) == 0:
		return err
	}
	return f.outside(before, after, at)
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

// kept checks that the lines of a list of permissions are there after, in their
// order, but for those that name groups or resources alone: of these the comment is
// there. What a list permits was compared before.
func (f *proof) kept(before, after []string, line int) error {
	for i, l := range before {
		k := slices.Index(after, l)
		if f.ofList(l) {
			_, comment, ok := strings.Cut(l, " #")
			if !ok {
				continue
			}
			k = slices.IndexFunc(after, func(x string) bool { return strings.HasSuffix(x, " #"+comment) })
		}
		if k < 0 {
			return f.fault(source.Position{Line: line + i, Column: 1}, "the line %s is lost", excerpt(l, 0))
		}
		after = after[k+1:]
	}
	return nil
}

// ofList says whether a line has nothing but groups or resources: an item of a
// list of them, the list, or a whole rule in braces.
func (f *proof) ofList(l string) bool {
	l, _, _ = strings.Cut(l, " #")
	t := strings.TrimSpace(strings.TrimLeft(l, " \t-"))
	if strings.HasPrefix(t, "{") && strings.HasSuffix(t, "}") {
		return strings.Contains(t, "apiGroups:")
	}
	if key, rest, ok := strings.Cut(t, ":"); ok {
		return isList(key) && rest != ""
	}
	return strings.HasPrefix(strings.TrimLeft(l, " \t"), "- ") && !strings.ContainsAny(t, " {}")
}
