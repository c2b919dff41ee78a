package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/migrate/shape"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Objects change their shape wherever they stand: a document inside of a
// string is converted as a file of its own, and the lines that differ are
// written back as the languages around it spell them. Where that cannot be
// done, the object keeps its version, too, and a person is told.

// An embedding is a file in whose strings objects stand.
type embedding struct {
	m    *Migration
	path string // as the user names it
	file find.Format
}

// wholeFile says whether a view is that of a file whose objects are converted
// as one text (see reshape.go).
func (e *embedding) wholeFile(v *text.View) bool {
	return v.Depth == 0 && e.file.Is(find.Objects)
}

// shapes converts the objects of a document inside of a string. Made is what
// becomes of the names in it.
func (e *embedding) shapes(d find.Document, made []edit.Outcome) ([]edit.Outcome, bool) {
	v, t, doc := d.Doc, d.Tree, d.Span
	if e.wholeFile(v) {
		return nil, false
	}
	list := slices.DeleteFunc(shape.Find(e.m.rules, t, nil, e.m.chosen), func(d shape.Due) bool { return !renames(v, t, d, made) })
	if len(list) == 0 {
		return nil, false
	}
	content := doc.Of(v.Data)
	if d.JSON && !isJSON(content) && !text.HasTemplate(content) {
		return leaveShapes(v, t, list, made), true
	}
	fresh, notes, err := e.alone(content, d.JSON)
	if err == nil && len(notes) == 0 {
		return nil, false
	}
	edits, ok := respelled(v, doc, content, fresh)
	if err != nil || !ok {
		return leaveShapes(v, t, list, made), true
	}
	within := v.Span(doc)
	made = slices.Clone(made)
	for i, o := range made {
		if o.Action() == Change && within.Start <= o.Start && o.End <= within.End {
			made[i] = o.Borne() // the lines below hold what it becomes
		}
	}
	for i, n := range notes {
		at := v.Start(doc.Start + n.Start)
		n.Span = source.Span{Start: at, End: at}
		switch {
		case n.Action() != Change:
		case i == 0:
			n = n.Whole(edits)
		default:
			n = n.Whole(nil) // its own edits were of the inner text
		}
		made = append(made, n)
	}
	return made, true
}

// isJSON says whether a text is nothing but values of JSON. One in a string of
// source is none where the language takes its escapes for its own.
func isJSON(content []byte) bool {
	for dec := json.NewDecoder(bytes.NewReader(content)); ; {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// renames says whether an outcome changes the apiVersion of an object: none does
// when it is kept.
func renames(v *text.View, t *text.Tree, d shape.Due, made []edit.Outcome) bool {
	return slices.ContainsFunc(made, func(o edit.Outcome) bool { return o.Action() == Change && heads(v, t, d, o) })
}

// heads says whether an outcome is that of the apiVersion or the kind of an object.
func heads(v *text.View, t *text.Tree, d shape.Due, s edit.Outcome) bool {
	for _, key := range []string{"apiVersion", "kind"} {
		if n := t.Entry(d.Node, key); n >= 0 {
			if span := v.Span(t.Nodes[n].Val); span.Start <= s.Start && s.End <= span.End {
				return true
			}
		}
	}
	return false
}

// leaveShapes hands the objects of a document to a person.
func leaveShapes(v *text.View, t *text.Tree, list []shape.Due, made []edit.Outcome) []edit.Outcome {
	made = slices.Clone(made)
	for _, d := range list {
		told := false
		for i, o := range made {
			switch {
			case o.Action() != Change || !heads(v, t, d, o):
				continue
			case told: // once for each object
				made[i] = o.Keep("unconverted", "stays with its apiVersion")
			default:
				made[i] = o.Leave("spelling", "the shape of this "+d.Conversion.Kind+" changes as well, which cfctl cannot write in this string", "convert it to "+d.Conversion.To+" by hand")
			}
			told = true
		}
	}
	return made
}

// apart reads a text that is a part of a file.
func (m *Migration) apart(name string, text []byte) *File {
	single := *m
	single.opts.Only, single.opts.Fixes = nil, false
	return single.file(name, text)
}

// alone migrates a text as a file of its own: what it becomes, and what is
// said about shapes.
func (e *embedding) alone(text []byte, json bool) ([]byte, []edit.Outcome, error) {
	name := path.Join(path.Dir(e.path), "embedded.yaml")
	if json {
		name = path.Join(path.Dir(e.path), "embedded.json")
	}
	f := e.m.apart(name, text)
	if f == nil {
		return text, nil, nil
	}
	if f.Skip != nil {
		return text, nil, f.Skip
	}
	if f.unshaped != nil {
		return text, nil, f.unshaped
	}
	var notes []edit.Outcome
	for _, s := range f.Sites {
		if s.Role == find.RoleShape {
			notes = append(notes, s.Outcome)
		}
	}
	fresh, err := source.Apply(text, f.Edits(text))
	return fresh, notes, err
}

// respelled are the edits that make a document of a view another text. Lines
// that do not differ are not touched.
func respelled(v *text.View, doc source.Span, old, fresh []byte) ([]source.Edit, bool) {
	a, b := text.SplitLines(old), text.SplitLines(fresh)
	return spelledHunks(v, doc.Start, a, b, wholeLines(text.DiffLines(a, b), len(a), len(b)))
}

// spelledHunks are the edits that replace pieces of a view, which begin at an
// offset, by others. A line for a line is replaced word by word.
func spelledHunks(v *text.View, at int, a, b [][]byte, hunks []text.Hunk) ([]source.Edit, bool) {
	starts := make([]int, len(a)+1) // offsets of the old pieces, in the view
	starts[0] = at
	for i, piece := range a {
		starts[i+1] = starts[i] + len(piece)
	}
	var edits []source.Edit
	for _, h := range hunks {
		if h.A2-h.A1 == 1 && h.B2-h.B1 == 1 {
			if old, fresh := lineWords(a[h.A1]), lineWords(b[h.B1]); len(old) > 1 && len(fresh) > 1 {
				more, ok := spelledHunks(v, starts[h.A1], old, fresh, text.DiffLines(old, fresh))
				if !ok {
					return nil, false
				}
				edits = append(edits, more...)
				continue
			}
		}
		e, err := v.Edit(source.Span{Start: starts[h.A1], End: starts[h.A2]}, string(bytes.Join(a[h.A1:h.A2], nil)), string(bytes.Join(b[h.B1:h.B2], nil)))
		if err != nil {
			return nil, false
		}
		edits = append(edits, e)
	}
	return edits, true
}

// lineWords cuts a line into names and what stands between them.
func lineWords(line []byte) [][]byte {
	var list [][]byte
	for len(line) > 0 {
		n := 0
		for n < len(line) && text.IsIdent(line[n]) {
			n++
		}
		if n == 0 {
			_, n = utf8.DecodeRune(line)
		}
		list = append(list, line[:n])
		line = line[n:]
	}
	return list
}

// wholeLines widens hunks that only add or only take away lines by a line next
// to them: a line of a view is written over another one, between what stands
// around its lines in the file.
func wholeLines(hunks []text.Hunk, a, b int) []text.Hunk {
	var out []text.Hunk
	for _, h := range hunks {
		for h.A1 == h.A2 || h.B1 == h.B2 {
			switch {
			case h.A1 > 0 && h.B1 > 0:
				h.A1, h.B1 = h.A1-1, h.B1-1
			case h.A2 < a && h.B2 < b:
				h.A2, h.B2 = h.A2+1, h.B2+1
			default:
				return []text.Hunk{{A2: a, B2: b}}
			}
		}
		if n := len(out); n > 0 && out[n-1].A2 >= h.A1 { // they share the line
			out[n-1].A2, out[n-1].B2 = h.A2, h.B2
			continue
		}
		out = append(out, h)
	}
	return out
}
