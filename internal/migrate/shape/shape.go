// Package shape changes the shape of objects: the steps of a conversion are done
// on the text of one object, cut out of its document, so that what they do not
// name stays as it is.
package shape

import (
	"slices"

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
// those: each change writes its object again, and a copy of what has copies doubles it.
func Budget(size int) int { return 512<<10 + 256*size }

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

// Convert changes the shapes of the objects of a list. Old is the text in which
// they were found, from an offset of their document on; fresh is the text with
// its names changed. An error is why the objects need review, who finds them as they
// were.
func Convert(old, fresh []byte, from int, list []Due, o Options) ([]byte, []Note, error) {
	if o.Left == nil {
		left := Budget(len(fresh))
		o.Left = &left
	}
	s := shaper{Options: o}
	t := text.ScanPart(old, source.Span{End: len(old)}, o.JSON, o.Templated)
	for _, d := range list {
		if way, ok := t.WayTo(d.At - from); ok {
			d.path = way
			s.list = append(s.list, d)
		}
	}
	out := s.run(fresh)
	if s.refused == nil && actsInFlow(old) {
		s.refused = errWoven("it")
	}
	return out, s.notes, s.refused
}

// A shaper changes the objects of one text, those inside of others first: a
// step on the outer one may move them.
type shaper struct {
	Options
	list    []Due
	notes   []Note
	refused error // why they are converted by hand
}

// run changes the objects of a text. Those of one depth are cut out of it at
// once, changed, and put back.
func (s *shaper) run(text []byte) []byte {
	slices.SortStableFunc(s.list, func(a, b Due) int { return len(b.path) - len(a.path) })
	for len(s.list) > 0 {
		n := 1
		for n < len(s.list) && len(s.list[n].path) == len(s.list[0].path) {
			n++
		}
		text = s.level(text, s.list[:n])
		s.list = s.list[n:]
	}
	return text
}

// level changes the objects of one depth: none holds another one.
func (s *shaper) level(content []byte, list []Due) []byte {
	all := source.Span{End: len(content)}
	t := text.ScanPart(content, all, s.JSON, s.Templated)
	var edits []source.Edit
	for len(list) > 0 {
		n := 1 // one object may change several times
		for n < len(list) && slices.Equal(list[n].path, list[0].path) {
			n++
		}
		if obj, ok := text.Follow(t, list[0].path); ok {
			piece := text.PieceOf(t, obj, all)
			edits = append(edits, source.Edit{Span: piece, Old: string(piece.Of(content)), New: string(s.object(t, obj, piece, list[:n]))})
		}
		list = list[n:]
	}
	fresh, err := source.Apply(content, edits)
	if err != nil {
		s.notes = append(s.notes, Note{Review: true, Why: err.Error(), Hint: "convert these objects by hand"})
		return content
	}
	return fresh
}

// object does the conversions of one object on its own text.
func (s *shaper) object(t *text.Tree, obj int32, piece source.Span, list []Due) []byte {
	content := piece.Of(t.Data)
	kind := t.Entry(obj, "kind")
	if kind < 0 {
		return content
	}
	tree := text.ScanPart(content, source.Span{End: len(content)}, s.JSON, s.Templated)
	way, ok := tree.WayTo(int(t.Nodes[kind].Pos) - piece.Start)
	if !ok {
		return content
	}
	for _, d := range list {
		d.path = way
		c := converter{set: s.Set, due: d, json: s.JSON, templated: s.Templated, text: content, tree: tree, left: s.Left}
		content, tree = c.run(), c.tree
		if c.refused != nil {
			s.refused = c.refused
		}
		for _, n := range c.notes {
			n.At = d.At
			s.notes = append(s.notes, n)
		}
	}
	return content
}

// A Due is an object that a conversion applies to.
type Due struct {
	Conversion *rules.Conversion
	At         int   // offset of its kind in the text before the renames
	path       []int // ordinals of the nodes from the top of the document
}

// Find finds the objects of a text whose shape changes: those that are,
// or that a rule makes, the conversion's From.
func Find(a *rules.Table, t *text.Tree) []Due {
	var list []Due
	for i := range t.Nodes {
		if t.KeyText(int32(i)) != "kind" || t.Nodes[i].Style > text.Double {
			continue
		}
		av := t.Sibling(int32(i), "apiVersion")
		if av < 0 || t.Nodes[av].Style > text.Double {
			continue
		}
		if t.Sibling(int32(i), "metadata") < 0 && t.Sibling(int32(i), "spec") < 0 && !ownDocument(t, int32(i)) {
			continue // a reference to an object
		}
		a.Hops(rules.GVKOf(t.Text(av), t.Text(int32(i))), func(h rules.Hop) bool {
			if h.Shape != nil {
				list = append(list, Due{Conversion: h.Shape, At: int(t.Nodes[i].Pos)})
			}
			return true
		})
	}
	return list
}

// ownDocument says whether the object that a kind is in is a document of its own, such
// as a configuration, or one whose other fields an action may write.
func ownDocument(t *text.Tree, kind int32) bool {
	return t.Nodes[kind].Parent < 0 && (t.Sibling(kind, "name") < 0 && len(t.Children(-1)) > 2 || text.HasTemplate(t.Data))
}
