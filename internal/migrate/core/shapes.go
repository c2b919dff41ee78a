package core

import (
	"bytes"
	"errors"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/shape"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A shaped document has objects whose shape changes with their version. Its
// text is kept until the names in it are decided.
type shaped struct {
	at     source.Span // in the file
	old    []byte      // the bytes there
	json   bool
	list   []shape.Due
	unable bool // it has too many objects, or is in a comment or a string that the proof does not read
	from   int  // offset in the view that list counts from
	indent []byte
	view   []byte          // the text without the indentation of the document around it; nil: old
	pos    source.Position // of its begin
}

// provable says whether the proof reads the objects of a format whose shape changes.
func provable(format string, json bool) bool {
	switch format {
	case "yaml", "json", "helm", "go", "notebook":
		return true
	}
	return !json && (format == "markdown" || format == "shell")
}

// shapedIn finds the documents of a file whose objects change their shape.
func (c *fileReader) shapedIn(root *syntax.Node) []shaped {
	var list []shaped
	for _, n := range root.Documents() {
		if n.Lang != "yaml" && n.Lang != "json" || n.Place().End == 0 {
			continue
		}
		at := n.Place()
		b := at.Of(n.View.B)
		if !c.table.MayConvert(b) {
			continue
		}
		due, all := shape.Find(c.table, n)
		if all && len(due) == 0 {
			continue
		}
		if !all {
			due = []shape.Due{{}}
		}
		json := n.Lang == "json"
		x := shaped{json: json, list: due, from: at.Start}
		x.at = source.Span{Start: n.View.Offset(at.Start), End: n.View.Offset(at.End-1) + 1}
		x.old = bytes.Clone(c.data[x.at.Start:x.at.End])
		if !all || !provable(root.Lang, json) || root.Lang == "go" && n.Up.Up == root { // in a comment
			x.unable = true
		} else if n.View.P != nil {
			x.view = bytes.Clone(b)
			if !x.indented() {
				x.view, x.json, x.unable = nil, true, true // in an escaped string
			}
		}
		list = append(list, x)
	}
	return list
}

// unshaped is a kind whose shape changes with the version of a reference, where no document
// of YAML or JSON has its object: source, and a value that objects take from there.
func (c *fileReader) unshaped(r *refs.Ref) string {
	doc := r.Leaf.Document()
	if r.Token.Form != names.Versioned || len(r.Known.Versions) != 1 || len(r.Known.Kinds) > 1 || r.CRD || r.Rule != nil {
		return ""
	}
	if kind := r.Leaf.Kind; kind == syntax.Comment || kind == syntax.Code || kind == syntax.Prose && !r.Leaf.InTemplate() {
		return ""
	}
	site := rules.GVK{Group: r.Known.Group, Version: r.Known.Versions[0]}
	if len(r.Known.Kinds) == 1 {
		site.Kind = r.Known.Kinds[0]
		spec := (*syntax.Node)(nil)
		if r.Object != nil {
			spec = r.Object.Child("spec")
		}
		if (doc.Lang == "yaml" || doc.Lang == "json") && doc.Place().End > 0 || spec == nil || len(spec.Kids) == 0 {
			return ""
		}
	} else if !r.Whole && !r.Leaf.InTemplate() || r.Object != nil && r.Object.Child("kind") != nil {
		return ""
	}
	for _, x := range c.table.Shapes(site) {
		return x.Kind
	}
	return ""
}

// nearShape is how far from a reference fields of its object are looked for.
const nearShape = 4000

// nearKey is how far before a version its key begins.
const nearKey = 40

// otherObjects are what is where the text of another object may begin or end.
var otherObjects = []string{"apiVersion", "---", "```"}

// oldShape are the fields around a reference, in the text of its file, that no object of its new
// version has, whatever is read there.
func (c *fileReader) oldShape(r *refs.Ref) (list []source.Span) {
	at, ok := r.Leaf.View.Span(r.Leaf.Start+r.Token.At.Start, r.Leaf.Start+r.Token.End)
	if root := r.Leaf.Root(); r.Object != nil && r.Leaf.View == root.View && (root.Lang == "yaml" || root.Lang == "json") {
		return nil // an object of the file itself: its fields change with it
	}
	if !ok || r.Token.Form != names.Versioned || len(r.Known.Versions) != 1 || len(r.Known.Kinds) != 1 || r.CRD || r.Rule != nil || c.opts.Dual {
		return nil
	}
	shapes := c.table.Shapes(rules.GVK{Group: r.Known.Group, Version: r.Known.Versions[0], Kind: r.Known.Kinds[0]})
	if len(shapes) == 0 {
		return nil
	}
	around := textOf(c.data, at)
	for _, x := range shapes {
		for _, key := range x.Gone() {
			for i := range source.All(around.Of(c.data), key) {
				s := source.Span{Start: around.Start + i, End: around.Start + i + len(key)}
				if isKey(c.data, s) {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// textOf is the text around an apiVersion up to that of other objects.
func textOf(data []byte, at source.Span) source.Span {
	around := source.Span{Start: max(0, at.Start-nearShape), End: min(len(data), at.End+nearShape)}
	own, from := at.Start, max(around.Start, at.Start-nearKey)
	if i := bytes.LastIndex(data[from:own], []byte("apiVersion")); i >= 0 {
		own = from + i
	}
	for _, other := range otherObjects {
		if i := bytes.LastIndex(data[around.Start:own], []byte(other)); i >= 0 {
			around.Start += i + len(other)
		}
		if i := bytes.Index(data[at.End:around.End], []byte(other)); i >= 0 {
			around.End = at.End + i
		}
	}
	return around
}

// isKey says whether a place of a text is spelled like a key.
func isKey(data []byte, at source.Span) bool {
	rest := bytes.TrimLeft(data[at.End:min(len(data), at.End+8)], "\\\"' ")
	return bytes.HasPrefix(rest, []byte(":")) && (at.Start == 0 || bytes.IndexByte([]byte(" \t\n\"'{,n"), data[at.Start-1]) >= 0) // n of an escaped line break
}

// leaveShapes leaves the versions of objects of which no field of the old shape changes.
func (f *File) leaveShapes() {
	if !slices.ContainsFunc(f.refs, func(r ref) bool { return len(r.shape) > 0 }) {
		return
	}
	var edits []source.Edit
	for _, s := range f.Sites {
		edits = append(edits, s.Edits...)
	}
	slices.SortFunc(edits, func(a, b source.Edit) int { return a.End - b.End })
	changes := func(at source.Span) bool {
		i, _ := slices.BinarySearchFunc(edits, at.Start+1, func(e source.Edit, at int) int { return e.End - at })
		return i < len(edits) && edits[i].Start < at.End
	}
	for i := range f.refs {
		r := &f.refs[i]
		if len(r.shape) == 0 || slices.ContainsFunc(r.shape, changes) {
			continue
		}
		at := r.own
		for _, p := range r.parts {
			at.Start, at.End = min(at.Start, p.Start), max(at.End, p.End)
		}
		for _, x := range f.shaped {
			if x.at.Start <= at.Start && at.End <= x.at.End {
				at = x.at // its edits are those of the document
			}
		}
		f.Sites = slices.DeleteFunc(f.Sites, func(s Site) bool { return s.Role() == "shape" && at.Start <= s.Start && s.End <= at.End })
		leave(f.Sites, at, judge.Because(judge.Unconverted, ""))
	}
}

// indented says whether the view is the text of the file without one
// indentation, and notes it.
func (x *shaped) indented() bool {
	n := bytes.IndexFunc(x.view, func(r rune) bool { return r != '\n' })
	if n < 0 {
		return false
	}
	first := bytes.IndexByte(x.old, '\n') + 1
	if first == 0 {
		return false
	}
	second := x.old[first:]
	viewSecond := x.view[bytes.IndexByte(x.view, '\n')+1:]
	end := text.LineBreak(second, 0)
	vend := text.LineBreak(viewSecond, 0)
	if end < vend || !bytes.HasSuffix(second[:end], viewSecond[:vend]) {
		return false
	}
	x.indent = bytes.Clone(second[:end-vend])
	return len(bytes.TrimSpace(x.indent)) == 0 && bytes.Equal(x.restore(x.view), x.old)
}

// restore puts the indentation of the document around it to a text, whose
// first line has it already.
func (x *shaped) restore(b []byte) []byte {
	if x.view == nil {
		return b
	}
	var out []byte
	for i, l := range text.SplitLines(b) {
		if i > 0 && len(bytes.TrimSpace(l)) > 0 {
			out = append(out, x.indent...)
		}
		out = append(out, l...)
	}
	return out
}

// reshape changes the shapes of a file's objects, and puts the edits of the
// names in them into those of the objects.
func reshape(f *File, set map[string]string) {
	if len(f.shaped) == 0 {
		return
	}
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
	var more []Site
	size := 0
	for _, x := range f.shaped {
		size += len(x.old)
	}
	left := shape.Budget(size)
	for i := range f.shaped {
		x := &f.shaped[i]
		x.pos = f.places.of(x.at.Start)
		from, _ := slices.BinarySearchFunc(f.Sites, x.at.Start, func(s Site, at int) int { return s.Start - at })
		to, _ := slices.BinarySearchFunc(f.Sites, x.at.End, func(s Site, at int) int { return s.Start - at })
		own := f.Sites[from:to]
		inside := func(s Site) bool { return x.at.Start <= s.Start && s.End <= x.at.End }
		var edits []source.Edit
		x.withoutKept(own)
		changed := false
		for _, s := range own {
			if inside(s) {
				edits = append(edits, s.Edits...)
				changed = changed || s.Action() == judge.Rewrite
			}
		}
		if !changed || len(x.list) == 0 {
			continue
		}
		if f.kept.inside(x.at) {
			leave(own, x.at, judge.Because(judge.Suppressed, "a cfctl:keep comment in its object keeps it"))
			continue
		}
		sites, err := x.convert(set, edits, &left)
		if err != nil {
			no := judge.Because(judge.Unconverted, err.Error())
			if refusal, ok := errors.AsType[*shape.Refusal](err); ok {
				no = no.Hinted(refusal.Hint)
			}
			leave(own, x.at, no)
			continue
		}
		for j := range own {
			if s := &own[j]; inside(*s) {
				s.Edits = nil // the object has them
			}
		}
		more = append(more, sites...)
	}
	f.Sites = append(f.Sites, f.kept.Keep(more)...)
}

// withoutKept drops the objects whose version or kind needs review or is kept by hand; of one
// that has several versions, in the branches of a template, the others stay too.
func (x *shaped) withoutKept(own []Site) {
	kept := map[int]bool{}
	within := func(at source.Span) []Site {
		from, _ := slices.BinarySearchFunc(own, at.Start, func(s Site, at int) int { return s.Start - at })
		to, _ := slices.BinarySearchFunc(own, at.End, func(s Site, at int) int { return s.Start - at })
		return own[from:to]
	}
	for _, d := range x.list {
		for _, at := range d.Names {
			kept[d.At] = kept[d.At] || slices.ContainsFunc(within(at), func(s Site) bool { return s.Action() == judge.Review || byHand(s.Verdict) })
		}
	}
	x.list = slices.DeleteFunc(x.list, func(d shape.Due) bool {
		for _, at := range d.Names {
			if kept[d.At] {
				leave(within(at), at, judge.Because(judge.Unconverted, ""))
			}
		}
		return kept[d.At]
	})
}

// leave leaves what would change in an object.
func leave(sites []Site, at source.Span, v judge.Verdict) {
	for j, s := range sites {
		if at.Start <= s.Start && s.End <= at.End && s.Action() == judge.Rewrite {
			sites[j] = s.As(v)
		}
	}
}

// byHand says whether a comment or the configuration keeps a place.
func byHand(v judge.Verdict) bool {
	return v.Action() == judge.Keep && (v.ID() == "keep-comment" || v.ID() == "configuration")
}

// convert changes the shape of the objects of one document. Left is what may still be
// written for its file. An error is why that is not possible.
func (x *shaped) convert(set map[string]string, edits []source.Edit, left *int) (sites []Site, err error) {
	if x.unable {
		return nil, errors.New("its shape cannot be changed in this string")
	}
	renamed, err := source.Apply(x.old, moved(edits, -x.at.Start))
	if err != nil {
		return nil, err
	}
	old, fresh := x.old, renamed
	if x.view != nil {
		old, fresh = x.view, bytes.ReplaceAll(renamed, append([]byte("\n"), x.indent...), []byte("\n"))
	}
	out, notes, err := shape.Convert(old, fresh, x.from, x.list, shape.Options{JSON: x.json, Templated: !x.json && text.HasTemplate(old), Set: set, Left: left})
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(old, []byte("\n")) {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	if text.OnlyCRLF(old) {
		out = text.ToCRLF(out)
	}
	made := moved(text.LineEdits(x.old, x.restore(out)), x.at.Start)
	changed := judge.Rewritten("", "shape")
	for i, n := range notes {
		s := Site{Verdict: changed.With(n.Why).Hinted(n.Hint), Old: n.Old, New: n.New, Pos: x.posOf(n.At - x.from), Rule: rules.RuleID{ID: n.Rule, Set: n.Ruleset}}
		s.Start = x.at.Start + min(max(n.At-x.from, 0), x.at.Len())
		s.End = s.Start
		if n.Review {
			s = s.As(judge.Because(judge.ShapeStep, n.Why).Hinted(n.Hint))
		} else if i == 0 {
			s.Edits = made
		}
		sites = append(sites, s)
	}
	if len(made) > 0 && (len(notes) == 0 || notes[0].Review) {
		sites = append(sites, Site{Span: source.Span{Start: x.at.Start, End: x.at.Start}, Pos: x.pos, Verdict: changed, Old: "object", New: "object", Edits: made})
	}
	return sites, nil
}

// posOf is the position in the file of an offset in the text of the document.
func (x *shaped) posOf(at int) source.Position {
	b := x.old
	if x.view != nil {
		b = x.view
	}
	p := source.PositionAt(b, min(max(at, 0), len(b)))
	if p.Line == 1 {
		p.Column += x.pos.Column - 1
	} else {
		p.Column += len(x.indent)
	}
	p.Line += x.pos.Line - 1
	return p
}
