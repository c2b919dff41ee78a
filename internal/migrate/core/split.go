package core

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of permissions whose resources go to different groups becomes one
// rule for each group: the first keeps the resources that stay, a copy of its
// text behind it has the others.

// wholeRule notes the text of a rule that is an item of a list with lines of its own.
func (g *grant) wholeRule(o *syntax.Node) {
	if o.View == nil || !o.Item || o.Document().Lang != "yaml" {
		return
	}
	file := o.Root().View
	first, last := len(file.B), 0
	o.Leaves(func(n *syntax.Node) {
		if s, ok := n.View.Span(n.Start, n.End); ok {
			first, last = min(first, s.Start-file.Base), max(last, s.End-file.Base)
		}
	})
	if first >= last {
		return
	}
	from, to := bytes.LastIndexByte(file.B[:first], '\n')+1, lineEnd(file.B, last)
	if !bytes.HasPrefix(bytes.TrimLeft(file.B[from:first], " "), []byte("-")) {
		return
	}
	if bytes.Contains(file.B[from:to], []byte("{{")) {
		return // what an action is about would be there twice
	}
	for _, pair := range []string{"{}", "[]"} {
		if bytes.Count(file.B[from:to], []byte(pair[:1])) != bytes.Count(file.B[from:to], []byte(pair[1:])) {
			return // it ends on a line behind
		}
	}
	g.at = source.Span{Start: from + file.Base, End: to + file.Base}
	g.text = bytes.Clone(file.B[from:to])
}

// split makes a rule several: false where its text does not allow that.
func (t *Tree) split(r *ref, i int, s Site) ([]Site, bool) {
	g := r.grant
	if g.text == nil || t.core.opts.Dual {
		return nil, false
	}
	old := g.groups[i].text
	inside := func(x item) bool { return g.at.Start <= x.outer.Start && x.outer.End <= g.at.End && !x.stuck }
	others := map[string]bool{}
	for j, x := range g.groups {
		if others[x.text] = j != i; !inside(x) || j != i && t.leavesGroup(r, x.text) {
			return nil, false
		}
	}
	stays := map[int]bool{} // resources
	moves := map[int]bool{}
	target := map[string]map[int]bool{}
	var order, all []string // new groups: those that no item of the list is, and all
	for j, x := range g.resources {
		to := t.resourceTo(r, old, x.text)
		switch {
		case to == "" || !inside(x):
			return nil, false
		case to == old:
			stays[j] = true
			continue
		case target[to] == nil && !others[to]:
			target[to], order = map[int]bool{}, append(order, to)
		}
		if !slices.Contains(all, to) {
			all = append(all, to)
		}
		if moves[j] = true; !others[to] {
			target[to][j] = true
		}
	}
	var copies []string // the rule with other groups and fewer resources
	piece := func(groups func(x item) (string, bool), resources map[int]bool, renamed bool) []source.Edit {
		return slices.Concat(without(g.groups, g, func(j int) (string, bool) { return groups(g.groups[j]) }), without(g.resources, g, func(j int) (string, bool) {
			if renamed {
				return t.renamedResource(old, g.resources[j]), resources[j]
			}
			return g.resources[j].text, resources[j]
		}))
	}
	var pieces [][]source.Edit
	if len(stays) > 0 {
		pieces = append(pieces, piece(func(x item) (string, bool) { return x.text, true }, stays, false))
	}
	if len(g.groups) > 1 {
		pieces = append(pieces, piece(func(x item) (string, bool) { return x.text, x.text != old }, moves, false))
	}
	for _, to := range order {
		pieces = append(pieces, piece(func(x item) (string, bool) { return to, x.text == old }, target[to], true))
	}
	if len(pieces) < 2 {
		return nil, false
	}
	for _, edits := range pieces[1:] {
		for k := range edits {
			edits[k].Start, edits[k].End = edits[k].Start-g.at.Start, edits[k].End-g.at.Start
		}
		copied, err := source.Apply(g.text, edits)
		if err != nil {
			return nil, false
		}
		copies = append(copies, "\n"+string(copied))
	}
	s.Edits = append(slices.Clone(pieces[0]), source.Edit{Span: source.Span{Start: g.at.End, End: g.at.End}, New: strings.Join(copies, "")})
	s.New = strings.Join(order, ", ")
	if len(stays) > 0 {
		s.New = strings.Join(append([]string{old}, all...), ", ")
	}
	return []Site{s}, true
}

// splits says whether a site makes a rule two.
func (s Site) splits() bool {
	return slices.ContainsFunc(s.Edits, func(e source.Edit) bool { return e.Len() == 0 && strings.Count(e.New, "\n") > 1 })
}

// leavesGroup says whether resources of a rule go to another group than one of its own.
func (t *Tree) leavesGroup(r *ref, group string) bool {
	return slices.ContainsFunc(t.core.answers(t.grantKnown(r, group), t.Facts), func(a rules.Answer) bool {
		return a.Outcome != rules.Moves && !a.Stays() || a.Outcome == rules.Moves && a.To.Group != group
	})
}

// resourceTo is the group of a resource under the rules, "" where it is not known.
func (t *Tree) resourceTo(r *ref, group, resource string) string {
	name, _, _ := strings.Cut(resource, "/")
	if name == "*" || strings.ContainsAny(name, "{$%") {
		return ""
	}
	k := t.versionsOf(r, rules.Known{Group: group})
	if kind := t.core.kindNamed(group, name, t.Facts); kind != "" {
		k.Kinds = []string{kind}
	} else {
		k.Plurals = []string{name}
	}
	groups := map[string]bool{}
	to := group
	for _, a := range t.core.answers(k, t.Facts) {
		if a.Outcome == rules.Ambiguous || a.Outcome == rules.Removed {
			return ""
		}
		if a.Outcome == rules.Moves {
			to = a.To.Group
		} else {
			to = group
		}
		groups[to] = true
	}
	if len(groups) != 1 {
		return ""
	}
	return to
}

// without takes items out of a list, and renames the others.
func without(list []item, g *grant, kept func(i int) (string, bool)) []source.Edit {
	var texts []string
	var edits []source.Edit
	flow := false
	for i, x := range list {
		flow = flow || x.flow
		to, ok := kept(i)
		switch {
		case ok:
			outer := string(g.text[x.outer.Start-g.at.Start : x.outer.End-g.at.Start])
			texts = append(texts, strings.Replace(outer, x.text, to, 1))
			if to != x.text {
				edits = append(edits, source.Edit{Span: x.Span, Old: x.text, New: to})
			}
		case x.flow || x.stuck:
		default:
			edits = append(edits, source.Edit{Span: source.Span{Start: x.outer.Start - x.lead - 1, End: x.outer.End}})
		}
	}
	if flow && len(list) > 1 {
		at := source.Span{Start: list[0].outer.Start, End: list[len(list)-1].outer.End}
		return []source.Edit{{Span: at, New: strings.Join(texts, strings.TrimRight(list[0].before, "\"'`\\"))}}
	}
	return edits
}

// renamedResource is the name of a resource under the rules.
func (t *Tree) renamedResource(group string, x item) string {
	name, rest, _ := strings.Cut(x.text, "/")
	to, _ := t.pluralNow(group, name)
	if to == "" {
		return x.text
	}
	if rest != "" {
		rest = "/" + rest
	}
	return to + rest
}
