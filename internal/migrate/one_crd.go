package migrate

import (
	"path"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
)

// A crdOwner is the file that defines a CRD when the plan is done, and which CRD that
// was before.
type crdOwner struct{ file, was string }

// oneCRD leaves files to a person of which a CRD would become one that another file of
// their folder defines, or comes to define, whatever they are called. Of several the
// first moves.
func oneCRD(files []*File) {
	taken := map[string]crdOwner{}
	each := func(moving bool, do func(f *File, at string, s Site)) {
		for _, f := range files {
			for _, c := range f.crds() {
				s, moves := f.crdName(c)
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
		case left[f] || f.becomesTwice(s):
		case !ok:
			taken[at] = crdOwner{f.Path, s.Old}
		case has.file != f.Path && has.was != s.Old:
			left[f] = true
			f.keepAll("the file stays, a CRD of it would become that of " + has.file)
			f.add(s.with(s.Leave("name-taken", has.file+" defines "+s.New+" then", "remove one of the two")))
		}
	})
}

// becomesTwice says whether another CRD of the file becomes the same one, which
// notTwice leaves to a person.
func (f *File) becomesTwice(name Site) bool {
	for _, c := range f.crds() {
		if s, moves := f.crdName(c); moves && s.New == name.New && s.Old != name.Old {
			return true
		}
	}
	return false
}

// crdName is the place of a CRD's name that changes; it says false for one that stays.
func (f *File) crdName(c crdFact) (Site, bool) {
	for _, s := range f.Sites {
		if s.Role == find.RoleCRDName && s.Action() == Change && s.Old == c.name && s.New != "" {
			return s, true
		}
	}
	return Site{}, false
}
