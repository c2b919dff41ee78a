package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

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
