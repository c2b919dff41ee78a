package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/survey"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const historyLong = `Read the compatibility table out of every release tag of a repository and print
it as the matrix.releases section of .cfctl.yaml: how a project adopts cfctl.

It also searches the tree for other places that have versions of the components:
go.mod, Makefiles, kustomizations, charts, Dockerfiles, workflows, lists of
requirements, pipelines. Each place is proposed with its evidence;
components without a place are listed.

If the repository has no declared stack, the output declares it too,
from the rows and links that were found.`

func newMatrixHistory(t *terminal) *cobra.Command {
	var o target
	cmd := &cobra.Command{
		Use:     "history",
		Short:   "read the tables of every release tag into a declaration",
		Long:    historyLong,
		Example: "  cfctl matrix history --repo ~/codeflare-operator > .cfctl.yaml",
		Args:    noArgs,
		RunE:    o.withTree(t, func(ctx context.Context, v *view, _ []string) error { return runMatrixHistory(ctx, t, &o, v) }),
	}
	cmd.Flags().StringVar(&o.dir, "repo", ".", "repository of the stack's root, bare or not")
	return cmd
}

func runMatrixHistory(ctx context.Context, t *terminal, o *target, v *view) error {
	if v.repo == nil {
		return hinted{errorf("%s is not in a git repository", o.dir), "name one: cfctl matrix history --repo DIR"}
	}
	releases, skipped, err := matrix.History(ctx, v.stack, v.past())
	if err != nil {
		return err
	}
	var out strings.Builder
	if !v.custom && !survey.KnowsRows(v.stack, releases) {
		table := stack.Table{Start: v.stack.Table.Start, End: v.stack.Table.End, Link: v.stack.Table.Link}
		adopted, err := matrix.Adopt(ctx, table, v.past())
		if err != nil {
			text, _, found, recognised := survey.Recognised(ctx, v.repo, v.tree, findings{t})
			if recognised != nil {
				return recognised
			}
			if found {
				_, err := t.out.WriteString(text)
				return err
			}
			return hinted{err, "declare stack.table in .cfctl.yaml: path, and the headers of the columns (component, version)"}
		}
		if releases, skipped, err = matrix.History(ctx, adopted, v.past()); err != nil {
			return err
		}
		places, err := survey.Places(v.tree, adopted, findings{t})
		if err != nil {
			return err
		}
		matrix.WriteStack(&out, adopted)
		out.WriteString(places + "\n")
	} else if v.custom {
		places, err := survey.Places(v.tree, v.stack, findings{t})
		if err != nil {
			return err
		}
		for line := range strings.Lines(places) {
			t.note("    not declared under stack.places: %s", strings.TrimSpace(line))
		}
	}
	if err := v.known().Date(ctx, releases); err != nil {
		return err
	}
	for _, x := range skipped {
		t.note("%s: %s", x.Tag, x.Reason)
	}
	t.note("%s", report.Plural(len(releases), "release"))
	if len(releases) == 0 {
		t.note("hint: declare the first release: cfctl matrix add VERSION")
	} else {
		matrix.WriteReleases(&out, releases)
	}
	_, err = t.out.WriteString(out.String())
	return err
}
