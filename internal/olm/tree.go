package olm

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A tree is the file system that kustomize sees: the project as the folder
// "/0", and each remote repository that was fetched as the next number. It is
// only read, from regular files; links are not followed, as in a git tree.
// A kustomization is there only as the walk rewrote it, so that kustomize
// builds none that was not checked.
//
// Kustomize asks for nothing but what is here: the rest is an empty file system.
type tree struct {
	filesys.FileSystem
	ended func() error // why the build is to end; nil = it goes on
	parts []fs.FS
	files map[string][]byte // what kustomize has, by absolute path
	size  int               // of all files that were read
}

func newTree(project fs.FS, ended func() error) *tree {
	return &tree{FileSystem: filesys.MakeFsInMemory(), ended: ended, parts: []fs.FS{project}, files: map[string][]byte{}}
}

// mount adds a repository and returns its absolute path.
func (t *tree) mount(repository fs.FS) string {
	t.parts = append(t.parts, repository)
	return "/" + strconv.Itoa(len(t.parts)-1)
}

// split cuts an absolute path into the number of a repository and the name in it.
func split(name string) (number, inner string) {
	number, inner, _ = strings.Cut(strings.TrimPrefix(name, "/"), "/")
	return number, cmp.Or(inner, ".")
}

// at is the repository that an absolute path lies in, and the name in it.
func (t *tree) at(name string) (fs.FS, string) {
	number, inner := split(name)
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(t.parts) {
		return embed.FS{}, inner // has no files
	}
	return t.parts[i], inner
}

var (
	errLeaves  = errors.New("lies outside of the project")
	errLink    = errors.New("a symbolic link that is not followed")
	errSpecial = errors.New("neither a regular file nor a folder")
	errFolder  = errors.New("is a folder")
)

// join resolves a relative reference from a folder; it must not leave the
// repository that the folder is in.
func join(dir, ref string) (string, error) {
	number, inner := split(dir)
	inner = path.Join(inner, ref)
	if path.IsAbs(ref) || inner == ".." || strings.HasPrefix(inner, "../") {
		return "", errLeaves
	}
	return path.Join("/", number, inner), nil
}

// relative is the path from one folder to what lies elsewhere in the tree. It
// begins with a dot, so that it can be no address.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(to))
	if err != nil {
		return "./" + path.Base(to) // never: both are absolute
	}
	return "./" + filepath.ToSlash(rel)
}

// shown is an absolute path for display.
func shown(name string) string {
	if number, inner := split(name); number != "0" {
		return "remote " + inner
	} else if inner != "." {
		return inner
	}
	return "the project"
}

// isDir says whether a path is a folder; what is there and is neither folder
// nor regular file, or behind a link, is an error, and what is not there an
// fs.ErrNotExist.
func (t *tree) isDir(name string) (bool, error) {
	part, inner := t.at(name)
	if links, ok := part.(fs.ReadLinkFS); ok {
		for at := inner; at != "." && at != "/"; at = path.Dir(at) {
			if info, err := links.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				return false, errLink
			}
		}
	}
	info, err := fs.Stat(part, inner)
	switch {
	case err != nil:
		if _, rerr := fs.ReadFile(part, inner); rerr == nil { // a file that is laid over the project
			return false, nil
		}
		return false, source.Cause(err)
	case info.IsDir():
		return true, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return false, errLink
	case !info.Mode().IsRegular():
		return false, errSpecial
	}
	return false, nil
}

// load reads a file of bounded size, as it is in its repository.
func (t *tree) load(name string) ([]byte, error) {
	if err := t.ended(); err != nil {
		return nil, err
	}
	is, err := t.isDir(name)
	if err != nil {
		return nil, err
	}
	if is {
		return nil, errFolder
	}
	part, inner := t.at(name)
	data, err := fs.ReadFile(part, inner)
	t.size += len(data)
	switch {
	case err != nil:
		return nil, source.Cause(err)
	case len(data) > source.MaxFile:
		return nil, fmt.Errorf("larger than %d MiB", source.MaxFile>>20)
	case t.size > maxRead:
		return nil, fmt.Errorf("the files of the build are larger than %d MiB together", maxRead>>20)
	}
	return data, nil
}

// maxRead bounds all files of a build together, in bytes.
const maxRead = 4 * source.MaxFile

// absolute is a name of kustomize's, with the separator of the system, as one of
// the tree.
func absolute(name string) string { return path.Clean("/" + filepath.ToSlash(name)) }

// ReadFile implements filesys.FileSystem.
func (t *tree) ReadFile(name string) ([]byte, error) {
	name = absolute(name)
	if data, ok := t.files[name]; ok {
		return data, nil
	}
	data, err := []byte(nil), fs.ErrNotExist
	if !isKustomization(name) {
		data, err = t.load(name)
	}
	if err == nil {
		err = CheckAliases(data)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: shown(name), Err: err}
	}
	t.files[name] = data
	return data, nil
}

// CleanedAbs implements filesys.FileSystem.
func (t *tree) CleanedAbs(name string) (filesys.ConfirmedDir, string, error) {
	name = absolute(name)
	if isKustomization(name) && t.files[name] == nil {
		return "", "", &fs.PathError{Op: "stat", Path: shown(name), Err: fs.ErrNotExist}
	}
	is, err := t.isDir(name)
	switch {
	case err != nil:
		return "", "", &fs.PathError{Op: "stat", Path: shown(name), Err: err}
	case is:
		return filesys.ConfirmedDir(name), "", nil
	}
	return filesys.ConfirmedDir(path.Dir(name)), path.Base(name), nil
}
