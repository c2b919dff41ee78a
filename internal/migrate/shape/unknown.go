package shape

import (
	"bytes"
	"slices"
	"sort"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
)

// What an action writes is not known: a step that asks for a field may find it in the
// text, or an action alone on its line may write it, in the old shape.

// unknown says whether a template may write what the paths of a step lead to.
func (w weave) unknown(t *text.Tree, obj int32, name string, keys []string, s rules.Step) bool {
	if name == "tell" {
		return false
	}
	writers := w.writers(t)
	if w.hides(t, writers, obj, keys) {
		return true
	}
	byAction := func(h text.Hit) bool { return slices.Contains(writers, h.Node) }
	if (s.When != nil || name == "map-values") && slices.ContainsFunc(t.Find(obj, keys), byAction) {
		return true
	}
	for _, path := range []string{target(name, s), asked(s)} {
		if path == "" {
			continue
		}
		more, err := text.ParsePath(path)
		if err != nil || w.hides(t, writers, obj, more) || twice(t, obj, more) {
			return true
		}
		for _, h := range t.Find(obj, more) {
			if w.inPieces() || path == asked(s) && byAction(h) {
				return true
			}
		}
	}
	return false
}

// target is the path that a step writes to besides its own one, "" for none.
func target(name string, s rules.Step) string {
	if name == "move" || name == "copy" {
		return s.To
	}
	return ""
}

// asked is the path of the condition of a step, "" for none.
func asked(s rules.Step) string {
	if s.When == nil {
		return ""
	}
	return s.When.Path
}

// writers are the nodes of which actions alone on their lines may write entries, -1 for
// the top: those at whose column they write, and the empty one above.
func (w weave) writers(t *text.Tree) []int32 {
	var list []int32
	for _, a := range w.list {
		if a.sort != '=' || !w.aloneAt(a) {
			continue
		}
		above := int32(sort.Search(len(t.Nodes), func(i int) bool { return int(t.Nodes[i].Pos) >= a.Start })) - 1
		for above >= 0 && t.Nodes[above].Flow {
			above = t.Nodes[above].Parent
		}
		column := a.indent
		if column < 0 {
			column = a.Start - text.LineStart(t.Data, a.Start)
		}
		if above >= 0 && t.Nodes[above].Style == text.None && t.Nodes[above].Last < 0 && !t.InFlow(above) {
			list = append(list, above)
		}
		for above >= 0 && int(t.Nodes[above].Indent) > column {
			above = t.Nodes[above].Parent
		}
		for above >= 0 && int(t.Nodes[above].Indent) == column { // a list may stand at the column of its key
			above = t.Nodes[above].Parent
			list = append(list, above)
		}
		list = append(list, above)
	}
	return list
}

// hides says whether a template may write what keys lead to from a node, and the text
// does not: beside other entries, as a value, or with a key of its own making.
func (w weave) hides(t *text.Tree, writers []int32, n int32, keys []string) bool {
	if len(keys) == 0 {
		return false
	}
	if n >= 0 && t.Nodes[n].Style != text.None {
		return text.HasTemplate(t.Nodes[n].Val.Of(t.Data))
	}
	hidden := slices.Contains(writers, n) || n >= 0 && t.InFlow(n) && w.inFlow(t, n)
	if keys[0] == "[*]" {
		return hidden || slices.ContainsFunc(t.Children(n), func(item int32) bool { return w.hides(t, writers, item, keys[1:]) })
	}
	if found := t.Entry(n, keys[0]); found >= 0 {
		return w.hides(t, writers, found, keys[1:])
	}
	return hidden || slices.ContainsFunc(t.Children(n), func(child int32) bool { return text.HasTemplate([]byte(t.KeyText(child))) })
}

// inFlow says whether an action is in a flow collection where an entry would, or
// says which entries are there.
func (w weave) inFlow(t *text.Tree, n int32) bool {
	s := t.FlowSpan(n)
	return slices.ContainsFunc(w.list, func(a actionAt) bool {
		if a.Start < s.Start || a.End > s.End {
			return false
		}
		before := bytes.TrimSpace(t.Data[s.Start:a.Start])
		return a.sort != '=' || len(before) == 0 || bytes.IndexByte([]byte("{[,}"), before[len(before)-1]) >= 0
	})
}
