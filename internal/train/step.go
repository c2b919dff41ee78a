package train

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A State is what an observation says of a step.
type State string

// The states of a step.
const (
	Missing   State = "missing"   // not done; Act does it
	Waiting   State = "waiting"   // others have to act
	Done      State = "done"      // the world is as the step wants it
	Unmanaged State = "unmanaged" // exists, but was not created by this release; it is not changed
	Conflict  State = "conflict"  // what is ours cannot go on; a maintainer has to decide
	Blocked   State = "blocked"   // a step that it needs is not done, or what it needs to know is not there yet
	Failed    State = "failed"    // the answer is not known, or Act broke; never observed, only shown
)

// Marks are the signs of states in text.
var Marks = map[State]string{Done: "✓", Waiting: "…", Missing: "→", Unmanaged: "✗", Conflict: "✗", Failed: "✗", Blocked: "·"}

// A Step is one thing that a train does, as a value: the driver knows nothing
// of what it does. V is the read-only part of the environment that it looks at, H both
// halves.
type Step[V, H any] struct {
	Name  string        // stable and typed by people: "tag:oven", "menu-pr"
	Title string        // for display: "tag oven v1.33.0"
	Needs []*Step[V, H] // that must be done before
	Phase string        // what it is a part of, for display: "Menu"

	// Target is what it acts on, where a configuration could name another: the
	// repository of a tag or PR, an image, whom a mail goes to. A release that has
	// begun keeps it.
	Target string

	// Observe reads the actual state. It is called again after Act: Done (or
	// Waiting) proves that the act took place. An error means that the
	// answer is not known. nil: an approval.
	Observe func(ctx context.Context, v V) (Observation, error)

	// Act does what is missing. nil: the step only waits, or asks.
	Act func(ctx context.Context, h H, seen Observation) error

	// Gates are the steps that wait for this one, which is an approval then: a
	// person has to say yes to the plan (release approve, --yes).
	Gates []*Step[V, H]

	// Doubt: a maintainer may record that it is done (release approve --done), since
	// the actual state cannot always be observed.
	Doubt bool

	// Public: users have what it made. Whoever takes that back has a reason:
	// it is made again only when a maintainer says so (release approve).
	Public bool

	// Moving: what it makes goes on changing until a later step is done, by other
	// steps and by people (a work branch). Its evidence is what was seen last; that
	// of any other step is what was seen first.
	Moving bool

	// Undo says how to undo what is not published yet: nil when there
	// is nothing to. No Undo: what was done stays.
	Undo func(ctx context.Context, h H) (*Undoing, error)

	// Group names the steps that are skipped together, when the actual state has
	// made them pointless (release skip); empty = others cannot do without it.
	Group string
}

// Approval says whether a maintainer has to approve it.
func (s *Step[V, H]) Approval() bool { return len(s.Gates) > 0 }

// After are the names of what it needs.
func (s *Step[V, H]) After() []string {
	return lists.Of(s.Needs, func(n *Step[V, H]) string { return n.Name })
}

// planned is the step as the journal and people know it.
func (s *Step[V, H]) planned() PlannedStep {
	return PlannedStep{s.Name, s.Title, s.After(), s.Approval(), s.Phase, s.Target}
}

// Behind are the names of the steps that this one needs, directly or not.
func (s *Step[V, H]) Behind() map[string]bool {
	names, todo := map[string]bool{}, s.Needs
	for len(todo) > 0 {
		n := todo[0]
		todo = todo[1:]
		if !names[n.Name] {
			names[n.Name] = true
			todo = append(slices.Clip(todo), n.Needs...)
		}
	}
	return names
}

// An Undoing is what an abort finds of a step.
type Undoing struct {
	Text  string            // what is undone: "closed PR #3"; or what is not changed, and why
	Facts map[string]string // evidence for the journal, written before Act
	Act   func(ctx context.Context) error
	Stays bool // Text tells of something that is left alone
}

// An Observation is what a step saw.
type Observation struct {
	State   State             `json:"state"`
	Text    string            `json:"text,omitempty"`    // one line for display
	Who     string            `json:"who,omitempty"`     // who can unblock a step that waits, or that is in conflict
	URL     string            `json:"url,omitempty"`     // where to look
	Reason  string            `json:"reason,omitempty"`  // id of why it stopped; empty = it did not stop
	Ours    bool              `json:"ours,omitempty"`    // a maintainer has to do what it waits for: approve, review, merge
	Facts   map[string]string `json:"facts,omitempty"`   // evidence, and what later steps need: "commit", "digest", "number"
	Effects []wire.Effect     `json:"effects,omitempty"` // what Act would do, in the order it would; Plan fills them in
	Detail  string            `json:"detail,omitempty"`  // more for display: a diff, a message; may have many lines

	Then *Observation `json:"-"` // what will be missing after Act, where that is known: for a plan
	Ask  bool         `json:"-"` // a maintainer may say yes to what it stopped at: an approval of these facts
}

// Facts that say what kind of done it is.
const (
	skipped = "skipped" // a maintainer took the step out; the fact is why
	Kept    = "kept"    // what is there is newer, and stays
	Nothing = "nothing" // there was nothing to do
)

// Righted is a fact of what is missing: what is there stays, and something about
// it is put right. What it was first seen as stays its evidence.
const Righted = "righted"

// Saw is an observation. facts are names and values by turns.
func Saw(state State, text string, facts ...string) Observation {
	return Observation{State: state, Text: text, Facts: Pairs(facts...)}
}

// same says whether what is missing is what was missing before.
func (o Observation) same(before Observation) bool {
	return o.State == Missing && before.State == Missing && o.Text == before.Text && maps.Equal(o.Facts, before.Facts)
}

// With adds facts to an observation; those that it has stay.
func (o Observation) With(facts ...string) Observation {
	all := Pairs(facts...)
	maps.Copy(all, o.Facts)
	o.Facts = all
	return o
}

// At is the observation with the address where to look.
func (o Observation) At(url string) Observation {
	o.URL = url
	return o
}

// By is the observation with who can unblock it.
func (o Observation) By(who string) Observation {
	o.Who = who
	return o
}

// Listing is the observation with lines as its detail.
func (o Observation) Listing(lines []string) Observation {
	o.Detail = strings.Join(lines, "\n")
	return o
}

// Pairs are facts, from names and values by turns.
func Pairs(list ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(list); i += 2 {
		m[list[i]] = list[i+1]
	}
	return m
}

// Check says what is wrong with a list of steps: each has a name of its own, and
// comes after all that it needs. What Check takes can be driven.
func Check[V, H any](steps []*Step[V, H]) error {
	seen := map[string]*Step[V, H]{}
	for _, s := range steps {
		if seen[s.Name] != nil {
			return fmt.Errorf("two steps are called %s", s.Name)
		}
		for _, n := range s.Needs {
			if n == nil || seen[n.Name] != n {
				return fmt.Errorf("step %s comes before what it needs", s.Name)
			}
		}
		seen[s.Name] = s
	}
	return nil
}
