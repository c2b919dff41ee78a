package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

const approveLong = `Approve a step that needs an approval, or sending a message again when it is not
known whether it was sent. The journal records who approved, and when. An
approval is for the plan at that time: the versions, the steps, and the commits
and images before the step. When one of them changes, a new approval is needed.

With --done, the step counts as done, and cfctl does not run it. If the step
stopped at something unmanaged (a tag, an image, a release, a branch that this
release did not create), --done accepts that as it is now.

STEP "plan" accepts a changed configuration for a release that was started with
another one: steps or approvals were removed, or act on something else.`

func newReleaseApprove(t *terminal) *cobra.Command {
	o, asserted := &trainOptions{notes: true}, false
	cmd := &cobra.Command{
		Use: "approve VERSION STEP", Short: "approve a step that waits for it", Long: approveLong,
		Args: versionAndStep("approve"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runApprove(cmd.Context(), t, o, args[0], args[1], asserted)
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&asserted, "done", false, "it is done already; do not do it")
	return cmd
}

func runApprove(ctx context.Context, t *terminal, o *trainOptions, version, step string, asserted bool) error {
	o.words = []string{"approve", version, step}
	if asserted {
		o.words = append(o.words, "--done")
	}
	return o.withJournal(ctx, t, version, func(s *session) error {
		if step == train.PlanStep && !asserted {
			differences, err := s.train.On(s.env).Replan(ctx, &s.env.Env, me(t))
			if err != nil {
				return err
			}
			for _, d := range differences {
				report.Fprintf(t.out, "accepted: %s\n", d)
			}
		} else if err := s.train.On(s.env).Approve(ctx, &s.env.Env, step, me(t), asserted); err != nil {
			return replan(err)
		}
		report.Fprintf(t.out, "%s: %s approved by %s\nnext: %s\n", version, step, me(t), s.again())
		return nil
	})
}
