// Package ledger keeps append-only files of lines: what was decided and done,
// for whoever comes after a crash.
//
// The flow: Open takes the lock next to the file, reads what is there, cuts off
// the tail that a crash left, and only then gives the file out; Append writes
// one line for good, or leaves the file as it was; Close gives the lock back.
// What a line means, and which tail may be cut, is for the caller to say.
package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxSize is the size, in bytes, of a ledger that is still read, where the
// caller names no other.
const maxSize = 64 << 20

// Options are what a caller may choose.
type Options struct {
	// Waiting is called once, with what is known of the other process, when that
	// has the lock, which is then awaited until the context ends; nil = the
	// error is a *LockedError.
	Waiting func(holder string)
	Max     int64 // bytes that are read; zero = maxSize
	// ReadOnly leaves the file as it is, and unlocked; one that is not there is
	// fs.ErrNotExist.
	ReadOnly bool
}

// A LockedError says that another process has a ledger open.
type LockedError struct {
	name   string // of the lock
	Holder string // "process 17 on host"; empty = it is not known
}

func (e *LockedError) Error() string {
	return strings.TrimSuffix(e.name+": another cfctl has it: "+e.Holder, ": ")
}

// A disk is the part of an *os.File that a ledger writes with.
type disk interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// A File is a ledger that is locked against other writers, by an advisory lock
// next to it that the system frees when the process ends. It is safe for
// concurrent use.
type File struct {
	name string
	lock *flock.Flock

	mu   sync.Mutex
	file disk
	size int64 // of what was appended whole
	err  error // why nothing can be appended any more
}

// Open locks and opens the ledger of that name (slash-separated, below the
// root), and makes it when it is not there. whole is given what the file
// holds, and says how much of it is whole lines; what comes after, the tail
// that a crash left, is cut off. An error of whole leaves the file as it is:
// what is no ledger is never cut.
//
// When another process has the lock, o says what then.
func Open(ctx context.Context, p *source.Root, name string, whole func(data []byte) (int, error), o Options) (*File, error) {
	l := &File{name: name}
	var err error
	if !o.ReadOnly {
		if l.lock, err = take(ctx, p, name+".lock", o.Waiting); err != nil {
			return nil, err
		}
	}
	o.Max = cmp.Or(o.Max, maxSize)
	if err := l.open(p, whole, o); err != nil {
		return nil, errors.Join(err, l.unlock())
	}
	return l, nil
}

func (l *File) unlock() error {
	if l.lock == nil {
		return nil
	}
	return l.lock.Unlock()
}

func take(ctx context.Context, p *source.Root, name string, waiting func(holder string)) (*flock.Flock, error) {
	// The root proves that no link is there; flock opens by name.
	f, err := p.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(p.Dir(), filepath.FromSlash(name)))
	ok, err := lock.TryLock()
	if err == nil && !ok {
		data, _ := p.ReadFile(name + ".holder")
		holder := strings.TrimSpace(string(data))
		if waiting == nil {
			return nil, errors.Join(&LockedError{name, holder}, lock.Close())
		}
		waiting(holder)
		ok, err = lock.TryLockContext(ctx, 200*time.Millisecond)
	}
	if err == nil && !ok {
		err = &LockedError{name: name}
	}
	if err == nil {
		host, _ := os.Hostname()
		err = p.Write(name+".holder", []byte("process "+strconv.Itoa(os.Getpid())+" on "+host+"\n"), 0o644)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// open reads what is there, cuts the tail off and makes the file's name durable.
func (l *File) open(p *source.Root, whole func(data []byte) (int, error), o Options) error {
	flag := os.O_RDWR | os.O_CREATE
	if o.ReadOnly {
		flag = os.O_RDONLY
	}
	f, err := p.OpenFile(l.name, flag, 0o644)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(f, o.Max+1))
	if err == nil && int64(len(data)) > o.Max {
		err = fmt.Errorf("%s: larger than %d MiB", l.name, o.Max>>20)
	}
	size := 0
	if err == nil {
		size, err = whole(data)
	}
	l.file, l.size = f, int64(size)
	if err == nil && size < len(data) && !o.ReadOnly {
		err = l.cut()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if d, err := os.Open(filepath.Dir(f.Name())); err == nil {
		_ = d.Sync() // not every system can sync a folder
		_ = d.Close()
	}
	return nil
}

// cut takes away what is not whole.
func (l *File) cut() error {
	return errors.Join(l.file.Truncate(l.size), l.file.Sync())
}

// Append writes one line, which ends in a line break. When it returns without
// an error, the line is there after a power cut too; with an error (a disk that
// is full) the file is as it was, and the next line may fit.
func (l *File) Append(line []byte) error { return l.add(line, true) }

// Write is Append without the wait for the disk: the line is there for good
// after the next Sync.
func (l *File) Write(line []byte) error { return l.add(line, false) }

func (l *File) add(line []byte, sync bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	_, err := l.file.WriteAt(line, l.size)
	if err == nil && sync {
		err = l.file.Sync()
	}
	if err == nil {
		l.size += int64(len(line))
		return nil
	}
	if cerr := l.cut(); cerr != nil {
		// What is in the file is not known: the next Open finds out.
		l.err = fmt.Errorf("%s: %w", l.name, errors.Join(err, cerr))
		return l.err
	}
	return fmt.Errorf("%s: %w", l.name, err)
}

// ReadAt implements io.ReaderAt, for lines that are there.
func (l *File) ReadAt(p []byte, at int64) (int, error) { return l.file.ReadAt(p, at) }

// Sync puts what was written on the disk.
func (l *File) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	return l.file.Sync()
}

// Close closes the file and gives the lock back.
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = fs.ErrClosed
	return errors.Join(l.file.Close(), l.unlock())
}
