package olm

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// taken is the file system that kustomize sees: the files that the walk took,
// by absolute path, in memory, and the folders that they lie in. What was not
// taken is not there: kustomize opens no file, no link and no folder of the
// project by itself, and the kustomizations that it reads are those that the
// walk wrote anew.
type taken struct {
	files map[string][]byte
	dirs  map[string]bool
}

var _ filesys.FileSystem = (*taken)(nil)

func newTaken() *taken {
	return &taken{files: map[string][]byte{}, dirs: map[string]bool{"/": true}}
}

// add makes a file be there.
func (s *taken) add(name string, data []byte) {
	s.files[name] = data
	s.addDir(path.Dir(name))
}

// addDir makes a folder be there, and those that it lies in.
func (s *taken) addDir(dir string) {
	for ; !s.dirs[dir]; dir = path.Dir(dir) {
		s.dirs[dir] = true
	}
}

func absolute(name string) string { return path.Clean("/" + filepath.ToSlash(name)) }

// ReadFile implements filesys.FileSystem.
func (s *taken) ReadFile(name string) ([]byte, error) {
	data, ok := s.files[absolute(name)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: strings.TrimPrefix(absolute(name), "/"), Err: fs.ErrNotExist}
	}
	return data, nil
}

// IsDir implements filesys.FileSystem.
func (s *taken) IsDir(name string) bool { return s.dirs[absolute(name)] }

// Exists implements filesys.FileSystem.
func (s *taken) Exists(name string) bool {
	_, ok := s.files[absolute(name)]
	return ok || s.IsDir(name)
}

// CleanedAbs implements filesys.FileSystem.
func (s *taken) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	name = absolute(name)
	switch {
	case s.dirs[name]:
		return filesys.ConfirmedDir(name), "", nil
	case s.Exists(name):
		return filesys.ConfirmedDir(path.Dir(name)), path.Base(name), nil
	}
	return "", "", &fs.PathError{Op: "stat", Path: strings.TrimPrefix(name, "/"), Err: fs.ErrNotExist}
}

var (
	errReadOnly = errors.New("the project is only read")
	errByName   = errors.New("the project is read by the names in it")
)

// ReadDir implements filesys.FileSystem; kustomize lists no folder.
func (s *taken) ReadDir(string) ([]string, error) { return nil, errByName }

// Glob implements filesys.FileSystem; kustomize knows no patterns.
func (s *taken) Glob(string) ([]string, error) { return nil, errByName }

// Walk implements filesys.FileSystem; kustomize walks no folder.
func (s *taken) Walk(string, filepath.WalkFunc) error { return errByName }

// Open implements filesys.FileSystem; kustomize reads whole files instead.
func (s *taken) Open(string) (filesys.File, error) { return nil, errReadOnly }

// Create implements filesys.FileSystem; it refuses.
func (s *taken) Create(string) (filesys.File, error) { return nil, errReadOnly }

// Mkdir implements filesys.FileSystem; it refuses.
func (s *taken) Mkdir(string) error { return errReadOnly }

// MkdirAll implements filesys.FileSystem; it refuses.
func (s *taken) MkdirAll(string) error { return errReadOnly }

// RemoveAll implements filesys.FileSystem; it refuses.
func (s *taken) RemoveAll(string) error { return errReadOnly }

// WriteFile implements filesys.FileSystem; it refuses.
func (s *taken) WriteFile(string, []byte) error { return errReadOnly }
