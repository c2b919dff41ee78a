package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestDiskFull commits on a small file system that becomes full half-way.
func TestDiskFull(t *testing.T) {
	mount := filepath.Join(t.TempDir(), "small")
	os.Mkdir(mount, 0o755)
	if err := syscall.Mount("tmpfs", mount, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("cannot mount a tmpfs:", err)
	}
	defer syscall.Unmount(mount, syscall.MNT_DETACH)
	t.Chdir(mount)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	content := bytes.Repeat([]byte("0123456789abcdef"), 2560) // 40 KiB
	var changes []Change
	for i := range 15 {
		name := fmt.Sprintf("f%02d", i)
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, Change{From: name, To: name, Before: SumOf(content), Edits: []Edit{{Span: Span{0, 1}, New: "x"}}})
	}
	old := snapshot(t, mount)
	tree, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	err = tree.Commit(t.Context(), changes)
	var e *Error
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &e) || !strings.Contains(e.Hint, "make room") {
		t.Errorf("got %v (%+v)", err, e)
	}
	sameTree(t, "full disk", snapshot(t, mount), old)
	if err := tree.Commit(t.Context(), changes[:5]); err != nil {
		t.Errorf("a commit that fits: %v", err)
	}
}

// TestTerminated sends a writer SIGTERM at each step.
func TestTerminated(t *testing.T) {
	for n := 1; ; n += 3 {
		tree, _ := exampleTree(t, true)
		old := snapshot(t, tree.Base())
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killVariable+"=terminate "+strconv.Itoa(n))
		out, err := cmd.CombinedOutput()
		if err == nil {
			sameTree(t, "done", snapshot(t, tree.Base()), wantNew(old))
			break
		}
		if text := string(out); text != "write: interrupted\n" {
			t.Errorf("step %d: %q", n, text)
		}
		sameTree(t, fmt.Sprintf("terminated at step %d", n), snapshot(t, tree.Base()), old)
	}
}

// terminated is the child of TestTerminated.
func terminated(tree *Tree, n int) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	count := 0
	lock := make(chan bool, 1)
	tree.step = func(string, string) error {
		lock <- true
		defer func() { <-lock }()
		if count++; count == n {
			syscall.Kill(os.Getpid(), syscall.SIGTERM)
			<-ctx.Done()
		}
		return nil
	}
	err := tree.Commit(ctx, exampleChanges())
	if err != nil {
		fmt.Println(err)
	}
	return err
}

// TestPermissionLost takes the permission to write a directory away half-way.
func TestPermissionLost(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere; the same is injected in TestEveryStepFails")
	}
	tree, changes := exampleTree(t, true)
	old := snapshot(t, tree.Base())
	tree.step = func(op, name string) error {
		if op == "own" && name == "a.yaml" {
			return os.Chmod("d", 0o555)
		}
		return nil
	}
	os.Chmod("d", 0o555)
	err := tree.Commit(t.Context(), changes)
	if !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
	os.Chmod("d", 0o755)
	sameTree(t, "permission lost", snapshot(t, tree.Base()), old)
}

// TestLinkedWorkTree keeps its journal in its own git directory.
func TestLinkedWorkTree(t *testing.T) {
	dir := layOut(t, map[string]string{"main/a.yaml": exampleFiles["a.yaml"]})
	main := filepath.Join(dir, "main")
	quietGit(t, main, "", "init", "-q")
	quietGit(t, main, "", "add", ".")
	quietGit(t, main, "", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "x")
	quietGit(t, main, "", "worktree", "add", "-q", "../linked")
	t.Chdir(filepath.Join(dir, "linked"))
	os.WriteFile(filepath.Join(main, ".git", "info", "exclude"), []byte("ignored\n"), 0o644)
	os.WriteFile("ignored", nil, 0o644)
	if visited, _, _ := walkAll(t, nil, WalkOptions{}); strings.Join(visited, " ") != "a.yaml" {
		t.Errorf("visited %q", visited)
	}
	tree, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if want := filepath.Join(main, ".git", "worktrees", "linked"); tree.GitDir() != want || tree.TopLevel() != filepath.Join(dir, "linked") {
		t.Errorf("git directory %s, top level %s", tree.GitDir(), tree.TopLevel())
	}
	if err := tree.Commit(t.Context(), exampleChanges()[:1]); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := quietGit(t, ".", "", "status", "--porcelain"); out != "" {
		t.Errorf("git status: %s", out)
	}
}
