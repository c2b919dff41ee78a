// Package shape changes the shape of objects on their text: it does the steps of the
// conversions of rulesets.
package shape

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Options are what a text is, and what steps ask for.
type Options struct {
	JSON, Templated bool
	Set             map[string]string // values for require-input steps
	Left            *int              // the bytes that steps may still write for the file; nil: Budget of the text
}

// Budget is how many bytes the steps may write for the objects of a file, by the size of
// those: a copy of what has copies doubles it. What is written takes some twenty times as much memory.
func Budget(size int) int { return min(512<<10+32*size, 32<<20) }

// A Note says that an object changes its shape, or what needs review about it.
type Note struct {
	At       int // offset of the kind of the object, as in its Due
	Review   bool
	Rule     string // id of the conversion
	Ruleset  string
	Old, New string
	Why      string
	Hint     string // {file} stands for the path of the file
}

// Convert changes the shapes of the objects of a list. Old is the text in which they were
// found, from an offset of their document on; fresh is the text with its names changed. An
// error is why the objects need review, who finds them as they were.
func Convert(old, fresh []byte, from int, list []Due, o Options) ([]byte, []Note, error) {
	if o.Left == nil {
		left := Budget(len(fresh))
		o.Left = &left
	}
	if begin := bytes.TrimLeft(old, " \t\r\n"); bytes.HasPrefix(begin, []byte("{")) && !bytes.HasPrefix(begin, []byte("{{")) && text.HasTemplate(old) {
		return fresh, nil, errWoven("it") // no lines tell what its actions belong to
	}
	_, was, err := read(old, o)
	top, now, notRead := read(fresh, o)
	if err != nil || notRead != nil || len(was) != len(now) {
		return fresh, nil, errBroken
	}
	var due []*converter
	for _, d := range list {
		i, ok := slices.BinarySearchFunc(was, d.At-from, func(n *node, at int) int { return n.at - at })
		for ; ok && i < len(was) && was[i].name != "kind"; i++ { // behind the dash of its item
		}
		if !ok || i == len(was) {
			return fresh, nil, errBroken
		}
		due = append(due, &converter{target: target{Options: o, obj: now[i].up}, conv: d.Conversion, at: d.At})
	}
	// Those inside of others come first: a step on the outer one may move them.
	slices.SortStableFunc(due, func(a, b *converter) int { return b.obj.depth() - a.obj.depth() })
	var notes []Note
	for _, c := range due {
		c.pieces = o.Templated && inPieces(c.obj.value())
		if c.run(); c.refused != nil {
			return fresh, notes, c.refused
		}
		for _, n := range c.notes {
			n.At = c.at
			notes = append(notes, n)
		}
	}
	return []byte(top.value()), notes, nil
}

// depth is how many nodes a node is in.
func (n *node) depth() int {
	depth := 0
	for ; n.up != nil; n = n.up {
		depth++
	}
	return depth
}

// A Due is an object that a conversion applies to.
type Due struct {
	Conversion *rules.Conversion
	At         int            // offset of its kind in the text before the renames
	Names      [2]source.Span // its apiVersion and its kind, in the file
}

// mostPairs is how many pairs of an apiVersion and a kind one mapping may have, as keys that
// are there twice, in the branches of a template or in a text.
const mostPairs = 1 << 12

// Find finds the objects of a document whose shape changes: those that are, or that a rule
// makes, the conversion's From. All = false: a mapping has too many kinds and versions to say.
func Find(a *rules.Table, doc *syntax.Node) (list []Due, all bool) {
	var versions, kinds []*syntax.Node
	all = true
	for _, n := range doc.Kids {
		switch {
		case n.Name == "apiVersion" && isWord(n):
			versions = append(versions, n)
		case n.Name == "kind" && isWord(n):
			kinds = append(kinds, n)
		}
		if n.Kind == syntax.Entry {
			more, ok := Find(a, n)
			list, all = append(list, more...), all && ok
		}
	}
	if len(versions)*len(kinds) == 0 || !isObject(doc) {
		return list, all
	}
	if len(versions)*len(kinds) > mostPairs {
		return list, false
	}
	place := func(n *syntax.Node) source.Span {
		return source.Span{Start: n.View.Offset(n.Start), End: n.View.Offset(n.End-1) + 1}
	}
	for _, n := range kinds {
		for _, v := range versions {
			a.Hops(rules.GVKOf(v.String(), n.String()), func(h rules.Hop) bool {
				if h.Shape != nil {
					list = append(list, Due{Conversion: h.Shape, At: n.Key.Start, Names: [2]source.Span{place(v), place(n)}})
				}
				return true
			})
		}
	}
	return list, all
}

// isWord says whether a node is a scalar, but for a block.
func isWord(n *syntax.Node) bool {
	return n.Key != nil && (n.Style == syntax.Bare || n.Quoted)
}

// isObject says whether a mapping is an object, and no reference to one: it has metadata or a
// spec, or is a document of its own, such as a configuration, or one whose other fields an
// action may write.
func isObject(n *syntax.Node) bool {
	return n.Child("metadata") != nil || n.Child("spec") != nil ||
		n.Kind == syntax.Document && (n.Child("name") == nil && len(n.Kids) > 2 || text.HasTemplate(n.Place().Of(n.View.B)))
}
