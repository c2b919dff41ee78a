package train

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/project-codeflare/cfctl/internal/source"
)

// ErrUnsealed is wrapped by the error of a journal that was not written with
// the key of who reads it.
var ErrUnsealed = errors.New("the journal was not written by you")

// sealed is a record with its seal: the HMAC of all that it says, of the version
// that it is about, and of the record before it. The chain of hashes proves that
// a journal is whole; anyone can make one. The seal proves whose it is: a
// journal that came with a tree decides nothing, approves nothing and owns
// nothing. before are the records that it comes after.
func (r Record) sealed(key []byte, version string, before Records) Record {
	r.Time = r.Time.UTC().Truncate(time.Millisecond)
	data, _ := json.Marshal(r) // as it will be read: text that is no UTF-8 is another one then
	r = Record{}
	_ = json.Unmarshal(data, &r)
	if len(key) > 0 {
		r.Seal = r.seal(key, version, before)
	}
	return r
}

func (r Record) seal(key []byte, version string, before Records) string {
	last := ""
	if len(before) > 0 {
		last = before[len(before)-1].Hash
	}
	r.Seq, r.Schema, r.Seal, r.Prev, r.Hash, r.line = 0, 0, "", last, "", ""
	data, _ := json.Marshal(r)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "cfctl release %s\n", version)
	mac.Write(data)
	return hex.EncodeToString(mac.Sum(nil))
}

// CheckSeals says whether every record was written with the key, for this
// version; else the error wraps ErrUnsealed. Without a key every journal will
// do: anyone who can write it may release.
func CheckSeals(rs Records, key []byte, version string) error {
	if key == nil {
		return nil
	}
	for i, r := range rs {
		if len(key) == 0 || !hmac.Equal([]byte(r.Seal), []byte(r.seal(key, version, rs[:i]))) {
			return fmt.Errorf("release %s: %w: its record %d (%s) has not the seal of your key", version, ErrUnsealed, i+1, r.Kind)
		}
	}
	return nil
}

const keyName = "journal.key"

// Key is the user's key, which seals the journals in files: of the file journal.key in a
// folder. With fresh it is made when there is none; without, none is empty, and fits no
// journal.
func Key(dir string, fresh bool) ([]byte, error) {
	key, err := source.ReadFile(filepath.Join(dir, keyName))
	if errors.Is(err, fs.ErrNotExist) {
		if !fresh {
			return []byte{}, nil
		}
		key, err = makeKey(dir)
	}
	return bytes.TrimSpace(key), err
}

func makeKey(dir string) ([]byte, error) {
	root, err := source.MakeRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	err = root.Create(keyName, []byte(hex.EncodeToString(fresh)+"\n"), 0o600)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return root.ReadFile(keyName) // another process's, when two make one at the same time
}
