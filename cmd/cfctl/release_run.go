package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
)

func newReleaseRun(t *terminal) *cobra.Command {
	o, pick, all := &trainOptions{}, train.Choices{}, false
	cmd := &cobra.Command{
		Use: "run VERSION", Short: "start or resume a release", Args: versionOrDeclared("run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				return runAll(cmd, t, o, args[0], pick)
			}
			version, err := o.Declared(cmd.Context(), &t.User, args[0])
			if err != nil || version == "" {
				return err
			}
			return runOne(cmd.Context(), t, o, version, pick)
		},
	}
	o.flags(cmd)
	o.servers(cmd)
	o.runs(cmd)
	choiceFlags(cmd, &pick)
	cmd.Flags().BoolVar(&all, "all", false, "with declared: also every other started release that is not complete, of any line")
	return cmd
}

// runs adds the flags of commands that run a train.
func (o *trainOptions) runs(cmd *cobra.Command) {
	choiceFlag(cmd, (*string)(&o.failOn), "fail-on", "", "auto", []string{"auto", "waiting", "stopped"}, "--fail-on",
		"when to exit 1: if the release waits or stopped, or only if the project has to act (default in a CI job); ")
}

func choiceFlags(cmd *cobra.Command, pick *train.Choices) {
	f := cmd.Flags()
	f.BoolVar(&pick.Wait, "wait", false, "wait for external steps to complete")
	f.DurationVar(&pick.WaitFor, "wait-for", 0, "with --wait: wait at most this long (6h); 0 = no limit")
	f.StringSliceVar(&pick.Yes, "yes", nil, "give this approval now: a step, approve:NAME")
	f.StringVar(&pick.Until, "until", "", "stop after this step")
	f.StringVar(&pick.Only, "only", "", "run only this step")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if pick.WaitFor < 0 {
			return usage("--wait-for %s is less than nothing", pick.WaitFor)
		}
		return nil
	}
}

// advance drives a train whose journal is open.
func advance(ctx context.Context, t *terminal, o *trainOptions, s *project.Session, pick train.Choices) error {
	pick.Who = t.Name()
	pick.Wait = pick.Wait || pick.WaitFor > 0
	shown := &progress{terminal: t, wait: pick.Wait}
	s.Env.Event = shown.event
	began := time.Now()
	r, err := release.On(s.Train, s.Env).Run(ctx, &s.Env.Env, pick)
	t.clearLive()
	if err != nil {
		return stopped(err, s)
	}
	if err := showFindings(t, r.Findings); err != nil {
		return err
	}
	return arrival(t, s, o, r, pick, began, shown.known)
}

// stopped adds what to do to an error that ended the whole run.
func stopped(err error, s *project.Session) error {
	if hintOf(err) != "" || isUsage(err) {
		return err
	}
	return hinted{err, s.Again() + " goes on from here"}
}

func showFindings(t *terminal, findings []report.Finding) error {
	r := &report.Report{Command: "release run", Rules: release.Rules(), Findings: findings}
	if err := report.Write(t.out, "text", r); err != nil {
		return err
	}
	if bad := r.Count(report.Error); bad > 0 {
		t.note("nothing was done: %d finding(s) have to be dealt with first", bad)
		return errPending
	}
	return nil
}

// A progress prints one line for every step that changes, and keeps the live
// line on a terminal. What was done before is counted, and what is waited for
// is said at the end, unless the run stays for it.
type progress struct {
	*terminal
	wait  bool
	known int
	mu    sync.Mutex
}

func (p *progress) event(e train.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case e.Doing:
		p.status("→ %s: %s", e.Step.Name, e.Text)
		if strings.HasPrefix(e.Text, "again, after: ") {
			p.note("→ %-20s %s", e.Step.Name, e.Text)
		}
		return
	case e.Known:
		p.known++
		p.status("%s %s: %s", train.Marks[e.State], e.Step.Name, e.Text)
		return
	case e.State != train.Done && !p.wait:
		return
	}
	took := ""
	if e.Took >= 100*time.Millisecond {
		took = fmt.Sprintf(" (%s)", e.Took.Round(100*time.Millisecond))
	}
	p.note("%s %-20s %s%s", train.Mark(e.State, p.vivid), e.Step.Name, e.Text, took)
	if e.State == train.Waiting && e.Who != "" {
		p.note("    unblocks: %s", e.Who)
		if e.URL != "" {
			p.note("    %s", e.URL)
		}
	}
}

// overdue says whether a wait is to be reminded of. One that began in the future, by a clock that was
// wrong, is one of which it is not known how long it is.
func overdue(waited, remind time.Duration) bool { return waited >= remind || waited < -time.Hour }

// arrival says how far the train came, and the exact next thing to do.
func arrival(t *terminal, s *project.Session, o *trainOptions, r *train.Result, pick train.Choices, began time.Time, known int) error {
	done, waits, stuck := 0, false, false
	act := false // a maintainer has to do something, or is to be reminded
	var approve, blocked []string
	for _, st := range r.Steps {
		switch {
		case st.State == train.Done:
			done++
			continue
		case st.State == train.Blocked:
			continue
		case st.Approval:
			approve = append(approve, st.Name)
		case st.State == train.Waiting:
			waits = true
		case st.State == train.Conflict, st.State == train.Unmanaged:
			stuck = true
		case st.Err != nil && st.Name == broken(r):
			continue // the command ends with its error
		}
		line := report.Sprintf("%s %s: %s", train.Mark(st.State, t.color), st.Name, report.Lines("    ", st.Text))
		if st.State == train.Waiting {
			waited := s.Env.Now().Sub(s.Since(st.Name))
			if overdue(waited, s.Recipe.Remind) {
				line += " (for " + report.Span(waited) + ")"
				act = true
			}
			act = act || st.Ours
		}
		if st.Who != "" {
			line += report.Sprintf("\n    unblocks: %s", st.Who)
		}
		if st.URL != "" {
			line += report.Sprintf("\n    %s", st.URL)
		}
		blocked = append(blocked, line)
	}
	before := ""
	if known > 0 {
		before = fmt.Sprintf(" (%d of them before)", known)
	}
	report.Fprintf(t.out, "%s: %d of %d steps done%s, in %s\n", s.Train.Title(), done, len(r.Steps), before, time.Since(began).Round(100*time.Millisecond))
	for _, line := range blocked {
		report.Fprintf(t.out, "%s\n", report.Raw(line))
	}
	if err := statusSummary(t, s); err != nil {
		return err
	}
	if r.Complete() {
		return nil
	}
	next := s.Again()
	if pick.Wait {
		next += " --wait"
	}
	if pick.WaitFor > 0 {
		next += " --wait-for " + pick.WaitFor.String()
	}
	if len(approve) > 0 {
		next += " --yes " + report.Shell(strings.Join(approve, ","))
	}
	report.Fprintf(t.out, "next: %s\n", next)
	switch {
	case stuck:
		report.Fprintf(t.out, "      when that is put right\n")
	case waits && len(approve) == 0 && !pick.Wait:
		report.Fprintf(t.out, "      when that is done; --wait waits for it\n")
	}
	if err := r.Trouble(); err != nil {
		return hinted{err, troubleHint(err, next)}
	}
	if !stuck && !act && o.failOn.of(t) == failOnStopped {
		return nil
	}
	return errPending
}

// broken is the step that Trouble tells of.
func broken(r *train.Result) string {
	for _, st := range r.Steps {
		if st.Err != nil {
			return st.Name
		}
	}
	return ""
}

// troubleHint says what to do about a step that broke.
func troubleHint(err error, next string) string {
	text := err.Error()
	switch hint := hintOf(err); {
	case hint != "": // also of a registry that refuses the credentials
		return hint + "\nthen " + next
	case forge.Refused(err, http.StatusUnauthorized), strings.Contains(text, "Authentication failed"), strings.Contains(text, "could not read Username"):
		return "set GITHUB_TOKEN, on a Gitea GITEA_TOKEN, to a token that may push, or run gh auth login\nthen " + next
	}
	return next + " goes on from here"
}

// statusSummary appends the status to the summary of a CI job.
func statusSummary(t *terminal, s *project.Session) error {
	path := t.Env["GITHUB_STEP_SUMMARY"]
	if path == "" {
		return nil
	}
	st, ok := train.ReadStatus(release.Command, s.Version, s.Env.Journal.Records())
	if !ok {
		return nil
	}
	var b bytes.Buffer
	if err := train.WriteStatus(&b, "markdown", st, time.Now()); err != nil {
		return err
	}
	return source.AppendFile(path, b.Bytes(), 0o644)
}
