package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/report"
)

const skipLong = `Skip a step that is no longer useful: the repository of a document is archived,
a catalog does not accept patch releases, a channel was deleted. The reason is
shown in the journal, by status and verify, and in the release notes if they are
not published yet.

STEP is a step, or the prefix of several (catalog, or the name of a document):
the branch, the PR and its merge are skipped together. A step whose result
others need (a tag, an image) cannot be skipped. An abort removes the skips.`

func newReleaseSkip(t *terminal) *cobra.Command {
	o, reason := &trainOptions{notes: true}, ""
	cmd := &cobra.Command{
		Use: "skip VERSION STEP", Short: "skip a step of a release, with a reason", Long: skipLong,
		Example: `  cfctl release skip v1.2.0 distributed-workloads --reason "it is archived"`,
		Args:    versionAndStep("skip"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usage("skip needs a --reason")
			}
			return runSkip(cmd.Context(), t, o, args[0], args[1], reason)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "reason, for the journal and the notes")
	return cmd
}

func runSkip(ctx context.Context, t *terminal, o *trainOptions, version, step, reason string) error {
	o.words = []string{"skip", version, step, "--reason", reason}
	return o.withJournal(ctx, t, version, func(s *session) error {
		names, err := s.train.On(s.env).Skip(ctx, &s.env.Env, step, reason, me(t))
		if err != nil {
			return replan(err)
		}
		report.Fprintf(t.out, "%s: %s skipped by %s: %s\nnext: %s\n", version, strings.Join(names, ", "), me(t), reason, s.again())
		return nil
	})
}
