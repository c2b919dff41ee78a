package why

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/train"
)

// Step writes what is known of one step of a release: how it is and since
// when, what that means and what a maintainer does about it, what it is between,
// and what has become of it so far. next is the command that goes on.
func Step(w io.Writer, s *train.Status, step, next string, now time.Time) error {
	i := slices.IndexFunc(s.Steps, func(st train.StepStatus) bool { return st.Name == step })
	if i < 0 {
		names := lists.Of(s.Steps, func(st train.StepStatus) string { return st.Name })
		err := fmt.Errorf("release %s has no step %q", s.Version, step)
		if near := spelling.Nearest(step, names); near != "" {
			err = fmt.Errorf("%w, did you mean %s?", err, near)
		}
		return err
	}
	st := s.Steps[i]
	var b strings.Builder
	say := func(label, text string) {
		if text != "" {
			b.WriteString(report.Sprintf("%-14s %s\n", label, report.Lines(strings.Repeat(" ", 15), text)))
		}
	}
	b.WriteString(report.Sprintf("%s: %s\n", st.Name, st.Title))
	state := string(st.State)
	if st.Reason != "" {
		state += " (" + st.Reason + ")"
	}
	if !st.Since.IsZero() {
		state += ", for " + report.Span(now.Sub(st.Since))
	}
	say("is", state)
	say("sees", st.Text)
	say("look at", st.URL)
	if r, ok := Of(st.Reason); ok {
		say("means", r.Means)
		say("how to fix", r.Way(s.Version, st.Name))
	}
	say("unblocks", st.Who)
	if st.State != train.Done {
		say("then", next)
	}
	say("needs", strings.Join(st.Needs, ", "))
	say("awaited by", strings.Join(awaiting(s, step), ", "))
	for _, l := range s.Log {
		if l.Step == step {
			say(l.Time.UTC().Format("01-02 15:04"), strings.TrimSpace(l.What+" "+l.Text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// awaiting are the steps that need one.
func awaiting(s *train.Status, step string) (names []string) {
	for _, st := range s.Steps {
		if slices.Contains(st.Needs, step) {
			names = append(names, st.Name)
		}
	}
	return names
}
