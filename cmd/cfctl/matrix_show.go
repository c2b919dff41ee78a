package main

import (
	"context"
	"fmt"
	"html"
	"strings"
	"text/tabwriter"

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
		Args:    maxArgs(1),
		Example: "  cfctl matrix show\n  cfctl matrix show v1.1.0 -o markdown",
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMatrixShow(cmd.Context(), t, o, argument(args))
		},
	}
	o.flags(cmd)
	outputFlag(cmd, &o.output, "text", "text", "json", "markdown", "html")
	return cmd
}

func runMatrixShow(ctx context.Context, t *terminal, o *showOptions, version string) error {
	v, err := o.openStack(ctx, t)
	if err != nil {
		return err
	}
	defer v.close()
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
		return writeJSON(t.out, map[string]any{"schema": 1, "stack": v.stack.Name, "releases": releases})
	case "markdown":
		return showMarkdown(t, grid(v.stack, releases))
	case "html":
		return showHTML(t, v.stack.Name, grid(v.stack, releases))
	default: // text
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
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
	var used []stack.Component
	head := []string{"Release"}
	for _, c := range s.Components {
		for i := range releases {
			if _, ok := releases[i].Pin(c.Name); ok && c.Name != s.RootComponent().Name {
				used, head = append(used, c), append(head, c.Title)
				break
			}
		}
	}
	rows := [][]string{head}
	for i := range releases {
		row := []string{releases[i].Version}
		for _, c := range used {
			p, _ := releases[i].Pin(c.Name)
			row = append(row, dash(p.Says()))
		}
		rows = append(rows, row)
	}
	return rows
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

const showStyle = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem}
table{border-collapse:collapse}th,td{border:1px solid #8884;padding:.3rem .7rem;text-align:left}
th{position:sticky;top:0;background:Canvas}td{font-family:ui-monospace,monospace;font-size:13px}tr:hover td{background:#8882}`

// showHTML is one self-contained page, in the reader's colour scheme.
func showHTML(t *terminal, title string, rows [][]string) error {
	title = html.EscapeString(title)
	fmt.Fprintf(t.out, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n<style>%s</style>\n<h1>%s</h1>\n<table>\n", title, showStyle, title)
	for i, row := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		t.out.WriteString("<tr>")
		for _, c := range row {
			fmt.Fprintf(t.out, "<%s>%s</%s>", tag, html.EscapeString(c), tag)
		}
		t.out.WriteString("</tr>\n")
	}
	_, err := t.out.WriteString("</table>\n</html>\n")
	return err
}
