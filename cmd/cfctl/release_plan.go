package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

const planLong = `Show what "cfctl release run" would do: every step with its state, the diff of
every file, the text of every PR and message, and each mutating request. What is
done already is not shown.

Nothing is written, and a read-only token is enough. It also checks for common
mistakes in releases; a finding of severity error would stop "run" before its
first change (exit 1).

--offline reads only clones of the repositories: NAME, OWNER/NAME, or
OWNER+NAME/repo below --clones. Branches are those of the last fetch. Without a
clone, the state of a step is shown as not known.`

func newReleasePlan(t *terminal) *cobra.Command {
	o, output, brief := &trainOptions{reads: true}, "text", false
	cmd := &cobra.Command{
		Use: "plan VERSION", Short: "show what a release would do", Long: planLong, Args: versionOrDeclared("plan"),
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := o.declared(cmd.Context(), t, args[0])
			if err != nil || version == "" {
				return err
			}
			s, err := o.open(cmd.Context(), t, version)
			if err != nil {
				return err
			}
			defer s.done()
			return runPlan(cmd.Context(), t, s, o, output, brief)
		},
	}
	o.flags(cmd)
	o.servers(cmd)
	outputFlag(cmd, &output, "text", "text", "json")
	f := cmd.Flags()
	f.BoolVar(&brief, "brief", false, "only the steps and requests, without diffs and texts")
	f.BoolVar(&o.offline, "offline", false, "ask no forge and no registry: read clones next to the work tree")
	f.StringVar(&o.clones, "clones", "", "with --offline: the folder that has the clones (default: the one that the work tree is in)")
	return cmd
}

func runPlan(ctx context.Context, t *terminal, s *session, o *trainOptions, output string, brief bool) error {
	if err := o.readJournal(ctx, t, s); err != nil {
		return err
	}
	t.status("looking at %s", s.train.Title())
	look := func() (*train.Result, error) { return s.train.On(s.env).Plan(ctx, &s.env.Env) }
	if o.offline {
		look = func() (*train.Result, error) { return release.PlanOffline(ctx, s.train, s.env) }
	}
	r, err := look()
	if err != nil {
		return err
	}
	if output == "json" {
		err = planJSON(t, s, r)
	} else {
		planText(t, s, r, brief)
	}
	if err != nil {
		return err
	}
	if err := r.Trouble(); err != nil {
		return err
	}
	for _, f := range r.Findings {
		if f.Severity == report.Error {
			return errPending
		}
	}
	return nil
}

func planText(t *terminal, s *session, r *train.Result, brief bool) {
	report.Fprintf(t.out, "%s: %d steps\n\n", s.train.Title(), len(r.Steps))
	requests := 0
	for _, st := range r.Steps {
		report.Fprintf(t.out, "%s %s %s\n", mark(st.State, t.color), t.style("1", fmt.Sprintf("%-20s", st.Name)), st.Title)
		if st.State != train.Missing {
			report.Fprintf(t.out, "    %s: %s\n", st.State, report.Lines("    ", st.Text))
			continue
		}
		for _, e := range st.Effects {
			requests++
			report.Fprintf(t.out, "    %s\n", strings.TrimSpace(e.String()+"  "+parenthesised(e.Text)))
		}
		if !brief && st.Detail != "" {
			report.Fprintf(t.out, "%s\n", report.Lines("      ", "\n"+st.Detail)[1:])
		}
	}
	report.Fprintf(t.out, "\n%d mutating requests\n", requests)
	if len(r.Findings) > 0 {
		fmt.Fprintln(t.out)
		_ = report.Write(t.out, "text", &report.Report{Command: "release plan", Rules: release.Rules(), Findings: r.Findings}) // t.out keeps its error
	}
	if !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Severity == report.Error }) {
		report.Fprintf(t.out, "next: %s\n", s.again())
	}
}

func parenthesised(text string) string {
	if text == "" {
		return ""
	}
	return "(" + text + ")"
}

func planJSON(t *terminal, s *session, r *train.Result) error {
	type step struct {
		Name    string            `json:"name"`
		Title   string            `json:"title"`
		Needs   []string          `json:"needs,omitempty"`
		State   train.State       `json:"state"`
		Text    string            `json:"text,omitempty"`
		Who     string            `json:"who,omitempty"`
		URL     string            `json:"url,omitempty"`
		Facts   map[string]string `json:"facts,omitempty"`
		Effects []wire.Effect     `json:"effects,omitempty"`
		Detail  string            `json:"detail,omitempty"`
	}
	out := struct {
		Schema   int              `json:"schema"`
		Version  string           `json:"version"`
		Steps    []step           `json:"steps"`
		Findings []report.Finding `json:"findings"`
	}{Schema: 1, Version: s.version, Findings: r.Findings}
	for _, st := range r.Steps {
		out.Steps = append(out.Steps, step{st.Name, st.Title, st.Needs, st.State, st.Text, st.Who, st.URL, st.Facts, st.Effects, st.Detail})
	}
	return report.WriteJSON(t.out, out)
}
