package source

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofrs/flock"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// A journal says what one commit does to the tree and how to take it back. It
// is on the disk before the first byte of the tree changes. It holds no copies
// of files: edits both ways and the hashes that prove them are enough.
type journal struct {
	Schema int           `json:"schema"`
	ID     string        `json:"id"`             // in the names of temporary files
	Undo   bool          `json:"undo,omitempty"` // this takes an earlier commit back
	Dirs   []string      `json:"dirs,omitempty"` // directories that it makes, parents first
	Files  []journalFile `json:"files"`
}

// A journalFile is one file of a journal. Paths are relative to the store's root.
type journalFile struct {
	From    string        `json:"from,omitempty"` // empty: created
	To      string        `json:"to,omitempty"`   // empty: deleted
	Mode    fs.FileMode   `json:"mode"`
	Before  Sum           `json:"before"` // of From; of no bytes when created
	After   Sum           `json:"after"`  // of To; of no bytes when deleted
	Edits   []journalEdit `json:"edits,omitempty"`
	Inverse []journalEdit `json:"inverse,omitempty"`
}

// name is what the file is called in words to the user.
func (f *journalFile) name() string {
	return cmp.Or(f.From, f.To)
}

// A journalEdit is an Edit whose text need not be UTF-8.
type journalEdit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   []byte `json:"new,omitempty"`
}

func journalEdits(edits []Edit) []journalEdit {
	return lists.Of(edits, func(e Edit) journalEdit { return journalEdit{e.Start, e.End, []byte(e.New)} })
}

func sourceEdits(edits []journalEdit) []Edit {
	return lists.Of(edits, func(e journalEdit) Edit { return Edit{Span: Span{e.Start, e.End}, New: string(e.New)} })
}

// temp is the name of the temporary file of the i-th file, next to its target.
func (j *journal) temp(i int, target string) string {
	return path.Join(path.Dir(target), tempPrefix+j.ID+"-"+strconv.Itoa(i))
}

// inverted is the journal of taking j back.
func (j *journal) inverted() *journal {
	back := &journal{Schema: journalSchema, ID: newID(), Undo: true}
	for _, f := range j.Files {
		back.Files = append(back.Files, journalFile{
			From: f.To, To: f.From, Mode: f.Mode, Before: f.After, After: f.Before, Edits: f.Inverse, Inverse: f.Edits,
		})
	}
	return back
}

// eachName puts f of every name of a journal in its place.
func (j *journal) eachName(f func(string) (string, error)) (err error) {
	put := func(name *string) {
		if err == nil {
			*name, err = f(*name)
		}
	}
	for i := range j.Dirs {
		put(&j.Dirs[i])
	}
	for i := range j.Files {
		put(&j.Files[i].From)
		put(&j.Files[i].To)
	}
	return err
}

// quoteName makes a name fit for JSON, which holds UTF-8 alone and would put
// another letter for every other byte. No file has a name that begins so.
func quoteName(name string) (string, error) {
	if utf8.ValidString(name) {
		return name, nil
	}
	return "\x00" + hex.EncodeToString([]byte(name)), nil
}

func unquoteName(name string) (string, error) {
	digits, quoted := strings.CutPrefix(name, "\x00")
	if !quoted {
		return name, nil
	}
	data, err := hex.DecodeString(digits)
	return string(data), err
}

const journalSchema = 1

func newID() string {
	var id [6]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// The files of a store.
const (
	pendingName = "pending.json" // a commit under way, or one that was killed
	lastName    = "last.json"    // the last commit that was completed
	lockName    = "lock"
)

// A store keeps the journals of one work tree, or of one base directory
// outside of git, and the lock of the one that writes there.
type store struct {
	tree   disk   // the work tree's top level, or the base
	state  disk   // the directory with the journals
	top    string // absolute path of tree
	dir    string // absolute path of state
	prefix string // the Tree's base, relative to top; "." is top itself, ".." and on are above it
	base   string // absolute path of the Tree's base
	lock   *flock.Flock
}

// stateDir is where the journals of a tree live: in the git directory of the work
// tree that the write belongs to (see written), or
// under the user's state directory when there is none. Outside of git a write
// belongs to the base that it was made in; one that looks for a written
// journal finds that of the nearest directory upward that has one.
func (t *Tree) stateDir(written bool) (top, dir string, err error) {
	if t.sys != nil {
		return "", "", errReadOnly
	}
	if top, gitDir := t.written(); gitDir != "" {
		return top, filepath.Join(gitDir, "cfctl"), nil
	}
	home := os.Getenv("XDG_STATE_HOME")
	if home == "" {
		if runtime.GOOS == "windows" {
			home, err = os.UserCacheDir()
		} else if home, err = os.UserHomeDir(); err == nil {
			home = filepath.Join(home, ".local", "state")
		}
		if err != nil {
			return "", "", fmt.Errorf("no place for the undo journal: %w", err)
		}
	}
	for top := t.base; written; top = filepath.Dir(top) {
		if dir := journalDir(home, top); hasJournal(dir) {
			return top, dir, nil
		}
		if top == filepath.Dir(top) {
			break
		}
	}
	return t.base, journalDir(home, t.base), nil
}

func journalDir(home, top string) string {
	sum := sha256.Sum256([]byte(top))
	return filepath.Join(home, "cfctl", hex.EncodeToString(sum[:8]))
}

func hasJournal(dir string) bool {
	return isThere(filepath.Join(dir, pendingName)) || isThere(filepath.Join(dir, lastName))
}

// openStore opens the tree's store and takes its lock.
func (t *Tree) openStore(written bool) (*store, error) {
	top, dir, err := t.stateDir(written)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, &Error{Path: dir, Err: Cause(err), Hint: "the undo journal is kept there; make it writable"}
	}
	s := &store{top: top, dir: dir}
	if s.lock, err = lockFile(filepath.Join(dir, lockName)); err != nil {
		return nil, err
	}
	if s.state, err = openDisk(dir); err == nil {
		s.tree, err = openDisk(top)
	}
	if err == nil {
		s.prefix, err = filepath.Rel(top, t.base)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.prefix = filepath.ToSlash(s.prefix)
	s.base = t.base
	s.tree.step, s.state.step = t.step, t.step
	return s, nil
}

// lockFile takes the lock, which the operating system releases when the
// process ends, however it ends.
func lockFile(name string) (*flock.Flock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, &Error{Path: name, Err: Cause(err), Hint: "the undo journal is kept there; make it writable"}
	}
	defer func() { _ = f.Close() }()
	lock := flock.New(name)
	if ok, err := lock.TryLock(); err != nil || !ok {
		holder := make([]byte, 32)
		n, _ := f.Read(holder)
		_ = lock.Close()
		who := "another cfctl"
		if pid := string(bytes.TrimSpace(holder[:n])); pid != "" {
			who += " (process " + pid + ")"
		}
		return nil, &Error{Path: filepath.Dir(name), Err: fmt.Errorf("%s is writing here", who), Hint: "wait for it to end, then run again; nothing was changed"}
	}
	_ = f.Truncate(0)
	_, _ = fmt.Fprintf(f, "%d\n", os.Getpid())
	return lock, nil
}

func (s *store) close() {
	s.tree.close()
	s.state.close()
	_ = s.lock.Close()
}

// within is the path in the store of a file of the Tree, and whether it lies there:
// the base may be above the work tree that a write belongs to.
func (s *store) within(name string) (string, bool) {
	if s.prefix != ".." && !strings.HasPrefix(s.prefix, "../") {
		return path.Join(s.prefix, name), true
	}
	rel, err := filepath.Rel(s.top, filepath.Join(s.base, filepath.FromSlash(name)))
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// shown is a path of the store as the user of the Tree knows it.
func (s *store) shown(name string) string {
	if s.prefix == "." {
		return name
	}
	if rest, ok := strings.CutPrefix(name, s.prefix+"/"); ok {
		return rest
	}
	rel, err := filepath.Rel(s.base, filepath.Join(s.top, filepath.FromSlash(name)))
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// load reads a journal; nil when there is none.
func (s *store) load(name string) (*journal, error) {
	data, _, err := s.state.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var j journal
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	if err == nil {
		err = j.eachName(unquoteName)
	}
	if err == nil && j.Schema != journalSchema {
		err = fmt.Errorf("journal of schema %d, this cfctl knows %d", j.Schema, journalSchema)
	}
	if err != nil {
		return nil, &Error{Path: filepath.Join(s.dir, name), Err: Cause(err), Hint: "move the file away when you know that the work tree is as it should be"}
	}
	return &j, nil
}

// save writes the journal of a commit that is about to start.
func (s *store) save(j *journal) error {
	quoted := *j
	quoted.Dirs, quoted.Files = slices.Clone(j.Dirs), slices.Clone(j.Files)
	if err := quoted.eachName(quoteName); err != nil {
		return err
	}
	data, err := json.Marshal(&quoted)
	if err != nil {
		return err
	}
	if err := s.state.replace(pendingName, pendingName+".tmp", data, 0o600, nil); err != nil {
		return &Error{Path: filepath.Join(s.dir, pendingName), Err: Cause(err), Hint: hintFor(err)}
	}
	return nil
}
