package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// The kinds of records.
const (
	recBegin    = "begin"    // a driver starts: versions, steps, what was done already
	recIntent   = "intent"   // a step is about to act
	recEffect   = "effect"   // a step has acted
	recDone     = "done"     // a step was seen done, with evidence
	recWait     = "wait"     // a step waits for somebody
	recConflict = "conflict" // a step stopped
	recForeign  = "foreign"  // a step stopped at what is not ours
	recFailed   = "failed"   // a step broke; the text says how
	recApprove  = "approve"  // a person said yes
	recAssert   = "assert"   // a person said that it is done already
	recSkip     = "skip"     // a person said that it is not to be done, and why
	recAbort    = "abort"    // what abort took back; without a step: an epoch ends here
	recEnd      = "end"      // every step is done
)

// A Record is one line of the journal. It never holds a secret: texts come
// from observations, which have none.
type Record struct {
	Seq   int               `json:"seq"` // from 1
	Time  time.Time         `json:"time"`
	Kind  string            `json:"kind"`
	Step  string            `json:"step,omitempty"`
	Text  string            `json:"text,omitempty"`
	Who   string            `json:"who,omitempty"` // who can unblock; on approve: who did
	URL   string            `json:"url,omitempty"`
	Facts map[string]string `json:"facts,omitempty"`
	Plan  []PlannedStep     `json:"plan,omitempty"`  // on begin
	Pins  []string          `json:"pins,omitempty"`  // on begin: "mcad v1.33.0"
	Title string            `json:"title,omitempty"` // on begin
	Hot   *Hotfix           `json:"hotfix,omitempty"`
	Prev  string            `json:"prev"` // hash of the record before; empty on the first
	Hash  string            `json:"hash"` // SHA-256 of this record with an empty hash, in hex
}

// A PlannedStep is a step as the journal keeps it, so that status needs
// neither configuration nor network.
type PlannedStep struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Needs    []string `json:"needs,omitempty"`
	Approval bool     `json:"approval,omitempty"`
}

// sum is the hash of a record.
func (r Record) sum() string {
	r.Hash = ""
	data, _ := json.Marshal(r)
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// Records are what a journal holds, oldest first.
type Records []Record

// Last is the newest record of a step with one of the kinds (all kinds when
// there are none), nil when there is none.
func (rs Records) Last(step string, kinds ...string) *Record {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].Step != step {
			continue
		}
		for _, k := range kinds {
			if rs[i].Kind == k {
				return &rs[i]
			}
		}
		if len(kinds) == 0 {
			return &rs[i]
		}
	}
	return nil
}

// A Log is a journal that can be written.
type Log interface {
	// Append writes a record for good: when it returns, the record is
	// there after a power cut too. Seq, Prev and Hash are filled in.
	Append(ctx context.Context, r Record) error
	Records() Records
	Close() error
}

// ErrLocked is wrapped by the error of a second driver that does not wait.
var ErrLocked = errors.New("another cfctl drives this release")

// parseJournal reads the lines of a journal. A torn last line (power went
// away while it was written) is left out; size is the length of what is good.
// A broken chain is an error.
func parseJournal(path string, data []byte) (rs Records, size int, err error) {
	prev := ""
	for size < len(data) {
		end := bytes.IndexByte(data[size:], '\n')
		if end < 0 {
			return rs, size, nil
		}
		line := data[size : size+end]
		var r Record
		if err := json.Unmarshal(line, &r); err != nil {
			if size+end+1 == len(data) {
				return rs, size, nil
			}
			return nil, 0, fmt.Errorf("%s:%d: %w", path, len(rs)+1, err)
		}
		if r.Seq != len(rs)+1 || r.Prev != prev || r.Hash != r.sum() {
			return nil, 0, fmt.Errorf("%s:%d: the chain of hashes is broken here: the journal was edited or mixed with another", path, len(rs)+1)
		}
		rs, prev, size = append(rs, r), r.Hash, size+end+1
	}
	return rs, size, nil
}

// chain completes a record that follows rs.
func (rs Records) chain(r Record) Record {
	r.Seq, r.Time, r.Prev = len(rs)+1, r.Time.UTC().Truncate(time.Millisecond), ""
	if len(rs) > 0 {
		r.Prev = rs[len(rs)-1].Hash
	}
	r.Hash = r.sum()
	return r
}

// encode is a record as a line.
func (r Record) encode() []byte {
	data, _ := json.Marshal(r)
	return append(data, '\n')
}

// A FileJournal is a journal in a file, locked against a second driver by a
// lock beside it (advisory, freed by the system when the process ends).
type FileJournal struct {
	path string
	lock *flock.Flock
	file *os.File

	mu   sync.Mutex
	recs Records
}

// JournalPath is where the journal of a version is kept in a work tree.
func JournalPath(dir, version string) string {
	return filepath.Join(dir, ".cfctl", "releases", version+".jsonl")
}

// ReadJournal reads a journal without locking it. No file is no records.
func ReadJournal(path string) (Records, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rs, _, err := parseJournal(path, data)
	return rs, err
}

// OpenJournal opens or makes the journal at path and locks it. When another
// driver holds the lock, waiting is called once with what is known of it, and
// the lock is awaited until the context ends; when waiting is nil the error
// wraps ErrLocked.
func OpenJournal(ctx context.Context, path string, waiting func(holder string)) (*FileJournal, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock, err := lockJournal(ctx, path+".lock", waiting)
	if err != nil {
		return nil, err
	}
	j := &FileJournal{path: path, lock: lock}
	if err := j.open(); err != nil {
		_ = lock.Unlock()
		return nil, err
	}
	return j, nil
}

func lockJournal(ctx context.Context, path string, waiting func(holder string)) (*flock.Flock, error) {
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err == nil && !ok {
		holder, _ := os.ReadFile(path + ".holder")
		who := strings.TrimSpace(string(holder))
		if waiting == nil {
			return nil, fmt.Errorf("%w (%s)", ErrLocked, who)
		}
		waiting(who)
		ok, err = lock.TryLockContext(ctx, 200*time.Millisecond)
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrLocked
	}
	host, _ := os.Hostname()
	text := "process " + strconv.Itoa(os.Getpid()) + " on " + host + "\n"
	return lock, os.WriteFile(path+".holder", []byte(text), 0o644)
}

// open reads what is there, cuts a torn tail off and makes the file's name
// durable.
func (j *FileJournal) open() error {
	f, err := os.OpenFile(j.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(f)
	size := 0
	if err == nil {
		j.recs, size, err = parseJournal(j.path, data)
	}
	if err == nil && size < len(data) {
		err = f.Truncate(int64(size))
	}
	if err == nil {
		_, err = f.Seek(int64(size), io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return err
	}
	j.file = f
	if d, err := os.Open(filepath.Dir(j.path)); err == nil {
		_ = d.Sync() // not every system can sync a folder
		_ = d.Close()
	}
	return nil
}

// Append writes and syncs one record.
func (j *FileJournal) Append(_ context.Context, r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	r = j.recs.chain(r)
	if _, err := j.file.Write(r.encode()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.recs = append(j.recs, r)
	return nil
}

// Records returns what is written so far.
func (j *FileJournal) Records() Records {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.recs[:len(j.recs):len(j.recs)]
}

// Close closes the file and gives the lock back.
func (j *FileJournal) Close() error {
	return errors.Join(j.file.Close(), j.lock.Unlock())
}
