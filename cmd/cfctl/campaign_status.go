package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const campaignFollowLong = `Read the state of the open pull requests: merged, closed, commits by others,
checks, conflicts. One request reads a hundred pull requests. The result is
written to the store; the repositories are only read.`

func newCampaignFollow(t *terminal) *cobra.Command {
	o := &campaignOptions{}
	cmd := &cobra.Command{
		Use: "follow", Short: "read the state of the pull requests", Long: campaignFollowLong, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, p, fleet, err := o.begin(cmd.Context(), t)
			if err != nil {
				return err
			}
			defer s.Close() //nolint:errcheck // what was read of it
			return followAll(cmd.Context(), t, s, p, fleet)
		},
	}
	o.flags(cmd)
	return cmd
}

func followAll(ctx context.Context, t *terminal, s *campaign.Store, p *campaign.Plan, fleet forge.Fleet) error {
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

const campaignStatusLong = `Show the progress of a campaign from the store, without any request: the number
of repositories in each state, their owners, and what needs review. Owners are
those that CODEOWNERS lists for all files, else the organisation.

Exit codes: 0 all repositories are done; 1 some are not; 2 error.`

type campaignStatusOptions struct {
	campaignOptions
	output, html string
}

func newCampaignStatus(t *terminal) *cobra.Command {
	o := &campaignStatusOptions{}
	cmd := &cobra.Command{
		Use: "status", Short: "show the progress by state and owner", Long: campaignStatusLong,
		Example: `  cfctl campaign status
  cfctl campaign status --html status.html`,
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
	if st.Left {
		return errPending
	}
	return nil
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

const campaignRunLong = `Run work, open and follow in one process on this machine, without a scheduler.

CFCTL_READ_TOKEN_FILE may name a file with a second token for work and follow,
which only read repositories and push to the store. The token of
CFCTL_TOKEN_FILE is then read only for open.

After an interruption the results are kept and the lease is released: run it
again.`

type campaignRunOptions struct {
	campaignOpenOptions
	jobs int
}

func newCampaignRun(t *terminal) *cobra.Command {
	o := &campaignRunOptions{}
	cmd := &cobra.Command{
		Use: "run", Short: "work, open and follow on this machine", Long: campaignRunLong, Args: noArgs,
		Example: `  cfctl campaign run -j 4 --for 50m`,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runCampaignRun(cmd.Context(), t, o) },
	}
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
	s, p, fleet, err := o.begin(ctx, t)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // what was read of it
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
}
