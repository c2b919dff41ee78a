package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// TestLiveCount: files are counted on a terminal while they are read, and
// nowhere else.
func TestLiveCount(t *testing.T) {
	for _, live := range []bool{true, false} {
		var out bytes.Buffer
		term := newTerminal(nil, nil, &out, &out)
		term.live = live
		var n atomic.Int64
		n.Store(7)
		seen := make(chan bool, 1)
		stop := term.ticking(time.Millisecond, func() {
			term.status("reading: %s", report.Plural(int(n.Load()), "file"))
			select {
			case seen <- true:
			default:
			}
		})
		if live {
			<-seen
		}
		stop()
		if got := strings.Contains(out.String(), "reading: 7 files"); got != live {
			t.Errorf("live %v: %q", live, out.String())
		}
	}
}

// TestTrackedFiles: how many files a work tree has, as far as git has them.
func TestTrackedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q")
	for _, name := range []string{"a", "b", "sub/c"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]int{".": 3, "sub": 0} {
		git("add", ".")
		tree, err := source.Open([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.CountTracked([]string{path}); got != want {
			t.Errorf("%s: %d files, want %d", path, got, want)
		}
		_ = tree.Close()
	}
	for n, want := range map[int]string{0: "reading: 0 of about 3 files", 3: "reading: 3 of about 3 files", 4: "reading: 4 files"} {
		if got := countOf(n, 3); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
