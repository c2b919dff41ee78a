package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const releaseNotesLong = `Write the notes of a release of the stack: highlights from a file, breaking
changes, the compatibility matrix, and for every component the changes since its
version in the previous release: pull requests by group, with their authors, and
the changes of its CRDs' schemas (fields added, removed, made required).

The versions are those of the table at the tag VERSION; without such a tag,
those of the declared matrix, or of the table in the work tree (or at --ref),
with COMPONENT VERSION arguments over them. The previous release is the highest
lower tag of the root's repository, or --since.

Components' repositories are read with git, without a checkout, into the user's
cache folder.

Exit 1 when the changes of a component are not known because its tag does not
exist.`

type releaseNotesOptions struct {
	target
	since, highlights, output string
}

func newReleaseNotes(t *terminal) *cobra.Command {
	o := &releaseNotesOptions{}
	cmd := &cobra.Command{
		Use:   "notes VERSION [COMPONENT VERSION]...",
		Short: "write release notes from the changes of every component",
		Long:  releaseNotesLong,
		Example: `  cfctl release notes v1.2.0
  cfctl release notes v1.3.0 codeflare-sdk v0.15.0 --highlights highlights.md`,
		RunE: o.withTree(t, func(ctx context.Context, v *view, args []string) error { return runReleaseNotes(ctx, t, o, v, args) }),
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "previous release (default: the highest lower tag)")
	f.StringVar(&o.highlights, "highlights", "", "file with Markdown to put first; - = standard input")
	outputFlag(cmd, &o.output, "markdown", "markdown", "json")
	return cmd
}

func runReleaseNotes(ctx context.Context, t *terminal, o *releaseNotesOptions, v *view, args []string) error {
	if len(args) == 0 {
		return usage("release notes needs a version")
	}
	version := "v" + strings.TrimPrefix(args[0], "v")
	if !stack.IsVersion(version) {
		return usage("version %q is not a semantic version vMAJOR.MINOR.PATCH", version)
	}
	if v.repo == nil {
		return usage("%s is in no git repository", o.dir)
	}
	var highlights []byte
	if o.highlights != "" {
		var err error
		if highlights, err = t.read(o.highlights); err != nil {
			return err
		}
	}
	now, err := o.now(ctx, v, version, args[1:])
	if err != nil {
		return err
	}
	before, err := o.before(ctx, v, version)
	if err != nil {
		return err
	}
	cache, err := v.sources(ctx)
	if err != nil {
		return err
	}
	t.status("reading the components' repositories")
	head := cmp.Or(o.ref, "HEAD")
	from := notes.Sources{Stack: v.stack, Remotes: &git.Remotes{}, Cache: cache, Root: v.repo, Head: head}
	log, err := notes.New(ctx, v.stack, from, release.ForNotes(v.stack, now), release.ForNotes(v.stack, before), string(highlights))
	if err != nil {
		return remoteHint(err, "")
	}
	return showChangelog(t, o.output, log)
}

func showChangelog(t *terminal, output string, log *notes.Changelog) error {
	var err error
	if output == "json" {
		err = report.WriteJSON(t.out, log)
	} else {
		err = log.WriteMarkdown(t.out)
	}
	if err != nil {
		return err
	}
	for _, c := range log.Problems() {
		t.note("%s %s: what changed is not known: %s", c.Name, c.Version, c.Problem)
	}
	return pendingIf(len(log.Problems()) > 0)
}

// now is the release that the notes are of.
func (o *releaseNotesOptions) now(ctx context.Context, v *view, version string, args []string) (*matrix.Release, error) {
	bumps, err := readBumps(v.stack, args)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, b := range bumps {
		versions[b.Component.Name] = b.Version
	}
	base, err := v.released(ctx, version, v.tree)
	if err != nil {
		return nil, err
	}
	return release.With(base, v.stack, version, versions), nil
}

// released is a release as the table of its tag says, else as it is declared, else as
// the table of another tree says; nil = without its tag there is none.
func (v *view) released(ctx context.Context, version string, tree fs.FS) (*matrix.Release, error) {
	tagged, err := v.repo.Tree(ctx, "refs/tags/"+v.stack.RootComponent().TagOf(version))
	switch {
	case err != nil && tree == nil:
		return nil, hinted{err, "name a release that has a tag with --since"}
	case err != nil && !errors.Is(err, git.ErrNotFound):
		return nil, err
	case err == nil:
		if r, err := release.ReleaseOf(v.stack, tagged); err == nil {
			return r, nil
		}
		if tree == nil {
			tree = tagged
		}
	}
	if r, ok := v.config.Release(version); ok {
		return r, nil
	}
	return release.ReleaseOf(v.stack, tree)
}

// before is the release before; nil when there is none.
func (o *releaseNotesOptions) before(ctx context.Context, v *view, version string) (*matrix.Release, error) {
	since := o.since
	if since == "" {
		tags, err := v.repo.Tags(ctx)
		if err != nil {
			return nil, err
		}
		named := map[string]git.Ref{}
		for _, tag := range tags {
			named[tag.Name] = tag
		}
		if since = release.Newest(v.stack.RootComponent(), named, version); since == "" {
			return nil, nil //nolint:nilnil // no release before is an answer
		}
	}
	return v.released(ctx, "v"+strings.TrimPrefix(since, "v"), nil)
}
