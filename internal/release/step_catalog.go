package release

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A BundleRequest says which bundle is made.
type BundleRequest struct {
	version   string // "1.2.0"
	replaces  string // "1.1.0"; empty = the first of the catalog
	image     string
	createdAt time.Time
}

// A BundleMaker makes the files of an OLM bundle from the root's repository:
// path to content, relative to the bundle's folder.
type BundleMaker func(ctx context.Context, tree fs.FS, r BundleRequest) (map[string][]byte, error)

// MakeBundle is the BundleMaker that generates bundles in process; remotes
// brings remote kustomize references.
func MakeBundle(remotes olm.Remotes) BundleMaker {
	return func(ctx context.Context, tree fs.FS, r BundleRequest) (map[string][]byte, error) {
		b, err := olm.Generate(ctx, tree, olm.Options{
			Version: r.version, Replaces: r.replaces, Image: r.image, CreatedAt: r.createdAt, Remotes: remotes})
		if err != nil {
			return nil, err
		}
		return b.Files, nil
	}
}

// catalogProposal is the PR to the catalog: ADR-0003, step 5. One bundle, one
// signed-off commit, from a fork, fetched shallow and without contents: the
// repositories of catalogs are large.
func catalogProposal(t *Train, needs []*Step) *proposal {
	c := t.recipe.Catalog
	push := cmp.Or(c.Fork, c.Repository)
	p := &proposal{
		train: t, name: "catalog", repo: c.Repository, push: push, base: c.Branch, needs: needs, large: true,
		group: "catalog", title: t.fill(c.Title, "{package}", c.Package), who: "the pipeline and the maintainers of " + c.Repository,
		body: func(v *View) string {
			return t.Title() + ": " + t.url(v) + "\n\nOne bundle, generated from " + t.root().Repository + " at " + t.Version + "."
		},
	}
	p.changes = t.bundleChanges
	p.differs = t.bundleDiffers
	p.stale = func(ctx context.Context, v *View, branch ports.Snapshot) (string, error) {
		now, err := v.catalogMain(ctx)
		if err != nil {
			return "", err
		}
		root, err := t.rootTree(ctx, v)
		if err != nil {
			return "", err
		}
		_, was, err := t.replaces(root.Files, branch.Files)
		if err != nil {
			return "", err
		}
		_, want, err := t.replaces(root.Files, now.Files)
		if err != nil || was.Version() == want.Version() {
			return "", err
		}
		return fmt.Sprintf("it replaces %s, and the catalog has %s now", was.Version(), want.Version()), nil
	}
	return p
}

// bundleDiffers holds the folder of this release in a tree of the catalog
// against the bundle that it makes for that catalog, byte by byte.
func (t *Train) bundleDiffers(ctx context.Context, v *View, tree ports.Snapshot) ([]string, error) {
	want, err := t.bundle(ctx, v, tree.Files)
	if err != nil {
		return nil, err
	}
	folder := path.Join(t.recipe.Catalog.Path, bare(t.Version))
	have, err := filesOf(tree.Files, folder)
	if err != nil {
		return nil, err
	}
	return filesDiffer(folder, have, want), nil
}

// filesDiffer says how the files of a folder are not as they should be: first
// those that are others, then those that should not be there, then those that
// are not there.
func filesDiffer(folder string, have, want map[string][]byte) []string {
	var others, more, missing []string
	for _, name := range git.Sorted(want) {
		switch data, ok := have[name]; {
		case !ok:
			missing = append(missing, difference(path.Join(folder, name), nil, want[name]))
		case !bytes.Equal(data, want[name]):
			others = append(others, difference(path.Join(folder, name), data, want[name]))
		}
	}
	for _, name := range git.Sorted(have) {
		if _, ok := want[name]; !ok {
			more = append(more, difference(path.Join(folder, name), have[name], nil))
		}
	}
	return slices.Concat(others, more, missing)
}

// filesOf are the files of a folder, by their paths in it; a link is what it
// points at, as text. No folder has none.
func filesOf(tree fs.FS, folder string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(tree, folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if data == nil {
			data = []byte{}
		}
		files[strings.TrimPrefix(name, folder+"/")] = data
		return err
	})
	return files, ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// bundleChanges are the files of this release's bundle, made from the merge
// commit of the root's PR, on top of a tree of the catalog.
func (t *Train) bundleChanges(ctx context.Context, v *View, base ports.Snapshot) ([]git.Change, error) {
	files, err := t.bundle(ctx, v, base.Files)
	if err != nil {
		return nil, err
	}
	tree, err := t.rootTree(ctx, v)
	if err != nil {
		return nil, err
	}
	findings, err := t.validate(ctx, tree.Files, files, base.Files)
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if f.Severity == report.Error {
			text := fmt.Sprintf("the bundle is not valid: %s: %s", f.Rule, f.Message)
			if f.Hint != "" {
				text += " (" + f.Hint + ")"
			}
			return nil, unfit(whyBundle, errors.New(text))
		}
	}
	var changes []git.Change
	for _, name := range git.Sorted(files) {
		changes = append(changes, git.Change{Path: path.Join(t.recipe.Catalog.Path, bare(t.Version), name), Data: files[name]})
	}
	return changes, nil
}

// validate checks a bundle against the rules of OLM and its catalogs, against
// what the catalog has. A kind without an example is an error here, since
// reviewers of the catalog refuse it; a warning where the bundle that is
// replaced has none for it either.
func (t *Train) validate(ctx context.Context, tree fs.FS, files map[string][]byte, catalog fs.FS) ([]report.Finding, error) {
	dir, err := os.MkdirTemp("", "cfctl-bundle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of ours in the folder for temporary files
	if err := (&olm.Bundle{Files: files}).Write(dir); err != nil {
		return nil, err
	}
	root, err := source.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only reading is done
	folder, err := fs.Sub(catalog, t.recipe.Catalog.Path)
	if err != nil {
		return nil, err
	}
	check := olm.Check{}
	if _, err := fs.Stat(folder, "."); err == nil {
		check.Catalog = folder // else the package is new to the catalog
	}
	findings, err := olm.Validate(ctx, root.FS(), check)
	if err != nil {
		return findings, err
	}
	accepted, err := t.accepted(ctx, tree, catalog)
	for i := range findings {
		if f := &findings[i]; f.Rule == examplesRule && !accepted[f.Message] {
			f.Severity = report.Error
		}
	}
	return findings, err
}

const examplesRule = "examples-missing"

// accepted are the missing examples of the bundle that is replaced: the catalog
// has taken it so.
func (t *Train) accepted(ctx context.Context, tree, catalog fs.FS) (map[string]bool, error) {
	_, replaces, err := t.replaces(tree, catalog)
	if err != nil || replaces.Name == "" {
		return nil, err
	}
	last, err := fs.Sub(catalog, path.Join(t.recipe.Catalog.Path, replaces.Folder))
	if err != nil {
		return nil, err
	}
	findings, err := olm.Validate(ctx, last, olm.Check{})
	accepted := map[string]bool{}
	for _, f := range findings {
		if f.Rule == examplesRule {
			accepted[f.Message] = true
		}
	}
	return accepted, err
}

// bundle makes this release's bundle for a catalog.
func (t *Train) bundle(ctx context.Context, v *View, catalog fs.FS) (map[string][]byte, error) {
	tree, err := t.rootTree(ctx, v)
	if err != nil {
		return nil, err
	}
	have, replaces, err := t.replaces(tree.Files, catalog)
	if err != nil {
		return nil, err
	}
	files, err := t.bundleThat(ctx, replaces, tree)
	if err != nil {
		return nil, err
	}
	return files, t.addReleaseConfig(files, have, replaces)
}

// rootTree is the root's repository as it was merged; before that, as the PR
// proposes it.
func (t *Train) rootTree(ctx context.Context, v *View) (ports.Snapshot, error) {
	root := t.root()
	m := t.made().root
	if commit := string(cmp.Or(m.merged.In(v), m.commit.In(v))); commit != "" {
		return v.tree(ctx, root.Repository, commit, false)
	}
	return ports.Snapshot{}, errUnknown
}

// bundleThat makes this release's bundle of a tree of the root's repository.
func (t *Train) bundleThat(ctx context.Context, replaces olm.Published, tree ports.Snapshot) (map[string][]byte, error) {
	return t.Bundle(ctx, tree.Files, BundleRequest{
		version: bare(t.Version), replaces: replaces.Version(), image: t.root().ImageOf(t.Version), createdAt: tree.Info.Time})
}

// addReleaseConfig adds what a file-based catalog does with the bundle.
func (t *Train) addReleaseConfig(files map[string][]byte, have *olm.Catalog, replaces olm.Published) error {
	config, err := have.ReleaseConfig(t.recipe.Catalog.Package, t.recipe.Catalog.Templates, replaces)
	if config != nil {
		files[olm.ReleaseConfigFile] = config
	}
	return err
}

// replaces computes what this release replaces in a catalog, by the channels
// that the tree of the root's repository says. It is never typed. Without a
// name: the catalog has none.
func (t *Train) replaces(tree, catalog fs.FS) (*olm.Catalog, olm.Published, error) {
	folder, err := fs.Sub(catalog, t.recipe.Catalog.Path)
	if err != nil {
		return nil, olm.Published{}, err
	}
	have, err := olm.ReadPackage(folder)
	if err != nil {
		return nil, olm.Published{}, err
	}
	channels, err := olm.Channels(tree)
	return have, have.Replaced(bare(t.Version), channels), err
}
