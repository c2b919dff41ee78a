package bump

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/git"
)

// Difference says how a file is not as it should be: at its first line that is
// another. A nil content means that there is none.
func Difference(path string, have, want []byte) string {
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

// Differences are the files that changes would make another, with their places.
func Differences(tree fs.FS, changes []git.Change) ([]string, error) {
	var list []string
	for _, c := range changes {
		have, err := fs.ReadFile(tree, c.Path)
		if IgnoreMissing(err) != nil {
			return nil, err
		}
		list = append(list, Difference(c.Path, have, c.Data))
	}
	return list, nil
}

// FilesDiffer says how the files of a folder are not as they should be: first
// those that are others, then those that should not be there, then those that
// are not there.
func FilesDiffer(folder string, have, want map[string][]byte) []string {
	var others, more, missing []string
	for _, name := range git.Sorted(want) {
		switch data, ok := have[name]; {
		case !ok:
			missing = append(missing, Difference(path.Join(folder, name), nil, want[name]))
		case !bytes.Equal(data, want[name]):
			others = append(others, Difference(path.Join(folder, name), data, want[name]))
		}
	}
	for _, name := range git.Sorted(have) {
		if _, ok := want[name]; !ok {
			more = append(more, Difference(path.Join(folder, name), have[name], nil))
		}
	}
	return slices.Concat(others, more, missing)
}

// FilesOf are the files of a folder, by their paths in it; a link is what it
// points at, as text. No folder has none.
func FilesOf(tree fs.FS, folder string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(tree, folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tree, name)
		if data == nil {
			data = []byte{}
		}
		files[strings.TrimPrefix(name, folder+"/")] = data
		return err
	})
	return files, IgnoreMissing(err)
}

// IgnoreMissing is an error, unless it says that a file is not there.
func IgnoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
