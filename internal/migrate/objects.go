package migrate

import (
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Where two groups become one, or the new one is in use already, two objects of one
// kind, name and namespace become the same object. Whoever applies them has one left,
// so a person says which.

// An objectFact is one object of a stream, of a group of the rules.
type objectFact struct {
	rules.GVK
	name, namespace string
	at              source.Span // its apiVersion
	doc             source.Span
}

// object reads the object that a document is; at is its apiVersion in the file.
func (g *gathering) object(doc, at source.Span, known rules.GVK) {
	t := g.tree(doc)
	meta := t.Value(-1, "metadata")
	if meta < 0 {
		return
	}
	if name := t.Value(meta, "name"); name >= 0 && t.Text(name) != "" {
		g.objects = append(g.objects, objectFact{GVK: known, name: t.Text(name), namespace: t.Text(t.Value(meta, "namespace")), at: at, doc: doc})
	}
}

// An identity is what two objects of a folder cannot share.
type identity struct{ folder, group, kind, name, namespace string }

// identityOf is the identity of an object when the plan is done, in which it moves
// or stays.
func (f *File) identityOf(o objectFact, moves bool) identity {
	id := identity{path.Dir(f.Path), o.Group, o.Kind, o.name, o.namespace}
	if ver := f.m.rules.Ask(o.GVK); moves && ver.Outcome == rules.Moves {
		if id.group = ver.To.Group; ver.To.Kind != "" {
			id.kind = ver.To.Kind
		}
	}
	return id
}

// changing are the offsets at which the sites of a file change something, sorted.
func (f *File) changing() []int {
	if f.Drop || f.Skip != nil {
		return nil
	}
	var list []int
	for _, s := range f.Sites {
		if s.Action() == Change {
			list = append(list, s.Start)
		}
	}
	slices.Sort(list)
	return list
}

// moves says whether the apiVersion of an object changes.
func (o objectFact) moves(changing []int) bool {
	i, _ := slices.BinarySearch(changing, o.at.Start)
	return i < len(changing) && changing[i] < o.at.End
}

// notSame leaves objects to a person that would become what another one of their
// folder is or becomes. Of several the first moves.
func notSame(files []*File) {
	taken := map[identity]rules.GVK{} // what has it, before the plan
	each := func(moving bool, do func(f *File, o objectFact)) {
		for _, f := range files {
			if f.facts == nil || len(f.facts.objects) == 0 {
				continue
			}
			changing := f.changing()
			for _, o := range f.facts.objects {
				if o.moves(changing) == moving && !f.Drop {
					do(f, o)
				}
			}
		}
	}
	each(false, func(f *File, o objectFact) { taken[f.identityOf(o, false)] = o.GVK })
	each(true, func(f *File, o objectFact) {
		id := f.identityOf(o, true)
		if was, ok := taken[id]; ok && was.Group != o.Group {
			f.leaveObject(o, was.Group+" "+was.Kind)
		} else if !ok {
			taken[id] = o.GVK
		}
	})
}

// leaveObject leaves an object to a person: nothing of it changes.
func (f *File) leaveObject(o objectFact, other string) {
	sites := slices.Clone(f.Sites)
	for i, s := range sites {
		switch {
		case s.Action() != Change || s.Start < o.doc.Start || s.End > o.doc.End:
		case o.at.Start <= s.Start && s.Start < o.at.End:
			sites[i] = s.Leave("name-taken", "it would become the same object as the "+other+" "+o.name+" of this folder", "remove one of the two, or give it another name")
		default:
			sites[i] = s.Keep("name-taken", "its object is not changed")
		}
	}
	f.Sites = sites
}
