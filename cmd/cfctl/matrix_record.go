package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/show"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const recordLong = `Write the result of a test of one combination of versions into a file of the
work tree: matrix.results of .cfctl.yaml, or .cfctl/results.yaml. A result of
the same combination is replaced. A CI job runs it after the tests, and commits
the file.

"cfctl matrix render --tested" makes a table of the results; resolve and why use
only combinations that passed with --tested.`

type recordOptions struct {
	target
	components        []string
	result, url, date string
}

func newMatrixRecord(t *terminal) *cobra.Command {
	o := &recordOptions{}
	cmd := &cobra.Command{
		Use:     "record --component NAME=VERSION... --result pass|fail",
		Short:   "record whether a combination of versions passed its tests",
		Long:    recordLong,
		Example: "  cfctl matrix record --component mcad=v1.39.0 --component kuberay=v1.0.0 \\\n    --result pass --url https://ci.example.com/runs/17",
		Args:    noArgs,
		RunE:    o.withStack(t, func(ctx context.Context, v *view, _ []string) error { return runMatrixRecord(ctx, t, o, v) }),
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "repo", ".", "work tree of the stack's root")
	f.StringArrayVar(&o.components, "component", nil, "NAME=VERSION that was tested; for each component of the combination")
	f.StringVar(&o.result, "result", "", "result of the test: pass or fail")
	f.StringVar(&o.url, "url", "", "address of the run, for readers of the table")
	f.StringVar(&o.date, "date", "", "day of the test, YYYY-MM-DD (default: today)")
	return cmd
}

func runMatrixRecord(ctx context.Context, t *terminal, o *recordOptions, v *view) error {
	if o.result != matrix.Pass && o.result != matrix.Fail {
		return usage("--result is pass or fail, got %q", o.result)
	}
	now, err := day(o.date)
	if err != nil {
		return err
	}
	if err := v.needsWorkTree(o.dir, "record"); err != nil {
		return err
	}
	if len(o.components) == 0 {
		return usage("--component NAME=VERSION is missing: which combination was tested?")
	}
	bumps, err := readBumps(v.stack, o.components)
	if err != nil {
		return err
	}
	r := matrix.Result{Date: now.Format(time.DateOnly), Result: o.result, URL: o.url, Components: map[string]string{}}
	for _, b := range bumps {
		r.Components[b.Component.Name] = b.Version
	}
	path := v.config.ResultsPath()
	data, err := fs.ReadFile(v.tree, path)
	c := source.Change{From: path, To: path, Before: source.SumOf(data)}
	if errors.Is(err, fs.ErrNotExist) {
		c.From = ""
	} else if err != nil {
		return err
	}
	results, err := matrix.ReadResults(v.stack, v.config, v.tree)
	if err != nil {
		return err
	}
	if err := results.Record(r); err != nil {
		return err
	}
	c.Edits = []source.Edit{{Span: source.Span{End: len(data)}, New: string(results.Encode())}}
	if err := commitFiles(ctx, v, []source.Change{c}); err != nil {
		return err
	}
	t.note("%s: %s: %s", path, r.Result, show.Set(results.Set(r)))
	return nil
}

// testedFlag adds --tested to a command that chooses between versions.
func testedFlag(cmd *cobra.Command, tested *bool) {
	cmd.Flags().BoolVar(tested, "tested", false, "use only combinations that were recorded as pass (matrix record)")
}

// results are the recorded ones; none is an error.
func (v *view) results() (*matrix.Results, error) {
	results, err := matrix.ReadResults(v.stack, v.config, v.tree)
	if err == nil && len(results.List) == 0 {
		err = hinted{errorf("%s has no results", v.config.ResultsPath()), "cfctl matrix record, after the tests of a combination"}
	}
	return results, err
}

// resolveTested answers resolve --tested.
func (o *resolveOptions) resolveTested(t *terminal, v *view, wants []matrix.Want) error {
	results, err := v.results()
	if err != nil {
		return err
	}
	passed := results.Passed(wants...)
	var set []matrix.Member
	if len(passed) > 0 {
		set = results.Set(passed[0])
	}
	if o.output == "json" {
		err = report.WriteJSON(t.out, map[string]any{"schema": 1, "supported": len(passed) > 0, "tested": append([]matrix.Result{}, passed...), "set": show.SetJSON(set)})
	} else {
		for _, r := range passed {
			report.Fprintf(t.out, "%s\n", strings.TrimSpace("tested on "+r.Date+": "+show.Set(results.Set(r))+" "+r.URL))
		}
		if set == nil {
			t.note("no combination that passed has all of them; nearest:")
			show.Misses(t.out, results.Nearest(wants))
		}
	}
	return cmp.Or(err, pendingIf(set == nil))
}

// whyTested answers why --tested.
func (o *whyOptions) whyTested(t *terminal, v *view, wants []matrix.Want) error {
	results, err := v.results()
	if err != nil {
		return err
	}
	why := results.Why(wants[0], wants[1])
	var set []matrix.Member
	if why == nil {
		set = results.Set(results.Passed(wants...)[0])
	}
	if why == nil || o.output == "json" {
		return o.answer(t, wants, why, set)
	}
	report.Fprintf(t.out, "no combination that passed has %s and %s\n", show.Called(wants[0]), show.Called(wants[1]))
	if l := why.Chain[0]; len(l.Where) > 0 {
		report.Fprintf(t.out, "  %s\n", strings.Replace(show.Link(l), " goes with ", " passed with ", 1))
	}
	return errPending
}

// writeTested answers render --tested.
func (o *renderOptions) writeTested(ctx context.Context, t *terminal, v *view) error {
	results, err := v.results()
	if err != nil {
		return err
	}
	if !o.write && !o.check {
		_, err := t.out.WriteString(results.Table())
		return err
	}
	path := v.stack.Table.Path
	data, err := fs.ReadFile(v.tree, path)
	if err != nil {
		return err
	}
	span, ok := matrix.TestedTable.Markers(data)
	if !ok {
		return &source.Error{
			Path: path, Err: errors.New("it has no place for the table of tested combinations"),
			Hint: "put two comment lines there: <!-- " + matrix.TestedTable.Start + " --> and <!-- " + matrix.TestedTable.End + " -->",
		}
	}
	return o.place(ctx, t, v, path, data, source.Edit{Span: span, New: "\n" + results.Table() + "\n"})
}
