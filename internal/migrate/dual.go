package migrate

import (
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
