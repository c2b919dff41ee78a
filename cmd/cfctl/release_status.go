package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

func newReleaseStatus(t *terminal) *cobra.Command {
	o, output, refresh := &trainOptions{}, "text", false
	cmd := &cobra.Command{
		Use: "status VERSION", Short: "show the status of a release", Args: oneVersion("status"),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := o.Status(cmd.Context(), &t.User, args[0], refresh)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := train.WriteStatus(&b, output, st, time.Now()); err != nil {
				return err
			}
			text := b.String()
			if t.color && output == "text" {
				text = train.Paint(text)
			}
			if _, err := t.out.WriteString(text); err != nil {
				return err
			}
			return pendingIf(!st.Complete())
		},
	}
	o.flags(cmd)
	outputFlag(cmd, &output, "text", "text", "json", "markdown", "html")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "also read the forge, git and the registry")
	return cmd
}

func newReleaseWhy(t *terminal) *cobra.Command {
	o, refresh := &trainOptions{}, false
	cmd := &cobra.Command{
		Use: "why VERSION STEP", Short: "explain the state of one step of a release",
		Args: versionAndStep("why"),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, err := o.Status(cmd.Context(), &t.User, args[0], refresh)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := why.Step(&b, st, args[1], "cfctl release run "+args[0], time.Now()); err != nil {
				return err
			}
			_, err = t.out.WriteString(o.Carry(&t.User, b.String()))
			return err
		},
	}
	o.flags(cmd)
	cmd.Flags().BoolVar(&refresh, "refresh", false, "also read the forge, git and the registry")
	return cmd
}

func newReleaseVerify(t *terminal) *cobra.Command {
	o, output := &trainOptions{Options: project.Options{Reads: true, Past: true}}, ""
	cmd := &cobra.Command{
		Use: "verify VERSION", Short: "check a release against its evidence", Args: oneVersion("verify"),
		RunE: func(cmd *cobra.Command, args []string) error { return runVerify(cmd.Context(), t, o, args[0], output) },
	}
	o.flags(cmd)
	o.servers(cmd)
	findingsFlags(t, cmd, &output)
	return cmd
}

func runVerify(ctx context.Context, t *terminal, o *trainOptions, version, output string) error {
	s, err := o.Open(ctx, &t.User, version)
	if err != nil {
		return err
	}
	defer s.Done()
	if err := s.ReadJournal(ctx); err != nil {
		return err
	}
	findings, err := release.On(s.Train, s.Env).Verify(ctx, &s.Env.Env)
	if err != nil {
		return err
	}
	if err := t.print(output, &report.Report{Command: "release verify", Rules: release.VerifyRules(), Findings: findings}); err != nil {
		return err
	}
	if slices.ContainsFunc(findings, func(f report.Finding) bool { return f.Severity != report.Note }) {
		return errPending
	}
	if output == "text" {
		report.Fprintf(t.out, "%s: all %d steps are as they were released\n", s.Train.Title(), len(s.Train.Steps()))
	}
	return nil
}

func newReleasePlan(t *terminal) *cobra.Command {
	o, output, brief := &trainOptions{Options: project.Options{Reads: true}}, "text", false
	cmd := &cobra.Command{
		Use: "plan VERSION", Short: "show what a release would do", Args: versionOrDeclared("plan"),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := o.Declared(cmd.Context(), &t.User, args[0])
			if err != nil || version == "" {
				return err
			}
			s, err := o.Open(cmd.Context(), &t.User, version)
			if err != nil {
				return err
			}
			defer s.Done()
			return runPlan(cmd.Context(), t, s, o, output, brief)
		},
	}
	o.flags(cmd)
	o.servers(cmd)
	outputFlag(cmd, &output, "text", "text", "json")
	f := cmd.Flags()
	f.BoolVar(&brief, "brief", false, "only the steps and requests, without diffs and texts")
	f.BoolVar(&o.Offline, "offline", false, "ask no forge and no registry: read clones next to the work tree")
	f.StringVar(&o.Clones, "clones", "", "with --offline: the folder that has the clones (default: the one that the work tree is in)")
	return cmd
}

func runPlan(ctx context.Context, t *terminal, s *project.Session, o *trainOptions, output string, brief bool) error {
	if err := s.ReadJournal(ctx); err != nil {
		return err
	}
	t.status("looking at %s", s.Train.Title())
	look := func() (*train.Result, error) { return release.On(s.Train, s.Env).Plan(ctx, &s.Env.Env) }
	if o.Offline {
		look = func() (*train.Result, error) { return release.PlanOffline(ctx, s.Train, s.Env) }
	}
	r, err := look()
	if err != nil {
		return err
	}
	if output == "json" {
		err = train.WritePlanJSON(t.out, s.Version, r)
	} else {
		train.WritePlan(t.out, s.Train.Title(), r, brief, t.color)
		if len(r.Findings) > 0 {
			fmt.Fprintln(t.out)
			_ = report.Write(t.out, "text", &report.Report{Command: "release plan", Rules: release.Rules(), Findings: r.Findings}) // t.out keeps its error
		}
		if !slices.ContainsFunc(r.Findings, isError) {
			report.Fprintf(t.out, "next: %s\n", s.Again())
		}
	}
	if err != nil {
		return err
	}
	if err := r.Trouble(); err != nil {
		return err
	}
	return pendingIf(slices.ContainsFunc(r.Findings, isError))
}

func isError(f report.Finding) bool { return f.Severity == report.Error }
