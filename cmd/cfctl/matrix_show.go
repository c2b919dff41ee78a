package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
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

// matrixStyle is how the page looks: a table on a desk, and a list for each release on a phone.
//
//go:embed matrix.css
var matrixStyle string

// showHTML is one page that needs nothing else, in the reader's colour scheme:
// the newest release first, versions with their links.
func showHTML(w io.Writer, s *stack.Stack, releases []matrix.Release) error {
	var p report.Page
	p.Head(s.Name, matrixStyle)
	p.Add("<h1>{}</h1>\n<table>\n", s.Name)
	head := usedComponents(s, releases)
	p.Add(`<thead><tr><th scope="col">Release</th>`)
	for _, c := range head {
		p.Add(`<th scope="col">{}</th>`, c.Title)
	}
	p.Add("</tr></thead>\n<tbody>\n")
	for _, r := range slices.Backward(releases) {
		matrixRow(&p, s, head, r)
	}
	p.Add("</tbody>\n</table>\n</body>\n</html>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// matrixRow is a release: its root's version, and the others in the order of the head.
func matrixRow(p *report.Page, s *stack.Stack, head []stack.Component, r matrix.Release) {
	root, ok := r.Pin(s.RootComponent().Name)
	if !ok {
		root = matrix.Pin{Name: s.RootComponent().Name, Version: r.Version}
	}
	address := ""
	if root.Version == r.Version {
		address = webLink(s, root)
	}
	p.Add(`<tr><th scope="row">`)
	p.Link(address, "{}", r.Version)
	if r.Date != "" {
		p.Add("<small>{}</small>", r.Date)
	}
	p.Add("</th>")
	for _, c := range head {
		pin, _ := r.Pin(c.Name)
		if version := cmp.Or(pin.Version, pin.Range); version == "" {
			p.Add(`<td data-name="{}" class="none">–</td>`, c.Title)
		} else {
			p.Add(`<td data-name="{}">`, c.Title)
			p.Link(webLink(s, pin), "{}", version)
			p.Add("</td>")
		}
	}
	p.Add("</tr>\n")
}

// webLink is where a version's release can be read; empty = nowhere on the web.
func webLink(s *stack.Stack, p matrix.Pin) string {
	if p.Version == "" { // a range is no release
		return ""
	}
	return report.Web(matrix.LinkOf(s, p))
}

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
