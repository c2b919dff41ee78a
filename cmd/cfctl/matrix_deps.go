package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/show"
	"github.com/project-codeflare/cfctl/internal/report"
)

const depsLong = `Compare the go.mod files of the components that are compiled together: the
modules that two or more of them require, where their versions differ, what
minimal version selection selects and what the root's replace directives build
instead, which of those directives no longer apply after a bump, the Go version
of each, and which components pin one another.

The go.mod files are those of the root in --repo and of its components at the
versions of the table, which are fetched once and cached.`

type depsOptions struct {
	target
	only   []string
	output string
	all    bool
}

func newMatrixDeps(t *terminal) *cobra.Command {
	o := &depsOptions{}
	cmd := &cobra.Command{
		Use:     "deps",
		Short:   "intersect the go.mod files of the components",
		Long:    depsLong,
		Args:    noArgs,
		Example: "  cfctl matrix deps --ref v1.2.0\n  cfctl matrix deps --ref v1.16.0 --only appwrapper -o json",
		RunE:    o.withStack(t, func(ctx context.Context, v *view, _ []string) error { return runMatrixDeps(ctx, t, o, v) }),
	}
	o.flags(cmd)
	cmd.Flags().StringSliceVar(&o.only, "only", nil, "only these components (default: those that are built in, and their dependencies)")
	cmd.Flags().BoolVar(&o.all, "all", false, "also list the modules that agree")
	outputFlag(cmd, &o.output, "text", "text", "json")
	return cmd
}

func runMatrixDeps(ctx context.Context, t *terminal, o *depsOptions, v *view) error {
	cache, err := v.sources(ctx)
	if err != nil {
		return err
	}
	t.status("reading go.mod files")
	d, err := matrix.ReadDeps(ctx, v.stack, v.tree, cache, o.only, v.config.Releases)
	if err != nil {
		return remoteHint(err, "")
	}
	if o.output == "json" {
		return report.WriteJSON(t.out, struct {
			Schema int `json:"schema"`
			*matrix.Deps
		}{1, d})
	}
	return show.Deps(t.out, d, o.all)
}
