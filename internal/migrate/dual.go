package migrate

import (
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Twin is a file that dual mode creates beside another.
type Twin struct {
	Path string
	Data []byte
}

// twin is what dual mode adds for the CRDs of a file in which made is what
// becomes of the names: the same CRDs in the new group, in a file of their own
// when the file is named after the group, else behind the old ones.
func (m *Migration) twin(name string, data []byte, format find.Format, made []edit.Outcome) (*Twin, []edit.Outcome) {
	single := *m
	single.opts.Dual = false
	moved := single.analyse(name, data, find.FormatOf(name, data))
	if !slices.ContainsFunc(moved.Made, func(o edit.Outcome) bool { return o.Role == find.RoleCRDGroup && o.Action() == Change }) {
		return nil, made
	}
	if to := moved.newPath(moved.Made); to != name {
		fresh, err := source.Apply(data, editsOf(moved.Made))
		if err != nil {
			return nil, made
		}
		return &Twin{Path: to, Data: fresh}, made
	}
	if format.Is(find.Objects) {
		made = slices.Concat(made, edit.Twins(data, moved.Made, format.Is(find.Streams)))
	}
	return nil, made
}

// twinsThere takes back that a CRD has no copy in the new group where another file of its folder
// has it: a person has written it.
func (m *Migration) twinsThere(files []*File) {
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
			return s.Action() == Person && s.Reason == "twin" && there[path.Join(path.Dir(f.Path), m.freshCRD(s.Old))]
		})
	}
}

// editsOf are the edits of outcomes.
func editsOf(made []edit.Outcome) []source.Edit {
	var edits []source.Edit
	for _, o := range made {
		if o.Action() == Change {
			edits = append(edits, o.Edits()...)
		}
	}
	return edit.WithoutCovered(edits)
}
