package main

import (
	"context"

	"github.com/project-codeflare/cfctl/internal/chain"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
)

// runImpact checks what the change of a component since --base breaks in those
// that need it.
func (o *matrixCheckOptions) runImpact(ctx context.Context, t *terminal, v *view) error {
	base, err := o.mergeBase(ctx, v)
	if err != nil {
		return err
	}
	before, err := v.repo.Tree(ctx, base)
	if err != nil {
		return err
	}
	c, err := v.component(ctx)
	if err != nil {
		return err
	}
	cache, err := v.sources(ctx)
	if err != nil {
		return err
	}
	now, err := day(o.date)
	if err != nil {
		return err
	}
	findings, err := chain.Impact(ctx, &chain.Input{Stack: v.stack, Config: v.config, Component: c, Before: before, Now: v.tree, Heads: cache})
	if err != nil {
		return remoteHint(err, "")
	}
	in := &matrix.Input{Stack: v.stack, Config: v.config, Now: now}
	r := &report.Report{
		Command: "matrix check", Rules: matrix.ImpactRules, Findings: in.Excuse(findings),
		Title: v.stack.Name + ": impact of the change of " + c.Title, Full: true,
	}
	return conclude(t, o.output, o.strict, r, c.Title+" is needed by "+report.Plural(len(chain.Below(v.stack, c)), "component")+": ")
}
