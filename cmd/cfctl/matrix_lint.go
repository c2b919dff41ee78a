package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
)

const lintLong = `Check the declared matrix for mistakes, without reading the components:
malformed and unordered versions, unknown components, releases that violate the
declared rules, rules that no version can satisfy, that contradict each other or
are redundant, expired exceptions. In tables of releases it reports rows and cells
that cannot be read.

Exit 1 on a finding of severity error, with --strict on warnings too.`

type lintOptions struct {
	target
	output, date string
	strict       bool
}

func newMatrixLint(t *terminal) *cobra.Command {
	o := &lintOptions{}
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "check the declared matrix for mistakes",
		Long:  lintLong,
		Args:  noArgs,
		RunE:  o.withStack(t, func(_ context.Context, v *view, _ []string) error { return runMatrixLint(t, o, v) }),
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&o.strict, "strict", false, "exit 1 on warnings too")
	cmd.Flags().StringVar(&o.date, "date", "", "check exceptions as of this day, YYYY-MM-DD (default: today)")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runMatrixLint(t *terminal, o *lintOptions, v *view) error {
	now, err := day(o.date)
	if err != nil {
		return err
	}
	r := lintReport(v, now)
	found, tables, err := matrix.LintTables(v.stack, v.tree)
	if err != nil {
		return err
	}
	if tables+len(v.config.Releases)+len(v.config.Rules) == 0 {
		return nothingHint(&matrix.NothingError{Why: "no release and no rule is declared, and there is no table of releases"})
	}
	r.Findings = append(r.Findings, found...)
	about := fmt.Sprintf("%s, %s: ", report.Plural(len(v.config.Releases), "release"), report.Plural(len(v.config.Rules), "rule"))
	if tables > 0 {
		about = fmt.Sprintf("%s, %s", report.Plural(tables, "table"), about)
	}
	return conclude(t, o.output, o.strict, r, about)
}

func lintReport(v *view, now time.Time) *report.Report {
	r := &report.Report{Command: "matrix lint", Rules: matrix.LintRules, Full: true}
	r.Findings = matrix.Lint(v.stack, v.config, matrix.ReadLines(v.file.path, v.file.data), now)
	return r
}
