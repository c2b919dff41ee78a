package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
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
	return printDeps(t, d, o.all)
}

func printDeps(t *terminal, d *matrix.Deps, all bool) error {
	w := t.table()
	report.Fprintf(w, "COMPONENT\tVERSION\tGO\tK8S\tMODULE\n")
	for _, m := range d.Modules {
		report.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", m.Component, m.Version, cmp.Or(m.Go, "-"), cmp.Or(m.K8s, "-"), m.Module)
	}
	report.Fprintf(w, "\n%d modules in two or more go.mod files, %d of them with disagreeing versions:\n\n", len(d.Common), d.Disagree)
	fmt.Fprint(w, "MODULE\tSELECTED\tBUILT")
	for _, m := range d.Modules {
		report.Fprintf(w, "\t%s", m.Component)
	}
	fmt.Fprintln(w)
	for _, c := range d.Common {
		if c.Agrees() && (c.Built == c.Selected || c.Built == "") && !all {
			continue
		}
		report.Fprintf(w, "%s\t%s\t%s", c.Path, c.Selected, cmp.Or(c.Built, "-"))
		for _, m := range d.Modules {
			report.Fprintf(w, "\t%s", cmp.Or(c.Versions[m.Component], "-"))
		}
		fmt.Fprintln(w)
	}
	printReplaces(w, d)
	printPins(w, d)
	return w.Flush()
}

func printReplaces(w io.Writer, d *matrix.Deps) {
	if len(d.Replaces) == 0 {
		return
	}
	hides, left := 0, 0
	for _, r := range d.Replaces {
		if r.Effect == "hides" {
			hides++
		}
		if r.Left != "" {
			left++
		}
	}
	report.Fprintf(w, "\n%s: %d build another version than the selected one, %d have a version on the left and stop applying after a bump:\n\n", report.Plural(len(d.Replaces), "replace directive"), hides, left)
	report.Fprintf(w, "LINE\tMODULE\tLEFT\tSELECTED\tBUILT\tEFFECT\n")
	for _, r := range d.Replaces {
		to := r.Version
		if r.New != r.Old {
			to = strings.TrimSpace(r.New + " " + r.Version)
		}
		report.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", r.Line, r.Old, cmp.Or(r.Left, "-"), cmp.Or(r.Selected, "-"), to, r.Effect)
	}
}

func printPins(w io.Writer, d *matrix.Deps) {
	if len(d.Pins) == 0 {
		return
	}
	fmt.Fprint(w, "\nGO.MOD OF\tPINS\tAT\tTABLE\n")
	for _, p := range d.Pins {
		note := ""
		if p.Table != "" && p.Table != p.Version {
			note = "  differs"
		}
		report.Fprintf(w, "%s\t%s\t%s\t%s%s\n", p.By, p.Component, p.Version, cmp.Or(p.Table, "-"), note)
	}
}
