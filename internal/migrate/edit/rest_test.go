package edit

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// A place that no format has found is for a person, unless it is a part of a
// longer name.
func TestRest(t *testing.T) {
	b := newBench(t, moves)
	made := Plan(b.file("a.txt", "x old.example.com y\nmy-old.example.com\n"), func(func(judge.Decided) bool) {}).Made
	if len(made) != 2 || made[0].Action() != Person || made[0].Reason != "unknown-place" || made[1].Action() != Stay || made[1].Reason != "longer-name" {
		t.Errorf("%+v", made)
	}
}
