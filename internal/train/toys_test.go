package train

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
)

// A shelf is the actual state of the toys: things by name, and who put them there.
type shelf struct {
	mu     sync.Mutex
	things map[string]string
	log    []string // every write, in order
	reads  map[string]int
	chance func() // called before and after every write
	broken error  // what the next write fails with, after it was done or not
	arrive bool
	clock  *wiretest.Clock
}

func newShelf() *shelf {
	return &shelf{things: map[string]string{}, reads: map[string]int{}, chance: func() {}, clock: wiretest.NewClock()}
}

// person is what others put there while cfctl is not looking.
func (s *shelf) person(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.things[name] = value
}

// An eye is the reading half of the toys' world.
type eye struct {
	*View
	shelf *shelf
}

func (e *eye) thing(name string) (string, error) {
	return Recall(e.View, name, func() (string, error) {
		e.shelf.mu.Lock()
		defer e.shelf.mu.Unlock()
		e.shelf.reads[name]++
		return e.shelf.things[name], nil
	})
}

// A hand is both halves.
type hand struct {
	*eye
	*Attempt
}

var errKilled = errors.New("killed")

func (h *hand) put(name, value string) error {
	h.shelf.chance()
	h.shelf.mu.Lock()
	err := h.shelf.broken
	h.shelf.broken = nil
	if err == nil || h.shelf.arrive {
		h.shelf.things[name] = value
		h.shelf.log = append(h.shelf.log, name+"="+value)
	}
	h.shelf.mu.Unlock()
	h.shelf.chance()
	return err
}

type toy = Step[*eye, *hand]

// maker is a toy that puts a thing on the shelf.
func maker(name, value string, needs ...*toy) *toy {
	s := &toy{Name: name, Title: "put " + name, Needs: needs, Phase: "Toys"}
	s.Observe = func(_ context.Context, e *eye) (Observation, error) {
		have, err := e.thing(name)
		switch {
		case err != nil:
			return Observation{}, err
		case have == value:
			return Saw(Done, name+" is there", "commit", have), nil
		case have != "":
			o := Saw(Unmanaged, name+" is "+have+", of another author", "commit", have)
			o.Who = "whoever put it there"
			return o, nil
		}
		return Saw(Missing, "put "+name, "commit", value), nil
	}
	s.Act = func(_ context.Context, h *hand, seen Observation) error {
		h.Tell("by", "a hand")
		return h.put(name, seen.Facts["commit"])
	}
	return s
}

// waiter is a toy that another user has to do something for.
func waiter(name string, needs ...*toy) *toy {
	return &toy{Name: name, Title: name, Needs: needs, Group: "some", Observe: func(_ context.Context, e *eye) (Observation, error) {
		if have, err := e.thing(name); err != nil || have != "" {
			return Saw(Done, name+" came", "digest", have), err
		}
		return Observation{State: Waiting, Text: name + " is awaited", Who: "somebody"}, nil
	}}
}

// toys are five steps: one, two after it, the wait for three, a gate, and four,
// which is public, and of which one can be undone until then.
func toys(s *shelf) *Train[*eye, *hand] {
	one := maker("one", "1")
	two := maker("two", "2", one)
	three := waiter("three", two)
	four := maker("four", "4", three)
	four.Public = true
	gate := &toy{Name: "approve:four", Title: "four?", Gates: []*toy{four}, Needs: []*toy{three}}
	four.Needs = append(four.Needs, gate)
	two.Undo = func(_ context.Context, h *hand) (*Undoing, error) {
		switch have, err := h.thing("two"); {
		case err != nil || have == "":
			return nil, err
		case have != "2":
			return &Undoing{Text: "two is not ours", Stays: true}, nil
		}
		return &Undoing{Text: "took two", Act: func(context.Context) error { return h.put("two", "") }}, nil
	}
	return &Train[*eye, *hand]{Command: "toys", Version: "v1.0.0", Title: "Toys v1.0.0", Pins: []string{"one v1.0.0"}, Steps: []*toy{one, two, three, gate, four}, World: s.world()}
}

func (s *shelf) world() World[*eye, *hand] {
	return World[*eye, *hand]{
		View:   func(v *View) *eye { return &eye{v, s} },
		Writer: func(v *View, d *Attempt) *hand { return &hand{&eye{v, s}, d} },
		Terms:  func() map[string]string { return map[string]string{"version of one": "v1.0.0"} },
		Evidence: []Evidence{
			{Key: "commit", Of: "commit of ", Rule: report.Rule{ID: "moved"}},
			{Key: "digest", Of: "digest of ", Rule: report.Rule{ID: "retagged"}},
		},
	}
}

// env drives toys with the journal at path.
func (s *shelf) env(t testing.TB, path string) *Env {
	t.Helper()
	j, err := OpenJournal(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return &Env{Journal: j, Now: s.clock.Now, Sleep: s.clock.Sleep, Poll: time.Minute}
}

func journalIn(t testing.TB) string { return filepath.Join(t.TempDir(), "v1.0.0.jsonl") }

// run runs toys once, with a journal of its own opening.
func (s *shelf) run(t testing.TB, path string, pick Choices) *Result {
	t.Helper()
	env := s.env(t, path)
	defer env.Journal.Close()
	r, err := toys(s).Run(context.Background(), env, pick)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// states are the states of a result's steps.
func states(r *Result) string {
	var list []string
	for _, s := range r.Steps {
		list = append(list, string(s.State))
	}
	return strings.Join(list, " ")
}

// written is the log of the writes.
func (s *shelf) written() string { return strings.Join(s.log, " ") }
