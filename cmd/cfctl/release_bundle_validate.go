package main

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A validation is what the user chose of the rules.
type validation struct {
	dir, catalog, kube, base, output string
	digests, images, strict          bool
}

func (o *validation) flags(t *terminal, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.dir, "validate", "", "validate the bundle in this folder instead, made by any tool")
	f.StringVar(&o.catalog, "catalog", "", "catalog to check it against: its root, its operators/, or the package's folder in it")
	f.StringVar(&o.kube, "kube", "", "Kubernetes version, 1.31, that must serve every API")
	f.BoolVar(&o.digests, "digests", false, "require every image by digest, and as a related image")
	f.BoolVar(&o.images, "images", false, "check that every image is in its registry")
	f.StringVar(&o.base, "base", "", "with --validate: also check the commits since this branch (one folder, sign-off)")
	f.BoolVar(&o.strict, "strict", false, "exit 1 on warnings too")
	findingsFlags(t, cmd, &o.output)
}

// validate runs the rules over the bundle in dir and prints what they found.
func (o *validation) validate(ctx context.Context, t *terminal, dir string) error {
	if err := olm.CheckKube(o.kube); err != nil {
		return usageError{err}
	}
	files, err := source.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // only reading is done
	check := olm.Check{Dir: filepath.ToSlash(filepath.Clean(dir)), Kube: o.kube, Digests: o.digests}
	if o.images {
		check.Images = bundleImages{&registry.Images{Transport: registryQueue(t)}}
	}
	if o.catalog != "" {
		catalog, err := source.OpenRoot(o.catalog)
		if err != nil {
			return err
		}
		defer func() { _ = catalog.Close() }() // only reading is done
		check.Catalog = catalog.FS()
	}
	if o.base != "" {
		commits, err := commitsOf(ctx, dir, o.base)
		if err != nil {
			return err
		}
		check.Commits = commits
	}
	findings, err := olm.Validate(ctx, files.FS(), check)
	if err != nil {
		return err
	}
	return o.show(t, findings)
}

// bundleImages asks for the images of a bundle: one that is not there is no trouble.
type bundleImages struct{ *registry.Images }

func (b bundleImages) Digest(ctx context.Context, ref string) (string, error) {
	digest, err := b.Images.Digest(ctx, ref)
	if errors.Is(err, wire.ErrNotFound) {
		return "", nil
	}
	return digest, err
}

func (o *validation) show(t *terminal, findings []report.Finding) error {
	if o.output == "text" {
		findings = slices.DeleteFunc(findings, func(f report.Finding) bool { return f.Severity == report.Note })
	}
	r := &report.Report{Command: "release bundle", Rules: olm.Rules(), Findings: findings, Title: "OLM bundle"}
	return conclude(t, o.output, o.strict, r, "")
}

// commitsOf are the commits of the repository that dir lies in since its
// common ancestor with base.
func commitsOf(ctx context.Context, dir, base string) (*olm.Commits, error) {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = repo.Close() }() // only reading was done
	folder, err := folderIn(repo, dir)
	if err != nil {
		return nil, err
	}
	from, err := repo.MergeBase(ctx, base, "HEAD")
	if err != nil {
		return nil, err
	}
	commits := &olm.Commits{Folder: folder}
	if commits.Changed, err = repo.Changed(ctx, from, "HEAD"); err != nil {
		return nil, err
	}
	log, err := repo.Log(ctx, from, "HEAD")
	if err != nil {
		return nil, err
	}
	for _, c := range log {
		if len(c.Parents) > 1 {
			continue // a merge is no one's contribution
		}
		commits.List = append(commits.List, olm.Commit{Hash: c.Hash, Author: c.Author, Email: c.Email, Message: c.Subject + "\n\n" + c.Body})
	}
	return commits, nil
}

// folderIn is the slash-separated path of dir in its repository.
func folderIn(repo *git.Repo, dir string) (string, error) {
	top, err := filepath.EvalSymlinks(repo.Dir)
	if err != nil {
		return "", err
	}
	abs, err := realPath(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil {
		return "", err
	}
	rel = path.Clean(filepath.ToSlash(rel))
	if !fs.ValidPath(rel) {
		return "", errors.New(dir + " lies outside of its repository")
	}
	return rel, nil
}
