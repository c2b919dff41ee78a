package campaign

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// claims has a worker write a result, in the place of the one that is there.
func (w *world) claims(p *Plan, r Result) {
	w.t.Helper()
	at, err := w.open().ref(w.t.Context(), "shards/0000")
	if err != nil {
		w.t.Fatal(err)
	}
	out := &writer{ref: at, plan: p.Commit}
	if err := errors.Join(out.add(w.t.Context(), &r), out.flush(w.t.Context())); err != nil {
		w.t.Fatal(err)
	}
}

// TestOpenerMakesTheChangeItself has a worker change its result in every way: the
// opener pushes no commit but the one that it makes of the base itself.
func TestOpenerMakesTheChangeItself(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	const name = "acme/r00"
	p := w.plan()
	w.work(p)
	good := *w.result(p, name)
	head := good.Base
	// Commits that are in the repository already, where a worker can have put them.
	theirs := w.commit(name, "side", map[string]string{"a.yaml": "evil\n"})
	tree := w.git(w.bare(name), "rev-parse", good.Base+"^{tree}")
	alike := w.git(w.bare(name), "-c", "user.name=Robot", "-c", "user.email=robot@example.com", "commit-tree", "-p", good.Base, "-m", p.Message(), tree)
	for what, change := range map[string]func(r *Result){
		"another commit":         func(r *Result) { r.Commit = theirs },
		"a commit of the author": func(r *Result) { r.Commit = alike },
		"no commit":              func(r *Result) { r.Commit = strings.Repeat("b", 40) },
		"an option":              func(r *Result) { r.Commit = "--all" },
		"no hash":                func(r *Result) { r.Commit = "" },
		"another base":           func(r *Result) { r.Base = theirs },
		"a base that is not":     func(r *Result) { r.Base = strings.Repeat("a", 40) },
		"a base that is none":    func(r *Result) { r.Base = "main" },
		"another branch":         func(r *Result) { r.Branch = "side" },
		"no branch":              func(r *Result) { r.Branch = "x y" },
		"no files":               func(r *Result) { r.Paths = nil },
	} {
		r := good
		change(&r)
		w.claims(p, r)
		w.run(p)
		if stage := w.stages()[name]; len(w.forge.Pulls) != 0 || w.forge.Head(name, p.Branch()) != "" || stage != Blocked && stage != Stale {
			t.Errorf("%s: %s, %d pull requests, the branch is at %q", what, stage, len(w.forge.Pulls), w.forge.Head(name, p.Branch()))
		}
	}
	// What is text and numbers comes into no pull request.
	r := good
	r.Proven, r.Files, r.Review, r.Faults = 9999, -7, 9999, 9999
	r.Paths = []string{".github/CODEOWNERS"}
	r.Owners = []string{"@everyone <!-- cfctl-campaign groups x -->", "[click](https://evil.example)", "@evil"}
	r.ToReview = []string{"`a` <img src=x>\n\n<!-- cfctl-campaign groups 0000 -->"}
	w.claims(p, r)
	if n := w.run(p); n != 1 {
		t.Fatalf("opened %d: %v", n, w.stages())
	}
	body := w.forge.Newest(name).Body
	if strings.Contains(body, "9999") || strings.Contains(body, "evil") || strings.Contains(body, "-7") || strings.Count(body, "<!--") != 1 || !strings.Contains(body, "1 places in 1 files") {
		t.Errorf("the pull request says:\n%s", body)
	}
	if got := w.forge.Head(name, p.Branch()); got != good.Commit {
		t.Errorf("pushed %s, want %s", got, good.Commit)
	}
	if got := w.forge.Head(name, "main"); got != head {
		t.Error("the default branch has moved")
	}
}

// TestOpenerOfAnotherVersionPushesNothing has an opener that reads a repository's
// configuration otherwise, as another version of cfctl could.
func TestOpenerOfAnotherVersionPushesNothing(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	w.commit("acme/r00", "main", map[string]string{".cfctl.yaml": "x\n", "b.yaml": oldManifest})
	p := w.plan()
	w.work(p)
	read := func([]byte) (Acknowledged, error) { return Acknowledged{Exclude: []string{"b.yaml"}}, nil }
	w.run(p, func(o *Open) { o.Read = read })
	st, err := Count(t.Context(), w.open())
	if err != nil || len(w.forge.Pulls) != 0 || st.Rows[0].State != string(Blocked) || !strings.Contains(st.Rows[0].Text, "the opener does not make the same change of "+short(w.result(p, "acme/r00").Base)) {
		t.Errorf("%+v, %v", st, err)
	}
	if n := w.run(p); n != 1 { // the right one goes on
		t.Errorf("opened %d, %v", n, w.stages())
	}
}

// TestWorkflowsNeedAFlag changes files that the forge runs, whatever the worker
// names as its paths.
func TestWorkflowsNeedAFlag(t *testing.T) {
	w := newWorld(t)
	for i, folder := range append(slices.Clone(workflows), ".github/") {
		name := fmt.Sprintf("acme/w%d", i)
		w.commit(name, "main", map[string]string{folder + "ci.yaml": "# see " + "mcad.ibm.com/v1beta1\n" + oldManifest})
		w.forge.Add(name)
	}
	p := w.plan()
	w.work(p)
	lies := *w.result(p, "acme/w1")
	lies.Paths = []string{"README.md"}
	w.claims(p, lies)
	if n := w.run(p); n != 1 {
		t.Errorf("opened %d without the flag", n)
	}
	for name, want := range map[string]Stage{"acme/w0": Blocked, "acme/w1": Blocked, "acme/w2": Blocked, "acme/w3": Opened} {
		if got := w.stages()[name]; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	st, err := Count(t.Context(), w.open())
	if err != nil || !slices.ContainsFunc(st.Rows, func(r Row) bool { return strings.Contains(r.Text, "--workflows") }) {
		t.Errorf("%+v, %v", st, err)
	}
	if n := w.run(p, func(o *Open) { o.Workflows = true }); n != 3 {
		t.Errorf("opened %d with the flag: %v", n, w.stages())
	}
}

// TestResultsAreBounded reads results that no worker of cfctl writes.
func TestResultsAreBounded(t *testing.T) {
	long := strings.Repeat("x", 5000)
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf("@user%d", i)
	}
	r := readResult("shards/0000", "1", encode(&Result{Key: "1", Name: "acme/\x1b[31mr\n", Digest: "d", State: Trouble, Class: Class(long), Text: long + "\n\x07", Written: "<b>yesterday",
		ToReview: append(slices.Clone(many), long), Owners: append([]string{"@a b", "x@y", "@a/b/c", "@ok/team", "<script>"}, many...), Proven: -1, Files: -1}))
	if len(r.Class) > 300 || len(r.Text) > 300 || r.Written != "" || len(r.ToReview) != maxToReview || len(r.Owners) != maxOwners || r.Owners[0] != "@ok/team" || r.Proven != 0 || strings.ContainsAny(r.Name+r.Text, "\n\x07\x1b") {
		t.Errorf("%+v", r)
	}
	if r := readResult("s", "1", encode(&Result{Key: "2", State: Changed})); r.Class != Unreadable || r.Key != "1" {
		t.Errorf("of another repository: %+v", r)
	}
	if r := readResult("s", "1", slices.Concat([]byte(`{"key": "1", "state": "nothing"`), make([]byte, maxResult))); r.Class != Unreadable {
		t.Errorf("a large one: %s", r.Class)
	}
	if at := stamp(time.Unix(0, 0)); readResult("s", "1", encode(&Result{Key: "1", State: Nothing, Written: at})).Written != at {
		t.Error("the time of a result is lost")
	}
}
