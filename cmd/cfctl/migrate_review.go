package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const reviewLong = `Compare a migration PR with what the rulesets make of its base. Lines that are
identical to those of cfctl are verified; lines written by hand are listed for
review. A reference that the PR missed or changed otherwise, and a label key
that it renamed, is a finding (exit 1).

The base is the common ancestor of --base and --head. Works without a checkout.`

type reviewOptions struct {
	migrateOptions
	repo, head string
}

func newMigrateReview(t *terminal) *cobra.Command {
	o := &reviewOptions{}
	cmd := &cobra.Command{
		Use:   "review [--base REF] [--head REF]",
		Short: "compare a migration PR with what the rulesets make",
		Long:  reviewLong,
		Example: `  cfctl migrate review --base origin/main
  cfctl migrate review --repo repo.git --base 7d2602e1 --head 7877b7b0 -o \
    markdown`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.base == "" {
				if o.base = defaultBase(cmd.Context(), o.repo); o.base == "" {
					return usage("--base is needed: the branch or commit that the PR goes to")
				}
				t.note("base: %s", o.base)
			}
			return runReview(cmd.Context(), t, o)
		},
	}
	o.rulesFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.repo, "repo", ".", "the repository, bare or with a work tree")
	f.StringVar(&o.base, "base", "", "branch or commit that the PR goes to (default: the default branch of the remote origin)")
	f.StringVar(&o.head, "head", "HEAD", "the PR's branch or commit")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

// defaultBase is the default branch of the remote origin, "" where it is not known.
func defaultBase(ctx context.Context, dir string) string {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return ""
	}
	defer repo.Close() //nolint:errcheck // was only read
	if branch, err := repo.RemoteHead(ctx, "origin"); err == nil && branch != "" {
		return "origin/" + branch
	}
	return ""
}

func runReview(ctx context.Context, t *terminal, o *reviewOptions) error {
	m, err := o.migration(ctx, t)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, o.repo)
	if err != nil {
		return err
	}
	defer repo.Close()
	ancestor, err := repo.MergeBase(ctx, o.base, o.head)
	if err != nil {
		return shallowHint(ctx, repo, err)
	}
	base, err := repo.Tree(ctx, ancestor)
	if err != nil {
		return err
	}
	head, err := repo.Tree(ctx, o.head)
	if err != nil {
		return err
	}
	touched, err := repo.Changed(ctx, ancestor, o.head)
	if err != nil {
		return err
	}
	moved, err := repo.Moved(ctx, ancestor, o.head)
	if err != nil {
		return err
	}
	r, err := m.Review(ctx, base, head, migrate.Diff{Touched: touched, Moved: moved})
	if err != nil {
		return err
	}
	if o.output == "text" {
		t.showReview(r)
		if err := t.printBeside("text", r.Report()); err != nil {
			return err
		}
	} else if err := t.print(o.output, r.Report()); err != nil {
		return err
	}
	t.note("%s changed, %d completely proven: %s proven, %s changed manually, %s", report.Plural(r.Files, "file"), r.Pure,
		report.Plural(r.Proven, "line"), report.Plural(r.ByHand, "line"), report.Plural(r.Errors(), "finding"))
	return pendingIf(r.Errors() > 0)
}

// showReview prints the findings first, then the lines to be read.
func (t *terminal) showReview(r *migrate.Review) {
	rep := r.Report()
	rep.Sort()
	for _, f := range rep.Findings {
		if f.Severity == report.Error {
			report.Fprintf(t.out, "%s: %s: %s\n", f.Place(), t.style("31", f.Rule), f.Message)
		}
	}
	head := false
	for _, f := range rep.Findings {
		if f.Severity == report.Error {
			continue
		}
		if !head {
			report.Fprintf(t.out, "\n%s\n", t.style("1", "Manual changes, to be reviewed:"))
			head = true
		}
		report.Fprintf(t.out, "%s: %s\n", f.Place(), f.Message)
	}
}

// shallowHint says how to get the history where an error is about one that is
// cut off: what jobs check out is, unless they ask for all of it.
func shallowHint(ctx context.Context, repo *git.Repo, err error) error {
	if !errors.Is(err, git.ErrNotFound) {
		return err
	}
	if !repo.Shallow(ctx) {
		return hinted{err, "git branch --all lists the branches; git fetch gets those that are new on the remote"}
	}
	return hinted{err, "this clone has only a part of the history: actions/checkout with fetch-depth: 0, GitLab with GIT_DEPTH: 0\ngit fetch --unshallow"}
}

// openAround opens the repository whose work tree holds a folder, from its top: a folder
// that is laid out as a bare repository has files of that work tree.
func openAround(ctx context.Context, dir string) (*git.Repo, error) {
	at, err := source.RealPath(dir)
	if err != nil {
		return nil, err
	}
	return git.Open(ctx, cmp.Or(source.WorkTree(at), dir))
}

const undoLong = `Undo the last cfctl migrate --write of this work tree, byte for byte: edits,
renames, created and removed files. If a file changed since, nothing is undone.
An interrupted write is rolled back, too.`

func newMigrateUndo(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "undo [PATH]",
		Short: "undo the last --write of this work tree",
		Long:  undoLong,
		Args:  argsOf(0, 1, "one path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			tree, err := source.Open(args)
			if err != nil {
				return err
			}
			defer tree.Close()
			names, err := tree.Undo(cmd.Context())
			if err != nil {
				return err
			}
			for _, name := range names {
				report.Fprintf(t.out, "%s\n", name)
			}
			t.note("%s restored", report.Plural(len(names), "file"))
			return nil
		},
	}
}
