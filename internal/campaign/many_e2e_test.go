//go:build e2e

package campaign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
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

// TestManyRepositories takes a campaign through hundreds of repositories, with a
// forge whose limits are exactly the budget, openers that are killed again and
// again, and people who close every tenth pull request: none is opened twice, and
// no request is above a limit.
func TestManyRepositories(t *testing.T) {
	n := many(t, 500)
	w := newWorld(t)
	w.seed(n)
	w.forge.perMin, w.forge.perHour = 5, 200
	p := w.plan()
	began := time.Now()
	for i := range 4 {
		if _, err := (&Work{Store: w.open(), Jobs: 2}).Shard(t.Context(), p, i, 4); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d repositories judged in %v", n, time.Since(began).Round(time.Second))
	began = time.Now()
	killed := errors.New("killed")
	for k := 0; ; k++ {
		ctx, kill := context.WithCancel(t.Context())
		writes := 0
		_, err := w.opens(func(o *Open) {
			o.Holder = fmt.Sprint("opener ", k)
			o.Store.wrote = func(string) error {
				if writes++; writes < 29+k {
					return nil
				}
				kill()
				return killed
			}
		}).Run(ctx, p)
		kill()
		for i, pull := range w.forge.pulls {
			if i%10 == 3 {
				pull.State = "closed"
			}
		}
		w.follow()
		if err == nil {
			break
		}
		w.pass(2 * leaseTime)
	}
	t.Logf("%d opened in %v, %v by the clock of the test", len(w.forge.pulls), time.Since(began).Round(time.Second), w.clock().Sub(w.forge.times[0]))
	seen := map[int64]bool{}
	for _, pull := range w.forge.pulls {
		if seen[pull.repo] {
			t.Errorf("repository %d has two", pull.repo)
		}
		seen[pull.repo] = true
	}
	if len(seen) != n || w.forge.refused > 0 {
		t.Errorf("%d repositories have one; %d requests were above a limit", len(seen), w.forge.refused)
	}
	if made := w.run(p); made != 0 {
		t.Errorf("a last run opened %d", made)
	}
}

// TestManyResults counts a campaign of fifty thousand from its store, and says
// the memory that it takes.
func TestManyResults(t *testing.T) {
	n := many(t, 50_000)
	w := newWorld(t)
	p := w.plan(func(p *Plan) {
		for i := range n {
			p.Repositories = append(p.Repositories, Repository{Key: keyOfID(int64(i)), ID: int64(i), Name: fmt.Sprintf("acme/r%d", i), URL: fmt.Sprintf("https://x/r%d", i), Weight: int64(i)})
		}
	})
	const shards = 64
	var in strings.Builder
	for s := range shards {
		fmt.Fprintf(&in, "commit refs/cfctl/campaigns/groups/shards/%04d\ncommitter x <x@x> 0 +0000\ndata 0\n", s)
		for i := s; i < n; i += shards {
			r := Result{Key: keyOfID(int64(i)), Name: fmt.Sprintf("acme/r%d", i), Digest: p.Digest(), Base: strings.Repeat("a", 40), Branch: "main", State: Nothing}
			if i%20 == 0 {
				r.State, r.Commit, r.Paths, r.Proven = Changed, strings.Repeat("b", 40), []string{"a.yaml"}, 3
			}
			data, _ := json.Marshal(r)
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", place("results", r.Key, ".json"), len(data), data)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = w.store, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	in.Reset()
	runtime.GC()
	began := time.Now()
	st, err := Count(t.Context(), w.open())
	if err != nil {
		t.Fatal(err)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("%d repositories counted in %v; heap %d MiB, from the system %d MiB", n, time.Since(began).Round(100*time.Millisecond), mem.HeapAlloc>>20, mem.Sys>>20)
	if st.Counts["ready"] != (n+19)/20 || len(st.Rows) != n {
		t.Errorf("%v", st.Counts)
	}
	if _, err := st.Page(); err != nil {
		t.Error(err)
	}
}
