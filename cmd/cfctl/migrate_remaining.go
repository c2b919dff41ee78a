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

func newMigrateRemaining(t *terminal) *cobra.Command {
	o := &migrateOptions{goCode: "on", goStep: "move"}
	cmd := &cobra.Command{
		Use:   "remaining [PATH...]",
		Short: "list every occurrence of an old name, with what was decided",
		Long:  remainingLong,
		Example: `  cfctl migrate --write && cfctl migrate remaining
  cfctl migrate remaining -o json | jq .remaining`,
		RunE: func(cmd *cobra.Command, args []string) error { return runRemaining(cmd.Context(), t, o, args) },
	}
	o.rulesFlags(cmd)
	cmd.Flags().StringSliceVar(&o.exclude, "exclude", nil, "patterns of files to skip, as in .gitignore")
	outputFlag(cmd, &o.output, "text", "json")
	return cmd
}

func runRemaining(ctx context.Context, t *terminal, o *migrateOptions, args []string) error {
	m, err := o.migration(ctx, t)
	if err != nil {
		return err
	}
	tree, err := source.Open(args)
	if err != nil {
		return err
	}
	defer tree.Close()
	plan, err := m.Plan(ctx, tree, source.WalkOptions{Exclude: o.exclude})
	if err != nil {
		return err
	}
	withoutOwn(plan, tree, o.rulesets, nil)
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
