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
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &e) || !strings.Contains(e.Hint, "free disk space") {
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

// TestPermissionLost takes the permission to write in the tree's directories
// away at each step, from a writer that is not root. What could not be taken
// back at once is undone by the next run that may.
func TestPermissionLost(t *testing.T) {
	done, lost := false, 0
	for n := 1; !done; n++ {
		tree, _ := exampleTree(t, true)
		old := snapshot(t, tree.Base())
		giveAway(t, tree.Base())
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killVariable+"=withdraw "+strconv.Itoa(n))
		out, err := cmd.CombinedOutput()
		for _, dir := range heldDirs {
			os.Chmod(dir, 0o755)
		}
		if err == nil {
			done = n > 10 // the permission was lost too late, or not at all
			sameTree(t, "done", snapshot(t, tree.Base()), wantNew(old))
			continue
		}
		lost++
		if text := string(out); !strings.Contains(text, "permission denied") || !strings.Contains(text, "hint: ") {
			t.Errorf("step %d: %q", n, text)
		}
		if runChild(t, tree.Base(), "recover", 0) {
			t.Errorf("step %d: recovery was killed", n)
		}
		sameTree(t, fmt.Sprintf("permission lost at step %d", n), snapshot(t, tree.Base()), old)
	}
	if lost < 20 {
		t.Errorf("lost at %d steps only", lost)
	}
}

var heldDirs = []string{".", "d", "plain"}

const nobody = 65534

// giveAway lets a user who is not root own a tree, where the tests run as root.
func giveAway(t *testing.T, base string) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	err := filepath.WalkDir(base, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, nobody, nobody)
	})
	for dir := filepath.Dir(base); err == nil && dir != "/" && dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// withdrawn is the child of TestPermissionLost.
func withdrawn(tree *Tree, n int) error {
	if os.Getuid() == 0 {
		for _, drop := range []error{syscall.Setgroups(nil), syscall.Setresgid(nobody, nobody, nobody), syscall.Setresuid(nobody, nobody, nobody)} {
			if drop != nil {
				return drop
			}
		}
	}
	count := 0
	lock := make(chan bool, 1)
	tree.step = func(string, string) error {
		lock <- true
		defer func() { <-lock }()
		if count++; count == n {
			for _, dir := range heldDirs {
				_ = os.Chmod(dir, 0o555)
			}
		}
		return nil
	}
	err := tree.Commit(context.Background(), exampleChanges())
	var e *Error
	if errors.As(err, &e) {
		fmt.Printf("%v\nhint: %s\n", err, e.Hint)
	}
	return err
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
