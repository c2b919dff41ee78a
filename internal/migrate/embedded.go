package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/shape"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Objects change their shape wherever they stand: a document inside of a
// string is converted as a file of its own, and the lines that differ are
// written back as the languages around it spell them. Where that cannot be
// done, the object keeps its version, too, and a person is told.

// wholeFile says whether a view is that of a file whose objects are converted
// as one text (see convert.go).
func (a *analysis) wholeFile(v *text.View) bool {
	return v.Depth == 0 && a.format.Is(find.Objects)
}

// shapes converts the objects of a document inside of a string. Its sites are
// those from first on.
func (a *analysis) shapes(d find.Document, first int) {
	v, t, doc := d.Doc, d.Tree, d.Span
	if !a.Converts() || a.opts.Dual || a.facts.Stays != "" || a.wholeFile(v) {
		return
	}
	list := slices.DeleteFunc(shape.Find(a.Table, t, nil, a.chosen), func(d shape.Due) bool { return !a.renames(v, t, d, first) })
	if len(list) == 0 {
		return
	}
	content := doc.Of(v.Data)
	if d.JSON && !isJSON(content) && !text.HasTemplate(content) {
		a.leaveShapes(v, t, list, first)
		return
	}
	fresh, notes, err := a.alone(content, d.JSON)
	if err == nil && len(notes) == 0 {
		return
	}
	edits, ok := respelled(v, doc, content, fresh)
	if err != nil || !ok {
		a.leaveShapes(v, t, list, first)
		return
	}
	within := v.Span(doc)
	for i := first; i < len(a.sites); i++ {
		if s := &a.sites[i]; s.Action == Change && within.Start <= s.Start && s.End <= within.End {
			s.edits = nil // the lines below hold what it becomes
		}
	}
	for i, n := range notes {
		at := v.Start(doc.Start + n.Start)
		n.Span, n.structural, n.edits = source.Span{Start: at, End: at}, true, nil // its own edits were of the inner text
		if i == 0 {
			n.edits = edits
		}
		a.sites = append(a.sites, n)
	}
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

// renames says whether a site among those from first on changes the apiVersion
// of an object: it does not when it is kept.
func (a *analysis) renames(v *text.View, t *text.Tree, d shape.Due, first int) bool {
	return slices.ContainsFunc(a.sites[first:], func(s Site) bool { return s.Action == Change && a.heads(v, t, d, s) })
}

// heads says whether a site is the apiVersion or the kind of an object.
func (a *analysis) heads(v *text.View, t *text.Tree, d shape.Due, s Site) bool {
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
func (a *analysis) leaveShapes(v *text.View, t *text.Tree, list []shape.Due, first int) {
	for _, d := range list {
		told := false
		for i := first; i < len(a.sites); i++ {
			s := &a.sites[i]
			if s.Action != Change || !a.heads(v, t, d, *s) {
				continue
			}
			s.Action, s.edits = Person, nil
			s.Why = "the shape of this " + d.Conversion.Kind + " changes as well, which cfctl cannot write in this string"
			s.Hint = "convert it to " + d.Conversion.To + " by hand"
			if told { // once for each object
				s.Action, s.New, s.Why, s.Hint = Stay, "", "stays with its apiVersion", ""
			}
			told = true
		}
	}
}

// apart reads a text that is a part of a file.
func (m *Migration) apart(name string, text []byte) *File {
	single := *m
	single.opts.Only, single.opts.Fixes = nil, false
	return single.file(name, text)
}

// alone migrates a text as a file of its own: what it becomes, and what is
// said about shapes.
func (a *analysis) alone(text []byte, json bool) ([]byte, []Site, error) {
	name := path.Join(path.Dir(a.path), "embedded.yaml")
	if json {
		name = path.Join(path.Dir(a.path), "embedded.json")
	}
	f := a.apart(name, text)
	if f == nil {
		return text, nil, nil
	}
	if f.Skip != nil {
		return text, nil, f.Skip
	}
	if f.unshaped != nil {
		return text, nil, f.unshaped
	}
	var notes []Site
	for _, s := range f.Sites {
		if s.Role == find.RoleShape {
			s.Hint = strings.ReplaceAll(s.Hint, name, a.path)
			notes = append(notes, s)
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

// shapeInCode tells of an object that is written in code, as a map or a
// struct, whose shape changes with the version: cfctl does not write code.
func (a *analysis) shapeInCode(s *find.Site) {
	if !a.Converts() || a.opts.Dual {
		return
	}
	site := judge.Merge(s.Known, s.Facts)
	site.Plural = ""
	a.Hops(site, func(h rules.Hop) bool {
		c := h.Shape
		if c == nil {
			return true
		}
		span := s.Doc.Span(s.Word)
		a.sites = append(a.sites, Site{Span: source.Span{Start: span.Start, End: span.Start}, Role: find.RoleShape, Action: Person, Rule: c.ID, Ruleset: c.Set,
			Old: c.Kind, Why: "an object in code changes its shape with its version: " + c.Doc, Hint: "cfctl migrate rules show " + c.Set})
		return false
	})
}
