package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	errLeadsOut = errors.New("a symbolic link leads out of the repository")
	errInGit    = errors.New("a symbolic link leads into git's own folder")
)

// WriteFile writes a file that the user named on the command line, with the
// folders that it needs. Inside of a tree (a git work tree, or the working
// directory) a link may not lead out of it, and only a regular file is replaced:
// whoever wrote the tree may have put it there. Elsewhere the target of a link is
// written, and what goes to a device or a pipe goes straight there.
func WriteFile(name string, data []byte, perm fs.FileMode) error {
	folder, rel, err := outputPlace(name)
	if err != nil {
		return err
	}
	open := OpenRoot
	if folder == "" {
		if target, err := filepath.EvalSymlinks(name); err == nil {
			name = target
		}
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			return appendTo(name, data, os.O_WRONLY, perm)
		}
		open, folder, rel = MakeRoot, filepath.Dir(name), filepath.Base(name)
	}
	r, err := open(folder)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	return renamed(name, r.Write(rel, data, perm))
}

// renamed is an error about a file under the name that the user knows.
func renamed(name string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		err = e.Err
	}
	return errorAt(name, err)
}

// OutputRoot is MakeRoot for a folder that cfctl writes results into: inside of a
// tree a link may not lead out of it, as for WriteFile.
func OutputRoot(dir string) (*Root, error) {
	tree, rel, err := outputPlace(dir)
	switch {
	case err != nil:
		return nil, err
	case tree == "" || rel == ".":
		return MakeRoot(dir)
	}
	r, err := OpenRoot(tree)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	if err := r.MakeDir(rel); err != nil {
		return nil, renamed(dir, err)
	}
	return OpenRoot(dir)
}

// outputPlace finds the tree that a name lies in, the innermost one, and the
// name's path in it with all links resolved. Outside of any tree both are empty.
func outputPlace(name string) (tree, rel string, err error) {
	abs, err := absolute(name)
	if err != nil {
		return "", "", err
	}
	trees := treesAround(abs)
	if len(trees) == 0 {
		return "", "", nil
	}
	target, err := Resolve(abs)
	if err != nil {
		return "", "", errorAt(name, err)
	}
	for i, t := range trees {
		top, err := filepath.EvalSymlinks(t)
		if err != nil {
			return "", "", errorAt(name, err)
		}
		at, err := filepath.Rel(top, target)
		if err != nil || !filepath.IsLocal(at) {
			return "", "", &Error{Path: name, Err: errLeadsOut, Hint: "if you want to write there, name the target: " + filepath.ToSlash(target)}
		}
		if spelled, err := filepath.Rel(t, abs); err != nil || InGit(at) && !InGit(spelled) {
			return "", "", &Error{Path: name, Err: errInGit}
		}
		if i == 0 {
			tree, rel = top, filepath.ToSlash(at)
		}
	}
	return tree, rel, nil
}

// absolute is the absolute path of a name. A relative one begins where the working
// directory really is, so that ".." means what the system takes it for.
func absolute(name string) (string, error) {
	if filepath.IsAbs(name) {
		return filepath.Clean(name), nil
	}
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	return filepath.Join(dir, filepath.FromSlash(name)), err
}

// treesAround are the folders of an absolute path that are work trees of git, or
// the working directory where that is not the root of the file system; the
// innermost first.
func treesAround(abs string) []string {
	var trees []string
	for dir := abs; ; dir = filepath.Dir(dir) {
		top := dir == filepath.Dir(dir)
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil || !top && Same(".", dir) {
			trees = append(trees, dir)
		}
		if top {
			return trees
		}
	}
}

// Resolve follows the links of an absolute path as far as it exists. A link to
// what does not exist is an error.
func Resolve(abs string) (string, error) {
	rest := ""
	for at := abs; ; at = filepath.Dir(at) {
		there, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(there, rest), nil
		}
		if _, lerr := os.Lstat(at); lerr == nil || !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return "", err
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// InGit says whether a path leads through git's own folder.
func InGit(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}
