package project

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/diff"
)

// Edits are those of files of the work tree, by path.
type Edits map[string][]source.Edit

// Diff shows edits as one unified diff.
func (v *View) Diff(edits Edits) (out []byte, err error) {
	for _, p := range slices.Sorted(maps.Keys(edits)) {
		data, err := fs.ReadFile(v.Tree, p)
		if err != nil {
			return nil, err
		}
		if out, err = (diff.File{From: p, To: p, Data: data, Edits: edits[p]}).Append(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Fix makes the edits of the findings, each once, and says where. Files are written all
// or none.
func (v *View) Fix(ctx context.Context, findings []report.Finding) (int, error) {
	edits := Edits{}
	n := 0
	for _, f := range findings {
		for _, x := range f.Fixes {
			if !slices.Contains(edits[x.Path], x.Edit) {
				edits[x.Path] = append(edits[x.Path], x.Edit)
				n++
			}
		}
	}
	return n, v.Write(ctx, edits)
}

// Write splices the edits into the files of the work tree, all or none, and lists them.
func (v *View) Write(ctx context.Context, edits Edits) error {
	var changes []source.Change
	for _, p := range slices.Sorted(maps.Keys(edits)) {
		data, err := fs.ReadFile(v.Tree, p)
		if err != nil {
			return err
		}
		changes = append(changes, source.Change{From: p, To: p, Edits: edits[p], Before: source.SumOf(data)})
		v.note(p, data, edits[p])
	}
	return v.Commit(ctx, changes)
}

// Commit writes files of the work tree, all or none, if they are what the changes
// were made for.
func (v *View) Commit(ctx context.Context, changes []source.Change) error {
	root, err := source.RealPath(v.Root)
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
		return source.Hinted(fmt.Errorf("an interrupted write was undone (%s): nothing else was written", report.Plural(len(undone), "file")), "run the command again")
	}
	for i := range changes {
		for _, name := range []*string{&changes[i].From, &changes[i].To} {
			at, ok := tree.Rel(root, *name)
			if !ok {
				return fmt.Errorf("%s is not a file of the work tree", *name)
			}
			if *name != "" {
				*name = at
			}
		}
	}
	return tree.Commit(ctx, changes)
}

// note lists the edits of one file: words with their place, whole lines by their number.
func (v *View) note(path string, data []byte, edits []source.Edit) {
	lines := 0
	for _, e := range edits {
		if n := strings.Count(string(e.Of(data)), "\n") + strings.Count(e.New, "\n"); n > 0 {
			lines += n
			continue
		}
		v.User.Note("%s:%d: %s -> %s", path, source.PositionAt(data, e.Start).Line, report.Visible(string(e.Of(data))), report.Visible(e.New))
	}
	if lines > 0 {
		v.User.Note("%s: %d lines changed", path, lines)
	}
}
