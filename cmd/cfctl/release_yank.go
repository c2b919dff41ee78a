package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/train"
)

const yankLong = `Withdraw a release that is complete:

  - its stable tags are reset, by digest, to the previous images
  - the release is marked as a pre-release, with the reason above its notes
  - a PR deprecates it in the catalog (release.catalog.deprecations names the
  file)
  - a PR restores the previous versions in each downstream document

Tags, images and merged bundles are not changed, because they may be in use. The
next release replaces the yanked one for those who installed it.

A yank runs like a release: each step first observes the state, the journal
records it, and running the command again resumes it. The reason of the first
run is used. "release run" of a yanked release exits 1.`

func newReleaseYank(t *terminal) *cobra.Command {
	o, pick, reason, plan := &trainOptions{past: true}, train.Choices{}, "", false
	cmd := &cobra.Command{
		Use: "yank VERSION", Short: "withdraw a complete release", Long: yankLong, Args: oneVersion("yank"),
		Example: `  cfctl release yank v1.2.0 --reason "jobs are lost when the controller \
    restarts"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runYank(cmd.Context(), t, o, args[0], reason, plan, pick)
		},
	}
	o.flags(cmd)
	o.servers(cmd)
	o.runs(cmd)
	cmd.Flags().BoolVar(&pick.Wait, "wait", false, "wait until the PRs are merged")
	cmd.Flags().BoolVar(&plan, "plan", false, "show the steps and do nothing")
	cmd.Flags().StringVar(&reason, "reason", "", "reason, shown to users; required by the first run")
	return cmd
}

func runYank(ctx context.Context, t *terminal, o *trainOptions, version, reason string, plan bool, pick train.Choices) error {
	s, err := o.open(ctx, t, version)
	if err != nil {
		return err
	}
	defer s.done()
	was, err := s.journals(ctx, version)
	if err != nil {
		return err
	}
	s.version, s.begins = release.YankOf(version), []string{"yank", version}
	open := o.openJournal
	if plan {
		open = o.readJournal
	}
	if err := open(ctx, t, s); err != nil {
		return err
	}
	if rs := s.env.Journal.Records(); len(rs) > 0 {
		reason = release.ReasonOf(rs[0])
	}
	if strings.TrimSpace(reason) == "" {
		return usage("yank needs a --reason")
	}
	if err := release.Yank(s.train, was, reason); err != nil {
		return decision{hinted{err, "cfctl release abort " + version}}
	}
	if plan {
		return runPlan(ctx, t, s, o, "text", false)
	}
	return advance(ctx, t, o, s, pick)
}
