package source

import (
	"bytes"
	"io/fs"
)

// An Overlay is a tree in which some files, by path, have other contents.
type Overlay struct {
	fs.FS
	Files map[string][]byte
}

// ReadFile implements fs.ReadFileFS.
func (o Overlay) ReadFile(name string) ([]byte, error) {
	if data, ok := o.Files[name]; ok {
		return bytes.Clone(data), nil
	}
	return fs.ReadFile(o.FS, name)
}

// ReadDir implements fs.ReadDirFS.
func (o Overlay) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(o.FS, name) }
