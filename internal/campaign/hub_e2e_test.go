//go:build e2e

package campaign

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
)

// A hub is a forge for processes of their own: its clock, which moves when one of
// them sleeps, is a part of it, and so is the store of their campaigns.
type hub struct {
	*forgetest.Server
	t     testing.TB
	store string // OWNER/NAME of the repository that every token may push to

	clock sync.Mutex
	fake  time.Time // zero = this machine's clock
}

// Tokens of a hub: one that reads the repositories and pushes to the store, and
// one that writes everywhere.
const (
	readToken  = "token-that-reads"
	writeToken = "token-that-writes"
)

func newHub(t testing.TB, start time.Time) *hub {
	t.Helper()
	h := &hub{t: t, store: "acme/campaigns", fake: start}
	h.Server = forgetest.New(t, t.TempDir(), h.now)
	h.Tokens = map[string]bool{readToken: false, writeToken: true}
	h.Pushable = func(repo string) bool { return repo == h.store }
	h.Requests = 5000
	h.Git(".", "init", "-q", "--bare", "-b", "main", h.Bare(h.store))
	h.Handle("GET /clock", h.serveClock)
	h.Handle("POST /clock", h.serveClock)
	return h
}

// now is the time by the hub's clock.
func (h *hub) now() time.Time {
	h.clock.Lock()
	defer h.clock.Unlock()
	if h.fake.IsZero() {
		return time.Now()
	}
	return h.fake
}

// pass moves the hub's clock.
func (h *hub) pass(d time.Duration) {
	h.clock.Lock()
	defer h.clock.Unlock()
	h.fake = h.fake.Add(d)
}

// serveClock is the clock for other processes: a POST sleeps.
func (h *hub) serveClock(w http.ResponseWriter, r *http.Request) {
	if d, err := time.ParseDuration(r.URL.Query().Get("sleep")); err == nil {
		h.pass(d)
	}
	fmt.Fprint(w, h.now().UnixNano())
}

// seed makes n repositories that share the objects of one, with files.
func (h *hub) seed(n int, files map[string]string) {
	h.t.Helper()
	work := h.t.(interface{ TempDir() string }).TempDir()
	h.Git(".", "init", "-q", "-b", "main", work)
	h.commit(work, files)
	h.seedFrom(n, work)
}

// commit makes a commit of files in a work tree.
func (h *hub) commit(work string, files map[string]string) {
	h.t.Helper()
	for name, text := range files {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			h.t.Fatal(err)
		}
	}
	h.Git(work, "add", "-A")
	h.Git(work, "commit", "-q", "-m", "by a person")
}

// seedFrom makes n repositories of the commits of a work tree.
func (h *hub) seedFrom(n int, work string) {
	h.t.Helper()
	origin := filepath.Join(h.Dir, "origin.git")
	h.Git(".", "clone", "-q", "--bare", work, origin)
	h.Git(origin, "gc", "-q")
	main := h.Git(origin, "rev-parse", "main")
	for i := range n {
		name := fmt.Sprintf("acme/r%03d", i)
		h.Add(name)
		dir := h.Bare(name)
		for _, f := range []string{"objects/info", "objects/pack", "refs/heads"} {
			if err := os.MkdirAll(filepath.Join(dir, f), 0o755); err != nil {
				h.t.Fatal(err)
			}
		}
		for f, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
			"objects/info/alternates": origin + "/objects\n", "refs/heads/main": main + "\n"} {
			if err := os.WriteFile(filepath.Join(dir, f), []byte(text), 0o644); err != nil {
				h.t.Fatal(err)
			}
		}
	}
}
