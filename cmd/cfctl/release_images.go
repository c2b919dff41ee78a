package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release/guards"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

type imagesOptions struct {
	trainOptions
	output, to           string
	promote, strict, dev bool
}

func newReleaseImages(t *terminal) *cobra.Command {
	o := &imagesOptions{}
	cmd := &cobra.Command{
		Use:   "images [COMPONENT...]",
		Short: "show stable, dev and version tags of every image; promote stable",
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dev {
				return runDevImages(cmd.Context(), t, o, args)
			}
			return runImages(cmd.Context(), t, o, args)
		},
	}
	targetFlags(cmd, &o.Target)
	f := cmd.Flags()
	f.BoolVar(&o.promote, "promote", false, "move stable to the highest release")
	f.StringVar(&o.to, "to", "", "with --promote of one component: the version that must be the highest")
	f.BoolVar(&o.dev, "dev", false, "compare the tag dev with the head of the branch")
	f.BoolVar(&o.strict, "strict", false, "exit 1 on warnings too")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runImages(ctx context.Context, t *terminal, o *imagesOptions, names []string) error {
	if o.to != "" && (!o.promote || len(names) != 1) {
		return usage("--to goes with --promote and one component")
	}
	v, err := o.Target.Open(ctx, &t.User)
	if err != nil {
		return err
	}
	defer v.Close()
	components, err := imageComponents(v.Stack, names)
	if err != nil {
		return err
	}
	registries := openImages(t, v)
	if o.promote {
		if err := promoteAll(ctx, t, registries, components, o.to); err != nil {
			return err
		}
	}
	var views []*registry.View
	for _, c := range components {
		t.status("%s", c.Image.Repository)
		view, err := registries.Look(ctx, c)
		if err != nil {
			return err
		}
		views = append(views, view)
	}
	return o.show(t, views)
}

// openImages connects to the registries; the stable tag is the declared one.
func openImages(t *terminal, v *project.View) *registry.Images {
	g := &registry.Images{Transport: registryQueue(t)}
	if v.Declared != nil && v.Declared.Release != nil {
		g.Stable = v.Declared.Release.Stable
	}
	return g
}

// registryQueue is how registries are asked: patient, and telling when it waits.
func registryQueue(t *terminal) *wire.Queue {
	return &wire.Queue{Now: time.Now, Sleep: wire.Sleep, Distance: time.Second, Patience: 2 * time.Minute, Retries: 2,
		Paused: func(text string) { t.note("%s", text) }}
}

// namedComponents are components by their names.
func namedComponents(s *stack.Stack, names []string) ([]*stack.Component, error) {
	var list []*stack.Component
	for _, name := range names {
		c, err := s.Lookup(name)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// imageComponents are the named components, all that have an image when none is named.
func imageComponents(s *stack.Stack, names []string) ([]*stack.Component, error) {
	list, err := namedComponents(s, names)
	if err != nil || len(names) > 0 {
		return list, err
	}
	for i := range s.Components {
		if c := &s.Components[i]; c.Image.Repository != "" {
			list = append(list, c)
		}
	}
	return list, nil
}

func promoteAll(ctx context.Context, t *terminal, g *registry.Images, components []*stack.Component, to string) error {
	for _, c := range components {
		p, err := g.Promote(ctx, c, to, "")
		if err != nil {
			return err
		}
		switch {
		case !p.Moved:
			t.note("%s: stable is %s already", c.Name, p.After.Version)
		case p.Before.Digest == "":
			t.note("%s: stable is %s now; there was none", c.Name, p.After.Version)
		default:
			t.note("%s: stable is %s now; it was %s", c.Name, p.After.Version, p.Before.Short())
		}
	}
	return nil
}

func (o *imagesOptions) show(t *terminal, views []*registry.View) error {
	r := &report.Report{Command: "release images", Rules: registry.StableRules, Title: "Images", Summary: map[string]any{"images": views}}
	for _, v := range views {
		r.Findings = append(r.Findings, v.Drift()...)
	}
	if o.output == "text" {
		if err := registry.WriteViews(t.out, views); err != nil {
			return err
		}
	}
	return conclude(t, o.output, o.strict, r, "")
}

// runDevImages is release images --dev.
func runDevImages(ctx context.Context, t *terminal, o *imagesOptions, names []string) error {
	if o.promote || o.to != "" {
		return usage("--dev and --promote exclude each other")
	}
	o.Distance, o.Poll = time.Second, time.Minute
	s, err := o.Connect(ctx, &t.User, "")
	if err != nil {
		return err
	}
	defer s.Done()
	components := slices.DeleteFunc(s.Recipe.Released(s.View.Stack), func(c *stack.Component) bool { return !s.Recipe.HasImage(c) })
	if len(names) > 0 {
		if components, err = namedComponents(s.View.Stack, names); err != nil {
			return err
		}
	}
	registries := openImages(t, s.View)
	r := &report.Report{Command: "release images", Rules: registry.DevRules, Title: "Images of " + registry.DevTag}
	var list []*registry.Dev
	for _, c := range components {
		t.status("%s", c.Image.Repository)
		var d *registry.Dev
		branch, head, err := s.Recipe.Head(ctx, s.Remotes, c)
		if err == nil {
			d, err = registries.LookDev(ctx, c, branch, head)
		}
		if err != nil {
			t.clearLive()
			return remoteHint(project.Decided(err), "")
		}
		list = append(list, d)
		r.Findings = append(r.Findings, d.Findings()...)
	}
	t.clearLive()
	r.Summary = map[string]any{"images": list}
	if o.output == "text" {
		if err := registry.WriteDevs(t.out, list, time.Now()); err != nil {
			return err
		}
	}
	return conclude(t, o.output, o.strict, r, "")
}

type auditOptions struct {
	trainOptions
	output string
	strict bool
}

func newReleaseAudit(t *terminal) *cobra.Command {
	o := &auditOptions{}
	cmd := &cobra.Command{
		Use: "audit [COMPONENT...]", Short: "check that tests guard the pull requests of each component",
		RunE: func(cmd *cobra.Command, args []string) error { return runAudit(cmd.Context(), t, o, args) },
	}
	cmd.Flags().StringVar(&o.Dir, "repo", ".", "work tree with the configuration")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "exit 1 on warnings too")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runAudit(ctx context.Context, t *terminal, o *auditOptions, names []string) error {
	o.Distance, o.Poll = time.Second, time.Minute
	s, err := o.Connect(ctx, &t.User, "")
	if err != nil {
		return err
	}
	defer s.Done()
	components := s.Recipe.Released(s.View.Stack)
	if len(names) > 0 {
		if components, err = namedComponents(s.View.Stack, names); err != nil {
			return err
		}
	}
	r := &report.Report{Command: "release audit", Rules: guards.Rules, Title: "Pull requests"}
	guardian := guards.Guardian{Recipe: s.Recipe, Git: s.Remotes, Forge: s.Env.Forge, Root: s.View.Stack.RootComponent()}
	var list []*guards.Guards
	for _, c := range components {
		t.status("%s", c.Repository)
		v, err := guardian.Look(ctx, c)
		if err != nil {
			t.clearLive()
			return remoteHint(project.Decided(err), "")
		}
		list = append(list, v)
		r.Findings = append(r.Findings, v.Findings()...)
	}
	t.clearLive()
	r.Summary = map[string]any{"components": list}
	if o.output == "text" {
		if err := guards.Write(t.out, list); err != nil {
			return err
		}
	}
	return conclude(t, o.output, o.strict, r, "")
}
