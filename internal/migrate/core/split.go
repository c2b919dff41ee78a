package core

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A rule of permissions whose resources go to different groups becomes one
// rule for each group: the first keeps the resources that stay, a copy of its
// text behind it has the others.

// wholeRule notes the text of a rule that is an item of a block list.
func (g *grant) wholeRule(o *syntax.Node) {
	if !o.Item || o.Flow || o.View == nil || o.Document().Lang != "yaml" || len(o.Kids) == 0 || o.Kids[0].Flow {
		return
	}
	file := o.Root().View
	first, last := len(file.B), 0
	o.Leaves(func(n *syntax.Node) {
		if s, ok := n.View.Span(n.Start, n.End); ok {
			first, last = min(first, s.Start-file.Base), max(last, s.End-file.Base)
		}
	})
	if first >= last || bytes.IndexByte(file.B[first:last], '\n') < 0 {
		return
	}
	from := bytes.LastIndexByte(file.B[:first], '\n') + 1
	to := lineEnd(file.B, last)
	if !bytes.HasPrefix(bytes.TrimLeft(file.B[from:first], " "), []byte("-")) {
		return
	}
	g.at = source.Span{Start: from + file.Base, End: to + file.Base}
	g.text = bytes.Clone(file.B[from:to])
}

// split makes a rule two: false where its text does not allow that.
func (t *Tree) split(r *ref, i int, s Site) ([]Site, bool) {
	g := r.grant
	if g.text == nil || len(g.groups) != 1 || t.core.opts.Dual {
		return nil, false
	}
	target := map[string][]int{} // new group → resources
	var order []string
	inside := func(x item) bool { return g.at.Start <= x.outer.Start && x.outer.End <= g.at.End && !x.stuck }
	if !inside(g.groups[i]) {
		return nil, false
	}
	for j, x := range g.resources {
		if !inside(x) {
			return nil, false
		}
		to := t.resourceTo(r, g.groups[i].text, x.text)
		if to == "" {
			return nil, false
		}
		if target[to] == nil {
			order = append(order, to)
		}
		target[to] = append(target[to], j)
	}
	if len(order) < 2 {
		return nil, false
	}
	if k := slices.Index(order, g.groups[i].text); k > 0 { // what stays is first
		order[0], order[k] = order[k], order[0]
	}
	text := ""
	for n, to := range order {
		keep := target[to]
		edits := without(g.resources, g, func(j int) (string, bool) {
			return t.renamedResource(g.groups[i].text, g.resources[j]), slices.Contains(keep, j)
		})
		if to != g.groups[i].text {
			edits = append(edits, source.Edit{Span: g.groups[i].Span, Old: g.groups[i].text, New: to})
		}
		if n == 0 {
			s.Edits = edits
			continue
		}
		for k := range edits {
			edits[k].Start, edits[k].End = edits[k].Start-g.at.Start, edits[k].End-g.at.Start
		}
		copied, err := source.Apply(g.text, edits)
		if err != nil {
			return nil, false
		}
		text += "\n" + string(copied)
	}
	s.Edits = append(s.Edits, source.Edit{Span: source.Span{Start: g.at.End, End: g.at.End}, New: text})
	s.New = strings.Join(order, ", ")
	s.Action = judge.Rewrite
	return []Site{s}, true
}

// splits says whether a site makes a rule two.
func (s Site) splits() bool {
	return slices.ContainsFunc(s.Edits, func(e source.Edit) bool { return e.Len() == 0 && strings.Count(e.New, "\n") > 1 })
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
	if flow {
		at := source.Span{Start: list[0].outer.Start, End: list[len(list)-1].outer.End}
		return []source.Edit{{Span: at, New: strings.Join(texts, ", ")}}
	}
	return edits
}

// renamedResource is the name of a resource under the rules.
func (t *Tree) renamedResource(group string, x item) string {
	name, rest, _ := strings.Cut(x.text, "/")
	to := t.plural(rules.GVK{Group: group}, name)
	if to == "" {
		return x.text
	}
	if rest != "" {
		rest = "/" + rest
	}
	return to + rest
}
