package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/report"
)

const campaignWorkLong = `Compute the change of each repository of a campaign, and write the results to
the store. Repositories are only read: one commit is fetched, without its
history and without large files, and migrated without a checkout, each in a
process of its own. The same commit and plan give the same result on any machine.

A result is valid until its repository or the plan changes: an interrupted run
resumes, and a second run has nothing to do. For a repository that cannot be
migrated, the result is the error.

The shard is set by --shard and --of, or by the environment of a scheduler: a
Kubernetes Indexed Job with --of, GitLab's parallel, Buildkite, AWS Batch,
Slurm.

Exit codes: 0 every repository has a result; 2 error with the store.`

type campaignWorkOptions struct {
	campaignOptions
	shard, of, jobs int
}

func newCampaignWork(t *terminal) *cobra.Command {
	o := &campaignWorkOptions{}
	cmd := &cobra.Command{
		Use: "work", Short: "compute the change of each repository; write results to the store", Long: campaignWorkLong,
		Example: `  cfctl campaign work -j 8
  cfctl campaign work --shard 3 --of 64 --store \
    https://git.example.com/acme/campaigns.git`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCampaignWork(cmd.Context(), t, o) },
	}
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
		if index, of, err = campaign.ShardOf(t.env, o.of); err != nil {
			return hinted{err, "say it: --shard I --of N"}
		}
	}
	return o.withPlan(ctx, t, func(s *campaign.Store, p *campaign.Plan, _ forge.Fleet) error {
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
