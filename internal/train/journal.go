package train

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/ledger"
	"github.com/project-codeflare/cfctl/internal/source"
)

// The kinds of records.
const (
	KindBegin     = "begin"     // a driver starts: versions, steps, what was done already
	KindIntent    = "intent"    // a step is about to act
	KindEffect    = "effect"    // a step has acted
	KindDone      = "done"      // a step was seen done, with evidence
	KindWait      = "wait"      // a step waits for others
	KindConflict  = "conflict"  // a step stopped
	KindUnmanaged = "unmanaged" // a step stopped at what is not ours
	KindFailed    = "failed"    // a step broke; the text says how
	KindApprove   = "approve"   // a maintainer approved
	KindAssert    = "assert"    // a maintainer said that it is done already
	KindSkip      = "skip"      // a maintainer said that it is not to be done, and why
	KindAbort     = "abort"     // what abort undid; without a step: an epoch ends here
	KindEnd       = "end"       // every step is done
)

// A Record is one line of the journal. It never holds a secret: texts come
// from observations, which have none.
type Record struct {
	Seq    int               `json:"seq"` // from 1
	Time   time.Time         `json:"time"`
	Kind   string            `json:"kind"`
	Step   string            `json:"step,omitempty"`
	Text   string            `json:"text,omitempty"`
	Who    string            `json:"who,omitempty"` // who can unblock; on approve: who did
	URL    string            `json:"url,omitempty"`
	Reason string            `json:"reason,omitempty"` // id of why a step stopped
	Ours   bool              `json:"ours,omitempty"`   // on wait: a maintainer has to do it
	Facts  map[string]string `json:"facts,omitempty"`
	Plan   []PlannedStep     `json:"plan,omitempty"`   // on begin
	Pins   []string          `json:"pins,omitempty"`   // on begin: "mcad v1.33.0"
	Title  string            `json:"title,omitempty"`  // on begin
	Order  json.RawMessage   `json:"hotfix,omitempty"` // on begin: what narrows the release, as who made the train wrote it; empty = nothing
	Run    string            `json:"run,omitempty"`    // on begin: random, so that two journals are never alike
	Tool   string            `json:"tool,omitempty"`   // on begin: the cfctl that writes, by its version; empty = not known
	Schema int               `json:"schema,omitempty"` // on begin: of this record and those after it; 0 = 1
	Seal   string            `json:"seal,omitempty"`   // of the key of who wrote it: see sealed
	Prev   string            `json:"prev"`             // hash of the record before; empty on the first
	Hash   string            `json:"hash"`             // SHA-256 of this record's line, without its end and with an empty hash, in hex

	line string // as it was read, with fields that a later cfctl added; empty = not read
}

// journalSchema is the schema of the records that are written. A journal with a
// higher one is of a later cfctl, whose fields may change what others mean.
const journalSchema = 1

// A PlannedStep is a step as the journal keeps it, so that status needs
// neither configuration nor network.
type PlannedStep struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Needs    []string `json:"needs,omitempty"`
	Approval bool     `json:"approval,omitempty"`
	Phase    string   `json:"phase,omitempty"`  // what it is a part of, for people; journals of older versions have none
	Target   string   `json:"target,omitempty"` // what it acts on; journals of older versions have none
}

// sum is the hash of a record's line. It is made from the bytes, not from what
// they mean: fields that are not known here belong to it.
func sum(line, hash string) string {
	text := `"hash":"`
	at := strings.LastIndex(line, text+hash+`"`)
	if at < 0 {
		return ""
	}
	at += len(text)
	h := sha256.Sum256([]byte(line[:at] + line[at+len(hash):]))
	return hex.EncodeToString(h[:])
}

// Records are what a journal holds, oldest first.
type Records []Record

// Last is the newest record of a step with one of the kinds (all kinds when
// there are none), nil when there is none.
func (rs Records) Last(step string, kinds ...string) *Record {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].Step == step && (len(kinds) == 0 || slices.Contains(kinds, rs[i].Kind)) {
			return &rs[i]
		}
	}
	return nil
}

// Since is when a step came to be as its newest record says: when it began to wait,
// whatever it was told to wait for in between. Zero: there is no record.
func (rs Records) Since(step string) time.Time {
	var since time.Time
	kind := ""
	for _, r := range rs {
		if r.Step != step {
			continue
		}
		if r.Kind != kind || kind != KindWait {
			since = r.Time
		}
		kind = r.Kind
	}
	return since
}

// A Log is a journal that can be written.
type Log interface {
	// Append writes a record. Seq, Prev and Hash are filled in.
	Append(ctx context.Context, r Record) error
	// Sync makes what was appended last: when it returns without an error, it is
	// there after a power cut too.
	Sync(ctx context.Context) error
	Records() Records
	Close() error
}

// ErrLocked is wrapped by the error of a second driver that does not wait.
var ErrLocked = errors.New("another cfctl drives this release")

// ParseRecords reads the lines of a journal. A torn last line (power went
// away while it was written) is left out; size is the length of what is good.
// A broken chain is an error, and so is what does not begin as a journal does:
// a user's file must not be taken for a torn one.
func ParseRecords(path string, data []byte) (rs Records, size int, err error) {
	prev := ""
	for size < len(data) {
		end := bytes.IndexByte(data[size:], '\n')
		if end < 0 {
			break
		}
		line := string(data[size : size+end])
		r := Record{line: line}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			if size > 0 && size+end+1 == len(data) {
				break
			}
			return nil, 0, fmt.Errorf("%s:%d: %w", path, len(rs)+1, err)
		}
		if r.Schema > journalSchema {
			return nil, 0, &source.Error{
				Path: fmt.Sprintf("%s:%d", path, len(rs)+1), Err: fmt.Errorf("written by a later cfctl (schema %d, this one knows %d)", r.Schema, journalSchema),
				Hint: "resume with that version of cfctl: cfctl version prints the version",
			}
		}
		if r.Seq != len(rs)+1 || r.Prev != prev || r.Hash == "" || r.Hash != sum(line, r.Hash) {
			return nil, 0, fmt.Errorf("%s:%d: the chain of hashes is broken here: the journal was edited or mixed with another", path, len(rs)+1)
		}
		rs, prev, size = append(rs, r), r.Hash, size+end+1
	}
	if size == 0 && !tornFirst(data) {
		return nil, 0, fmt.Errorf("%s:1: not a journal of a release: it is not changed", path)
	}
	return rs, size, nil
}

// tornFirst says whether data is the beginning of a first record.
func tornFirst(data []byte) bool {
	const first = `{"seq":1,"time":"`
	n := min(len(data), len(first))
	return bytes.Equal(data[:n], []byte(first[:n])) && !bytes.ContainsRune(data, '\n')
}

// Chain completes a record that follows rs.
func (rs Records) Chain(r Record) Record {
	r.Seq, r.Time, r.Prev = len(rs)+1, r.Time.UTC().Truncate(time.Millisecond), ""
	if len(rs) > 0 {
		r.Prev = rs[len(rs)-1].Hash
	}
	if r.Hash, r.Schema = "", 0; r.Kind == KindBegin {
		r.Schema = journalSchema
	}
	data, _ := json.Marshal(r)
	const end = `"hash":""}` // hash is the last field
	h := sha256.Sum256(data)
	r.Hash = hex.EncodeToString(h[:])
	r.line = strings.TrimSuffix(string(data), end) + `"hash":"` + r.Hash + `"}`
	return r
}

// Line is a record as it was read or chained, with its end.
func (r Record) Line() []byte { return []byte(r.line + "\n") }

// A FileJournal is a journal in a file, locked against a second driver by a
// lock next to it (advisory, freed by the system when the process ends).
type FileJournal struct {
	file *ledger.File
	root *source.Root

	mu   sync.Mutex
	recs Records
}

// journalFolder is where journals are kept in a work tree.
const journalFolder = ".cfctl/releases"

// JournalPath is where the journal of a version is kept in a work tree.
func JournalPath(dir, version string) string {
	return filepath.Join(dir, filepath.FromSlash(journalFolder), version+".jsonl")
}

// Journals are the versions that have a journal in a file of a work tree.
func Journals(dir string) (versions []string, err error) {
	root, err := source.OpenRoot(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	entries, err := fs.ReadDir(root.FS(), journalFolder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if version, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok {
			versions = append(versions, version)
		}
	}
	return versions, err
}

// place splits the path of a journal into the folder that must not be left (the
// work tree, whose links may lead anywhere) and the name below it.
func place(path string) (dir, name string) {
	dir, name = filepath.Split(path)
	dir = filepath.Clean(dir)
	if tree, ok := strings.CutSuffix(dir, string(filepath.Separator)+filepath.FromSlash(journalFolder)); ok {
		return tree, journalFolder + "/" + name
	}
	return dir, name
}

// ReadJournal reads a journal without locking it. No file is no records.
func ReadJournal(path string) (Records, error) {
	dir, name := place(path)
	root, err := source.OpenRoot(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	data, err := root.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rs, _, err := ParseRecords(path, data)
	return rs, err
}

// OpenJournal locks the journal at path, makes it when there is none, and reads
// it. When another driver holds the lock, waiting is called once with what is
// known of it, and the lock is awaited until the context ends; when waiting is
// nil the error wraps ErrLocked. What is at path and is no journal is an
// error, and so is a link.
func OpenJournal(ctx context.Context, path string, waiting func(holder string)) (*FileJournal, error) {
	dir, name := place(path)
	root, err := source.OutputRoot(dir)
	if err != nil {
		return nil, err
	}
	j := &FileJournal{root: root}
	j.file, err = ledger.Open(ctx, root, name, func(data []byte) (size int, err error) {
		j.recs, size, err = ParseRecords(path, data)
		return size, err
	}, ledger.Options{Waiting: waiting})
	if locked, ok := errors.AsType[*ledger.LockedError](err); ok {
		err = fmt.Errorf("%w (%s)", ErrLocked, locked.Holder)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return j, nil
}

// Append writes one record, for good.
func (j *FileJournal) Append(_ context.Context, r Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	r = j.recs.Chain(r)
	if err := j.file.Append(r.Line()); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	j.recs = append(j.recs, r)
	return nil
}

// Sync has nothing to do: Append has waited for the disk.
func (j *FileJournal) Sync(context.Context) error { return nil }

// Records returns what is written so far.
func (j *FileJournal) Records() Records {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clip(j.recs)
}

// Close closes the file and gives the lock back.
func (j *FileJournal) Close() error { return errors.Join(j.file.Close(), j.root.Close()) }

// ReadOnly is a journal that cannot be written: for commands that only look.
func ReadOnly(rs Records) Log { return readOnly(rs) }

type readOnly Records

func (r readOnly) Append(context.Context, Record) error {
	return errors.New("this journal is only read")
}
func (r readOnly) Sync(context.Context) error { return nil }
func (r readOnly) Records() Records           { return Records(r) }
func (r readOnly) Close() error               { return nil }
