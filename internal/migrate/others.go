package migrate

import "io/fs"

// Others are the files around those of a plan: no rename overwrites one, and
// at the end of the dual mode a file whose twin is there goes. source.Tree is
// one.
type Others interface {
	Exists(name string) bool
	ReadFile(name string) ([]byte, error)
}

// ignores says whether git ignores a file, which is then no part of the tree.
func ignores(o Others, name string) bool {
	x, ok := o.(interface{ Ignored(name string) bool })
	return ok && x.Ignored(name)
}

// nothing is the Others of a file that stands on its own.
type nothing struct{}

func (nothing) Exists(string) bool              { return false }
func (nothing) ReadFile(string) ([]byte, error) { return nil, fs.ErrNotExist }

// one is the Others of a file whose content is known.
type one struct {
	nothing
	name string
	data []byte
}

func (o one) ReadFile(name string) ([]byte, error) {
	if name != o.name {
		return nil, fs.ErrNotExist
	}
	return o.data, nil
}
