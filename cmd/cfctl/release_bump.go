package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

type bumpOptions struct {
	project.Target
	write, noTidy bool
}

func newReleaseBump(t *terminal) *cobra.Command {
	o := &bumpOptions{}
	cmd := onStack(t, o, "bump VERSION [COMPONENT VERSION]...", "set the versions of a release everywhere in a work tree", argsOf(1, anyNumber, "the version of the stack, then components with their versions"), runBump)
	f := cmd.Flags()
	f.StringVar(&o.Dir, "repo", ".", "work tree of the stack's root")
	f.BoolVarP(&o.write, "write", "w", false, "write the changes")
	f.BoolVar(&o.noTidy, "no-tidy", false, "do not run go mod tidy after writing")
	return cmd
}

func runBump(ctx context.Context, t *terminal, o *bumpOptions, v *project.View, args []string) error {
	if err := v.NeedsWorkTree(o.Dir, "bump"); err != nil {
		return err
	}
	version := "v" + strings.TrimPrefix(args[0], "v")
	bumps, err := matrix.ReadBumps(v.Stack, args[1:])
	if err != nil {
		return project.UsageOf(err)
	}
	versions, err := v.Config.VersionsOf(v.Stack, version, bumps)
	if err != nil {
		return err
	}
	cache, err := v.Sources(ctx)
	if err != nil {
		return err
	}
	plan, err := bump.PlanReferences(ctx, v.Stack, v.Tree, cache, version, versions)
	if errors.Is(err, stack.ErrNoMatch) {
		return hinted{err, "the places of components are declared in .cfctl.yaml, under stack.places; optional: true for one that may be missing"}
	}
	if err != nil {
		return remoteHint(err, "try again when the network is back; without the CRDs of a component: leave its version out")
	}
	if len(plan.Kept) > 0 {
		t.note("as it is: %s", strings.Join(plan.Kept, ", "))
	}
	if len(plan.Edits) == 0 {
		t.note("every place says so already")
		return nil
	}
	if !o.write {
		if err := t.showEdits(v, plan.Edits); err != nil {
			return err
		}
		return errPending
	}
	return writeBump(ctx, t, o, v, plan)
}

func writeBump(ctx context.Context, t *terminal, o *bumpOptions, v *project.View, plan *bump.References) error {
	if err := v.Write(ctx, plan.Edits); err != nil {
		return err
	}
	if !plan.Module {
		return nil
	}
	if o.noTidy {
		t.note("next: go mod tidy")
		return nil
	}
	t.status("go mod tidy")
	findings := bump.TidyModule(ctx, v.Root)
	if len(findings) == 0 {
		t.note("go.mod and go.sum are tidy")
		return nil
	}
	r := &report.Report{Command: "release bump", Rules: bump.ReferenceRules, Findings: findings}
	if err := report.Write(t.out, "text", r); err != nil {
		return err
	}
	return errPending
}
