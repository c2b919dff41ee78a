package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

func newReleaseApprove(t *terminal) *cobra.Command {
	o, asserted := &trainOptions{Options: project.Options{Notes: true}}, false
	cmd := &cobra.Command{
		Use: "approve VERSION STEP", Short: "approve a step that waits for it",
		Args: versionAndStep("approve"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Words = append([]string{"approve"}, args...)
			if asserted {
				o.Words = append(o.Words, "--done")
			}
			return o.WithJournal(cmd.Context(), &t.User, args[0], func(s *project.Session) error { return approve(cmd.Context(), t, s, args[1], asserted) })
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&asserted, "done", false, "it is done already; do not do it")
	return cmd
}

func approve(ctx context.Context, t *terminal, s *project.Session, step string, asserted bool) error {
	if step == train.PlanStep && !asserted {
		differences, err := release.On(s.Train, s.Env).Replan(ctx, &s.Env.Env, t.Name())
		if err != nil {
			return err
		}
		for _, d := range differences {
			report.Fprintf(t.out, "accepted: %s\n", d)
		}
	} else if err := release.On(s.Train, s.Env).Approve(ctx, &s.Env.Env, step, t.Name(), asserted); err != nil {
		return project.Replan(err)
	}
	report.Fprintf(t.out, "%s: %s approved by %s\nnext: %s\n", s.Version, step, t.Name(), s.Again())
	return nil
}

func newReleaseSkip(t *terminal) *cobra.Command {
	o, reason := &trainOptions{Options: project.Options{Notes: true}}, ""
	cmd := &cobra.Command{
		Use: "skip VERSION STEP", Short: "skip a step of a release, with a reason",
		Args: versionAndStep("skip"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usage("skip needs a --reason")
			}
			o.Words = []string{"skip", args[0], args[1], "--reason", reason}
			return o.WithJournal(cmd.Context(), &t.User, args[0], func(s *project.Session) error {
				names, err := release.On(s.Train, s.Env).Skip(cmd.Context(), &s.Env.Env, args[1], reason, t.Name())
				if err != nil {
					return project.Replan(err)
				}
				report.Fprintf(t.out, "%s: %s skipped by %s: %s\nnext: %s\n", s.Version, strings.Join(names, ", "), t.Name(), reason, s.Again())
				return nil
			})
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "reason, for the journal and the notes")
	return cmd
}

func newReleaseAbort(t *terminal) *cobra.Command {
	o := &trainOptions{}
	cmd := &cobra.Command{
		Use: "abort VERSION", Short: "undo what a release has not published yet", Args: oneVersion("abort"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Words = []string{"abort", args[0]}
			return o.WithJournal(cmd.Context(), &t.User, args[0], func(s *project.Session) error { return abort(cmd.Context(), t, s) })
		},
	}
	o.flags(cmd)
	o.servers(cmd)
	return cmd
}

func abort(ctx context.Context, t *terminal, s *project.Session) error {
	a, err := release.On(s.Train, s.Env).Abort(ctx, &s.Env.Env, t.Name())
	if a == nil {
		return project.Replan(err)
	}
	for _, line := range a.Undone {
		report.Fprintf(t.out, "undone: %s\n", line)
	}
	for _, line := range a.Stays {
		report.Fprintf(t.out, "kept:   %s\n", line)
	}
	if err != nil {
		return hinted{err, "cfctl release abort " + s.Version + " goes on from here"}
	}
	if len(a.Undone) == 0 {
		report.Fprintf(t.out, "%s: nothing to undo\n", s.Version)
	}
	report.Fprintf(t.out, "what was decided and approved before is void\nnext: %s\n      begins it again\n", s.Again())
	return nil
}

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
		Use: "hotfix COMPONENT VERSION", Short: "release a fix of one component",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("hotfix takes a component and the version of the stack that is fixed")
			}
			if o.skip != "" && (!o.run || strings.TrimSpace(o.reason) == "") {
				return usage("--skip needs --run and a --reason")
			}
			if o.Offline && o.run || o.Clones != "" && !o.Offline {
				return usage("--offline is not for --run, and --clones is for --offline")
			}
			return project.CheckVersion(args[1])
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runHotfix(cmd.Context(), t, o, args[0], args[1]) },
	}
	o.flags(cmd)
	o.servers(cmd)
	o.runs(cmd)
	choiceFlags(cmd, &o.pick)
	cmd.Flags().StringVar(&o.branch, "branch", hotfixBranch, "release branch in both repositories; {minor} is vMAJOR.MINOR of each")
	cmd.Flags().BoolVar(&o.Offline, "offline", false, "ask no forge and no registry: read clones next to the work tree")
	cmd.Flags().StringVar(&o.Clones, "clones", "", "with --offline: the folder that has the clones (default: the one that the work tree is in)")
	cmd.Flags().BoolVar(&o.run, "run", false, "start the release; default: show the plan")
	cmd.Flags().StringVar(&o.skip, "skip", "", "step to skip from the start, as by \"release skip\": catalog")
	cmd.Flags().StringVar(&o.reason, "reason", "", "reason, for the journal and the notes")
	return cmd
}

func runHotfix(ctx context.Context, t *terminal, o *hotfixOptions, component, of string) error {
	s, err := o.Connect(ctx, &t.User, of)
	if err != nil {
		return err
	}
	defer s.Done()
	err = s.Hotfix(ctx, component, of, o.branch, func(version string) []string { return append([]string{"hotfix", component, version}, o.beginning()...) })
	if err != nil {
		return err
	}
	fixes, err := s.Train.Fixes(ctx, s.Remotes)
	if err != nil {
		return project.Decided(err)
	}
	report.Fprintf(t.out, "%s fixes %s\n", s.Train.Title(), of)
	for _, c := range s.View.Stack.Components {
		for _, line := range fixes[c.Name] {
			report.Fprintf(t.out, "  %s %s: %s\n", c.Name, s.Train.Versions[c.Name], line)
		}
	}
	if c, err := s.View.Stack.Lookup(component); err == nil && len(fixes[c.Name]) == 0 {
		return hinted{errorf("%s has no fix on its release branch", c.Name), "git cherry-pick -x COMMIT onto the release branch, and push it"}
	}
	report.Fprintf(t.out, "\n")
	if !o.run {
		s.Begins = append([]string{"hotfix", component, of, "--run"}, o.beginning()...)
		return runPlan(ctx, t, s, &o.trainOptions, "text", true)
	}
	if err := s.OpenJournal(ctx); err != nil {
		return err
	}
	if o.skip != "" {
		if _, err := release.On(s.Train, s.Env).Skip(ctx, &s.Env.Env, o.skip, o.reason, t.Name()); err != nil {
			return project.Replan(err)
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
