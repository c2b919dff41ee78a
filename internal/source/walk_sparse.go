package source

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A sparse checkout has files that git tracks and that are not in the work tree: a
// walk does not see them, and no one knows what they hold.

// notCheckedOut are the files that git tracks and that are not in the work tree, of
// every work tree that was walked; a folder that is not there represents all below it.
func (w *walk) notCheckedOut() []Skip {
	tops := w.tree.GitTops()
	for _, s := range w.skips {
		if s.Reason == SkipVCS && path.Base(s.Path) == ".git" {
			tops = append(tops, filepath.Join(w.tree.base, filepath.FromSlash(path.Dir(s.Path))))
		}
	}
	var skips []Skip
	known := map[string]bool{}
	for _, top := range tops {
		if known[top] {
			continue
		}
		known[top] = true
		for _, name := range sparsePaths(gitDirOf(top)) {
			if s, ok := w.absent(top, name); ok && !known[s.Path] {
				known[s.Path] = true
				skips = append(skips, s)
			}
		}
	}
	return skips
}

// sparsePaths are the paths that the index in a git directory says are not to be
// checked out. Only versions 3 and on can: the index of another is not read.
func sparsePaths(gitDir string) []string {
	if gitDir == "" {
		return nil
	}
	name := filepath.Join(gitDir, "index")
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil
	}
	head := make([]byte, indexHead)
	_, err = io.ReadFull(f, head)
	_ = f.Close()
	if err != nil || indexVersion(head) < 3 {
		return nil
	}
	data, err := readGitFile(name)
	if err != nil {
		return nil
	}
	return parseIndex(data).sparse
}

// absent is a path of a work tree that should be among what is walked and is not
// there, or the folder that it would be in.
func (w *walk) absent(top, name string) (Skip, bool) {
	at := filepath.Join(top, filepath.FromSlash(name))
	dir := strings.HasSuffix(name, "/")
	if !dir && isThere(at) {
		return Skip{}, false
	}
	for above := filepath.Dir(at); above != top && within(top, above) && !isThere(above); above = filepath.Dir(above) {
		at, dir = above, true
	}
	rel, err := filepath.Rel(w.tree.base, at)
	if err != nil {
		return Skip{}, false
	}
	s := Skip{Path: filepath.ToSlash(rel), Dir: dir, Reason: SkipSparse}
	return s, w.tree.Covers(s.Path) && !w.leavesOut(s)
}

// leavesOut says whether a walk would not read a file or folder that is not there.
func (w *walk) leavesOut(s Skip) bool {
	for name, dir := s.Path, s.Dir; name != "."; name, dir = path.Dir(name), true {
		if w.named[name] {
			return false
		}
		base := path.Base(name)
		if dir && (Vendored(base) || base == "node_modules") || decide(w.exclude, []byte(name), dir) == ruledOut {
			return true
		}
	}
	return false
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
