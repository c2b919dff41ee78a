package core

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
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
func (d *doubler) doubles() {
	f, ok := d.file, false
	if f.twin != "" || slices.ContainsFunc(f.Sites, isRewrite) && (len(f.units) > 0 || d.core.opts.Dual) {
		d.data, ok = d.read(f, baseOf(f.Path))
	}
	switch {
	case ok && f.twin != "":
		d.twinFile()
	case ok && !f.Drop:
		d.units()
	}
	if d.core.opts.Dual {
		d.keepRest()
	}
	if f.Drop {
		for i := range f.Sites {
			if s := &f.Sites[i]; s.Action() == judge.Rewrite {
				s.Edits, s.New, s.Verdict = nil, "", s.With("the file is removed: "+baseOf(f.gone)+" has the same content")
			}
		}
	}
}

func (l *layout) read(f *File, base string) ([]byte, bool) {
	if l.around == nil {
		return nil, false
	}
	data, _, ok := l.around(f, base)
	return data, ok
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
func (d *doubler) twinFile() {
	if fresh, err := source.Apply(d.data, editsOf(d.file.Sites, 0)); err == nil && !d.file.twinned && !bytes.Equal(fresh, d.data) {
		d.file.Twin = &Twin{Base: d.file.twin, Data: fresh}
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
	file *File
	data []byte
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
	if first < 0 || d.file.kept.inside(u.Span) || slices.ContainsFunc(sites, func(s Site) bool { return s.both }) {
		return false
	}
	if u.kind == definition {
		first = max(first, slices.IndexFunc(sites, func(s Site) bool { return isRewrite(s) && s.Role() == "crd-name" }))
	}
	twin, err := source.Apply(u.Of(d.data), editsOf(sites, u.Start))
	id := u.becomes(sites, twin)
	if err != nil || id == u.id {
		return false
	}
	if u.list.at == nil {
		u.list.at = definitionsIn(d.file.Path, d.data)
	}
	there, has := u.list.at[id]
	at := &d.file.Sites[in[first]]
	switch dual := d.core.opts.Dual; {
	case dual && u.kind == permission && bytes.Contains(twin, []byte("{{")): // what is filled in is no group of its list
		return false
	case dual && !has && !u.nowhere:
		at.Edits, at.both, at.Verdict = []source.Edit{u.insertion(d.data, twin)}, true, at.With("a copy for the new group, behind the old one")
		if u.kind == definition { // of one that is there twice there is one twin
			u.list.at[id] = u.Span
		}
	case dual:
		if v := judge.Because(judge.NameBoth, ""); !has {
			if u.kind == definition {
				v = judge.Because(judge.NoTwin, "")
			}
			*at = at.As(v)
			at.both = true
		}
		d.leave(in, judge.Because(judge.DualKept, ""))
	case !has:
		u.list.at[id], u.list.was[id] = u.Span, u.id
		return false
	case u.kind == permission && d.file.Format == "helm" && !slices.Contains(splitIn, path.Ext(d.file.Path)):
		return false // it is no YAML: it is there twice then
	case u.list.was[id] == u.id, u.kind == permission && (u.nowhere || divided(d.data[min(u.End, there.End):max(u.Start, there.Start)])):
		return false // both say the same before, or each is in another part of a template
	case u.nowhere && u.kind != definition:
		d.twice(at, in, "the new name is in the same list")
	case u.nowhere:
		d.twice(at, in, "an object with the new name is in this file as well")
	case u.kind == definition && !bytes.Equal(contentOf(twin), contentOf(there.Of(d.data))):
		d.twice(at, in, "")
	case (u.kind == definition || u.kind == listed) && there.Start > u.Start: // it is rewritten where it is, and the copy goes
		if there.End == len(d.data) && d.data[there.End-1] != '\n' {
			there.Start-- // the line break before it
		}
		at.Edits, at.both, at.Verdict = append(at.Edits, source.Edit{Span: there, Old: string(there.Of(d.data))}), true, at.With("the new one is there already: the copy behind it is removed")
		u.list.at[id] = u.Span
	default:
		at.New, at.Verdict, at.both = "", at.With("the new one is there already"), true
		for _, i := range in {
			d.file.Sites[i].Edits = nil
		}
		at.Edits = []source.Edit{{Span: u.Span, Old: string(u.Of(d.data))}}
	}
	return true
}

// contentOf is a document without what is around it.
func contentOf(b []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(b), []byte("---")))
}

// twice has a unit reviewed that would be there twice, once.
func (d *doubler) twice(at *Site, in []int, why string) {
	*at = at.As(judge.Because(judge.DefinedTwice, why))
	at.both = true
	d.leave(in, judge.Because(judge.TakenToo, "the one with the new name is in the file"))
}

// leave leaves the other sites of a unit.
func (d *doubler) leave(in []int, v judge.Verdict) {
	for _, i := range in {
		if s := &d.file.Sites[i]; !s.both && s.Action() == judge.Rewrite {
			*s = s.As(v)
		}
	}
}

// keepRest keeps what dual mode does not write twice. What has to name both, and
// is no item of a list, needs review until its file does.
func (d *doubler) keepRest() {
	taken := judge.Because(judge.Taken, "").ID()
	patched := map[string]bool{}
	for i := range d.file.Sites {
		s := &d.file.Sites[i]
		if s.both || s.Action() == judge.Keep || s.ID() == taken {
			continue
		}
		v := judge.Because(judge.DualKept, "")
		switch {
		case !isRewrite(*s) || d.data == nil || bytes.Contains(d.data, []byte(s.New)):
		case d.file.twin == "" && s.Role() == "crd-name" && !patched[s.Old]:
			patched[s.Old] = true
			v = judge.Because(judge.TwinPatch, "this patch is only for this CRD, and "+s.New+" needs the same one")
		case s.Role() == "crd-file":
			v = judge.Because(judge.NameBoth, s.New+" exists too, and is not mentioned here")
		case d.file.Format == "helm" && isFilledGroup(d.data[text.LineStart(d.data, s.Start):s.Start]):
			v = judge.Because(judge.NameBoth, "a template fills it into a permission, and both groups need one")
		}
		*s = s.As(v)
	}
}

// isFilledGroup says whether a line begins as the groups of a permission do, up to
// a name in an action of a template.
func isFilledGroup(line []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(line, " -"), []byte("apiGroups:")) && bytes.LastIndex(line, []byte("{{")) > bytes.LastIndex(line, []byte("}}"))
}

// insertion puts a twin behind a unit.
func (u *unit) insertion(data, twin []byte) source.Edit {
	fresh := u.between + string(twin)
	if u.block && data[u.End-1] != '\n' {
		fresh = "\n" + strings.TrimSuffix(fresh, "\n")
	}
	return source.Edit{Span: source.Span{Start: u.End, End: u.End}, New: fresh}
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
