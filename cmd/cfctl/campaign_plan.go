package main

import (
	"cmp"
	"context"
	"net/mail"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/campaign"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

type campaignPlanOptions struct {
	campaignOptions
	migrateOptions
	org, repos, author, title, api, base string
	signOff                              bool
	filters                              campaign.Filters
	canaries, needs                      []string
	share                                int
	changeOpen, inOrder                  bool
}

func newCampaignPlan(t *terminal) *cobra.Command {
	o := &campaignPlanOptions{}
	cmd := command(t, o, "plan (--org ORG | --repos FILE)", "select the repositories and write the plan", runCampaignPlan)
	o.flags(cmd)
	cmd.Flags().Lookup("campaign").Usage = "name of the campaign, which is in the name of its branches (default: that of the first ruleset)"
	f := cmd.Flags()
	f.StringVar(&o.org, "org", "", "organisation or user whose repositories are migrated")
	f.StringVar(&o.repos, "repos", "", "file with one repository per line")
	f.StringSliceVar(&o.Rulesets, "ruleset", []string{"codeflare-groups"}, "name of a built-in ruleset, a file, or an address; repeatable, composed in one pass")
	choiceFlag(cmd, &o.Mode, "mode", "", "replace", []string{"replace", "dual"}, "mode", "dual: permissions, webhooks and CRDs serve both groups; ")
	f.StringToStringVar(&o.Set, "set", nil, "values that a ruleset asks for, NAME=VALUE")
	f.StringVar(&o.author, "author", "", "author of the commits, \"NAME <MAIL>\" (default: git's own identity)")
	f.BoolVar(&o.signOff, "sign-off", false, "add Signed-off-by to the commits")
	f.StringVar(&o.title, "title", "", "title of commits and pull requests")
	f.StringSliceVar(&o.filters.Exclude, "exclude", nil, "globs of OWNER/NAME to skip")
	f.BoolVar(&o.filters.Forks, "forks", false, "include forks")
	f.Int64Var(&o.filters.MaxSize, "max-size", 5_000_000, "skip larger repositories, in KB; 0 = no limit")
	f.StringSliceVar(&o.canaries, "canary", nil, "repositories whose pull requests are opened first; repeatable")
	f.IntVar(&o.share, "share", 0, "percentage of the other repositories that form the second wave")
	f.StringSliceVar(&o.needs, "needs", nil, "repositories that must have merged before other pull requests are opened, such as the one with the CRDs; repeatable")
	f.BoolVar(&o.inOrder, "in-order", false, "open the repositories of --needs one after another, each after the previous one has merged")
	f.BoolVar(&o.changeOpen, "change-open", false, "allow new rules to change the pull requests that are open: their commits, titles and descriptions")
	f.StringVar(&o.api, "api", "", "API of the forge (default: $GITHUB_API_URL, or github.com's)")
	f.StringVar(&o.base, "git", "", "where git finds OWNER/NAME.git (default: $GITHUB_SERVER_URL, or github.com)")
	completeBy(cmd, "ruleset", migrate.Builtin)
	return cmd
}

func runCampaignPlan(ctx context.Context, t *terminal, o *campaignPlanOptions) error {
	switch {
	case (o.org == "") == (o.repos == ""):
		return usage("one of --org and --repos is required")
	case o.share < 0 || o.share > 100:
		return usage("--share %d is not a percentage from 0 to 100", o.share)
	case o.inOrder && len(o.needs) == 0:
		return usage("--in-order needs --needs")
	case o.filters.MaxSize < 0:
		return usage("--max-size %d is less than 0", o.filters.MaxSize)
	case strings.ContainsFunc(o.title, unicode.IsControl):
		return usage("--title %q: a title is one line", o.title)
	}
	if err := o.filters.Check(); err != nil {
		return hinted{usage("--exclude: %w", err), "for example --exclude 'acme/test-*': * matches anything but a slash, ? one character, [a-z] a range"}
	}
	t.frugal()
	p, err := o.plan(ctx, t)
	if err != nil {
		return err
	}
	var fleet *github.Client
	if o.org != "" {
		if fleet, err = campaignForge(ctx, t, p.Servers, false); err != nil {
			return err
		}
		list, err := fleet.Repositories(ctx, o.org)
		if err != nil {
			return errorf("%s: %w", o.org, err)
		}
		p.Choose(list, o.filters)
	} else if err := o.listed(ctx, t, p); err != nil {
		return err
	}
	if err := p.Known(); err != nil {
		return err
	}
	return o.write(ctx, t, p)
}

// plan is the plan without its repositories.
func (o *campaignPlanOptions) plan(ctx context.Context, t *terminal) (*campaign.Plan, error) {
	p := campaign.NewPlan(build().Version)
	p.Dual, p.Set, p.SignOff, p.Canaries, p.Share = o.Mode == "dual", o.Set, o.signOff, o.canaries, o.share
	p.Needs, p.Ordered = o.needs, o.inOrder
	var names []string
	for _, name := range o.Rulesets {
		text, err := migration.RulesetText(ctx, &t.User, name)
		if err != nil {
			return nil, err
		}
		set, err := migration.Ruleset(ctx, &t.User, name)
		if err != nil {
			return nil, err
		}
		names = append(names, set.Name)
		p.Rulesets = append(p.Rulesets, campaign.Rules{Name: set.Name, Text: string(text)})
	}
	if _, err := o.Migration(ctx, &t.User); err != nil {
		return nil, err
	}
	p.ID = cmp.Or(o.id, names[0])
	p.Title = cmp.Or(o.title, "Migrate Kubernetes APIs: "+strings.Join(names, ", "))
	if err := campaign.CheckID(p.ID); err != nil {
		return nil, hinted{err, "name it with --campaign"}
	}
	var err error
	if p.Author, err = o.who(ctx); err != nil {
		return nil, err
	}
	if p.Servers, err = campaign.ServersOf(t.Env, o.api, o.base); err != nil {
		err = project.UsageOf(err)
	}
	return p, err
}

// who is the author of the commits.
func (o *campaignPlanOptions) who(ctx context.Context) (git.Identity, error) {
	if o.author == "" {
		who, err := git.Committer(ctx)
		if err != nil {
			return who, hinted{err, "name the author: --author \"NAME <MAIL>\""}
		}
		return who, nil
	}
	a, err := mail.ParseAddress(o.author)
	if err != nil || a.Name == "" || strings.ContainsAny(a.Name+a.Address, "<>\n") {
		return git.Identity{}, usage("--author %q: want \"NAME <MAIL>\"", o.author)
	}
	return git.Identity{Name: a.Name, Email: a.Address}, nil
}

// listed takes the repositories of a file. The forge is asked only for names.
func (o *campaignPlanOptions) listed(ctx context.Context, t *terminal, p *campaign.Plan) error {
	data, err := source.ReadFile(o.repos)
	if err != nil {
		return err
	}
	list, err := campaign.ReadList(data)
	if err != nil {
		return errorf("%s: %w", o.repos, err)
	}
	var fleet *github.Client
	for _, e := range list {
		if e.Name != "" && fleet == nil {
			if fleet, err = campaignForge(ctx, t, p.Servers, false); err != nil {
				return err
			}
		}
	}
	if fleet == nil {
		p.Servers = campaign.Servers{}
	}
	if err := p.ChooseListed(ctx, fleet, list, o.filters); err != nil {
		return errorf("%s: %w", o.repos, err)
	}
	return nil
}

// write writes a plan and says what is in it.
func (o *campaignPlanOptions) write(ctx context.Context, t *terminal, p *campaign.Plan) error {
	at, err := o.at(ctx)
	if err != nil {
		return err
	}
	if isFolder(o.store) {
		if err := git.MakeBare(at); err != nil {
			return err
		}
	}
	if err := o.authorize(ctx, t, at); err != nil {
		return err
	}
	s, err := campaign.OpenStore(ctx, at, p.ID, storeIdentity, time.Now)
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // what was read of it
	if n, err := s.Changes(ctx, p); err != nil {
		return err
	} else if n > 0 && !o.changeOpen {
		return hinted{errorf("campaign %s has %s open, made by other rules: this plan would change them", p.ID, report.Plural(n, "pull request")),
			"change them: --change-open\nleave them, and begin another campaign: --campaign NAME"}
	}
	if err := s.WritePlan(ctx, p); err != nil {
		return err
	}
	w := t.table()
	for _, l := range p.LeftOut {
		report.Fprintf(w, "%s\tleft out: %s\n", l.Name, l.Reason)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	report.Fprintf(t.out, "campaign %s: %s, %d left out\n", p.ID, report.Plural(len(p.Repositories), "repository"), len(p.LeftOut))
	t.note("plan %s", p.Commit)
	return nil
}
