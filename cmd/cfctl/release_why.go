package main

import (
	"bytes"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
)

const releaseWhyLong = `Explain one step of a release: its state and since when, why it stopped, how to
fix that, what it needs and what waits for it, and what happened so far. It is
read from the journal, without any request; --refresh also reads the forge, git
and the registry.

"cfctl explain REASON" describes a reason for which a step stops.

Exit codes: 0 success, 2 error.`

func newReleaseWhy(t *terminal) *cobra.Command {
	o, refresh := &trainOptions{}, false
	cmd := &cobra.Command{
		Use: "why VERSION STEP", Short: "explain the state of one step of a release", Long: releaseWhyLong,
		Example: "  cfctl release why v1.2.0 operator-merged",
		Args:    versionAndStep("why"),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := readStatus(cmd.Context(), t, o, args[0], refresh)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := release.Why(&b, st, args[1], "cfctl release run "+args[0], time.Now()); err != nil {
				return err
			}
			_, err = t.out.WriteString(o.carry(t, b.String()))
			return err
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&refresh, "refresh", false, "also read the forge, git and the registry")
	return cmd
}
