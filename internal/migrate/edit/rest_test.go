package edit

import "testing"

// A place that no format has found is for a person, unless it is a part of a
// longer name.
func TestRest(t *testing.T) {
	b := newBench(t, moves)
	m := b.maker("a.bin.txt", "")
	m.file = []byte("x old.example.com y\nmy-old.example.com\n")
	made := m.Plan().Made
	if len(made) != 2 || made[0].Action() != Person || made[0].Reason != "unknown-place" || made[1].Action() != Stay || made[1].Reason != "longer-name" {
		t.Errorf("%+v", made)
	}
}
