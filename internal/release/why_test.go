package release

import (
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/train"
)

// A step is explained from what the journal says of it: what it means, what to do
// with the version and the step filled in, what it is between.
func TestWhy(t *testing.T) {
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	s := &train.Status{Version: "v0.2.0", Steps: []train.StepStatus{
		{PlannedStep: train.PlannedStep{Name: "operator-pr", Title: "PR"}, Observation: steps.Observation{State: Done}},
		{PlannedStep: train.PlannedStep{Name: "operator-branch", Title: "the branch", Needs: []string{"operator-pr"}},
			Observation: steps.Observation{State: Unmanaged, Reason: why.BranchChanged, Text: "branch is changed", Who: "whoever changed it", URL: "https://forge.invalid/1"}, Since: at},
		{PlannedStep: train.PlannedStep{Name: "operator-merged", Needs: []string{"operator-branch"}}, Observation: steps.Observation{State: Blocked}},
	}}
	var b strings.Builder
	if err := why.Step(&b, s, "operator-branch", "cfctl release run v0.2.0", at.Add(3*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"operator-branch: the branch\n", "unmanaged (branch-changed), for 3 h 0 min", "branch is changed", "https://forge.invalid/1", "revert that; or `cfctl release approve v0.2.0 operator-branch --done`",
		"unblocks       whoever changed it", "then           cfctl release run v0.2.0", "needs          operator-pr", "awaited by     operator-merged",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if err := why.Step(&b, s, "operator-brnch", "", at); err == nil || !strings.Contains(err.Error(), "did you mean operator-branch?") {
		t.Error(err)
	}
}
