package train

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

func planned(name string, needs ...string) StepStatus {
	return StepStatus{PlannedStep: PlannedStep{Name: name, Needs: needs}}
}

// TestGraphOfForgedJournals draws graphs that no train has: every step needs
// all before it, itself, one that is not there, and two need each other.
func TestGraphOfForgedJournals(t *testing.T) {
	dense := &Status{}
	var names []string
	for i := range maxReduced {
		name := fmt.Sprint("s", i)
		dense.Steps = append(dense.Steps, planned(name, slices.Concat(names, names)...))
		names = append(names, name)
	}
	if err := dense.html(io.Discard, time.Now()); err != nil {
		t.Error(err)
	}
	if lines := len(dense.graph().Lines); lines != maxReduced-1 {
		t.Errorf("%d lines, want one from each step to the next", lines)
	}
	circle := &Status{Steps: []StepStatus{
		planned("a", "b", "c", "a", "gone"), planned("b", "a"), planned("c"), planned("c", "b", "b"),
	}}
	if err := circle.html(io.Discard, time.Now()); err != nil {
		t.Error(err)
	}
}

// TestStatusPage: what a release waits for and its versions are above the
// graph, what is finished is folded, and only a page that will change is read
// again.
func TestStatusPage(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 2, 12, minute, 0, 0, time.UTC) }
	step := func(name, phase string, state State, text, url string, needs ...string) StepStatus {
		return StepStatus{PlannedStep: PlannedStep{Name: name, Title: "title of " + name, Needs: needs, Phase: phase}, Observation: Observation{State: state, Text: text, URL: url}, Since: at(40)}
	}
	s := &Status{Version: "v1.2.0", Title: "Stack v1.2.0", State: "waiting", Began: at(0), Updated: at(50), Next: "cfctl release run v1.2.0",
		Pins: []string{"oven v3.0.0", "tray v0.4.0"},
		Steps: []StepStatus{
			step("tag:oven", "Components", Done, "v3.0.0 is at 123", "https://forge.example/oven/v3.0.0"),
			step("built:oven", "Components", Done, "sha256:12", "javascript:alert(1)", "tag:oven"),
			step("tag:tray", "Components", Done, "v0.4.0 is at 456", "file:///etc/passwd", "tag:oven"),
			step("menu-pr", "Menu", Done, "PR #7", "https://forge.example/menu/7", "tag:tray", "built:oven"),
			step("menu-merged", "Menu", Waiting, "PR #7 is open", "https://forge.example/menu/7", "menu-pr"),
		},
		Log: []logLine{
			{Time: at(1), Step: "tag:oven", What: KindIntent}, {Time: at(2), What: KindAbort},
			{Time: at(10), Step: "tag:oven", What: KindIntent}, {Time: at(40), Step: "tag:oven", What: KindDone},
		}}
	draw := func() string {
		var b strings.Builder
		if err := s.html(&b, at(55)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	rest := draw()
	for _, next := range []string{
		`http-equiv="refresh"`, "for 55 min", "5 min ago", "Waiting for others", "15 min ago", "PR #7 is open", "Next", s.Next,
		`oven <a href="https://forge.example/oven/v3.0.0"><code>v3.0.0`, "tray <code>v0.4.0", `<a href="https://forge.example/menu/7">title of menu-pr`,
		"<svg", ">Components<", ">Menu<", "</svg>", "<summary>Steps to go: 1<", "<summary>Finished steps: 4<", "<summary>Timeline: 4 entries<",
	} {
		_, after, found := strings.Cut(rest, next)
		if !found {
			t.Fatalf("no %q (in this order) in\n%s", next, draw())
		}
		rest = after
	}
	if page := draw(); strings.Contains(page, `href="javascript`) || strings.Contains(page, `href="file`) {
		t.Error("an address that is none of the web can be clicked")
	}
	s.State = "done"
	if strings.Contains(draw(), "http-equiv") {
		t.Error("a page that does not change any more is read again")
	}
}

// TestGraphColumns: one column a phase; a journal of an older cfctl has no
// phases, and gets one column.
func TestGraphColumns(t *testing.T) {
	s := &Status{Steps: []StepStatus{planned("a"), planned("b", "a"), planned("c", "b"), planned("d", "a")}}
	if got, heads := s.columns(); !slices.Equal(got, []int{0, 0, 0, 0}) || !slices.Equal(heads, []string{""}) {
		t.Errorf("without phases: %v %v", got, heads)
	}
	for i, phase := range []string{"one", "one", "two", "one"} {
		s.Steps[i].Phase = phase
	}
	if got, heads := s.columns(); !slices.Equal(got, []int{0, 0, 1, 0}) || !slices.Equal(heads, []string{"one", "two"}) {
		t.Errorf("by phase: %v %v", got, heads)
	}
}

// What is not printable in a user's text is an escape on the page too.
func TestStatusPageIsPrintable(t *testing.T) {
	s := &Status{Steps: []StepStatus{{PlannedStep: PlannedStep{Name: "a"}, Observation: Observation{State: Unmanaged, Text: "a commit by \x1b[31m\u202eE"}}}}
	var b strings.Builder
	if err := s.html(&b, time.Now()); err != nil {
		t.Fatal(err)
	}
	if page := b.String(); !strings.Contains(page, `by \x1b[31m\u202eE`) || strings.ContainsAny(page, "\x1b\u202e") {
		t.Error(page)
	}
}
