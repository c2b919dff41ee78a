package main

import (
	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/train"
)

const logLong = `Print the decisions and effects of a release from its journal, for an audit: who
approved, accepted, skipped or aborted what and when, with the digest of the
plan that an approval was given to, and each effect with its evidence. Nothing
is requested, except for a journal on a ref.

The csv form is for spreadsheets: a cell that would be a formula begins with an
apostrophe.`

func newReleaseLog(t *terminal) *cobra.Command {
	o, output := &trainOptions{}, "text"
	cmd := &cobra.Command{
		Use: "log VERSION", Short: "print who approved what, and each effect, from the journal", Long: logLong, Args: oneVersion("log"),
		Example: `  cfctl release log v1.2.0
  cfctl release log v1.2.0 -o csv > audit.csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			rs, err := readRecords(cmd.Context(), t, o, args[0])
			if err != nil {
				return err
			}
			if _, err := o.statusOf(t, args[0], rs); err != nil {
				return err
			}
			return train.WriteHistory(t.out, output, args[0], rs.History())
		},
	}
	o.flags(cmd)
	outputFlag(cmd, &output, "text", "text", "json", "csv")
	return cmd
}
