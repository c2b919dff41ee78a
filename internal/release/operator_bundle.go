package release

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// withBundle adds the OLM bundle to the changes where the root's repository
// keeps one (a folder bundle/manifests): made anew from the tree as it will be.
func (t *Train) withBundle(ctx context.Context, tree Snapshot, changes []git.Change, replaces string) ([]git.Change, error) {
	const folder = "bundle"
	if _, err := fs.Stat(tree.files, folder+"/manifests"); err != nil || t.Bundle == nil {
		return changes, ignoreMissing(err)
	}
	after := withChanges(tree.files, changes)
	request := BundleRequest{version: bare(t.Version), replaces: replaces, image: t.root().ImageOf(t.Version), createdAt: tree.info.Time}
	files, err := t.Bundle(ctx, after, request)
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
	gone, err := t.goneFrom(ctx, tree, folder, files, request)
	for _, p := range gone {
		changes = slices.DeleteFunc(changes, func(c git.Change) bool { return c.Path == p })
		changes = append(changes, git.Change{Path: p, Delete: true})
	}
	return changes, err
}

// goneFrom lists the files of the bundle's folder that are made no more: those
// that the tree as it was makes, and every CRD, which a bundle cannot hold
// without owning it. Others were put there by a maintainer, and stay.
func (t *Train) goneFrom(ctx context.Context, tree Snapshot, folder string, made map[string][]byte, request BundleRequest) ([]string, error) {
	var left []string
	err := fs.WalkDir(tree.files, folder+"/manifests", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && made[strings.TrimPrefix(p, folder+"/")] == nil {
			left = append(left, p)
		}
		return err
	})
	if err != nil || len(left) == 0 {
		return nil, err
	}
	was, err := t.Bundle(ctx, tree.files, request)
	if err != nil {
		was = nil // a tree that could not be built: its CRDs are known all the same
	}
	var gone []string
	for _, p := range left {
		data, err := fs.ReadFile(tree.files, p)
		if err != nil {
			return nil, err
		}
		if was[strings.TrimPrefix(p, folder+"/")] != nil || crdKind.Match(data) {
			gone = append(gone, p)
		}
	}
	return gone, nil
}

var crdKind = lazyregexp.New(`(?m)^["']?kind["']?:[ \t]*["']?CustomResourceDefinition["']?[ \t\r]*$`)

// An overlay is a tree in which some files have other contents.
type overlay struct {
	fs.FS
	files map[string][]byte
}

// withChanges is a tree as it is with changes.
func withChanges(tree fs.FS, changes []git.Change) overlay {
	o := overlay{tree, map[string][]byte{}}
	for _, c := range changes {
		o.files[c.Path] = c.Data
	}
	return o
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
