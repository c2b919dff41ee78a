package train

import (
	"context"
	"strings"
	"testing"
)

// A fact is known when its step was seen, and read by steps that need that one
// alone: a need that was forgotten is an error of the step, not something that
// is not known yet.
func TestFactsFollowNeeds(t *testing.T) {
	type thing string
	s := newShelf()
	one := maker("one", "1")
	commit := FactOf[thing](one, "commit")
	reads := func(name string, needs ...*toy) *toy {
		return &toy{Name: name, Title: name, Needs: needs, Observe: func(_ context.Context, e *eye) (Observation, error) {
			var none Fact[thing]
			if none.In(e) != "" || none.Reached(e) {
				t.Error("a fact of no step is known")
			}
			return Saw(Done, string(commit.In(e))), nil
		}}
	}
	near := reads("near", one)
	tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{one, near, reads("far", near), reads("astray")}, World: s.world()}
	r, err := tr.Run(context.Background(), s.env(t, journalIn(t)), Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if got := states(r); got != "done done done failed" || r.Of("far").Text != "1" {
		t.Errorf("%s: %q", got, r.Of("far").Text)
	}
	if err := r.Trouble(); err == nil || !strings.Contains(err.Error(), "step astray reads what one has seen, and does not need it") {
		t.Error(err)
	}
	if FactOf[thing]((*toy)(nil), "commit") != (Fact[thing]{}) {
		t.Error("a step that is not there has a fact")
	}
}
