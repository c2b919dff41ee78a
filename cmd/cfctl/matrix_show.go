package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/show"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

type showOptions struct {
	project.Target
	output string
}

func newMatrixShow(t *terminal) *cobra.Command {
	o := &showOptions{}
	cmd := onStack(t, o, "show [VERSION]", "print the matrix, or one release of it", argsOf(0, 1, "one release"), runMatrixShow)
	targetFlags(cmd, &o.Target)
	outputFlag(cmd, &o.output, "text", "text", "json", "markdown", "html")
	return cmd
}

func runMatrixShow(ctx context.Context, t *terminal, o *showOptions, v *project.View, args []string) (err error) {
	version := argument(args)
	var releases []matrix.Release
	if version == "" && o.Ref == "" {
		releases, err = v.Known().All(ctx)
	} else {
		var r *matrix.Release
		if r, err = v.Known().One(ctx, version); err == nil {
			releases = []matrix.Release{*r}
		}
	}
	if err != nil {
		return err
	}
	return show.Releases(t.out, o.output, v.Stack, releases)
}

type diffOptions struct {
	project.Target
	output string
	all    bool
}

func newMatrixDiff(t *terminal) *cobra.Command {
	o := &diffOptions{}
	cmd := onStack(t, o, "diff A [B]", "show what changed between two releases", argsOf(1, 2, "one or two releases"), runMatrixDiff)
	cmd.Flags().StringVar(&o.Dir, "repo", ".", "repository of the stack's root, bare or not")
	cmd.Flags().BoolVar(&o.all, "all", false, "also list the components that did not change")
	outputFlag(cmd, &o.output, "text", "text", "json", "markdown")
	return cmd
}

func runMatrixDiff(ctx context.Context, t *terminal, o *diffOptions, v *project.View, args []string) error {
	a, err := v.Known().One(ctx, args[0])
	if err != nil {
		return err
	}
	b, err := v.Known().One(ctx, argument(args[1:]))
	if err != nil {
		return err
	}
	deltas := slices.DeleteFunc(show.Diff(v.Stack, a, b), func(d show.Delta) bool { return d.Kind == "same" && !o.all })
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

type graphOptions struct {
	project.Target
	impact string
}

func newMatrixGraph(t *terminal) *cobra.Command {
	o := &graphOptions{}
	cmd := onStack(t, o, "graph [VERSION]", "draw the dependency chain with versions", argsOf(0, 1, "one release"), runMatrixGraph)
	targetFlags(cmd, &o.Target)
	cmd.Flags().StringVar(&o.impact, "impact", "", "mark this component and what a change of it reaches")
	return cmd
}

func runMatrixGraph(ctx context.Context, t *terminal, o *graphOptions, v *project.View, args []string) error {
	r, err := v.Known().One(ctx, argument(args))
	if err != nil {
		return err
	}
	var impact *stack.Component
	if o.impact != "" {
		if impact, err = v.Stack.Lookup(o.impact); err != nil {
			return project.UsageOf(err)
		}
		if _, ok := r.Pin(impact.Name); !ok {
			return errorf("%s is not part of %s", impact.Title, r.Version)
		}
	}
	_, err = report.Fprintf(t.out, "%s\n", report.Lines("", show.Graph(v.Stack, r, impact)))
	return err
}
