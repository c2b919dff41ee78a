package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// snapshot reads every file below dir except for git's own: name to mode and
// content.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		if d.IsDir() {
			if d.Name() == ".git" {
				return filepath.SkipDir
			}
			files[rel+"/"] = ""
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(p)
			files[rel] = "-> " + target
			return nil
		}
		data, err := os.ReadFile(p)
		files[rel] = fmt.Sprintf("%v %s", info.Mode(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameTree(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != want[name] {
			t.Errorf("%s: %s is %.60q, want %.60q", what, name, got[name], want[name])
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: %s is gone", what, name)
		}
	}
}

var exampleFiles = map[string]string{
	"a.yaml": "group: ibm.com\n", "d/b.yaml": "one\ntwo\xff\nthree", "d/old.yaml": "old name\n", "run.sh": "#!/bin/sh\necho ibm.com\n",
	"gone.txt": "to be deleted\xfe\n", "plain/rename.txt": "same\n",
}

// exampleTree lays out a small work tree. git makes it one.
func exampleTree(t testing.TB, git bool) (*Tree, []Change) {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.(*testing.T).Setenv("TMPDIR", "/dev/shm") // hundreds of trees are synced
	}
	dir := layOut(t, exampleFiles)
	os.Chmod(filepath.Join(dir, "run.sh"), 0o755)
	if git {
		os.MkdirAll(filepath.Join(dir, ".git"), 0o755)
		os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
	} else {
		t.(*testing.T).Setenv("XDG_STATE_HOME", t.TempDir())
	}
	return openExample(t)
}

func openExample(t testing.TB) (*Tree, []Change) {
	t.Helper()
	tree, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree, exampleChanges()
}

func exampleChanges() []Change {
	before := func(name string) Sum { return SumOf([]byte(exampleFiles[name])) }
	return []Change{
		{From: "a.yaml", To: "a.yaml", Before: before("a.yaml"), Edits: []Edit{{Span: Span{7, 14}, New: "codeflare.dev", Old: "ibm.com"}}},
		{From: "d/b.yaml", To: "d/b.yaml", Before: before("d/b.yaml"), Edits: []Edit{{Span: Span{4, 8}, New: "\xfe2"}, {Span: Span{0, 0}, New: "zero\n"}}},
		{From: "d/old.yaml", To: "d/e/f/new.yaml", Before: before("d/old.yaml"), Edits: []Edit{{Span: Span{0, 3}, New: "new"}}},
		{From: "run.sh", To: "run.sh", Before: before("run.sh"), Edits: []Edit{{Span: Span{15, 22}, New: ""}}},
		{From: "gone.txt", Before: before("gone.txt")},
		{To: "made.txt", Edits: []Edit{{New: "hello\n"}}},
		{From: "plain/rename.txt", To: "plain/renamed.txt", Before: before("plain/rename.txt")},
	}
}

func wantNew(old map[string]string) map[string]string {
	want := maps.Clone(old)
	want["a.yaml"] = "-rw-r--r-- group: codeflare.dev\n"
	want["d/b.yaml"] = "-rw-r--r-- zero\none\n\xfe2\nthree"
	delete(want, "d/old.yaml")
	want["d/e/"], want["d/e/f/"] = "", ""
	want["d/e/f/new.yaml"] = "-rw-r--r-- new name\n"
	want["run.sh"] = "-rwxr-xr-x #!/bin/sh\necho \n"
	delete(want, "gone.txt")
	want["made.txt"] = "-rw-r--r-- hello\n"
	delete(want, "plain/rename.txt")
	want["plain/renamed.txt"] = "-rw-r--r-- same\n"
	return want
}

func TestCommitAndUndo(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of unix")
	}
	for _, git := range []bool{true, false} {
		tree, changes := exampleTree(t, git)
		old := snapshot(t, tree.Base())
		if err := tree.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		sameTree(t, "after commit", snapshot(t, tree.Base()), wantNew(old))
		names, err := tree.Undo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"a.yaml", "d/b.yaml", "d/old.yaml", "gone.txt", "made.txt", "plain/rename.txt", "run.sh"}; !slices.Equal(names, want) {
			t.Errorf("undo of %q, want %q", names, want)
		}
		sameTree(t, "after undo", snapshot(t, tree.Base()), old)
		if _, err := tree.Undo(t.Context()); err == nil || !strings.Contains(err.Error(), "no write to undo") {
			t.Errorf("second undo: %v", err)
		}
	}
}

// A folder that is left empty goes, and comes back with an undo; one with another file stays.
func TestEmptiedFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := layOut(t, map[string]string{"a/b/c/x": "1", "a/b/y": "2", "k/l/z": "3", "m/w": "4", "m/n": "5"})
	os.MkdirAll(filepath.Join(dir, ".git"), 0o755)
	os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
	tree, _ := openExample(t)
	old := snapshot(t, tree.Base())
	move := func(from, to, text string) Change { return Change{From: from, To: to, Before: SumOf([]byte(text))} }
	if err := tree.Commit(t.Context(), []Change{move("a/b/c/x", "a/d/x", "1"), move("k/l/z", "o/z", "3"), move("m/w", "", "4")}); err != nil {
		t.Fatal(err)
	}
	now := snapshot(t, tree.Base())
	for name, there := range map[string]bool{"a/b/c/": false, "a/b/": true, "k/": false, "k/l/": false, "m/": true, "o/": true, "a/d/": true} {
		if _, ok := now[name]; ok != there {
			t.Errorf("%s is there: %v", name, ok)
		}
	}
	if _, err := tree.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	sameTree(t, "undone", snapshot(t, tree.Base()), old)
	tree.step = func(op, name string) error { // once all is written
		if op == "rename" && name == lastName {
			os.Remove("k/l")
			os.Symlink("../m", "k/l")
		}
		return nil
	}
	if err := tree.Commit(t.Context(), []Change{move("k/l/z", "o/z", "3")}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat("k/l"); err != nil {
		t.Errorf("a link that is there by now: %v", err)
	}
}

func TestUndoFromSubdirectory(t *testing.T) {
	for _, git := range []bool{true, false} {
		tree, changes := exampleTree(t, git)
		old := snapshot(t, tree.Base())
		if err := tree.Commit(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
		t.Chdir(filepath.Join(tree.Base(), "d"))
		sub, err := Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		names, err := sub.Undo(t.Context())
		if err != nil || !slices.Contains(names, "../a.yaml") || !slices.Contains(names, "b.yaml") {
			t.Errorf("%q, %v", names, err)
		}
		sameTree(t, "after undo", snapshot(t, tree.Base()), old)
	}
}

// TestUndoOfAnyName: a name need not be UTF-8 to be undone, also after a
// kill; the journal is JSON, which can hold no other text.
func TestUndoOfAnyName(t *testing.T) {
	tree, _ := exampleTree(t, true)
	if err := os.WriteFile("bad\xff.yaml", []byte("a"), 0o644); err != nil {
		t.Skip(err) // a file system that takes no such names
	}
	old := snapshot(t, tree.Base())
	change := Change{From: "bad\xff.yaml", To: "new\xfe/bad\xff.yaml", Before: SumOf([]byte("a")), Edits: []Edit{{Span: Span{0, 1}, New: "b", Old: "a"}}}
	if err := tree.Commit(t.Context(), []Change{change}); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile("new\xfe/bad\xff.yaml"); err != nil || string(data) != "b" {
		t.Fatalf("%q, %v", data, err)
	}
	if names, err := tree.Undo(t.Context()); err != nil || !slices.Equal(names, []string{"bad\xff.yaml"}) {
		t.Errorf("%q, %v", names, err)
	}
	sameTree(t, "after undo", snapshot(t, tree.Base()), old)
}

func TestUndoRefusesChangedFiles(t *testing.T) {
	tree, changes := exampleTree(t, true)
	if err := tree.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	os.WriteFile("d/b.yaml", []byte("mine"), 0o644)
	os.WriteFile("gone.txt", []byte("mine too"), 0o644)
	now := snapshot(t, tree.Base())
	_, err := tree.Undo(t.Context())
	var e *Error
	if !errors.As(err, &e) || err.Error() != "d/b.yaml: changed since the write, as did 1 other files" || !strings.Contains(e.Hint, "d/b.yaml, gone.txt") {
		t.Errorf("got %v (%+v)", err, e)
	}
	sameTree(t, "after the refused undo", snapshot(t, tree.Base()), now)
}

func TestCommitRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change Change
		do     func()
		want   string
	}{
		{"changed since read", Change{From: "a.yaml", To: "a.yaml", Before: SumOf([]byte("x"))}, nil, "a.yaml: changed since it was read"},
		{"gone since read", Change{From: "a.yaml", To: "a.yaml", Before: SumOf([]byte(exampleFiles["a.yaml"]))}, func() { os.Remove("a.yaml") }, "a.yaml: no such file"},
		{"read-only", Change{From: "a.yaml", To: "a.yaml", Before: SumOf([]byte(exampleFiles["a.yaml"]))}, func() { os.Chmod("a.yaml", 0o444) }, "a.yaml: read-only file"},
		{"link", Change{From: "l", To: "l", Before: SumOf([]byte(exampleFiles["a.yaml"]))}, func() { os.Symlink("a.yaml", "l") }, "l: not a regular file"},
		{"outside", Change{To: "../x"}, nil, "../x: is not a path of the work tree"},
		{"git's own", Change{To: "sub/.git/config"}, nil, "sub/.git/config: is not a path of the work tree"},
		{"taken name", Change{From: "a.yaml", To: "run.sh", Before: SumOf([]byte(exampleFiles["a.yaml"]))}, nil, "run.sh: file already exists"},
		{"twice", Change{From: "d/b.yaml", To: "d/b.yaml", Before: SumOf([]byte(exampleFiles["d/b.yaml"]))}, nil, "d/b.yaml: two changes of one file"},
		{"bad edit", Change{From: "a.yaml", To: "a.yaml", Before: SumOf([]byte(exampleFiles["a.yaml"])), Edits: []Edit{{Span: Span{0, 1}, New: "y", Old: "z"}}}, nil, `a.yaml: bytes 0..1 hold "g", not "z"`},
		{"through a link", Change{To: "out/x"}, func() { os.Symlink(os.TempDir(), "out") }, "out/"},
	} {
		tree, changes := exampleTree(t, true)
		if tt.do != nil {
			tt.do()
		}
		now := snapshot(t, tree.Base())
		err := tree.Commit(t.Context(), []Change{changes[1], tt.change})
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), tt.want) || e.Hint == "" {
			t.Errorf("%s: got %v (%+v), want %s", tt.name, err, e, tt.want)
		}
		sameTree(t, tt.name, snapshot(t, tree.Base()), now)
	}
}

// TestEveryStepFails fails each system call that changes something, in turn:
// the old tree is there after each.
func TestEveryStepFails(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, fs.ErrPermission} {
		steps := 1
		for n := 1; n <= steps; n++ {
			tree, changes := exampleTree(t, true)
			old := snapshot(t, tree.Base())
			var count atomic.Int64
			tree.step = func(string, string) error {
				if count.Add(1) == int64(n) {
					return cause
				}
				return nil
			}
			err := tree.Commit(t.Context(), changes)
			if err == nil { // n was beyond the last step
				break
			}
			steps = n + 1
			var e *Error
			if !errors.As(err, &e) || e.Hint == "" || !errors.Is(err, cause) {
				t.Errorf("step %d: %v (%+v)", n, err, e)
			}
			sameTree(t, fmt.Sprintf("step %d fails", n), snapshot(t, tree.Base()), old)
		}
		if steps < 40 {
			t.Errorf("only %d steps", steps)
		}
	}
}

// TestNoStepWorksAnyMore fails all system calls from one on: what was written by then stays, the
// error says how it is undone, and it can be.
func TestNoStepWorksAnyMore(t *testing.T) {
	half := 0
	for n, done := 1, false; !done; n++ {
		tree, changes := exampleTree(t, true)
		old := snapshot(t, tree.Base())
		var count atomic.Int64
		tree.step = func(string, string) error {
			if count.Add(1) >= int64(n) {
				return syscall.EIO
			}
			return nil
		}
		err := tree.Commit(t.Context(), changes)
		done = err == nil
		tree.step = nil
		if now := snapshot(t, tree.Base()); !done && !reflect.DeepEqual(now, old) {
			half++
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Hint, "cfctl migrate undo") {
				t.Errorf("step %d: %v (%+v)", n, err, e)
			}
		}
		if _, err := tree.Recover(t.Context()); err != nil {
			t.Errorf("step %d: %v", n, err)
		}
		if !reflect.DeepEqual(snapshot(t, tree.Base()), old) { // it was complete, but for its last step
			if _, err := tree.Undo(t.Context()); err != nil {
				t.Errorf("step %d: %v", n, err)
			}
		}
		sameTree(t, fmt.Sprintf("undone from step %d", n), snapshot(t, tree.Base()), old)
	}
	if half == 0 {
		t.Error("no commit was left half-way")
	}
}

// TestInterrupted ends the context at each step.
func TestInterrupted(t *testing.T) {
	for n, done := 1, false; !done; n++ {
		tree, changes := exampleTree(t, true)
		old := snapshot(t, tree.Base())
		ctx, cancel := context.WithCancel(t.Context())
		var count atomic.Int64
		tree.step = func(string, string) error {
			if count.Add(1) == int64(n) {
				cancel()
			}
			return nil
		}
		err := tree.Commit(ctx, changes)
		done = count.Load() < int64(n)
		if err == nil {
			sameTree(t, "committed", snapshot(t, tree.Base()), wantNew(old))
		} else {
			var e *Error
			if !errors.As(err, &e) || e.Hint == "" {
				t.Errorf("step %d: %v", n, err)
			}
			sameTree(t, fmt.Sprintf("interrupted at step %d", n), snapshot(t, tree.Base()), old)
		}
		cancel()
	}
}

// TestChangedBetweenReadAndRename changes a file after it was staged.
func TestChangedBetweenReadAndRename(t *testing.T) {
	tree, changes := exampleTree(t, true)
	old := snapshot(t, tree.Base())
	var done atomic.Bool
	tree.step = func(op, name string) error {
		if op == "rename" && name != pendingName && !done.Swap(true) {
			return os.WriteFile("plain/rename.txt", []byte("mine"), 0o644)
		}
		return nil
	}
	changes = slices.Insert(changes[:6], 0, changes[6])
	err := tree.Commit(t.Context(), changes[1:])
	if err != nil {
		t.Fatal(err) // the file is not part of these changes
	}
	if _, err := tree.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	os.WriteFile("plain/rename.txt", []byte(exampleFiles["plain/rename.txt"]), 0o644)
	sameTree(t, "undone", snapshot(t, tree.Base()), old)

	done.Store(false)
	tree.step = func(op, name string) error {
		if op == "syncdir" && !done.Swap(true) { // the journal is written, nothing is staged
			return os.WriteFile("a.yaml", []byte("mine"), 0o644)
		}
		return nil
	}
	_, changes = openExample(t)
	if err := tree.Commit(t.Context(), changes); err == nil || !strings.HasPrefix(err.Error(), "a.yaml: changed since it was read") {
		t.Errorf("got %v", err)
	}
	old["a.yaml"] = "-rw-r--r-- mine"
	sameTree(t, "refused", snapshot(t, tree.Base()), old)
}

// TestTwoWriters starts a second writer while the first is at work.
func TestTwoWriters(t *testing.T) {
	tree, changes := exampleTree(t, true)
	other, _ := openExample(t)
	var second error
	var once atomic.Bool
	tree.step = func(op, name string) error {
		if op == "write" && !once.Swap(true) {
			second = other.Commit(t.Context(), changes)
		}
		return nil
	}
	if err := tree.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	if second == nil || !strings.Contains(second.Error(), fmt.Sprintf("another cfctl (process %d) is writing here", os.Getpid())) {
		t.Errorf("second writer: %v", second)
	}
}

// TestSwappedForLink swaps a directory for a link out of the tree at each step.
func TestSwappedForLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	for n, done := 1, false; !done; n++ {
		outside := t.TempDir()
		os.WriteFile(filepath.Join(outside, "b.yaml"), []byte(exampleFiles["d/b.yaml"]), 0o644)
		os.WriteFile(filepath.Join(outside, "old.yaml"), []byte(exampleFiles["d/old.yaml"]), 0o644)
		want := snapshot(t, outside)
		tree, changes := exampleTree(t, true)
		var count atomic.Int64
		tree.step = func(string, string) error {
			if count.Add(1) == int64(n) {
				os.Rename("d", "d-moved")
				os.Symlink(outside, "d")
			}
			return nil
		}
		_ = tree.Commit(t.Context(), changes)
		done = count.Load() < int64(n)
		sameTree(t, fmt.Sprintf("outside, swapped at step %d", n), snapshot(t, outside), want)
	}
}
