package git

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A trap is a file that every program which a hostile configuration names
// writes its name into.
type trap struct {
	t    *testing.T
	file string
}

func newTrap(t *testing.T) *trap {
	if runtime.GOOS == "windows" {
		t.Skip("the traps are written for a POSIX shell")
	}
	return &trap{t, filepath.Join(t.TempDir(), "ran")}
}

// ran is what ran since the last time.
func (p *trap) ran() string {
	data, _ := os.ReadFile(p.file)
	_ = os.Remove(p.file)
	return strings.Join(strings.Fields(string(data)), " ")
}

// script is a program that springs the trap.
func (p *trap) script(name string) string {
	file := filepath.Join(p.t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho "+name+" >>"+p.file+"\nexit 1\n"), 0o755); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// arm sets every key of a repository's configuration that can start a program.
func (p *trap) arm(dir string) {
	say := func(name string) string { return "echo " + name + " >>" + p.file + "; cat" }
	for key, value := range map[string]string{
		"core.fsmonitor": p.script("fsmonitor"), "core.hooksPath": filepath.Dir(p.hooks()), "core.sshCommand": say("ssh"), "core.pager": say("pager"),
		"core.askPass": p.script("askpass"), "core.editor": say("editor"), "core.alternateRefsCommand": say("alternates"), "core.gitProxy": p.script("proxy"),
		"core.attributesFile": "/dev/null", "credential.helper": "!" + say("credential"), "diff.external": p.script("external"),
		"diff.evil.textconv": say("textconv"), "diff.evil.command": say("diff"), "filter.evil.clean": say("clean"), "filter.evil.smudge": say("smudge"),
		"filter.slow.process": say("process"), "filter.evil.required": "true", "log.showSignature": "true", "gpg.program": p.script("gpg"),
		"gpg.ssh.program": p.script("sshkeygen"), "gpg.ssh.defaultKeyCommand": say("keys"), "merge.evil.driver": say("merge"), "alias.status": "!" + say("alias"),
		"url.ext::sh -c echo% insteadof% >>" + p.file + " .insteadOf": "http://127.0.0.1:1/", "protocol.ext.allow": "always",
		"remote.origin.url": "./nowhere", "remote.origin.promisor": "true", "remote.origin.uploadpack": say("uploadpack"), "extensions.partialClone": "origin",
		"core.repositoryFormatVersion": "1", "uploadpack.packObjectsHook": p.script("pack"), "interactive.diffFilter": say("interactive"), "trailer.x.command": say("trailer"),
	} {
		sh(p.t, dir, "config", key, value)
	}
}

// hooks makes a folder with all hooks that reading, committing and receiving
// know, and returns one of them.
func (p *trap) hooks() string {
	one := p.script("post-index-change")
	for _, name := range []string{"pre-commit", "reference-transaction", "post-checkout", "pre-push", "fsmonitor-watchman", "pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout"} {
		if err := os.Link(one, filepath.Join(filepath.Dir(one), name)); err != nil {
			p.t.Fatal(err)
		}
	}
	return one
}

// hostile is a work tree with such a configuration, files that every filter
// and driver applies to, some of them changed, and a missing object.
func hostile(t *testing.T) (*trap, string) {
	p, dir := newTrap(t), example(t)
	write(t, dir, ".gitattributes", "*.yaml filter=evil diff=evil merge=evil\n*.md filter=slow diff=evil\n")
	write(t, dir, "gone.txt", "gone\n")
	sh(t, dir, "add", "-A")
	sh(t, dir, "commit", "-qm", "Third")
	blob := sh(t, dir, "rev-parse", "HEAD:gone.txt")
	p.arm(dir)
	if err := os.Remove(filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "config/a b/ü.yaml"} { // as large as before, and not of the time that the index has
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, strings.ToUpper(string(data)))
		if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	return p, dir
}

// TestTheTrapWorks: what the other tests hold back does run without it.
func TestTheTrapWorks(t *testing.T) {
	p, dir := hostile(t)
	cmd := exec.Command("git", "status", "--short")
	cmd.Dir = dir
	_ = cmd.Run()
	ran := p.ran()
	for _, want := range []string{"fsmonitor", "clean", "process"} {
		if !strings.Contains(ran, want) {
			t.Errorf("git status ran %q, not %s", ran, want)
		}
	}
	cmd = exec.Command("git", "ls-remote", "http://127.0.0.1:1/x")
	cmd.Dir = dir
	_ = cmd.Run()
	if ran := p.ran(); !strings.Contains(ran, "insteadof") {
		t.Errorf("git ls-remote ran %q", ran)
	}
}

// TestRepositoryOfAnotherRunsNothing does all that this package does in a
// repository that it did not make, and next to one.
func TestRepositoryOfAnotherRunsNothing(t *testing.T) {
	p, dir := hostile(t)
	t.Chdir(dir)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	ctx := t.Context()
	asks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { demand(w) }))
	defer asks.Close()
	r := open(t, ".")
	tree, err := r.Tree(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	head := tree.Commit
	for name, op := range map[string]func() (any, error){
		"Open":      func() (any, error) { return Open(ctx, "config") },
		"Status":    func() (any, error) { return r.Status(ctx) },
		"Changed":   func() (any, error) { return r.Changed(ctx, "v1.0.0", "") },
		"Between":   func() (any, error) { return r.Changed(ctx, "v1.0.0", "HEAD") },
		"Tags":      func() (any, error) { return r.Tags(ctx) },
		"Head":      func() (any, error) { return r.RemoteHead(ctx) },
		"MergeBase": func() (any, error) { return r.MergeBase(ctx, "v1.0.0", "HEAD") },
		"Date":      func() (any, error) { return r.Date(ctx, "HEAD") },
		"Log":       func() (any, error) { return r.Log(ctx, "", "HEAD", "README.md") },
		"RemoteURL": func() (any, error) { return r.RemoteURL(ctx) },
		"Info":      func() (any, error) { return r.CommitInfo(ctx, "HEAD") },
		"Diff":      func() (any, error) { return r.DiffTrees(ctx, "v1.0.0", "v1.1.0") },
		"WriteTree": func() (any, error) {
			return r.WriteTree(ctx, "v1.0.0", []Change{{Path: "new.yaml", Data: []byte("x: 1\n")}})
		},
		"Missing": func() (any, error) { return fs.ReadFile(tree, "gone.txt") },
		"Fetch":   func() (any, error) { return nil, r.FetchCommits(ctx, "main") },
		"Push": func() (any, error) {
			return nil, r.Push(ctx, "http://127.0.0.1:1/x", Update{Ref: "refs/heads/x", New: head})
		},
		"Remotes":    func() (any, error) { return (&Remotes{patience: once}).Tags(ctx, "http://127.0.0.1:1/x") },
		"Password":   func() (any, error) { return ListHeads(ctx, asks.URL+"/x") },
		"Heads":      func() (any, error) { return ListHeads(ctx, "http://127.0.0.1:1/x") },
		"RemoteRef":  func() (any, error) { return RemoteRef(ctx, "http://127.0.0.1:1/x", "refs/heads/main") },
		"CheckTag":   func() (any, error) { return nil, CheckTag(ctx, "v1") },
		"Committer":  func() (any, error) { return Committer(ctx) },
		"SigningKey": func() (any, error) { return SigningKey(ctx), nil },
		"Cache": func() (any, error) {
			c := &Cache{Dir: t.TempDir(), Timeout: time.Second, patience: once}
			defer c.Close() //nolint:errcheck // of a test
			return c.Ref(ctx, "http://127.0.0.1:1/x", "main")
		},
		"Mirror": func() (any, error) {
			m, err := (&Cache{Dir: t.TempDir()}).Mirror(ctx, "http://127.0.0.1:1/x", Commits, true)
			if err != nil {
				return nil, err
			}
			return nil, m.FetchCommits(ctx, head)
		},
	} {
		_, err := op()
		if ran := p.ran(); ran != "" {
			t.Errorf("%s ran %s (%v)", name, ran, err)
		}
	}
}

// TestLocalPushRunsNothing pushes to repositories in the file system whose
// configuration and hooks start programs: a bare one, and a work tree that would
// check out what it gets.
func TestLocalPushRunsNothing(t *testing.T) {
	ctx := t.Context()
	p, dir := newTrap(t), example(t)
	head := sh(t, dir, "rev-parse", "HEAD")
	for name, args := range map[string][]string{"bare": {"--bare"}, "work tree": {}} {
		at := filepath.Join(t.TempDir(), "target")
		sh(t, dir, append(append([]string{"clone", "-q"}, args...), ".", at)...)
		objects := filepath.Join(at, "objects")
		if len(args) == 0 {
			objects = filepath.Join(at, ".git", "objects")
		}
		write(t, objects, "info/alternates", filepath.Join(dir, ".git", "objects")+"\n")
		p.arm(at)
		sh(t, at, "config", "receive.denyCurrentBranch", "updateInstead")
		sh(t, at, "config", "receive.procReceiveRefs", "refs/for")
		p.ran()
		control := exec.Command("git", "push", "-q", at, head+":refs/heads/control")
		control.Dir = dir
		_ = control.Run()
		if ran := p.ran(); !strings.Contains(ran, "post-index-change") || !strings.Contains(ran, "alternates") {
			t.Fatalf("%s: a plain push runs %q: the trap does not work", name, ran)
		}
		for _, url := range []string{at, "file://" + filepath.ToSlash(at)} {
			r, err := (&Cache{Dir: t.TempDir()}).Mirror(ctx, url, Commits, false)
			if err == nil {
				err = r.FetchCommits(ctx, head)
			}
			if err != nil {
				t.Fatal(err)
			}
			pushed := r.Push(ctx, url, Update{Ref: "refs/heads/a" + head[:len(url)%7+1], New: head})
			if err := r.Push(ctx, url, Update{Ref: "refs/heads/main", Old: head, New: sh(t, dir, "rev-parse", "v1.0.0^{commit}")}); name == "work tree" && err == nil {
				t.Errorf("%s: the branch that is checked out was pushed to", url)
			}
			if ran := p.ran(); ran != "" || pushed != nil {
				t.Errorf("%s to %s ran %q, %v", name, url, ran, pushed)
			}
			_ = r.Close()
		}
	}
	for url, want := range map[string]bool{"/a/b": true, "a:b/c": false, "./a:b": true, "FILE:///a": true, "https://x/y": false, "ssh://x/y": false, "git@x:y": false, "x": true} {
		if isLocal(url) != want {
			t.Errorf("isLocal(%q) is %v", url, !want)
		}
	}
}

// TestFiltersOfThePersonStay: the user's own filter is in effect also where
// the repository has another under its name.
func TestFiltersOfThePersonStay(t *testing.T) {
	p, dir := hostile(t)
	global := filepath.Join(t.TempDir(), "config")
	write(t, filepath.Dir(global), "config", "[filter \"evil\"]\n\tclean = tr A-Z a-z\n")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	got, err := open(t, dir).Status(t.Context())
	if err != nil || strings.Contains(strings.Join(got, " "), "ü.yaml") || !strings.Contains(strings.Join(got, " "), "README.md") {
		t.Errorf("%q, %v: the filter makes ü.yaml what it was", got, err)
	}
	if ran := p.ran(); ran != "" {
		t.Errorf("ran %s", ran)
	}
}

// TestReplacedObjects: a commit is read as its hash says, whatever the repository puts in its place.
func TestReplacedObjects(t *testing.T) {
	dir := example(t)
	commit := sh(t, dir, "rev-parse", "HEAD")
	write(t, dir, "README.md", "another")
	sh(t, dir, "commit", "-qam", "another")
	sh(t, dir, "replace", commit, "HEAD")
	write(t, filepath.Join(dir, ".git"), "info/grafts", sh(t, dir, "rev-parse", "HEAD")+"\n")
	tree, err := open(t, dir).Tree(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := tree.ReadFile("README.md"); err != nil || string(data) == "another" {
		t.Errorf("%q, %v", data, err)
	}
	if of, err := open(t, dir).MergeBase(t.Context(), "HEAD", commit); err != nil || of != commit {
		t.Errorf("%q, %v: the grafts are believed", of, err)
	}
}

// TestEmbeddedRepositories: files of a tree that look like a repository are
// not taken for one, and a bare repository by itself does not fetch.
func TestEmbeddedRepositories(t *testing.T) {
	p, dir := newTrap(t), example(t)
	inner := filepath.Join(dir, "inner")
	sh(t, dir, "clone", "-q", "--bare", ".", inner)
	p.arm(inner)
	sub := filepath.Join(inner, "refs")
	for _, at := range []string{inner, sub} {
		if _, err := Open(t.Context(), at); err == nil || !strings.Contains(err.Error(), "inside of the work tree") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if r, err := Open(t.Context(), filepath.Join(dir, ".git")); err != nil || r.Bare {
		t.Errorf("git's own folder: %v", err)
	}
	alone := filepath.Join(t.TempDir(), "alone")
	if err := os.Rename(inner, alone); err != nil {
		t.Fatal(err)
	}
	blob := sh(t, dir, "rev-parse", "HEAD:README.md")
	sh(t, alone, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "repack", "-adq")
	loosen(t, alone, blob)
	r := open(t, alone)
	tree, err := r.Tree(t.Context(), "main")
	if err != nil || !r.Bare {
		t.Fatal(r, err)
	}
	p.ran()
	if _, err := fs.ReadFile(tree, "README.md"); err == nil {
		t.Error("a missing object was read")
	}
	c := &Cache{Dir: t.TempDir()}
	defer c.Close() //nolint:errcheck // of a test
	if at, err := c.Ref(t.Context(), alone, "main"); err == nil {
		_, _ = fs.ReadFile(at, "README.md")
	}
	if ran := p.ran(); ran != "" {
		t.Errorf("ran %s", ran)
	}
}

// TestGitFileOfATree: a .git file that names a user's repository is not
// believed; those that git itself makes are.
func TestGitFileOfATree(t *testing.T) {
	dir, at := example(t), t.TempDir()
	thief, linked, apart := filepath.Join(at, "thief"), filepath.Join(at, "linked"), filepath.Join(at, "apart")
	if err := os.MkdirAll(filepath.Join(thief, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(thief, ".git"), []byte("gitdir: "+filepath.Join(dir, ".git")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{thief, filepath.Join(thief, "sub")} {
		if _, err := Open(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "names no repository of this folder") {
			t.Errorf("%s: %v", folder, err)
		}
	}
	sh(t, dir, "worktree", "add", "-q", "--detach", linked)
	sh(t, dir, "clone", "-q", "--separate-git-dir", filepath.Join(at, "apart.git"), ".", apart)
	for _, folder := range []string{linked, apart} {
		if _, err := Open(t.Context(), folder); err != nil {
			t.Error(err)
		}
	}
}

// loosen unpacks the objects of a bare repository but for one.
func loosen(t *testing.T, dir, without string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal("no pack: ", err)
	}
	for _, pack := range packs {
		moved := filepath.Join(t.TempDir(), "x.pack")
		if err := os.Rename(pack, moved); err != nil {
			t.Fatal(err)
		}
		for _, ext := range []string{".idx", ".rev", ".promisor"} {
			_ = os.Remove(strings.TrimSuffix(pack, ".pack") + ext)
		}
		f, err := os.Open(moved)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() //nolint:errcheck // read only
		cmd := exec.Command("git", "unpack-objects", "-q")
		cmd.Dir, cmd.Stdin = dir, f
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.Remove(filepath.Join(dir, "objects", without[:2], without[2:])); err != nil {
		t.Fatal(err)
	}
}

// demand asks for a password.
func demand(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
	w.WriteHeader(http.StatusUnauthorized)
}

// TestTokenStaysAtItsServer: the token is sent to the server that it was given
// for when that asks, and not along with a redirect, nor to another port.
func TestTokenStaysAtItsServer(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	var mu sync.Mutex
	seen := map[string][]string{}
	note := func(who string, q *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		_, password, ok := q.BasicAuth()
		if ok {
			seen[who] = append(seen[who], password)
		}
		return ok
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { note("other", q); demand(w) }))
	defer other.Close()
	var asks atomic.Bool
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !note("home", q) && asks.Load() {
			demand(w)
			return
		}
		http.Redirect(w, q, other.URL+q.URL.String(), http.StatusFound)
	}))
	defer home.Close()
	if err := Authorize(home.URL+"/", func() string { return "s3cret" }); err != nil {
		t.Fatal(err)
	}
	defer func() { authorization = authorized{} }()
	for _, ask := range []bool{true, false} {
		asks.Store(ask)
		if _, err := ListHeads(t.Context(), home.URL+"/o/r.git"); err == nil {
			t.Error("the other server was believed")
		}
	}
	if _, err := ListHeads(t.Context(), other.URL+"/o/r.git"); err == nil {
		t.Error("the other server was believed")
	}
	if got := fmt.Sprint(seen); got != "map[home:[s3cret]]" {
		t.Errorf("passwords seen: %s", got)
	}
	for _, k := range []owner{theirs, ours, nobody} {
		has := strings.Contains(strings.Join(k.environ([]string{"GITHUB_TOKEN=s3cret"}, nil), "\n"), "s3cret")
		if has != (k != theirs) {
			t.Errorf("environment of owner %d has the token: %v", k, has)
		}
	}
}
