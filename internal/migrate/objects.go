package migrate

import (
	"cmp"
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Where two groups become one, or the new one is in use already, two objects of one
// kind, name and namespace become the same object. Whoever applies them has one left,
// so the user says which. The name of a CRD or APIService has the group.

// An objectFact is one object of a stream, of a group of the rules, or the definition of
// an API of one.
type objectFact struct {
	*rules.GVK
	name, namespace string
	at              source.Span // its apiVersion; of a definition, its name
	doc             source.Span
	defines         bool
}

// define reads an APIService: its name is version.group.
// Source: kube-aggregator, validation of APIService.
func (g *gathering) define(doc source.Span) {
	top := g.tree(doc)
	if name, group := top.Find("metadata", "name"), textAt(top, "spec", "group"); name != nil && g.knows(group) {
		at := source.Span{Start: name.Start, End: name.End}
		g.objects = append(g.objects, objectFact{GVK: &rules.GVK{Group: group, Kind: "APIService"}, name: name.String(), at: at, doc: doc, defines: true})
	}
}

// object reads the object that a document is.
func (g *gathering) object(doc source.Span, known *rules.GVK) {
	top := g.tree(doc)
	av := top.Child("apiversion")
	g.objects = append(g.objects, objectFact{GVK: known, at: source.Span{Start: av.Start, End: av.End}, doc: doc, name: textAt(top, "metadata", "name"), namespace: textAt(top, "metadata", "namespace")})
}

// An identity is what two objects of a folder cannot share.
type identity struct{ folder, group, kind, name, namespace string }

// identityOf is the identity of an object of a file when the plan is done, in which it stays,
// or moves by a site.
func (f *File) identityOf(o objectFact, by *Site) identity {
	id := identity{path.Dir(f.Path), o.Group, o.Kind, o.name, o.namespace}
	switch {
	case o.defines && by != nil:
		id.group, id.name = "", o.renamed(by)
	case o.defines:
		id.group = ""
	case by != nil:
		if a := f.m.rules.Ask(*o.GVK); a.Outcome == rules.Moves {
			id.group, id.kind = a.To.Group, cmp.Or(a.To.Kind, id.kind)
		}
	}
	return id
}

// renamed is the name of a definition when the plan is done, of which a site may change a part.
func (o objectFact) renamed(by *Site) string {
	name := o.name
	for _, e := range slices.Backward(by.Edits) {
		if within(e.Span, o.at) && o.at.Len() == len(o.name) {
			name = name[:e.Start-o.at.Start] + e.New + name[e.End-o.at.Start:]
		}
	}
	return name
}

// changing are the sites of a file that change something.
func (f *File) changing() []Site {
	if f.Skip != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Sites), func(s Site) bool { return s.Action() != Change })
}

// changedIn is the first of some sites that change which touches a place, nil for none.
func changedIn(changing []Site, at source.Span) *Site {
	i, _ := slices.BinarySearchFunc(changing, at.Start+1, func(s Site, from int) int { return s.End - from })
	if i < len(changing) && changing[i].Start < at.End {
		return &changing[i]
	}
	return nil
}

// notSame reports objects for review that would become what another one of their
// folder is or becomes. Of several the first moves.
func notSame(files []*File) {
	type owner struct {
		*File
		objectFact
	}
	taken := map[identity]owner{} // what has it, before the plan
	each := func(moving bool, do func(f *File, o objectFact, by *Site)) {
		for _, f := range files {
			if f.facts == nil || len(f.facts.objects) == 0 || f.Drop {
				continue
			}
			changing := f.changing()
			var gone []source.Edit
			for _, s := range changing {
				gone = append(gone, s.Edits...)
			}
			gone = slices.DeleteFunc(gone, func(e source.Edit) bool { return e.New != "" })
			for _, o := range f.facts.objects {
				removed := slices.ContainsFunc(gone, func(e source.Edit) bool { return within(o.at, e.Span) })
				if by := changedIn(changing, o.at); o.name != "" && (by != nil) == moving && !removed {
					do(f, o, by)
				}
			}
		}
	}
	each(false, func(f *File, o objectFact, by *Site) { taken[f.identityOf(o, by)] = owner{f, o} })
	each(true, func(f *File, o objectFact, by *Site) {
		id := f.identityOf(o, by)
		if was, ok := taken[id]; ok && (was.Group != o.Group || was.Kind != o.Kind || was.name != o.name) {
			f.leaveObject(o, was.objectFact, was.Path)
		} else if !ok {
			taken[id] = owner{f, o}
		}
	})
}

// leaveObject reports an object for review: nothing of it changes.
func (f *File) leaveObject(o, other objectFact, at string) {
	sites := slices.Clone(f.Sites)
	what, hint := other.Group+" "+other.Kind+" "+other.name, "remove one of the two, or give it another name"
	if o.defines {
		what, hint = other.Kind+" "+other.name, "remove one of the two"
		f.To = f.Path // it may have the name of a CRD
	}
	for i, s := range sites {
		switch {
		case s.Action() != Change || s.Start < o.doc.Start || s.End > o.doc.End:
		case o.at.Start <= s.Start && s.Start < o.at.End:
			sites[i] = s.Leave(judge.Because(judge.NameTaken, "it would become the same object as the "+what+" of "+at).Hinted(hint))
		default:
			sites[i] = s.As(judge.Because(judge.TakenToo, "its object is not changed"))
		}
	}
	f.Sites = sites
}
