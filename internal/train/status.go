package train

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
)

// A Status is what the journal says of a release.
type Status struct {
	command string // that people go on with: "cfctl release"

	Version string       `json:"version"`
	Title   string       `json:"title"`
	Began   time.Time    `json:"began"`
	Updated time.Time    `json:"updated"`
	State   string       `json:"state"` // running, waiting, stopped, done, aborted
	Pins    []string     `json:"pins"`  // "mcad v1.33.0"
	Steps   []StepStatus `json:"steps"`
	Next    string       `json:"next,omitempty"` // the exact command that goes on
	Log     []logLine    `json:"log"`
}

// A StepStatus is the last that the journal says of a step.
type StepStatus struct {
	PlannedStep
	Observation
	Since time.Time `json:"since,omitzero"`
}

// open says whether a maintainer has to act on a step.
func (st *StepStatus) open() bool {
	return st.State == Waiting || st.State == Conflict || st.State == Unmanaged || st.State == Failed
}

// A logLine is one thing that happened.
type logLine struct {
	Time time.Time `json:"time"`
	Step string    `json:"step,omitempty"`
	What string    `json:"what"`
	Text string    `json:"text,omitempty"`
	URL  string    `json:"url,omitempty"`
}

// ReadStatus reads the status of a release from its journal alone. A journal
// without a record is not ok.
func ReadStatus(command, version string, rs Records) (s *Status, ok bool) {
	begin := rs.Last("", KindBegin)
	if begin == nil {
		return nil, false
	}
	s = &Status{command: command, Version: version, Title: begin.Title, Pins: begin.Pins, Began: rs[0].Time, Updated: rs[len(rs)-1].Time}
	now := rs.Epoch()
	if len(now) == 0 {
		now = rs // aborted, and not begun again
	}
	s.Steps = lists.Of(begin.Plan, func(p PlannedStep) StepStatus { return stepStatus(p, now) })
	s.Log = lists.Of(rs, func(r Record) logLine { return logLine{r.Time, r.Step, r.Kind, cmp.Or(r.Text, r.Title), r.URL} })
	s.block()
	s.summarise(rs)
	return s, true
}

func stepStatus(p PlannedStep, rs Records) StepStatus {
	st := StepStatus{PlannedStep: p, Observation: Observation{State: Blocked}}
	r := rs.Last(p.Name)
	if r == nil {
		return st
	}
	st.Observation = Observation{State: Blocked, Text: r.Text, Who: r.Who, URL: r.URL, Reason: r.Reason, Ours: r.Ours, Facts: r.Facts}
	st.Since = rs.Since(p.Name)
	switch r.Kind {
	case KindDone, KindAssert:
		st.State = Done
	case KindWait:
		st.State = Waiting
	case KindSkip:
		st.State, st.Text, st.Who = Done, "skipped by "+r.Who+": "+r.Text, ""
	case KindConflict:
		st.State = Conflict
	case KindUnmanaged:
		st.State = Unmanaged
	case KindFailed:
		st.State = Failed
	case KindApprove:
		st.State, st.Text, st.Who = Done, "approved by "+r.Who, ""
	case KindIntent, KindEffect:
		st.State, st.Text = Missing, "begun: "+r.Text
	}
	return st
}

// block tells steps that are ready from those that wait for others.
func (s *Status) block() {
	state := map[string]State{}
	for _, st := range s.Steps {
		state[st.Name] = st.State
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.State != Blocked {
			continue
		}
		open := lists.Where(st.Needs, func(n string) bool { return state[n] != Done })
		if len(open) == 0 {
			st.State, st.Text = Missing, "next"
		} else {
			st.Text = "after " + strings.Join(open, ", ")
		}
	}
}

func (s *Status) summarise(rs Records) {
	count := map[State]int{}
	for _, st := range s.Steps {
		count[st.State]++
		if st.Approval && st.State == Waiting && s.Next == "" {
			s.Next = s.command + " approve " + s.Version + " " + st.Name
		}
	}
	run := s.command + " run " + s.Version
	switch {
	case rs.Aborted() != nil:
		s.State, s.Next = "aborted", ""
	case count[Done] == len(s.Steps):
		s.State, s.Next = "done", ""
	case count[Conflict]+count[Unmanaged]+count[Failed] > 0:
		s.State, s.Next = "stopped", cmp.Or(s.Next, run)
	case count[Waiting] > 0:
		s.State, s.Next = "waiting", cmp.Or(s.Next, run)
	default:
		s.State, s.Next = "running", cmp.Or(s.Next, run)
	}
}

// Complete says whether there is nothing left to do.
func (s *Status) Complete() bool { return s.State == "done" || s.State == "aborted" }

// statusFormats are the forms of WriteStatus.
var statusFormats = []string{"text", "json", "markdown", "html"}

// WriteStatus prints a status in one of statusFormats. now is for "since".
func WriteStatus(w io.Writer, format string, s *Status, now time.Time) error {
	switch format {
	case "json":
		return report.WriteJSON(w, struct {
			Schema int `json:"schema"`
			*Status
		}{1, s})
	case "markdown":
		return s.markdown(w, now)
	case "html":
		return s.html(w, now)
	case "text":
		return s.text(w, now)
	}
	return fmt.Errorf("unknown output format %q (known: %s)", format, strings.Join(statusFormats, ", "))
}

// count says how many of the steps are done.
func (s *Status) count() (done, all int) {
	for _, st := range s.Steps {
		if st.State == Done {
			done++
		}
	}
	return done, len(s.Steps)
}

func (s *Status) text(w io.Writer, now time.Time) error {
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(report.Sprintf(format, args...)) }
	n, all := s.count()
	begun := "not begun here"
	if !s.Began.IsZero() {
		begun = "begun " + s.Began.UTC().Format("2006-01-02 15:04 UTC")
	}
	say("%s: %s, %d of %d steps done, %s\n\n", s.Title, s.State, n, all, begun)
	width := 0
	for _, st := range s.Steps {
		width = max(width, len(st.Name))
	}
	for _, st := range s.Steps {
		say("%s %-*s  %s", Marks[st.State], width, st.Name, report.Lines(strings.Repeat(" ", width+4), st.Text))
		if !st.open() {
			b.WriteByte('\n')
			continue
		}
		if !st.Since.IsZero() {
			say(" (for %s)", report.Span(now.Sub(st.Since)))
		}
		b.WriteByte('\n')
		for _, line := range Compact(prefixed("unblocks: ", st.Who), st.URL) {
			say("  %-*s  %s\n", width, "", line)
		}
	}
	if s.Next != "" {
		say("\nnext: %s\n", s.Next)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Compact drops empty strings.
func Compact(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func (s *Status) markdown(w io.Writer, now time.Time) error {
	var b strings.Builder
	n, all := s.count()
	b.WriteString(report.Sprintf("## %s: %s\n\n%d of %d steps done.\n\n", report.Raw(report.Cell(s.Title)), s.State, n, all))
	b.WriteString("| | Step | State | |\n|---|---|---|---|\n")
	for _, st := range s.Steps {
		text := report.Cell(st.Text)
		if u, err := url.Parse(st.URL); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
			text = "[" + text + "](<" + strings.NewReplacer("|", "%7C", "<", "%3C", ">", "%3E").Replace(u.String()) + ">)"
		}
		more := ""
		if st.open() {
			more = strings.Join(Compact(prefixed("for ", since(st.Since, now)), prefixed("unblocks: ", st.Who)), "; ")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", Marks[st.State], report.Code(st.Name), text, report.Cell(more))
	}
	if s.Next != "" {
		fmt.Fprintf(&b, "\nNext: %s\n", report.Code(s.Next))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func since(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return report.Span(now.Sub(at))
}
