package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

const approveLong = `Say yes to a step that asks for an approval, or to sending a message again when
it is not known whether it was sent. Who approved, and when, is in the journal.
An approval is given to the plan as it is: the versions, the steps, and the
commits and images before it. When one of them changes, it is asked for again.

With --done: the step is done already, and is not to be done by cfctl. Of a step
that stopped at something foreign (a tag, an image, a release, a branch): it is
right, and taken as it is now.

STEP "plan" accepts the plan that this configuration makes, for a release that was
begun by another one: steps or approvals of it are gone, or act on something else.`

func newReleaseApprove(t *terminal) *cobra.Command {
	o, asserted := &trainOptions{notes: true}, false
	cmd := &cobra.Command{
		Use: "approve VERSION STEP", Short: "say yes to a step that waits for it", Long: approveLong,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("approve takes a version and a step")
			}
			return versionArgument(args[0])
		},
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
	s, err := o.open(ctx, t, version)
	if err != nil {
		return err
	}
	defer s.done()
	if err := o.openJournal(ctx, t, s); err != nil {
		return err
	}
	if step == train.PlanStep && !asserted {
		differences, err := release.Replan(ctx, s.train, s.env, me(t))
		if err != nil {
			return err
		}
		for _, d := range differences {
			report.Fprintf(t.out, "accepted: %s\n", d)
		}
	} else if err := release.Approve(ctx, s.train, s.env, step, me(t), asserted); err != nil {
		return replan(err)
	}
	report.Fprintf(t.out, "%s: %s approved by %s\nnext: %s\n", version, step, me(t), s.again())
	return nil
}
