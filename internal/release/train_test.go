package release

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/wire"
)

var yes = Choices{Yes: []string{"approve:publish"}, Who: "rita"}

// once runs the train once, and fails the test on anything but progress.
func once(t testing.TB, w *world, train *steps.Train, journal string, pick Choices) (*Result, *wire.Queue) {
	t.Helper()
	env, q := w.env(journal)
	defer env.Journal.Close()
	r, err := On(train, env).Run(context.Background(), &env.Env, pick)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == report.Error {
			t.Fatalf("preflight: %s: %s", f.Rule, f.Message)
		}
	}
	for _, s := range r.Steps {
		if s.Err != nil || s.State == Conflict {
			t.Fatalf("%s: %s %s %v", s.Name, s.State, s.Text, s.Err)
		}
	}
	return r, q
}

// runTrain runs the train, letting people act between, until it is complete, or
// stops at something unmanaged.
func runTrain(t testing.TB, w *world, train func() *steps.Train, journal string) *Result {
	t.Helper()
	for range 12 {
		r, _ := once(t, w, train(), journal, yes)
		if r.Complete() || stoppedAt(r) != "" {
			return r
		}
		w.play()
	}
	t.Fatal("the train does not arrive")
	return nil
}

// arrive runs to the end.
func arrive(t testing.TB, w *world, train func() *steps.Train, journal string) *Result {
	t.Helper()
	r := runTrain(t, w, train, journal)
	if at := stoppedAt(r); at != "" {
		t.Fatalf("%s: %s", at, r.Of(at).Text)
	}
	return r
}

// stoppedAt is the first step that stopped at something unmanaged.
func stoppedAt(r *Result) string {
	for _, s := range r.Steps {
		if s.State == Unmanaged {
			return s.Name
		}
	}
	return ""
}

// An ending is the state of a world whose release nothing came between, made once:
// what other worlds are compared with.
type ending struct {
	once  sync.Once
	state string
}

var undisturbed ending

// of is the state at the end of a run through a world that open opens.
func (e *ending) of(t testing.TB, open func(testing.TB) *world) string {
	t.Helper()
	e.once.Do(func() {
		w := open(t)
		arrive(t, w, sprint(w), journalIn(t))
		e.state = w.state()
	})
	return e.state
}

func sprint(w *world) func() *steps.Train { return func() *steps.Train { return w.train("v0.2.0") } }

func journalIn(t testing.TB) string { return filepath.Join(t.TempDir(), "v0.2.0.jsonl") }

// requests gathers what a queue lets through.
type requests struct {
	mu      sync.Mutex
	effects []string
	reads   []string
}

func (r *requests) watch(q *wire.Queue) {
	q.Saw = func(e wire.Effect) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.effects = append(r.effects, e.String())
	}
	q.Sent = func(req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if req.Method == http.MethodGet || req.Method == http.MethodHead {
			r.reads = append(r.reads, req.Method+" "+req.URL.String())
		}
	}
}

var ids = regexp.MustCompile(`/releases/\d+$`)

func TestPlanIsWhatRunDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.asked = true
	env, q := w.env(journalIn(t))
	var seen requests
	seen.watch(q)
	before := w.witness()
	r, err := On(w.train("v0.2.0"), env).Plan(context.Background(), &env.Env)
	if err != nil || r.Trouble() != nil {
		t.Fatal(err, r.Trouble())
	}
	if len(seen.effects) > 0 || w.witness() != before {
		t.Errorf("planning wrote: %v", seen.effects)
	}
	var planned []string
	for _, s := range r.Steps {
		for _, e := range s.Effects {
			planned = append(planned, e.String())
		}
	}
	journal := journalIn(t)
	var did requests
	for range 12 {
		env, q := w.env(journal)
		did.watch(q)
		r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, yes)
		env.Journal.Close()
		if err != nil || r.Trouble() != nil {
			t.Fatal(err, r.Trouble())
		}
		if r.Complete() {
			break
		}
		w.play()
	}
	for i, e := range did.effects {
		did.effects[i] = ids.ReplaceAllString(e, "/releases/{id}")
	}
	slices.Sort(planned)
	slices.Sort(did.effects)
	if !slices.Equal(planned, did.effects) {
		t.Errorf("planned:\n%s\ndid:\n%s", strings.Join(planned, "\n"), strings.Join(did.effects, "\n"))
	}
	t.Logf("%d mutating requests, %d reads over HTTP", len(did.effects), len(did.reads))
}

func TestSecondRunOnlyLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	before, _ := os.ReadFile(journal)
	state := w.witness()
	env, q := w.env(journal)
	var seen requests
	seen.watch(q)
	r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{})
	if err != nil || !r.Complete() {
		t.Fatal(err, "not complete")
	}
	if len(seen.effects) > 0 {
		t.Errorf("mutating requests: %v", seen.effects)
	}
	if after, _ := os.ReadFile(journal); string(after) != string(before) || w.witness() != state {
		t.Error("a second run changed something")
	}
	slices.Sort(seen.reads)
	for i := 1; i < len(seen.reads); i++ {
		if seen.reads[i] == seen.reads[i-1] && !strings.HasSuffix(seen.reads[i], "/v2/") {
			t.Errorf("read twice: %s", seen.reads[i])
		}
	}
	t.Logf("%d reads over HTTP", len(seen.reads))
}

func TestUntilAndOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Only: "tag:picker"})
	if r.Of("tag:picker").State != Done || r.Of("sorter-pins-branch").State != Missing {
		t.Errorf("--only: %s, %s", r.Of("tag:picker").State, r.Of("sorter-pins-branch").State)
	}
	r, _ = once(t, w, w.train("v0.2.0"), journal, Choices{Until: "built:picker"})
	if r.Of("tag:picker").State != Done || r.Of("tag:sdk").State != Missing {
		t.Errorf("--until: %s, %s", r.Of("tag:picker").State, r.Of("tag:sdk").State)
	}
	env, _ := w.env(journal)
	if _, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Until: "nonsense"}); err == nil {
		t.Error("an unknown step is taken")
	}
}

// A looked is one look at an object, or the beginning of an act.
type looked struct {
	at     time.Time
	object string // "" = an act
}

// While it waits, a train asks for each thing at most once a minute: between
// two looks at the same thing lies a minute, or an act that may have changed it.
func TestWaitIsPatient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	env, q := w.env(journalIn(t))
	var mu sync.Mutex
	var all []looked
	see := func(object string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, looked{w.clock.Now(), object})
	}
	effects, reads := 0, 0
	q.Saw = func(wire.Effect) {
		see("")
		mu.Lock()
		defer mu.Unlock()
		effects++
	}
	q.Sent = func(req *http.Request) {
		if req.Method == http.MethodGet || req.Method == http.MethodHead {
			mu.Lock()
			reads++
			mu.Unlock()
			if !strings.HasSuffix(req.URL.Path, "/v2/") { // the registry's handshake
				see(req.Method + " " + req.URL.String())
			}
		}
	}
	env.Event = func(e Event) {
		if e.Doing {
			see("")
		}
	}
	refs := &countingGit{GitPort: env.Git, saw: func(repo string) { see("refs of " + repo) }}
	env.Git = refs
	naps := 0
	w.clock.On = func() {
		mu.Lock()
		naps++
		turn := naps%40 == 0
		mu.Unlock()
		if turn {
			w.play()
		}
	}
	pick := yes
	pick.Wait = true
	r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, pick)
	if err != nil || r.Trouble() != nil || !r.Complete() {
		t.Fatal(err, r.Trouble())
	}
	last, act, waits := map[string]looked{}, time.Time{}, 0
	late := map[string]bool{}  // the last look at the object came more than a minute after the one before
	early := 0                 // looks less than a minute after the one before
	acted := map[string]bool{} // since the last look at the object
	for _, l := range all {
		if l.object == "" {
			act = l.at
			for o := range last {
				acted[o] = true
			}
			continue
		}
		before, seen := last[l.object]
		switch gap := l.at.Sub(before.at); {
		case !seen || acted[l.object]:
		case strings.HasSuffix(l.object, "/manifests/stable"): // looked at again right before it is moved
		case gap < time.Minute && late[l.object]: // on a busy machine the clock goes on between the beginning of a look and its request
			late[l.object] = false
		case gap < time.Minute:
			early++
			t.Logf("looked again after %v, at %v (last act at %v): %s", gap, l.at, act, l.object)
		default:
			waits++
			late[l.object] = gap > time.Minute
		}
		last[l.object], acted[l.object] = l, false
	}
	if early > 5 { // a merge may be faster than a look, and steps that wake together may ask the same: without a memo there are hundreds
		t.Errorf("%d looks came within a minute of the one before", early)
	}
	if waits < 20 {
		t.Errorf("%d looks while waiting: too few to say anything", waits)
	}
	t.Logf("a full release in one run: %d mutating requests, %d other requests over HTTP, %d ls-remote; %d of the looks were waits", effects, reads, refs.n, waits)
	if effects != 19 || reads+refs.n-waits > 220 { // docs/release.md, "Requests"
		t.Error("more requests than stated")
	}
}
