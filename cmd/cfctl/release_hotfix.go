package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

const hotfixLong = `Release a fix of one component outside of the schedule: the next patch release
of the component and of the stack, from their release branches, with the same
steps. The fixes are the commits on the release branch since the previous
release; they are listed first. The stable tag of an image is changed only if
its version is the highest.

VERSION is the release that is fixed, the newest of its line. Without --run the
plan is shown; "cfctl release run" resumes the release.

The bundle of an old line cannot be in the channel of a newer one: set CHANNELS
in the Makefile of the release branch to a channel of the line, or skip the
catalog with --skip catalog --reason TEXT.`

// hotfixBranch is the release branch of a line.
const hotfixBranch = "release-{minor}"

type hotfixOptions struct {
	trainOptions
	branch string
	run    bool
	skip   string // step, or group of steps
	reason string // why it is skipped
	pick   train.Choices
}

func newReleaseHotfix(t *terminal) *cobra.Command {
	o := &hotfixOptions{}
	cmd := &cobra.Command{
		Use: "hotfix COMPONENT VERSION", Short: "release a fix of one component", Long: hotfixLong,
		Example: "  cfctl release hotfix mcad v1.2.0 --run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("hotfix takes a component and the version of the stack that is fixed")
			}
			if o.skip != "" && (!o.run || strings.TrimSpace(o.reason) == "") {
				return usage("--skip needs --run and a --reason")
			}
			return versionArgument(args[1])
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runHotfix(cmd.Context(), t, o, args[0], args[1]) },
	}
	o.flags(cmd)
	o.servers(cmd)
	o.runs(cmd)
	choiceFlags(cmd, &o.pick)
	cmd.Flags().StringVar(&o.branch, "branch", hotfixBranch, "release branch in both repositories; {minor} is vMAJOR.MINOR of each")
	cmd.Flags().BoolVar(&o.run, "run", false, "start the release; default: show the plan")
	cmd.Flags().StringVar(&o.skip, "skip", "", "step to skip from the start, as by \"release skip\": catalog")
	cmd.Flags().StringVar(&o.reason, "reason", "", "reason, for the journal and the notes")
	return cmd
}

func runHotfix(ctx context.Context, t *terminal, o *hotfixOptions, component, of string) error {
	s, err := o.connect(ctx, t, of)
	if err != nil {
		return err
	}
	defer s.done()
	versions, _, err := o.versions(ctx, t, s)
	if err != nil {
		return err
	}
	s.train, err = release.NewHotfix(ctx, s.view.stack, s.recipe, s.remotes, component, of, o.branch, versions)
	if later, ok := errors.AsType[*release.LaterError](err); ok {
		s.begins = append([]string{"hotfix", component, later.Newest}, o.beginning()...)
		return hinted{err, s.again()}
	}
	if err != nil {
		return err
	}
	s.version = s.train.Version
	s.arm()
	fixes, err := s.train.Fixes(ctx, s.remotes)
	if err != nil {
		return decided(err)
	}
	report.Fprintf(t.out, "%s fixes %s\n", s.train.Title(), of)
	for _, c := range s.view.stack.Components {
		for _, line := range fixes[c.Name] {
			report.Fprintf(t.out, "  %s %s: %s\n", c.Name, s.train.Versions[c.Name], line)
		}
	}
	if c, err := s.view.stack.Lookup(component); err == nil && len(fixes[c.Name]) == 0 {
		return hinted{errorf("%s has no fix on its release branch", c.Name), "git cherry-pick -x COMMIT onto the release branch, and push it"}
	}
	report.Fprintf(t.out, "\n")
	if !o.run {
		s.begins = append([]string{"hotfix", component, of, "--run"}, o.beginning()...)
		return runPlan(ctx, t, s, &o.trainOptions, "text", true)
	}
	if err := s.openJournal(ctx); err != nil {
		return err
	}
	if o.skip != "" {
		if _, err := s.train.On(s.env).Skip(ctx, &s.env.Env, o.skip, o.reason, me(t)); err != nil {
			return replan(err)
		}
	}
	return advance(ctx, t, &o.trainOptions, s, o.pick)
}

// beginning are the flags that a hotfix was begun with.
func (o *hotfixOptions) beginning() []string {
	if o.branch != hotfixBranch {
		return []string{"--branch", o.branch}
	}
	return nil
}
