package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A BundleRequest says which bundle is made.
type BundleRequest struct {
	version   string // "1.2.0"
	replaces  string // "1.1.0"; empty = the first of the catalog
	Image     string
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
			Version: r.version, Replaces: r.replaces, Image: r.Image, CreatedAt: r.createdAt, Remotes: remotes})
		if err != nil {
			return nil, err
		}
		return b.Files, nil
	}
}

// CatalogProposal is the PR to the catalog: ADR-0003, step 5. One bundle, one
// signed-off commit, from a fork, fetched shallow and without contents: the
// repositories of catalogs are large.
func CatalogProposal(t *Train, needs []*Step) *Proposal {
	c := t.Recipe.Catalog
	push := cmp.Or(c.Fork, c.Repository)
	p := &Proposal{
		train: t, name: "catalog", repo: c.Repository, push: push, base: c.Branch, needs: needs, large: true,
		group: "catalog", title: t.Fill(c.Title, "{package}", c.Package), who: "the pipeline and the maintainers of " + c.Repository,
		body: func(v *View) string {
			return t.Title() + ": " + t.url(v) + "\n\nOne bundle, generated from " + t.Root().Repository + " at " + t.Version + "."
		},
	}
	p.changes = t.bundleChanges
	p.differs = t.bundleDiffers
	p.stale = func(ctx context.Context, v *View, branch ports.Snapshot) (string, error) {
		now, err := v.CatalogMain(ctx)
		if err != nil {
			return "", err
		}
		root, err := t.rootTree(ctx, v)
		if err != nil {
			return "", err
		}
		_, was, err := t.Replaces(root.Files, branch.Files)
		if err != nil {
			return "", err
		}
		_, want, err := t.Replaces(root.Files, now.Files)
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
	folder := path.Join(t.Recipe.Catalog.Path, Bare(t.Version))
	have, err := bump.FilesOf(tree.Files, folder)
	if err != nil {
		return nil, err
	}
	return bump.FilesDiffer(folder, have, want), nil
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
	findings, err := t.Validate(ctx, tree.Files, files, base.Files)
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if f.Severity == report.Error {
			text := fmt.Sprintf("the bundle is not valid: %s: %s", f.Rule, f.Message)
			if f.Hint != "" {
				text += " (" + f.Hint + ")"
			}
			return nil, unfit(why.Bundle, errors.New(text))
		}
	}
	return lists.Of(git.Sorted(files), func(name string) git.Change {
		return git.Change{Path: path.Join(t.Recipe.Catalog.Path, Bare(t.Version), name), Data: files[name]}
	}), nil
}

// Validate checks a bundle against the rules of OLM and its catalogs, against
// what the catalog has. A kind without an example is an error here, since
// reviewers of the catalog refuse it; a warning where the bundle that is
// replaced has none for it either.
func (t *Train) Validate(ctx context.Context, tree fs.FS, files map[string][]byte, catalog fs.FS) ([]report.Finding, error) {
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
	folder, err := fs.Sub(catalog, t.Recipe.Catalog.Path)
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
		if f := &findings[i]; f.Rule == ExamplesRule && !accepted[f.Message] {
			f.Severity = report.Error
		}
	}
	return findings, err
}

// ExamplesRule is the rule for bundles that reviewers of the catalog insist on.
const ExamplesRule = "examples-missing"

// accepted are the missing examples of the bundle that is replaced: the catalog
// has taken it so.
func (t *Train) accepted(ctx context.Context, tree, catalog fs.FS) (map[string]bool, error) {
	_, replaces, err := t.Replaces(tree, catalog)
	if err != nil || replaces.Name == "" {
		return nil, err
	}
	last, err := fs.Sub(catalog, path.Join(t.Recipe.Catalog.Path, replaces.Folder))
	if err != nil {
		return nil, err
	}
	findings, err := olm.Validate(ctx, last, olm.Check{})
	accepted := map[string]bool{}
	for _, f := range findings {
		if f.Rule == ExamplesRule {
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
	have, replaces, err := t.Replaces(tree.Files, catalog)
	if err != nil {
		return nil, err
	}
	files, err := t.BundleThat(ctx, replaces, tree)
	if err != nil {
		return nil, err
	}
	return files, t.AddReleaseConfig(files, have, replaces)
}

// rootTree is the root's repository as it was merged; before that, as the PR
// proposes it.
func (t *Train) rootTree(ctx context.Context, v *View) (ports.Snapshot, error) {
	root := t.Root()
	m := t.Made().root
	if commit := string(cmp.Or(m.merged.In(v), m.commit.In(v))); commit != "" {
		return v.Tree(ctx, root.Repository, commit, false)
	}
	return ports.Snapshot{}, ErrUnknown
}

// BundleThat makes this release's bundle of a tree of the root's repository.
func (t *Train) BundleThat(ctx context.Context, replaces olm.Published, tree ports.Snapshot) (map[string][]byte, error) {
	return t.Bundle(ctx, tree.Files, BundleRequest{
		version: Bare(t.Version), replaces: replaces.Version(), Image: t.Root().ImageOf(t.Version), createdAt: tree.Info.Time})
}

// AddReleaseConfig adds what a file-based catalog does with the bundle.
func (t *Train) AddReleaseConfig(files map[string][]byte, have *olm.Catalog, replaces olm.Published) error {
	config, err := have.ReleaseConfig(t.Recipe.Catalog.Package, t.Recipe.Catalog.Templates, replaces)
	if config != nil {
		files[olm.ReleaseConfigFile] = config
	}
	return err
}

// Replaces computes what this release replaces in a catalog, by the channels
// that the tree of the root's repository says. It is never typed. Without a
// name: the catalog has none.
func (t *Train) Replaces(tree, catalog fs.FS) (*olm.Catalog, olm.Published, error) {
	folder, err := fs.Sub(catalog, t.Recipe.Catalog.Path)
	if err != nil {
		return nil, olm.Published{}, err
	}
	have, err := olm.ReadPackage(folder)
	if err != nil {
		return nil, olm.Published{}, err
	}
	channels, err := olm.Channels(tree)
	return have, have.Replaced(Bare(t.Version), channels), err
}
