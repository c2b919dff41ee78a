package core

import (
	"bytes"
	"slices"
	"strings"

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
	list    *unitList
	between string // what a twin has in front of it
	block   bool   // it is whole lines
	nowhere bool   // no twin can be put behind it, and it cannot be taken out
	shared  bool   // another place refers to a part of it
}

type unitKind uint8

const (
	definition unitKind = iota // a document that is a CRD or an APIService
	owned                      // a CRD that a ClusterServiceVersion owns
	permission                 // a rule of permissions or of a webhook, a marker of one
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
func (c *Core) unitsIn(root *syntax.Node, data []byte, list []*refs.Ref) []unit {
	if !c.opts.Dual && !c.mayFold(data) {
		return nil
	}
	u := &unitReader{data: data, root: root, lists: map[*syntax.Node]*unitList{}, seen: map[source.Span]bool{}}
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

// A merge is two groups that may become one: what rules make of a group, and
// another group or the same name.
type merge [2]string

// mergesOf are the groups of rules that may be in one file before it is one group.
func (c *Core) mergesOf() []merge {
	var list []merge
	from := map[string]string{}
	for _, g := range c.table.Groups() {
		for _, to := range c.targets(g) {
			list = append(list, merge{g, to})
			if other := from[to]; other != "" && other != g {
				list = append(list, merge{g, other})
			}
			from[to] = g
		}
	}
	return list
}

// mayFold says whether two names of a file may become one.
func (c *Core) mayFold(data []byte) bool {
	return slices.ContainsFunc(c.merges, func(m merge) bool {
		return bytes.Contains(data, []byte(m[1])) && bytes.Contains(data, []byte(m[0]))
	})
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
	case r.Leaf.Item && r.Leaf.Name == "" && up != nil && isList(r.Leaf) && (r.Token.Form == names.File || isGranted(r.Leaf)):
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

// isGranted says whether an item is the name of a CRD or APIService in a rule
// of permissions about them.
func isGranted(n *syntax.Node) bool {
	if syntax.Normal(n.Up.Name) != "resourcenames" || n.Up.Up == nil {
		return false
	}
	res := n.Up.Up.Child("resources")
	return res != nil && len(res.Kids) > 0 && !slices.ContainsFunc(res.Kids, func(x *syntax.Node) bool {
		name, _, _ := strings.Cut(x.String(), "/")
		return name != "customresourcedefinitions" && name != "apiservices"
	})
}

// define takes in a definition. One that is no document of the file itself has
// no place for a twin.
func (u *unitReader) define(o *syntax.Node) {
	x := unit{kind: definition, list: u.definitions(), nowhere: true}
	if o.Kind == syntax.Document && o.Up == u.root && o.Lang == "yaml" && o.View.P == nil {
		x.Span = source.Span{Start: o.View.Offset(o.Place().Start), End: o.View.Offset(o.Place().Start) + o.Place().Len()}
		x.nowhere = divided(x.Of(u.data)) || trims(x.Of(u.data))
		x.block = true
		if !text.IsMarker(x.Of(u.data)) {
			x.between = "---\n"
		}
	} else if first, last := edges(o); first < last {
		x.Span = source.Span{Start: first, End: last}
	}
	u.add(x)
}

func (u *unitReader) definitions() *unitList {
	if u.lists[u.root] == nil {
		u.lists[u.root] = &unitList{was: map[string]string{}}
	}
	return u.lists[u.root]
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
	x.kind = kind
	x.shared = kind == permission && (bytes.Contains(x.Of(u.data), []byte(": &")) || bytes.Contains(x.Of(u.data), []byte(": *")))
	if x.list = u.lists[n.Up]; x.list == nil {
		x.list = &unitList{at: map[string]source.Span{}, was: map[string]string{}}
		u.lists[n.Up] = x.list
		for _, k := range n.Up.Kids {
			if y, ok := extent(u.data, k); ok {
				x.list.at[idOf(kind, k)] = y.Span
			}
		}
	}
	u.add(x)
}

// marker takes in the marker of a permission that has a line for itself. That of a
// webhook has a name and a path, which no other one may have.
func (u *unitReader) marker(n *syntax.Node) {
	at := n.View.Offset(n.Start)
	line := source.Span{Start: text.LineStart(u.data, at), End: lineEnd(u.data, at)}
	if t := bytes.TrimSpace(line.Of(u.data)); !bytes.HasPrefix(t, []byte("//")) && !bytes.HasPrefix(t, []byte("#")) {
		return
	}
	if u.lines == nil {
		u.lines = &unitList{at: map[string]source.Span{}, was: map[string]string{}}
		at := 0
		for l := range bytes.Lines(u.data) {
			if bytes.Contains(l, []byte("+kubebuilder:")) {
				u.lines.at[string(bytes.TrimSpace(l))] = source.Span{Start: at, End: at + len(l)}
			}
			at += len(l)
		}
	}
	line.End = min(line.End+1, len(u.data))
	u.add(unit{Span: line, kind: permission, list: u.lines, block: true})
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
	end := min(lineEnd(data, at)+1, len(data))
	for next := end; next < len(data); {
		to := min(lineEnd(data, next)+1, len(data))
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
	case listed:
		return n.String()
	}
	var list []string
	n.Leaves(func(l *syntax.Node) {
		if l.Kind != syntax.Entry {
			return
		}
		s := l.String()
		for up := l; up != n && up != nil; up = up.Up {
			s = up.Name + "=" + s
		}
		list = append(list, s)
	})
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "\n")
}

// trims says whether the actions at the ends of a text take away the line breaks between it
// and a copy of it, which would be one document with it: {{- end -}}.
func trims(doc []byte) bool {
	doc = bytes.TrimSpace(doc)
	first, _, ok := bytes.Cut(doc, []byte("}}"))
	return bytes.HasSuffix(doc, []byte("-}}")) || ok && bytes.HasPrefix(doc, []byte("{{-")) && bytes.HasSuffix(first, []byte("-"))
}

// divided says whether a part of a template begins or ends in a text, and not
// both: what is before the text, or a copy of it, is in another part than what is behind.
func divided(doc []byte) bool {
	depth := 0
	for {
		i := bytes.IndexByte(doc, '{')
		if i < 0 || i+2 > len(doc) {
			return depth != 0
		}
		doc = doc[i+1:]
		if doc[0] != '{' && doc[0] != '%' {
			continue
		}
		word, _, _ := bytes.Cut(bytes.TrimLeft(doc[1:], "- "), []byte(" "))
		switch string(bytes.TrimRight(word, "-}%")) {
		case "if", "range", "with", "define", "block", "for", "macro":
			depth++
		case "else", "elif":
			if depth == 0 {
				return true
			}
		case "end", "endif", "endfor", "endmacro", "endblock":
			if depth--; depth < 0 {
				return true
			}
		}
	}
}
