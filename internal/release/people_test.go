package release

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// until runs the train until a step has a state, letting people act between.
func (w *world) until(journal, step string, want State) *Result {
	w.t.Helper()
	for range 12 {
		r, _ := once(w.t, w, w.train("v0.2.0"), journal, w.yes(journal))
		if r.Of(step).State == want {
			return r
		}
		w.play()
	}
	w.t.Fatalf("%s is never %s", step, want)
	return nil
}

// yes approves what is not approved yet.
func (w *world) yes(journal string) Choices {
	pick := yes
	if rs, err := ReadJournal(journal); err == nil && rs.Epoch().Last("approve:publish", steps.RecApprove) != nil {
		pick.Yes = nil
	}
	return pick
}

// stops wants a run to stop at a step and to say why and who can go on, and to
// change nothing.
func (w *world) stops(journal, step, says, who string) {
	w.t.Helper()
	before := w.witness()
	env, _ := w.env(journal)
	defer env.Journal.Close()
	r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Who: "rita"})
	if err != nil {
		w.t.Fatal(err)
	}
	if o := r.Of(step); o.State != Conflict || !strings.Contains(o.Text, says) || !strings.Contains(o.Who, who) {
		w.t.Errorf("%s is %s: %s (%s), want %q (%q)", step, o.State, o.Text, o.Who, says, who)
	}
	if after := w.witness(); after != before {
		w.t.Errorf("%s: the world was changed:\n%s\nbefore:\n%s", step, after, before)
	}
	if fs, err := On(w.train("v0.2.0"), env).Verify(context.Background(), &env.Env); err != nil || len(fs) == 0 {
		w.t.Errorf("%s: verify is green: %v", step, err)
	}
}

// set moves a ref of a repository, and returns what moves it back.
func (w *world) set(repo, ref, to string) (back func()) {
	bare := w.bare(repo)
	was := w.run(bare, "git", "rev-parse", ref)
	w.run(bare, "git", "update-ref", ref, to)
	return func() { w.run(bare, "git", "update-ref", ref, was) }
}

// People take back, turn round and overtake what a release has made: it stops,
// says what is to be done, does nothing a second time, and goes on when that is
// done. The forge shows what is new late, all the while.
func TestPeopleInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.forge.(*fakeForge)
	f.Late = 3
	journal := journalIn(t)
	const operator, catalog = "orchard/operator", "eco/community-operators"

	w.until(journal, "operator-merged", Waiting)
	picker := w.run(w.bare("orchard/picker"), "git", "rev-parse", "refs/tags/v1.1.0")
	w.run(w.bare("orchard/picker"), "git", "update-ref", "-d", "refs/tags/v1.1.0")
	w.stops(journal, "tag:picker", "was withdrawn since", "cfctl release approve v0.2.0 tag:picker")
	w.run(w.bare("orchard/picker"), "git", "update-ref", "refs/tags/v1.1.0", picker)
	pull := f.pullsTo(operator)[0]
	pull.Base = "dev"
	w.stops(journal, "operator-branch", "PR #2 goes to dev, and not to main", "make main its base")
	pull.Base = "main"

	for range 4 {
		r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Until: "operator-merged", Who: "rita"})
		if r.Of("operator-merged").State == Done {
			break
		}
		w.play()
	}
	back := w.set(operator, "refs/heads/main", "main^1")
	w.stops(journal, "tag:operator", "does not have that commit any more", "bring the commit back")
	back()

	w.until(journal, "catalog-merged", Waiting)
	if len(f.Releases) != 1 || len(f.Pulls) != 3 {
		t.Fatalf("%d releases, %d PRs of a forge whose lists are late", len(f.Releases), len(f.Pulls))
	}
	f.Releases[0].Draft = true
	w.stops(journal, steps.ReleaseStep, "was withdrawn since", "cfctl release approve v0.2.0 release")
	w.approve(t, journal, steps.ReleaseStep, false)
	w.until(journal, steps.ReleaseStep, Done)
	tag := w.run(w.bare(operator), "git", "rev-parse", "refs/tags/v0.2.0")
	w.run(w.bare(operator), "git", "update-ref", "-d", "refs/tags/v0.2.0")
	w.stops(journal, "tag:operator", "was withdrawn since", "restore it")
	w.run(w.bare(operator), "git", "update-ref", "refs/tags/v0.2.0", tag)

	between := strings.ReplaceAll(ourCSV, "0.2.0", "0.1.1")
	w.somebody(catalog, "main", "refs/heads/main", between, holding(strings.ReplaceAll(
		w.run(w.bare(catalog), "git", "show", "main:"+strings.ReplaceAll(ourCSV, "0.2.0", "0.1.0")), "0.1.0", "0.1.1")))
	w.stops(journal, "catalog-branch", "it replaces 0.1.0, and the catalog has 0.1.1 now", "cfctl release abort v0.2.0")
	w.abort(journal, 0)
	for range 12 {
		if r, _ := once(t, w, w.train("v0.2.0"), journal, w.yes(journal)); r.Complete() {
			break
		}
		w.play()
	}
	if csv := w.run(w.bare(catalog), "git", "show", "main:"+ourCSV); !strings.Contains(csv, "replaces: orchard-operator.v0.1.1") {
		t.Error("the release between is left out of the chain")
	}
	if n := len(f.Releases); n != 1 || len(w.chat.texts()) != 1 || len(w.mail.ids()) != 1 || len(f.Pulls) != 5 {
		t.Errorf("%d releases, %d messages, %d mails, %d PRs", n, len(w.chat.texts()), len(w.mail.ids()), len(f.Pulls))
	}
	asked := 0
	for _, line := range f.Log {
		if strings.HasPrefix(line, "POST ") && strings.HasSuffix(line, "/pulls") {
			asked++
		}
	}
	if asked != len(f.Pulls) {
		t.Errorf("asked %d times for %d PRs", asked, len(f.Pulls))
	}
	if notes := (&sprints{world: w}).verifiedAt(w.train("v0.2.0"), journal); len(notes) > 0 {
		t.Errorf("%q", notes)
	}
}

func (w *world) approve(t *testing.T, journal, step string, asserted bool) {
	t.Helper()
	env, _ := w.env(journal)
	defer env.Journal.Close()
	if err := On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, step, "rita", asserted); err != nil {
		t.Fatal(err)
	}
}

// A list of releases that is not there has not "no release" in it: none is made.
func TestHiddenReleasesAreNoAbsence(t *testing.T) {
	a := wiretest.NewAnswers(t, wiretest.Status(404, "Not Found"))
	g, _, _ := queuedTo(t, a.URL)
	if _, err := g.Release(context.Background(), "o/r", "v1.0.0"); err == nil || errors.Is(err, wire.ErrNotFound) {
		t.Errorf("a list that is refused: %v", err)
	}
}

// moody fails the first of every mutating request, each in another way: refused,
// lost on the way there, or on the way back.
type moody struct {
	mu   sync.Mutex
	seen map[string]bool
	n    int
}

func (m *moody) RoundTrip(req *http.Request) (*http.Response, error) {
	key := req.Method + " " + req.URL.String()
	m.mu.Lock()
	fresh := !m.seen[key] && req.Method != http.MethodGet && req.Method != http.MethodHead
	if m.seen[key] = true; fresh {
		m.n++
	}
	kind := m.n % 3
	m.mu.Unlock()
	if !fresh {
		return http.DefaultTransport.RoundTrip(req)
	}
	if kind == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if kind == 1 && !strings.Contains(req.URL.Path, "dispatches") {
		return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"message": "not today"}`)), Request: req}, nil
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		_ = res.Body.Close()
	}
	return nil, io.ErrUnexpectedEOF
}

// Every mutating request fails once: the actual state is the same in the end as if none
// had, and nothing is there twice.
func TestEveryRequestFailsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.forge.(*fakeForge)
	journal := journalIn(t)
	trip := &moody{seen: map[string]bool{}}
	var broken []string
	var r *Result
	for range 24 {
		env, q := w.env(journal)
		q.Base = trip
		var err error
		r, err = On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, w.yes(journal))
		env.Journal.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Trouble(); err != nil {
			broken = append(broken, err.Error())
			continue
		}
		if r.Complete() {
			break
		}
		if r.Of("announce:slack").State == Conflict {
			w.approve(t, journal, "announce:slack", len(w.chat.texts()) > 0)
		}
		w.play()
	}
	if !r.Complete() || len(broken) < 3 || trip.n < 9 {
		t.Fatalf("complete: %v; %d requests failed once, of which the train told %d: %q", r.Complete(), trip.n, len(broken), broken)
	}
	if len(f.Pulls) != 4 || len(f.Releases) != 1 || len(f.Runs) != 1 || len(w.chat.texts()) != 1 || len(w.mail.ids()) != 1 {
		t.Errorf("%s", w.state())
	}
	if slices.ContainsFunc(f.Pulls, func(p *forgetest.Pull) bool { return p.State == "open" }) || f.Releases[0].Draft {
		t.Errorf("not done: %s", w.state())
	}
	(&sprints{world: w}).verifiedAt(w.train("v0.2.0"), journal)
}
