package objects

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Ledger is the evidence of an import: a file of JSON lines, only ever
// appended to. Before an object is created its intent is on the disk; a run
// that was killed is resumed by looking at the target for the intents whose
// end is not written.
type Ledger struct {
	path string
	file *os.File // nil = read only, or in memory
	now  func() time.Time

	id      string
	entries map[string]*Entry // by origin ID: the last of each
	order   []string          // origin IDs as they were first written
	seen    []Observation
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

	Fields map[string]string `json:"fields,omitempty"` // fingerprint of the source; kept on disk only

	at, length int64 // where the line with Fields stands
}

// An Observation is what one look at source and target counted.
type Observation struct {
	Time     time.Time      `json:"time"`
	Counters map[string]int `json:"counters"`
	Clean    bool           `json:"clean"` // every counter that must be 0 is 0, and nothing was unreadable
}

// A line is one line of the file: exactly one member is set.
type line struct {
	Ledger   string       `json:"ledger,omitempty"`
	Kind     string       `json:"kind,omitempty"`
	Schema   int          `json:"schema,omitempty"`
	Entry    *Entry       `json:"entry,omitempty"`
	Observed *Observation `json:"observed,omitempty"`
}

// OpenLedger reads the ledger of a kind, or starts one. A last line without
// its end, as a crash leaves it, is cut off; any other line that cannot be
// read is an error with its place. With write unset the file is neither made
// nor changed; one that is not there is then an empty ledger.
func OpenLedger(path, kind string, write bool, now func() time.Time) (*Ledger, error) {
	l := &Ledger{path: path, now: now, entries: map[string]*Entry{}}
	data, err := os.ReadFile(path)
	if err != nil && (!errors.Is(err, fs.ErrNotExist) || path == "" && write) {
		return nil, err
	}
	whole, err := l.load(kind, data)
	if err != nil || !write {
		return l, err
	}
	return l, l.open(kind, int64(whole), len(data) == 0)
}

// open makes the file ready to be appended to after its whole lines.
func (l *Ledger) open(kind string, whole int64, fresh bool) error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	if err := lock(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("%s: another cfctl is using it: %w", l.path, err)
	}
	l.file = f
	if err := f.Truncate(whole); err != nil {
		return err
	}
	if _, err := f.Seek(whole, 0); err != nil {
		return err
	}
	if !fresh && l.id != "" {
		return nil
	}
	id := make([]byte, 8)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	l.id = hex.EncodeToString(id)
	if err := l.append(line{Ledger: l.id, Kind: kind, Schema: 1}); err != nil {
		return err
	}
	return l.Sync()
}

// load reads the lines; it returns how many bytes are whole lines.
func (l *Ledger) load(kind string, data []byte) (whole int, err error) {
	for n := 1; ; n++ {
		end := bytes.IndexByte(data[whole:], '\n')
		if end < 0 {
			return whole, nil
		}
		var x line
		if err := json.Unmarshal(data[whole:whole+end], &x); err != nil {
			return 0, fmt.Errorf("%s:%d: not a line of a ledger: %w", l.path, n, err)
		}
		if x.Ledger != "" && x.Kind != kind {
			return 0, fmt.Errorf("%s:%d: the ledger of import %s, not of %s", l.path, n, x.Kind, kind)
		}
		l.take(&x, int64(whole), int64(end))
		whole += end + 1
	}
}

func (l *Ledger) take(x *line, at, length int64) {
	switch {
	case x.Ledger != "":
		l.id = x.Ledger
	case x.Observed != nil:
		l.seen = append(l.seen, *x.Observed)
	case x.Entry != nil:
		e := x.Entry
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
	list := make([]*Entry, len(l.order))
	for i, id := range l.order {
		list[i] = l.entries[id]
	}
	return list
}

// Observations are all looks at source and target, oldest first.
func (l *Ledger) Observations() []Observation { return l.seen }

// Record appends an entry. It is on the disk after the next Sync.
func (l *Ledger) Record(e Entry) error {
	e.Time = l.now().UTC().Truncate(time.Millisecond)
	at, err := l.file.Seek(0, 1)
	if err != nil {
		return err
	}
	if err := l.append(line{Entry: &e}); err != nil {
		return err
	}
	end, err := l.file.Seek(0, 1)
	l.take(&line{Entry: &e}, at, end-at-1)
	return err
}

// Observe appends a look at source and target.
func (l *Ledger) Observe(o Observation) error {
	o.Time = l.now().UTC().Truncate(time.Second)
	l.seen = append(l.seen, o)
	if err := l.append(line{Observed: &o}); err != nil {
		return err
	}
	return l.Sync()
}

func (l *Ledger) append(x line) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(data, '\n'))
	return err
}

// Sync puts what was recorded on the disk.
func (l *Ledger) Sync() error { return l.file.Sync() }

// Close gives the file free. Closing a read-only ledger does nothing.
func (l *Ledger) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// Fields reads an entry's fingerprint of the source back from the file; nil
// when it has none.
func (l *Ledger) Fields(e *Entry) (map[string]string, error) {
	if e == nil || e.length == 0 {
		return nil, nil
	}
	f, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	data := make([]byte, e.length)
	if _, err := f.ReadAt(data, e.at); err != nil {
		return nil, err
	}
	var x line
	if err := json.NewDecoder(bufio.NewReader(bytes.NewReader(data))).Decode(&x); err != nil {
		return nil, err
	}
	return x.Entry.Fields, nil
}
