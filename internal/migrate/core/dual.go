package core

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// In dual mode a unit is written twice instead of rewritten: behind it comes a
// copy with the edits that a migration without dual mode makes. Everything else
// is kept. Without dual mode a unit that would become another one of its list is
// removed: so a window ends.

// A Twin is a file that dual mode writes next to another one.
type Twin struct {
	Base string // its name in the same folder
	Data []byte
}

// doubles settles the units of a file.
func (t *Tree) doubles(f *File) {
	data, ok := []byte(nil), false
	if f.twin != "" || slices.ContainsFunc(f.Sites, isRewrite) && (len(f.units) > 0 || t.core.opts.Dual) {
		data, ok = t.read(f, baseOf(f.Path))
	}
	switch {
	case ok && f.twin != "":
		t.twinFile(f, data)
	case ok && !f.Drop:
		(&doubler{Tree: t, file: f, data: data}).units()
	}
	if t.core.opts.Dual {
		t.keepRest(f, data)
	}
	if f.Drop {
		for i := range f.Sites {
			if s := &f.Sites[i]; s.Action() == judge.Rewrite {
				s.Edits, s.New, s.Verdict = nil, "", s.With("the file is removed: "+baseOf(f.gone)+" has the same content")
			}
		}
	}
}

func (t *Tree) read(f *File, base string) ([]byte, bool) {
	if t.around == nil {
		return nil, false
	}
	return t.around(f, base)
}

func isRewrite(s Site) bool { return s.Action() == judge.Rewrite && len(s.Edits) > 0 }

// editsOf are the edits of sites, counted from an offset.
func editsOf(sites []Site, from int) []source.Edit {
	var edits []source.Edit
	for _, s := range sites {
		edits = append(edits, moved(s.Edits, -from)...)
	}
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	return edits
}

// moved are edits at other offsets.
func moved(edits []source.Edit, by int) []source.Edit {
	list := slices.Clone(edits)
	for i, e := range list {
		list[i].Start, list[i].End = e.Start+by, e.End+by
	}
	return list
}

// twinFile makes the twin of a file that is named after what it defines.
func (t *Tree) twinFile(f *File, data []byte) {
	if fresh, err := source.Apply(data, editsOf(f.Sites, 0)); err == nil && !f.twinned && !bytes.Equal(fresh, data) {
		f.Twin = &Twin{Base: f.twin, Data: fresh}
	}
}

// becomes is the content of a file after a migration without dual mode.
func (t *Tree) becomes(f *File) ([]byte, bool) {
	data, ok := t.read(f, baseOf(f.Path))
	if !ok {
		return nil, false
	}
	var sites []Site
	for i := range f.refs {
		f.refs[i].file = f
		sites = append(sites, t.sites(&f.refs[i])...)
	}
	slices.SortStableFunc(sites, func(a, b Site) int { return a.Start - b.Start })
	fresh, err := source.Apply(data, editsOf(withoutDoubles(sites), 0))
	return fresh, err == nil
}

// A doubler settles the units of one file.
type doubler struct {
	*Tree
	file  *File
	data  []byte
	heads []int // the sites that remove documents from the beginning of the file
}

// units settles all units. One in another one that is copied or removed goes
// with it.
func (d *doubler) units() {
	end := 0
	for i := range d.file.units {
		u := &d.file.units[i]
		if u.Start >= end && d.unit(u) {
			end = u.End
		}
	}
	d.markers()
	slices.SortStableFunc(d.file.Sites, func(a, b Site) int { return a.Start - b.Start })
}

// within are the indexes of the sites in a unit.
func (f *File) within(u *unit) []int {
	var in []int
	i, _ := slices.BinarySearchFunc(f.Sites, u.Start, func(s Site, at int) int { return s.Start - at })
	for ; i < len(f.Sites) && f.Sites[i].Start < u.End; i++ {
		if s := f.Sites[i]; s.End <= u.End && s.Len() > 0 {
			in = append(in, i)
		}
	}
	return in
}

// unit settles one unit. It is false where what is in it is settled by itself.
func (d *doubler) unit(u *unit) bool {
	in := d.file.within(u)
	var sites []Site
	for _, i := range in {
		sites = append(sites, d.file.Sites[i])
	}
	first := slices.IndexFunc(sites, isRewrite)
	if first < 0 || d.file.kept.inside(u.Span) || slices.ContainsFunc(sites, func(s Site) bool { return s.both || s.splits() }) {
		return false
	}
	if u.kind == definition {
		first = max(first, slices.IndexFunc(sites, func(s Site) bool { return isRewrite(s) && s.Role() == "crd-name" }))
	}
	if u.list.at == nil {
		u.list.at = d.definitions()
	}
	old := u.Of(d.data)
	twin, err := source.Apply(old, editsOf(sites, u.Start))
	if err != nil {
		return false
	}
	at := &d.file.Sites[in[first]]
	id := u.idIn(twin)
	for _, kind := range definitions {
		if _, ok := u.list.at[kind+" "+at.New]; ok && u.nowhere {
			id = kind + " " + at.New
		}
	}
	was := u.idIn(old)
	lost := u.nowhere && u.kind == definition // its names are read
	if !lost && id == was {
		return false
	}
	there, has := u.list.at[id]
	apart := has && u.kind == permission && divided(d.between(u.Span, there))
	switch dual := d.core.opts.Dual; {
	case dual && has && !apart:
	case dual && u.nowhere:
		v := judge.Because(judge.NoTwin, "")
		if !lost {
			v = judge.Because(judge.NameBoth, "")
		}
		*at = at.As(v)
		at.both = true
	case dual:
		at.Edits, at.both, at.Verdict = []source.Edit{u.insertion(d.data, twin)}, true, at.With("a copy for the new group, behind the old one")
		if u.kind == definition { // of one that is there twice there is one twin
			u.list.at[id] = u.Span
		}
		return true
	case apart:
		return false
	case !has:
		u.list.at[id], u.list.was[id] = u.Span, was
		return false
	case u.list.was[id] == was && !lost, u.nowhere && u.kind == permission: // both say the same before, or may
		return false
	case u.nowhere && u.kind != definition:
		d.keep(in, in[first], judge.Because(judge.DefinedTwice, "the new name is in the same list"), judge.Because(judge.TakenToo, "the new name is in the list"))
	case !d.same(u, twin, there):
		if u.kind == permission {
			return false
		}
		why := ""
		if u.nowhere {
			why = "an object with the new name is in this file as well"
		}
		d.keep(in, in[first], judge.Because(judge.DefinedTwice, why), judge.Because(judge.TakenToo, "the object with the new name is in the file"))
	default:
		d.remove(u, in, in[first], there)
		return true
	}
	if dual := d.core.opts.Dual; dual {
		for _, i := range in {
			if s := &d.file.Sites[i]; !s.both {
				*s = s.As(judge.Because(judge.DualKept, ""))
			}
		}
	}
	return true
}

// between is what is between two places.
func (d *doubler) between(a, b source.Span) []byte {
	from := min(a.End, b.End)
	return d.data[from:max(a.Start, b.Start, from)]
}

// same says whether a unit can go: what it becomes says no more than the one that
// is there.
func (d *doubler) same(u *unit, twin []byte, there source.Span) bool {
	if u.kind == owned || u.kind == listed {
		return true
	}
	other := there.Of(d.data)
	if u.nowhere || u.kind == definition && contentOf(twin) != contentOf(other) {
		return false
	}
	have, old := notesIn(other), notesIn(d.body(u, other).Of(d.data))
	fresh := notesIn(twin)
	fresh = fresh[len(fresh)-min(len(fresh), len(old)):]
	for i, note := range old {
		if !slices.Contains(have, note) && (len(fresh) != len(old) || !slices.Contains(have, fresh[i])) {
			return false
		}
	}
	return true
}

// body is a unit without the comments at the beginning of the file that another
// text does not have.
func (d *doubler) body(u *unit, other []byte) source.Span {
	s := u.Span
	have := notesIn(other)
	for u.kind == definition && u.Start == 0 && s.Start < s.End {
		end := min(lineEnd(d.data, s.Start)+1, s.End)
		if line := strings.TrimSpace(string(d.data[s.Start:end])); line != "" && (line[0] != '#' || slices.Contains(have, line)) {
			break
		}
		s.Start = end
	}
	return s
}

// notesIn are the comments of a text.
func notesIn(b []byte) []string {
	var list []string
	for line := range strings.Lines(string(b)) {
		if i := strings.Index(" "+strings.ReplaceAll(line, "\t", " "), " #"); i >= 0 {
			list = append(list, strings.TrimSpace(line[i:]))
		}
	}
	return list
}

// contentOf are the texts of a document with their names.
func contentOf(b []byte) string {
	for _, doc := range syntax.Read("a.yaml", b, nil).Kids {
		if len(doc.Kids) > 0 {
			return idOf(permission, doc)
		}
	}
	return ""
}

// keep lets the sites of a unit need review, once.
func (d *doubler) keep(in []int, first int, v, rest judge.Verdict) {
	for _, i := range in {
		if s := &d.file.Sites[i]; i == first {
			*s = s.As(v)
		} else if s.Action() == judge.Rewrite {
			*s = s.As(rest)
		}
	}
}

// remove takes a unit out: one site has the edit.
func (d *doubler) remove(u *unit, in []int, first int, there source.Span) {
	at := u.Span
	if u.kind == definition {
		at = d.body(u, there.Of(d.data))
	}
	s := d.file.Sites[first]
	s.New, s.Verdict, s.both = "", s.With("the new one is there already"), true
	s.Edits = []source.Edit{{Span: at, Old: string(at.Of(d.data))}}
	for _, i := range in {
		d.file.Sites[i].Edits = nil
	}
	d.file.Sites[first] = s
	if u.kind == definition && len(bytes.TrimSpace(withoutNotes(d.data[:at.Start]))) == 0 {
		d.heads = append(d.heads, first)
	} else if n := len(d.heads); n > 0 && u.kind == definition && d.file.Sites[d.heads[n-1]].Edits[0].End == at.Start {
		d.heads = append(d.heads, first)
	}
}

// withoutNotes is a text without the lines that are comments.
func withoutNotes(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
			out = append(out, line...)
		}
	}
	return out
}

// markers takes out the marker of the document behind those that are removed from
// the beginning of the file: it came with the twin.
func (d *doubler) markers() {
	if len(d.heads) == 0 || text.IsMarker(d.data) {
		return
	}
	e := &d.file.Sites[d.heads[len(d.heads)-1]].Edits[0]
	if next := min(lineEnd(d.data, e.End)+1, len(d.data)); strings.TrimRight(string(d.data[e.End:next]), "\r\n") == "---" && next < len(d.data) {
		e.End = next
		e.Old = string(e.Of(d.data))
	}
}

// definitions are all objects of the file that define an API.
func (d *doubler) definitions() map[string]source.Span {
	found := map[string]source.Span{}
	var visit func(n *syntax.Node)
	visit = func(n *syntax.Node) {
		if isDefinition(n) {
			first, last := edges(n)
			if n.Kind == syntax.Document && n.View.P == nil && n.Place().Len() > 0 {
				first = n.View.Offset(n.Place().Start)
				last = first + n.Place().Len()
			}
			found[idOf(definition, n)] = source.Span{Start: first, End: min(last, len(d.data))}
		}
		for _, k := range n.Kids {
			visit(k)
		}
	}
	visit(syntax.Read(d.file.Path, d.data, nil))
	return found
}

// idIn is what tells the unit of a text from others.
func (u *unit) idIn(b []byte) string {
	if u.block && u.kind == permission && !bytes.HasPrefix(bytes.TrimLeft(b, " "), []byte("-")) {
		return string(bytes.TrimSpace(b)) // a marker
	}
	if !u.block && u.kind != definition {
		b = append([]byte("- "), b...)
	}
	for _, doc := range syntax.Read("a.yaml", b, nil).Kids {
		switch {
		case len(doc.Kids) == 0:
		case u.kind == definition:
			return idOf(definition, doc)
		default:
			return idOf(u.kind, doc.Kids[0])
		}
	}
	return ""
}

// insertion puts a twin behind a unit.
func (u *unit) insertion(data, twin []byte) source.Edit {
	fresh := u.between + string(twin)
	if u.block && data[u.End-1] != '\n' {
		fresh = "\n" + strings.TrimSuffix(fresh, "\n")
	}
	return source.Edit{Span: source.Span{Start: u.End, End: u.End}, New: fresh}
}

// renamed gives a file the new name that its definition has. In dual mode the
// twin gets it. A file that becomes what another one is or becomes is removed.
func (t *Tree) renamed(f *File, to string, taken map[string]*File) {
	base, fresh := baseOf(f.Path), baseOf(to)
	if t.core.opts.Dual && !slices.ContainsFunc(f.units, func(u unit) bool { return u.kind == definition }) {
		return
	}
	other := taken[to]
	_, exists := t.read(f, fresh)
	switch {
	case other == nil && !exists:
	case t.core.opts.Dual && other == nil:
		f.own().twin, f.own().twinned = fresh, true
		t.renames[base] = fresh
		return
	case t.alike(f, other, fresh):
		t.renames[base] = fresh
		f.Drop, f.own().gone = !t.core.opts.Dual, to
		return
	default:
		f.own().taken = true
		return
	}
	taken[to] = f
	if !f.Outside {
		t.renames[base] = fresh
	}
	if t.core.opts.Dual {
		f.own().twin = fresh
		return
	}
	f.To = to
}

// alike says whether a file becomes what another one becomes, or what a file of a
// name is.
func (t *Tree) alike(f, other *File, base string) bool {
	mine, ok := t.becomes(f)
	if !ok {
		return false
	}
	theirs, ok := t.read(f, base)
	if other != nil {
		theirs, ok = t.becomes(other)
	}
	return ok && bytes.Equal(mine, theirs)
}
