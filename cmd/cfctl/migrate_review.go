package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

type reviewOptions struct {
	migrateOptions
	repo, head string
}

func newMigrateReview(t *terminal) *cobra.Command {
	o := &reviewOptions{}
	cmd := &cobra.Command{
		Use:   "review [--base REF] [--head REF]",
		Short: "compare a migration PR with what the rulesets make",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Base == "" {
				if o.Base = migration.DefaultBase(cmd.Context(), o.repo); o.Base == "" {
					return usage("--base is needed: the branch or commit that the PR goes to")
				}
				t.note("base: %s", o.Base)
			}
			return runReview(cmd.Context(), t, o)
		},
	}
	o.rulesFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.repo, "repo", ".", "the repository, bare or with a work tree")
	f.StringVar(&o.Base, "base", "", "branch or commit that the PR goes to (default: the default branch of the remote origin)")
	f.StringVar(&o.head, "head", "HEAD", "the PR's branch or commit")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runReview(ctx context.Context, t *terminal, o *reviewOptions) error {
	if len(o.Rulesets) == 0 {
		if err := t.noteNoRulesets(); err != nil {
			return err
		}
	}
	m, err := o.Migration(ctx, &t.User)
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, o.repo)
	if err != nil {
		return err
	}
	defer repo.Close()
	ancestor, err := repo.MergeBase(ctx, o.Base, o.head)
	if err != nil {
		return migration.ShallowHint(ctx, repo, err)
	}
	base, err := repo.Tree(ctx, ancestor)
	if err != nil {
		return err
	}
	head, err := repo.BoundedTree(ctx, o.head, git.MostFiles)
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
	if o.head == "HEAD" && uncommitted(ctx, repo, r.Report()) {
		return source.Hinted(errors.New("review compares commits, and what the rulesets change is changed in the work tree alone"), "commit the changes first")
	}
	if o.output == "text" {
		t.preview(false).Findings(r)
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

// uncommitted says whether a finding is about a file that is changed in the work tree alone.
func uncommitted(ctx context.Context, repo *git.Repo, r *report.Report) bool {
	changed, err := repo.Status(ctx)
	return err == nil && slices.ContainsFunc(r.Findings, func(f report.Finding) bool {
		return f.Severity == report.Error && slices.Contains(changed, f.Path)
	})
}

func newMigrateUndo(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "undo [PATH]",
		Short: "undo the last --write of this work tree",
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

func newMigrateRemaining(t *terminal) *cobra.Command {
	o := &migrateOptions{Options: migration.Options{GoCode: "on", GoStep: "move"}}
	cmd := &cobra.Command{
		Use:   "remaining [PATH...]",
		Short: "list every occurrence of an old name, with what was decided",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.preset = !chosen(cmd.Flags().Lookup("ruleset"))
			return runRemaining(cmd.Context(), t, o, args)
		},
	}
	o.rulesFlags(cmd)
	cmd.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "patterns of files to skip, as in .gitignore")
	outputFlag(cmd, &o.output, "text", "json")
	return cmd
}

func newMigrateTasks(t *terminal) *cobra.Command {
	o := &migrateOptions{Options: migration.Options{GoCode: "on", GoStep: "move"}}
	prompts := false
	cmd := &cobra.Command{
		Use:   "tasks [PATH...]",
		Short: "print what needs review as a checklist or as prompts",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.preset = !chosen(cmd.Flags().Lookup("ruleset"))
			plan, _, tree, err := o.planned(cmd.Context(), t, args)
			if err != nil {
				return err
			}
			defer tree.Close()
			report.Fprintf(t.out, "%s", report.Raw(migration.Tasks(plan.Tasks(), prompts)))
			return nil
		},
	}
	o.rulesFlags(cmd)
	cmd.Flags().StringSliceVar(&o.Exclude, "exclude", nil, "patterns of files to skip, as in .gitignore")
	cmd.Flags().BoolVar(&prompts, "prompts", false, "print one text for each task, separated by lines of ---")
	return cmd
}

// planned is the plan of a tree that is not written. The tree is to be closed.
func (o *migrateOptions) planned(ctx context.Context, t *terminal, args []string) (*migrate.Plan, *migrate.Migration, *source.Tree, error) {
	if o.preset {
		if err := t.noteNoRulesets(); err != nil {
			return nil, nil, nil, err
		}
	}
	m, err := o.Migration(ctx, &t.User)
	if err != nil {
		return nil, nil, nil, err
	}
	paths, err := o.Paths(ctx, args)
	if err != nil {
		return nil, nil, nil, err
	}
	tree, err := source.Open(paths)
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := m.Plan(ctx, tree, source.WalkOptions{Exclude: o.Exclude})
	if err != nil {
		tree.Close()
		return nil, nil, nil, err
	}
	migration.WithoutOwn(plan, tree, o.Rulesets, nil)
	return plan, m, tree, nil
}

func runRemaining(ctx context.Context, t *terminal, o *migrateOptions, args []string) error {
	plan, m, tree, err := o.planned(ctx, t, args)
	if err != nil {
		return err
	}
	defer tree.Close()
	list, project, err := m.Remaining(ctx, tree, plan, source.WalkOptions{Exclude: o.Exclude})
	if err != nil {
		return err
	}
	if o.output == "json" {
		return report.WriteJSON(t.out, map[string]any{"schema": 1, "command": "migrate remaining", "remaining": list, "notListed": append([]string{}, project...)})
	}
	for _, e := range list {
		why := e.Why
		if e.Answer == "changed" {
			why = "becomes " + e.New
		}
		place := e.Path
		if e.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", e.Path, e.Line, e.Column)
		}
		report.Fprintf(t.out, "%s\n", strings.TrimSuffix(fmt.Sprintf("%s: %s: %s: %s", place, e.Answer, cmp.Or(e.Old, "not read"), why), ": "))
	}
	t.note("%s: %s", report.Plural(len(list), "occurrence"), migration.Counts(list))
	if len(project) > 0 {
		t.note("not listed: what is a part of %s, which names the project", strings.Join(project, ", "))
	}
	return nil
}
