package core

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A unit is a text of which there are two while both groups are served: one
// names the old group, its twin the new one.
type unit struct {
	source.Span
	kind    unitKind
	id      string // what tells it from others of its list
	list    *unitList
	between string // what a twin has in front of it
	block   bool   // it is whole lines
	nowhere bool   // no twin can be put behind it, and it cannot be taken out
}

type unitKind uint8

const (
	definition unitKind = iota // a document that is a CRD or an APIService
	owned                      // a CRD that a ClusterServiceVersion owns
	permission                 // a rule of permissions or of a webhook, or a marker of one
	listed                     // a name in a list: of a CRD, of a file
)

// A unitList is the units of one list, by what tells them apart.
type unitList struct {
	at  map[string]source.Span // nil: the definitions of the file, which are read when they are needed
	was map[string]string      // of those that become one of the list: what told them apart
}

// A unitReader finds the units of a file.
type unitReader struct {
	data  []byte
	root  *syntax.Node
	lists map[*syntax.Node]*unitList
	lines *unitList // of markers
	seen  map[source.Span]bool
	units []unit
}

// unitsIn are the units of a file that name what the rules change, the outer
// ones before those in them.
func (c *fileReader) unitsIn(root *syntax.Node, list []*refs.Ref) []unit {
	if !c.opts.Dual && !c.mayFold(list) {
		return nil
	}
	u := &unitReader{data: c.data, root: root, lists: map[*syntax.Node]*unitList{}, seen: map[source.Span]bool{}}
	for _, r := range list {
		u.read(r)
	}
	slices.SortStableFunc(u.units, func(a, b unit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	return u.units
}

// mayFold says whether two names of a file may become one: rules make of the group of a reference
// what another one is, or becomes.
func (c *fileReader) mayFold(list []*refs.Ref) bool {
	read, from := map[string]bool{}, map[string]bool{}
	for _, r := range list {
		g := r.Known.Group
		if read[g] {
			continue
		}
		read[g] = true
		for _, to := range c.targets(g) {
			if from[to] || bytes.Contains(c.data, []byte(to)) {
				return true
			}
			from[to] = true
		}
	}
	return false
}

// read takes in the units that a reference is in.
func (u *unitReader) read(r *refs.Ref) {
	doc := r.Leaf.Document()
	switch up := r.Leaf.Up; {
	case r.CRD && isDefinition(r.Object):
		u.define(r.Object)
	case isDefinition(doc):
		u.define(doc)
	case r.Rule != nil && strings.HasSuffix(r.Object.Type, ":rbac") && r.Object.Kind == syntax.Comment:
		u.marker(r.Object)
	case r.Rule != nil && r.Object.Item:
		u.item(permission, r.Object)
	case r.Leaf.Item && r.Leaf.Name == "" && up != nil && isList(r.Leaf) && (r.Token.Form == names.File || syntax.Normal(up.Name) == "resourcenames" && judge.IsGranted(r.Leaf)):
		u.item(listed, r.Leaf)
	case up != nil && up.Item && up.Up != nil && isOwned(up.Up):
		u.item(owned, up)
	}
}

// isDefinition says whether an object is a CRD or an APIService, and no patch of
// one.
func isDefinition(o *syntax.Node) bool {
	k := o.Child("kind")
	return k != nil && slices.Contains(definitions, k.String()) && o.Find("spec", "group") != nil
}

// definitions are the kinds of objects that define an API.
var definitions = []string{"CustomResourceDefinition", "APIService"}

// isOwned says whether a list is that of the CRDs that a ClusterServiceVersion
// owns, or of an entry for one in a catalog.
func isOwned(list *syntax.Node) bool {
	if syntax.Normal(list.Name) != "owned" || list.Up == nil {
		return false
	}
	up := syntax.Normal(list.Up.Name)
	return up == "customresourcedefinitions" || up == "crddescriptions"
}

// isList says whether an item is one of YAML, JSON or a marker.
func isList(n *syntax.Node) bool {
	lang := n.Document().Lang
	return lang == "yaml" || lang == "json" || n.Up.Up != nil && n.Up.Up.Kind == syntax.Comment
}

// define takes in a definition. One that is no document of the file itself has
// no place for a twin.
func (u *unitReader) define(o *syntax.Node) {
	at, whole := u.spanOf(o)
	x := unit{Span: at, kind: definition, id: idOf(definition, o), list: u.lists[u.root], block: whole, nowhere: !whole || divided(at.Of(u.data)) || trims(at.Of(u.data))}
	if !text.IsMarker(at.Of(u.data)) {
		x.between = "---\n"
	}
	if x.list == nil {
		x.list = &unitList{was: map[string]string{}}
		u.lists[u.root] = x.list
	}
	u.add(x)
}

// spanOf is where a definition is, and whether it is a document of the file.
func (u *unitReader) spanOf(o *syntax.Node) (at source.Span, whole bool) {
	if o.Kind == syntax.Document && o.Up == u.root && o.Lang == "yaml" && o.View.P == nil {
		from := o.View.Offset(o.Place().Start)
		return source.Span{Start: from, End: min(from+o.Place().Len(), len(u.data))}, true
	}
	first, last := edges(o)
	return source.Span{Start: max(first, 0), End: min(last, len(u.data))}, false
}

// definitionsIn are all definitions of a file. Documents without a name of the rules are among them.
func definitionsIn(path string, data []byte) map[string]source.Span {
	u := &unitReader{data: data, root: syntax.Read(path, data, nil)}
	found := map[string]source.Span{}
	var visit func(n *syntax.Node)
	visit = func(n *syntax.Node) {
		if isDefinition(n) {
			found[idOf(definition, n)], _ = u.spanOf(n)
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(u.root)
	return found
}

func (u *unitReader) add(x unit) {
	if !u.seen[x.Span] && x.Len() > 0 && x.End <= len(u.data) {
		u.seen[x.Span] = true
		u.units = append(u.units, x)
	}
}

// item takes in an item of a list.
func (u *unitReader) item(kind unitKind, n *syntax.Node) {
	x, ok := extent(u.data, n)
	if !ok || u.seen[x.Span] {
		return
	}
	id := func(n *syntax.Node, at source.Span) string {
		if kind == permission {
			return string(bytes.TrimSpace(at.Of(u.data)))
		}
		return idOf(kind, n)
	}
	x.kind, x.id = kind, id(n, x.Span)
	if x.list = u.lists[n.Up]; x.list == nil {
		x.list = &unitList{at: map[string]source.Span{}, was: map[string]string{}}
		u.lists[n.Up] = x.list
		for _, k := range n.Up.Kids {
			if y, ok := extent(u.data, k); ok {
				x.list.at[id(k, y.Span)] = y.Span
			}
		}
	}
	u.add(x)
}

// marker takes in the marker of a permission that has a line for itself. That of a
// webhook has a name and a path, which no other one may have.
func (u *unitReader) marker(n *syntax.Node) {
	if u.lines == nil {
		u.lines = &unitList{at: map[string]source.Span{}, was: map[string]string{}}
		at := 0
		for l := range bytes.Lines(u.data) {
			u.lines.at[string(bytes.TrimSpace(l))] = source.Span{Start: at, End: at + len(l)}
			at += len(l)
		}
	}
	from := text.LineStart(u.data, n.View.Offset(n.Start))
	line := source.Span{Start: from, End: min(text.LineBreak(u.data, from)+1, len(u.data))}
	if id := string(bytes.TrimSpace(line.Of(u.data))); strings.HasPrefix(id, "//") || strings.HasPrefix(id, "#") {
		u.add(unit{Span: line, kind: permission, id: id, list: u.lines, block: true})
	}
}

// edges are where the texts of a node begin and end in the file.
func edges(n *syntax.Node) (first, last int) {
	first = -1
	n.Leaves(func(l *syntax.Node) {
		if at := l.View.Offset(l.Start); first < 0 || at < first {
			first = at
		}
		last = max(last, l.View.Offset(max(l.End-1, l.Start))+1)
	})
	return first, last
}

// extent is the text of an item of a list: its lines, or what is in braces or quotes, behind
// which no twin is put.
func extent(data []byte, n *syntax.Node) (unit, bool) {
	first, last := edges(n)
	if first < 0 || last > len(data) {
		return unit{}, false
	}
	line := text.LineStart(data, first)
	head := data[line:first]
	dash := bytes.TrimLeft(head, " ")
	if len(dash) > 0 && dash[0] == '-' && len(bytes.Trim(dash[1:], " {\"'")) == 0 {
		return unit{Span: source.Span{Start: line, End: itemEnd(data, first, len(head)-len(dash))}, block: true}, true
	}
	x := unit{Span: source.Span{Start: first, End: last}, nowhere: true}
	if len(n.Kids) > 0 {
		x.Start = len(bytes.TrimRight(data[:first], " \t\r\n\"'")) - 1
		if x.Start < 0 || data[x.Start] != '{' {
			return unit{}, false
		}
		x.End = syntax.FlowEnd(data, x.Start)
	} else if q := first - 1; q >= 0 && last < len(data) && data[q] == data[last] && strings.IndexByte("\"'`", data[q]) >= 0 {
		x.Start, x.End = q, last+1
	}
	return x, x.End > 0
}

// itemEnd is the end of the lines of an item of a block list, whose dash is in a
// column.
func itemEnd(data []byte, at, column int) int {
	end := min(text.LineBreak(data, at)+1, len(data))
	for next := end; next < len(data); {
		to := min(text.LineBreak(data, next)+1, len(data))
		line := bytes.TrimLeft(data[next:to], " ")
		if len(bytes.TrimSpace(line)) > 0 {
			if to-next-len(line) <= column {
				break
			}
			end = to
		}
		next = to
	}
	return end
}

// idOf is what tells a unit from others of its list.
func idOf(kind unitKind, n *syntax.Node) string {
	field := func(path ...string) string {
		if x := n.Find(path...); x != nil {
			return x.String()
		}
		return ""
	}
	switch kind {
	case definition:
		return field("kind") + " " + field("metadata", "name")
	case owned:
		return field("name") + " " + field("version")
	}
	return n.String()
}

// becomes is what tells a unit from others when sites in it are rewritten, which gives it a text.
func (u *unit) becomes(sites []Site, fresh []byte) string {
	if u.kind == permission {
		return string(bytes.TrimSpace(fresh))
	}
	var list []Site
	for _, s := range sites {
		if isRewrite(s) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Site) int { return len(b.Old) - len(a.Old) })
	var pairs []string
	for _, s := range list {
		pairs = append(pairs, s.Old, s.New)
	}
	return strings.NewReplacer(pairs...).Replace(u.id)
}

// trims says whether the actions at the ends of a text take away the line breaks between it
// and a copy of it, which would be one document with it: {{- end -}}.
func trims(doc []byte) bool {
	doc = bytes.TrimSpace(doc)
	first, _, ok := bytes.Cut(doc, []byte("}}"))
	return bytes.HasSuffix(doc, []byte("-}}")) || ok && bytes.HasPrefix(doc, []byte("{{-")) && bytes.HasSuffix(first, []byte("-"))
}

// blocks are the actions of templates that begin, end and divide a part.
var blocks = lazyregexp.New(`\{[{%]-?\s*(?:(if|range|with|define|block|for|macro)|(end\w*)|else|elif)\b`)

// divided says whether a part of a template begins or ends in a text, and not
// both: what is before the text, or a copy of it, is in another part than what is behind.
func divided(doc []byte) bool {
	depth := 0
	for _, m := range blocks.FindAllSubmatch(doc, -1) {
		switch {
		case len(m[1]) > 0:
			depth++
		case depth == 0:
			return true
		case len(m[2]) > 0:
			depth--
		}
	}
	return depth != 0
}
