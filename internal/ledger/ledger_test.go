package ledger

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A dir is a folder that a test has a ledger in.
type dir string

func (d dir) ReadFile(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(d), name))
}
func (d dir) Write(name string, data []byte, perm fs.FileMode) error {
	return os.WriteFile(filepath.Join(string(d), name), data, perm)
}

// root is the folder as a ledger takes it.
func (d dir) root(t *testing.T) *source.Root {
	t.Helper()
	root, err := source.OpenRoot(string(d))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

// lines takes everything up to the last line break.
func lines(data []byte) (int, error) { return bytes.LastIndexByte(data, '\n') + 1, nil }

func open(t *testing.T, d dir) *File {
	t.Helper()
	l, err := Open(t.Context(), d.root(t), "l", lines, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func (d dir) text(t *testing.T) string {
	data, err := d.ReadFile("l")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A full disk takes room bytes more.
type fullDisk struct {
	disk
	room int
	cuts error // of the next truncation
}

var errFull = errors.New("no space left on device")

func (f *fullDisk) WriteAt(p []byte, at int64) (int, error) {
	if len(p) <= f.room {
		f.room -= len(p)
		return f.disk.WriteAt(p, at)
	}
	n, err := f.disk.WriteAt(p[:f.room], at)
	f.room = 0
	return n, errors.Join(errFull, err)
}

func (f *fullDisk) Truncate(size int64) error { return errors.Join(f.cuts, f.disk.Truncate(size)) }

// TestFullDisk fills the disk within a line: the line before is the last, and
// the next one fits again when there is room.
func TestFullDisk(t *testing.T) {
	for room := range len("two\n") {
		d := dir(t.TempDir())
		l := open(t, d)
		full := &fullDisk{disk: l.file, room: len("one\n") + room}
		l.file = full
		if err := l.Append([]byte("one\n")); err != nil {
			t.Fatal(err)
		}
		if err := l.Append([]byte("two\n")); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		if got := d.text(t); got != "one\n" {
			t.Errorf("room for %d bytes: %q is left", room, got)
		}
		full.room = 100
		if err := l.Append([]byte("three\n")); err != nil || d.text(t) != "one\nthree\n" {
			t.Errorf("when there is room again: %q, %v", d.text(t), err)
		}
	}
}

// TestDiskThatCannotBeCut leaves half a line: nothing more is appended to it,
// and the next one that opens it cuts it off.
func TestDiskThatCannotBeCut(t *testing.T) {
	d := dir(t.TempDir())
	l := open(t, d)
	full := &fullDisk{disk: l.file, room: 2, cuts: errors.New("input/output error")}
	l.file = full
	if err := l.Append([]byte("one\n")); err == nil {
		t.Error("appended")
	}
	full.room, full.cuts = 100, nil
	if err := l.Append([]byte("two\n")); err == nil {
		t.Error("a line after half a line")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, d).Append([]byte("three\n")); err != nil {
		t.Error(err)
	}
	if got := d.text(t); !strings.HasSuffix(got, "three\n") {
		t.Errorf("%q", got)
	}
}

// TestNoLedger leaves alone what its reader does not take for one.
func TestNoLedger(t *testing.T) {
	d := dir(t.TempDir())
	if err := d.Write("l", []byte("a poem"), 0o644); err != nil {
		t.Fatal(err)
	}
	odd := errors.New("no ledger")
	if _, err := Open(t.Context(), d.root(t), "l", func([]byte) (int, error) { return 0, odd }, Options{}); !errors.Is(err, odd) {
		t.Errorf("%v", err)
	}
	if got := d.text(t); got != "a poem" {
		t.Errorf("%q", got)
	}
	open(t, d) // the lock was given back
}

// TestSecondWriter reads only what the first one has left.
func TestSecondWriter(t *testing.T) {
	d := dir(t.TempDir())
	first := open(t, d)
	var locked *LockedError
	if _, err := Open(t.Context(), d.root(t), "l", lines, Options{}); !errors.As(err, &locked) || !strings.HasPrefix(locked.Holder, "process ") {
		t.Errorf("%v", err)
	}
	seen := ""
	second, err := Open(t.Context(), d.root(t), "l", func(data []byte) (int, error) { seen = string(data); return lines(data) }, Options{Waiting: func(string) {
		if err := errors.Join(first.Append([]byte("one\n")), first.Close()); err != nil {
			t.Error(err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(second.Append([]byte("two\n")), second.Close()); err != nil || seen != "one\n" || d.text(t) != "one\ntwo\n" {
		t.Errorf("it has read %q, and left %q, %v", seen, d.text(t), err)
	}
}
