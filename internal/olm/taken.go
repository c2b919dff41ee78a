package olm

import (
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
//
// Kustomize asks for nothing but what is here: the rest is an empty file system.
type taken struct {
	filesys.FileSystem
	files map[string][]byte
	dirs  map[string]bool
}

func newTaken() *taken {
	return &taken{FileSystem: filesys.MakeFsInMemory(), files: map[string][]byte{}, dirs: map[string]bool{"/": true}}
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
