package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	head, err := repo.BoundedTree(ctx, o.head)
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

const remainingLong = `List every occurrence of an old group, version, kind or resource in any
spelling, with what cfctl decided about it: changed (by the next --write),
review, kept, skipped, or word: not a reference to the API. Nothing is written.`

const tasksLong = `Print what needs review as a checklist in Markdown, for an issue or a pull
request: what to do, where, and how to check the result. With --prompts, each
task is a separate text, for a developer or a coding agent. Nothing is written,
and no service is called.`

func newMigrateRemaining(t *terminal) *cobra.Command {
	o := &migrateOptions{goCode: "on", goStep: "move"}
	cmd := &cobra.Command{
		Use:   "remaining [PATH...]",
		Short: "list every occurrence of an old name, with what was decided",
		Long:  remainingLong,
		Example: `  cfctl migrate --write && cfctl migrate remaining
  cfctl migrate remaining -o json | jq .remaining`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.preset = !chosen(cmd.Flags().Lookup("ruleset"))
			return runRemaining(cmd.Context(), t, o, args)
		},
	}
	o.rulesFlags(cmd)
	cmd.Flags().StringSliceVar(&o.exclude, "exclude", nil, "patterns of files to skip, as in .gitignore")
	outputFlag(cmd, &o.output, "text", "json")
	return cmd
}

func newMigrateTasks(t *terminal) *cobra.Command {
	o := &migrateOptions{goCode: "on", goStep: "move"}
	prompts := false
	cmd := &cobra.Command{
		Use:   "tasks [PATH...]",
		Short: "print what needs review as a checklist or as prompts",
		Long:  tasksLong,
		Example: `  cfctl migrate tasks | gh issue create --title "Finish the migration" \
    --body-file -
  cfctl migrate tasks --prompts`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.preset = !chosen(cmd.Flags().Lookup("ruleset"))
			plan, _, tree, err := o.planned(cmd.Context(), t, args)
			if err != nil {
				return err
			}
			defer tree.Close()
			report.Fprintf(t.out, "%s", report.Raw(tasksText(plan.Tasks(), prompts)))
			return nil
		},
	}
	o.rulesFlags(cmd)
	cmd.Flags().StringSliceVar(&o.exclude, "exclude", nil, "patterns of files to skip, as in .gitignore")
	cmd.Flags().BoolVar(&prompts, "prompts", false, "print one text for each task, separated by lines of ---")
	return cmd
}

// planned is the plan of a tree that is not written. The tree is to be closed.
func (o *migrateOptions) planned(ctx context.Context, t *terminal, args []string) (*migrate.Plan, *migrate.Migration, *source.Tree, error) {
	if o.preset {
		if _, err := t.noRulesets(); err != nil {
			return nil, nil, nil, err
		}
	}
	m, err := o.migration(ctx, t)
	if err != nil {
		return nil, nil, nil, err
	}
	paths, err := o.paths(ctx, args)
	if err != nil {
		return nil, nil, nil, err
	}
	tree, err := source.Open(paths)
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := m.Plan(ctx, tree, source.WalkOptions{Exclude: o.exclude})
	if err != nil {
		tree.Close()
		return nil, nil, nil, err
	}
	withoutOwn(plan, tree, o.rulesets, nil)
	return plan, m, tree, nil
}

func runRemaining(ctx context.Context, t *terminal, o *migrateOptions, args []string) error {
	plan, m, tree, err := o.planned(ctx, t, args)
	if err != nil {
		return err
	}
	defer tree.Close()
	list, err := m.Remaining(ctx, tree, plan, source.WalkOptions{Exclude: o.exclude})
	if err != nil {
		return err
	}
	if o.output == "json" {
		return report.WriteJSON(t.out, map[string]any{"schema": 1, "command": "migrate remaining", "remaining": list})
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
	t.note("%s: %s", report.Plural(len(list), "occurrence"), countsOf(list))
	return nil
}

// countsOf are how many occurrences have each answer, with the formats of their files.
func countsOf(list []migrate.Entry) string {
	answers, formats := map[string]int{}, map[string]map[string]int{}
	for _, e := range list {
		if answers[e.Answer]++; formats[e.Answer] == nil {
			formats[e.Answer] = map[string]int{}
		}
		formats[e.Answer][migrate.FormatOf(e.Path)]++
	}
	var parts []string
	for _, answer := range []string{"changed", "review", "kept", "word", "skipped"} {
		if answers[answer] == 0 {
			continue
		}
		var by []string
		for _, format := range slices.Sorted(maps.Keys(formats[answer])) {
			by = append(by, fmt.Sprintf("%s %d", format, formats[answer][format]))
		}
		parts = append(parts, fmt.Sprintf("%d %s (%s)", answers[answer], answer, strings.Join(by, ", ")))
	}
	return cmp.Or(strings.Join(parts, "; "), "no old name remains")
}

// tasksText is a checklist, or one text for each task.
func tasksText(tasks []migrate.Task, prompts bool) string {
	var b strings.Builder
	for i, x := range tasks {
		if !prompts {
			fmt.Fprintf(&b, "- [ ] %s\n", report.Cell(x.Title))
			for _, place := range x.Places {
				fmt.Fprintf(&b, "  - %s\n", report.Code(place))
			}
			if x.Do != "" {
				fmt.Fprintf(&b, "  - Do: %s\n", report.Cell(x.Do))
			}
			fmt.Fprintf(&b, "  - Check: %s\n", report.Code(x.Check))
			continue
		}
		if i > 0 {
			b.WriteString("---\n")
		}
		fmt.Fprintf(&b, "A migration of Kubernetes API names is not finished in this repository.\n\nProblem: %s\n", report.Visible(x.Title))
		if x.Do != "" {
			fmt.Fprintf(&b, "What to do: %s\n", report.Visible(x.Do))
		}
		fmt.Fprintf(&b, "Where:\n")
		for _, place := range x.Places {
			fmt.Fprintf(&b, "  %s\n", report.Visible(place))
		}
		fmt.Fprintf(&b, "Done when: `%s` no longer lists it. Change nothing else.\n", x.Check)
	}
	return b.String()
}
