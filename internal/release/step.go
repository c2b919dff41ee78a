package release

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A State is what an observation says of a step.
type State string

// The states of a step.
const (
	Missing  State = "missing"  // not done; Act does it
	Waiting  State = "waiting"  // somebody else has to do something
	Done     State = "done"     // the world is as the step wants it
	Foreign  State = "foreign"  // what is there is not what the step would make, and nothing of ours; it is left alone
	Conflict State = "conflict" // what is ours cannot go on; a person has to decide
	Blocked  State = "blocked"  // a step that it needs is not done; never observed, only shown
	Failed   State = "failed"   // the answer is not known, or Act broke; never observed, only shown
)

// A Step is one thing that the train does. Steps are values: steps.go lists
// them, the driver knows nothing of what they do.
type Step struct {
	Name  string  // stable and typed by people: "tag:mcad", "catalog-pr"
	Title string  // for people: "tag mcad v1.33.0"
	Needs []*Step // that must be done before
	Phase string  // what it is a part of, for people: "Catalog"; steps.go says it

	// Observe looks at the world. It is called again after Act: Done (or
	// Waiting) proves that the act took place. An error means that the
	// answer is not known.
	Observe func(ctx context.Context, v *View) (Observation, error)

	// Act does what is missing. nil: the step only waits, or asks.
	Act func(ctx context.Context, h *Hands, seen Observation) error

	// Approval: a person has to say yes (release approve, --yes).
	Approval bool

	// Doubt: a person may say that it is done (release approve --done), since
	// the world cannot always be asked.
	Doubt bool

	// Public: users have what it made. Whoever takes that back has a reason:
	// it is made again only when a person says so (release approve).
	Public bool

	// Undo says how to take back what is not published yet: nil when there
	// is nothing to. No Undo: what was done stays.
	Undo func(ctx context.Context, h *Hands) (*undoing, error)

	// Group names the steps that are skipped together, when the world has
	// made them pointless (release skip); empty = others cannot do without it.
	Group string
}

// After are the names of what it needs.
func (s *Step) After() []string {
	var list []string
	for _, n := range s.Needs {
		list = append(list, n.Name)
	}
	return list
}

// An undoing is what an abort finds of a step.
type undoing struct {
	Text  string            // what is taken back: "closed PR #3"; or what stays, and why
	Facts map[string]string // evidence for the journal, written before Act
	Act   func(ctx context.Context) error
	Stays bool // Text tells of something that is left alone
}

// An Observation is what a step saw.
type Observation struct {
	State   State
	Text    string            // one line for people
	Who     string            // who can unblock a step that waits, or that is in conflict
	URL     string            // where to look
	Reason  string            // id of why it stopped, of Reasons; empty = it did not stop
	Facts   map[string]string // evidence, and what later steps need: "commit", "digest", "number"
	Effects []wire.Effect     // what Act would do; in the order it would
	Detail  string            // more for people: a diff, a message; may have many lines
}

func done(text string, facts ...string) Observation {
	return Observation{State: Done, Text: text, Facts: pairs(facts)}
}

func missing(text string, effects ...wire.Effect) Observation {
	return Observation{State: Missing, Text: text, Effects: effects}
}

func waiting(text, who, url string) Observation {
	return Observation{State: Waiting, Text: text, Who: who, URL: url}
}

// foreign is the observation of what is not ours; reason is the id of one. facts
// say which it is, for a person who takes it as it is (release approve --done).
func foreign(reason, text, who string, facts ...string) Observation {
	return Observation{State: Foreign, Reason: reason, Text: text, Who: who, Facts: pairs(facts)}
}

func conflict(reason, format string, args ...any) Observation {
	return Observation{State: Conflict, Reason: reason, Text: fmt.Sprintf(format, args...)}
}

// same says whether what is missing is what was missing before.
func (o Observation) same(before Observation) bool {
	return o.State == Missing && before.State == Missing && o.Text == before.Text &&
		slices.Equal(o.Effects, before.Effects) && maps.Equal(o.Facts, before.Facts)
}

// with adds facts to an observation.
func (o Observation) with(facts ...string) Observation {
	all := pairs(facts)
	maps.Copy(all, o.Facts)
	o.Facts = all
	return o
}

func (o Observation) at(url string) Observation {
	o.URL = url
	return o
}

func pairs(list []string) map[string]string {
	m := map[string]string{}
	for i := 0; i+1 < len(list); i += 2 {
		m[list[i]] = list[i+1]
	}
	return m
}

// A View is the reading half of the world. Observe gets no more than this, so
// that planning cannot write, by type.
type View struct {
	Train   *Train
	Git     GitReader
	Forge   forge.Reader
	Images  registry.Reader
	Journal Records // since the release was aborted last: what was decided
	Past    Records // all of it: what was made
	Now     func() time.Time

	facts *facts
	memo  *memo
	since uint64        // what was read before this mark of the memo is read again
	age   time.Duration // what is older is read again; 0 = no age is too old
	mute  bool          // an announcement is in the recipe, and nothing to make it with
	plan  bool          // steps are observed although those before them are not done
}

// Hands are a View that can also write.
type Hands struct {
	*View
	Git    GitWriter
	Forge  forge.Writer
	Images registry.Writer
	Mail   Mailer
	Chat   Chat

	sleep    func(context.Context, time.Duration) error
	evidence map[string]string
}

// tell adds evidence that only acting gives to the record of the effect.
func (h *Hands) tell(key, value string) {
	if h.evidence == nil {
		h.evidence = map[string]string{}
	}
	h.evidence[key] = value
}

// read makes records the journal of the view.
func (v *View) read(rs Records) { v.Past, v.Journal = rs, rs.Epoch() }

// account is who the token belongs to, read once per pass.
func (v *View) account(ctx context.Context) (forge.Account, error) {
	return recall(v, "account", func() (forge.Account, error) { return v.Forge.Account(ctx) })
}

// Fact is a piece of evidence of an earlier step: the digest of an image, the
// commit of a merge. Empty means that it is not known (yet).
func (v *View) Fact(step, key string) string {
	v.facts.mu.Lock()
	defer v.facts.mu.Unlock()
	return v.facts.of[step][key]
}

// Reached says whether a step was seen done in this run.
func (v *View) Reached(step string) bool {
	v.facts.mu.Lock()
	defer v.facts.mu.Unlock()
	return v.facts.state[step] == Done
}

// facts are what the steps of one run have seen so far.
type facts struct {
	mu    sync.Mutex
	of    map[string]map[string]string
	state map[string]State
}

func newFacts() *facts {
	return &facts{of: map[string]map[string]string{}, state: map[string]State{}}
}

func (f *facts) put(step string, o Observation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[step], f.state[step] = o.Facts, o.State
}
