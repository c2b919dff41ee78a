package steps

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// OperatorProposal is the PR to the root's repository: ADR-0003, steps 2 and
// 3. It sets every place where a version is, the table of the README
// included, copies the CRDs of the components, and makes the bundle anew where
// the repository keeps one.
func OperatorProposal(t *Train, needs []*Step) *Proposal {
	root := t.Root()
	p := &Proposal{
		train: t, name: OperatorName, repo: root.Repository, push: root.Repository, base: t.Branch(root),
		title: "Release " + t.Title(), needs: needs, who: "a maintainer of " + root.Repository,
		body: func(*View) string {
			return "Versions of this release:\n\n- " + strings.Join(t.Pins(), "\n- ") + "\n\nMade by `cfctl release run " + t.Version + "`."
		},
		changes: func(ctx context.Context, v *View, base ports.Snapshot) ([]git.Change, error) {
			changes, err := t.References(ctx, v, base.Files)
			if err != nil {
				return nil, err
			}
			h, err := v.Heads(ctx, root.Repository)
			if err != nil {
				return nil, err
			}
			replaces, err := v.replaced(ctx, h.Tags)
			if err != nil {
				return nil, err
			}
			return t.WithBundle(ctx, base, changes, Bare(replaces))
		},
	}
	p.differs = func(ctx context.Context, v *View, tree ports.Snapshot) ([]string, error) {
		return t.ReferencesDiffer(ctx, v, tree.Files)
	}
	p.standing = func(ctx context.Context, v *View, pull forge.Pull) (bool, error) {
		h, err := v.Heads(ctx, root.Repository)
		return h.Tags[t.Tag(root)].Commit == pull.MergeCommit, err
	}
	p.settled = func(ctx context.Context, v *View, base string) (string, error) { return t.settledRoot(ctx, v, p, base) }
	return p
}

// OperatorName is the name of the PR to the root's repository in its steps.
const OperatorName = "operator"

// settledRoot is the commit of the root's repository that needs no change for
// this release, as it was decided: the one that is tagged, else the one in the
// journal. The branch may be elsewhere by now. Empty: nothing was decided.
func (t *Train) settledRoot(ctx context.Context, v *View, p *Proposal, base string) (string, error) {
	root := t.Root()
	h, err := v.Heads(ctx, root.Repository)
	if err != nil {
		return "", err
	}
	if commit := h.Tags[t.Tag(root)].Commit; commit != "" {
		on, err := v.Contains(ctx, root.Repository, base, commit)
		if err != nil || !on {
			return "", err
		}
		tree, err := p.tree(ctx, v, root.Repository, commit)
		if err != nil {
			return "", err
		}
		if differences, err := t.ReferencesDiffer(ctx, v, tree.Files); err == nil && len(differences) == 0 {
			return commit, nil
		}
		return "", nil
	}
	if r := v.Journal.Last(p.step("branch"), RecDone); r != nil {
		return r.Facts["nothing"], nil
	}
	return "", nil
}

// ReferencesDiffer says where a tree of the root's repository does not have the
// versions and CRDs of this release. A requirement that `go mod tidy` has
// dropped, since nothing imports the module, is no place any more.
func (t *Train) ReferencesDiffer(ctx context.Context, v *View, tree fs.FS) ([]string, error) {
	s := *t.Stack
	s.Places = nil
	for _, p := range t.Stack.Places {
		if p.Kind == "go-require" {
			if found, err := p.Find(tree); err != nil || len(found) == 0 {
				continue
			}
		}
		s.Places = append(s.Places, p)
	}
	changes, err := t.ReferencesOf(ctx, v, &s, tree)
	if errors.Is(err, stack.ErrNoMatch) {
		return []string{err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	return bump.Differences(tree, changes)
}

// References returns the files of the root's repository in which a version is
// not the one of this release, or a CRD not the one of its component. A place
// that is not found is an error: a sed that matches nothing changes nothing,
// silently.
func (t *Train) References(ctx context.Context, v *View, tree fs.FS) ([]git.Change, error) {
	return t.ReferencesOf(ctx, v, t.Stack, tree)
}

// ReferencesOf is references with the places of a stack.
func (t *Train) ReferencesOf(ctx context.Context, v *View, s *stack.Stack, tree fs.FS) ([]git.Change, error) {
	versions := map[string]string{}
	for _, c := range t.Stack.At(t.Version) {
		if v := t.Versions[c.Name]; v != "" && (t.Hotfix == nil || c.Name == t.Hotfix.Component) && c.Name != t.Root().Name {
			versions[c.Name] = v
		}
	}
	r, err := bump.PlanReferences(ctx, s, tree, trainTags{t, v}, t.Version, versions)
	if err != nil {
		return nil, unfit(why.Place, err)
	}
	changes, err := bump.Edited(tree, r.Edits)
	if err != nil {
		return nil, err
	}
	return t.WithRow(tree, changes)
}

// WithRow adds the row of this release to matrix.releases, where the tree
// declares releases there. One that says other versions is an error: a maintainer
// has declared something else.
func (t *Train) WithRow(tree fs.FS, changes []git.Change) ([]git.Change, error) {
	data, err := fs.ReadFile(bump.WithChanges(tree, changes), recipe.File)
	if err != nil {
		return changes, bump.IgnoreMissing(err)
	}
	if declares, err := matrix.Declares(recipe.File, data); err != nil || !declares {
		return changes, err
	}
	row := matrix.Release{Version: t.Version}
	for _, c := range t.Stack.At(t.Version) {
		if v := t.Versions[c.Name]; v != "" {
			row.Components = append(row.Components, matrix.Pin{Name: c.Name, Version: v})
		}
	}
	edit, ok, err := matrix.AddRow(recipe.File, data, row)
	if err != nil {
		return changes, unfit(why.Row, err)
	}
	if !ok {
		return changes, nil
	}
	made, err := bump.Edited(bump.WithChanges(tree, changes), map[string][]source.Edit{recipe.File: {edit}})
	changes = slices.DeleteFunc(changes, func(c git.Change) bool { return c.Path == recipe.File })
	return append(changes, made...), err
}

// trainTags reads the components at their tags of this train, and, before
// there are any, at the commits that will be tagged.
type trainTags struct {
	train *Train
	view  *View
}

// At implements tagReader.
func (r trainTags) At(ctx context.Context, url, tag string) (fs.FS, time.Time, error) {
	for i := range r.train.Stack.Components {
		c := &r.train.Stack.Components[i]
		if c.URL() == url && r.train.Tag(c) == tag {
			s, err := r.train.treeAt(ctx, r.view, c)
			return s.Files, s.Info.Time, err
		}
	}
	return nil, time.Time{}, fmt.Errorf("%s of %s: %w", tag, url, git.ErrNotFound)
}

// treeAt is the content of a component at its version: of the tag, or, before
// there is one, of the commit that will be tagged.
func (t *Train) treeAt(ctx context.Context, v *View, c *stack.Component) (ports.Snapshot, error) {
	h, err := v.Heads(ctx, c.Repository)
	if err != nil {
		return ports.Snapshot{}, err
	}
	commit := h.Tags[t.Tag(c)].Commit
	if commit == "" {
		commit = string(t.Tagged(c, v))
	}
	if commit == "" {
		return ports.Snapshot{}, ErrUnknown
	}
	return v.Tree(ctx, c.Repository, commit, false)
}

// WithBundle adds the OLM bundle to the changes where the root's repository
// keeps one (a folder bundle/manifests): made anew from the tree as it will be.
func (t *Train) WithBundle(ctx context.Context, tree ports.Snapshot, changes []git.Change, replaces string) ([]git.Change, error) {
	const folder = "bundle"
	if _, err := fs.Stat(tree.Files, folder+"/manifests"); err != nil || t.Bundle == nil {
		return changes, bump.IgnoreMissing(err)
	}
	after := bump.WithChanges(tree.Files, changes)
	request := BundleRequest{version: Bare(t.Version), replaces: replaces, Image: t.Root().ImageOf(t.Version), createdAt: tree.Info.Time}
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
func (t *Train) goneFrom(ctx context.Context, tree ports.Snapshot, folder string, made map[string][]byte, request BundleRequest) ([]string, error) {
	var left []string
	err := fs.WalkDir(tree.Files, folder+"/manifests", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && made[strings.TrimPrefix(p, folder+"/")] == nil {
			left = append(left, p)
		}
		return err
	})
	if err != nil || len(left) == 0 {
		return nil, err
	}
	was, err := t.Bundle(ctx, tree.Files, request)
	if err != nil {
		was = nil // a tree that could not be built: its CRDs are known all the same
	}
	var gone []string
	for _, p := range left {
		data, err := fs.ReadFile(tree.Files, p)
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
