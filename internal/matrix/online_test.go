package matrix

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A hub is a server of git over smart HTTP (git http-backend), as GitHub is.
type hub struct {
	*httptest.Server
	root string

	mu       sync.Mutex
	asked    map[string]int // requests for refs, by repository
	now, top int            // requests for refs under way at the same time
}

func newHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{root: t.TempDir(), asked: map[string]int{}}
	exe := strings.TrimSpace(run(t, h.root, "--exec-path"))
	backend := &cgi.Handler{Path: filepath.Join(exe, "git-http-backend"), Env: []string{"GIT_PROJECT_ROOT=" + h.root, "GIT_HTTP_EXPORT_ALL=1",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=uploadpack.allowFilter", "GIT_CONFIG_VALUE_0=true", // partial clones, as forges do
		"GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true"}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		repo, ok := strings.CutSuffix(r.URL.Path, "/info/refs")
		if ok {
			h.enter(repo)
			defer h.leave()
		}
		switch repo {
		case "/org/secret":
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		case "/org/hangs":
			<-r.Context().Done()
		default:
			backend.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// enter counts a request, and holds it until all that can run at the same time
// had the chance to arrive.
func (h *hub) enter(repo string) {
	h.mu.Lock()
	h.asked[repo]++
	h.now++
	h.top = max(h.top, h.now)
	h.mu.Unlock()
	time.Sleep(150 * time.Millisecond)
}

func (h *hub) leave() { h.mu.Lock(); h.now--; h.mu.Unlock() }

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// add makes a repository with tags.
func (h *hub) add(t *testing.T, name string, tags ...string) {
	t.Helper()
	dir := filepath.Join(h.root, "org", name)
	run(t, h.root, "init", "-q", "--bare", "-b", "main", dir)
	work := t.TempDir()
	run(t, work, "init", "-q", "-b", "main")
	run(t, work, "commit", "-q", "--allow-empty", "-m", "x")
	for i, tag := range tags {
		args := []string{"tag", tag}
		if i%2 == 1 {
			args = []string{"tag", "-a", "-m", "annotated", tag}
		}
		run(t, work, args...)
	}
	run(t, work, "push", "-q", "--tags", dir, "HEAD:main")
}

// onlineStack has components c0 (the root) to cN, whose repositories are on the hub.
func (h *hub) onlineStack(t *testing.T, names ...string) (*stack.Stack, fstest.MapFS) {
	t.Helper()
	s := &stack.Stack{Root: "app", Components: []stack.Component{{Name: "app", Repository: h.URL + "/org/app"}}}
	table := "| Component | Version |\n|---|---|\n| app | v1.0.0 |\n"
	for i, name := range names {
		s.Components = append(s.Components, stack.Component{Name: fmt.Sprintf("c%d", i), Repository: h.URL + "/org/" + name})
		table += fmt.Sprintf("| c%d | v1.0.0 |\n", i)
	}
	if err := s.Complete(""); err != nil {
		t.Fatal(err)
	}
	return s, fstest.MapFS{"README.md": {Data: []byte(table)}}
}

func TestOnlineAsksEachRepositoryOnce(t *testing.T) {
	h := newHub(t)
	var names []string
	for i := range 6 {
		name := fmt.Sprintf("r%d", i)
		h.add(t, name, "v0.9.0", "v1.0.0")
		names = append(names, name)
	}
	h.add(t, "old", "v0.9.0")
	h.add(t, "bare")
	names = append(names, "old", "bare", "r0") // the last one shares its repository
	s, tree := h.onlineStack(t, names...)
	findings, err := Run(t.Context(), &Input{Stack: s, Config: &Config{}, Tree: tree, Tags: (&git.Remotes{}).Tags})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findings {
		got = append(got, told(f)+": "+f.Hint)
	}
	want := "README.md:10 tag-not-found c6: nearest release: v0.9.0\nREADME.md:11 tag-not-found c7: " + h.URL + "/org/bare has no tag at all"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	for _, name := range names {
		if n := h.asked["/org/"+name]; n != 1 {
			t.Errorf("%s was asked %d times", name, n)
		}
	}
	if len(h.asked) != 8 || h.top < 4 {
		t.Errorf("%d repositories were asked, %d at the same time", len(h.asked), h.top)
	}
}

// TestUnknownIsNotMissing: a remote that cannot be asked is trouble, and never
// a missing tag.
func TestUnknownIsNotMissing(t *testing.T) {
	h := newHub(t)
	h.add(t, "good", "v1.0.0")
	for name, x := range map[string]struct {
		text    string
		timeout time.Duration // 0 = that of cfctl
	}{
		"secret": {"Authentication failed", 0},
		"hangs":  {"no answer within", time.Second},
		"gone":   {"not found", 0},
	} {
		s, tree := h.onlineStack(t, "good", name)
		findings, err := Run(t.Context(), &Input{Stack: s, Config: &Config{}, Tree: tree, Tags: (&git.Remotes{Timeout: x.timeout}).Tags})
		var remote *git.RemoteError
		if !errors.As(err, &remote) || len(findings) > 0 || !strings.Contains(err.Error(), x.text) {
			t.Errorf("%s: %v, %v", name, findings, err)
		}
	}
	s, tree := h.onlineStack(t, "good")
	h.Close()
	if _, err := Run(t.Context(), &Input{Stack: s, Config: &Config{}, Tree: tree, Tags: (&git.Remotes{}).Tags}); err == nil {
		t.Error("a server that is down is no error")
	}
}
