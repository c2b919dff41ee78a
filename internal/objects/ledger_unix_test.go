//go:build unix

package objects

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestLedgerOnAFullDisk: a line that does not fit any more is cut back, and
// what follows it is readable. The limit is that of a process, so the test has
// one of its own.
func TestLedgerOnAFullDisk(t *testing.T) {
	if os.Getenv("CFCTL_TEST_FULL_DISK") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLedgerOnAFullDisk$")
		cmd.Env = append(os.Environ(), "CFCTL_TEST_FULL_DISK=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	path := writeLedger(t, firstLine)
	l, err := OpenLedger(path, "copies", true, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	signal.Ignore(syscall.SIGXFSZ)
	var all syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &all); err != nil {
		t.Skip(err)
	}
	small := all
	small.Cur = uint64(len(firstLine) + 20)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Skip(err)
	}
	err = l.record(Entry{State: Created, Origin: Origin{ID: "1"}})
	left := readText(t, path)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &all); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EFBIG) || left != firstLine || l.Entry("1") != nil {
		t.Fatalf("%v, and left %q", err, left)
	}
	if err := l.record(Entry{State: Created, Origin: Origin{ID: "2"}}); err != nil {
		t.Fatal(err)
	}
	again, err := OpenLedger(path, "copies", false, time.Now)
	if err != nil || again.Entry("2") == nil {
		t.Errorf("%v in %q", err, readText(t, path))
	}
}

// TestLedgerPipe: a named pipe is refused, not waited for.
func TestLedgerPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	for _, write := range []bool{false, true} {
		if _, err := OpenLedger(path, "copies", write, time.Now); err == nil {
			t.Errorf("write %v: no error", write)
		}
	}
}
