package campaign

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestWorkLeavesAResultForEach evaluates repositories of every kind: none stops
// the others, and a second run finds that all results still hold.
func TestWorkLeavesAResultForEach(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	w.commit("acme/clean", "main", map[string]string{"README.md": "nothing\n"})
	w.commit("acme/owned", "main", map[string]string{"deep/x.yaml": oldManifest, ".github/CODEOWNERS": "* @acme/platform evil@example.com\n/docs @x\n",
		"code.go": "package x\n\nvar s = \"mcad.ibm.com/\" + v // what follows is not known\n", "vendor/y.yaml": oldManifest})
	w.commit("acme/large", "main", map[string]string{"a.yaml": oldManifest, "big.yaml": "# " + strings.Repeat("x", leanLimit) + "\n" + oldManifest, "big.png": strings.Repeat("x", leanLimit+1)})
	w.commit("acme/settled", "main", map[string]string{"a.yaml": oldManifest, ".cfctl.yaml": "bad"})
	for _, name := range []string{"clean", "owned", "large", "settled", "gone"} {
		w.forge.Add("acme/" + name)
	}
	w.git(".", "init", "-q", "--bare", "-b", "main", w.bare("acme/hollow"))
	w.forge.Add("acme/hollow")
	p := w.plan()
	read := func(data []byte) (Acknowledged, error) {
		if string(data) == "bad" {
			return Acknowledged{}, errors.New("line 1: no map")
		}
		return Acknowledged{}, nil
	}
	run := func() Worked {
		done, err := (&Work{Store: w.open(), Jobs: 2, Read: read}).Shard(t.Context(), p, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if done := run(); done != (Worked{Repositories: 9, Changed: 5, Nothing: 2, Trouble: 2}) {
		t.Errorf("%+v", done)
	}
	before := w.git(w.store, "for-each-ref")
	if done := run(); done != (Worked{Repositories: 9, Held: 8, Trouble: 1}) {
		t.Errorf("again: %+v", done)
	}
	if after := w.git(w.store, "for-each-ref"); after != before {
		t.Errorf("a second run has written: %s, and %s", before, after)
	}
	for name, want := range map[string]struct {
		state State
		class Class
		paths string
	}{
		"acme/r01": {Changed, "", "a.yaml"}, "acme/clean": {Nothing, "", ""}, "acme/hollow": {Nothing, "", ""}, "acme/owned": {Changed, "", "deep/x.yaml"},
		"acme/large": {Changed, "", "a.yaml big.yaml"}, "acme/settled": {Trouble, Settings, ""}, "acme/gone": {Trouble, Gone, ""},
	} {
		r := w.result(p, name)
		if got := strings.Join(r.Paths, " "); r.State != want.state || r.Class != want.class || got != want.paths {
			t.Errorf("%s: %s %s %q %s", name, r.State, r.Class, got, r.Text)
		}
	}
	if r := w.result(p, "acme/owned"); strings.Join(r.Owners, " ") != "@acme/platform" || r.Proven == 0 {
		t.Errorf("%+v", r)
	}
	w.commit("acme/r01", "main", map[string]string{"b.yaml": oldManifest})
	if done := run(); done.Changed != 1 || done.Held != 7 {
		t.Errorf("after a commit: %+v", done)
	}
}

// TestWorkSaysWhatItCannotRead has repositories that are there, and whose default
// branch cannot be read: none of them has nothing that moves.
func TestWorkSaysWhatItCannotRead(t *testing.T) {
	w := newWorld(t)
	w.commit("acme/headless", "trunk", map[string]string{"a.yaml": oldManifest})
	w.git(".", "init", "-q", "--bare", "-b", "main", "--object-format=sha256", w.bare("acme/long"))
	tree := w.git(w.bare("acme/long"), "hash-object", "-t", "tree", "-w", os.DevNull)
	w.git(w.bare("acme/long"), "update-ref", "refs/heads/main", w.git(w.bare("acme/long"), "commit-tree", "-m", "x", tree))
	w.forge.Add("acme/headless")
	w.forge.Add("acme/long")
	p := w.plan()
	w.work(p)
	for name, want := range map[string]Class{"acme/headless": Headless, "acme/long": Format} {
		if r := w.result(p, name); r.State != Trouble || r.Class != want {
			t.Errorf("%s: %s %s: %s", name, r.State, r.Class, r.Text)
		}
	}
	w.git(w.bare("acme/headless"), "symbolic-ref", "HEAD", "refs/heads/trunk")
	if done := w.work(p); done.Changed != 1 || done.Held != 1 {
		t.Errorf("with its default branch: %+v", done)
	}
}

// TestOddNamesAreMigrated has names of files that git takes.
func TestOddNamesAreMigrated(t *testing.T) {
	w := newWorld(t)
	w.commit("acme/odd", "main", map[string]string{"a.yaml": oldManifest, "new\nline.yaml": oldManifest, "byte\xff.yaml": oldManifest, "back\\slash.yaml": oldManifest, "tab\t\"quote\".yaml": oldManifest})
	w.forge.Add("acme/odd")
	p := w.plan()
	w.work(p)
	if r := w.result(p, "acme/odd"); r.State != Changed || len(r.Paths) != 5 {
		t.Errorf("%s %s: %q %s", r.State, r.Class, r.Paths, r.Text)
	}
	w.run(p)
	if w.forge.Newest("acme/odd") == nil {
		t.Error("it is not opened")
	}
}

// TestWorkersMakeTheSameCommit evaluates the same repositories twice, into two
// stores, in shards of different sizes.
func TestWorkersMakeTheSameCommit(t *testing.T) {
	w := newWorld(t)
	w.seed(2)
	w.commit("acme/r01", "main", map[string]string{"b.yaml": oldManifest})
	p := w.plan()
	w.work(p)
	one := []*Result{w.result(p, "acme/r00"), w.result(p, "acme/r01")}
	w.store += "2"
	if err := git.MakeBare(w.store); err != nil {
		t.Fatal(err)
	}
	p = w.plan()
	for i := range 3 {
		if _, err := (&Work{Store: w.open()}).Shard(t.Context(), p, i, 3); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"acme/r00", "acme/r01"} {
		r := w.result(p, name)
		if r.Commit == "" || r.Commit != one[i].Commit {
			t.Errorf("%s: %s, and %s", name, one[i].Commit, r.Commit)
		}
	}
}

// TestCommitIsMigratedLikeACheckout migrates the same files both ways.
func TestCommitIsMigratedLikeACheckout(t *testing.T) {
	w := newWorld(t)
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: appwrappers.mcad.ibm.com\nspec:\n  group: mcad.ibm.com\n  names: {kind: AppWrapper, plural: appwrappers}\n"
	w.commit("acme/a", "main", map[string]string{"crd/mcad.ibm.com_appwrappers.yaml": crd, "kustomization.yaml": "resources:\n- crd/mcad.ibm.com_appwrappers.yaml\n"})
	w.forge.Add("acme/a")
	p := w.plan()
	w.work(p)
	r := w.result(p, "acme/a")
	if got := strings.Join(r.Paths, " "); got != "crd/mcad.ibm.com_appwrappers.yaml crd/workload.codeflare.dev_appwrappers.yaml kustomization.yaml" {
		t.Errorf("%q %s", got, r.Text)
	}
}

// TestKilledWorkGoesOn ends work after each of its writes; the run after it
// evaluates what is not in the store, and no more.
func TestKilledWorkGoesOn(t *testing.T) {
	w := newWorld(t)
	w.seed(3)
	p := w.plan()
	s := w.open()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := (&Work{Store: s, Jobs: 1, Told: func(*Result) {
		if n++; n == 2 {
			cancel()
		}
	}}).Shard(ctx, p, 0, 1)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if done := w.work(p); done.Held+done.Changed != 3 || done.Held < 1 {
		t.Errorf("%+v", done)
	}
	if done := w.work(p); done.Held != 3 {
		t.Errorf("%+v", done)
	}
}

// TestTwoWritersOfAShardLoseNothing has two processes write one ref.
func TestTwoWritersOfAShardLoseNothing(t *testing.T) {
	w := newWorld(t)
	w.seed(2)
	p := w.plan()
	a, b := w.open(), w.open()
	for _, s := range []*Store{a, b} {
		at, err := s.ref(t.Context(), "shards/0000")
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			out := &writer{ref: at, plan: p.Commit}
			key := map[*Store]string{a: p.Repositories[0].Key, b: p.Repositories[1].Key}[s]
			if err := errors.Join(out.add(t.Context(), &Result{Key: key, Name: "x", Digest: p.Digest()}), out.flush(t.Context())); err != nil {
				t.Error(err)
			}
			all, err := w.open().Results(t.Context(), p)
			if want := map[*Store]int{b: 1, a: 2}[s]; err != nil || len(all) != want {
				t.Errorf("%d results, %v", len(all), err)
			}
		}()
	}
}

// TestWorkOfAnEarlierPlanIsNotWrittenOver has a worker that is still under way
// when the campaign is planned again, and evaluated by another worker.
func TestWorkOfAnEarlierPlanIsNotWrittenOver(t *testing.T) {
	w := newWorld(t)
	w.seed(2)
	p := w.plan()
	var next *Plan
	_, err := (&Work{Store: w.open(), Jobs: 1, Told: func(*Result) {
		if next == nil {
			next = w.plan(func(p *Plan) { p.Title = "Another" })
			w.work(next)
		}
	}}).Shard(t.Context(), p, 0, 1)
	if !errors.Is(err, errReplanned) {
		t.Error(err)
	}
	for _, name := range []string{"acme/r00", "acme/r01"} {
		if r := w.result(next, name); r.Digest != next.Digest() {
			t.Errorf("%s is evaluated by the earlier plan", name)
		}
	}
}

// TestShardsHaveEachRepositoryOnce and none has much more than another.
func TestShardsHaveEachRepositoryOnce(t *testing.T) {
	p := &Plan{}
	var total int64
	for i := range 100 {
		p.Repositories = append(p.Repositories, Repository{Key: keyOfID(int64(i)), Name: keyOfID(int64(i)), Weight: int64(i * i)})
		total += int64(i*i) + 1
	}
	p.sort()
	for _, of := range []int{1, 7, 64, 200} {
		seen := map[string]int{}
		for i := range of {
			mine, err := p.Shard(i, of)
			if err != nil {
				t.Fatal(err)
			}
			var load int64
			for _, r := range mine {
				seen[r.Key]++
				load += r.Weight + 1
			}
			if most := total/int64(of) + 99*99 + 1; load > most {
				t.Errorf("shard %d of %d has %d, more than %d", i, of, load, most)
			}
		}
		if len(seen) != 100 {
			t.Errorf("%d shards have %d repositories", of, len(seen))
		}
	}
	if _, err := p.Shard(3, 3); err == nil {
		t.Error("shard 3 of 3")
	}
}

// TestPlanLeavesOutByReason has a repository for each reason.
func TestPlanLeavesOutByReason(t *testing.T) {
	p := &Plan{Servers: Servers{Git: "https://forge.invalid"}}
	p.Choose([]forge.Repository{
		{ID: 1, Name: "a/ok", Size: 1}, {ID: 1, Name: "a/ok", Size: 1}, {ID: 2, Name: "a/archived", Size: 1, Archived: true}, {ID: 3, Name: "a/disabled", Size: 1, Disabled: true},
		{ID: 4, Name: "a/empty"}, {ID: 5, Name: "a/fork", Size: 1, Fork: true}, {ID: 6, Name: "a/mirror", Size: 1, Mirror: true}, {ID: 7, Name: "a/template", Size: 1, Template: true},
		{ID: 8, Name: "a/topic", Size: 1, Topics: []string{"x", "cfctl-skip"}}, {ID: 9, Name: "a/out", Size: 1}, {ID: 9, Name: "a/same", Size: 1}, {ID: 10, Name: "a/big", Size: 100},
	}, Filters{Exclude: []string{"a/o*t"}, MaxSize: 50})
	var got []string
	for _, l := range p.LeftOut {
		got = append(got, strings.TrimPrefix(l.Name, "a/")+"="+l.Reason)
	}
	want := "archived=archived big=too large disabled=disabled empty=empty fork=a fork mirror=a mirror out=excluded same=it has the number of a/out template=a template topic=topic cfctl-skip"
	if strings.Join(got, " ") != want || len(p.Repositories) != 1 || p.Repositories[0].URL != "https://forge.invalid/a/ok.git" {
		t.Errorf("%q, %v", got, p.Repositories)
	}
}

// TestListsOfRepositories reads names and URLs, and no secrets.
func TestListsOfRepositories(t *testing.T) {
	list, err := ReadList([]byte("# all\nacme/a\n\nhttps://git.example.com/x.git # b\n"))
	if err != nil || len(list) != 2 || list[0].Name != "acme/a" || list[1].URL != "https://git.example.com/x.git" || list[1].Line != 4 {
		t.Errorf("%v, %v", list, err)
	}
	for _, bad := range []string{"acme", "a/b/c", "../x", "-a/b", "https://user:secret@git.example.com/x.git", "ext::sh://x"} {
		if _, err := ReadList([]byte(bad + "\n")); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// oneNamed is a forge that knows one repository.
func oneNamed(t *testing.T) *github.Client {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id": 1, "full_name": "acme/r00", "size": 1}`)
	}))
	t.Cleanup(server.Close)
	client, err := github.New(server.URL, func() string { return "" }, &wire.Queue{Now: time.Now, Sleep: wire.Sleep})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestOneRepositoryIsListedTwice lists repositories by name and by URL: each is counted once, as the forge knows it
// where it does.
func TestOneRepositoryIsListedTwice(t *testing.T) {
	text := `acme/r00
https://git.example.com/acme/r00.git
https://other.example.com/x/y.git
https://other.example.com/x/y
https://git.example.com/acme/elsewhere
`
	list, err := ReadList([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Servers: Servers{Git: "https://git.example.com"}}
	if err := p.ChooseListed(t.Context(), oneNamed(t), list, Filters{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range p.Repositories {
		got = append(got, r.Name)
	}
	if want := "acme/r00 https://git.example.com/acme/elsewhere https://other.example.com/x/y.git"; strings.Join(got, " ") != want || len(p.LeftOut) > 0 {
		t.Errorf("%q\nleft out: %v", got, p.LeftOut)
	}
}

// TestUnreadableResultIsOfOneRepository has files in the store that are no results:
// their repositories are in trouble, and evaluated anew; nothing else is stopped.
func TestUnreadableResultIsOfOneRepository(t *testing.T) {
	w := newWorld(t)
	w.seed(4)
	p := w.plan()
	w.work(p)
	at, err := w.open().ref(t.Context(), "shards/0000")
	if err != nil {
		t.Fatal(err)
	}
	var changes []git.Change
	for key, text := range map[string]string{"1000": "{", "1001": `{"key":"1002","state":"changed"}`, "1002": `null`} {
		changes = append(changes, git.Change{Path: place("results", key), Data: []byte(text)})
	}
	if err := at.write(t.Context(), "somebody's", changes); err != nil {
		t.Fatal(err)
	}
	st, err := Count(t.Context(), w.open())
	if err != nil || st.Counts["trouble"] != 3 || st.Counts["ready"] != 1 {
		t.Errorf("%v, %v", st, err)
	}
	if n := w.run(p); n != 1 {
		t.Errorf("opened %d", n)
	}
	if done := w.work(p); done != (Worked{Repositories: 4, Held: 1, Changed: 3}) {
		t.Errorf("%+v", done)
	}
}

// TestPlanAgainKeepsResults plans the same rules again, with other
// repositories, and then other rules.
func TestPlanAgainKeepsResults(t *testing.T) {
	w := newWorld(t)
	w.seed(2)
	w.work(w.plan())
	w.seedMore("acme/new")
	w.forge.Rename(w.forge.Repo("acme/r01"), "acme/renamed")
	p := w.plan()
	if done := w.work(p); done != (Worked{Repositories: 3, Held: 2, Changed: 1}) {
		t.Errorf("%+v", done)
	}
	p = w.plan(func(p *Plan) { p.Version = "v2" })
	if done := w.work(p); done.Changed != 3 {
		t.Errorf("%+v", done)
	}
}

func (w *world) seedMore(name string) {
	w.commit(name, "main", map[string]string{"a.yaml": oldManifest})
	w.forge.Add(name)
}

// TestStoreSaysWhatItIsNot has names and plans that are none.
func TestStoreSaysWhatItIsNot(t *testing.T) {
	w := newWorld(t)
	if _, err := w.open().Plan(t.Context()); !errors.Is(err, errNoPlan) {
		t.Error(err)
	}
	for _, id := range []string{"", "A", "a/b", "-a", "a-", "../x", strings.Repeat("a", 41)} {
		if _, err := OpenStore(t.Context(), w.store, id, author, w.clock); err == nil {
			t.Errorf("a campaign %q", id)
		}
	}
	for name, change := range map[string]func(*Plan){
		"schema": func(p *Plan) { p.Schema = 2 }, "key": func(p *Plan) { p.Repositories = []Repository{{Key: "../x", URL: "https://x"}} },
		"url": func(p *Plan) { p.Repositories = []Repository{{Key: "1", URL: "ext::sh"}} }, "id": func(p *Plan) { p.ID = "other" }, "rules": func(p *Plan) { p.Rulesets = nil },
	} {
		w.plan(change)
		if _, err := w.open().Plan(t.Context()); err == nil {
			t.Errorf("%s: the plan was taken", name)
		}
	}
	p := w.plan()
	got, err := w.open().Plan(t.Context())
	if err != nil || got.Digest() != p.Digest() || got.Commit != p.Commit || len(got.Repositories) != len(p.Repositories) {
		t.Errorf("%+v, %v", got, err)
	}
}
