package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const setLong = `Write versions of components at every place that has them: the row of the table
and its link, the Makefile, go.mod, manifests, generated constants. Each change
is verified before anything is written; if a place is not found, it is an error
and nothing is written. An undeclared place that still has the old version is
reported, with the line that declares it.

If a replace directive in go.mod would no longer apply to the new version, nothing
is written; one that overrides every version is reported.

go.sum and indirect requirements are not changed: run "go mod tidy" afterwards.`

type setOptions struct {
	target
	dryRun bool
}

func newMatrixSet(t *terminal) *cobra.Command {
	o := &setOptions{}
	cmd := &cobra.Command{
		Use:   "set COMPONENT VERSION [COMPONENT VERSION]...",
		Short: "set the versions of components at every place that has them",
		Long:  setLong,
		Example: `  cfctl matrix set mcad v1.39.0 instascale v0.4.0
  cfctl matrix set kuberay=v1.1.0 --dry-run`,
		Args: argsOf(1, anyNumber, "COMPONENT VERSION"),
		RunE: o.withStack(t, func(ctx context.Context, v *view, args []string) error { return runMatrixSet(ctx, t, o, v, args) }),
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "work tree of the stack's root")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "print the difference and write nothing")
	return cmd
}

func runMatrixSet(ctx context.Context, t *terminal, o *setOptions, v *view, args []string) error {
	if err := v.needsWorkTree(o.dir, "set"); err != nil {
		return err
	}
	bumps, err := readBumps(v.stack, args)
	if err != nil {
		return err
	}
	changes, edits, err := matrix.Set(v.stack, v.tree, bumps)
	if folder, ok := errors.AsType[*matrix.FolderError](err); ok {
		return hinted{err, report.Shell("git", "mv", folder.From, folder.To)}
	}
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
	left, err := matrix.Left(v.stack, v.tree, bumps, changes)
	if err != nil {
		return err
	}
	defer tellLeft(t, left)
	if o.dryRun {
		return printDiffs(t, v, edits)
	}
	if err := writeEdits(ctx, t, v, edits); err != nil {
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
func tellReplaces(t *terminal, v *view, changes []matrix.Change) error {
	list, err := matrix.Directives(v.tree, changes)
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
func rowless(v *view, bumps []matrix.Bump) string {
	for _, b := range bumps {
		if b.Component != v.stack.RootComponent() || len(v.stack.TablesOf(stack.RowsReleases)) == 0 {
			continue
		}
		if r, err := matrix.ReleaseIn(v.stack, v.tree, b.Version); r == nil && err == nil {
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

// readBumps reads "NAME VERSION" and "NAME=VERSION" arguments.
func readBumps(s *stack.Stack, args []string) ([]matrix.Bump, error) {
	var bumps []matrix.Bump
	for len(args) > 0 {
		name, version, ok := strings.Cut(args[0], "=")
		args = args[1:]
		if !ok {
			if len(args) == 0 {
				return nil, usage("no version for %s", name)
			}
			version, args = args[0], args[1:]
		}
		c, err := s.Lookup(name)
		if err != nil {
			return nil, usageError{err}
		}
		if v, ok := c.VersionOfTag(version); ok {
			version = v
		} else if v := "v" + strings.TrimPrefix(version, "v"); stack.IsVersion(v) || !c.Refs {
			version = v
		}
		if !stack.IsVersion(version) && !c.Refs {
			return nil, usage("version %q of %s is not a semantic version vMAJOR.MINOR.PATCH", version, c.Name)
		}
		if slices.ContainsFunc(bumps, func(b matrix.Bump) bool { return b.Component == c }) {
			return nil, usage("%s is given twice", c.Name)
		}
		bumps = append(bumps, matrix.Bump{Component: c, Version: version})
	}
	return bumps, nil
}

// printDiffs shows the edits as one unified diff.
func printDiffs(t *terminal, v *view, edits map[string][]source.Edit) error {
	var out []byte
	for _, p := range slices.Sorted(maps.Keys(edits)) {
		data, err := fs.ReadFile(v.tree, p)
		if err != nil {
			return err
		}
		if out, err = (source.FileDiff{From: p, To: p, Data: data, Edits: edits[p]}).Diff(out); err != nil {
			return err
		}
	}
	return t.writeDiff(out)
}
