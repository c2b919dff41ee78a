package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const graphLong = `Draw the dependency chain of a release with its versions: what is needed on the
left, the root on the right. --impact marks a component and all that a change of
it reaches.

mermaid is drawn by GitHub in Markdown, dot by Graphviz.`

type graphOptions struct {
	target
	output, impact string
}

func newMatrixGraph(t *terminal) *cobra.Command {
	o := &graphOptions{}
	cmd := &cobra.Command{
		Use:     "graph [VERSION]",
		Short:   "draw the dependency chain with versions",
		Long:    graphLong,
		Args:    argsOf(0, 1, "one release"),
		Example: "  cfctl matrix graph v1.1.0 -o dot | dot -Tsvg > stack.svg\n  cfctl matrix graph --impact mcad",
		RunE: o.withStack(t, func(ctx context.Context, v *view, args []string) error {
			return runMatrixGraph(ctx, t, o, v, argument(args))
		}),
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&o.impact, "impact", "", "mark this component and what a change of it reaches")
	outputFlag(cmd, &o.output, "mermaid", "mermaid", "dot")
	return cmd
}

func runMatrixGraph(ctx context.Context, t *terminal, o *graphOptions, v *view, version string) error {
	r, err := v.release(ctx, version)
	if err != nil {
		return err
	}
	var impact *stack.Component
	if o.impact != "" {
		if impact, err = v.stack.Lookup(o.impact); err != nil {
			return usageError{err}
		}
		if _, ok := r.Pin(impact.Name); !ok {
			return errorf("%s is not part of %s", impact.Title, r.Version)
		}
	}
	g := matrix.NewGraph(v.stack, r, impact)
	forms := map[string]func() string{"mermaid": g.Mermaid, "dot": g.Dot}
	_, err = report.Fprintf(t.out, "%s\n", report.Lines("", forms[o.output]()))
	return err
}
