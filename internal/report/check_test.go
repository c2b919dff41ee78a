package report

import (
	"context"
	"errors"
	"testing"
)

// A room is what some checks share.
type room struct {
	Pass
	seen []string
}

func checksOf(fail error) []Check[*room] {
	return []Check[*room]{
		{Rule: Rule{ID: "door", Severity: Warning, Doc: "the door is *shut*"}, Run: Simple(func(r *room) {
			r.Report(Finding{Path: "hall"}, "%s is open", "it").Hint = "shut it"
		})},
		{Rule: Rule{ID: "lamp", Severity: Error, Doc: "it burns", Needs: "`--light`"}, Run: func(_ context.Context, r *room) error {
			r.Report(Finding{Rule: "fuse", Severity: Note}, "dark")
			return fail
		}},
		{Rule: Rule{ID: "last", Doc: "all is said"}, Run: Simple(func(r *room) { r.seen = append(r.seen, r.Rule.ID) })},
	}
}

// A finding is of the check that is run unless it says otherwise; a check that
// lacks what it needs is neither run nor listed; one without an answer ends all.
func TestChecks(t *testing.T) {
	dark := func(string) bool { return false }
	r := &room{}
	if err := Run(t.Context(), checksOf(nil), r, dark); err != nil || len(r.Findings) != 1 || len(r.seen) != 1 {
		t.Fatalf("%v %+v", err, r)
	}
	if f := r.Findings[0]; f.Rule != "door" || f.Severity != Warning || f.Message != "it is open" || f.Hint != "shut it" {
		t.Errorf("%+v", f)
	}
	if len(RulesOf(checksOf(nil), dark)) != 2 || len(RulesOf(checksOf(nil), nil)) != 3 {
		t.Error("the catalogue is not what is run")
	}
	r = &room{}
	broken := errors.New("no current")
	if err := Run(t.Context(), checksOf(broken), r, nil); !errors.Is(err, broken) || r.Rule.ID != "lamp" || len(r.seen) != 0 {
		t.Errorf("%v at %s, then %v", err, r.Rule.ID, r.seen)
	}
	if f := r.Findings[1]; f.Rule != "fuse" || f.Severity != Note {
		t.Errorf("%+v", f)
	}
}
