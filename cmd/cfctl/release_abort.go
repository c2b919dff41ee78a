package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/report"
)

const abortLong = `Undo what a release has not published yet: close its open PRs, delete its
branches and its draft. Tags, images, published releases, merged PRs and
messages are not changed, nor is a branch, draft or PR of that name that this
release did not create. They are listed.

Earlier decisions, approvals and skips no longer apply. After an abort, "cfctl
release run declared" exits 1, and "cfctl release run VERSION" starts the
release again from the current branches. It first lists what is still public of
the aborted one, for you to decide about.`

func newReleaseAbort(t *terminal) *cobra.Command {
	o := &trainOptions{}
	cmd := &cobra.Command{
		Use: "abort VERSION", Short: "undo what a release has not published yet", Long: abortLong, Args: oneVersion("abort"),
		RunE: func(cmd *cobra.Command, args []string) error { return runAbort(cmd.Context(), t, o, args[0]) },
	}
	o.flags(cmd)
	o.servers(cmd)
	return cmd
}

func runAbort(ctx context.Context, t *terminal, o *trainOptions, version string) error {
	o.words = []string{"abort", version}
	return o.withJournal(ctx, t, version, func(s *session) error {
		a, err := s.train.On(s.env).Abort(ctx, &s.env.Env, me(t))
		if a != nil {
			for _, line := range a.Undone {
				report.Fprintf(t.out, "undone: %s\n", line)
			}
			for _, line := range a.Stays {
				report.Fprintf(t.out, "kept:   %s\n", line)
			}
		}
		if a == nil && err != nil {
			return replan(err)
		}
		if err != nil {
			return hinted{err, "cfctl release abort " + version + " goes on from here"}
		}
		if len(a.Undone) == 0 {
			report.Fprintf(t.out, "%s: nothing to undo\n", version)
		}
		report.Fprintf(t.out, "what was decided and approved before is void\nnext: %s\n      begins it again\n", s.again())
		return nil
	})
}
