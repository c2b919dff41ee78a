package release

import (
	"fmt"
	"io"
	"slices"
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
