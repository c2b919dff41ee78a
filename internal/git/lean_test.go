package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestLeanFetchJudgesAndPushes goes the way of a change that one machine makes
// and another one pushes: neither has the large files, the second has none.
func TestLeanFetchJudgesAndPushes(t *testing.T) {
	ctx := t.Context()
	root := t.TempDir()
	bare := filepath.Join(root, "acme", "app.git")
	sh(t, root, "init", "-q", "--bare", "-b", "trunk", bare)
	var n atomic.Int64
	url := serve(t, root, &n).URL + "/acme/app.git"
	if branch, commit, err := RemoteHead(ctx, url); err != nil || commit != "" {
		t.Fatalf("an empty repository: %q %q %v", branch, commit, err)
	}
	seed, err := (&Cache{Dir: t.TempDir()}).Mirror(ctx, "file://"+bare, Commits, false)
	if err != nil {
		t.Fatal(err)
	}
	defer seed.Close()
	who := Identity{"A", "a@example.com"}
	at := time.Unix(1700000000, 0)
	commit := func(r *Repo, parent string, files ...Change) string {
		tree, err := r.WriteTree(ctx, parent, files)
		if err != nil {
			t.Fatal(err)
		}
		var parents []string
		if parent != "" {
			parents = []string{parent}
		}
		c, err := r.CommitTree(ctx, NewCommit{Tree: tree, Parents: parents, Message: "x", Author: who, Time: at})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	big := []byte(strings.Repeat("large ", 1000))
	base := commit(seed, "", Change{Path: "a.txt", Data: []byte("old\n")}, Change{Path: "big.txt", Data: big}, Change{Path: "d/z.txt", Data: []byte("z\n")})
	if err := seed.Push(ctx, "file://"+bare, Update{Ref: "refs/heads/trunk", New: base}); err != nil {
		t.Fatal(err)
	}
	branch, head, err := RemoteHead(ctx, url)
	if err != nil || branch != "trunk" || head != base {
		t.Fatalf("head: %q %q %v", branch, head, err)
	}

	worker, err := (&Cache{Dir: t.TempDir()}).Mirror(ctx, url, Commits, false)
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	if err := worker.FetchLean(ctx, head, 1000); err != nil {
		t.Fatal(err)
	}
	left, err := worker.LeftOut(ctx, head)
	if err != nil || len(left) != 1 || left[0].Path != "big.txt" {
		t.Fatalf("left out: %v, %v", left, err)
	}
	next := commit(worker, head, Change{Path: "a.txt", Data: []byte("new\n")})
	if err := worker.FetchObjects(ctx, left[0].Hash); err != nil {
		t.Fatal(err)
	}
	if left, err := worker.LeftOut(ctx, head); err != nil || len(left) != 0 {
		t.Errorf("still left out: %v, %v", left, err)
	}

	opener, err := (&Cache{Dir: t.TempDir()}).Mirror(ctx, url, Commits, true)
	if err != nil {
		t.Fatal(err)
	}
	defer opener.Close()
	if err := opener.FetchLean(ctx, head, 0); err != nil {
		t.Fatal(err)
	}
	if again := commit(opener, head, Change{Path: "a.txt", Data: []byte("new\n")}); again != next {
		t.Errorf("the same commit is %s, and %s", next, again)
	}
	if left, err := opener.LeftOut(ctx, head); err != nil || len(left) != 3 {
		t.Errorf("the opener has files: %v, %v", left, err)
	}
	sh(t, bare, "config", "http.receivepack", "true")
	if err := opener.PushLean(ctx, url, Update{Ref: "refs/heads/move", New: next}); err != nil {
		t.Fatal(err)
	}
	if err := opener.PushLean(ctx, url, Update{Ref: "refs/heads/move", New: ""}); err == nil {
		t.Error("an empty hash deletes a branch")
	}
	if got := sh(t, bare, "rev-parse", "refs/heads/move"); got != next {
		t.Errorf("pushed %q, want %q", got, next)
	}
	if left, err := opener.LeftOut(ctx, head); err != nil || len(left) != 3 {
		t.Errorf("the push fetched files: %v, %v", left, err)
	}
}

// TestTokensGoToTheirServers says two servers with a token each; the second is
// asked for anew each time.
func TestTokensGoToTheirServers(t *testing.T) {
	defer func() { authorization = authorized{} }()
	token := "first"
	if err := errors.Join(Authorize("https://one.example", func() string { return "s1" }), Authorize("https://two.example/", func() string { return token })); err != nil {
		t.Fatal(err)
	}
	env := func() string { return strings.Join(ours.environ([]string{"CFCTL_GIT_TOKEN_1=left"}, nil), "\n") }
	if e := env(); !strings.Contains(e, "CFCTL_GIT_TOKEN=s1\n") || !strings.Contains(e, "CFCTL_GIT_TOKEN_1=first\n") || strings.Contains(e, "left") {
		t.Errorf("%s", e)
	}
	token = "second"
	if e := env(); !strings.Contains(e, "CFCTL_GIT_TOKEN_1=second\n") || strings.Contains(e, "first") {
		t.Errorf("%s", e)
	}
	if e := strings.Join(theirs.environ(nil, nil), "\n"); strings.Contains(e, "s1") || strings.Contains(e, "second") {
		t.Errorf("a repository of a stranger has a token: %s", e)
	}
}

// TestMakeBareTouchesNothingElse has a folder with a file of a user's.
func TestMakeBareTouchesNothingElse(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "config")
	if err := os.WriteFile(name, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := MakeBare(dir); err == nil {
		t.Error("a folder with a file became a repository")
	}
	list, err := os.ReadDir(dir)
	data, rerr := os.ReadFile(name)
	if err != nil || rerr != nil || len(list) != 1 || string(data) != "mine\n" {
		t.Errorf("%v, %q, %v, %v", list, data, err, rerr)
	}
}
