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

	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
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
// before it has an effect or after (with CFCTL_KILL=all both), with the git processes
// that they started and without. The next run leaves one pull request.
func TestKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	h := newHub(t, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC))
	h.seed(1, map[string]string{"a.yaml": oldManifest})
	ways := []string{"plan", "work", "open", "follow"}
	killed := map[string]int{}
	all, moments := os.Getenv("CFCTL_KILL") == "all", []bool{false, true}
	for at := 1; ; at++ {
		began, ended := len(h.Pulls), 0
		if !all {
			moments = []bool{at%2 == 0}
		}
		for _, done := range moments {
			k := task{Hub: h.URL, ID: fmt.Sprintf("kill-%d-%t", at, done), Budget: Budget{5, 200}, Of: 1}
			var now atomic.Pointer[process]
			h.Mu.Lock()
			h.Writes = 0
			h.Strike = func(_ string, n int, after bool) bool {
				if n == at && after == done {
					now.Load().kill(at/2%2 == 0)
				}
				return false
			}
			h.Mu.Unlock()
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
			h.Mu.Lock()
			h.Strike = nil
			h.Mu.Unlock()
			h.Rest()
			h.pass(2 * leaseTime)
			for _, k.Do = range ways {
				k.Holder = "two"
				do(t, k)
			}
			made := 0
			for _, p := range h.Pulls {
				if p.Branch == "cfctl/"+k.ID {
					made++
				}
			}
			if made != 1 {
				t.Errorf("killed at write %d (after it: %t): %d pull requests", at, done, made)
			}
			pulls := len(h.Pulls)
			k.Do = "open"
			do(t, k)
			if len(h.Pulls) != pulls {
				t.Errorf("killed at write %d: a second run opened one", at)
			}
		}
		if len(h.Pulls) != began+len(moments) {
			t.Errorf("write %d: %d pull requests", at, len(h.Pulls)-began)
		}
		if ended == 0 {
			t.Logf("%d writes, each killed: %v", at-1, killed)
			break
		}
	}
	for _, way := range ways {
		if killed[way] < len(moments) {
			t.Errorf("%s was killed %d times", way, killed[way])
		}
	}
}

// TestManyRepositories takes a campaign through many repositories (CFCTL_CAMPAIGN says how many): each
// command is a process of its own, over HTTP, against a forge whose limits are
// exactly the budget. Workers and openers are killed again and again, a second
// opener comes in between, and people close, edit, merge, force-push, rename,
// archive and change the default branch. No repository has two pull requests, no
// window of 60 minutes has more than the budget, and no one is overruled.
func TestManyRepositories(t *testing.T) {
	t.Parallel()
	n := many(t, 50)
	h := newHub(t, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC))
	h.seed(n, map[string]string{"a.yaml": oldManifest, "README.md": "hello\n"})
	h.PerMinute, h.PerHour = 5, 40
	k := task{Hub: h.URL, ID: "groups", Budget: Budget{5, 40}, Of: 2, Do: "plan"}
	do(t, k)
	began := time.Now()
	kills := h.workers(t, k)
	t.Logf("%d repositories evaluated in %v by 2 workers, killed %d times", n, time.Since(began).Round(time.Second), kills)
	began = time.Now()
	p := &crowd{t: t, h: h, branch: "cfctl/groups", want: map[*forgetest.Repository]Stage{}, heads: map[*forgetest.Repository]string{}}
	kills, refused := 0, 0
	for {
		k.Do, k.Holder = "open", fmt.Sprint("opener ", kills)
		h.Mu.Lock()
		from, last := h.Writes, h.Writes+61+2*kills
		held, goOn := make(chan struct{}), make(chan struct{})
		var first *process
		h.Strike = func(_ string, n int, after bool) bool {
			if n >= last && after == (kills%2 == 0) {
				first.kill(kills%3 == 0)
			}
			if n == from+2 && !after && kills%4 == 1 { // its first write behind the lease
				close(held)
				<-goOn
			}
			return false
		}
		first = begin(t, k)
		h.Mu.Unlock()
		ended := make(chan int, 1)
		go func() { ended <- first.wait() }()
		var code int
		select {
		case code = <-ended:
		case <-held:
			k.Holder = "another"
			if begin(t, k).wait() == 3 {
				refused++
			}
			close(goOn)
			code = <-ended
		}
		h.Mu.Lock()
		h.Strike = nil
		h.Mu.Unlock()
		h.Rest()
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
	t.Logf("%d opened in %v, %v by the hub's clock; %d kills, %d second openers sent away; requests %v, %d KB of git", len(h.Pulls), time.Since(began).Round(time.Second),
		h.now().Sub(h.Content[0]).Round(time.Minute), kills, refused, h.Counts, h.Sent.Load()>>10)
	t.Logf("most in a minute %d, in 60 minutes %d", h.Crowded(time.Minute), h.Crowded(time.Hour))
	if h.Crowded(time.Minute) > 5 || h.Crowded(time.Hour) > 40 || h.Counts["limited"] > 0 {
		t.Errorf("%d requests were above a limit", h.Counts["limited"])
	}
	seen := map[string]bool{}
	for _, pull := range h.Pulls {
		if seen[pull.Repo] {
			t.Errorf("%s has two", pull.Repo)
		}
		seen[pull.Repo] = true
	}
	if refused == 0 {
		t.Error("no second opener was sent away")
	}
	// They go on, everything is evaluated again, and a last run opens nothing.
	for _, r := range p.acted() {
		if r.Default == "main" && !r.Archived {
			h.Push(r.Name, "main", map[string]string{"later.txt": "later\n"})
		}
	}
	pulls := len(h.Pulls)
	for k.Index = range 2 {
		k.Do = "work"
		do(t, k)
	}
	for _, k.Do = range []string{"open", "follow"} {
		k.Holder = "last"
		do(t, k)
	}
	p.obeyed(h.stages(t, k))
	for _, pull := range h.Pulls[pulls:] {
		if p.want[h.Repo(pull.Repo)] != again {
			t.Errorf("the last run opened one in %s", pull.Repo)
		}
	}
}

// workers evaluates all shards, each in a process that is killed a few times.
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

// stages are the stages of all repositories, by number.
func (h *hub) stages(t *testing.T, k task) map[int64]Stage {
	t.Helper()
	s, err := OpenStore(t.Context(), h.Bare(h.store), k.ID, author, h.now)
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
	_, _, _, seen, err := s.known(t.Context())
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

// A crowd does what people do with pull requests, and with repositories.
type crowd struct {
	t      *testing.T
	h      *hub
	branch string
	done   int                              // pull requests that they have seen
	want   map[*forgetest.Repository]Stage  // what must be known of those that they decided about
	heads  map[*forgetest.Repository]string // branches that must stay where they are
}

// act decides about pull requests that are new: two of three are left alone. The
// repositories at the end of the list, which are not open yet, are renamed,
// archived and given another default branch.
func (p *crowd) act() {
	h := p.h
	for ; p.done < len(h.Pulls); p.done++ {
		pull := h.Pulls[p.done]
		r := h.Repo(pull.Repo)
		switch p.done % 15 {
		case 1:
			h.Close(pull)
			p.want[r] = Declined
		case 4:
			p.heads[r] = h.Push(pull.Repo, p.branch, map[string]string{"a.yaml": "edited\n"})
			p.want[r] = Edited
		case 7:
			h.Take(pull)
			p.want[r] = Merged
		case 10: // force-push: the branch has another history
			old := h.Head(r.Name, "main")
			dir := h.Bare(pull.Repo)
			mine := h.Git(dir, "commit-tree", old+"^{tree}", "-p", old, "-m", "mine")
			h.Git(dir, "update-ref", "refs/heads/"+p.branch, mine)
			p.heads[r], p.want[r] = mine, Edited
		case 13:
			h.Rename(r, r.Name+"-renamed")
			p.want[r] = Opened
		}
	}
	if len(p.want) == 0 || h.Repositories[len(h.Repositories)-1].Archived {
		return
	}
	for i, r := range h.Repositories[len(h.Repositories)*9/10:] {
		if h.Newest(r.Name) != nil {
			continue
		}
		switch i % 4 {
		case 0:
			h.Rename(r, r.Name+"-moved")
			p.want[r] = Opened
		case 1:
			h.Mu.Lock()
			r.Archived = true
			h.Mu.Unlock()
			p.want[r] = Away
		case 2:
			dir := h.Bare(r.Name)
			h.Git(dir, "update-ref", "refs/heads/trunk", h.Head(r.Name, "main"))
			h.Git(dir, "symbolic-ref", "HEAD", "refs/heads/trunk")
			h.Mu.Lock()
			r.Default = "trunk"
			h.Mu.Unlock()
			p.want[r] = again
		}
	}
	last := h.Repositories[len(h.Repositories)-1]
	if h.Newest(last.Name) == nil {
		h.Mu.Lock()
		last.Archived = true
		h.Mu.Unlock()
		p.want[last] = Away
	}
}

// again is what is wanted of a repository whose default branch was changed: it is
// stale until it is worked again, and opened then.
const again Stage = "again"

func (p *crowd) acted() []*forgetest.Repository { return slices.Collect(maps.Keys(p.want)) }

// obeyed holds what is known, and what the forge has, against what they decided.
func (p *crowd) obeyed(stages map[int64]Stage) {
	p.t.Helper()
	counts := map[Stage]int{}
	for _, r := range p.h.Repositories {
		got := stages[r.ID]
		counts[got]++
		want, decided := p.want[r]
		if !decided {
			want = Opened
		}
		if want == again {
			want = Opened
		}
		if got != want {
			p.t.Errorf("%s is %s, want %s", r.Name, got, want)
		}
		if at, kept := p.heads[r]; kept && p.h.Head(r.Name, p.branch) != at {
			p.t.Errorf("%s: the branch was moved away from a person's commit", r.Name)
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
		h.Add(fmt.Sprintf("acme/service-with-a-name-%d", i))
	}
	d := newDesk(t, h)
	measure := func(code int, args ...string) string {
		t.Helper()
		h.Counts = map[string]int{}
		began := time.Now()
		out, errs, state := d.campaign(args...)
		if state.ExitCode() != code {
			t.Fatalf("%q: exit %d\n%s", args, state.ExitCode(), errs)
		}
		rss := state.SysUsage().(*syscall.Rusage).Maxrss << 10
		t.Logf("%s: %v, %v of CPU, %d MiB; requests %v", args[0], time.Since(began).Round(100*time.Millisecond), (state.UserTime() + state.SystemTime()).Round(100*time.Millisecond), rss>>20, h.Counts)
		if rss > mostMemory {
			t.Errorf("%s takes %d MiB", args[0], rss>>20)
		}
		return out
	}
	out := measure(0, "plan", "--org", "acme", "--author", "Robot <robot@example.com>")
	if !strings.Contains(out, fmt.Sprintf("%d repositories", n)) || h.Counts["GET"] != n/100+1 {
		t.Errorf("%s, %d requests", out, h.Counts["GET"])
	}
	h.imported(t, 64)
	measure(0, "follow")
	if want := (n/20 + lookAtOnce - 1) / lookAtOnce; h.Counts["graphql"] != want {
		t.Errorf("%d questions for %d pull requests, want %d", h.Counts["graphql"], n/20, want)
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
	s, err := OpenStore(t.Context(), h.Bare(h.store), "codeflare-groups", author, h.now)
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
				result.State, result.Commit, result.Paths, result.Proven = Changed, strings.Repeat("b", 40), []string{"config/a.yaml"}, 3
				pull := &forgetest.Pull{Number: len(h.Pulls) + 1, Repo: r.Name, State: "open", SHA: result.Commit, Still: true}
				h.Pulls = append(h.Pulls, pull)
				file(&opened, place("pulls", r.Key), Record{Key: r.Key, Name: r.Name, Stage: Opened, Digest: digest, Pushed: []string{result.Commit}, Number: pull.Number,
					Node: pull.Node(), URL: fmt.Sprintf("%s/%s/pull/%d", h.URL, r.Name, pull.Number), At: "2026-11-02T09:00:00Z"})
			}
			file(&in, place("results", r.Key), result)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = h.Bare(h.store), io.MultiReader(strings.NewReader(in.String()), strings.NewReader(opened.String()))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
