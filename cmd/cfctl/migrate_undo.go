package main

import (
	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const undoLong = `Undo the last cfctl migrate --write of this work tree, byte for byte: edits,
renames, created and removed files. If a file changed since, nothing is undone.
An interrupted write is rolled back, too.`

func newMigrateUndo(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "undo [PATH]",
		Short: "undo the last --write of this work tree",
		Long:  undoLong,
		Args:  argsOf(0, 1, "one path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			tree, err := source.Open(args)
			if err != nil {
				return err
			}
			defer tree.Close()
			names, err := tree.Undo(cmd.Context())
			if err != nil {
				return err
			}
			for _, name := range names {
				report.Fprintf(t.out, "%s\n", name)
			}
			t.note("%s restored", report.Plural(len(names), "file"))
			return nil
		},
	}
}
