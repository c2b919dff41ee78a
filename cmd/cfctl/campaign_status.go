package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

func newCampaignFollow(t *terminal) *cobra.Command {
	o := &campaignOptions{}
	cmd := &cobra.Command{
		Use: "follow", Short: "read the state of the pull requests", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return o.withPlan(ctx, t, func(s *campaign.Store, p *campaign.Plan, fleet *github.Client) error {
				return followAll(ctx, t, s, p, fleet)
			})
		},
	}
	o.flags(cmd)
	return cmd
}

func followAll(ctx context.Context, t *terminal, s *campaign.Store, p *campaign.Plan, fleet *github.Client) error {
	if fleet == nil {
		return errorf("campaign %s has no forge: nothing was opened", p.ID)
	}
	asked, changed, err := campaign.Follow(ctx, s, fleet)
	if err != nil {
		return err
	}
	report.Fprintf(t.out, "%s followed, %d changed\n", report.Plural(asked, "pull request"), changed)
	return nil
}

type campaignStatusOptions struct {
	campaignOptions
	output, html string
}

func newCampaignStatus(t *terminal) *cobra.Command {
	o := &campaignStatusOptions{}
	cmd := &cobra.Command{
		Use: "status", Short: "show the progress by state and owner",
		Args: noArgs,
		RunE: o.withStore(t, func(ctx context.Context, s *campaign.Store) error { return runCampaignStatus(ctx, t, o, s) }),
	}
	o.flags(cmd)
	outputFlag(cmd, &o.output, "text", "text", "json")
	cmd.Flags().StringVar(&o.html, "html", "", "also write an HTML page to this file; missing folders are created")
	return cmd
}

func runCampaignStatus(ctx context.Context, t *terminal, o *campaignStatusOptions, s *campaign.Store) error {
	st, err := campaign.Count(ctx, s)
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := source.WriteFile(o.html, st.Page(), 0o644); err != nil {
			return err
		}
	}
	if o.output == "json" {
		if err := report.WriteJSON(t.out, st); err != nil {
			return err
		}
	} else if err := showStatus(t, st); err != nil {
		return err
	}
	return pendingIf(st.Left)
}

// showStatus prints the counts, and then what is left.
func showStatus(t *terminal, st *campaign.Status) error {
	report.Fprintf(t.out, "campaign %s: %s\n", st.ID, st.Title)
	if st.Stop != nil {
		report.Fprintf(t.out, "stopped by %s at %s: no pull requests are opened\n", st.Stop.By, st.Stop.At)
	}
	report.Fprintf(t.out, "\n")
	w := t.table()
	for _, s := range campaign.Stages {
		if n := st.Counts[s.ID]; n > 0 {
			report.Fprintf(w, "%d\t%s\t%s\n", n, s.ID, s.Doc)
		}
	}
	if st.Left {
		report.Fprintf(w, "\nleft:\n")
	}
	for _, r := range st.Rows {
		if campaign.Done(r.State) {
			continue
		}
		report.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, r.State, r.Owner, strings.TrimSpace(r.URL+" "+r.Text))
	}
	return w.Flush()
}

type campaignRunOptions struct {
	campaignOpenOptions
	jobs int
}

func newCampaignRun(t *terminal) *cobra.Command {
	o := &campaignRunOptions{}
	cmd := command(t, o, "run", "work, open and follow on this machine", runCampaignRun)
	o.flags(cmd)
	o.opening(cmd)
	cmd.Flags().IntVarP(&o.jobs, "jobs", "j", 2, "repositories at a time")
	positive(cmd, "jobs")
	return cmd
}

func runCampaignRun(ctx context.Context, t *terminal, o *campaignRunOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	return o.withPlan(ctx, t, func(s *campaign.Store, p *campaign.Plan, fleet *github.Client) error {
		if err := evaluateShard(ctx, t, s, p, 0, 1, o.jobs); err != nil || fleet == nil {
			return err
		}
		if err := followAll(ctx, t, s, p, fleet); err != nil {
			return err
		}
		writer, err := campaignForge(ctx, t, p.Servers, true)
		if err != nil {
			return err
		}
		if err := o.openAll(ctx, t, s, p, writer); err != nil {
			return err
		}
		return followAll(ctx, t, s, p, writer)
	})
}

func newCampaignStop(t *terminal) *cobra.Command {
	o := &campaignOptions{}
	cmd := &cobra.Command{
		Use: "stop", Short: "open no more pull requests, on any machine", Args: noArgs,
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

func newCampaignResume(t *terminal) *cobra.Command {
	o := &campaignOptions{}
	cmd := &cobra.Command{
		Use: "resume", Short: "resume a stopped campaign", Args: noArgs,
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

type campaignCloseOptions struct {
	campaignOptions
	budget campaign.Budget
}

func newCampaignClose(t *terminal) *cobra.Command {
	o := &campaignCloseOptions{}
	cmd := command(t, o, "close", "close the campaign's untouched pull requests", runCampaignClose)
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
	return o.withPlan(ctx, t, func(s *campaign.Store, p *campaign.Plan, fleet *github.Client) error {
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
	})
}

// process names this process for others.
func (t *terminal) process() string {
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	return report.Sprintf("process %d on %s", os.Getpid(), host)
}

type campaignManifestsOptions struct {
	campaignOptions
	m     campaign.Manifests
	limit time.Duration
}

func newCampaignManifests(t *terminal) *cobra.Command {
	o := &campaignManifestsOptions{}
	cmd := command(t, o, "manifests --image IMAGE --store URL", "print Kubernetes manifests that run a campaign", runCampaignManifests)
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.m.Image, "image", "", "image with cfctl and git, preferably by digest")
	f.IntVar(&o.m.Shards, "shards", 64, "number of shards")
	f.IntVar(&o.m.Parallelism, "parallelism", 8, "shards at a time")
	f.StringVar(&o.m.Queue, "queue", "", "Kueue's queue for the work (default: none)")
	f.StringVar(&o.m.Again, "work-schedule", "0 3 * * *", "when work runs for repositories that changed; empty = never")
	f.StringVar(&o.m.Schedule, "schedule", "*/15 * * * *", "when open and follow run")
	f.DurationVar(&o.limit, "for", 14*time.Minute, "time after which a run of open creates no more pull requests")
	f.StringVar(&o.m.ReadSecret, "read-secret", "cfctl-read", "secret with the workers' token")
	f.StringVar(&o.m.WriteSecret, "write-secret", "cfctl-write", "secret with the opener's token")
	f.StringArrayVar(&o.m.Args, "open-arg", nil, "further argument of open, such as --max-open=100; repeatable")
	positive(cmd, "for")
	return cmd
}

// openArgs refuses arguments that open would refuse, hours later and on a cluster.
func (o *campaignManifestsOptions) openArgs() error {
	open := &campaignOpenOptions{}
	cmd := &cobra.Command{Use: "open"}
	open.flags(cmd)
	open.opening(cmd)
	err := cmd.ParseFlags(o.m.Args)
	switch {
	case err != nil:
		err = flagError(cmd, err)
	case cmd.Flags().NArg() > 0:
		err = usage("%q is no flag", cmd.Flags().Arg(0))
	default:
		err = errors.Join(cmd.PreRunE(cmd, nil), open.check())
	}
	if err != nil {
		return hinted{usage("--open-arg: %w", err), "what it takes: cfctl campaign open --help"}
	}
	return nil
}

func runCampaignManifests(ctx context.Context, t *terminal, o *campaignManifestsOptions) error {
	if err := o.openArgs(); err != nil {
		return err
	}
	s, err := o.open(ctx, t)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // what was read of it
	p, err := s.Plan(ctx)
	if err != nil {
		return err
	}
	o.m.ID, o.m.Plan, o.m.Servers, o.m.Store, o.m.For = p.ID, p.Commit, p.Servers, o.store, o.limit.String()
	data, err := o.m.YAML()
	if err != nil {
		return hinted{usage("%w", err), "cfctl campaign manifests --help"}
	}
	_, err = t.out.Write(data)
	return err
}
