package migrate

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// twinsThere takes back that a CRD has no copy in the new group where another file of its folder
// has it: a person has written it.
func (x *settling) twinsThere(files []*File) {
	there := map[string]bool{} // by folder and name
	for _, f := range files {
		for _, c := range f.crds() {
			if at := path.Join(path.Dir(f.Path), c.name); f.Skip == nil {
				there[at] = true
			}
		}
	}
	for _, f := range files {
		f.Sites = slices.DeleteFunc(f.Sites, func(s Site) bool {
			return s.Action() == NeedsReview && s.ID() == "twin" && there[path.Join(path.Dir(f.Path), x.freshCRD(s.Old))]
		})
	}
}

// freshCRD is what the name of a CRD becomes, "" for nothing.
func (x *settling) freshCRD(name string) string {
	plural, group, _ := strings.Cut(name, ".")
	a := x.rules.Ask(rules.GVK{Group: group, Plural: plural})
	if a.Outcome != rules.Moves {
		return ""
	}
	return cmp.Or(a.To.Plural, plural) + "." + a.To.Group
}
