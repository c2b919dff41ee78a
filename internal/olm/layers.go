package olm

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// layers are the trees that kustomizations may refer into: the project at "/",
// and remote repositories under remoteRoot. Nothing is ever written.
type layers struct {
	base   fs.FS
	mounts []fs.FS // of remote repositories, by number
}

// remoteRoot is where remote repositories are mounted: a name that no project has.
const remoteRoot = "/\x01remote/"

// mount adds a tree and returns its absolute path.
func (l *layers) mount(tree fs.FS) string {
	l.mounts = append(l.mounts, tree)
	return fmt.Sprintf("%s%d", remoteRoot, len(l.mounts)-1)
}

// top is the absolute path of the tree that an absolute path lies in.
func top(name string) string {
	rest, ok := strings.CutPrefix(name, remoteRoot)
	if !ok {
		return "/"
	}
	number, _, _ := strings.Cut(rest, "/")
	return remoteRoot + number
}

// at resolves a clean absolute path to a tree and the name in it.
func (l *layers) at(name string) (fs.FS, string) {
	inner := cmp.Or(strings.TrimPrefix(strings.TrimPrefix(name, top(name)), "/"), ".")
	for i, m := range l.mounts {
		if top(name) == fmt.Sprintf("%s%d", remoteRoot, i) {
			return m, inner
		}
	}
	return l.base, inner
}

var (
	errLeaves  = errors.New("lies outside of the project")
	errLink    = errors.New("a symbolic link that is not followed")
	errSpecial = errors.New("neither a regular file nor a folder")
	errTooMuch = fmt.Errorf("larger than %d MiB", source.MaxFile>>20)
)

// join resolves a relative reference from a folder; it must not leave the tree
// that the folder is in.
func join(dir, ref string) (string, error) {
	if path.IsAbs(ref) {
		return "", errLeaves
	}
	root := top(dir)
	inner := path.Join(strings.TrimPrefix(strings.TrimPrefix(dir, root), "/"), ref)
	if inner == ".." || strings.HasPrefix(inner, "../") {
		return "", errLeaves
	}
	return path.Join(root, inner), nil
}

// maxLinks is how many links a path may go through, as on Linux.
const maxLinks = 40

// resolve follows the links of a path to where it really is. One that is not
// there resolves to itself.
func (l *layers) resolve(name string) (string, error) {
	tree, inner := l.at(name)
	links, ok := tree.(fs.ReadLinkFS)
	if !ok {
		return name, nil
	}
	root := top(name)
	done, rest := ".", inner
	for hops := 0; rest != "" && rest != "."; {
		first, after, _ := strings.Cut(rest, "/")
		next := path.Join(done, first)
		info, err := links.Lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			done, rest = next, after
			continue
		}
		target, err := links.ReadLink(next)
		if hops++; err != nil || hops > maxLinks || path.IsAbs(target) {
			return "", errLink
		}
		at, err := join(path.Join("/", done), target)
		if err != nil {
			return "", err
		}
		done, rest = ".", path.Join(strings.TrimPrefix(at, "/"), after)
	}
	return path.Join(root, done), nil
}

// isDir says whether a path is a folder; what is there and is neither folder
// nor regular file is an error, and what is not there an fs.ErrNotExist.
func (l *layers) isDir(name string) (bool, error) {
	tree, inner := l.at(name)
	info, err := fs.Stat(tree, inner)
	switch {
	case err != nil:
		if _, rerr := fs.ReadFile(tree, inner); rerr == nil { // a file that is laid over the tree
			return false, nil
		}
		return false, err
	case info.IsDir():
		return true, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return false, errLink
	case !info.Mode().IsRegular():
		return false, errSpecial
	}
	return false, nil
}

// read reads a regular file of bounded size.
func (l *layers) read(name string) ([]byte, error) {
	tree, inner := l.at(name)
	data, err := fs.ReadFile(tree, inner)
	if err == nil && len(data) > source.MaxFile {
		err = errTooMuch
	}
	return data, err
}
