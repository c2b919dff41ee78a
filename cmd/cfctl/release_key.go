package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
)

const keyName = "journal.key"

// journalKey is the user's key, which seals the journals in files: of
// $CFCTL_JOURNAL_KEY, for CI jobs that hand a journal on, else of the file
// journal.key next to the user's own configuration. With fresh it is made when
// there is none; without, none is empty, and fits no journal.
func journalKey(t *terminal, fresh bool) ([]byte, error) {
	if key := t.env["CFCTL_JOURNAL_KEY"]; key != "" {
		return []byte(key), nil
	}
	config := userConfigFile(t.env)
	if config == "" {
		if !fresh {
			return []byte{}, nil
		}
		return nil, hinted{errors.New("there is no folder for the key that seals the journal"),
			"set CFCTL_JOURNAL_KEY to a secret, or keep the journal on a ref: --state git"}
	}
	dir := filepath.Dir(config)
	key, err := source.ReadFile(filepath.Join(dir, keyName))
	if errors.Is(err, fs.ErrNotExist) {
		if !fresh {
			return []byte{}, nil
		}
		return makeJournalKey(dir)
	}
	return []byte(strings.TrimSpace(string(key))), err
}

func makeJournalKey(dir string) ([]byte, error) {
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
	key, err := root.ReadFile(keyName) // another user's, when two make one at the same time
	return []byte(strings.TrimSpace(string(key))), err
}

// ownJournal refuses a journal in a file that was not written by this user:
// it came with the tree, or from another machine.
func ownJournal(t *terminal, rs train.Records, path, version string) error {
	key, err := journalKey(t, false)
	if err != nil {
		return err
	}
	if err := train.CheckSeals(rs, key, version); err != nil {
		return hinted{errorf("%s: %w", path, err),
			"move it to another place; the next run observes what is done, and approvals are needed again\na journal of several machines: --state git, or the same CFCTL_JOURNAL_KEY on each"}
	}
	return nil
}
