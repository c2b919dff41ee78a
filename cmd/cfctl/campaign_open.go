package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

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
	cmd := command(t, o, "open", "push the changes and open pull requests, at a pace", runCampaignOpen)
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
	return o.withPlan(ctx, t, func(s *campaign.Store, p *campaign.Plan, fleet *github.Client) error {
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
func (o *campaignOpenOptions) openAll(ctx context.Context, t *terminal, s *campaign.Store, p *campaign.Plan, fleet *github.Client) error {
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

type campaignWorkOptions struct {
	campaignOptions
	shard, of, jobs int
}

func newCampaignWork(t *terminal) *cobra.Command {
	o := &campaignWorkOptions{}
	cmd := command(t, o, "work", "compute the change of each repository; write results to the store", runCampaignWork)
	o.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&o.shard, "shard", -1, "index of the shard, from 0 (default: from the scheduler, or all)")
	f.IntVar(&o.of, "of", 0, "number of shards")
	f.IntVarP(&o.jobs, "jobs", "j", 2, "repositories at a time")
	positive(cmd, "of", "jobs")
	return cmd
}

func runCampaignWork(ctx context.Context, t *terminal, o *campaignWorkOptions) error {
	index, of := o.shard, o.of
	if index < 0 {
		var err error
		if index, of, err = campaign.ShardOf(t.Env, o.of); err != nil {
			return hinted{err, "say it: --shard I --of N"}
		}
	}
	return o.withPlan(ctx, t, func(s *campaign.Store, p *campaign.Plan, _ *github.Client) error {
		return evaluateShard(ctx, t, s, p, index, max(of, 1), o.jobs)
	})
}

// evaluationLimit is how long the evaluation of one repository may take. It is more than
// what it allows itself for what servers do.
const evaluationLimit = 20 * time.Minute

// newCampaignEvaluate is the command that work starts for each repository.
func newCampaignEvaluate(t *terminal) *cobra.Command {
	return &cobra.Command{
		Use: "evaluate", Short: "compute the change of one repository: started by campaign work", Args: noArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var order campaign.Order
			if err := json.NewDecoder(t.in).Decode(&order); err != nil || order.Plan == nil {
				return hinted{errorf("standard input is no order of campaign work"), "cfctl campaign work"}
			}
			if _, err := campaignForge(cmd.Context(), t, order.Plan.Servers, false); err != nil {
				return err
			}
			r, err := order.Evaluate(cmd.Context(), acknowledged)
			if err != nil {
				return err
			}
			return report.WriteJSON(t.out, r)
		},
	}
}

// ownProgram is the file of this program, empty where it may be another one: a binary of
// tests that has cfctl in it would run its tests.
func ownProgram() string {
	program, err := os.Executable()
	if err != nil || flag.Lookup("test.v") != nil || os.Getenv(campaign.IsApart) != "" {
		return ""
	}
	return program
}

// evaluateShard evaluates one shard and says what came of it.
func evaluateShard(ctx context.Context, t *terminal, s *campaign.Store, p *campaign.Plan, index, of, jobs int) error {
	w := &campaign.Work{Store: s, Jobs: jobs, Read: acknowledged, Told: func(r *campaign.Result) {
		switch r.State {
		case campaign.Trouble:
			t.note("%s: %s: %s", r.Name, string(r.Class), r.Text)
		case campaign.Changed:
			t.note("%s: %s in %s, %d need review", r.Name, report.Plural(r.Proven, "place"), report.Plural(r.Files, "file"), r.Review)
		default:
			t.status("%s: nothing to change", r.Name)
		}
	}}
	if program := ownProgram(); program != "" {
		w.Evaluate = campaign.Apart(evaluationLimit, program, "campaign", "evaluate")
	}
	done, err := w.Shard(ctx, p, index, of)
	if err != nil {
		return goesOn(ctx, err, "the results so far are in the store: run it again to resume")
	}
	report.Fprintf(t.out, "shard %d of %d: %s: %d changed, %d with nothing to change, %d failed, %d had a result already\n",
		index, of, report.Plural(done.Repositories, "repository"), done.Changed, done.Nothing, done.Trouble, done.Held)
	return nil
}
