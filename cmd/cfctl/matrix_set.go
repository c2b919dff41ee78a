package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

type setOptions struct {
	project.Target
	dryRun bool
}

func newMatrixSet(t *terminal) *cobra.Command {
	o := &setOptions{}
	cmd := onStack(t, o, "set COMPONENT VERSION [COMPONENT VERSION]...", "set the versions of components at every place that has them", argsOf(1, anyNumber, "COMPONENT VERSION"), runMatrixSet)
	cmd.Flags().StringVar(&o.Dir, "repo", ".", "work tree of the stack's root")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "print the difference and write nothing")
	return cmd
}

func runMatrixSet(ctx context.Context, t *terminal, o *setOptions, v *project.View, args []string) error {
	if err := v.NeedsWorkTree(o.Dir, "set"); err != nil {
		return err
	}
	bumps, err := matrix.ReadBumps(v.Stack, args)
	if err != nil {
		return project.UsageOf(err)
	}
	changes, edits, err := matrix.Set(v.Stack, v.Tree, bumps)
	if errors.Is(err, stack.ErrNoMatch) {
		if missing := rowless(v, bumps); missing != "" {
			return hinted{errorf("the table has no row of %s", missing), "cfctl matrix add " + missing}
		}
		return hinted{err, "the places of components are declared in .cfctl.yaml, under stack.places; optional: true for one that may be missing"}
	}
	if err != nil {
		return err
	}
	if err := tellReplaces(t, v, changes); err != nil {
		return err
	}
	left, err := matrix.Left(v.Stack, v.Tree, bumps, changes)
	if err != nil {
		return err
	}
	defer tellLeft(t, left)
	if o.dryRun {
		return t.showEdits(v, edits)
	}
	if err := v.Write(ctx, edits); err != nil {
		return err
	}
	for _, c := range changes {
		if c.Match.Place != nil && c.Match.Place.Kind == "go-require" {
			t.note("next: go mod tidy")
			break
		}
	}
	if len(changes) == 0 {
		t.note("every place says so already")
	}
	return nil
}

// tellReplaces names the replace directives that the changes meet. One that would no
// longer apply is an error, and nothing is written.
func tellReplaces(t *terminal, v *project.View, changes []matrix.Change) error {
	list, err := matrix.Directives(v.Tree, changes)
	for _, r := range list {
		if r.Idle {
			return hinted{errors.New(r.String()), "edit or remove the replace directive first"}
		}
		t.note("warning: %s", r.String())
	}
	return err
}

// rowless is the release of the root, among the bumps, that a table of releases
// has no row for; empty = there is none.
func rowless(v *project.View, bumps []matrix.Bump) string {
	for _, b := range bumps {
		if b.Component != v.Stack.RootComponent() || len(v.Stack.TablesOf(stack.RowsReleases)) == 0 {
			continue
		}
		if r, err := matrix.ReleaseIn(v.Stack, v.Tree, b.Version); r == nil && err == nil {
			return b.Version
		}
	}
	return ""
}

// tellLeft names the places that a bump left as they are.
func tellLeft(t *terminal, left []stack.Sighting) {
	for _, f := range left {
		t.note("warning: %s:%d: still says %s of %s (%s), and is no declared place", report.Visible(f.Path), f.Pos.Line, f.Text, f.Component.Name, f.Evidence)
		t.note("    hint: under stack.places: - %s", f.Declaration())
	}
}

// showEdits shows edits as a diff.
func (t *terminal) showEdits(v *project.View, edits project.Edits) error {
	diff, err := v.Diff(edits)
	if err != nil {
		return err
	}
	return t.writeDiff(diff)
}

type addOptions struct {
	project.Target
	date   string
	dryRun bool
}

func newMatrixAdd(t *terminal) *cobra.Command {
	o := &addOptions{}
	cmd := onStack(t, o, "add VERSION [NAME=VERSION]...", "declare a new release in matrix.releases", argsOf(1, anyNumber, "VERSION"), runMatrixAdd)
	cmd.Flags().StringVar(&o.Dir, "repo", ".", "work tree of the stack's root")
	cmd.Flags().StringVar(&o.date, "date", "", "day of the release, YYYY-MM-DD (default: none is written)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "print the difference and write nothing")
	return cmd
}

func runMatrixAdd(ctx context.Context, t *terminal, o *addOptions, v *project.View, args []string) error {
	if err := project.CheckVersion(args[0]); err != nil {
		return err
	}
	if _, err := time.Parse(time.DateOnly, o.date); err != nil && o.date != "" {
		return usage("--date %q is not YYYY-MM-DD", o.date)
	}
	if err := v.NeedsWorkTree(o.Dir, "add"); err != nil {
		return err
	}
	data, err := fs.ReadFile(v.Tree, config.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return hinted{errorf("%s has no %s to declare it in", o.Dir, config.Name), "cfctl matrix history >> " + config.Name}
	}
	if err != nil {
		return err
	}
	bumps, err := matrix.ReadBumps(v.Stack, args[1:])
	if err != nil {
		return project.UsageOf(err)
	}
	given := matrix.VersionsOf(bumps)
	if own := given[v.Stack.Root]; own != "" && own != args[0] {
		return usage("%s is the stack's own version: it cannot be %s and %s", v.Stack.Root, args[0], own)
	}
	if err := v.Config.FirstVersions(v.Stack, v.Tree, given, t.note); err != nil {
		return err
	}
	row, kept := v.Config.NewRow(v.Stack, args[0], given)
	row.Date = o.date
	edit, ok, err := matrix.AddRow(config.Name, data, row)
	if errors.Is(err, matrix.ErrDeclared) {
		return hinted{err, report.Shell("cfctl", "matrix", "show", args[0])}
	}
	if err != nil {
		return err
	}
	if !ok {
		t.note("%s says so already", config.Name)
		return nil
	}
	for _, name := range kept {
		pin, _ := row.Pin(name)
		t.note("%s is unchanged at %s", name, pin.Version)
	}
	edits := project.Edits{config.Name: {edit}}
	if o.dryRun {
		return t.showEdits(v, edits)
	}
	return v.Write(ctx, edits)
}

type renderOptions struct {
	project.Target
	write, check, notes bool
	tested              bool
}

func newMatrixRender(t *terminal) *cobra.Command {
	o := &renderOptions{}
	cmd := onStack(t, o, "render [VERSION]", "write the compatibility table of the README from the declaration", argsOf(0, 1, "one release"), runMatrixRender)
	targetFlags(cmd, &o.Target)
	cmd.Flags().BoolVarP(&o.write, "write", "w", false, "write the block into the README of the work tree")
	cmd.Flags().BoolVar(&o.check, "check", false, "exit 1 when the README has another block")
	cmd.Flags().BoolVar(&o.notes, "notes", false, "print the block for release notes")
	cmd.Flags().BoolVar(&o.tested, "tested", false, "render the table of tested combinations (matrix record)")
	return cmd
}

func runMatrixRender(ctx context.Context, t *terminal, o *renderOptions, v *project.View, args []string) error {
	version := argument(args)
	if o.tested {
		if version != "" || o.notes {
			return usage("--tested is about all results: it takes no release, and excludes --notes")
		}
		return o.writeTested(ctx, t, v)
	}
	if version == "" && len(v.Config.Releases) > 0 {
		version = v.Config.Releases[len(v.Config.Releases)-1].Version
	}
	release, err := v.Known().One(ctx, version)
	if err != nil {
		return err
	}
	block := matrix.Block(v.Stack, release)
	switch {
	case o.notes:
		block = matrix.Notes(v.Stack, release)
		fallthrough
	case !o.write && !o.check:
		_, err = t.out.WriteString(block)
		return err
	}
	path := v.Stack.Table.Path
	data, err := fs.ReadFile(v.Tree, path)
	if err != nil {
		return err
	}
	edit, err := matrix.Insert(v.Stack, path, data, release)
	if err != nil {
		return err
	}
	return o.place(ctx, t, v, path, data, edit)
}

// place writes or checks a block of a file.
func (o *renderOptions) place(ctx context.Context, t *terminal, v *project.View, path string, data []byte, edit source.Edit) error {
	if string(edit.Of(data)) == edit.New {
		t.note("%s says what is declared", path)
		return nil
	}
	if o.check {
		if err := t.showEdits(v, project.Edits{path: {edit}}); err != nil {
			return err
		}
		return errPending
	}
	if v.Root == "" {
		return usage("-w writes into a work tree: it goes without --ref")
	}
	return v.Write(ctx, project.Edits{path: {edit}})
}

// argument is the only argument, or empty.
func argument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
