package main

import (
	"context"
	"io/fs"
	"maps"
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

// writeEdits splices the edits into the files of the work tree, all or none, and
// lists them.
func writeEdits(ctx context.Context, t *terminal, v *view, edits map[string][]source.Edit) error {
	var changes []source.Change
	for _, p := range slices.Sorted(maps.Keys(edits)) {
		data, err := fs.ReadFile(v.tree, p)
		if err != nil {
			return err
		}
		changes = append(changes, source.Change{From: p, To: p, Edits: edits[p], Before: source.SumOf(data)})
		noteEdits(t, p, data, edits[p])
	}
	return commitFiles(ctx, v, changes)
}

// commitFiles writes files of the work tree, all or none, if they are what the changes
// were made for.
func commitFiles(ctx context.Context, v *view, changes []source.Change) error {
	root, err := realPath(v.root)
	if err != nil {
		return err
	}
	tree, err := source.Open([]string{root})
	if err != nil {
		return err
	}
	defer tree.Close() //nolint:errcheck // what was written is on the disk
	undone, err := tree.Recover(ctx)
	if err != nil {
		return err
	}
	if len(undone) > 0 { // the changes were made for what was half written
		return hinted{errorf("an interrupted write was undone (%s): nothing else was written", report.Plural(len(undone), "file")), "run the command again"}
	}
	for i := range changes {
		for _, name := range []*string{&changes[i].From, &changes[i].To} {
			at, ok := tree.Rel(root, *name)
			if !ok {
				return errorf("%s is not a file of the work tree", *name)
			}
			if *name != "" {
				*name = at
			}
		}
	}
	return tree.Commit(ctx, changes)
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
		t.note("%s:%d: %s -> %s", path, source.PositionAt(data, e.Start).Line, report.Visible(string(e.Of(data))), report.Visible(e.New))
	}
	if lines > 0 {
		t.note("%s: %d lines changed", path, lines)
	}
}
