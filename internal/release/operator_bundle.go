package release

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/git"
)

// withBundle adds the OLM bundle to the changes where the root's repository
// keeps one (a folder bundle/manifests): made anew from the tree as it will be.
func (t *Train) withBundle(ctx context.Context, tree Snapshot, changes []git.Change, replaces string) ([]git.Change, error) {
	const folder = "bundle"
	if _, err := fs.Stat(tree.Files, folder+"/manifests"); err != nil || t.Bundle == nil {
		return changes, ignoreMissing(err)
	}
	after := overlay{tree.Files, map[string][]byte{}}
	for _, c := range changes {
		after.files[c.Path] = c.Data
	}
	files, err := t.Bundle(ctx, after, BundleRequest{Version: bare(t.Version), Replaces: replaces, Image: t.root().ImageOf(t.Version), CreatedAt: tree.Info.Time})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	for _, name := range git.Sorted(files) {
		p := path.Join(folder, name)
		if was, err := fs.ReadFile(after, p); err == nil && bytes.Equal(was, files[name]) {
			continue
		}
		changes = slices.DeleteFunc(changes, func(c git.Change) bool { return c.Path == p })
		changes = append(changes, git.Change{Path: p, Data: files[name]})
	}
	return changes, nil
}

// An overlay is a tree in which some files have other contents.
type overlay struct {
	fs.FS
	files map[string][]byte
}

// ReadFile implements fs.ReadFileFS.
func (o overlay) ReadFile(name string) ([]byte, error) {
	if data, ok := o.files[name]; ok {
		return bytes.Clone(data), nil
	}
	return fs.ReadFile(o.FS, name)
}

// ReadDir implements fs.ReadDirFS.
func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(o.FS, name) }
