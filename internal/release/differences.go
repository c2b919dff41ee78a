package release

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// whose tells of a commit's author.
func whose(s ports.Snapshot) string {
	return fmt.Sprintf("by %s on %s", s.Info.Author, s.Info.Time.UTC().Format(time.DateOnly))
}

// told appends differences to a sentence.
func told(differences []string) string {
	if len(differences) == 0 {
		return ""
	}
	return ": " + train.Few(differences)
}

func ignoreNotFound(err error) error {
	if errors.Is(err, wire.ErrNotFound) {
		return nil
	}
	return err
}

// difference says how a file is not as it should be: at its first line that is
// another. A nil content means that there is none.
func difference(path string, have, want []byte) string {
	switch {
	case have == nil:
		return path + " is not there"
	case want == nil:
		return path + " is not of this release"
	}
	a, b := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("%s:%d: ends, before %q", path, i+1, clip(b[i]))
		case i >= len(b):
			return fmt.Sprintf("%s:%d: has %q, after the end", path, i+1, clip(a[i]))
		case a[i] != b[i]:
			return fmt.Sprintf("%s:%d: has %q, and this release %q", path, i+1, clip(a[i]), clip(b[i]))
		}
	}
	return path + " has other bytes"
}

// clip shortens a line for a message.
func clip(line string) string {
	const most = 100
	line = strings.TrimSpace(line)
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

// differences are the files that changes would make another, with their places.
func differences(tree fs.FS, changes []git.Change) ([]string, error) {
	var list []string
	for _, c := range changes {
		have, err := fs.ReadFile(tree, c.Path)
		if ignoreMissing(err) != nil {
			return nil, err
		}
		list = append(list, difference(c.Path, have, c.Data))
	}
	return list, nil
}
