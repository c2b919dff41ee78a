package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/chain"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
)

type matrixCheckOptions struct {
	project.Target
	against, base, output, date string
	offline, strict, deep, fix  bool
	impact, dev                 bool
	timeout                     time.Duration
}

func newMatrixCheck(t *terminal) *cobra.Command {
	o := &matrixCheckOptions{}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "check the matrix against tags, links, files and releases",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.offline && o.deep && cmd.Flags().Changed("offline") != cmd.Flags().Changed("deep") {
				o.offline, o.deep = cmd.Flags().Changed("offline"), cmd.Flags().Changed("deep") // the flag wins over the file
			}
			o.deep = o.deep && (!o.dev || cmd.Flags().Changed("deep"))
			o.offline = o.offline && (!o.impact || cmd.Flags().Changed("offline"))
			return runMatrixCheck(cmd.Context(), t, o)
		},
	}
	targetFlags(cmd, &o.Target)
	f := cmd.Flags()
	f.StringVar(&o.against, "against", "previous", "report versions lower than in this tag, or in \"previous\": the nearest earlier release")
	f.StringVar(&o.base, "base", "", "report only findings that are new since this branch or commit")
	f.BoolVar(&o.offline, "offline", false, "do not use the network")
	f.BoolVar(&o.deep, "deep", false, "read the components' own repositories too")
	f.BoolVar(&o.impact, "impact", false, "check what the change since --base breaks in components that need this one")
	f.BoolVar(&o.dev, "dev", false, "check that tests take the main branches of components that this one needs")
	f.BoolVar(&o.strict, "strict", false, "exit 1 on warnings too")
	f.BoolVar(&o.fix, "fix", false, "write the mechanical fixes into the work tree")
	f.StringVar(&o.date, "date", "", "check deadlines as of this day, YYYY-MM-DD (default: today, or the day of --ref)")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "how long one remote may take to answer")
	findingsFlags(t, cmd, &o.output)
	bind(f, "offline", "matrix.check.offline")
	bind(f, "strict", "matrix.check.strict")
	bind(f, "deep", "matrix.check.deep")
	return cmd
}

func runMatrixCheck(ctx context.Context, t *terminal, o *matrixCheckOptions) error {
	if o.offline && o.deep {
		return usage("--offline and --deep exclude each other")
	}
	if o.dev && (o.impact || o.deep || o.base != "") {
		return usage("--dev excludes --impact, --deep and --base")
	}
	if o.impact && (o.base == "" || o.offline || o.fix) {
		return usage("--impact needs --base, and excludes --offline and --fix")
	}
	v, err := o.OpenStack(ctx, &t.User)
	if err != nil {
		return err
	}
	defer v.Close()
	now, err := day(o.date)
	if err == nil && o.date == "" && v.Root == "" && !o.impact && !o.dev {
		now, err = v.Repo.Date(ctx, cmp.Or(o.Ref, "HEAD"))
	}
	if err != nil {
		return err
	}
	in := &matrix.Input{Stack: v.Stack, Config: v.Config, Tree: v.Tree, Tag: v.Tag, Past: v.Past(), Now: now}
	if o.impact {
		return o.runImpact(ctx, t, v, in)
	}
	if o.fix && v.Root == "" {
		return usage("--fix writes into a work tree: it goes without --ref")
	}
	if o.dev {
		return o.runDev(ctx, t, v, in)
	}
	if err := o.ask(ctx, v, in); err != nil {
		return err
	}
	if v.Repo != nil && v.Repo.Shallow(ctx) {
		t.note("this clone has only a part of the history: earlier releases may be missing (fetch-depth: 0, GIT_DEPTH: 0)")
	}
	findings, err := matrix.Run(ctx, in)
	if err == nil && o.base != "" {
		findings, err = o.sinceBase(ctx, v, in, findings)
	}
	if err != nil {
		return nothingHint(remoteHint(err, offlineHint))
	}
	if findings, err = o.mend(ctx, v, findings, func() ([]report.Finding, error) { return matrix.Run(ctx, in) }); err != nil {
		return remoteHint(err, offlineHint)
	}
	return o.show(t, in, in.Rules(), findings, "compatibility matrix", "")
}

// mend writes the fixes, with --fix, and looks again: a row that follows the declaration
// now may have its places follow in turn.
func (o *matrixCheckOptions) mend(ctx context.Context, v *project.View, findings []report.Finding, look func() ([]report.Finding, error)) ([]report.Finding, error) {
	for range 3 {
		if !o.fix {
			break
		}
		fixed, err := v.Fix(ctx, findings)
		if err != nil || fixed == 0 {
			return findings, err
		}
		if findings, err = look(); err != nil {
			return nil, err
		}
	}
	return findings, nil
}

// ask gives the checks the servers that they may ask.
func (o *matrixCheckOptions) ask(ctx context.Context, v *project.View, in *matrix.Input) error {
	if o.against != "previous" {
		in.Against = o.against
	}
	if o.deep {
		cache, err := v.Sources(ctx)
		if err != nil {
			return err
		}
		in.Sources = cache
	}
	if o.offline {
		return nil
	}
	in.Tags = (&git.Remotes{Timeout: o.timeout}).Tags
	return v.AtForge(ctx)
}

// mergeBase is the common ancestor of --base and what is checked.
func (o *matrixCheckOptions) mergeBase(ctx context.Context, v *project.View) (string, error) {
	if v.Repo == nil {
		return "", usage("--base needs a git repository")
	}
	base, err := v.Repo.MergeBase(ctx, o.base, cmp.Or(o.Ref, "HEAD"))
	if err != nil {
		return "", migration.ShallowHint(ctx, v.Repo, err)
	}
	return base, nil
}

// sinceBase leaves out the findings that the common ancestor with --base has too.
func (o *matrixCheckOptions) sinceBase(ctx context.Context, v *project.View, in *matrix.Input, findings []report.Finding) ([]report.Finding, error) {
	base, err := o.mergeBase(ctx, v)
	if err != nil {
		return nil, err
	}
	old := *in
	if old.Tree, err = v.Repo.Tree(ctx, base); err != nil {
		return nil, err
	}
	old.Tag = ""
	before, err := matrix.Run(ctx, &old)
	var nothing *matrix.NothingError
	if err != nil && !errors.As(err, &nothing) {
		return nil, err
	}
	return matrix.New(before, findings), nil
}

func (o *matrixCheckOptions) show(t *terminal, in *matrix.Input, rules report.Rules, findings []report.Finding, title, about string) error {
	r := &report.Report{Command: "matrix check", Rules: rules, Findings: findings, Title: in.Stack.Name + ": " + title, Full: true}
	return conclude(t, o.output, o.strict, r, about)
}

// conclude prints a report and turns it into the answer of a gate. about, when
// not empty, is before the counts.
func conclude(t *terminal, output string, strict bool, r *report.Report, about string) error {
	if err := t.print(output, r); err != nil {
		return err
	}
	errs, warnings := r.Count(report.Error), r.Count(report.Warning)
	if output == "text" {
		if err := t.flush(); err != nil {
			return err
		}
		t.note("%s%s, %s", about, report.Plural(errs, "error"), report.Plural(warnings, "warning"))
	}
	return pendingIf(errs > 0 || strict && warnings > 0)
}

// nothingHint adds what to do when there was nothing to check.
func nothingHint(err error) error {
	var nothing *matrix.NothingError
	if !errors.As(err, &nothing) {
		return err
	}
	if nothing.Table {
		return hinted{err, "declare the files that have these versions in stack.places of .cfctl.yaml: " + report.DocsURL("matrix")}
	}
	return hinted{err, "cfctl matrix history, which declares what the tables of the release tags say\nor declare the table and the other places of versions in .cfctl.yaml: stack.tables, stack.places"}
}

const offlineHint = "leave out the rules that need the network: --offline"

// remoteHint adds what to do about a remote that could not be asked.
func remoteHint(err error, otherwise string) error {
	var remote *git.RemoteError
	if !errors.As(err, &remote) {
		return err
	}
	if remote.Gone {
		return hinted{err, "check the component's repository in .cfctl.yaml, and that you may read it"}
	}
	if dir, ok := strings.CutPrefix(remote.URL, "file://"); ok {
		return hinted{err, "the clone may lack objects: git -C " + report.Visible(dir) + " fsck shows it; then clone the repository again"}
	}
	if otherwise != "" {
		otherwise = ", or " + otherwise
	}
	return hinted{err, "try again" + otherwise}
}

// runDev checks that the tests of a component take the main branches of those that
// it needs.
func (o *matrixCheckOptions) runDev(ctx context.Context, t *terminal, v *project.View, in *matrix.Input) error {
	c, err := v.Component(ctx)
	if err != nil {
		return err
	}
	dev := &chain.DevInput{Stack: v.Stack, Component: c, Tree: v.Tree}
	if !o.offline {
		if err := v.AtForge(ctx); err != nil {
			return err
		}
		dev.Tips = git.RemoteHead
	}
	look := func() ([]report.Finding, error) {
		findings, err := chain.Dev(ctx, dev)
		return in.Excuse(findings), remoteHint(err, offlineHint)
	}
	findings, err := look()
	if err == nil {
		findings, err = o.mend(ctx, v, findings, look)
	}
	if err != nil {
		return err
	}
	return o.show(t, in, matrix.DevRules, findings, "what the tests of "+c.Title+" take", "")
}

// runImpact checks what the change of a component since --base breaks in those
// that need it.
func (o *matrixCheckOptions) runImpact(ctx context.Context, t *terminal, v *project.View, in *matrix.Input) error {
	base, err := o.mergeBase(ctx, v)
	if err != nil {
		return err
	}
	before, err := v.Repo.Tree(ctx, base)
	if err != nil {
		return err
	}
	c, err := v.Component(ctx)
	if err != nil {
		return err
	}
	cache, err := v.Sources(ctx)
	if err != nil {
		return err
	}
	findings, err := chain.Impact(ctx, &chain.Input{Stack: v.Stack, Config: v.Config, Component: c, Before: before, Now: v.Tree, Head: cache.Head})
	if err != nil {
		return remoteHint(err, "")
	}
	return o.show(t, in, matrix.ImpactRules, in.Excuse(findings), "impact of the change of "+c.Title, c.Title+" is needed by "+report.Plural(len(chain.Below(v.Stack, c)), "component")+": ")
}

type lintOptions struct {
	project.Target
	output, date string
	strict       bool
}

func newMatrixLint(t *terminal) *cobra.Command {
	o := &lintOptions{}
	cmd := onStack(t, o, "lint", "check the declared matrix for mistakes", noArgs, runMatrixLint)
	targetFlags(cmd, &o.Target)
	cmd.Flags().BoolVar(&o.strict, "strict", false, "exit 1 on warnings too")
	cmd.Flags().StringVar(&o.date, "date", "", "check exceptions as of this day, YYYY-MM-DD (default: today)")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runMatrixLint(_ context.Context, t *terminal, o *lintOptions, v *project.View, _ []string) error {
	now, err := day(o.date)
	if err != nil {
		return err
	}
	r := &report.Report{Command: "matrix lint", Rules: matrix.LintRules, Full: true}
	r.Findings = matrix.Lint(v.Stack, v.Config, v.File.Path, now)
	found, tables, err := matrix.LintTables(v.Stack, v.Tree)
	if err != nil {
		return err
	}
	if tables+len(v.Config.Releases)+len(v.Config.Rules) == 0 {
		return nothingHint(&matrix.NothingError{Why: "no release and no rule is declared, and there is no table of releases"})
	}
	r.Findings = append(r.Findings, found...)
	about := fmt.Sprintf("%s, %s: ", report.Plural(len(v.Config.Releases), "release"), report.Plural(len(v.Config.Rules), "rule"))
	if tables > 0 {
		about = fmt.Sprintf("%s, %s", report.Plural(tables, "table"), about)
	}
	return conclude(t, o.output, o.strict, r, about)
}
