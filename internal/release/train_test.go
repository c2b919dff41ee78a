package release

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
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

func TestJournalLost(t *testing.T) {
	w := newWorld(t)
	ride(t, w, sprint(w), journalIn(t))
	want := w.state()

	w = newWorld(t)
	journal := journalIn(t)
	train := w.train("v0.2.0")
	for _, s := range train.Steps() {
		if s.Approval {
			continue
		}
		for try := 0; ; try++ {
			if try == 5 {
				t.Fatalf("%s is never done", s.Name)
			}
			os.Remove(journal)
			env, _ := w.env(journal)
			if strings.HasPrefix(s.Name, "announce:slack") && try == 0 && len(w.chat.texts()) == 0 {
				// A person looks at the channel, and says that nothing is there.
				if err := Approve(context.Background(), train, env, s.Name, "rita", false); err != nil {
					t.Fatal(err)
				}
			}
			pick := Choices{Until: s.Name, Who: "rita"}
			if !train.reaches(s.Name, "tag:operator") {
				pick.Yes = yes.Yes
			}
			r, err := Run(context.Background(), train, env, pick)
			env.Journal.Close()
			if err != nil || r.Trouble() != nil {
				t.Fatal(err, r.Trouble())
			}
			if r.Of(s.Name).State == Done {
				break
			}
			w.play()
		}
	}
	w.play()
	if got := w.state(); got != want {
		t.Errorf("another world:\n%s\nwant:\n%s", got, want)
	}
}

// reaches says whether step comes before another.
func (t *Train) reaches(step, other string) bool {
	at := map[string]int{}
	for i, s := range t.Steps() {
		at[s.Name] = i
	}
	return at[step] < at[other]
}

func TestLostJournalAsksAboutSlack(t *testing.T) {
	w := newWorld(t)
	journal := journalIn(t)
	ride(t, w, sprint(w), journal)
	os.Remove(journal)
	env, _ := w.env(journal)
	r, err := Run(context.Background(), w.train("v0.2.0"), env, Choices{})
	if err != nil {
		t.Fatal(err)
	}
	if o := r.Of("announce:slack"); o.State != Conflict || !strings.Contains(o.Who, "--done") {
		t.Errorf("announce:slack is %s: %s", o.State, o.Text)
	}
	if n := len(w.chat.texts()); n != 1 {
		t.Errorf("%d messages", n)
	}
	if err := Approve(context.Background(), w.train("v0.2.0"), env, "announce:slack", "rita", true); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	if r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{}); !r.Complete() {
		t.Error("not complete after the assertion")
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

func TestVerifyFindsDrift(t *testing.T) {
	w := newWorld(t)
	journal := journalIn(t)
	ride(t, w, sprint(w), journal)
	verify := func() []string {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		fs, err := Verify(context.Background(), w.train("v0.2.0"), env)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, f := range fs {
			rules = append(rules, f.Rule)
		}
		return rules
	}
	if got := verify(); len(got) > 0 {
		t.Fatalf("findings on a fresh release: %v", got)
	}
	bare := w.bare("orchard/picker")
	was := w.run(bare, "git", "rev-parse", "refs/tags/v1.1.0")
	other := w.run(bare, "git", "commit-tree", "main^{tree}", "-m", "other")
	w.run(bare, "git", "update-ref", "refs/tags/v1.1.0", other)
	if got := verify(); !slices.Contains(got, "tag-moved") {
		t.Errorf("a moved tag: %v", got)
	}
	w.run(bare, "git", "update-ref", "refs/tags/v1.1.0", was)
	w.image("orchard/sorter", "another", "v0.4.0")
	if got := verify(); !slices.Contains(got, "image-retagged") {
		t.Errorf("an image pushed again: %v", got)
	}
	f := w.forge.(*fakeForge)
	f.releases[0].Body += "edited"
	if got := verify(); !slices.Contains(got, "notes-edited") {
		t.Errorf("edited notes: %v", got)
	}
	op := w.bare("orchard/operator")
	tree := w.run(op, "git", "rev-parse", "v0.1.0^{tree}")
	w.run(op, "git", "update-ref", "refs/heads/main", w.run(op, "git", "commit-tree", tree, "-p", "main", "-m", "back"))
	if got := verify(); !slices.Contains(got, "matrix-edited") {
		t.Errorf("an edited matrix: %v", got)
	}
}

func TestAbort(t *testing.T) {
	w := newWorld(t)
	journal := journalIn(t)
	for range 3 {
		once(t, w, w.train("v0.2.0"), journal, Choices{})
		if len(w.forge.(*fakeForge).pulls) > 0 {
			break
		}
		w.play()
	}
	env, _ := w.env(journal)
	defer env.Journal.Close()
	a, err := Abort(context.Background(), w.train("v0.2.0"), env, "rita")
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Undone) != 2 || len(a.Stays) != 3 {
		t.Errorf("undone %q, stays %q", a.Undone, a.Stays)
	}
	if p := w.forge.(*fakeForge).pulls[0]; p.state != "closed" {
		t.Error("the PR is open")
	}
	heads, _ := git.ListHeads(context.Background(), w.git+"/orchard/operator.git")
	if _, there := heads.Branches["cfctl/release-v0.2.0"]; there {
		t.Error("the branch is there")
	}
	if s, _ := ReadStatus("v0.2.0", env.Journal.Records()); s.State != "aborted" {
		t.Errorf("status %s", s.State)
	}
	again, err := Abort(context.Background(), w.train("v0.2.0"), env, "rita")
	if err != nil || len(again.Undone) != 0 {
		t.Errorf("a second abort: %v %v", again, err)
	}
}

func TestHotfix(t *testing.T) {
	w := newWorld(t)
	ride(t, w, sprint(w), journalIn(t))
	for _, repo := range []string{"orchard/picker", "orchard/operator"} {
		minor := map[string]string{"orchard/picker": "v1.1", "orchard/operator": "v0.2"}[repo]
		bare := w.bare(repo)
		fix := w.run(bare, "git", "commit-tree", minor+".0^{tree}", "-p", minor+".0^{commit}", "-m", "Fix the ladder")
		w.run(bare, "git", "update-ref", "refs/heads/release-"+minor, fix)
	}
	journal := journalIn(t)
	env, _ := w.env(journalIn(t))
	base := w.train("v0.2.0")
	hotfix := func() *Train {
		train, err := NewHotfix(context.Background(), base.Stack, base.Recipe, env.Git, "picker", "v0.2.0", "release-{minor}", base.Versions)
		if err != nil {
			t.Fatal(err)
		}
		train.Bundle = testBundle
		return train
	}
	train := hotfix()
	if train.Version != "v0.2.1" || train.Versions["picker"] != "v1.1.1" || train.Versions["sorter"] != "v0.4.0" {
		t.Fatalf("versions %v", train.Versions)
	}
	fixes, err := train.Fixes(context.Background(), env.Git.(*Remotes))
	if err != nil || len(fixes["picker"]) != 1 || !strings.HasSuffix(fixes["picker"][0], "Fix the ladder") {
		t.Errorf("fixes %v %v", fixes, err)
	}
	r := ride(t, w, func() *Train { return train }, journal)
	if r.Of("tag:sorter") != nil || r.Of("tag:picker") == nil {
		t.Error("a hotfix releases the component and the root alone")
	}
	main := w.run(w.bare("orchard/operator"), "git", "show", "main:Makefile")
	branch := w.run(w.bare("orchard/operator"), "git", "show", "release-v0.2:Makefile")
	if !strings.Contains(branch, "PICKER_VERSION ?= v1.1.1") || strings.Contains(main, "v1.1.1") {
		t.Errorf("branch:\n%s\nmain:\n%s", branch, main)
	}
}

// A hotfix of an old line leaves the stable tag where it is.
func TestStableNeverGoesBack(t *testing.T) {
	w := newWorld(t)
	bare := w.bare("orchard/picker")
	w.run(bare, "git", "tag", "v9.0.0", "main")
	w.image("orchard/picker", "v9.0.0", "stable")
	env, _ := w.env(journalIn(t))
	train := w.train("v0.2.0")
	v := newView(train, env)
	c, _ := train.Stack.Component("picker")
	for _, what := range []string{"a tag in git", "an image alone"} {
		o, err := stepStable(train, c, nil).Observe(context.Background(), v)
		if err != nil || o.State != Done || o.Facts["kept"] != "v9.0.0" {
			t.Errorf("%s: %v %v", what, o, err)
		}
		if what == "a tag in git" {
			w.run(bare, "git", "tag", "-d", "v9.0.0")
		}
		v.forget()
	}
	// The last look before the write says no, too.
	w.image("orchard/picker", "v1.1.0")
	if _, err := env.Images.Promote(context.Background(), c, "v1.1.0", ""); err == nil || !strings.Contains(err.Error(), "never moved to a lower version") {
		t.Error(err)
	}
}

// A killer ends a run at the n-th chance: everything after it fails, as after
// kill -9.
type killer struct {
	mu     sync.Mutex
	n, at  int // chances so far; the one to take, 0 = none
	dead   bool
	cancel context.CancelFunc
}

var errKilled = errors.New("killed")

// chance is called before and after everything that can be seen from outside.
func (k *killer) chance() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return errKilled
	}
	k.n++
	if k.n == k.at {
		k.dead = true
		k.cancel()
		return errKilled
	}
	return nil
}

type killerLog struct {
	Log
	k *killer
}

func (l *killerLog) Append(ctx context.Context, r Record) error {
	if err := l.k.chance(); err != nil {
		return err
	}
	if err := l.Log.Append(ctx, r); err != nil {
		return err
	}
	return l.k.chance()
}

type killerTrip struct{ k *killer }

func (r *killerTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return http.DefaultTransport.RoundTrip(req)
	}
	if err := r.k.chance(); err != nil {
		return nil, err
	}
	// What is on its way arrives, whatever happens to who sent it.
	res, err := http.DefaultTransport.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
	if kerr := r.k.chance(); kerr != nil {
		return nil, kerr
	}
	return res, err
}

type killerGit struct {
	GitPort
	k *killer
}

func (g *killerGit) Push(ctx context.Context, repo, objects string, u ...git.Update) error {
	return g.around(func() error { return g.GitPort.Push(context.WithoutCancel(ctx), repo, objects, u...) })
}

func (g *killerGit) Tag(ctx context.Context, repo, tag, commit, message string, sign bool) error {
	return g.around(func() error {
		return g.GitPort.Tag(context.WithoutCancel(ctx), repo, tag, commit, message, sign)
	})
}

func (g *killerGit) around(f func() error) error {
	if err := g.k.chance(); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return g.k.chance()
}

type killerMail struct {
	Mailer
	k *killer
}

func (m *killerMail) Send(ctx context.Context, msg Message) error {
	if err := m.k.chance(); err != nil {
		return err
	}
	if err := m.Mailer.Send(context.WithoutCancel(ctx), msg); err != nil {
		return err
	}
	return m.k.chance()
}

// rideKilled rides with one kill on the way, and returns how many chances to
// kill there were in all.
func rideKilled(t *testing.T, w *world, at int) int {
	t.Helper()
	journal := journalIn(t)
	k := &killer{at: at}
	for range 14 {
		ctx, cancel := context.WithCancel(context.Background())
		k.mu.Lock()
		k.cancel, k.dead = cancel, false
		k.mu.Unlock()
		env, q := w.env(journal)
		q.Base = &killerTrip{k}
		file := env.Journal
		env.Journal, env.Git, env.Mail = &killerLog{file, k}, &killerGit{env.Git, k}, &killerMail{env.Mail, k}
		pick := yes
		if file.Records().Last("approve:publish", recApprove) != nil {
			pick.Yes = nil
		}
		r, err := Run(ctx, w.train("v0.2.0"), env, pick)
		killed := k.dead
		file.Close()
		cancel()
		if killed {
			continue // begun again at once, by the next go round
		}
		if err != nil {
			t.Fatal(err)
		}
		if o := r.Of("announce:slack"); o != nil && o.State == Conflict {
			// The one question that only a person can answer.
			env, _ := w.env(journal)
			if err := Approve(context.Background(), w.train("v0.2.0"), env, "announce:slack", "rita", len(w.chat.texts()) > 0); err != nil {
				t.Fatal(err)
			}
			env.Journal.Close()
			continue
		}
		if err := r.Trouble(); err != nil {
			t.Fatal(err)
		}
		if r.Complete() {
			return k.n
		}
		w.play()
	}
	t.Fatalf("killed at %d, the train does not arrive", at)
	return 0
}

// TestKilledEverywhere kills the train before and after every journal record
// and every mutating request. The full sweep is CFCTL_KILL=all; else every
// 30th point.
func TestKilledEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("a sweep")
	}
	w := newWorld(t)
	points := rideKilled(t, w, 0)
	want := w.state()
	stride := 30
	if os.Getenv("CFCTL_KILL") == "all" {
		stride = 1
	}
	tried := 0
	for at := 1; at <= points; at += stride {
		tried++
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			rideKilled(t, w, at)
			if got := w.state(); got != want {
				t.Errorf("killed at %d: another world\n%s\nwant\n%s", at, got, want)
			}
		})
	}
	t.Logf("killed at %d of %d points", tried, points)
}

// countingGit counts how often remotes are asked for their refs.
type countingGit struct {
	GitPort
	mu sync.Mutex
	n  int
}

func (g *countingGit) Heads(ctx context.Context, repo string) (git.Heads, error) {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
	return g.GitPort.Heads(ctx, repo)
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
