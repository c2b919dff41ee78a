//go:build linux && !portable

package source

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
)

// A commit of many files reads each two or three times and makes its new content
// twice, and has no memory of its own for each: it allocates less than two
// contents of all of them, where each reading and making would be one.
func TestCommitReusesItsPages(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	const files, size = 64, 128 << 10
	data := bytes.Repeat([]byte("x"), size)
	changes := make([]Change, files)
	for i := range changes {
		name := fmt.Sprintf("%d.txt", i)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		changes[i] = Change{From: name, To: name, Before: SumOf(data), Edits: []Edit{{Span: Span{0, 1}, New: "y"}}}
	}
	tree, err := Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := tree.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2*files*size {
		t.Errorf("a commit of %d bytes allocates %d", files*size, got)
	}
	for _, c := range changes {
		if got, err := os.ReadFile(c.To); err != nil || !bytes.Equal(got, append([]byte("y"), data[1:]...)) {
			t.Fatalf("%s is not what it should become (%v)", c.To, err)
		}
	}
}
