package syntax

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What is once in a document may be the value of several mappings: by an alias, or by a
// merge key, which takes all entries of another mapping that the own ones do not name.
// Source: YAML 1.2.2, section 7.1; https://yaml.org/type/merge.html.

// mergeKey is the key of what a mapping takes.
const mergeKey = "<<"

// maxMerges bounds mappings that take mappings that take mappings.
const maxMerges = 512

// anchor notes that a node has an anchor, the text of which begins with "&".
func (s *scanner) anchor(n *Node, at source.Span) {
	if n == nil || at.Len() < 2 || s.b[at.Start] != '&' {
		return
	}
	if s.anchors == nil {
		s.anchors = map[string]*Node{}
	}
	s.anchors[string(s.b[at.Start+1:at.End])] = n
}

// alias notes what an alias stands for, and which mapping takes that from there.
func (s *scanner) alias(n *Node) {
	of := s.anchors[string(n.Text()[1:])]
	if of == nil {
		return
	}
	n.more().alias = of
	switch e := n.entry(); {
	case e == nil:
	case e.Name == mergeKey:
		of.more().mergers = append(of.more().mergers, e.Up)
		e.Up.more().merges = append(e.Up.more().merges, of)
	default:
		if list := of.entry(); list != nil {
			of = list // of an item
		}
		of.more().takers = append(of.more().takers, e.Up)
	}
}

// entry is the nearest node, from n upwards, that is an entry with a key; nil for none.
func (n *Node) entry() *Node {
	for n != nil && n.Key == nil {
		if n = n.Up; n != nil && n.Kind == Document {
			return nil
		}
	}
	return n
}

// Alias is what an alias stands for.
func (n *Node) Alias() *Node { return n.some().alias }

// Merged is the kind that a mapping takes by a merge; nil for none.
func (n *Node) Merged() *Node {
	list := n.some().merges
	if len(list) == 0 || n.Child("kind") != nil {
		return nil
	}
	for i := 0; i < len(list) && i < maxMerges; i++ {
		if kind := list[i].Child("kind"); kind != nil {
			return kind
		}
		list = slices.Concat(list, list[i].some().merges)
	}
	return nil
}

// Takers are the mappings, but for its own, that take an entry, or the list that the node is
// in, from where it is: by an alias or a merge.
func (n *Node) Takers() []*Node {
	e := n.entry()
	if e == nil {
		return nil
	}
	list, from := slices.Clone(e.some().takers), []*Node{e.Up}
	for i := 0; i < len(from) && len(from) < maxMerges; i++ {
		for _, m := range from[i].some().mergers {
			if m.Child(Normal(e.Name)) == nil && !slices.Contains(from, m) {
				list, from = append(list, m), append(from, m)
			}
		}
	}
	return slices.DeleteFunc(list, func(m *Node) bool { return m == e.Up })
}
