package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// operatorProposal is the PR to the root's repository: ADR-0003, steps 2 and
// 3. It sets every place where a version stands, the table of the README
// included, copies the CRDs of the components, and makes the bundle anew where
// the repository keeps one.
func operatorProposal(t *Train, needs []string) *proposal {
	root := t.root()
	return &proposal{
		train: t, name: "operator", repo: root.Repository, push: root.Repository, base: t.branch(root),
		title: "Release " + t.Title(), needs: needs, who: "a maintainer of " + root.Repository,
		body: func(*View) string {
			return "Versions of this release:\n\n- " + strings.Join(t.pins(), "\n- ") + "\n\nMade by `cfctl release run " + t.Version + "`."
		},
		changes: func(ctx context.Context, v *View, base Snapshot) ([]git.Change, error) {
			changes, err := t.references(ctx, v, base.Files)
			if err != nil {
				return nil, err
			}
			h, err := v.heads(ctx, root.Repository)
			if err != nil {
				return nil, err
			}
			return t.withBundle(ctx, base, changes, bare(newest(root, h.Tags, t.Version)))
		},
		settled: func(ctx context.Context, v *View, tree Snapshot) (bool, error) {
			changes, err := t.references(ctx, v, tree.Files)
			return len(changes) == 0, err
		},
	}
}

// references returns the files of the root's repository in which a version is
// not the one of this release, or a CRD not the one of its component. A place
// that is not found is an error: a sed that matches nothing changes nothing,
// silently.
func (t *Train) references(ctx context.Context, v *View, tree fs.FS) ([]git.Change, error) {
	versions := map[string]string{}
	for _, c := range t.Stack.At(t.Version) {
		if v := t.Versions[c.Name]; v != "" && (t.Hotfix == nil || c.Name == t.Hotfix.Component) && c.Name != t.root().Name {
			versions[c.Name] = v
		}
	}
	r, err := PlanReferences(ctx, t.Stack, tree, trainTags{t, v}, t.Version, versions)
	if err != nil {
		return nil, err
	}
	var changes []git.Change
	for _, path := range git.Sorted(r.Edits) {
		data, err := fs.ReadFile(tree, path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		out, err := source.Apply(data, r.Edits[path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if string(out) != string(data) {
			changes = append(changes, git.Change{Path: path, Data: out})
		}
	}
	return changes, nil
}

// trainTags reads the components at their tags of this train, and, before
// there are any, at the commits that will be tagged.
type trainTags struct {
	train *Train
	view  *View
}

// At implements TagReader.
func (r trainTags) At(ctx context.Context, url, tag string) (fs.FS, time.Time, error) {
	for i := range r.train.Stack.Components {
		c := &r.train.Stack.Components[i]
		if c.URL() == url && r.train.tag(c) == tag {
			s, err := r.train.treeAt(ctx, r.view, c)
			return s.Files, s.Info.Time, err
		}
	}
	return nil, time.Time{}, fmt.Errorf("%s of %s: %w", tag, url, git.ErrNotFound)
}

// A versioned match is a place with the version that it shall hold.
type versioned struct {
	stack.Match
	version string
}

// splice edits the files that hold matches, and leaves out those that do not
// change.
func splice(tree fs.FS, matches []versioned) ([]git.Change, error) {
	edits := map[string][]source.Edit{}
	for _, m := range matches {
		if e := m.Set(m.version); !m.Skipped && e.Old != e.New && !slices.Contains(edits[m.Path], e) {
			edits[m.Path] = append(edits[m.Path], e)
		}
	}
	var changes []git.Change
	for _, path := range git.Sorted(edits) {
		data, err := fs.ReadFile(tree, path)
		if err != nil {
			return nil, err
		}
		out, err := source.Apply(data, edits[path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		changes = append(changes, git.Change{Path: path, Data: out})
	}
	return changes, nil
}

// treeAt is the content of a component at its version: of the tag, or, before
// there is one, of the commit that will be tagged.
func (t *Train) treeAt(ctx context.Context, v *View, c *stack.Component) (Snapshot, error) {
	h, err := v.heads(ctx, c.Repository)
	if err != nil {
		return Snapshot{}, err
	}
	commit := h.Tags[t.tag(c)].Commit
	if commit == "" {
		commit = v.Fact(stepOf("tag", c), "commit")
	}
	if commit == "" {
		return Snapshot{}, errUnknown
	}
	return v.tree(ctx, c.Repository, commit, false)
}
