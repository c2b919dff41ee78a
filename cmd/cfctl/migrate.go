package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const migrateLong = `Rewrite Kubernetes API groups, versions and kinds wherever they stand: manifests
at any depth, RBAC, CRDs and the names of their files, Helm templates, JSON and
YAML inside of strings, documentation, Go, Python, shell, notebooks.

Without --write this is a preview: each change as path:line:col: rule: old →
new (on a terminal below its file, within its line), then what a person must do.
Label keys, annotation keys, finalizers, longer domains, e-mail addresses and
URLs stay; -v lists them with the reason.

A line (or the one after it) is kept by a comment "cfctl:keep REASON".

Paths default to the working directory. Named files are always read; walked
ones obey .gitignore in a git work tree, except for what git tracks, and leave
out vendor/, node_modules/ and binary files.

Every change is proven against the file as it was before it is written; a file
whose proof fails stays as it is, and is named.

Exit codes: 0 preview shown, all written, or nothing left; 1 with --check when
something is left (a change, a line for a person, a file that was not read),
with --write when a file was not read; 2 trouble, and nothing was written but
what was proven.`

type migrateOptions struct {
	rulesets   []string
	diff       bool
	write      bool
	check      bool
	mode       string
	noGuess    []string
	only       []string
	exclude    []string
	base       string
	keepRest   string
	allowDirty bool
	sparse     bool
	stdinName  string
	set        map[string]string
	jobs       int
	output     string
	preset     bool // nobody chose a ruleset
	fixes      bool // a form of the output carries the edits
	verbose    bool
	statistics bool
}

func newMigrate(t *terminal) *cobra.Command {
	o := &migrateOptions{}
	cmd := &cobra.Command{
		Use:   "migrate [PATH...]",
		Short: "rewrite API groups, versions and kinds in files",
		Long:  migrateLong,
		Example: `  cfctl migrate                       preview what codeflare-groups changes here
  cfctl migrate --diff | git apply    the same, as a patch
  cfctl migrate --write deploy/       apply: all files or none
  cfctl migrate --check --base origin/main -o github
  cfctl migrate --keep-rest "moves with 2.0"
  cfctl migrate --ruleset ./ours.yaml --ruleset kubernetes-removed`,
		Args: func(_ *cobra.Command, args []string) error { return o.validate(args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			o.fixes = t.prints(o.output, "sarif", "json")
			o.preset = !chosen(cmd.Flags().Lookup("ruleset"))
			return meantCommand(cmd, args, runMigrate(cmd.Context(), t, o, args))
		},
	}
	f := cmd.Flags()
	o.rulesFlags(cmd)
	f.BoolVar(&o.diff, "diff", false, "print the preview as a unified diff that git apply takes")
	f.BoolVarP(&o.write, "write", "w", false, "apply: all files or none, renames included")
	f.BoolVar(&o.check, "check", false, "list what is left to migrate; exit 1 if anything is")
	f.Var(&choices{value: &o.only, what: "format", known: migrate.Formats()}, "only", "formats to look at: "+strings.Join(migrate.Formats(), ", "))
	f.StringSliceVar(&o.exclude, "exclude", nil, "globs of files to leave out, as in .gitignore")
	f.BoolVar(&o.statistics, "statistics", false, "count by rule, format and folder, instead of listing")
	f.StringVar(&o.keepRest, "keep-rest", "", "acknowledge all that is left, with this reason: by comments, else in .cfctl.yaml")
	f.StringVar(&o.base, "base", "", "--check: only what is new since this branch or commit; else only files that changed since")
	f.BoolVar(&o.allowDirty, "allow-dirty", false, "write although the git work tree has uncommitted changes")
	f.BoolVar(&o.sparse, "sparse", false, "write although a sparse checkout hides files that may decide what is written")
	f.StringVar(&o.stdinName, "stdin-name", "", "read one file of this name from standard input, write the result to standard output")
	f.StringToStringVar(&o.set, "set", nil, "values that a ruleset asks for, NAME=VALUE")
	f.IntVarP(&o.jobs, "jobs", "j", 0, "workers (default: one for each CPU)")
	findingsFlags(t, cmd, &o.output)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "list what stays, too, and why")
	complete(cmd, "only", migrate.Formats())
	bind(f, "only", "migrate.only")
	bind(f, "exclude", "migrate.exclude")
	cmd.AddCommand(newMigrateUndo(t), newMigrateReview(t), newMigrateRules(t))
	return cmd
}

// rulesFlags are the flags that choose rules.
func (o *migrateOptions) rulesFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.rulesets, "ruleset", []string{"codeflare-groups"}, "name of a built-in ruleset, a file, or an address (docs/rulesets.md); repeatable, composed in one pass")
	choiceFlag(cmd, &o.mode, "mode", "", "replace", []string{"replace", "dual"}, "mode", "dual: permissions, webhooks and CRDs serve both groups; ")
	completeBy(cmd, "ruleset", migrate.Builtin)
	f.StringSliceVar(&o.noGuess, "no-guess", nil, "guesses by context that are not made, by id (docs/migrate.md lists them)")
	bind(f, "ruleset", "migrate.rulesets")
	bind(f, "mode", "migrate.mode")
}

// validate refuses flags that contradict each other.
func (o *migrateOptions) validate(args []string) error {
	modes := 0
	for _, on := range []bool{o.diff, o.write, o.check, o.keepRest != ""} {
		if on {
			modes++
		}
	}
	switch {
	case modes > 1:
		return usage("--diff, --write, --check and --keep-rest exclude each other")
	case o.stdinName != "" && (o.write || o.keepRest != "" || o.base != "" || len(args) > 0):
		return usage("--stdin-name reads standard input and writes standard output: no PATH, --write or --base")
	case o.statistics && (o.diff || o.write || o.output != "text"):
		return usage("--statistics counts what the preview and --check list as text; leave --diff, --write and --output out")
	case o.diff && o.output != "text":
		return usage("--diff is a form of its own; leave --output out")
	case strings.ContainsAny(o.keepRest, "\r\n\\`") || strings.Contains(o.keepRest, "*/") || strings.Contains(o.keepRest, "-->") || strings.Contains(o.keepRest, "}}"):
		return usage("--keep-rest: a reason is one line, and ends no comment")
	case o.jobs < 0:
		return usage("--jobs: %d workers do nothing", o.jobs)
	}
	return nil
}

// migration compiles the rulesets of the flags.
func (o *migrateOptions) migration(ctx context.Context, t *terminal) (*migrate.Migration, error) {
	opts := migrate.Options{Dual: o.mode == "dual", Set: o.set, Only: o.only, Unguessed: o.noGuess, Fixes: o.fixes, Glance: o.check}
	opts.Keep = append(slices.Clone(t.keep), migrate.Keep{Path: configName, Why: "it is the configuration itself"})
	for _, name := range o.rulesets {
		r, err := t.ruleset(ctx, name)
		if err != nil {
			return nil, err
		}
		opts.Rulesets = append(opts.Rulesets, r)
	}
	if err := asked(opts); err != nil {
		return nil, err
	}
	return migrate.New(opts)
}

// asked refuses values that no ruleset asks for.
func asked(opts migrate.Options) error {
	var known []string
	for _, set := range opts.Rulesets {
		known = append(known, set.Inputs()...)
	}
	for _, name := range slices.Sorted(maps.Keys(opts.Set)) {
		if !slices.Contains(known, name) {
			return hinted{usage("--set %s: no ruleset asks for it", name), didYouMean(name, known)}
		}
	}
	return nil
}

// fileError takes the path out of the system's error and puts it in front.
func fileError(name string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &source.Error{Path: filepath.ToSlash(name), Err: err}
}

// collectLate lets the heap grow to 10 MiB before it is collected first, which
// most runs never reach; then it is collected as ever. Later would be no faster,
// and that first heap is the peak of a run over many files. The runtime puts objects
// below 16 bytes together, so that one would outlive it.
func collectLate() {
	usual := debug.SetGCPercent(250)
	runtime.AddCleanup(new([4]int64), func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// collectEarly keeps the heap small: a run that writes waits for the disk, not for the
// collector, and holds what becomes of every file.
func collectEarly() { debug.SetGCPercent(70) }

func runMigrate(ctx context.Context, t *terminal, o *migrateOptions, args []string) error {
	if o.check {
		collectLate()
	} else {
		collectEarly()
	}
	m, err := o.migration(ctx, t)
	if err != nil {
		return err
	}
	if o.stdinName != "" {
		return migrateStdin(t, o, m)
	}
	paths, err := o.paths(ctx, args)
	if err != nil {
		return err
	}
	if paths == nil { // nothing changed: an answer like any other
		return t.answer(o, m.Finish(nil, nil), nil)
	}
	tree, err := source.Open(paths)
	if err != nil {
		return err
	}
	defer tree.Close()
	if o.write || o.keepRest != "" {
		if err := t.readyToWrite(ctx, o, tree); err != nil {
			return err
		}
	}
	t.status("reading %s", strings.Join(paths, " "))
	var looked atomic.Int64
	stop := t.counting(&looked)
	plan, err := m.Plan(ctx, tree, source.WalkOptions{Jobs: o.jobs, Exclude: o.exclude, Looked: &looked})
	stop()
	if err == nil && o.preset && len(plan.Files) == 0 {
		err = t.meant(ctx, o, m, tree)
	}
	if err == nil && o.check && o.base != "" && plan.Summary().Left() {
		plan, err = sinceBase(ctx, o.base, m, plan, tree)
	}
	if err != nil {
		return err
	}
	t.sayAlone(tree)
	if o.write || o.keepRest != "" {
		if err := readyClones(ctx, o, plan, tree); err != nil {
			return err
		}
		if err := readyWhole(o, plan); err != nil {
			return err
		}
	}
	switch {
	case o.keepRest != "":
		return t.keepRest(ctx, o, m, plan, tree)
	case o.diff:
		diff, err := plan.Diff(nil, tree)
		if err != nil {
			return err
		}
		if err := t.writeDiff(diff); err != nil {
			return err
		}
		if !t.quiet {
			_ = t.out.Flush() // a failure stays, and run says so
			t.sayPerson(t.err, plan)
		}
	case o.write:
		if err := writePlan(ctx, t, o, plan, tree); err != nil {
			return err
		}
	default:
		return t.answer(o, plan, tree.ReadFile)
	}
	t.sayMigrated(o, plan)
	if err := plan.Fault(); err != nil {
		return err
	}
	if o.write && plan.Summary().Unread > 0 {
		return errPending // what was not read was not written
	}
	return nil
}

// answer prints a plan; as a gate it says whether anything is left.
func (t *terminal) answer(o *migrateOptions, plan *migrate.Plan, read func(name string) ([]byte, error)) error {
	if !o.diff {
		if err := t.showPlan(o, plan, read); err != nil {
			return err
		}
	}
	t.sayMigrated(o, plan)
	if err := plan.Fault(); err != nil {
		return err
	}
	if o.check && plan.Summary().Left() {
		return errPending
	}
	return nil
}

// paths are the files to look at: the arguments, or with --base those of them
// that changed. Nil means that nothing changed. A gate looks at all of the
// arguments, since what changed tells of others, and leaves out what was there.
func (o *migrateOptions) paths(ctx context.Context, args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	if o.base == "" {
		return args, nil
	}
	changed, err := changedSince(ctx, o.base, args)
	if err != nil || len(changed) == 0 || !o.check {
		return changed, err
	}
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		_, err := os.Lstat(arg)
		return errors.Is(err, fs.ErrNotExist) // the change removes it
	})
	if len(args) == 0 {
		return nil, nil
	}
	return args, nil
}

// sinceBase leaves out of a plan what the common ancestor with a revision has too.
func sinceBase(ctx context.Context, rev string, m *migrate.Migration, plan *migrate.Plan, tree *source.Tree) (*migrate.Plan, error) {
	repo, err := git.Open(ctx, tree.Base())
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	ancestor, err := repo.MergeBase(ctx, rev, "HEAD")
	if err != nil {
		return nil, shallowHint(ctx, repo, err)
	}
	base, err := repo.Tree(ctx, ancestor)
	if err != nil {
		return nil, err
	}
	moved, err := repo.Moved(ctx, ancestor, "")
	if err != nil {
		return nil, err
	}
	return m.Since(ctx, plan, tree, base, moved)
}

// writePlan writes a plan, after a last look at each file.
func writePlan(ctx context.Context, t *terminal, o *migrateOptions, plan *migrate.Plan, tree *source.Tree) error {
	changes, err := plan.Changes(ctx, tree)
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		t.status("writing %d files", len(changes))
		if err := tree.Commit(ctx, changes); err != nil {
			return err
		}
		if tops := tree.GitTops(); len(tops) == 1 && tops[0] != tree.TopLevel() {
			t.note("to take it back: %s", report.Shell("cfctl", "migrate", "undo", besideBase(tree, tops[0])))
		}
	}
	if o.output != "text" {
		return t.showPlan(o, plan, tree.ReadFile)
	}
	if len(t.files) > 0 {
		if err := t.printBeside("text", t.reportOf(o, plan)); err != nil {
			return err
		}
	}
	for _, c := range changes {
		report.Fprintf(t.out, "%s\n", renamed(c.From, c.To))
	}
	t.sayPerson(t.out, plan)
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
	if o.check || o.output != "text" {
		if err := t.showPlan(o, plan, func(string) ([]byte, error) { return data, nil }); err != nil {
			return err
		}
		if o.check && plan.Summary().Left() {
			return errPending
		}
		return nil
	}
	var edits []source.Edit
	if f != nil {
		edits = f.Edits(data)
	}
	if o.diff {
		out, err := source.FileDiff{From: o.stdinName, To: o.stdinName, Data: data, Edits: edits}.Diff(nil)
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
