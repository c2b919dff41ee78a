package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

const campaignOpenLong = `Push the changes that work made, and open pull requests: the one writer of a
campaign. It takes a lease in the store, so that a second one does nothing.

It checks first: a pull request that a maintainer closed is not reopened, a branch
with other commits is not pushed to, and what was merged is done. It makes each
change again, from the base that the worker names, and pushes it only when its commit is the
same: use the version of cfctl that the plan was made with. A change of files in
.github/workflows is pushed with --workflows alone.

The budget is kept in the store, over all runs; the forge's secondary limits
halve it. It ends early when --for is over, outside of every --window, when
--max-open are open, when --max-pending-checks wait for their checks, or while a
wave waits for the one before it.`

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
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCampaignOpen(cmd.Context(), t, o) },
	}
	o.flags(cmd)
	o.opening(cmd)
	return cmd
}

// opening are the flags of whoever opens pull requests.
func (o *campaignOpenOptions) opening(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.plan, "plan", "", "commit that the plan must be: another one is trouble (who can write the store could change it)")
	f.DurationVar(&o.limit, "for", 0, "begin nothing after this time (default: until all is done)")
	f.IntVar(&o.budget.PerMinute, "per-minute", 5, "pull requests in a minute at most; GitHub permits 80")
	f.IntVar(&o.budget.PerHour, "per-hour", 200, "pull requests in an hour at most; GitHub permits 500")
	f.IntVar(&o.maxOpen, "max-open", 0, "pull requests that may be open at a time (default: any number)")
	f.IntVar(&o.pending, "max-pending-checks", 0, "pull requests that may wait for their checks at a time, as follow saw them (default: any number)")
	f.StringArrayVar(&o.windows, "window", nil, "times to open in, UTC: \"Mon-Fri 09:00-17:00\"; repeatable (default: always)")
	choiceFlag(cmd, &o.sign, "sign", "", "none", []string{"none", "api"}, "who", "api: the forge makes each commit and signs it, by its own key and as the token's owner, for repositories that take signed commits alone; ")
	f.BoolVar(&o.runs, "workflows", false, "push changes of .github/workflows (.gitea, .forgejo), too; on GitHub the token needs the scope \"workflow\"")
	atLeast(cmd, 1, "max-open", "max-pending-checks")
	lasting(cmd, "for")
	f.StringSliceVar(&o.reopen, "reopen", nil, "repositories to open again although a maintainer closed the pull request; repeatable")
}

func runCampaignOpen(ctx context.Context, t *terminal, o *campaignOpenOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	o.writes = true
	s, p, fleet, err := o.begin(ctx, t)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // what was read of it
	return o.openAll(ctx, t, s, p, fleet)
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
	host, err := os.Hostname()
	if err != nil {
		host = "a machine"
	}
	w := &campaign.Open{Store: s, Forge: fleet, Holder: report.Sprintf("process %d on %s (%s)", os.Getpid(), host, rand.Text()[:6]), Budget: o.budget, MaxOpen: o.maxOpen, MaxPending: o.pending, Sign: o.sign == "api",
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
	var stopped *campaign.StoppedError
	if errors.As(err, &stopped) {
		t.note("%v; cfctl campaign resume lets it go on", err)
		err = nil
	}
	var held *campaign.HeldError
	if errors.As(err, &held) {
		return hinted{err, "it gives the lease back when it ends; after a crash it can be taken at that time"}
	}
	if err != nil {
		return goesOn(ctx, err, "what was opened is in the store: run it again, and it goes on")
	}
	report.Fprintf(t.out, "%s opened or moved\n", plural(n, "pull request"))
	return nil
}

// goesOn hints that what was done is kept, where an error is that of a network,
// or the person's own.
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
		text := report.Sprintf("the budget has room again at %s; %s to look at", until.Format("15:04:05"), repositories(left))
		if time.Until(until) > 2*time.Minute && until.Sub(said) > time.Minute {
			said = until
			t.note("%s", text)
			return
		}
		t.status("%s", text)
	}
}
