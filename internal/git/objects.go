package git

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

const folderMode = "40000"

// WriteTree writes the tree of base (a commit; empty = nothing) with changes,
// without a work tree, and returns its hash: those that remove come first. A path that is
// to be a file and is a folder, or the other way round, is an error.
func (r *Repo) WriteTree(ctx context.Context, base string, changes []Change) (string, error) {
	ref := "refs/cfctl/written/" + rand.Text() // git imports into a ref
	var in bytes.Buffer
	fmt.Fprintf(&in, "feature done\ncommit %s\ncommitter cfctl <> 0 +0000\ndata 0\n", ref)
	var old *Tree
	if base != "" {
		var err error
		if old, err = r.Tree(ctx, base); err != nil {
			return "", err
		}
		fmt.Fprintf(&in, "from %s\n", old.Commit)
	}
	gone := map[string]bool{}
	for _, c := range changes {
		if err := checkPath(c.Path); err != nil {
			return "", err
		}
		if gone[c.Path] = c.Delete; c.Delete && !old.folder(c.Path) {
			fmt.Fprintf(&in, "D %s\n", quoted(c.Path))
		}
	}
	for _, c := range changes {
		if c.Delete {
			continue
		}
		mode, err := old.modeFor(c, gone)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", mode, quoted(c.Path), len(c.Data), c.Data)
	}
	in.WriteString("ls \"\"\ndone\n")
	var tree string
	err := r.change(ctx, func() error {
		out, err := command{dir: r.Dir, in: r.owner(), more: r.settings, args: []string{"fast-import", "--quiet"}, stdin: bytes.NewReader(in.Bytes())}.run(ctx)
		if f := strings.Fields(string(out)); err == nil && len(f) > 2 && f[1] == "tree" {
			tree = f[2]
		}
		if err == nil {
			_, err = r.git(ctx, "update-ref", "-d", ref)
		}
		return err
	})
	if err == nil && tree == "" {
		var out []byte
		out, err = command{dir: r.Dir, in: r.owner(), more: r.settings, args: []string{"hash-object", "-w", "-t", "tree", "--stdin"}}.run(ctx)
		tree = strings.TrimSpace(string(out))
	}
	return tree, err
}

// quoted is a path as git-fast-import(1) reads it.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// folder says whether a path is one of a folder; nil has none.
func (t *Tree) folder(name string) bool {
	if t == nil {
		return false
	}
	e, err := t.lookup("write", name)
	return err == nil && e.mode == folderMode
}

// modeFor is the mode that a file is written with, in a tree without the files that are gone.
func (t *Tree) modeFor(c Change, gone map[string]bool) (string, error) {
	mode := "100644"
	if c.Exec {
		mode = "100755"
	}
	if t == nil {
		return mode, nil
	}
	for i := range len(c.Path) {
		if above := c.Path[:i]; c.Path[i] == '/' && !gone[above] && t.Has(above) && !t.folder(above) {
			return "", fmt.Errorf("%s is a file, and no folder", above)
		}
	}
	e, err := t.lookup("write", c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mode, nil
	case err != nil:
		return "", err
	case e.mode == folderMode:
		return "", fmt.Errorf("%s is a folder, and no file", c.Path)
	case strings.HasPrefix(e.mode, "100"):
		return e.mode, nil
	}
	return mode, nil
}
