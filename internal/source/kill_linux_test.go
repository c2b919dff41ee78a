package source

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/memtest"
)

// killVariable tells a child of this test what to do: "commit 12" commits the
// example's changes and kills itself before step 12.
const killVariable = "CFCTL_TEST_KILL"

// TestMain lets the test binary be the writer that is killed, and keeps the trees
// of the tests in memory.
func TestMain(m *testing.M) {
	if order := os.Getenv(killVariable); order != "" {
		os.Exit(child(order))
	}
	os.Exit(memtest.Run(m))
}

// child commits, recovers or undoes in the working directory and dies at a step.
func child(order string) int {
	what, at, _ := strings.Cut(order, " ")
	n, _ := strconv.Atoi(at)
	tree, err := Open(nil)
	if err != nil {
		return 3
	}
	if act := map[string]func(*Tree, int) error{"terminate": terminated, "withdraw": withdrawn}[what]; act != nil {
		if act(tree, n) != nil {
			return 2
		}
		return 0
	}
	var count atomic.Int64
	tree.step = func(string, string) error {
		if count.Add(1) == int64(n) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	switch what {
	case "commit":
		err = tree.Commit(context.Background(), exampleChanges())
	case "recover":
		_, err = tree.Recover(context.Background())
	case "undo":
		_, err = tree.Undo(context.Background())
	}
	if err != nil {
		return 4
	}
	return 0
}

// runChild tells whether the child was killed.
func runChild(t *testing.T, dir, what string, n int) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), killVariable+"="+what+" "+strconv.Itoa(n))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		return true
	}
	if err != nil {
		t.Fatalf("%s %d: %v %s", what, n, err, out)
	}
	return false
}

// TestKillAtEveryStep kills the writer at every system call that changes
// something, then lets the next run or an undo look at what is left.
func TestKillAtEveryStep(t *testing.T) {
	steps := 0
	for n := 1; ; n++ {
		tree, _ := exampleTree(t, true)
		old := snapshot(t, tree.Base())
		if !runChild(t, tree.Base(), "commit", n) {
			sameTree(t, "not killed", snapshot(t, tree.Base()), wantNew(old))
			break
		}
		steps = n
		now := snapshot(t, tree.Base())
		if n%2 == 0 {
			tree.Recover(t.Context())
		} else if _, err := tree.Undo(t.Context()); err != nil && !strings.Contains(err.Error(), "no write to undo") {
			t.Errorf("step %d: %v", n, err)
		}
		got := snapshot(t, tree.Base())
		if _, err := os.Stat(".git/cfctl/" + lastName); err == nil && n%2 == 0 {
			sameTree(t, "killed after the commit's end", got, wantNew(old))
			sameTree(t, "killed after the commit's end", now, wantNew(old))
			continue
		}
		sameTree(t, "killed at step "+strconv.Itoa(n), got, old)
	}
	t.Logf("killed at each of %d steps", steps)
	if steps < 40 {
		t.Errorf("only %d steps", steps)
	}
}

// TestKillUndoAtEveryStep does the same with an undo: the tree is the new or
// the old one, and an undo after that makes it the old one.
func TestKillUndoAtEveryStep(t *testing.T) {
	for n := 1; ; n++ {
		tree, changes := exampleTree(t, true)
		old := snapshot(t, tree.Base())
		if err := tree.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		if !runChild(t, tree.Base(), "undo", n) {
			sameTree(t, "not killed", snapshot(t, tree.Base()), old)
			t.Logf("killed at each of %d steps", n-1)
			break
		}
		if _, err := tree.Undo(t.Context()); err != nil && !strings.Contains(err.Error(), "no write to undo") {
			t.Errorf("step %d: %v", n, err)
		}
		sameTree(t, "undo killed at step "+strconv.Itoa(n), snapshot(t, tree.Base()), old)
	}
}

// TestKillRecoveryAtEveryStep kills the recovery of a commit that was killed
// when every file was in place.
func TestKillRecoveryAtEveryStep(t *testing.T) {
	last := 0
	for n := 1; ; n++ {
		tree, _ := exampleTree(t, true)
		if !runChild(t, tree.Base(), "commit", n) {
			break
		}
		if _, err := os.Stat(".git/cfctl/" + pendingName); err == nil {
			last = n
		}
	}
	for n := 1; ; n++ {
		tree, _ := exampleTree(t, true)
		old := snapshot(t, tree.Base())
		runChild(t, tree.Base(), "commit", last)
		killed := runChild(t, tree.Base(), "recover", n)
		if _, err := tree.Recover(t.Context()); err != nil {
			t.Errorf("step %d: %v", n, err)
		}
		sameTree(t, "recovery killed at step "+strconv.Itoa(n), snapshot(t, tree.Base()), old)
		if !killed {
			t.Logf("killed at each of %d steps", n-1)
			break
		}
	}
}

// TestRecoverLeavesChangedFiles edits a file between the kill and the recovery.
func TestRecoverLeavesChangedFiles(t *testing.T) {
	tree, _ := exampleTree(t, true)
	old := snapshot(t, tree.Base())
	if !runChild(t, tree.Base(), "commit", 30) {
		t.Fatal("not killed")
	}
	os.WriteFile("a.yaml", []byte("mine"), 0o644)
	names, err := tree.Recover(t.Context())
	if len(names) != 7 || err == nil || !strings.HasPrefix(err.Error(), "a.yaml: changed after a write was interrupted") {
		t.Errorf("got %q, %v", names, err)
	}
	old["a.yaml"] = "-rw-r--r-- mine"
	sameTree(t, "recovered", snapshot(t, tree.Base()), old)
	if names, err := tree.Recover(t.Context()); len(names) != 0 || err != nil {
		t.Errorf("second recovery: %q, %v", names, err)
	}
}

// TestEveryChangeIsAStep proves that the steps are all there is: outside of
// disk.go no code of the write path calls anything that changes files.
func TestEveryChangeIsAStep(t *testing.T) {
	changing := map[string]bool{}
	for _, name := range strings.Fields("Create OpenFile WriteFile Write WriteAt WriteString ReadFrom Rename Remove RemoveAll Mkdir MkdirAll MkdirTemp CreateTemp Chmod Chown Lchown Chtimes Link Symlink Truncate Sync Fprintf Fprint Fprintln Syscall") {
		changing[name] = true
	}
	// The lock and the directory of the journals are made before a journal is.
	allowed := map[string]bool{"openStore": true, "lockFile": true}
	for _, file := range []string{"transaction.go", "stage.go", "undo.go", "journal.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || allowed[fn.Name.Name] {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && changing[sel.Sel.Name] {
					t.Errorf("%s: %s calls %s", file, fn.Name.Name, sel.Sel.Name)
				}
				return true
			})
		}
	}
	checkDiskSteps(t)
}

// checkDiskSteps proves that each method of disk that changes something
// directly reports itself first.
func checkDiskSteps(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "disk.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	reporting, changing := 0, 0
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name == "before" {
			continue
		}
		var steps, changes int
		ast.Inspect(fn, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			on, named := sel.X.(*ast.Ident)
			switch sel.Sel.Name {
			case "before":
				steps++
			case "OpenFile", "Write", "Chmod", "Sync", "Rename", "Remove", "Mkdir":
				if !named || on.Name != "d" { // not a method of disk itself
					changes++
				}
			}
			return true
		})
		if changes > steps {
			t.Errorf("%s changes %d things in %d steps", fn.Name.Name, changes, steps)
		}
		reporting += steps
		changing += changes
	}
	if reporting != 8 || changing != 8 {
		t.Errorf("%d methods report steps, %d change something", reporting, changing)
	}
}
