package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// writeFixes makes the edits of the findings, each once, and says where. Files
// are written all or none.
func writeFixes(ctx context.Context, t *terminal, v *view, findings []report.Finding) (int, error) {
	edits := map[string][]source.Edit{}
	n := 0
	for _, f := range findings {
		for _, x := range f.Fixes {
			if !slices.Contains(edits[x.Path], x.Edit) {
				edits[x.Path] = append(edits[x.Path], x.Edit)
				n++
			}
		}
	}
	return n, writeEdits(ctx, t, v, edits)
}

// writeEdits splices the edits into the files of the work tree and lists them.
func writeEdits(_ context.Context, t *terminal, v *view, edits map[string][]source.Edit) error {
	paths := make([]string, 0, len(edits))
	for p := range edits {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	contents := map[string][]byte{}
	for _, p := range paths {
		data, err := fs.ReadFile(v.tree, p)
		if err != nil {
			return err
		}
		if contents[p], err = source.Apply(data, edits[p]); err != nil {
			return &source.Error{Path: p, Err: err}
		}
		noteEdits(t, p, data, edits[p])
	}
	return replaceFiles(v.root, paths, contents)
}

// replaceFiles puts files in the place of others: all are written beside their
// places first, so that a full disk or a missing permission changes nothing.
func replaceFiles(root string, paths []string, contents map[string][]byte) error {
	written := map[string]string{}
	defer func() {
		for _, tmp := range written {
			_ = os.Remove(tmp) // gone after its rename
		}
	}()
	for _, p := range paths {
		tmp, err := writeBeside(filepath.Join(root, filepath.FromSlash(p)), contents[p])
		if err != nil {
			return err
		}
		written[p] = tmp
	}
	for _, p := range paths {
		if err := os.Rename(written[p], filepath.Join(root, filepath.FromSlash(p))); err != nil {
			return err
		}
	}
	return nil
}

// noteEdits lists the edits of one file: words with their place, whole lines
// by their number.
func noteEdits(t *terminal, path string, data []byte, edits []source.Edit) {
	lines := 0
	for _, e := range edits {
		if n := strings.Count(string(e.Of(data)), "\n") + strings.Count(e.New, "\n"); n > 0 {
			lines += n
			continue
		}
		t.note("%s:%d: %s -> %s", path, source.PositionAt(data, e.Start).Line, e.Of(data), e.New)
	}
	if lines > 0 {
		t.note("%s: %d lines changed", path, lines)
	}
}

// writeBeside writes a temporary file with the permissions of path in the same
// folder. Only regular files are replaced.
func writeBeside(path string, data []byte) (name string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".cfctl-*")
	if err != nil {
		return "", err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		err = tmp.Sync()
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		_ = os.Remove(tmp.Name()) // half-written
		return "", err
	}
	return tmp.Name(), nil
}
