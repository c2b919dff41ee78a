package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/trust"
	"github.com/project-codeflare/cfctl/internal/wire"
)

func newCampaign(t *terminal) *cobra.Command {
	return family("campaign", "migrate many repositories, with pull requests",
		newCampaignPlan(t), newCampaignWork(t), newCampaignEvaluate(t), newCampaignOpen(t), newCampaignFollow(t), newCampaignStatus(t), newCampaignRun(t), newCampaignManifests(t),
		newCampaignStop(t), newCampaignResume(t), newCampaignClose(t))
}

// campaignStore is the store where no one names another.
const campaignStore = ".cfctl/campaigns.git"

// campaignOptions are what every command of a campaign takes.
type campaignOptions struct {
	store, id string
	writes    bool // to the repositories: with the token that can
}

func (o *campaignOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.store, "store", campaignStore, "git repository that holds the campaign: a folder, or a URL")
	f.StringVar(&o.id, "campaign", "", "name of the campaign (default: the only one in the store)")
}

// isFolder says whether a store is a folder on this machine.
func isFolder(store string) bool {
	return !strings.Contains(store, "://") && (filepath.IsAbs(store) || !strings.Contains(store, ":"))
}

// at is the store as git takes it. A folder that came with a tree is refused:
// the plan in it would be the tree's.
func (o *campaignOptions) at(ctx context.Context) (string, error) {
	if !isFolder(o.store) {
		if git.Redact(o.store) != o.store {
			return "", hinted{usage("--store with a user or password"), "give git a credential helper, or CFCTL_TOKEN_FILE"}
		}
		return o.store, git.CheckURL(o.store)
	}
	at, err := filepath.Abs(filepath.FromSlash(o.store))
	if err != nil {
		return "", err
	}
	tracked, err := git.CameWithTree(ctx, at)
	if err == nil && tracked {
		err = hinted{errorf("%s: git tracks this folder, and a store that comes with a repository is not used", o.store), "use a store that no repository contains: --store FOLDER, or --store URL"}
	}
	return at, err
}

// storeIdentity makes the commits of a store, which no one reviews.
var storeIdentity = git.Identity{Name: "cfctl", Email: "cfctl@localhost"}

// open opens the campaign of the flags. A store on the host that the environment
// has a token for gets it: it is asked before the plan can say anything.
func (o *campaignOptions) open(ctx context.Context, t *terminal) (*campaign.Store, error) {
	t.frugal()
	at, err := o.at(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.authorize(ctx, t, at); err != nil {
		return nil, err
	}
	if isFolder(o.store) {
		if _, err := os.Stat(at); err != nil {
			return nil, hinted{errorf("%s: there is no store", o.store), "make a campaign first: cfctl campaign plan"}
		}
	}
	id := o.id
	if id == "" {
		if id, err = campaign.Only(ctx, at); err != nil {
			return nil, err
		}
	}
	return campaign.OpenStore(ctx, at, id, storeIdentity, time.Now)
}

// withStore has a command run on the campaign of its flags.
func (o *campaignOptions) withStore(t *terminal, run func(ctx context.Context, s *campaign.Store) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		s, err := o.open(cmd.Context(), t)
		if err != nil {
			return err
		}
		defer s.Close() //nolint:errcheck // what was read of it
		return run(cmd.Context(), s)
	}
}

// authorize lets git have the token for the store, where the store is on the host
// of the environment's forge; else git has credential helpers of its own.
func (o *campaignOptions) authorize(ctx context.Context, t *terminal, at string) error {
	servers, err := campaign.ServersOf(t.Env, "", "")
	if err != nil || !strings.HasPrefix(at, "http") || !slices.Equal(trust.Hosts(at), trust.Hosts(servers.Git)) {
		return err
	}
	token, err := campaignToken(ctx, t, servers, o.writes)
	if err != nil {
		return err
	}
	return git.Authorize(servers.Git, token)
}

// withPlan has run do something with the campaign of the flags and its plan. git and
// the forge have the token that is for its servers.
func (o *campaignOptions) withPlan(ctx context.Context, t *terminal, run func(s *campaign.Store, p *campaign.Plan, fleet *github.Client) error) error {
	s, err := o.open(ctx, t)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // what was read of it
	p, err := s.Plan(ctx)
	if err == nil && p.Version != build().Version {
		err = hinted{errorf("the campaign was planned by cfctl %s, and this is %s", p.Version, build().Version), "use that one, or plan again: results of other rules are made anew"}
	}
	if err != nil {
		return err
	}
	fleet, err := campaignForge(ctx, t, p.Servers, o.writes)
	if err != nil {
		return err
	}
	return run(s, p, fleet)
}

// campaignForge connects to the forge of a campaign, with the token that writes
// or the one that reads; nil = it has none.
func campaignForge(ctx context.Context, t *terminal, servers campaign.Servers, writes bool) (*github.Client, error) {
	if servers.API == "" {
		return nil, nil
	}
	token, err := campaignToken(ctx, t, servers, writes)
	if err != nil {
		return nil, err
	}
	if err := git.Authorize(servers.Git, token); err != nil {
		return nil, err
	}
	queue := &wire.Queue{Now: time.Now, Sleep: wire.Sleep, Distance: time.Second, Patience: 2 * time.Minute, Retries: 3,
		Paused: func(text string) { t.note("%s", text) }}
	return github.New(servers.API, token, queue)
}

// tokenFile names a file with the token, which is read again at each use: the
// tokens of apps live for an hour, and a cluster writes new ones in place.
// readTokenFile names one for all but the opener, where there are two.
const (
	tokenFile     = "CFCTL_TOKEN_FILE"
	readTokenFile = "CFCTL_READ_TOKEN_FILE"
)

// campaignToken is where the token for the servers of a campaign comes from.
func campaignToken(ctx context.Context, t *terminal, servers campaign.Servers, writes bool) (func() string, error) {
	variable := tokenFile
	if !writes && t.Env[readTokenFile] != "" {
		variable = readTokenFile
	}
	if t.Env[variable] != "" {
		return t.Secrets.FileToken(t.Env, variable, trust.Servers{API: servers.API, Git: servers.Git})
	}
	return t.Token(ctx, recipe.Servers{API: servers.API, Git: servers.Git})
}

// acknowledged reads what a repository's own configuration leaves out of
// migrations, and what it keeps. What else it says is for other commands.
func acknowledged(data []byte) (campaign.Acknowledged, error) {
	c, err := config.File{Path: config.Name, Data: data}.Decode()
	if err != nil {
		return campaign.Acknowledged{}, err
	}
	own := migrate.Keep{Path: config.Name, Why: "it is the configuration itself"}
	return campaign.Acknowledged{Exclude: c.Migrate.Exclude, Keep: append([]migrate.Keep{own}, c.Keeps()...)}, nil
}
