package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
)

const campaignManifestsLong = `Print Kubernetes manifests that run a campaign, for kubectl apply: an Indexed
Job with one index for each shard, which runs work for this plan, and a CronJob
each for work (for repositories that changed since), open and follow. They need
no custom resource, no operator and no permission in the cluster.

Two secrets hold a token each under the key "token": the workers' can read the
repositories and push to the store, the opener's can open pull requests. They
are mounted as files and read again at each use.

The manifests are for this plan: after planning again, print and apply them
again. The Job of another plan, image or number of shards has another name; you
can delete the previous one. The image needs git, and this version of cfctl.`

type campaignManifestsOptions struct {
	campaignOptions
	m     campaign.Manifests
	limit time.Duration
}

func newCampaignManifests(t *terminal) *cobra.Command {
	o := &campaignManifestsOptions{}
	cmd := &cobra.Command{
		Use: "manifests --image IMAGE --store URL", Short: "print Kubernetes manifests that run a campaign", Long: campaignManifestsLong, Args: noArgs,
		Example: `  cfctl campaign manifests --store https://git.example.com/acme/campaigns.git \
    --image ghcr.io/project-codeflare/cfctl@sha256:... --shards 64 --queue \
    user-queue | kubectl apply -f -`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCampaignManifests(cmd.Context(), t, o) },
	}
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
