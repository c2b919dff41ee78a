package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/train"
)

// A failure is what makes the exit code of a run 1: that something is waited for,
// or only what people of the project must do. A release that waits for others is no
// failed job, and on a terminal not done.
type failure string

const (
	failOnWaiting failure = "waiting"
	failOnStopped failure = "stopped"
)

// of is the failure that was asked for, or the one of where it runs.
func (f failure) of(t *terminal) failure {
	switch {
	case f != "auto" && f != "":
		return f
	case t.InCI():
		return failOnStopped
	}
	return failOnWaiting
}

// versionOrDeclared takes a version, or the word for the declared one.
func versionOrDeclared(use string) cobra.PositionalArgs {
	check := oneVersion(use)
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 && args[0] == project.DeclaredWord {
			return nil
		}
		return check(cmd, args)
	}
}

// runAll runs the declared release, and all others that are under way. One that does
// not go on keeps none of the others back.
func runAll(cmd *cobra.Command, t *terminal, o *trainOptions, arg string, pick train.Choices) error {
	ctx := cmd.Context()
	if arg != project.DeclaredWord {
		return usage("--all goes with declared")
	}
	versions, err := o.UnderWay(ctx, &t.User)
	if err != nil {
		return err
	}
	var worst error
	worse := func(err error) {
		_, decide := errors.AsType[project.Decision](err)
		switch {
		case err == nil:
		case errors.Is(err, errPending), decide:
			if decide {
				explain(t, err, cmd)
			}
			if worst == nil {
				worst = errPending
			}
		default:
			if worst != nil && !errors.Is(worst, errPending) {
				explain(t, worst, cmd)
			}
			worst = err
		}
	}
	newest, err := o.Declared(ctx, &t.User, arg)
	worse(err)
	if newest != "" && !slices.Contains(versions, newest) {
		versions = append(versions, newest)
	}
	for _, version := range versions {
		one := *o
		worse(runOne(ctx, t, &one, version, pick))
	}
	return worst
}

func runOne(ctx context.Context, t *terminal, o *trainOptions, version string, pick train.Choices) error {
	return o.WithJournal(ctx, &t.User, version, func(s *project.Session) error { return advance(ctx, t, o, s, pick) })
}

// oneVersion takes the version argument. It is checked first of all: it
// becomes part of tags, branches and file names.
func oneVersion(use string) cobra.PositionalArgs { return versionArguments(1, use+" takes a version") }

// versionAndStep takes a version and a step.
func versionAndStep(use string) cobra.PositionalArgs {
	return versionArguments(2, use+" takes a version and a step")
}

func versionArguments(n int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s", want)
		}
		return project.CheckVersion(args[0])
	}
}
