package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
)

const resolveLong = `Show which releases of the stack support a set of installed versions: those that
have exactly these, or were tested with them, and the newest set of all
components that every pair allows: the rows of the tables, the declared releases
and the rules of kind pair and align. A value may also be a range. When no
release supports them all, the nearest ones are listed, and the exit code is 1;
"cfctl matrix why" explains it. --tested lists combinations that were recorded
as pass instead.`

type resolveOptions struct {
	target
	output string
	tested bool
}

func newMatrixResolve(t *terminal) *cobra.Command {
	o := &resolveOptions{}
	cmd := &cobra.Command{
		Use:     "resolve COMPONENT=VERSION...",
		Short:   "list the releases that support a set of installed versions",
		Long:    resolveLong,
		Args:    argsOf(1, anyNumber, "COMPONENT=VERSION"),
		Example: "  cfctl matrix resolve mcad=v1.39.0 kuberay=v1.0.0\n  cfctl matrix resolve 'kueue=>=0.7 <0.9'",
		RunE:    o.withStack(t, func(ctx context.Context, v *view, args []string) error { return runMatrixResolve(ctx, t, o, v, args) }),
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "repository of the stack's root, bare or not")
	testedFlag(cmd, &o.tested)
	outputFlag(cmd, &o.output, "text", "text", "json")
	return cmd
}

func runMatrixResolve(ctx context.Context, t *terminal, o *resolveOptions, v *view, args []string) error {
	wants, err := readWants(v.stack, args, false)
	if err != nil {
		return err
	}
	if o.tested {
		return o.resolveTested(t, v, wants)
	}
	m, releases, err := v.model(ctx, wants)
	if err != nil {
		return err
	}
	exact, answers := matrix.Resolve(releases, wants)
	set, ok, err := m.Newest(wants)
	if err != nil {
		return err
	}
	if o.output == "json" {
		err = report.WriteJSON(t.out, resolveJSON(ok, answers, set))
	} else {
		printAnswers(t, exact, answers, set)
	}
	if err == nil && !ok {
		return errPending
	}
	return err
}

func resolveJSON(exact bool, answers []matrix.Answer, set []matrix.Member) any {
	type miss struct {
		Component string `json:"component"`
		Want      string `json:"want"`
		Has       string `json:"has"`
	}
	type answer struct {
		Version string `json:"version"`
		Misses  []miss `json:"misses"`
	}
	list := []answer{}
	for _, a := range answers {
		x := answer{Version: a.Release.Version, Misses: []miss{}}
		for _, m := range a.Misses {
			x.Misses = append(x.Misses, miss{m.Want.Component.Name, m.Want.Text, m.Has})
		}
		list = append(list, x)
	}
	return map[string]any{"schema": 1, "supported": exact, "releases": list, "set": setJSON(set)}
}

func printAnswers(t *terminal, exact bool, answers []matrix.Answer, set []matrix.Member) {
	switch {
	case exact && set == nil:
		t.note("these releases have them, and no set of all components that every rule allows does:")
	case !exact && set == nil:
		t.note("no release supports all of them; nearest:")
	}
	printMisses(t, answers)
	if set != nil {
		report.Fprintf(t.out, "newest set: %s\n", setText(set))
	}
}

// printMisses lists releases, with what they do not have.
func printMisses(t *terminal, answers []matrix.Answer) {
	for _, a := range answers {
		var misses []string
		for _, m := range a.Misses {
			has := "has none"
			if m.Has != "" {
				has = "has " + m.Has
			}
			misses = append(misses, fmt.Sprintf("%s %s, not %s", m.Want.Component.Title, has, m.Want.Text))
		}
		if len(misses) == 0 {
			report.Fprintf(t.out, "%s\n", a.Release.Version)
		} else {
			report.Fprintf(t.out, "%s: %s\n", a.Release.Version, strings.Join(misses, "; "))
		}
	}
}
