package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

const campaignStopLong = `Stop a campaign: no machine opens pull requests any more. A running open ends
after its current pull request. Open pull requests are not closed.`

func newCampaignStop(t *terminal) *cobra.Command {
	o := &campaignOptions{}
	cmd := &cobra.Command{
		Use: "stop", Short: "open no more pull requests, on any machine", Long: campaignStopLong, Args: noArgs,
		RunE: o.withStore(t, func(ctx context.Context, s *campaign.Store) error {
			stop, err := s.Stop(ctx, t.process())
			if err == nil {
				report.Fprintf(t.out, "campaign %s: stopped by %s at %s\n", s.ID, stop.By, stop.At)
				t.note("next: cfctl campaign resume, or cfctl campaign close")
			}
			return err
		}),
	}
	o.flags(cmd)
	return cmd
}

const campaignResumeLong = `Resume a campaign that was stopped or closed. The next run of open opens the
remaining pull requests, and those that "campaign close" closed.`

func newCampaignResume(t *terminal) *cobra.Command {
	o := &campaignOptions{}
	cmd := &cobra.Command{
		Use: "resume", Short: "resume a stopped campaign", Long: campaignResumeLong, Args: noArgs,
		RunE: o.withStore(t, func(ctx context.Context, s *campaign.Store) error {
			was, err := s.Resume(ctx)
			if err == nil {
				report.Fprintf(t.out, "campaign %s: %s\n", s.ID, map[bool]string{true: "resumed", false: "it was not stopped"}[was])
			}
			return err
		}),
	}
	o.flags(cmd)
	return cmd
}

const campaignCloseLong = `Stop a campaign, close its untouched pull requests, each with a comment, and
delete their branches. A pull request that was merged, closed or pushed to is
not changed. The rate limits of open apply. After an interruption, run it again.`

type campaignCloseOptions struct {
	campaignOptions
	budget campaign.Budget
}

func newCampaignClose(t *terminal) *cobra.Command {
	o := &campaignCloseOptions{}
	cmd := &cobra.Command{
		Use: "close", Short: "close the campaign's untouched pull requests", Long: campaignCloseLong, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCampaignClose(cmd.Context(), t, o) },
	}
	o.flags(cmd)
	cmd.Flags().IntVar(&o.budget.PerMinute, "per-minute", 5, "pull requests in a minute at most; GitHub permits 80")
	cmd.Flags().IntVar(&o.budget.PerHour, "per-hour", 200, "pull requests in an hour at most; GitHub permits 500")
	return cmd
}

func runCampaignClose(ctx context.Context, t *terminal, o *campaignCloseOptions) error {
	if err := o.budget.Check(); err != nil {
		return usage("--per-minute, --per-hour: %w", err)
	}
	o.writes = true
	s, p, fleet, err := o.begin(ctx, t)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // what was read of it
	w := &campaign.Open{Store: s, Forge: fleet, Holder: t.process(), Budget: o.budget, Sleep: wire.Sleep, Note: func(text string) { t.note("%s", text) }}
	w.Told = func(r *campaign.Record) {
		if r.Stage != campaign.Withdrawing {
			t.note("%s: %s %s", r.Name, string(r.Stage), r.URL)
		}
	}
	n, err := w.Close(ctx, p)
	if _, ok := errors.AsType[*campaign.HeldError](err); ok {
		return hinted{err, "the campaign is stopped, so that it ends soon: run campaign close again"}
	}
	if err != nil {
		return goesOn(ctx, err, "the closed pull requests are in the store: run it again to resume")
	}
	report.Fprintf(t.out, "%s closed\n", report.Plural(n, "pull request"))
	return nil
}

// process names this process for others.
func (t *terminal) process() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	return report.Sprintf("process %d on %s", os.Getpid(), host)
}
