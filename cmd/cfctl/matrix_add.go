package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const addLong = `Write the row of a new release into matrix.releases of .cfctl.yaml, where it
belongs by its version. Components that are not named get the version that they
have in the previous release, or, in the first one, in the table of the work
tree; it is printed. If the row exists with the same versions, nothing is
changed; with other versions, it is an error.

"cfctl release run" does the same in the pull request of a release.`

type addOptions struct {
	target
	date   string
	dryRun bool
}

func newMatrixAdd(t *terminal) *cobra.Command {
	o := &addOptions{}
	cmd := &cobra.Command{
		Use:   "add VERSION [NAME=VERSION]...",
		Short: "declare a new release in matrix.releases",
		Long:  addLong,
		Example: `  cfctl matrix add v1.17.0 kuberay=v1.4.0
  cfctl matrix add v1.17.0 kuberay=v1.4.0 --dry-run`,
		Args: argsOf(1, anyNumber, "VERSION"),
		RunE: func(cmd *cobra.Command, args []string) error { return runMatrixAdd(cmd.Context(), t, o, args) },
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "work tree of the stack's root")
	cmd.Flags().StringVar(&o.date, "date", "", "day of the release, YYYY-MM-DD (default: none is written)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "print the difference and write nothing")
	return cmd
}

func runMatrixAdd(ctx context.Context, t *terminal, o *addOptions, args []string) error {
	if err := versionArgument(args[0]); err != nil {
		return err
	}
	if _, err := time.Parse(time.DateOnly, o.date); err != nil && o.date != "" {
		return usage("--date %q is not YYYY-MM-DD", o.date)
	}
	v, err := o.openStack(ctx, t)
	if err != nil {
		return err
	}
	defer v.close()
	if err := v.needsWorkTree(o.dir, "add"); err != nil {
		return err
	}
	data, err := fs.ReadFile(v.tree, configName)
	if errors.Is(err, fs.ErrNotExist) {
		return hinted{errorf("%s has no %s to declare it in", o.dir, configName), "cfctl matrix history >> " + configName}
	}
	if err != nil {
		return err
	}
	bumps, err := readBumps(v.stack, args[1:])
	if err != nil {
		return err
	}
	given := map[string]string{}
	for _, b := range bumps {
		given[b.Component.Name] = b.Version
	}
	if own := given[v.stack.Root]; own != "" && own != args[0] {
		return usage("%s is the stack's own version: it cannot be %s and %s", v.stack.Root, args[0], own)
	}
	if err := v.firstVersions(t, given); err != nil {
		return err
	}
	row, kept := v.config.NewRow(v.stack, args[0], given)
	row.Date = o.date
	edit, ok, err := matrix.AddRow(configName, data, row)
	if errors.Is(err, matrix.ErrDeclared) {
		return hinted{err, report.Shell("cfctl", "matrix", "show", args[0])}
	}
	if err != nil {
		return err
	}
	if !ok {
		t.note("%s says so already", configName)
		return nil
	}
	for _, name := range kept {
		pin, _ := row.Pin(name)
		t.note("%s is unchanged at %s", name, pin.Version)
	}
	edits := map[string][]source.Edit{configName: {edit}}
	if o.dryRun {
		return printDiffs(t, v, edits)
	}
	return writeEdits(ctx, t, v, edits)
}

// firstVersions adds to the versions that were given those of the table, where no release
// is declared from which they could be taken.
func (v *view) firstVersions(t *terminal, given map[string]string) error {
	if len(v.config.Releases) > 0 {
		return nil
	}
	data, doc, err := matrix.TableOf(v.stack, v.tree)
	if _, ok := errors.AsType[*stack.TableError](err); ok {
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range matrix.ReadRelease(v.stack, data, doc, "").Components {
		if p.Name != v.stack.Root && given[p.Name] == "" && stack.IsVersion(p.Version) {
			given[p.Name] = p.Version
			t.note("%s is at %s, by the table of %s", p.Name, p.Version, v.stack.Table.Path)
		}
	}
	return nil
}
