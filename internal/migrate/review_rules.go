package migrate

import (
	"bytes"
	"io/fs"

	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Rules of permissions are compared by what they allow: they may be in another order, be split or
// be joined.

// sameGrants returns the lines that a file has now, where it has permissions and says the same as
// is expected; else the expected lines.
func sameGrants(want, got [][]byte) [][]byte {
	expected := bytes.Join(want, nil)
	if bytes.Contains(expected, []byte("apiGroups:")) && prove.Same(expected, bytes.Join(got, nil)) {
		return got
	}
	return want
}

// granted says whether all that the migration changes in a file of the head is to repeat what
// other rules of permissions allow.
func (c *comparison) granted(f *File) bool {
	data, err := fs.ReadFile(c.head, f.Path)
	edits := f.Edits(data)
	if err != nil || f.Format != "yaml" || f.Drop || len(edits) == 0 {
		return false
	}
	planned, err := source.Apply(data, edits)
	return err == nil && prove.Same(data, planned)
}
