//go:build e2e

package campaign

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
)

// A desk is where a maintainer sits: cfctl, and what it needs to know of a hub.
type desk struct {
	t     *testing.T
	h     *hub
	exe   string
	dir   string
	env   []string
	token string // file
}

func newDesk(t *testing.T, h *hub) *desk {
	t.Helper()
	d := &desk{t: t, h: h, dir: t.TempDir()}
	d.exe, d.token = filepath.Join(d.dir, "cfctl"), filepath.Join(d.dir, "token")
	if out, err := exec.Command("go", "build", "-o", d.exe, "../../cmd/cfctl").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	if err := os.WriteFile(d.token, []byte(readToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.env = append(os.Environ(), "HOME="+d.dir, "GITHUB_API_URL="+h.URL+"/api/v3", "GITHUB_SERVER_URL="+h.URL, "CFCTL_TOKEN_FILE="+d.token, "TMPDIR="+d.dir)
	return d
}

// campaign runs a command of a campaign in the hub's store.
func (d *desk) campaign(args ...string) (out, errs string, state *os.ProcessState) {
	d.t.Helper()
	cmd := exec.Command(d.exe, append(append([]string{"campaign"}, args...), "--store", d.h.URL+"/"+d.h.store+".git")...)
	cmd.Dir, cmd.Env = d.dir, d.env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		d.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState
}

func (d *desk) must(code int, args ...string) string {
	d.t.Helper()
	out, errs, state := d.campaign(args...)
	if state.ExitCode() != code {
		d.t.Fatalf("cfctl campaign %q: exit %d\n%s%s", args, state.ExitCode(), out, errs)
	}
	return out
}

// refs are the refs of the store.
func (h *hub) refs() map[string]string {
	h.t.Helper()
	refs := map[string]string{}
	for line := range strings.Lines(h.Git(h.Bare(h.store), "for-each-ref", "--format=%(refname) %(objectname)")) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = hash
	}
	return refs
}

func shardsOf(refs map[string]string) map[string]string {
	shards := maps.Clone(refs)
	maps.DeleteFunc(shards, func(name, _ string) bool { return !strings.Contains(name, "/shards/") })
	return shards
}

// TestCampaignOnKubernetes applies what `campaign manifests` prints to a real API
// server with the real controllers of Jobs and CronJobs. A worker that is killed
// is resumed, a shard that fails for good stops no other, a second run moves no
// ref, a suspended Job has no pod, as Kueue does it; tokens are read again after
// they change; only the opener can write, and there is never more than one.
func TestCampaignOnKubernetes(t *testing.T) {
	t.Parallel()
	const repositories, shards = 48, 8
	h := newHub(t, time.Time{})
	h.seed(repositories, map[string]string{"a.yaml": oldManifest, "README.md": "hello\n"})
	d := newDesk(t, h)
	c := newCluster(t, d.exe)
	d.must(0, "plan", "--org", "acme", "--author", "Robot <robot@example.com>")
	manifests := d.must(0, "manifests", "--shards", fmt.Sprint(shards), "--parallelism", "3", "--image", "cfctl:e2e", "--schedule", "* * * * *", "--work-schedule", "0 0 1 1 *", "--queue", "user-queue",
		"--open-arg=--max-open=6", "--open-arg=--per-minute=80")
	// Attempts are 10, 20 and 40 s apart; one repetition is enough here.
	manifests = strings.Replace(manifests, "backoffLimitPerIndex: 3", "backoffLimitPerIndex: 1", 1)

	// Index 3 is killed when it reads its third repository, index 4 is evicted,
	// and nothing of index 5 is taken.
	h.strikeShard(t, 3, shards, func() { c.node.kill(3, syscall.SIGKILL) }, 4, func() { c.node.kill(4, syscall.SIGTERM) })
	hook := filepath.Join(h.Bare(h.store), "hooks", "update")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ncase $1 in */shards/0005) echo no; exit 1;; esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	opening, openers := 0, 0
	c.node.began = func(p core.Pod) {
		if p.Spec.Containers[0].Name != "open" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		openers++
		opening = max(opening, c.node.under("open"))
	}
	c.secret("cfctl-read", readToken)
	c.secret("cfctl-write", writeToken)
	names := c.apply(manifests)
	job := names["Job"][0]
	if j := c.job(job); j.Labels["kueue.x-k8s.io/queue-name"] != "user-queue" {
		t.Errorf("labels %v", j.Labels)
	}
	j, how := c.ended(job)
	if how != batch.JobFailed || j.Status.CompletedIndexes != "0-4,6,7" || j.Status.FailedIndexes == nil || *j.Status.FailedIndexes != "5" {
		t.Errorf("%s: completed %s, failed %v", how, j.Status.CompletedIndexes, j.Status.FailedIndexes)
	}
	t.Logf("index 3: %q", c.node.told("3"))
	t.Logf("index 4: %q", c.node.told("4"))
	t.Logf("index 5: %q", c.node.told("5"))
	if got := c.node.told("3"); len(got) != 2 || !strings.HasPrefix(got[0], "exit 137") || !strings.HasPrefix(got[1], "exit 0: shard 3 of 8: 6 repositories: 6 changed") {
		t.Errorf("index 3: %q", got)
	}
	if got := c.node.told("4"); len(got) != 2 || !strings.HasPrefix(got[0], "exit 2") || strings.Contains(got[1], " 0 had a result already") {
		t.Errorf("index 4 lost what it had evaluated: %q", got)
	}
	if got := c.node.told("5"); len(got) != 2 || !strings.HasPrefix(got[1], "exit 2") {
		t.Errorf("index 5: %q", got)
	}
	if c.node.most < 3 {
		t.Errorf("at most %d containers at a time", c.node.most)
	}

	// What the shard could not write is written by the next run; nothing else moves.
	before := shardsOf(h.refs())
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if how := c.start("codeflare-groups-work", "again"); how != batch.JobComplete {
		t.Errorf("the second run: %s", how)
	}
	after := shardsOf(h.refs())
	for name, hash := range before {
		if after[name] != hash {
			t.Errorf("%s was moved", name)
		}
	}
	if len(after) != len(before)+1 || len(after) != shards {
		t.Errorf("%d shards, %d before", len(after), len(before))
	}

	// A suspended Job has no pod. By the time it goes on the token is another.
	c.remove(job)
	work, _, _ := strings.Cut(manifests, "\n---\n")
	c.apply(strings.Replace(work, "\nspec:\n", "\nspec:\n  suspend: true\n", 1))
	time.Sleep(2 * time.Second)
	if n := c.node.under("work"); n != 0 {
		t.Errorf("%d pods of a suspended Job", n)
	}
	h.Mu.Lock()
	delete(h.Tokens, readToken)
	h.Tokens["token-of-the-next-hour"] = false
	h.Mu.Unlock()
	c.secret("cfctl-read", "token-of-the-next-hour")
	c.must("PATCH", jobsPath+"/"+job, map[string]any{"spec": map[string]any{"suspend": false}})
	if _, how := c.ended(job); how != batch.JobComplete {
		t.Errorf("after it was suspended: %s", how)
	}
	if !maps.Equal(shardsOf(h.refs()), after) {
		t.Error("a run with nothing to do moved a ref")
	}
	for i := range shards {
		told := c.node.told(fmt.Sprint(i))
		if !strings.HasSuffix(told[len(told)-1], "6 had a result already") {
			t.Errorf("index %d: %q", i, told)
		}
	}
	if h.Used["token-of-the-next-hour"] == 0 {
		t.Error("the new token was not used")
	}

	// The CronJobs have run meanwhile, one opener at a time.
	c.until("the CronJobs opened six", 3*time.Minute, func() bool { h.Mu.Lock(); defer h.Mu.Unlock(); return len(h.Pulls) == 6 })
	c.until("the CronJobs followed six", 3*time.Minute, func() bool { h.Mu.Lock(); defer h.Mu.Unlock(); return h.Counts["graphql"] > 0 })
	mu.Lock()
	if openers == 0 || opening > 1 {
		t.Errorf("%d openers ran, %d at a time", openers, opening)
	}
	t.Logf("%d openers ran, %d at a time; at most %d containers", openers, opening, c.node.most)
	mu.Unlock()

	// Nothing is left: the controller removes what has ended.
	c.must("PATCH", jobsPath+"/"+job, map[string]any{"spec": map[string]any{"ttlSecondsAfterFinished": 0}})
	c.until("the Job is removed", time.Minute, func() bool { status, _ := c.do("GET", jobsPath+"/"+job, nil); return status == 404 })
}

// strikeShard calls a function once when a shard's third repository is read, for
// two shards.
func (h *hub) strikeShard(t *testing.T, one, of int, strike func(), other int, second func()) {
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
	var mu sync.Mutex
	watch := func(index int, strike func()) func(string) {
		repos, err := p.Shard(index, of)
		if err != nil {
			t.Fatal(err)
		}
		seen, struck := map[string]bool{}, false
		return func(name string) {
			if !slices.ContainsFunc(repos, func(r Repository) bool { return r.Name == name }) {
				return
			}
			seen[name] = true
			if len(seen) == 4 && !struck {
				struck = true
				go strike()
			}
		}
	}
	first, then := watch(one, strike), watch(other, second)
	h.Fetched = func(name string) {
		mu.Lock()
		defer mu.Unlock()
		first(name)
		then(name)
	}
}

// under counts the containers of a name that run.
func (k *kubelet) under(name string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, r := range k.pods {
		if r.pod.Spec.Containers[0].Name == name && !r.ended.Load() {
			n++
		}
	}
	return n
}
