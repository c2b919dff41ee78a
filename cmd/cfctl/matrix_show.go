package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const showLong = `Show the matrix: all releases, or one. Releases are the declared ones
(.cfctl.yaml), else those of the repository's tags, else the published ones of
the built-in CodeFlare stack. "." is what the table of the tree says now; a tag
or branch is what its table says.

The json form is stable: {"schema": 1, "stack": NAME, "releases": [{"version",
"date", "notes", "components": [{"name", "version", "tested", "link"}]}]}, with
names as in stack.components, oldest release first.`

type showOptions struct {
	target
	output string
}

func newMatrixShow(t *terminal) *cobra.Command {
	o := &showOptions{}
	cmd := &cobra.Command{
		Use:     "show [VERSION]",
		Short:   "print the matrix, or one release of it",
		Long:    showLong,
		Args:    argsOf(0, 1, "one release"),
		Example: "  cfctl matrix show\n  cfctl matrix show v1.1.0 -o markdown",
		RunE: o.withStack(t, func(ctx context.Context, v *view, args []string) error {
			return runMatrixShow(ctx, t, o, v, argument(args))
		}),
	}
	o.flags(cmd)
	outputFlag(cmd, &o.output, "text", "text", "json", "markdown", "html")
	return cmd
}

func runMatrixShow(ctx context.Context, t *terminal, o *showOptions, v *view, version string) (err error) {
	var releases []matrix.Release
	if version == "" && o.ref == "" {
		releases, err = v.releases(ctx)
	} else {
		var r *matrix.Release
		if r, err = v.release(ctx, version); err == nil {
			releases = []matrix.Release{*r}
		}
	}
	if err != nil {
		return err
	}
	switch o.output {
	case "json":
		return report.WriteJSON(t.out, map[string]any{"schema": 1, "stack": v.stack.Name, "releases": releases})
	case "markdown":
		return showMarkdown(t, grid(v.stack, releases))
	case "html":
		return showHTML(t.out, v.stack, releases)
	default: // text
		w := t.table()
		for _, row := range grid(v.stack, releases) {
			for i := range row {
				row[i] = report.Visible(row[i])
			}
			report.Fprintf(w, "%s\n", report.Raw(strings.Join(row, "\t")))
		}
		return w.Flush()
	}
}

// grid is the releases as a table: components as columns, or as rows when
// there is one release.
func grid(s *stack.Stack, releases []matrix.Release) [][]string {
	if len(releases) == 1 {
		rows := [][]string{{s.Table.Component, s.Table.Version}}
		for _, p := range releases[0].Components {
			title := p.Name
			if c, ok := s.Component(p.Name); ok {
				title = c.Title
			}
			rows = append(rows, []string{title, p.Says()})
		}
		return rows
	}
	used := usedComponents(s, releases)
	head := []string{"Release"}
	for _, c := range used {
		head = append(head, c.Title)
	}
	rows := [][]string{head}
	for i := range releases {
		row := []string{releases[i].Version}
		for _, c := range used {
			p, _ := releases[i].Pin(c.Name)
			row = append(row, cmp.Or(p.Says(), "-"))
		}
		rows = append(rows, row)
	}
	return rows
}

// usedComponents are those that any of the releases has, without the root.
func usedComponents(s *stack.Stack, releases []matrix.Release) []stack.Component {
	var used []stack.Component
	for _, c := range s.Components {
		has := func(r matrix.Release) bool { _, ok := r.Pin(c.Name); return ok }
		if c.Name != s.RootComponent().Name && slices.ContainsFunc(releases, has) {
			used = append(used, c)
		}
	}
	return used
}

func showMarkdown(t *terminal, rows [][]string) error {
	for i, row := range rows {
		for j := range row {
			row[j] = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(row[j])
		}
		report.Fprintf(t.out, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			report.Fprintf(t.out, "|%s\n", strings.Repeat("---|", len(row)))
		}
	}
	return nil
}
