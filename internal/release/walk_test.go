package release

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A walk is a release in a world in which people, machines and cfctl act in any
// order. Its script is a list of acts, "merge run:7 force:2": a name, and a
// number that says which, or how.
type walk struct {
	*world
	journals  [2]string // of two drivers
	broken    []string  // laws that did not hold
	undo      []func()  // what people do to undo what they did, oldest first
	strangers []stranger
	proposed  map[string]int // aborts there had been when a PR of a head was made last
	aborts    int
	faulty    bool // the forge or git is to fail at something yet
}

// A untrusted author is a commit that cfctl has not made.
type stranger struct{ repo, commit string }

// walkers are the acts that a script names, and how often they are picked.
var walkers = []struct {
	name  string
	often int
	most  int // of the number
	act   func(k *walk, n int)
}{
	{"run", 14, 0, func(k *walk, _ int) { k.runTrain(0, Choices{}, 0) }},
	{"kill", 8, 40, func(k *walk, n int) { k.runTrain(0, Choices{}, n+1) }},
	{"other", 2, 0, func(k *walk, _ int) { k.runTrain(1, Choices{}, 0) }},
	{"until", 2, 30, func(k *walk, n int) { k.runTrain(0, Choices{Until: k.step(n)}, 0) }},
	{"only", 2, 30, func(k *walk, n int) { k.runTrain(0, Choices{Only: k.step(n)}, 0) }},
	{"plan", 2, 0, (*walk).planned},
	{"status", 1, 0, (*walk).status},
	{"abort", 2, 0, func(k *walk, _ int) { k.abort(0) }},
	{"approve", 1, 30, (*walk).approves},
	{"skip", 1, 2, (*walk).skips},
	{"play", 10, 0, func(k *walk, _ int) { k.everybody() }},
	{"builds", 3, 0, func(k *walk, _ int) { k.machines() }},
	{"merge", 4, 5, (*walk).merges},
	{"close", 2, 5, (*walk).closes},
	{"reopen", 1, 5, (*walk).reopens},
	{"base", 1, 5, (*walk).rebases},
	{"nobranch", 2, 3, (*walk).deletesBranch},
	{"force", 2, 3, (*walk).forces},
	{"commit", 2, 3, (*walk).commits},
	{"spoil", 1, 3, (*walk).spoils},
	{"main", 2, 6, (*walk).pushes},
	{"lines", 1, 0, (*walk).pushesLines},
	{"back", 1, 3, (*walk).takesBack},
	{"untag", 2, 3, (*walk).untags},
	{"retag", 2, 3, (*walk).retags},
	{"image", 1, 2, (*walk).images},
	{"draft", 1, 0, (*walk).drafts},
	{"publish", 1, 0, (*walk).publishes},
	{"unrelease", 1, 0, (*walk).deletesRelease},
	{"check", 2, 3, (*walk).checks},
	{"clock", 1, 3, func(k *walk, n int) {
		d := []time.Duration{2 * time.Hour, 40 * 24 * time.Hour, -30 * time.Minute, -3 * time.Hour}[n]
		k.clock.Pass(d)
		if d < 0 {
			k.undo = append(k.undo, func() { k.clock.Pass(-d) })
		}
	}},
	{"cache", 1, 1, func(k *walk, n int) { k.remove(filepath.Join(filepath.Dir(k.journals[n]), "cache")) }},
	{"lose", 1, 0, func(k *walk, _ int) { k.remove(k.journals[0]) }},
	{"cut", 1, 200, (*walk).cuts},
	{"fault", 3, 60, (*walk).faults},
	{"refuse", 1, 6, (*walk).refuses},
	{"late", 1, 3, func(k *walk, n int) { k.fake().Late = n }},
}

func (k *walk) fake() *fakeForge { return k.forge.(*fakeForge) }

func (k *walk) fail(law, format string, args ...any) {
	k.broken = append(k.broken, law+": "+fmt.Sprintf(format, args...))
}

// locked acts on the forge as people do.
func (k *walk) locked(act func(f *fakeForge)) {
	k.fake().Mu.Lock()
	defer k.fake().Mu.Unlock()
	act(k.fake())
}

func (k *walk) remove(path string) {
	if err := os.RemoveAll(path); err != nil {
		k.t.Fatal(err)
	}
}

func (k *walk) step(n int) string {
	steps := k.train("v0.2.0").Steps()
	return steps[n%len(steps)].Name
}

// refs are all branches and tags of the actual state, by "REPO REF".
func (k *walk) refs() map[string]string {
	all := map[string]string{}
	for _, repo := range orchard {
		for ref, commit := range refsIn(k.t, k.bare(repo)) {
			all[repo+" "+ref] = commit
		}
	}
	return all
}

// watched lets cfctl do something, and holds what it does to the laws.
func (k *walk) watched(journal int, act func(env *Env, q *wire.Queue) error) (did []string) {
	before := k.refs()
	numbers := len(k.fake().Pulls)
	env, q := k.env(k.journals[journal])
	var seen requests
	seen.watch(q)
	err := act(env, q)
	env.Journal.Close()
	k.lawful(before, numbers)
	if err != nil && regexp.MustCompile(`panic|nil pointer|internal error|%!`).MatchString(err.Error()) {
		k.fail("no internal error", "%v", err)
	}
	for i, e := range seen.effects {
		seen.effects[i] = ids.ReplaceAllString(e, "/releases/{id}")
	}
	return seen.effects
}

// lawful holds the actual state after an act of cfctl against the one before it.
func (k *walk) lawful(before map[string]string, numbers int) {
	after := k.refs()
	for name, was := range before {
		repo, ref, _ := strings.Cut(name, " ")
		if now := after[name]; now != was {
			if strings.HasPrefix(ref, "refs/tags/") {
				k.fail("a published tag is never moved", "%s was %.7s, is %.7s", name, was, now)
			}
			k.kept(repo, ref, was)
		}
	}
	for _, p := range k.fake().Pulls[numbers:] {
		head := p.Repo + " " + p.Head
		if slices.ContainsFunc(k.fake().Pulls[:p.Number-1], func(o *forgetest.Pull) bool { return o.Repo == p.Repo && o.Head == p.Head && o.Base != "main" }) {
			continue // one that goes elsewhere is to be closed, its text says
		}
		if at, again := k.proposed[head]; again && at == k.aborts {
			k.fail("no PR twice for one head", "#%d from %s", p.Number, head)
		}
		k.proposed[head] = k.aborts
	}
	if n, m := len(k.chat.texts()), len(k.mail.ids()); n > 1 || m > 1 {
		k.fail("nothing is announced twice", "%d messages, %d mails", n, m)
	}
}

// kept holds that no commit of an untrusted author was lost with a ref that was moved.
func (k *walk) kept(repo, ref, was string) {
	merged := slices.ContainsFunc(k.fake().Pulls, func(p *forgetest.Pull) bool {
		return p.MergedAt != nil && p.SHA == was && "refs/heads/"+p.Branch == ref
	})
	for _, s := range k.strangers {
		if s.repo != repo || merged || !k.has(repo, was, s.commit) {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(refsIn(k.t, k.bare(repo)))), func(tip string) bool { return k.has(repo, tip, s.commit) }) {
			k.fail("nothing of a stranger is lost", "%s of %s, which was on %s", s.commit[:7], repo, ref)
		}
	}
}

// has says whether a commit is an ancestor of another.
func (k *walk) has(repo, tip, commit string) bool {
	cmd := exec.Command("git", "merge-base", "--is-ancestor", commit, tip)
	cmd.Dir = k.bare(repo)
	return cmd.Run() == nil
}

// runTrain runs the train with one of the journals, and kills it at a chance; 0 = not.
func (k *walk) runTrain(journal int, pick Choices, at int) (r *Result, did []string) {
	pick.Who, pick.Yes = "rita", k.yes(k.journals[journal]).Yes
	did = k.watched(journal, func(env *Env, q *wire.Queue) (err error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		killer := &killer{at: at, cancel: cancel}
		file := env.Journal
		if at > 0 {
			q.Base = &killerTrip{killer}
			env.Journal, env.Git, env.Mail = &killerLog{file, killer}, &killerGit{env.Git, killer}, &killerMail{env.Mail, killer}
		}
		r, err = On(k.train("v0.2.0"), env).Run(ctx, &env.Env, pick)
		env.Journal = file
		if killer.dead {
			r, err = nil, nil
		}
		return err
	})
	if r != nil {
		k.told(r)
	}
	return r, did
}

// told holds that a step that stops says why, and what a maintainer does.
func (k *walk) told(r *Result) {
	for _, s := range r.Steps {
		stops := s.State == Conflict || s.State == Unmanaged
		if _, known := why.Of(s.Reason); stops && (!known || s.Who == "") {
			k.fail("a stop names a way out", "%s is %s %q: %s (%s)", s.Name, s.State, s.Reason, s.Text, s.Who)
		}
		if text := s.Text + s.Who + s.Detail; strings.Contains(text, "%!") || s.State == Failed && s.Err == nil {
			k.fail("no internal error", "%s is %s: %s", s.Name, s.State, text)
		}
	}
}

// planned holds that a run does what a plan says, and one after it nothing.
func (k *walk) planned(int) {
	if k.faulty || k.fake().Late > 0 {
		return
	}
	var plan *Result
	effects := k.watched(0, func(env *Env, _ *wire.Queue) (err error) {
		plan, err = On(k.train("v0.2.0"), env).Plan(context.Background(), &env.Env)
		return err
	})
	if len(effects) > 0 {
		k.fail("a plan has no effect", "%q", effects)
	}
	if plan == nil {
		return
	}
	r, did := k.runTrain(0, Choices{}, 0)
	var want []string
	for _, s := range plan.Steps {
		for _, e := range s.Effects {
			want = append(want, e.String())
		}
	}
	for _, e := range did {
		i := slices.Index(want, e)
		if i < 0 {
			k.fail("a run does what the plan says", "not planned: %s", e)
			continue
		}
		want = slices.Delete(want, i, i+1)
	}
	before := k.witness()
	again, more := k.runTrain(0, Choices{}, 0)
	if r != nil && r.Trouble() == nil && again != nil && (len(more) > 0 || before != k.witness()) {
		k.fail("a run with nothing to do has no effect", "%q", more)
	}
}

func (k *walk) status(int) {
	before := k.witness()
	did := k.watched(0, func(env *Env, _ *wire.Queue) error {
		_, err := On(k.train("v0.2.0"), env).Refresh(context.Background(), &env.Env)
		return err
	})
	if len(did) > 0 || before != k.witness() {
		k.fail("a status has no effect", "%q", did)
	}
}

// abort undoes what is not published: nothing of ours remains, or the output says so.
func (k *walk) abort(journal int) {
	k.aborts++
	var a *train.Aborted
	k.watched(journal, func(env *Env, _ *wire.Queue) (err error) {
		if a, err = On(k.train("v0.2.0"), env).Abort(context.Background(), &env.Env, "rita"); err != nil {
			a = nil
		}
		return err
	})
	if a == nil {
		return
	}
	stays := strings.Join(a.Stays, "\n")
	for _, p := range k.fake().Pulls {
		if p.State == "open" && !strings.Contains(stays, fmt.Sprintf("%s/pull/%d ", p.Repo, p.Number)) {
			k.fail("an abort leaves nothing", "PR %s #%d; stays: %s", p.Repo, p.Number, stays)
		}
	}
	for name := range k.refs() {
		repo, ref, _ := strings.Cut(name, " ")
		if ref == workBranch && !strings.Contains(stays, repo) {
			k.fail("an abort leaves nothing", "%s; stays: %s", name, stays)
		}
	}
	for _, x := range k.fake().Releases {
		if x.Draft && !strings.Contains(stays, "draft") {
			k.fail("an abort leaves nothing", "a draft; stays: %s", stays)
		}
	}
}

// walkOf plays a script in a new world, and returns the laws that it broke.
func walkOf(t *testing.T, script string) []string {
	k := &walk{world: newWorld(t), journals: [2]string{journalIn(t), journalIn(t)}, proposed: map[string]int{}}
	k.fake().Tells = true
	for _, word := range strings.Fields(script) {
		name, number, _ := strings.Cut(word, ":")
		n, _ := strconv.Atoi(number)
		found := false
		for _, a := range walkers {
			if a.name == name {
				found = true
				a.act(k, min(n, a.most))
			}
		}
		if !found {
			t.Fatalf("no act %q", word)
		}
		if len(k.broken) > 0 {
			return k.broken
		}
	}
	k.settle()
	return k.broken
}

// scriptOf is a script that depends on its seed alone.
func scriptOf(seed uint64, length int) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	total := 0
	for _, a := range walkers {
		total += a.often
	}
	var words []string
	for range length {
		n := rnd.IntN(total)
		for _, a := range walkers {
			if n -= a.often; n < 0 {
				word := a.name
				if a.most > 0 {
					word += ":" + strconv.Itoa(rnd.IntN(a.most+1))
				}
				words = append(words, word)
				break
			}
		}
	}
	return strings.Join(words, " ")
}

// shrink leaves out of a script what it breaks a law without.
func shrink(t *testing.T, script string) string {
	words := strings.Fields(script)
	for size := max(1, len(words)/2); ; size = max(1, size/2) {
		for i := 0; i < len(words); {
			rest := slices.Concat(words[:i], words[min(i+size, len(words)):])
			if len(walkOf(t, strings.Join(rest, " "))) > 0 {
				words = rest
			} else {
				i += size
			}
		}
		if size == 1 {
			return strings.Join(words, " ")
		}
	}
}

// walked are scripts that broke a law once.
var walked = []string{
	"other run close:0 force:1 commit:1", // a commit was pushed, fetched and deleted, and pushed again
}

// People, machines and cfctl act in any order: whatever they do, nothing is done
// twice, nothing of others is lost, each stop names a way out, and when people have
// undone what they did the release arrives. CFCTL_WALKS is how many walks there
// are next to those that broke a law once, CFCTL_WALK a script, CFCTL_SEED the first.
func TestPeopleAtRandom(t *testing.T) {
	if testing.Short() {
		t.Skip("a sweep")
	}
	scripts := walked
	walks, _ := strconv.Atoi(os.Getenv("CFCTL_WALKS"))
	first, _ := strconv.ParseUint(os.Getenv("CFCTL_SEED"), 10, 64)
	if walks == 0 {
		walks = 2
	}
	for i := range walks {
		seed := first + uint64(i)
		scripts = append(scripts, scriptOf(seed, 10+int(seed%20)))
	}
	if one := os.Getenv("CFCTL_WALK"); one != "" {
		scripts = []string{one}
	}
	for i, script := range scripts {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			broken := walkOf(t, script)
			if len(broken) > 0 && os.Getenv("CFCTL_SHRINK") != "" {
				script = shrink(t, script)
				broken = walkOf(t, script)
			}
			if len(broken) > 0 {
				t.Errorf("%s\n%s", script, strings.Join(broken, "\n"))
			}
		})
	}
}
