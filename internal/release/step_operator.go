package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// operatorProposal is the PR to the root's repository: ADR-0003, steps 2 and
// 3. It sets every place where a version stands, the table of the README
// included, and copies the CRDs of the components.
func operatorProposal(t *Train, needs []string) *proposal {
	root := t.root()
	return &proposal{
		train: t, name: "operator", repo: root.Repository, push: root.Repository, base: t.branch(root),
		title: "Release " + t.Title(), needs: needs, who: "a maintainer of " + root.Repository,
		body: func(*View) string {
			return "Versions of this release:\n\n- " + strings.Join(t.pins(), "\n- ") + "\n\nMade by `cfctl release run " + t.Version + "`."
		},
		changes: func(ctx context.Context, v *View, base Snapshot) ([]git.Change, error) {
			changes, err := t.setPlaces(base.Files)
			if err != nil {
				return nil, err
			}
			crds, err := t.syncCRDs(ctx, v, base.Files)
			return append(changes, crds...), err
		},
		settled: func(ctx context.Context, v *View, tree Snapshot) (bool, error) {
			changes, err := t.setPlaces(tree.Files)
			if err != nil {
				return false, err
			}
			crds, err := t.syncCRDs(ctx, v, tree.Files)
			return len(changes)+len(crds) == 0, err
		},
	}
}

// setPlaces returns the files of the root's repository in which a version is
// not the one of this release. A place that is not found is an error: a sed
// that matches nothing changes nothing, silently.
func (t *Train) setPlaces(tree fs.FS) ([]git.Change, error) {
	var matches []versioned
	for _, c := range t.Stack.At(t.Version) {
		v := t.Versions[c.Name]
		if v == "" || t.Hotfix != nil && c.Name != t.Hotfix.Component && c.Name != t.root().Name {
			continue
		}
		found, err := t.Stack.Find(tree, c, t.Version)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			matches = append(matches, versioned{m, v})
		}
	}
	return splice(tree, matches)
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

// syncCRDs returns the copies of components' CRDs that are not what the
// component has at its tag: "make sure that any CRD updates in the MCAD
// repository are copied into the CodeFlare operator repository".
func (t *Train) syncCRDs(ctx context.Context, v *View, tree fs.FS) ([]git.Change, error) {
	var changes []git.Change
	for _, c := range t.Stack.At(t.Version) {
		if len(c.CRDs) == 0 || t.Versions[c.Name] == "" {
			continue
		}
		from, err := t.treeAt(ctx, v, c)
		if err != nil {
			return nil, err
		}
		for _, crd := range c.CRDs {
			want, err := fs.ReadFile(from.Files, crd.Source)
			if err != nil {
				return nil, fmt.Errorf("CRD of %s %s: %w", c.Name, t.Versions[c.Name], err)
			}
			have, err := fs.ReadFile(tree, crd.Path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			if string(have) != string(want) {
				changes = append(changes, git.Change{Path: crd.Path, Data: want})
			}
		}
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
	return recall(v, "tree "+c.Repository+" "+commit, func() (Snapshot, error) { return v.Git.Tree(ctx, c.Repository, commit, false) })
}
