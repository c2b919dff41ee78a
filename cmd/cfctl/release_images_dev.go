package main

import (
	"context"
	"slices"
	"time"

	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
)

// runDevImages is release images --dev.
func runDevImages(ctx context.Context, t *terminal, o *imagesOptions, names []string) error {
	if o.promote || o.to != "" {
		return usage("--dev and --promote exclude each other")
	}
	o.distance, o.poll = time.Second, time.Minute
	s, err := o.connect(ctx, t, "")
	if err != nil {
		return err
	}
	defer s.done()
	components := slices.DeleteFunc(s.recipe.Released(s.view.stack), func(c *stack.Component) bool { return !s.recipe.HasImage(c) })
	if len(names) > 0 {
		if components, err = namedComponents(s.view.stack, names); err != nil {
			return err
		}
	}
	registries := openImages(t, s.view)
	r := &report.Report{Command: "release images", Rules: registry.DevRules, Title: "Images of " + registry.DevTag}
	var list []*registry.Dev
	for _, c := range components {
		t.status("%s", c.Image.Repository)
		branch, head, err := s.recipe.Head(ctx, s.remotes, c)
		if err == nil {
			var d *registry.Dev
			if d, err = registries.LookDev(ctx, c, branch, head); err == nil {
				list = append(list, d)
				r.Findings = append(r.Findings, d.Findings()...)
			}
		}
		if err != nil {
			t.clearLive()
			return remoteHint(decided(err), "")
		}
	}
	t.clearLive()
	r.Summary = map[string]any{"images": list}
	if o.output == "text" {
		if err := devTable(t, list, time.Now()); err != nil {
			return err
		}
	}
	return conclude(t, o.output, o.strict, r, "")
}

// devTable prints one line for each dev image.
func devTable(t *terminal, list []*registry.Dev, now time.Time) error {
	w := t.table()
	report.Fprintf(w, "COMPONENT\tDEV\tAGE\tBUILT FROM\tHEAD\tSTATE\n")
	for _, d := range list {
		age, from := "-", "-"
		if !d.Created.IsZero() {
			age = train.Span(now.Sub(d.Created))
		}
		if d.Revision != "" {
			from = report.Sprintf("%.7s", d.Revision)
		}
		report.Fprintf(w, "%s\t%s\t%s\t%s\t%s %.7s\t%s\n", d.Component, shown(registry.Tag{Digest: d.Digest}), age, from, d.Branch, d.Head, string(d.State))
	}
	return w.Flush()
}
