package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge/github"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/testing/memtest"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A world is what a campaign goes through in a test: a forge with git over
// smart HTTP, a store in a folder, a clock that moves when
// it is told to.
type world struct {
	t     *testing.T
	root  string // of the bare repositories
	store string
	id    string // of the campaign
	forge *forgetest.Server
	api   *github.Client // of the forge

	mu  sync.Mutex
	now time.Time
}

// runProcess is what this program does instead of tests, and its exit code, when
// a test has started it as a process of its own; nil = nothing.
var runProcess func() (code int, did bool)

// TestMain keeps the configuration of whoever runs the tests out of them, and
// their worlds in memory.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if runProcess != nil {
		if code, did := runProcess(); did {
			os.Exit(code)
		}
	}
	os.Exit(memtest.Run(m))
}

func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	w := &world{t: t, id: "groups", root: t.TempDir(), now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)}
	w.store = filepath.Join(t.TempDir(), "campaigns.git")
	if err := git.MakeBare(w.store); err != nil {
		t.Fatal(err)
	}
	hooks := t.TempDir() // no branch is deleted, but for those that are made to have something signed
	hook := "#!/bin/sh\nif [ -e rule ]; then echo 'GH013: Repository rule violations found' >&2; exit 1; fi\nif [ -e deletes ]; then exit 0; fi\ncase $1:$3 in *-signing:*) ;; *:*[!0]*) ;; *) exit 1;; esac\n"
	if err := os.WriteFile(filepath.Join(hooks, "update"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	w.forge = forgetest.New(t, w.root, w.clock, "core.hooksPath="+hooks)
	w.forge.Says.Checked = "PENDING"
	queue := &wire.Queue{Now: w.clock, Sleep: func(_ context.Context, d time.Duration) error { w.pass(d); return nil }}
	client, err := github.New(w.forge.URL+"/api/v3", func() string { return "" }, queue)
	if err != nil {
		t.Fatal(err)
	}
	w.api = client
	return w
}

func (w *world) git(dir string, args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=P", "GIT_AUTHOR_EMAIL=p@example.com", "GIT_COMMITTER_NAME=P", "GIT_COMMITTER_EMAIL=p@example.com",
		"GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// bare is the folder of a repository.
func (w *world) bare(name string) string {
	return filepath.Join(w.root, filepath.FromSlash(name)+".git")
}

// commit makes a commit of files on a branch of a repository, as a maintainer does.
// A repository that is not there is made. Files with no content are removed.
func (w *world) commit(name, branch string, files map[string]string) string {
	w.t.Helper()
	bare := w.bare(name)
	if _, err := os.Stat(bare); err != nil {
		w.git(".", "init", "-q", "--bare", "-b", "main", bare)
	}
	r, err := (&git.Cache{Dir: w.t.TempDir()}).Mirror(w.t.Context(), "file://"+bare, git.Commits, false)
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	old, err := git.RemoteRef(w.t.Context(), "file://"+bare, "refs/heads/"+branch)
	if err == nil && old != "" {
		err = r.FetchCommits(w.t.Context(), old)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	var changes []git.Change
	for path, text := range files {
		changes = append(changes, git.Change{Path: path, Data: []byte(text), Delete: text == ""})
	}
	tree, err := r.WriteTree(w.t.Context(), old, changes)
	if err != nil {
		w.t.Fatal(err)
	}
	c := git.NewCommit{Tree: tree, Message: "by a person", Author: git.Identity{Name: "P", Email: "p@example.com"}, Time: time.Unix(1700000000, 0)}
	if old != "" {
		c.Parents = []string{old}
	}
	hash, err := r.CommitTree(w.t.Context(), c)
	if err == nil {
		err = r.Push(w.t.Context(), "file://"+bare, git.Update{Ref: "refs/heads/" + branch, Old: old, New: hash})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return hash
}

// rule has the server refuse every push to a repository, or take them again.
func (w *world) rule(name string, refuses bool) {
	w.t.Helper()
	file := filepath.Join(w.bare(name), "rule")
	err := os.RemoveAll(file)
	if refuses {
		err = os.WriteFile(file, nil, 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// oldManifest holds a name that moves.
const oldManifest = "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\nmetadata:\n  name: a\n"

// seed makes n repositories with a manifest that moves.
func (w *world) seed(n int) {
	w.commit("acme/r00", "main", map[string]string{"a.yaml": oldManifest, "README.md": "hello\n"})
	w.forge.Add("acme/r00")
	for i := 1; i < n; i++ {
		name := fmt.Sprintf("acme/r%02d", i)
		w.git(".", "clone", "-q", "--bare", "--shared", w.bare("acme/r00"), w.bare(name))
		w.forge.Add(name)
	}
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass moves the clock.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

var author = git.Identity{Name: "Robot", Email: "robot@example.com"}

func (w *world) open() *Store {
	w.t.Helper()
	s, err := OpenStore(w.t.Context(), w.store, w.id, author, w.clock)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Close() })
	return s
}

// plan makes and writes the plan of a campaign over all that the forge has.
func (w *world) plan(change ...func(*Plan)) *Plan {
	w.t.Helper()
	text, err := migrate.BuiltinSource("codeflare-groups")
	if err != nil {
		w.t.Fatal(err)
	}
	p := &Plan{Schema: schema, ID: w.id, Version: "v1", Rulesets: []Rules{{"codeflare-groups", string(text)}}, Author: author, Title: "Move the groups",
		Servers: Servers{API: "x", Git: w.forge.URL}}
	list, err := w.api.Repositories(w.t.Context(), "acme")
	if err != nil && !errors.Is(err, wire.ErrNotFound) {
		w.t.Fatal(err)
	}
	p.Choose(list, Filters{})
	for _, c := range change {
		c(p)
	}
	if err := w.open().WritePlan(w.t.Context(), p); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// work evaluates everything, in one shard.
func (w *world) work(p *Plan) Worked {
	w.t.Helper()
	done, err := (&Work{Store: w.open(), Jobs: 2}).Shard(w.t.Context(), p, 0, 1)
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

func (w *world) result(p *Plan, name string) *Result {
	w.t.Helper()
	all, err := w.open().Results(w.t.Context(), p)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range all {
		if r.Name == name {
			return r
		}
	}
	w.t.Fatalf("no result of %s", name)
	return nil
}
