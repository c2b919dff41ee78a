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

	"github.com/project-codeflare/cfctl/internal/report"
)

var yes = Choices{Yes: []string{"approve:publish"}, Who: "rita"}

// once runs the train once, and fails the test on anything but progress.
func once(t testing.TB, w *world, train *Train, journal string, pick Choices) (*Result, *Queue) {
	t.Helper()
	env, q := w.env(journal)
	defer env.Journal.Close()
	r, err := Run(context.Background(), train, env, pick)
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

// ride runs the train, letting people act between, until it is complete.
func ride(t testing.TB, w *world, train func() *Train, journal string) *Result {
	t.Helper()
	for range 12 {
		r, _ := once(t, w, train(), journal, yes)
		if r.Complete() {
			return r
		}
		w.play()
	}
	t.Fatal("the train does not arrive")
	return nil
}

func sprint(w *world) func() *Train { return func() *Train { return w.train("v0.2.0") } }

func journalIn(t testing.TB) string { return filepath.Join(t.TempDir(), "v0.2.0.jsonl") }

// requests gathers what a queue lets through.
type requests struct {
	mu      sync.Mutex
	effects []string
	reads   []string
}

func (r *requests) watch(q *Queue) {
	q.Saw = func(e Effect) {
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
	w := newWorld(t)
	env, q := w.env(journalIn(t))
	var seen requests
	seen.watch(q)
	before := w.state()
	r, err := Plan(context.Background(), w.train("v0.2.0"), env)
	if err != nil || r.Trouble() != nil {
		t.Fatal(err, r.Trouble())
	}
	if len(seen.effects) > 0 || w.state() != before {
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
		r, err := Run(context.Background(), w.train("v0.2.0"), env, yes)
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
	w := newWorld(t)
	journal := journalIn(t)
	ride(t, w, sprint(w), journal)
	before, _ := os.ReadFile(journal)
	state := w.state()
	env, q := w.env(journal)
	var seen requests
	seen.watch(q)
	began := time.Now()
	r, err := Run(context.Background(), w.train("v0.2.0"), env, Choices{})
	if err != nil || !r.Complete() {
		t.Fatal(err, "not complete")
	}
	took := time.Since(began)
	if len(seen.effects) > 0 {
		t.Errorf("mutating requests: %v", seen.effects)
	}
	if after, _ := os.ReadFile(journal); string(after) != string(before) || w.state() != state {
		t.Error("a second run changed something")
	}
	slices.Sort(seen.reads)
	for i := 1; i < len(seen.reads); i++ {
		if seen.reads[i] == seen.reads[i-1] && !strings.HasSuffix(seen.reads[i], "/v2/") {
			t.Errorf("read twice: %s", seen.reads[i])
		}
	}
	t.Logf("%d reads over HTTP in %v", len(seen.reads), took)
	if took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestUntilAndOnly(t *testing.T) {
	w := newWorld(t)
	journal := journalIn(t)
	r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Only: "tag:picker"})
	if r.Of("tag:picker").State != Done || r.Of("tag:sorter").State != Missing {
		t.Errorf("--only: %s, %s", r.Of("tag:picker").State, r.Of("tag:sorter").State)
	}
	r, _ = once(t, w, w.train("v0.2.0"), journal, Choices{Until: "built:picker"})
	if r.Of("tag:picker").State != Done || r.Of("tag:sdk").State != Missing {
		t.Errorf("--until: %s, %s", r.Of("tag:picker").State, r.Of("tag:sdk").State)
	}
	env, _ := w.env(journal)
	if _, err := Run(context.Background(), w.train("v0.2.0"), env, Choices{Until: "nonsense"}); err == nil {
		t.Error("an unknown step is taken")
	}
}

// While it waits, a train asks for each thing at most once a minute.
func TestWaitIsPatient(t *testing.T) {
	w := newWorld(t)
	journal := journalIn(t)
	env, q := w.env(journal)
	var seen requests
	seen.watch(q)
	c := w.clock
	var mu sync.Mutex
	naps := 0
	c.on = func() {
		mu.Lock()
		defer mu.Unlock()
		if naps++; naps%8 == 0 {
			w.play()
		}
	}
	began := c.Now()
	pick := yes
	pick.Wait = true
	r, err := Run(context.Background(), w.train("v0.2.0"), env, pick)
	if err != nil || r.Trouble() != nil || !r.Complete() {
		t.Fatal(err, r.Trouble())
	}
	minutes := int(c.Now().Sub(began).Minutes()) + 1
	count := map[string]int{}
	for _, read := range seen.reads {
		count[read]++
	}
	for read, n := range count {
		if n > minutes+6 && !strings.HasSuffix(read, "/v2/") {
			t.Errorf("%d times in %d minutes: %s", n, minutes, read)
		}
	}
	t.Logf("a full release with waits of %d minutes: %d mutating requests, %d reads over HTTP", minutes, len(seen.effects), len(seen.reads))
}
