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
	"github.com/project-codeflare/cfctl/internal/matrix/choose"
	"github.com/project-codeflare/cfctl/internal/matrix/show"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

type resolveOptions struct {
	project.Target
	output string
	tested bool
}

func newMatrixResolve(t *terminal) *cobra.Command {
	o := &resolveOptions{}
	cmd := onStack(t, o, "resolve COMPONENT=VERSION...", "list the releases that support a set of installed versions", argsOf(1, anyNumber, "COMPONENT=VERSION"), runMatrixResolve)
	cmd.Flags().StringVar(&o.Dir, "repo", ".", "repository of the stack's root, bare or not")
	testedFlag(cmd, &o.tested)
	outputFlag(cmd, &o.output, "text", "text", "json")
	return cmd
}

func runMatrixResolve(ctx context.Context, t *terminal, o *resolveOptions, v *project.View, args []string) error {
	wants, err := choose.ReadWants(v.Stack, args, false)
	if err != nil {
		return project.UsageOf(err)
	}
	if o.tested {
		return o.resolveTested(t, v, wants)
	}
	m, releases, err := v.Known().Model(ctx, wants)
	if err != nil {
		return err
	}
	exact, answers := choose.Resolve(releases, wants)
	set, ok, err := m.Newest(wants)
	if err != nil {
		return err
	}
	if o.output == "json" {
		err = report.WriteJSON(t.out, show.ResolveJSON(ok, answers, set))
	} else {
		switch {
		case exact && set == nil:
			t.note("these releases have them, and no set of all components that every rule allows does:")
		case !exact && set == nil:
			t.note("no release supports all of them; nearest:")
		}
		show.Misses(t.out, answers)
		if set != nil {
			report.Fprintf(t.out, "newest set: %s\n", show.Set(set))
		}
	}
	return cmp.Or(err, pendingIf(!ok))
}

type whyOptions struct {
	project.Target
	output string
	tested bool
}

func newMatrixWhy(t *terminal) *cobra.Command {
	o := &whyOptions{}
	cmd := onStack(t, o, "why A[=VERSION] B[=VERSION]", "explain why two components are incompatible", argsOf(2, 2, "two components"), runMatrixWhy)
	targetFlags(cmd, &o.Target)
	testedFlag(cmd, &o.tested)
	outputFlag(cmd, &o.output, "text", "text", "json")
	return cmd
}

func runMatrixWhy(ctx context.Context, t *terminal, o *whyOptions, v *project.View, args []string) error {
	wants, err := choose.ReadWants(v.Stack, args, true)
	if err != nil {
		return project.UsageOf(err)
	}
	if wants[0].Component == wants[1].Component {
		return usage("%s goes with itself: name two components", wants[0].Component.Name)
	}
	if o.tested {
		return o.whyTested(t, v, wants)
	}
	m, _, err := v.Known().Model(ctx, wants)
	if err != nil {
		return err
	}
	set, _, err := m.Newest(wants)
	if err != nil {
		return err
	}
	why, err := m.Why(wants[0], wants[1])
	if err != nil {
		return err
	}
	return o.answer(t, wants, why, set)
}

// answer prints why two components do not go together; nil = they do, in the set.
func (o *whyOptions) answer(t *terminal, wants []choose.Want, why *choose.Explanation, set []choose.Member) (err error) {
	if o.output == "json" {
		err = report.WriteJSON(t.out, show.WhyJSON(why, set))
	} else {
		show.Why(t.out, wants, why, set)
		if why == nil {
			t.note("%s and %s go together", show.Called(wants[0]), show.Called(wants[1]))
		}
	}
	return cmp.Or(err, pendingIf(why != nil))
}

type depsOptions struct {
	project.Target
	only   []string
	output string
	all    bool
}

func newMatrixDeps(t *terminal) *cobra.Command {
	o := &depsOptions{}
	cmd := onStack(t, o, "deps", "intersect the go.mod files of the components", noArgs, runMatrixDeps)
	targetFlags(cmd, &o.Target)
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "only these components (default: those that are built in, and their dependencies)")
	cmd.Flags().BoolVar(&o.all, "all", false, "also list the modules that agree")
	outputFlag(cmd, &o.output, "text", "text", "json")
	return cmd
}

func runMatrixDeps(ctx context.Context, t *terminal, o *depsOptions, v *project.View, _ []string) error {
	cache, err := v.Sources(ctx)
	if err != nil {
		return err
	}
	t.status("reading go.mod files")
	d, err := matrix.ReadDeps(ctx, v.Stack, v.Tree, cache, o.only, v.Config.Releases)
	if errors.Is(err, fs.ErrNotExist) {
		return hinted{errors.New("the root of the stack has no go.mod"), "cfctl matrix deps compares Go modules; --repo DIR names the root's repository"}
	}
	if err != nil {
		return remoteHint(err, "")
	}
	if o.output == "json" {
		return report.WriteJSON(t.out, struct {
			Schema int `json:"schema"`
			*matrix.Deps
		}{1, d})
	}
	return show.Deps(t.out, d, o.all)
}

type recordOptions struct {
	project.Target
	components        []string
	result, url, date string
}

func newMatrixRecord(t *terminal) *cobra.Command {
	o := &recordOptions{}
	cmd := onStack(t, o, "record --component NAME=VERSION... --result pass|fail", "record whether a combination of versions passed its tests", noArgs, runMatrixRecord)
	f := cmd.Flags()
	f.StringVar(&o.Dir, "repo", ".", "work tree of the stack's root")
	f.StringArrayVar(&o.components, "component", nil, "NAME=VERSION that was tested; for each component of the combination")
	f.StringVar(&o.result, "result", "", "result of the test: pass or fail")
	f.StringVar(&o.url, "url", "", "address of the run, for readers of the table")
	f.StringVar(&o.date, "date", "", "day of the test, YYYY-MM-DD (default: today)")
	return cmd
}

func runMatrixRecord(ctx context.Context, t *terminal, o *recordOptions, v *project.View, _ []string) error {
	if o.result != choose.Pass && o.result != choose.Fail {
		return usage("--result is pass or fail, got %q", o.result)
	}
	now, err := day(o.date)
	if err != nil {
		return err
	}
	if err := v.NeedsWorkTree(o.Dir, "record"); err != nil {
		return err
	}
	if len(o.components) == 0 {
		return usage("--component NAME=VERSION is missing: which combination was tested?")
	}
	bumps, err := matrix.ReadBumps(v.Stack, o.components)
	if err != nil {
		return project.UsageOf(err)
	}
	r := choose.Result{Date: now.Format(time.DateOnly), Result: o.result, URL: o.url, Components: matrix.VersionsOf(bumps)}
	path := v.Config.ResultsPath()
	data, err := fs.ReadFile(v.Tree, path)
	c := source.Change{From: path, To: path, Before: source.SumOf(data)}
	if errors.Is(err, fs.ErrNotExist) {
		c.From = ""
	} else if err != nil {
		return err
	}
	results, err := choose.ReadResults(v.Stack, v.Config, v.Tree)
	if err != nil {
		return err
	}
	if err := results.Record(r); err != nil {
		return err
	}
	c.Edits = []source.Edit{{Span: source.Span{End: len(data)}, New: string(results.Encode())}}
	if err := v.Commit(ctx, []source.Change{c}); err != nil {
		return err
	}
	t.note("%s: %s: %s", path, r.Result, show.Set(results.Set(r)))
	return nil
}

// testedFlag adds --tested to a command that chooses between versions.
func testedFlag(cmd *cobra.Command, tested *bool) {
	cmd.Flags().BoolVar(tested, "tested", false, "use only combinations that were recorded as pass (matrix record)")
}

// resolveTested answers resolve --tested.
func (o *resolveOptions) resolveTested(t *terminal, v *project.View, wants []choose.Want) error {
	results, err := v.Results()
	if err != nil {
		return err
	}
	passed := results.Passed(wants...)
	var set []choose.Member
	if len(passed) > 0 {
		set = results.Set(passed[0])
	}
	if o.output == "json" {
		err = report.WriteJSON(t.out, map[string]any{"schema": 1, "supported": len(passed) > 0, "tested": append([]choose.Result{}, passed...), "set": show.SetJSON(set)})
	} else {
		for _, r := range passed {
			report.Fprintf(t.out, "%s\n", strings.TrimSpace("tested on "+r.Date+": "+show.Set(results.Set(r))+" "+r.URL))
		}
		if set == nil {
			t.note("no combination that passed has all of them")
		}
	}
	return cmp.Or(err, pendingIf(set == nil))
}

// whyTested answers why --tested.
func (o *whyOptions) whyTested(t *terminal, v *project.View, wants []choose.Want) error {
	results, err := v.Results()
	if err != nil {
		return err
	}
	if passed := results.Passed(wants...); len(passed) > 0 {
		return o.answer(t, wants, nil, results.Set(passed[0]))
	}
	if o.output == "json" {
		return o.answer(t, wants, &choose.Explanation{}, nil)
	}
	report.Fprintf(t.out, "no combination that passed has %s and %s\n", show.Called(wants[0]), show.Called(wants[1]))
	return errPending
}

// writeTested answers render --tested.
func (o *renderOptions) writeTested(ctx context.Context, t *terminal, v *project.View) error {
	results, err := v.Results()
	if err != nil {
		return err
	}
	if !o.write && !o.check {
		_, err := t.out.WriteString(results.Table())
		return err
	}
	path := v.Stack.Table.Path
	data, err := fs.ReadFile(v.Tree, path)
	if err != nil {
		return err
	}
	span, ok := choose.TestedTable.Markers(data)
	if !ok {
		return &source.Error{
			Path: path, Err: errors.New("it has no place for the table of tested combinations"),
			Hint: "put two comment lines there: <!-- " + choose.TestedTable.Start + " --> and <!-- " + choose.TestedTable.End + " -->",
		}
	}
	return o.place(ctx, t, v, path, data, source.Edit{Span: span, New: "\n" + results.Table() + "\n"})
}
