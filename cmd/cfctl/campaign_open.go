package main

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

const campaignOpenLong = `Push the changes that work made, and open pull requests. It takes a lease in the
store, so that only one process writes at a time.

A pull request that a maintainer closed is not reopened, and a branch with other
commits is not pushed to. Each change is computed again and pushed only if its
commit is identical: use the version of cfctl that the plan was made with.
Changes in .github/workflows are pushed only with --workflows.

The rate limits hold over all runs; when the forge reports a secondary limit,
they are halved. The run ends when --for has passed, outside of every --window,
when --max-open pull requests are open, when --max-pending-checks wait for their
checks, or while a wave waits for the previous one.`

type campaignOpenOptions struct {
	campaignOptions
	plan    string
	limit   time.Duration
	budget  campaign.Budget
	maxOpen int
	pending int
	windows []string
	reopen  []string
	sign    string
	runs    bool // --workflows
}

func newCampaignOpen(t *terminal) *cobra.Command {
	o := &campaignOpenOptions{}
	cmd := &cobra.Command{
		Use: "open", Short: "push the changes and open pull requests, at a pace", Long: campaignOpenLong,
		Example: `  cfctl campaign open --for 50m
  cfctl campaign open --window "Mon-Fri 07:00-15:00" --max-open 100`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCampaignOpen(cmd.Context(), t, o) },
	}
	o.flags(cmd)
	o.opening(cmd)
	return cmd
}

// opening are the flags of whoever opens pull requests.
func (o *campaignOpenOptions) opening(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.plan, "plan", "", "commit that the plan must have, else exit 2 (protects against changes by others who can write to the store)")
	f.DurationVar(&o.limit, "for", 0, "create no more pull requests after this time (default: until all are created)")
	f.IntVar(&o.budget.PerMinute, "per-minute", 5, "pull requests in a minute at most; GitHub permits 80")
	f.IntVar(&o.budget.PerHour, "per-hour", 200, "pull requests in an hour at most; GitHub permits 500")
	f.IntVar(&o.maxOpen, "max-open", 0, "pull requests that may be open at a time (default: any number)")
	f.IntVar(&o.pending, "max-pending-checks", 0, "pull requests that may wait for their checks at a time, as of the last follow (default: any number)")
	f.StringArrayVar(&o.windows, "window", nil, "times to open in, UTC: \"Mon-Fri 09:00-17:00\"; repeatable (default: always)")
	choiceFlag(cmd, &o.sign, "sign", "", "none", []string{"none", "api"}, "who", "api: the forge creates and signs each commit with its own key, as the token's owner, for repositories that require signed commits; ")
	f.BoolVar(&o.runs, "workflows", false, "push changes of .github/workflows (.gitea, .forgejo), too; on GitHub the token needs the scope \"workflow\"")
	positive(cmd, "max-open", "max-pending-checks", "for")
	f.StringSliceVar(&o.reopen, "reopen", nil, "repositories to open again although a maintainer closed the pull request; repeatable")
}

func runCampaignOpen(ctx context.Context, t *terminal, o *campaignOpenOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.writes = true
	return o.withPlan(ctx, t, func(s *campaign.Store, p *campaign.Plan, fleet forge.Fleet) error {
		return o.openAll(ctx, t, s, p, fleet)
	})
}

// check refuses flags before anything is read.
func (o *campaignOpenOptions) check() error {
	if err := o.budget.Check(); err != nil {
		return usage("--per-minute, --per-hour: %w", err)
	}
	for _, w := range o.windows {
		if _, err := campaign.ParseWindow(w); err != nil {
			return usage("--window: %w", err)
		}
	}
	return nil
}

// openAll opens what is to be opened now.
func (o *campaignOpenOptions) openAll(ctx context.Context, t *terminal, s *campaign.Store, p *campaign.Plan, fleet forge.Fleet) error {
	if o.plan != "" && o.plan != p.Commit {
		return hinted{errorf("the plan of campaign %s is %s, and not %s", p.ID, p.Commit, o.plan), "the plan was replaced: read the new one before you open anything"}
	}
	for _, name := range o.reopen {
		if !slices.ContainsFunc(p.Repositories, func(r campaign.Repository) bool { return r.Name == name }) {
			return usage("--reopen %s: the campaign has no such repository", name)
		}
	}
	w := &campaign.Open{Store: s, Forge: fleet, Holder: t.process() + " (" + rand.Text()[:6] + ")", Budget: o.budget, MaxOpen: o.maxOpen, MaxPending: o.pending, Sign: o.sign == "api",
		For: o.limit, Reopen: o.reopen, Workflows: o.runs, Read: acknowledged, Sleep: wire.Sleep, Note: func(text string) { t.note("%s", text) }}
	w.Told = func(r *campaign.Record) {
		if r.Stage != campaign.Opening {
			t.note("%s: %s %s%s", r.Name, string(r.Stage), r.URL, r.Text)
		}
	}
	w.Waits = t.budgetWaits()
	for _, text := range o.windows {
		window, err := campaign.ParseWindow(text)
		if err != nil {
			return err
		}
		w.Windows = append(w.Windows, window)
	}
	n, err := w.Run(ctx, p)
	if _, ok := errors.AsType[*campaign.StoppedError](err); ok {
		t.note("%v; to resume it: cfctl campaign resume", err)
		err = nil
	}
	if _, ok := errors.AsType[*campaign.HeldError](err); ok {
		return hinted{err, "it gives the lease back when it ends; after a crash it can be taken at that time"}
	}
	if err != nil {
		return goesOn(ctx, err, "the open pull requests are in the store: run it again to resume")
	}
	report.Fprintf(t.out, "%s opened or moved\n", report.Plural(n, "pull request"))
	return nil
}

// goesOn hints that what was done is kept, where an error is that of a network,
// or the user's own.
func goesOn(ctx context.Context, err error, hint string) error {
	var remote *git.RemoteError
	var transit *wire.TransitError
	if ctx.Err() != nil || errors.As(err, &remote) && remote.InTransit() || errors.As(err, &transit) {
		return hinted{err, hint}
	}
	return err
}

// budgetWaits says until when the budget makes an opener wait: on the live line,
// and in a line of its own where it is more than two minutes.
func (t *terminal) budgetWaits() func(until time.Time, left int) {
	var said time.Time
	return func(until time.Time, left int) {
		text := report.Sprintf("the rate limit allows the next pull request at %s; %s to check", until.Format("15:04:05"), report.Plural(left, "repository"))
		if time.Until(until) > 2*time.Minute && until.Sub(said) > time.Minute {
			said = until
			t.note("%s", text)
			return
		}
		t.status("%s", text)
	}
}
