package train

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/wire"
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

// What a step reads when it is undone is of the steps that it needs, too, also
// when that is read in the very act.
func TestUndoesFollowNeeds(t *testing.T) {
	type thing string
	for name, late := range map[string]bool{"looking": false, "acting": true} {
		for _, needs := range []bool{true, false} {
			s := newShelf()
			one, two := maker("one", "1"), maker("two", "2")
			if needs {
				two.Needs = []*toy{one}
			}
			commit := FactOf[thing](one, "commit")
			two.Undo = func(_ context.Context, h *hand) (*Undoing, error) {
				if !late {
					commit.In(h)
				}
				return &Undoing{Text: "took two", Act: func(context.Context) error { commit.In(h); return nil }}, nil
			}
			tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{one, two}, World: s.world()}
			_, err := tr.Abort(t.Context(), s.env(t, journalIn(t)), "rita")
			if needs && err != nil || !needs && (err == nil || !strings.Contains(err.Error(), "step two reads what one has seen, and does not need it")) {
				t.Errorf("%s, needs %v: %v", name, needs, err)
			}
		}
	}
}

// A step is undone after all that need it, directly or not, and stays when one
// of those could not be undone.
func TestUndoneAfterWhatNeedsIt(t *testing.T) {
	for _, broken := range []string{"", "left", "top"} {
		s, undone := newShelf(), []string{}
		base := maker("base", "1")
		left, right := maker("left", "2", base), maker("right", "3", base)
		top := maker("top", "4", left)
		tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{base, left, top, right}, World: s.world()}
		for _, step := range tr.Steps {
			step.Undo = func(context.Context, *hand) (*Undoing, error) {
				return &Undoing{Text: step.Name, Act: func(context.Context) error {
					if step.Name == broken {
						return errKilled
					}
					undone = append(undone, step.Name)
					return nil
				}}, nil
			}
		}
		_, err := tr.Abort(t.Context(), s.env(t, journalIn(t)), "rita")
		if (err != nil) != (broken != "") {
			t.Errorf("%s: %v", broken, err)
		}
		for i, name := range undone {
			for _, step := range tr.Steps {
				if step.Behind()[name] && !slices.Contains(undone[:i], step.Name) {
					t.Errorf("%q broken: %q: %s before %s, which needs it", broken, undone, name, step.Name)
				}
			}
		}
		if broken == "" && len(undone) != len(tr.Steps) {
			t.Errorf("undone %q", undone)
		}
	}
}

// What a step reads when it acts, and when its act is planned, is of the steps
// that it needs too; and so is whether one of them was reached.
func TestActsFollowNeeds(t *testing.T) {
	type thing string
	for name, reads := range map[string]func(f Fact[thing], h *hand){
		"fact":    func(f Fact[thing], h *hand) { f.In(h) },
		"reached": func(f Fact[thing], h *hand) { f.Reached(h) },
	} {
		for _, needs := range []bool{true, false} {
			s := newShelf()
			one, acts := maker("one", "1"), maker("acts", "2")
			if needs {
				acts.Needs = []*toy{one}
			}
			commit, put := FactOf[thing](one, "commit"), acts.Act
			acts.Act = func(ctx context.Context, h *hand, seen Observation) error {
				reads(commit, h)
				return put(ctx, h, seen)
			}
			tr := &Train[*eye, *hand]{Version: "v1.0.0", Steps: []*toy{one, acts}, World: s.world()}
			tr.World.Recorder = func(v *View) (*hand, func() []wire.Effect) {
				return &hand{&eye{v, newShelf()}, &Attempt{}}, func() []wire.Effect { return nil }
			}
			planned, err := tr.Plan(context.Background(), s.env(t, journalIn(t)))
			if err != nil {
				t.Fatal(err)
			}
			done, err := tr.Run(context.Background(), s.env(t, journalIn(t)), Choices{})
			if err != nil {
				t.Fatal(err)
			}
			for half, r := range map[string]*Result{"planned": planned, "done": done} {
				if err := r.Trouble(); needs && err != nil || !needs && (err == nil || !strings.Contains(err.Error(), "step acts reads what one has seen, and does not need it")) {
					t.Errorf("%s, %s, needed %v: %v", name, half, needs, err)
				}
			}
		}
	}
}
