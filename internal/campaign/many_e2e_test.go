//go:build e2e

package campaign

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// many is how many repositories a test has; CFCTL_CAMPAIGN says another number.
func many(t *testing.T, n int) int {
	if text := os.Getenv("CFCTL_CAMPAIGN"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestKilledAtEveryWrite ends the processes of plan, work, open and follow with
// kill -9 at every request that writes, to the store and to the repositories:
// before it has an effect and after, with the git processes that they started and
// without. Whoever comes next leaves one pull request.
func TestKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	h := newHub(t, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC))
	h.seed(1, map[string]string{"a.yaml": oldManifest})
	ways := []string{"plan", "work", "open", "follow"}
	killed := map[string]int{}
	for at := 1; ; at++ {
		began, ended := len(h.pulls), 0
		for _, done := range []bool{false, true} {
			k := task{Hub: h.url, ID: fmt.Sprintf("kill-%d-%t", at, done), Budget: Budget{5, 200}, Of: 1}
			var now atomic.Pointer[process]
			h.mu.Lock()
			h.writes = 0
			h.strike = func(n int, after bool) {
				if n == at && after == done {
					now.Load().kill(at%2 == 0)
				}
			}
			h.mu.Unlock()
			for _, k.Do = range ways {
				k.Holder = "one"
				p := begin(t, k)
				now.Store(p)
				if p.wait() < 0 {
					killed[k.Do]++
					ended++
					break
				}
			}
			h.mu.Lock()
			h.strike = nil
			h.mu.Unlock()
			h.rest()
			h.pass(2 * leaseTime)
			for _, k.Do = range ways {
				k.Holder = "two"
				do(t, k)
			}
			made := 0
			for _, p := range h.pulls {
				if p.branch == "cfctl/"+k.ID {
					made++
				}
			}
			if made != 1 {
				t.Errorf("killed at write %d (after it: %t): %d pull requests", at, done, made)
			}
			pulls := len(h.pulls)
			k.Do = "open"
			do(t, k)
			if len(h.pulls) != pulls {
				t.Errorf("killed at write %d: a second run opened one", at)
			}
		}
		if len(h.pulls) != began+2 {
			t.Errorf("write %d: %d pull requests", at, len(h.pulls)-began)
		}
		if ended == 0 {
			t.Logf("%d writes, each killed before and after: %v", at-1, killed)
			break
		}
	}
	for _, way := range ways {
		if killed[way] < 2 {
			t.Errorf("%s was killed %d times", way, killed[way])
		}
	}
}

// TestManyRepositories takes a campaign through hundreds of repositories: each
// command is a process of its own, over HTTP, against a forge whose limits are
// exactly the budget. Workers and openers are killed again and again, a second
// opener comes in between, and people close, edit, merge, force-push, rename,
// archive and change the default branch. No repository has two pull requests, no
// window of 60 minutes has more than the budget, and nobody is overruled.
func TestManyRepositories(t *testing.T) {
	t.Parallel()
	n := many(t, 150)
	h := newHub(t, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC))
	h.seed(n, map[string]string{"a.yaml": oldManifest, "README.md": "hello\n"})
	h.perMin, h.perHour = 5, 40
	k := task{Hub: h.url, ID: "groups", Budget: Budget{5, 40}, Of: 2, Do: "plan"}
	do(t, k)
	began := time.Now()
	kills := h.workers(t, k)
	t.Logf("%d repositories judged in %v by 2 workers, killed %d times", n, time.Since(began).Round(time.Second), kills)
	began = time.Now()
	p := &people{t: t, h: h, branch: "cfctl/groups", want: map[*hubRepo]Stage{}, heads: map[*hubRepo]string{}}
	kills, refused := 0, 0
	for {
		k.Do, k.Holder = "open", fmt.Sprint("opener ", kills)
		first := begin(t, k)
		h.mu.Lock()
		last := h.writes + 61 + 2*kills
		h.strike = func(n int, after bool) {
			if n >= last && after == (kills%2 == 0) {
				first.kill(kills%3 == 0)
			}
		}
		h.mu.Unlock()
		if kills%4 == 1 && h.holds(first) { // a second one, while the first works
			k.Holder = "another"
			second := begin(t, k)
			if code := second.wait(); code == 3 {
				refused++
			}
		}
		code := first.wait()
		h.mu.Lock()
		h.strike = nil
		h.mu.Unlock()
		h.rest()
		p.act()
		k.Do = "follow"
		do(t, k)
		if code == 0 {
			break
		}
		if code > 0 && !strings.Contains(first.stderr.String(), "lease") {
			t.Fatalf("exit %d\n%s", code, &first.stderr)
		}
		kills++
		h.pass(2 * leaseTime)
	}
	t.Logf("%d opened in %v, %v by the hub's clock; %d kills, %d second openers sent away; requests %v, %d KB of git", len(h.pulls), time.Since(began).Round(time.Second),
		h.now().Sub(h.content[0]).Round(time.Minute), kills, refused, h.counts, h.sent.Load()>>10)
	t.Logf("most in a minute %d, in 60 minutes %d", h.crowded(time.Minute), h.crowded(time.Hour))
	if h.crowded(time.Minute) > 5 || h.crowded(time.Hour) > 40 || h.counts["limited"] > 0 {
		t.Errorf("%d requests were above a limit", h.counts["limited"])
	}
	seen := map[*hubRepo]bool{}
	for _, pull := range h.pulls {
		if seen[pull.repo] {
			t.Errorf("%s has two", pull.repo.name)
		}
		seen[pull.repo] = true
	}
	if refused == 0 && n >= 100 {
		t.Error("no second opener was sent away")
	}
	// They go on, everything is judged again, and a last run opens nothing.
	for _, r := range p.acted() {
		if r.branch == "main" && !r.archived {
			h.push(r, "main", "later.txt", "later\n")
		}
	}
	pulls := len(h.pulls)
	for k.Index = range 2 {
		k.Do = "work"
		do(t, k)
	}
	for _, k.Do = range []string{"open", "follow"} {
		k.Holder = "last"
		do(t, k)
	}
	p.obeyed(h.stages(t, k))
	for _, pull := range h.pulls[pulls:] {
		if p.want[pull.repo] != again {
			t.Errorf("the last run opened one in %s", pull.repo.name)
		}
	}
}

// workers judges all shards, each in a process that is killed a few times.
func (h *hub) workers(t *testing.T, k task) int {
	t.Helper()
	var kills atomic.Int64
	var group sync.WaitGroup
	k.Do = "work"
	for i := range k.Of {
		group.Go(func() {
			k := k
			k.Index = i
			for try := range 50 {
				p := begin(t, k)
				if try < 3 {
					time.AfterFunc(time.Duration(try+1)*700*time.Millisecond, func() { p.kill(try%2 == 0) })
				}
				code := p.wait()
				if code == 0 {
					return
				}
				if code > 0 {
					t.Errorf("work: exit %d\n%s", code, &p.stderr)
					return
				}
				kills.Add(1)
			}
		})
	}
	group.Wait()
	return int(kills.Load())
}

// holds waits until a process has the lease; false = it ended before.
func (h *hub) holds(p *process) bool {
	for range 200 {
		h.mu.Lock()
		n := h.writes
		h.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		h.mu.Lock()
		more := h.writes
		h.mu.Unlock()
		if more > n {
			return true
		}
	}
	return false
}

// stages are the stages of all repositories, by number.
func (h *hub) stages(t *testing.T, k task) map[int64]Stage {
	t.Helper()
	s, err := OpenStore(t.Context(), h.bare(h.store), k.ID, author, h.now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at, err := s.ref(t.Context(), "opener")
	if err != nil {
		t.Fatal(err)
	}
	records, err := recordsOf(at)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := s.followed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[int64]Stage{}
	for key, rec := range records {
		id, _ := strconv.ParseInt(key, 10, 64)
		all[id] = stageOf(rec, seen[key])
	}
	return all
}

// people do what people do with pull requests, and with repositories.
type people struct {
	t      *testing.T
	h      *hub
	branch string
	done   int                 // pull requests that they have seen
	want   map[*hubRepo]Stage  // what must be known of those that they decided about
	heads  map[*hubRepo]string // branches that must stay where they are
}

// act decides about pull requests that are new: two of three are left alone. The
// repositories at the end of the list, which are not open yet, are renamed,
// archived and given another default branch.
func (p *people) act() {
	h := p.h
	for ; p.done < len(h.pulls); p.done++ {
		pull := h.pulls[p.done]
		switch p.done % 15 {
		case 1:
			h.close(pull)
			p.want[pull.repo] = Declined
		case 4:
			p.heads[pull.repo] = h.push(pull.repo, p.branch, "a.yaml", "edited\n")
			p.want[pull.repo] = Edited
		case 7:
			h.merge(pull)
			p.want[pull.repo] = Merged
		case 10: // force-push: the branch has another history
			old := h.head(pull.repo, "main")
			dir := h.bare(pull.repo.name)
			mine := h.git(dir, "commit-tree", old+"^{tree}", "-p", old, "-m", "mine")
			h.git(dir, "update-ref", "refs/heads/"+p.branch, mine)
			p.heads[pull.repo], p.want[pull.repo] = mine, Edited
		case 13:
			h.rename(pull.repo, pull.repo.name+"-renamed")
			p.want[pull.repo] = Opened
		}
	}
	if len(p.want) == 0 || h.repos[len(h.repos)-1].archived {
		return
	}
	for i, r := range h.repos[len(h.repos)*9/10:] {
		if p.h.pull(r) != nil {
			continue
		}
		switch i % 4 {
		case 0:
			h.rename(r, r.name+"-moved")
			p.want[r] = Opened
		case 1:
			h.mu.Lock()
			r.archived = true
			h.mu.Unlock()
			p.want[r] = Away
		case 2:
			dir := h.bare(r.name)
			h.git(dir, "update-ref", "refs/heads/trunk", h.head(r, "main"))
			h.git(dir, "symbolic-ref", "HEAD", "refs/heads/trunk")
			h.mu.Lock()
			r.branch = "trunk"
			h.mu.Unlock()
			p.want[r] = again
		}
	}
	last := h.repos[len(h.repos)-1]
	if p.h.pull(last) == nil {
		h.mu.Lock()
		last.archived = true
		h.mu.Unlock()
		p.want[last] = Away
	}
}

// again is what is wanted of a repository whose default branch was changed: it is
// stale until it is worked again, and opened then.
const again Stage = "again"

func (p *people) acted() []*hubRepo { return slices.Collect(maps.Keys(p.want)) }

// obeyed holds what is known, and what the forge has, against what they decided.
func (p *people) obeyed(stages map[int64]Stage) {
	p.t.Helper()
	counts := map[Stage]int{}
	for _, r := range p.h.repos {
		got := stages[r.id]
		counts[got]++
		want, decided := p.want[r]
		if !decided {
			want = Opened
		}
		if want == again {
			want = Opened
		}
		if got != want {
			p.t.Errorf("%s is %s, want %s", r.name, got, want)
		}
		if at, kept := p.heads[r]; kept && p.h.head(r, p.branch) != at {
			p.t.Errorf("%s: the branch was moved away from a person's commit", r.name)
		}
	}
	p.t.Logf("in the end: %v", counts)
}

// mostMemory is what one command takes for fifty thousand repositories, the git
// processes that it starts included.
const mostMemory = 160 << 20

// TestFiftyThousand plans, follows and counts a campaign of fifty thousand
// repositories, one in twenty of which has a pull request: each is a process of
// its own, whose memory is bounded.
func TestFiftyThousand(t *testing.T) {
	t.Parallel()
	n := many(t, 50_000)
	h := newHub(t, time.Time{})
	for i := range n {
		h.entry(fmt.Sprintf("acme/service-with-a-name-%d", i))
	}
	d := newDesk(t, h)
	measure := func(code int, args ...string) string {
		t.Helper()
		h.counts = map[string]int{}
		began := time.Now()
		out, errs, state := d.campaign(args...)
		if state.ExitCode() != code {
			t.Fatalf("%q: exit %d\n%s", args, state.ExitCode(), errs)
		}
		rss := state.SysUsage().(*syscall.Rusage).Maxrss << 10
		t.Logf("%s: %v, %v of CPU, %d MiB; requests %v", args[0], time.Since(began).Round(100*time.Millisecond), (state.UserTime() + state.SystemTime()).Round(100*time.Millisecond), rss>>20, h.counts)
		if rss > mostMemory {
			t.Errorf("%s takes %d MiB", args[0], rss>>20)
		}
		return out
	}
	out := measure(0, "plan", "--org", "acme", "--author", "Robot <robot@example.com>")
	if !strings.Contains(out, fmt.Sprintf("%d repositories", n)) || h.counts["GET"] != n/100+1 {
		t.Errorf("%s, %d requests", out, h.counts["GET"])
	}
	h.imported(t, 64)
	measure(0, "follow")
	if want := (n/20 + lookAtOnce - 1) / lookAtOnce; h.counts["graphql"] != want {
		t.Errorf("%d questions for %d pull requests, want %d", h.counts["graphql"], n/20, want)
	}
	page := filepath.Join(d.dir, "status.html")
	out = measure(1, "status", "--html", page, "-o", "json")
	var st Status
	if err := json.Unmarshal([]byte(out), &st); err != nil {
		t.Fatal(err)
	}
	if st.Counts["open"] != n/20 || st.Counts["nothing"] != n-n/20 || len(st.Rows) != n {
		t.Errorf("%v", st.Counts)
	}
	info, err := os.Stat(page)
	if err != nil || info.Size() > 8<<20 {
		t.Errorf("the page: %v, %v", info, err)
	}
	t.Logf("the page has %d KB", info.Size()>>10)
}

// imported writes a result for each repository into the store, and a pull request
// for each twentieth, as workers and an opener leave them.
func (h *hub) imported(t *testing.T, shards int) {
	t.Helper()
	s, err := OpenStore(t.Context(), h.bare(h.store), "codeflare-groups", author, h.now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := s.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	digest := p.Digest()
	var in, opened strings.Builder
	file := func(to *strings.Builder, path string, v any) {
		data := encode(v)
		fmt.Fprintf(to, "M 100644 inline %s\ndata %d\n%s\n", path, len(data), data)
	}
	commit := func(to *strings.Builder, ref string) {
		fmt.Fprintf(to, "commit %s%s\ncommitter x <x@x> 0 +0000\ndata 0\n", s.prefix(), ref)
	}
	commit(&opened, "opener")
	for i := range shards {
		commit(&in, fmt.Sprintf("shards/%04d", i))
		mine, err := p.Shard(i, shards)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range mine {
			result := Result{Key: r.Key, Name: r.Name, Digest: digest, Base: strings.Repeat("a", 40), Branch: "main", State: Nothing, Written: "2026-11-02T09:00:00Z"}
			if r.ID%20 == 0 {
				result.State, result.Commit, result.Paths, result.Proven, result.Pack = Changed, strings.Repeat("b", 40), []string{"config/a.yaml"}, 3, strings.Repeat("c", 64)
				pull := &hubPull{number: len(h.pulls) + 1, node: fmt.Sprintf("PR_kwDOABCDEF%d", r.ID), state: "OPEN", repo: h.byID[r.ID], head: result.Commit, still: true}
				h.pulls = append(h.pulls, pull)
				h.byNode[pull.node] = pull
				file(&opened, place("pulls", r.Key, ".json"), Record{Key: r.Key, Name: r.Name, Stage: Opened, Digest: digest, Pushed: []string{result.Commit}, Number: pull.number,
					Node: pull.node, URL: fmt.Sprintf("%s/%s/pull/%d", h.url, r.Name, pull.number), At: "2026-11-02T09:00:00Z"})
			}
			file(&in, place("results", r.Key, ".json"), result)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = h.bare(h.store), io.MultiReader(strings.NewReader(in.String()), strings.NewReader(opened.String()))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
