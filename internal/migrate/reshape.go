package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/shape"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Objects that change their shape are cut out of their document one by one:
// the work on one is as large as the object, not as its file. What becomes of
// an object is one site with the edits that make it; the other sites inside of
// it have no edits of their own any more.

// A reshaping is the change of shapes in one file.
type reshaping struct {
	m     *Migration
	path  string // of the file
	form  find.Format
	made  []edit.Outcome
	cause error // why objects could not change
	data  []byte
	json  bool
	crlf  bool // every line ends with a carriage return
	stays text.Spans
	sites []placed // with what they change, in the order of the file
	notes []edit.Outcome
}

// A placed edit knows its site.
type placed struct {
	source.Edit
	site int
}

// reshape changes the shapes of the objects of a file that moves. Made is what
// becomes of the names of the file; with what becomes of its objects it is the
// answer. Marks are the suppressions that keep one of them. An error is why
// objects could not change.
func (m *Migration) reshape(name string, data []byte, format find.Format, facts *judge.Facts, made []edit.Outcome) (all []edit.Outcome, marks []source.Span, err error) {
	if facts.Stays != "" || facts.InProposal() || !format.Is(find.Objects) {
		return made, nil, nil
	}
	r := &reshaping{m: m, path: name, form: format, made: slices.Clone(made), data: data, json: format.Is(find.JSON), crlf: text.OnlyCRLF(data)}
	r.prepare()
	for _, doc := range text.Documents(data, r.json) {
		if m.rules.MayConvert(doc.Of(data)) {
			r.document(doc)
		}
	}
	var told []edit.Outcome
	for _, o := range r.notes {
		if o.Action() == Person {
			told = append(told, o)
		} else {
			r.made = append(r.made, o)
		}
	}
	told, marks = edit.Acknowledge(data, facts.Path, m.opts.Keep, told)
	return append(r.made, told...), marks, r.cause
}

// prepare sorts what the sites change, and what they keep.
func (r *reshaping) prepare() {
	for i, s := range r.made {
		switch {
		case s.Action() == Change:
			for _, e := range s.Edits() {
				r.sites = append(r.sites, placed{e, i})
			}
		case !s.Unruled() && (s.Role == find.RoleAPIVersion || s.Role == find.RoleKind):
			r.stays = append(r.stays, s.Span)
		}
	}
	slices.SortStableFunc(r.sites, func(a, b placed) int { return a.Start - b.Start })
	slices.SortFunc(r.stays, func(a, b source.Span) int { return a.Start - b.Start })
}

// A shaped object is what became of one.
type shaped struct {
	piece source.Span
	notes []edit.Outcome
	edits []source.Edit
	cause error // why it is for a person
}

// document changes the objects of one document. When the result would not be
// what the document was, YAML or JSON, its objects keep their versions.
func (r *reshaping) document(doc source.Span) {
	templated := !r.json && text.HasTemplate(doc.Of(r.data))
	t := text.ScanPart(r.data, doc, r.json, templated)
	list := shape.Find(r.m.rules, t, r.stays, r.m.chosen)
	var done []shaped
	for len(list) > 0 {
		outer, n := outermost(t, list)
		if x := r.object(text.PieceOf(t, outer, doc), list[:n], templated); len(x.notes) > 0 {
			done = append(done, x)
		}
		list = list[n:]
	}
	if len(done) == 0 {
		return
	}
	if i := slices.IndexFunc(done, func(x shaped) bool { return x.cause != nil }); i >= 0 {
		r.leave(doc, done[i].notes[0], done[i].cause)
		return
	}
	if err := r.prove(doc, done); err != nil {
		r.leave(doc, done[0].notes[0], err)
		return
	}
	for _, x := range done {
		for _, p := range r.inside(x.piece) {
			r.made[p.site] = r.made[p.site].Borne() // the object's site has them
		}
		r.notes = append(r.notes, x.notes...)
	}
}

// outermost is the object that holds the first of a list and stands in no
// other one, and how many of the list it holds. The list is in the order of
// the text.
func outermost(t *text.Tree, list []shape.Due) (int32, int) {
	outer := list[0].Node
	for _, d := range list[1:] {
		if d.Node != outer && (d.Node < 0 || text.Under(t, outer, d.Node)) {
			outer = d.Node
		}
	}
	n := 1
	for n < len(list) && (outer < 0 || text.Under(t, list[n].Node, outer)) {
		n++
	}
	return outer, n
}

// object changes the shape of an object and of those inside of it.
func (r *reshaping) object(piece source.Span, list []shape.Due, templated bool) shaped {
	old := piece.Of(r.data)
	fresh, ok := r.renamed(piece)
	if !ok {
		return shaped{}
	}
	fresh, notes, cause := shape.Convert(old, fresh, piece.Start, list, shape.Options{JSON: r.json, Templated: templated, Set: r.m.opts.Set})
	if !bytes.HasSuffix(old, []byte("\n")) {
		fresh = bytes.TrimSuffix(fresh, []byte("\n"))
	}
	if r.crlf {
		fresh = text.ToCRLF(fresh)
	}
	x := shaped{piece: piece, edits: text.LineEdits(old, fresh), cause: cause}
	for i := range x.edits {
		x.edits[i].Start += piece.Start
		x.edits[i].End += piece.Start
	}
	for i, n := range notes {
		var edits []source.Edit
		if i == 0 {
			edits = x.edits
		}
		x.notes = append(x.notes, r.note(n, edits))
	}
	return x
}

// note is what becomes of an object that changes its shape by edits.
func (r *reshaping) note(n shape.Note, edits []source.Edit) edit.Outcome {
	o := edit.Outcome{Span: source.Span{Start: n.At, End: n.At}, Role: find.RoleShape, Rule: n.Rule, Ruleset: n.Ruleset, Old: n.Old, New: n.New, Why: n.Why, Hint: n.Hint}
	if strings.Contains(n.Hint, fileInHint) {
		o.In = "."
	}
	if n.Person {
		return o.LeaveTo("shape", n.Why, o.In, n.Hint)
	}
	return o.Whole(edits)
}

// inside are the edits of the sites in a span.
func (r *reshaping) inside(s source.Span) []placed {
	from, _ := slices.BinarySearchFunc(r.sites, s.Start, func(p placed, at int) int { return p.Start - at })
	to := from
	for to < len(r.sites) && r.sites[to].Start < s.End {
		to++
	}
	return r.sites[from:to]
}

// renamed is the text of an object after the edits of the sites in it. It says
// false when one of them reaches beyond it.
func (r *reshaping) renamed(piece source.Span) ([]byte, bool) {
	var edits []source.Edit
	for _, p := range r.inside(piece) {
		e := p.Edit
		if e.End > piece.End {
			return nil, false
		}
		e.Start, e.End = e.Start-piece.Start, e.End-piece.Start
		edits = append(edits, e)
	}
	fresh, err := source.Apply(piece.Of(r.data), edit.WithoutCovered(edits))
	return fresh, err == nil
}

// prove holds the new text of a document against a parser.
func (r *reshaping) prove(doc source.Span, done []shaped) error {
	var edits []source.Edit
	at := doc.Start
	for _, x := range append(done, shaped{piece: source.Span{Start: doc.End, End: doc.End}}) {
		for _, p := range r.inside(source.Span{Start: at, End: x.piece.Start}) {
			edits = append(edits, p.Edit)
		}
		edits, at = append(edits, x.edits...), x.piece.End
	}
	edits = edit.WithoutCovered(edits)
	for i := range edits {
		edits[i].Start, edits[i].End = edits[i].Start-doc.Start, edits[i].End-doc.Start
	}
	old := doc.Of(r.data)
	fresh, err := source.Apply(old, edits)
	switch {
	case err != nil:
		return err
	case r.json && !json.Valid(fresh) && json.Valid(old):
		return errors.New("the result would not be JSON")
	case r.form.Is(find.Streams):
		if err := parse(r.path, fresh, source.Span{End: len(fresh)}); err != nil && parse(r.path, old, source.Span{End: len(old)}) == nil {
			return err
		}
	}
	return nil
}

// leave hands the objects of a document that could not be converted to a
// person: they keep their versions.
func (r *reshaping) leave(doc source.Span, note edit.Outcome, err error) {
	for i, s := range r.made {
		if s.Action() == Change && (s.Role == find.RoleAPIVersion || s.Role == find.RoleKind) && doc.Start <= s.Start && s.End <= doc.End {
			r.made[i] = s.Keep("unconverted", "an object of this file could not be converted")
		}
	}
	r.cause = err
	o := edit.Outcome{Span: note.Span, Role: find.RoleShape, Severe: true, Rule: note.Rule, Ruleset: note.Ruleset, Old: note.Old}
	r.notes = append(r.notes, o.Leave("shape", "its shape could not be changed: "+err.Error(), "convert the object by hand"))
}
