package main

import (
	"context"

	"github.com/project-codeflare/cfctl/internal/chain"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// component is the component of the stack that the repository is of.
func (v *view) component(ctx context.Context) (*stack.Component, error) {
	remote := ""
	if v.repo != nil {
		var err error
		if remote, err = v.repo.RemoteURL(ctx, "origin"); err != nil {
			return nil, err
		}
	}
	c, err := chain.ComponentOf(v.stack, v.tree, remote)
	if err != nil {
		return nil, hinted{err, "declare its module.path or repository in stack.components, or run it in the repository of a component"}
	}
	return c, nil
}

// runDev checks that the tests of a component take the main branches of those that
// it needs.
func (o *matrixCheckOptions) runDev(ctx context.Context, t *terminal, v *view) error {
	c, err := v.component(ctx)
	if err != nil {
		return err
	}
	now, err := day(o.date)
	if err != nil {
		return err
	}
	in := &chain.DevInput{Stack: v.stack, Component: c, Tree: v.tree}
	if !o.offline {
		if err := v.atForge(ctx); err != nil {
			return err
		}
		in.Tips = git.RemoteHead
	}
	run := func() ([]report.Finding, error) {
		findings, err := chain.Dev(ctx, in)
		excused := &matrix.Input{Stack: v.stack, Config: v.config, Now: now}
		return excused.Excuse(findings), remoteHint(err, offlineHint)
	}
	findings, err := run()
	if err == nil && o.fix {
		var fixed int
		if fixed, err = writeFixes(ctx, t, v, findings); err == nil && fixed > 0 {
			findings, err = run()
		}
	}
	if err != nil {
		return err
	}
	r := &report.Report{
		Command: "matrix check", Rules: matrix.DevRules, Findings: findings,
		Title: v.stack.Name + ": what the tests of " + c.Title + " take", Full: true,
	}
	return conclude(t, o.output, o.strict, r, "")
}
