package main

import (
	"context"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/source"
)

const renderLong = `Print the block of the README between the markers: the compatibility table of a
declared release (default: the newest), or of a release tag. The same input
gives the same bytes.

-w writes it into the README, unless its table says the same; --check exits 1 and
shows the difference when it does not; --notes prints the block for release notes. --tested
is about another block: the table of the tested combinations (matrix record),
between the markers "Tested with start" and "Tested with end".`

type renderOptions struct {
	target
	write, check, notes bool
	tested              bool
}

func newMatrixRender(t *terminal) *cobra.Command {
	o := &renderOptions{}
	cmd := &cobra.Command{
		Use:   "render [VERSION]",
		Short: "write the compatibility table of the README from the declaration",
		Long:  renderLong,
		Args:  argsOf(0, 1, "one release"),
		Example: `  cfctl matrix render -w
  cfctl matrix render v1.1.0
  cfctl matrix render --tested -w`,
		RunE: o.withStack(t, func(ctx context.Context, v *view, args []string) error {
			return runMatrixRender(ctx, t, o, v, argument(args))
		}),
	}
	o.flags(cmd)
	cmd.Flags().BoolVarP(&o.write, "write", "w", false, "write the block into the README of the work tree")
	cmd.Flags().BoolVar(&o.check, "check", false, "exit 1 when the README has another block")
	cmd.Flags().BoolVar(&o.notes, "notes", false, "print the block for release notes")
	cmd.Flags().BoolVar(&o.tested, "tested", false, "render the table of tested combinations (matrix record)")
	return cmd
}

func runMatrixRender(ctx context.Context, t *terminal, o *renderOptions, v *view, version string) error {
	if o.tested {
		if version != "" || o.notes {
			return usage("--tested is about all results: it takes no release, and excludes --notes")
		}
		return o.writeTested(ctx, t, v)
	}
	if version == "" && len(v.config.Releases) > 0 {
		version = v.config.Releases[len(v.config.Releases)-1].Version
	}
	release, err := v.release(ctx, version)
	if err != nil {
		return err
	}
	block := matrix.Block(v.stack, release)
	switch {
	case o.notes:
		block = matrix.Notes(v.stack, release)
		fallthrough
	case !o.write && !o.check:
		_, err = t.out.WriteString(block)
		return err
	}
	path := v.stack.Table.Path
	data, err := fs.ReadFile(v.tree, path)
	if err != nil {
		return err
	}
	edit, err := matrix.Insert(v.stack, path, data, release)
	if err != nil {
		return err
	}
	return o.place(ctx, t, v, path, data, edit)
}

// place writes or checks a block of a file.
func (o *renderOptions) place(ctx context.Context, t *terminal, v *view, path string, data []byte, edit source.Edit) error {
	if string(edit.Of(data)) == edit.New {
		t.note("%s says what is declared", path)
		return nil
	}
	if o.check {
		diff, err := source.FileDiff{From: path, To: path, Data: data, Edits: []source.Edit{edit}}.Diff(nil)
		if err != nil {
			return err
		}
		if err := t.writeDiff(diff); err != nil {
			return err
		}
		return errPending
	}
	if v.root == "" {
		return usage("-w writes into a work tree: it goes without --ref")
	}
	return writeEdits(ctx, t, v, map[string][]source.Edit{path: {edit}})
}

// argument is the only argument, or empty.
func argument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
