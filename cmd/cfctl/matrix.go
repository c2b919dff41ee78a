package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/matrix/survey"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

func newMatrix(t *terminal) *cobra.Command {
	cmd := family("matrix", "check the support matrix of a stack of components",
		lists.Of(matrixCommands, func(build func(*terminal) *cobra.Command) *cobra.Command { return build(t) })...)
	cmd.PersistentFlags().StringVar(&t.Stack, "stack", "", "use a built-in stack and ignore .cfctl.yaml: codeflare")
	return cmd
}

// matrixCommands are the commands of the family, in the order of the help text.
var matrixCommands = []func(*terminal) *cobra.Command{
	newMatrixCheck,
	newMatrixShow,
	newMatrixSet,
	newMatrixAdd,
	newMatrixRender,
	newMatrixDiff,
	newMatrixGraph,
	newMatrixDeps,
	newMatrixResolve,
	newMatrixWhy,
	newMatrixRecord,
	newMatrixLint,
	newMatrixHistory,
}

// targetFlags are the flags that say what a command looks at.
func targetFlags(cmd *cobra.Command, o *project.Target) {
	cmd.Flags().StringVar(&o.Dir, "repo", ".", "repository of the stack's root: a work tree, or a bare repository")
	cmd.Flags().StringVar(&o.Ref, "ref", "", "read this tag, branch or commit without a checkout (default: the work tree)")
}

// An opener opens what a command is about.
type opener interface {
	Open(context.Context, *project.User) (*project.View, error)
	OpenStack(context.Context, *project.User) (*project.View, error)
}

// onStack makes a command that does something with the opened stack.
func onStack[O opener](t *terminal, o O, use, short string, args cobra.PositionalArgs, run func(context.Context, *terminal, O, *project.View, []string) error) *cobra.Command {
	return on(t, o, o.OpenStack, use, short, args, run)
}

// onTree makes a command that does something with the opened tree.
func onTree[O opener](t *terminal, o O, use, short string, args cobra.PositionalArgs, run func(context.Context, *terminal, O, *project.View, []string) error) *cobra.Command {
	return on(t, o, o.Open, use, short, args, run)
}

func on[O any](t *terminal, o O, open func(context.Context, *project.User) (*project.View, error), use, short string, args cobra.PositionalArgs,
	run func(context.Context, *terminal, O, *project.View, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		v, err := open(cmd.Context(), &t.User)
		if err != nil {
			return err
		}
		defer v.Close()
		return run(cmd.Context(), t, o, v, args)
	}}
}

// day reads a --date flag; empty is today.
func day(text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC(), nil
	}
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return d, usage("date %q is not YYYY-MM-DD", text)
	}
	return d, nil
}

func newMatrixHistory(t *terminal) *cobra.Command {
	o := &project.Target{}
	cmd := onTree(t, o, "history", "read the tables of every release tag into a declaration", noArgs, runMatrixHistory)
	cmd.Flags().StringVar(&o.Dir, "repo", ".", "repository of the stack's root, bare or not")
	return cmd
}

func runMatrixHistory(ctx context.Context, t *terminal, o *project.Target, v *project.View, _ []string) error {
	if v.Repo == nil {
		return hinted{errorf("%s is not in a git repository", o.Dir), "name one: cfctl matrix history --repo DIR"}
	}
	releases, skipped, err := matrix.History(ctx, v.Stack, v.Past())
	if err != nil {
		return err
	}
	var out strings.Builder
	if !v.Custom && !(v.Meant && survey.KnowsRows(v.Stack, releases)) {
		table := stack.Table{Start: v.Stack.Table.Start, End: v.Stack.Table.End, Link: v.Stack.Table.Link}
		adopted, err := matrix.Adopt(ctx, table, v.Past())
		if err != nil {
			text, _, found, recognised := survey.Recognised(ctx, v.Repo, v.Tree, t.Progress)
			if recognised != nil {
				return recognised
			}
			if found {
				_, err := t.out.WriteString(text)
				return err
			}
			return hinted{err, "declare stack.table in .cfctl.yaml: path, and the headers of the columns (component, version)"}
		}
		if releases, skipped, err = matrix.History(ctx, adopted, v.Past()); err != nil {
			return err
		}
		places, err := survey.Places(v.Tree, adopted, t.Progress)
		if err != nil {
			return err
		}
		adopted.Write(&out)
		out.WriteString(places + "\n")
	} else if v.Custom {
		places, err := survey.Places(v.Tree, v.Stack, t.Progress)
		if err != nil {
			return err
		}
		for line := range strings.Lines(places) {
			if place, ok := strings.CutPrefix(line, survey.Item); ok {
				t.note("    not declared under stack.places: - %s", strings.TrimSpace(place))
			}
		}
	}
	if err := v.Known().Date(ctx, releases); err != nil {
		return err
	}
	for i := 0; i < len(skipped); {
		n := 1
		for i+n < len(skipped) && skipped[i+n].Reason == skipped[i].Reason {
			n++
		}
		if n > 1 {
			t.note("%s and %d more: %s", skipped[i].Tag, n-1, skipped[i].Reason)
		} else {
			t.note("%s: %s", skipped[i].Tag, skipped[i].Reason)
		}
		i += n
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
