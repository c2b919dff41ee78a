package migrate

import (
	"io/fs"
	"path"
)

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

// followed is a path without the link to a folder in it.
func followed(o Others, name string) string {
	x, ok := o.(interface{ ReadLink(string) (string, error) })
	for dir := path.Dir(name); ok && dir != "." && dir != "/"; dir = path.Dir(dir) {
		if to, err := x.ReadLink(dir); err == nil && !path.IsAbs(to) {
			return path.Join(path.Dir(dir), to, name[len(dir):])
		}
	}
	return name
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
