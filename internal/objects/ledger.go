package objects

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/ledger"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Ledger is the evidence of an import: a file of JSON lines, only ever
// appended to. Before an object is created its intent is on the disk; a run
// that was killed is resumed by looking at the target for the intents whose
// end is not written.
type Ledger struct {
	path   string
	file   *ledger.File // nil = there is none, and none is made
	writes bool         // it is locked, and written to
	end    int64        // of its whole lines, in bytes
	clock

	key     []byte // of the user; nil = seals are not asked for
	id      string
	entries map[string]*Entry // by origin ID: the last of each
	order   []string          // origin IDs as they were first written
	seen    []observation
	folders folders
}

// A clock says what time it is, was when the ledger was opened, and is the latest of its lines that
// were not of the future then.
type clock struct {
	now            func() time.Time
	opened, latest time.Time
}

// note takes the time of a line.
func (c *clock) note(t time.Time) {
	if t.After(c.latest) && !t.After(c.opened) {
		c.latest = t
	}
}

// folders are those that the import made in its target, with slashes.
type folders struct {
	sync.Mutex
	made map[string]bool
}

// A State of a ledger's entry.
type State string

// The states, in the order in which an object goes through them.
const (
	Creating State = "creating" // the target was seen without it; about to create
	Created  State = "created"  // read back
	Gone     State = "rolled-back"
)

// An Entry ties an old identity to a new one.
type Entry struct {
	State  State     `json:"state"`
	Time   time.Time `json:"time"`
	Origin Origin    `json:"origin"`
	New    Ref       `json:"new"`
	UID    string    `json:"uid,omitempty"` // of the new object; empty in a directory
	Want   string    `json:"want,omitempty"`
	Digest string    `json:"digest,omitempty"` // of the new object as it was read back
	Mark   string    `json:"mark,omitempty"`   // digest of the source's fingerprint
	Same   bool      `json:"same,omitempty"`   // what was read back had everything that was wanted

	Fields map[string]string `json:"fields,omitempty"` // fingerprint of the source; kept on disk only

	at, length int64 // where the line with Fields stands
}

// proves says that an object of the target is as it was read back once, and
// was then what is wanted now. Want is the digest of what is wanted. A ledger proves nothing of
// a folder: who can change the files of one can change the ledger, and no server adds to them.
func (e *Entry) proves(want string, s *Stored) bool {
	return e != nil && s.UID != "" && e.State == Created && e.Same && e.Want == want && e.Digest == s.digest && e.UID == s.UID
}

// An observation is what one look at source and target counted.
type observation struct {
	Time     time.Time      `json:"time"`
	Counters map[string]int `json:"counters"`
	Clean    bool           `json:"clean"` // every counter that must be 0 is 0, and the source had an object
	Seal     string         `json:"seal,omitempty"`

	after time.Time // the latest line in front of it
}

// seal is the HMAC of an observation, of the ledger that it is in and of the observation before
// it: a ledger may be a file of a tree, which many can edit.
func (l *Ledger) seal(o observation, before string) string {
	o.Seal = ""
	data, _ := json.Marshal(o)
	mac := hmac.New(sha256.New, l.key)
	fmt.Fprintf(mac, "cfctl import %s\n%s\n%s", l.id, before, data)
	return hex.EncodeToString(mac.Sum(nil))
}

// before is the seal of the observation before one.
func (l *Ledger) before(i int) string {
	if i == 0 {
		return ""
	}
	return l.seen[i-1].Seal
}

// trusts says whether an observation has the seal of the user's key. Without a key all have it.
func (l *Ledger) trusts(i int) bool {
	return l.key == nil || len(l.key) > 0 && hmac.Equal([]byte(l.seen[i].Seal), []byte(l.seal(l.seen[i], l.before(i))))
}

// cleanSince is when the first of the last clean looks without another one between them was, and
// how many there are. What has not the seal of the user's key ends them.
func (l *Ledger) cleanSince() (since time.Time, looks int, sealed bool) {
	for i, o := range slices.Backward(l.seen) {
		if !o.Clean || o.Time.After(l.now()) {
			break
		}
		if !l.trusts(i) {
			return since, looks, false
		}
		if since, looks = o.Time, looks+1; o.after.After(since) {
			since = o.after
		}
	}
	return since, looks, true
}

// SealWith sets the key of the user, which seals what is observed; an empty one fits nothing.
func (l *Ledger) SealWith(key []byte) { l.key = key }

// ledgerSchema is the newest form of a ledger that is known here.
const ledgerSchema = 1

// A line is one line of the file: exactly one of Ledger, Entry, Observed and Folders
// is set; another cfctl may have others.
type line struct {
	Ledger   string       `json:"ledger,omitempty"`
	Kind     string       `json:"kind,omitempty"`
	Schema   int          `json:"schema,omitempty"` // 0 = that of the first line
	Needs    string       `json:"needs,omitempty"`  // version of cfctl that knows the schema, for those that do not
	Entry    *Entry       `json:"entry,omitempty"`
	Observed *observation `json:"observed,omitempty"`
	Folders  []string     `json:"folders,omitempty"` // made in the target
}

// OpenLedger opens the ledger of a kind, or starts one. A last line without
// its end, as a crash or a full disk leaves it, is cut off; any other line that
// cannot be read is an error with its place. A file that does not begin as a
// ledger, and a ledger of a newer form, is never written to. With write unset
// the file is neither made nor changed; one that is not there is then an empty
// ledger. A ledger that is written is locked before it is read.
func OpenLedger(path, kind string, write bool, now func() time.Time) (*Ledger, error) {
	l := &Ledger{path: path, writes: write, clock: clock{now: now, opened: now()}, entries: map[string]*Entry{}, folders: folders{made: map[string]bool{}}}
	if path == "" {
		return nil, errors.New("a ledger needs a name")
	}
	folder := source.OpenRoot
	if write {
		folder = source.OutputRoot
	}
	dir, err := folder(filepath.Dir(path))
	if err == nil {
		defer dir.Close() //nolint:errcheck // the file stays open
		l.file, err = ledger.Open(context.Background(), dir, filepath.Base(path), func(data []byte) (int, error) {
			return l.load(kind, data)
		}, ledger.Options{Max: math.MaxInt64 - 1, ReadOnly: !write})
	}
	var locked *ledger.LockedError
	switch {
	case errors.Is(err, fs.ErrNotExist) && !write:
		return l, nil
	case errors.As(err, &locked):
		return nil, fmt.Errorf("%s: another cfctl is using it: %s", path, cmp.Or(locked.Holder, "it does not say which"))
	case err != nil:
		return nil, l.placed(err)
	case write && l.id == "":
		err = l.start(kind)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// placed says of an error about the file which file it is.
func (l *Ledger) placed(err error) error {
	if placed, ok := errors.AsType[*source.Error](err); ok {
		return &source.Error{Path: filepath.ToSlash(l.path), Err: placed.Err}
	}
	return err
}

// start writes the first line.
func (l *Ledger) start(kind string) error {
	id := make([]byte, 8)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	first := line{Ledger: hex.EncodeToString(id), Kind: kind, Schema: ledgerSchema}
	if _, err := l.append(first); err != nil {
		return err
	}
	l.id = first.Ledger
	return l.Sync()
}

// load reads the lines of the file; it returns how many bytes are whole lines.
func (l *Ledger) load(kind string, data []byte) (whole int, err error) {
	for n := 1; ; n++ {
		end := bytes.IndexByte(data[whole:], '\n')
		if end < 0 {
			if l.id == "" && whole < len(data) && !bytes.HasPrefix(data, []byte(`{"ledger":"`)) {
				return 0, fmt.Errorf("%s: not a ledger of cfctl; nothing was changed in it", l.path)
			}
			return whole, nil
		}
		x := &line{}
		err := json.Unmarshal(data[whole:whole+end], x)
		switch {
		case l.id == "" && (err != nil || x.Ledger == ""):
			return 0, fmt.Errorf("%s:%d: not a ledger of cfctl; nothing was changed in it", l.path, n)
		case err != nil:
			return 0, fmt.Errorf("%s:%d: not a line of a ledger: %w", l.path, n, err)
		case x.Schema > ledgerSchema:
			return 0, fmt.Errorf("%s:%d: written in form %d of ledgers, and this cfctl knows %d: use %s; nothing was changed in it", l.path, n, x.Schema, ledgerSchema, cmp.Or(x.Needs, "the version that wrote it"))
		case x.Ledger != "" && x.Kind != kind:
			return 0, fmt.Errorf("%s:%d: the ledger of import %s, not of %s", l.path, n, x.Kind, kind)
		case x.Entry != nil && x.Entry.Origin.ID == "":
			return 0, fmt.Errorf("%s:%d: an entry without the identity of its origin", l.path, n)
		}
		l.take(x, int64(whole), int64(end))
		whole += end + 1
		l.end = int64(whole)
	}
}

func (l *Ledger) take(x *line, at, length int64) {
	switch {
	case x.Ledger != "":
		l.id = x.Ledger
	case x.Observed != nil:
		x.Observed.after = l.latest
		l.seen = append(l.seen, *x.Observed)
		l.note(x.Observed.Time)
	case x.Folders != nil:
		for _, dir := range x.Folders {
			l.folders.made[dir] = true
		}
	case x.Entry != nil:
		e := x.Entry
		l.note(e.Time)
		if e.Fields != nil {
			e.at, e.length, e.Fields = at, length, nil
		}
		old := l.entries[e.Origin.ID]
		if old == nil {
			l.order = append(l.order, e.Origin.ID)
		} else if e.length == 0 && old.New == e.New {
			e.at, e.length = old.at, old.length
		}
		l.entries[e.Origin.ID] = e
	}
}

// ID is the ledger's own random name; empty for one that was never written.
func (l *Ledger) ID() string { return l.id }

// Entry is the last entry of an old identity, or nil.
func (l *Ledger) Entry(origin string) *Entry { return l.entries[origin] }

// Entries are the last entries of all old identities, oldest first.
func (l *Ledger) Entries() []*Entry {
	return lists.Of(l.order, l.Entry)
}

// record appends an entry. It is on the disk after the next Sync.
func (l *Ledger) record(e Entry) error {
	e.Time = l.now().UTC().Truncate(time.Millisecond)
	at := l.end
	length, err := l.append(line{Entry: &e})
	if err == nil {
		l.take(&line{Entry: &e}, at, length-1)
	}
	return err
}

// observe appends a look at source and target.
func (l *Ledger) observe(o observation) error {
	o.Time = l.now().UTC().Truncate(time.Second)
	if len(l.key) > 0 {
		o.Seal = l.seal(o, l.before(len(l.seen)))
	}
	if _, err := l.append(line{Observed: &o}); err != nil {
		return err
	}
	l.take(&line{Observed: &o}, 0, 0)
	return l.Sync()
}

// made notes folders that are about to be made in the target, at once: several
// objects may be created at a time.
func (l *Ledger) made(dirs []string) error {
	l.folders.Lock()
	defer l.folders.Unlock()
	if l.folders.made[dirs[0]] {
		return nil
	}
	if _, err := l.append(line{Folders: dirs}); err != nil {
		return err
	}
	l.take(&line{Folders: dirs}, 0, 0)
	return l.Sync()
}

// append writes a line at the end, or leaves the file as it was.
func (l *Ledger) append(x line) (length int64, err error) {
	data, err := json.Marshal(x)
	if err != nil {
		return 0, err
	}
	data = append(data, '\n')
	if err := l.file.Write(data); err != nil {
		return 0, err
	}
	l.end += int64(len(data))
	return int64(len(data)), nil
}

// Sync puts what was recorded on the disk.
func (l *Ledger) Sync() error { return l.file.Sync() }

// sync is Sync for a ledger that may be read only.
func (l *Ledger) sync() error {
	if !l.writes {
		return nil
	}
	return l.Sync()
}

// Close gives the file free. Closing a ledger that has none does nothing.
func (l *Ledger) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// fields reads an entry's fingerprint of the source back from the file; nil
// when it has none.
func (l *Ledger) fields(e *Entry) (map[string]string, error) {
	if e == nil || e.length == 0 {
		return nil, nil
	}
	data := make([]byte, e.length)
	if _, err := l.file.ReadAt(data, e.at); err != nil {
		return nil, err
	}
	x := &line{Entry: &Entry{}}
	err := json.Unmarshal(data, x)
	return x.Entry.Fields, err
}
