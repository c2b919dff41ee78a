package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

const pauseLong = `Pause all releases of the stack, on any machine, until "cfctl release resume":
scheduled jobs, and runs that are waiting. A request in progress is completed;
after at most a minute (--poll), none is started. Runs still observe the state,
and exit 1 with who paused the releases, and why. Approvals, skips and aborts
are still recorded.

The pause is stored in a ref of the root's repository. A run reads it at its
start, and before each change if the last answer is older than --poll.`

const resumeLong = `End "cfctl release pause". Runs that are waiting resume; others resume when they
are run again.`

func newReleasePause(t *terminal) *cobra.Command {
	return pauseCommand(t, train.KindPause, "stop all releases, on any machine", pauseLong, `  cfctl release pause --reason "the registry is being moved"`)
}

func newReleaseResume(t *terminal) *cobra.Command {
	return pauseCommand(t, train.KindResume, "end a pause of all releases", resumeLong, "  cfctl release resume")
}

func pauseCommand(t *terminal, kind, short, long, example string) *cobra.Command {
	o, reason := &trainOptions{}, ""
	cmd := &cobra.Command{
		Use: kind, Short: short, Long: long, Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if kind == train.KindPause && strings.TrimSpace(reason) == "" {
				return usage("pause needs a --reason")
			}
			return runPause(cmd.Context(), t, o, kind, reason)
		},
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "work tree with the configuration")
	cmd.Flags().StringVar(&reason, "reason", "", "why, shown by every run that waits")
	return cmd
}

func runPause(ctx context.Context, t *terminal, o *trainOptions, kind, reason string) error {
	o.distance, o.poll = time.Second, time.Minute
	s, err := o.connect(ctx, t, "")
	if err != nil {
		return err
	}
	defer s.done()
	r, was, err := release.Pause(ctx, s.remotes, s.view.stack.RootComponent().Repository, kind, reason, me(t))
	switch {
	case err != nil:
		return err
	case r == nil:
		report.Fprintf(t.out, "releases are not paused\n")
	default:
		report.Fprintf(t.out, "releases are %sd%s%s%s\n", kind, map[bool]string{true: " already,"}[was], r.By(), map[bool]string{true: ": " + r.Text}[r.Text != ""])
	}
	return nil
}
