package release

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
)

// somebody writes a commit of another author on top of base in a bare
// repository, with one file changed by edit, and returns it. ref, when there is
// one, is set to it.
func (w *world) somebody(repo, base, ref, path string, edit func(string) string) string {
	w.t.Helper()
	show := exec.Command("git", "show", base+":"+path)
	show.Dir = w.bare(repo)
	old, _ := show.Output() // none is no text
	text := edit(string(old))
	return w.put(repo, base, ref, path, &text, "Otto <otto@example.com>", "Otto's change of "+path)
}

// put commits one file on top of base in a bare repository, and sets ref to it
// when there is one; nil text is none.
func (w *world) put(repo, base, ref, path string, text *string, author, message string) string {
	w.t.Helper()
	to, change := ref, "D "+path
	if ref == "" {
		to = "refs/none"
	}
	if text != nil {
		change = fmt.Sprintf("M 100644 inline %s\ndata %d\n%s", path, len(*text), *text)
	}
	const at = "1772445600 +0000" // as in TestMain
	stream := fmt.Sprintf("commit %s\nmark :1\nauthor %s %s\ncommitter Rita Releaser <rita@example.com> %s\ndata %d\n%s\nfrom %s^0\n%s\n\nget-mark :1\n",
		to, author, at, at, len(message)+1, message+"\n", base, change)
	if ref == "" {
		stream += "reset refs/none\nfrom " + git.Zero + "\n\n"
	}
	cmd := exec.Command("git", "fast-import", "--quiet", "--force")
	cmd.Dir, cmd.Stdin = w.bare(repo), strings.NewReader(stream)
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("git fast-import: %v\n%s", err, stream)
	}
	return strings.TrimSpace(string(out))
}

func holding(s string) func(string) string { return func(string) string { return s } }

const (
	workBranch = "refs/heads/cfctl/release-v0.2.0"
	ourCSV     = "operators/orchard-operator/0.2.0/manifests/orchard-operator.clusterserviceversion.yaml"
)

// otherImage is what a bundle with another user's image says.
func otherImage(csv string) string {
	return strings.ReplaceAll(csv, "registry.example/orchard/operator", "registry.example/otto/operator")
}

// An obstacle is something unmanaged in the way of a step.
type obstacle struct {
	stops string // the step that sees it; empty = the one that it is obstructed before
	says  string // how the difference is told
	put   func(w *world) (take func())
}

func tagObstacle(repo, tag string) obstacle {
	return obstacle{says: "a commit by Otto", put: func(w *world) func() {
		w.run(w.bare(repo), "git", "tag", tag, w.somebody(repo, "main", "", "private.txt", holding("private")))
		return func() { w.run(w.bare(repo), "git", "tag", "-d", tag) }
	}}
}

func branchObstacle(repo, path, says string, edit func(string) string) obstacle {
	return obstacle{says: says, put: func(w *world) func() {
		w.somebody(repo, "main", workBranch, path, edit)
		return func() { w.run(w.bare(repo), "git", "update-ref", "-d", workBranch) }
	}}
}

func imageObstacle(repo, tag string) obstacle {
	return obstacle{says: "built from 5555555", put: func(w *world) func() {
		w.built(repo, tag, strings.Repeat("5", 40), false)
		return func() { w.built(repo, tag, w.run(w.bare(repo), "git", "rev-parse", tag+"^{commit}"), false) }
	}}
}

func stableObstacle(repo, before string) obstacle {
	return obstacle{says: "which is no release of", put: func(w *world) func() {
		w.image(repo, "ottos", "stable")
		return func() { w.image(repo, before, "stable") }
	}}
}

// mergeObstacle merges the PR of a step as another commit than the proposed one.
func mergeObstacle(repo, base, path, says string, edit func(string) string) obstacle {
	return obstacle{says: says, put: func(w *world) func() {
		f := w.forge.(*fakeForge)
		f.Mu.Lock()
		defer f.Mu.Unlock()
		p := f.Pulls[len(f.Pulls)-1]
		at := time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
		p.State, p.MergedAt, p.Merge = "closed", &at, w.somebody(repo, base, "", path, edit)
		if p.Repo != repo {
			w.run(w.bare(p.Repo), "git", "fetch", "-q", w.bare(repo), p.Merge)
		}
		return func() { p.State, p.MergedAt, p.Merge = "open", nil, "" }
	}}
}

func releaseObstacle(draft bool, says string) obstacle {
	return obstacle{says: says, put: func(w *world) func() {
		f := w.forge.(*fakeForge)
		f.Mu.Lock()
		defer f.Mu.Unlock()
		at := time.Date(2026, 3, 2, 12, 30, 0, 0, time.UTC)
		f.Releases = append(f.Releases, &forgetest.Release{Repo: "orchard/operator", ID: 77, Tag: "v0.2.0", Name: "Harvest", Body: "by hand", Draft: draft, Published: &at})
		return func() { f.Releases = nil }
	}}
}

// obstacles are what is put in the way of each step.
var obstacles = map[string][]obstacle{
	"tag:picker":         {tagObstacle("orchard/picker", "v1.1.0")},
	"built:picker":       {imageObstacle("orchard/picker", "v1.1.0")},
	"tag:sdk":            {tagObstacle("orchard/sdk", "v2.1.0")},
	"sorter-pins-branch": {branchObstacle("orchard/sorter", "Makefile", "Makefile:1: has \"PICKER_VERSION ?= v7.7.7\"", holding("PICKER_VERSION ?= v7.7.7\n"))},
	"sorter-pins-merged": {mergeObstacle("orchard/sorter", "main", "NEWS", "Makefile:", holding("news\n"))},
	"operator-branch":    {branchObstacle("orchard/operator", "Makefile", "Makefile:1: has \"PICKER_VERSION ?= v7.7.7\"", holding("PICKER_VERSION ?= v7.7.7\nSORTER_VERSION ?= v0.3.0\nSDK_VERSION ?= 2.0.0\n"))},
	"operator-merged":    {mergeObstacle("orchard/operator", "main", "NEWS", "Makefile:", holding("news\n"))},
	"tag:operator":       {tagObstacle("orchard/operator", "v0.2.0")},
	"built:operator":     {imageObstacle("orchard/operator", "v0.2.0")},
	"release":            {releaseObstacle(true, "a draft \"Harvest\" is there"), releaseObstacle(false, "a release \"Harvest\" is there")},
	"catalog-branch": {
		branchObstacle("orchard/community-operators", "operators/orchard-operator/0.2.0/manifests/other.yaml", "0.2.0/manifests/other.yaml is not of this release", holding("a: 1\n")),
		{says: "has commits that eco/community-operators does not have", put: func(w *world) func() {
			bare := w.bare("orchard/community-operators")
			was := w.run(bare, "git", "rev-parse", "main")
			w.somebody("orchard/community-operators", "main", "refs/heads/main", "OTTO", holding("otto\n"))
			return func() { w.run(bare, "git", "update-ref", "refs/heads/main", was) }
		}},
	},
	"catalog-pr": {{stops: "catalog-branch", says: "registry.example/otto/operator", put: func(w *world) func() {
		bare := w.bare("orchard/community-operators")
		was := w.run(bare, "git", "rev-parse", workBranch)
		w.somebody("orchard/community-operators", workBranch, workBranch, ourCSV, otherImage)
		return func() { w.run(bare, "git", "update-ref", workBranch, was) }
	}}},
	"catalog-merged":   {mergeObstacle("orchard/community-operators", workBranch, ourCSV, "registry.example/otto/operator", otherImage)},
	"stable:picker":    {stableObstacle("orchard/picker", "v1.0.0")},
	"workloads-branch": {branchObstacle("downstream/workloads", "README.md", "README.md:", func(s string) string { return strings.ReplaceAll(s, "v0.1.0", "v0.1.9") })},
	"workloads-merged": {mergeObstacle("downstream/workloads", "main", "NEWS", "README.md:", holding("news\n"))},
}

// withoutObstacle says why nothing unmanaged can be in the way of a step.
var withoutObstacle = map[string]string{
	"tag:sorter": "as tag:picker", "built:sorter": "as built:picker", "stable:sorter": "as stable:picker", "stable:operator": "as stable:picker",
	"sorter-pins-pr": "is of the branch, which is evaluated before",
	"operator-pr":    "is of the branch, which is evaluated before", "workloads-pr": "is of the branch, which is evaluated before",
	"approve:publish": "the journal has it", "announce:slack": "cannot be asked", "announce:mail": "cannot be asked",
}

// withoutKill are steps of which the actual state cannot be asked: what became of them
// needs review to say (TestKilledEverywhere, TestLostJournalAsks).
var withoutKill = map[string]bool{"announce:slack": true, "announce:mail": true}

// A deafLog dies before it takes the effect of an act.
type deafLog struct {
	Log
	die func()
}

func (l *deafLog) Append(ctx context.Context, r Record) error {
	if r.Kind == steps.RecEffect {
		l.die()
		return errKilled
	}
	return l.Log.Append(ctx, r)
}

// actsOnce plans a step, runs it, kills it after the act, and runs it again:
// what it has sent then is what was planned.
func (w *world) actsOnce(journal, step string) {
	w.t.Helper()
	env, _ := w.env(journal)
	plan, err := On(w.train("v0.2.0"), env).Plan(context.Background(), &env.Env)
	env.Journal.Close()
	if err != nil || plan.Of(step).State == Blocked {
		w.t.Fatalf("%s: %+v %v", step, plan.Of(step), err)
	}
	var planned []string
	for _, e := range plan.Of(step).Effects {
		planned = append(planned, e.String())
	}
	var did requests
	for _, killed := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		env, q := w.env(journal)
		did.watch(q)
		file := env.Journal
		if killed {
			env.Journal = &deafLog{file, cancel}
		}
		if _, err := On(w.train("v0.2.0"), env).Run(ctx, &env.Env, Choices{Only: step, Who: "rita"}); err != nil && !killed {
			w.t.Fatal(err)
		}
		file.Close()
		cancel()
	}
	for i, e := range did.effects {
		did.effects[i] = ids.ReplaceAllString(e, "/releases/{id}")
	}
	if !slices.Equal(planned, did.effects) {
		w.t.Errorf("%s: planned %q, did %q", step, planned, did.effects)
	}
}

// TestEveryStep takes each step that a release can have by itself. Before it
// something is that is not of this release: it stops and tells it, and
// nothing in the actual state is changed. When that is taken away it is missing, and
// acts, and is killed before the journal knows: the next run sees that it is
// done, and both have sent what the plan told, once.
func TestEveryStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	run := func(step string) *Result {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{Only: step, Who: "rita"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, s := range w.train("v0.2.0").Steps() {
		if len(obstacles[s.Name]) == 0 && withoutObstacle[s.Name] == "" {
			t.Errorf("nothing unmanaged is tried before %s", s.Name)
		}
		for _, p := range obstacles[s.Name] {
			take := p.put(w)
			before := w.witness()
			at := s.Name
			if p.stops != "" {
				at = p.stops
			}
			o := run(s.Name).Of(at)
			if o.State != Unmanaged || !strings.Contains(o.Text, p.says) || o.Who == "" {
				t.Errorf("%s: %s is %s: %s %s (%v), want %q", s.Name, at, o.State, o.Text, o.Detail, o.Err, p.says)
			}
			if after := w.witness(); after != before {
				t.Errorf("%s: the world was changed:\n%s\nbefore:\n%s", s.Name, after, before)
			}
			take()
		}
		if s.Approval() {
			env, _ := w.env(journal)
			if err := On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, s.Name, "rita", false); err != nil {
				t.Fatal(err)
			}
			env.Journal.Close()
		}
		if s.Act != nil && !withoutKill[s.Name] {
			w.actsOnce(journal, s.Name)
		}
		for try := 0; run(s.Name).Of(s.Name).State != Done; try++ {
			if try == 4 {
				t.Fatalf("%s does not go on: %+v", s.Name, run(s.Name).Of(s.Name).Observation)
			}
			w.play()
		}
	}
}

// An abort takes away nothing that it finds and did not make.
func TestAbortLeavesUnmanagedAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []string{"operator-branch", "catalog-branch", "workloads-branch", "release", "tag:picker", "stable:picker"} {
		obstacles[step][0].put(w)
	}
	f := w.forge.(*fakeForge)
	f.Pulls = append(f.Pulls, &forgetest.Pull{Repo: "orchard/operator", Head: "orchard:cfctl/release-v0.2.0", Branch: "cfctl/release-v0.2.0", Base: "main", Title: "Otto's", Number: 1, State: "open"})
	before := w.witness()
	env, _ := w.env(journalIn(t))
	a, err := On(w.train("v0.2.0"), env).Abort(context.Background(), &env.Env, "rita")
	if err != nil || len(a.Undone) > 0 || len(a.Stays) < 5 {
		t.Errorf("%v: undone %q, stays %q", err, a.Undone, a.Stays)
	}
	if after := w.witness(); after != before {
		t.Errorf("the world was changed:\n%s\nbefore:\n%s", after, before)
	}
}

// A maintainer can take something unmanaged as it is; that holds for this very thing.
func TestUnmanagedTakenAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	bare := w.bare("orchard/picker")
	look := func() *StepResult {
		r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Only: "tag:picker"})
		return r.Of("tag:picker")
	}
	take := func() error {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		return On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, "tag:picker", "rita", true)
	}
	if err := take(); err == nil || !strings.Contains(err.Error(), "nothing unmanaged") {
		t.Errorf("taken before there was one: %v", err)
	}
	private := w.somebody("orchard/picker", "main", "", "private.txt", holding("private"))
	w.run(bare, "git", "tag", "v1.1.0", private)
	if o := look(); o.State != Unmanaged || !strings.Contains(o.Who, "cfctl release approve v0.2.0 tag:picker --done") {
		t.Fatalf("%s: %s (%s)", o.State, o.Text, o.Who)
	}
	if err := take(); err != nil {
		t.Fatal(err)
	}
	if o := look(); o.State != Done || !strings.Contains(o.Text, "accepted by rita") || o.Facts["commit"] != private {
		t.Errorf("%s: %s", o.State, o.Text)
	}
	w.run(bare, "git", "tag", "-f", "v1.1.0", w.somebody("orchard/picker", "main", "", "private.txt", holding("another")))
	if o := look(); o.State != Unmanaged {
		t.Errorf("another tag was taken, too: %s: %s", o.State, o.Text)
	}
}

// What was merged into the catalog with another user's image moves no stable
// tag, and verify is red; what the catalog or a document is changed to later is
// found, too.
func TestVerifyReadsCatalogAndDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	verify := func() (rules []string) {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		fs, err := On(w.train("v0.2.0"), env).Verify(context.Background(), &env.Env)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fs {
			rules = append(rules, f.Rule+" "+f.Message)
		}
		return rules
	}
	has := func(list []string, rule, says string) {
		t.Helper()
		if !slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, rule) && strings.Contains(s, says) }) {
			t.Errorf("no %s with %q in %q", rule, says, list)
		}
	}
	if got := verify(); len(got) > 0 {
		t.Fatalf("findings on a fresh release: %q", got)
	}
	w.somebody("eco/community-operators", "main", "refs/heads/main", ourCSV, otherImage)
	has(verify(), "catalog-edited", "registry.example/otto/operator")
	w.somebody("downstream/workloads", "main", "refs/heads/main", "README.md", func(s string) string { return strings.ReplaceAll(s, "v0.2.0", "v0.1.0") })
	has(verify(), "document-edited", "README.md:")
}

// A draft that the tag of a component would publish is in the way of the tag, where the forge
// publishes with a tag.
func TestTagPublishesNoDraft(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]State{recipe.KindGitea: Unmanaged, "github": Missing} {
		w := newWorld(t)
		f := w.forge.(*fakeForge)
		f.Releases = append(f.Releases, &forgetest.Release{Repo: "orchard/picker", ID: 77, Tag: "v1.1.0", Name: "Harvest", Body: "by hand", Draft: true})
		of := w.train("v0.2.0")
		of.Recipe.Forge.Kind = kind
		env, _ := w.env(journalIn(t))
		plan, err := On(of, env).Plan(t.Context(), &env.Env)
		env.Journal.Close()
		if err != nil {
			t.Fatal(err)
		}
		if o := plan.Of("tag:picker"); o.State != want || want == Unmanaged && !strings.Contains(o.Text, `a draft "Harvest" is there for v1.1.0`) {
			t.Errorf("%s: %s %s, want %s", kind, o.State, o.Text, want)
		}
	}
}
