package migrate

import (
	"path"
	"slices"
)

// A crdOwner is the file that defines a CRD when the plan is done, and which CRD that
// was before.
type crdOwner struct{ file, was string }

// oneCRD leaves files to a person of which a CRD would become one that another file of
// their folder defines, or comes to define, whatever they are called. Of several the
// first moves.
func oneCRD(files []*File) {
	taken := map[string]crdOwner{}
	names := map[*File]*crdNames{}
	each := func(moving bool, do func(f *File, at string, s Site)) {
		for _, f := range files {
			if names[f] == nil && len(f.crds()) > 0 {
				names[f] = f.crdNames()
			}
			for _, c := range f.crds() {
				s, moves := names[f].sites[c.name]
				if f.Drop || f.Skip != nil || moves != moving {
					continue
				}
				name := c.name
				if moves {
					name = s.New
				}
				do(f, path.Join(path.Dir(f.Path), name), s)
			}
		}
	}
	each(false, func(f *File, at string, _ Site) { taken[at] = crdOwner{f.Path, path.Base(at)} })
	left := map[*File]bool{}
	each(true, func(f *File, at string, s Site) {
		has, ok := taken[at]
		switch {
		case left[f] || len(names[f].from[s.New]) > 1: // notTwice leaves it to a person
		case !ok:
			taken[at] = crdOwner{f.Path, s.Old}
		case has.file != f.Path && has.was != s.Old:
			left[f] = true
			f.keepAll("the file is not renamed: a CRD in it would become that of " + has.file)
			f.add(s.Leave("name-taken", has.file+" defines "+s.New+" then", "remove one of the two"))
		}
	})
}

// A crdNames are the places of the names of a file's CRDs that change, by the old
// name, and the old names by the new one.
type crdNames struct {
	sites map[string]Site
	from  map[string][]string
}

func (f *File) crdNames() *crdNames {
	x := &crdNames{map[string]Site{}, map[string][]string{}}
	for _, s := range f.Sites {
		if s.Role == roleCRDName && s.Action() == Change && s.New != "" {
			if _, ok := x.sites[s.Old]; !ok {
				x.sites[s.Old] = s
			}
		}
	}
	for _, c := range f.crds() {
		if s, ok := x.sites[c.name]; ok && !slices.Contains(x.from[s.New], s.Old) {
			x.from[s.New] = append(x.from[s.New], s.Old)
		}
	}
	return x
}
