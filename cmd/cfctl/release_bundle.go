package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A bundleOptions is what the user chose.
type bundleOptions struct {
	project.Target
	check   validation
	out     string
	offline bool
	made    olm.Options
}

func newReleaseBundle(t *terminal) *cobra.Command {
	o := &bundleOptions{}
	cmd := command(t, o, "bundle (--version X.Y.Z --out DIR | --validate DIR)", "create the operator's OLM bundle, or validate one", runBundle)
	targetFlags(cmd, &o.Target)
	o.check.flags(t, cmd)
	f := cmd.Flags()
	f.StringVar(&o.made.Version, "version", "", "version of the bundle")
	f.StringVar(&o.made.Replaces, "replaces", "", "previous version in the channel; none = the first bundle")
	f.StringVar(&o.made.Image, "image", "", "operator image, for its Deployment and the containerImage annotation")
	f.StringVar(&o.out, "out", "", "where the bundle goes: a new or empty folder")
	f.StringVar(&o.made.Package, "package", "", "package name (default: projectName of PROJECT)")
	f.StringVar(&o.made.Root, "kustomize", "", "kustomize root in the repository (default: config/manifests)")
	f.StringVar(&o.made.Channels, "channels", "", "channels, separated by commas (default: CHANNELS of the Makefile, or alpha)")
	f.StringVar(&o.made.DefaultChannel, "default-channel", "", "default channel of the package")
	f.StringSliceVar(&o.made.ServiceAccounts, "extra-service-accounts", nil, "additional service accounts whose roles are in the CSV")
	f.BoolVar(&o.offline, "offline", false, "refuse remote kustomize references")
	return cmd
}

func runBundle(ctx context.Context, t *terminal, o *bundleOptions) error {
	if o.check.dir != "" {
		if o.out != "" || o.made.Version != "" {
			return usage("--validate checks an existing bundle: it cannot be combined with --version and --out")
		}
		return o.check.validate(ctx, t, o.check.dir)
	}
	if o.made.Version == "" || o.out == "" {
		return usage("--version and --out are needed, or --validate")
	}
	if o.check.base != "" {
		return usage("--base goes with --validate")
	}
	if err := emptyFolder(o.out); err != nil {
		return err
	}
	v, err := o.Open(ctx, &t.User)
	if err != nil {
		return err
	}
	defer v.Close()
	if o.made.CreatedAt, err = creationTime(t); err != nil {
		return err
	}
	if !o.offline {
		cache, err := t.Cache()
		if err != nil {
			return err
		}
		defer func() { _ = cache.Close() }() // only reading was done
		o.made.Remotes = olm.GitRemotes{Cache: cache}.Tree
	}
	b, err := olm.Generate(ctx, v.Tree, o.made)
	if err != nil {
		return err
	}
	for _, note := range b.Notes {
		t.note("note: %s", note)
	}
	if err := b.Write(o.out); err != nil {
		return err
	}
	t.note("%s: bundle of %s, %d files", filepath.ToSlash(o.out), b.Name, len(b.Files))
	return o.check.validate(ctx, t, o.out)
}

// creationTime is now, or SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/).
func creationTime(t *terminal) (time.Time, error) {
	epoch, ok := t.Env["SOURCE_DATE_EPOCH"]
	if !ok || epoch == "" {
		return time.Now(), nil
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%s is not a number of seconds", epoch)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// emptyFolder refuses a target that holds anything: a file that is left over
// from another run would become part of the bundle.
func emptyFolder(dir string) error {
	root, err := source.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err == nil && len(entries) > 0 {
		err = hinted{fmt.Errorf("%s is not empty", dir), "name another folder with --out, or remove it first"}
	}
	return err
}

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
		return project.UsageOf(err)
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
		commits, err := olm.CommitsOf(ctx, dir, o.base)
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
