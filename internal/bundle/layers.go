package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// layers is the file system that kustomize sees: the project at "/", remote
// repositories under remoteRoot, and changed files over them. Files are read
// when they are asked for; nothing is ever written.
type layers struct {
	base    fs.FS
	mounts  []fs.FS           // of remote repositories, by number
	changed map[string][]byte // by absolute path
}

var _ filesys.FileSystem = (*layers)(nil)

// remoteRoot is where remote repositories are mounted: a name that no project has.
const remoteRoot = "/\x01remote/"

// mount adds a tree and returns its absolute path.
func (l *layers) mount(tree fs.FS) string {
	l.mounts = append(l.mounts, tree)
	return fmt.Sprintf("%s%d", remoteRoot, len(l.mounts)-1)
}

// at resolves an absolute path to a tree and the name in it.
func (l *layers) at(name string) (fs.FS, string) {
	name = path.Clean("/" + filepath.ToSlash(name))
	rest, ok := strings.CutPrefix(name, remoteRoot)
	if !ok {
		if name == "/" {
			return l.base, "."
		}
		return l.base, name[1:]
	}
	number, inner, _ := strings.Cut(rest, "/")
	for i, m := range l.mounts {
		if fmt.Sprint(i) == number {
			return m, path.Clean("./" + inner)
		}
	}
	return l.base, "\x01"
}

// ReadFile implements filesys.FileSystem.
func (l *layers) ReadFile(name string) ([]byte, error) {
	if data, ok := l.changed[path.Clean("/"+filepath.ToSlash(name))]; ok {
		return data, nil
	}
	tree, inner := l.at(name)
	return fs.ReadFile(tree, inner)
}

func (l *layers) stat(name string) (fs.FileInfo, error) {
	tree, inner := l.at(name)
	return fs.Stat(tree, inner)
}

// IsDir implements filesys.FileSystem.
func (l *layers) IsDir(name string) bool {
	info, err := l.stat(name)
	return err == nil && info.IsDir()
}

// Exists implements filesys.FileSystem.
func (l *layers) Exists(name string) bool {
	_, err := l.stat(name)
	return err == nil
}

// ReadDir implements filesys.FileSystem.
func (l *layers) ReadDir(name string) ([]string, error) {
	tree, inner := l.at(name)
	entries, err := fs.ReadDir(tree, inner)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// CleanedAbs implements filesys.FileSystem.
func (l *layers) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	name = path.Clean("/" + filepath.ToSlash(name))
	info, err := l.stat(name)
	if err != nil {
		return "", "", err
	}
	if info.IsDir() {
		return filesys.ConfirmedDir(name), "", nil
	}
	return filesys.ConfirmedDir(path.Dir(name)), path.Base(name), nil
}

// Glob implements filesys.FileSystem.
func (l *layers) Glob(pattern string) ([]string, error) {
	tree, inner := l.at(pattern)
	found, err := fs.Glob(tree, inner)
	prefix := strings.TrimSuffix(path.Clean("/"+filepath.ToSlash(pattern)), inner)
	for i := range found {
		found[i] = prefix + found[i]
	}
	return found, err
}

// Walk implements filesys.FileSystem.
func (l *layers) Walk(name string, walk filepath.WalkFunc) error {
	tree, inner := l.at(name)
	prefix := strings.TrimSuffix(path.Clean("/"+filepath.ToSlash(name)), inner)
	return fs.WalkDir(tree, inner, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return walk(prefix+p, nil, err)
		}
		info, err := d.Info()
		return walk(prefix+p, info, err)
	})
}

var errReadOnly = errors.New("the project is only read")

// Open implements filesys.FileSystem; kustomize reads whole files instead.
func (l *layers) Open(string) (filesys.File, error) { return nil, errReadOnly }

// Create implements filesys.FileSystem; it refuses.
func (l *layers) Create(string) (filesys.File, error) { return nil, errReadOnly }

// Mkdir implements filesys.FileSystem; it refuses.
func (l *layers) Mkdir(string) error { return errReadOnly }

// MkdirAll implements filesys.FileSystem; it refuses.
func (l *layers) MkdirAll(string) error { return errReadOnly }

// RemoveAll implements filesys.FileSystem; it refuses.
func (l *layers) RemoveAll(string) error { return errReadOnly }

// WriteFile implements filesys.FileSystem; it refuses.
func (l *layers) WriteFile(string, []byte) error { return os.ErrPermission }
