package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/diff"
)

type migrateOptions struct {
	migration.Options
	stdinName string
	output    string
	preset    bool // no one chose a ruleset
	verbose   bool
}

func newMigrate(t *terminal) *cobra.Command {
	o := &migrateOptions{}
	cmd := &cobra.Command{
		Use:   "migrate [PATH...]",
		Short: "rewrite API groups, versions and kinds in files",
		Args:  func(_ *cobra.Command, args []string) error { return o.validate(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Fixes = t.prints(o.output, "sarif", "json")
			o.preset = !chosen(cmd.Flags().Lookup("ruleset"))
			return meantCommand(cmd, args, runMigrate(cmd.Context(), t, o, args))
		},
	}
	f := cmd.Flags()
	o.rulesFlags(cmd)
	f.BoolVar(&o.Diff, "diff", false, "print the preview as a patch for git apply")
	f.BoolVarP(&o.Write, "write", "w", false, "write the changes: all files or none, renames included")
	f.BoolVar(&o.Check, "check", false, "list what remains to be migrated; exit 1 if anything remains")
	f.StringSliceVar(&o.Only, "only", nil, "read only these formats: "+strings.Join(migrate.Formats(), ", "))
	check(f.Lookup("only"), oneOf("format", migrate.Formats()))
	f.StringSliceVar(&o.Exclude, "exclude", nil, "patterns of files to skip, as in .gitignore")
	f.StringVar(&o.Reason, "keep-rest", "", "accept everything that remains, with this reason, in .cfctl.yaml")
	choiceFlag(cmd, &o.GoCode, "go", "", "on", []string{"on", "off"}, "mode", "rename the Go identifiers and packages of the API: ")
	f.StringVar(&o.Base, "base", "", "with --check, report only what is new since this branch or commit; else read only the files that changed since")
	f.BoolVar(&o.AllowDirty, "allow-dirty", false, "write even if the git work tree has uncommitted changes")
	f.BoolVar(&o.Sparse, "sparse", false, "write even if a sparse checkout hides files that may affect the result")
	f.StringVar(&o.stdinName, "stdin-name", "", "read standard input as a file of this name and print the result")
	f.StringToStringVar(&o.Set, "set", nil, "values that a ruleset needs, NAME=VALUE")
	f.IntVarP(&o.Jobs, "jobs", "j", 0, "number of parallel workers (default: one for each CPU)")
	findingsFlags(t, cmd, &o.output)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "also list what is not changed, with the reason")
	complete(cmd, "only", migrate.Formats())
	bind(f, "only", "migrate.only")
	bind(f, "exclude", "migrate.exclude")
	cmd.AddCommand(newMigrateUndo(t), newMigrateReview(t), newMigrateRules(t), newMigrateRemaining(t), newMigrateTasks(t))
	return cmd
}

// rulesFlags are the flags that choose rules.
func (o *migrateOptions) rulesFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.Rulesets, "ruleset", nil, "name of a built-in ruleset, a file, or an address; repeatable: all are applied together")
	choiceFlag(cmd, &o.Mode, "mode", "", "replace", []string{"replace", "dual"}, "mode", "replace the old names, or keep both: dual has permissions, webhooks and CRDs for both groups; ")
	completeBy(cmd, "ruleset", migrate.Builtin)
	f.StringSliceVar(&o.NoHeuristic, "no-heuristic", nil, "heuristics that are switched off, by id")
	bind(f, "ruleset", "migrate.rulesets")
	bind(f, "mode", "migrate.mode")
	choiceFlag(cmd, &o.GoStep, "go-version-package", "", "move", []string{"move", "copy", "leave"}, "step", "what happens to the Go package of an API version that changes: move it, copy it to the new version, or leave it; ")
	bind(f, "go-version-package", "migrate.go-version-package")
	f.StringVar(&o.Target, "target-version", "", "version of Kubernetes that the files are for, such as 1.34: what it does not serve is an error, what it deprecates a warning; the default is the newest version that the ruleset knows")
	check(f.Lookup("target-version"), migrate.ParseTarget)
	bind(f, "target-version", "migrate.target-version")
}

// validate refuses flags that contradict each other.
func (o *migrateOptions) validate(args []string) error {
	modes := 0
	for _, on := range []bool{o.Diff, o.Write, o.Check, o.Reason != ""} {
		if on {
			modes++
		}
	}
	switch {
	case modes > 1:
		return usage("--diff, --write, --check and --keep-rest cannot be combined")
	case o.stdinName != "" && (o.Write || o.Reason != "" || o.Base != "" || len(args) > 0):
		return usage("--stdin-name reads standard input and prints the result: it takes no PATH, --write, --keep-rest or --base")
	case o.Diff && o.output != "text":
		return usage("--diff cannot be combined with --output")
	case strings.ContainsAny(o.Reason, "\r\n") || strings.HasPrefix(o.Reason, "-"):
		return usage("--keep-rest: a reason is one line, and no flag")
	case o.Jobs < 0:
		return usage("--jobs: %d is not a number of workers", o.Jobs)
	}
	return nil
}

// collectLate lets the heap grow to 10 MiB before it is collected first, which
// most runs never reach; then it is collected as that of a write. Later would be no faster,
// and that first heap is the peak of a run over many files. The runtime puts objects
// below 16 bytes together, so that one would outlive it.
func collectLate() {
	debug.SetGCPercent(250)
	runtime.AddCleanup(new([4]int64), func(percent int) { debug.SetGCPercent(percent) }, frugal)
}

// frugal is how much the heap grows between collections, in percent of what is in use: a run waits
// for the disk, not for the collector, and holds the types of Go code, or what becomes of every file.
const frugal = 70

func runMigrate(ctx context.Context, t *terminal, o *migrateOptions, args []string) error {
	if o.Check {
		collectLate()
	} else {
		debug.SetGCPercent(frugal)
	}
	if o.preset {
		if file, err := t.noRulesets(); err != nil || file != "" {
			return t.nothingToCheck(o, err)
		}
	}
	m, err := o.Migration(ctx, &t.User)
	if err != nil {
		return err
	}
	if o.stdinName != "" {
		return migrateStdin(t, o, m)
	}
	paths, err := o.Paths(ctx, args)
	if err != nil {
		return err
	}
	if paths == nil { // nothing changed: an answer like any other
		plan := m.Finish(nil, nil)
		if !o.Diff {
			err = t.showPlan(o, plan)
		}
		return cmp.Or(err, t.answer(o, plan, nil))
	}
	tree, err := source.Open(paths)
	if err != nil {
		return err
	}
	defer tree.Close()
	if o.Write || o.Reason != "" {
		if err := migration.Recover(ctx, &t.User, tree); err != nil {
			return err
		}
	}
	t.status("reading %s", strings.Join(paths, " "))
	var looked atomic.Int64
	total := 0
	if t.live {
		total = tree.CountTracked(paths)
	}
	stop := t.ticking(100*time.Millisecond, func() { t.status("%s", countOf(int(looked.Load()), total)) })
	plan, err := m.Plan(ctx, tree, source.WalkOptions{Jobs: o.Jobs, Exclude: o.Exclude, Looked: &looked})
	stop()
	if err == nil && o.preset {
		err = o.Meant(ctx, m, plan, tree)
	}
	if err == nil {
		migration.WithoutOwn(plan, tree, o.Rulesets, lists.Of(t.files, func(f outputFile) string { return f.path }))
	}
	if err == nil && o.Check && o.Base != "" && plan.Summary().Left() {
		plan, err = migration.SinceBase(ctx, o.Base, m, plan, tree)
	}
	if err != nil {
		return err
	}
	migration.Alone(&t.User, tree)
	if o.Write || o.Reason != "" {
		if err := o.Ready(ctx, plan, tree); err != nil {
			return err
		}
	}
	switch {
	case o.Reason != "":
		return t.keepRest(ctx, o, plan, tree)
	case o.Diff:
		diff, err := plan.Diff(ctx, nil, tree)
		if err != nil {
			return err
		}
		if err := t.writeDiff(diff); err != nil {
			return err
		}
		if !t.quiet {
			_ = t.out.Flush() // a failure stays, and run says so
			t.preview(o.verbose).Review(t.err, plan)
		}
	case o.Write:
		if err := writePlan(ctx, t, o, plan, tree); err != nil {
			return err
		}
	default:
		if err := t.showPlan(o, plan); err != nil {
			return err
		}
	}
	return t.answer(o, plan, tree.ReadFile)
}

// answer sums a plan up; as a gate it says whether anything is left, of a write whether
// anything was not read, and so not written.
func (t *terminal) answer(o *migrateOptions, plan *migrate.Plan, read func(name string) ([]byte, error)) error {
	o.Sum(&t.User, plan, o.verbose)
	if !o.Check && read != nil {
		migration.Generated(&t.User, plan, read, o.Write)
	}
	s := plan.Summary()
	return cmp.Or(plan.Fault(), pendingIf(o.Check && s.Left() || o.Write && s.Unread > 0))
}

// writePlan writes a plan, after a last look at each file.
func writePlan(ctx context.Context, t *terminal, o *migrateOptions, plan *migrate.Plan, tree *source.Tree) error {
	changes, err := plan.Changes(ctx, tree)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		t.status("writing %s", report.Plural(len(changes), "file"))
		if err := tree.Commit(ctx, changes); err != nil {
			return err
		}
		if tops := tree.GitTops(); len(tops) == 1 && tops[0] != tree.TopLevel() {
			t.note("to undo it: %s", report.Shell("cfctl", "migrate", "undo", migration.BesideBase(tree, tops[0])))
		}
	}
	if o.output != "text" {
		return t.showPlan(o, plan)
	}
	if len(t.files) > 0 {
		if err := t.printBeside("text", t.reportOf(o, plan)); err != nil {
			return err
		}
	}
	for _, c := range changes {
		report.Fprintf(t.out, "%s\n", migration.Renamed(c.From, c.To))
	}
	t.preview(o.verbose).Review(t.out, plan)
	return nil
}

// migrateStdin is for editors and hooks: one file through.
func migrateStdin(t *terminal, o *migrateOptions, m *migrate.Migration) error {
	data, err := io.ReadAll(t.in)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	tree, err := source.Open(nil)
	if err != nil {
		return err
	}
	defer tree.Close()
	name := filepath.ToSlash(o.stdinName)
	if rel, ok := tree.Rel(tree.Base(), o.stdinName); ok {
		name = rel
	}
	plan := m.In(tree).One(name, data)
	var f *migrate.File
	if len(plan.Files) > 0 {
		f = plan.Files[0]
	}
	if f != nil && f.Skip != nil {
		return f.Skip
	}
	if o.Check || o.output != "text" {
		if err := t.showPlan(o, plan); err != nil {
			return err
		}
		return pendingIf(o.Check && plan.Summary().Left())
	}
	var edits []source.Edit
	if f != nil {
		edits = f.Edits(data)
	}
	if o.Diff {
		out, err := diff.File{From: o.stdinName, To: o.stdinName, Data: data, Edits: edits}.Append(nil)
		if err != nil {
			return err
		}
		_, err = t.out.Write(out)
		return err
	}
	out, err := source.Apply(data, edits)
	if err != nil {
		return err
	}
	_, err = t.out.Write(out)
	return err
}
