package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
)

const diffLong = `Show what changed between two releases, with links to the compare views. A and B
are releases (declared, tagged or built in), any other refs of the repository,
or "." for the table of the work tree.`

type diffOptions struct {
	target
	output string
	all    bool
}

func newMatrixDiff(t *terminal) *cobra.Command {
	o := &diffOptions{}
	cmd := &cobra.Command{
		Use:     "diff A [B]",
		Short:   "show what changed between two releases",
		Long:    diffLong,
		Args:    argsOf(1, 2, "one or two releases"),
		Example: "  cfctl matrix diff v1.1.0 v1.2.0\n  cfctl matrix diff v1.16.0 .",
		RunE: o.withStack(t, func(ctx context.Context, v *view, args []string) error {
			return runMatrixDiff(ctx, t, o, v, args[0], argument(args[1:]))
		}),
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "repository of the stack's root, bare or not")
	cmd.Flags().BoolVar(&o.all, "all", false, "also list the components that did not change")
	outputFlag(cmd, &o.output, "text", "text", "json", "markdown")
	return cmd
}

func runMatrixDiff(ctx context.Context, t *terminal, o *diffOptions, v *view, from, to string) error {
	a, err := v.release(ctx, from)
	if err != nil {
		return err
	}
	b, err := v.release(ctx, to)
	if err != nil {
		return err
	}
	deltas := slices.DeleteFunc(matrix.Diff(v.stack, a, b), func(d matrix.Delta) bool { return d.Kind == "same" && !o.all })
	switch o.output {
	case "json":
		return report.WriteJSON(t.out, map[string]any{"schema": 1, "from": a.Version, "to": b.Version, "components": deltas})
	case "markdown":
		report.Fprintf(t.out, "| Component | %s | %s | |\n|---|---|---|---|\n", a.Version, b.Version)
		for _, d := range deltas {
			link := d.Kind
			if d.Compare != "" {
				link = fmt.Sprintf("[%s](%s)", d.Kind, d.Compare)
			}
			report.Fprintf(t.out, "| %s | %s | %s | %s |\n", d.Component, cmp.Or(d.From, "-"), cmp.Or(d.To, "-"), link)
		}
		return nil
	default: // text
		w := t.table()
		for _, d := range deltas {
			report.Fprintf(w, "%s\t%s\t%s\t%s", d.Component, cmp.Or(d.From, "-"), cmp.Or(d.To, "-"), d.Kind)
			if d.Compare != "" {
				report.Fprintf(w, "\t%s", d.Compare)
			}
			fmt.Fprintln(w)
		}
		return w.Flush()
	}
}
