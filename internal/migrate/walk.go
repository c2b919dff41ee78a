package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Plan reads the files of a tree and says what the migration makes of them.
// Files that do not hold a name of the rules are not read beyond a search.
func (m *Migration) Plan(ctx context.Context, t *source.Tree, o source.WalkOptions) (*Plan, error) {
	o.Finder, o.Always = source.NewFinder(m.Needles()), []string{projectName}
	m = m.In(t)
	var (
		mu    sync.Mutex
		files []*File
	)
	skipped, stats, err := t.Walk(ctx, o, func(f *source.File) error {
		if got := m.File(f.Path, f.Data); got != nil {
			mu.Lock()
			files = append(files, got)
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if m.hasClients(files) {
		more, err := m.walkClients(ctx, t, o, files)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	if files, err = m.walkModules(ctx, t, o, files); err != nil {
		return nil, err
	}
	p := m.Finish(append(files, m.unlike(t, skipped)...), t)
	p.addDanglers(t.Base(), skipped)
	p.Seen = stats.Visited + stats.Clean
	for _, s := range skipped {
		p.Skipped = append(p.Skipped, report.Skip{Path: s.Path, Reason: s.Text()})
	}
	return p, nil
}

// In is the migration of the files of a tree: what the names of folders say is
// said by all of them, from the top of the git work tree on, so that no verdict
// depends on where cfctl is run.
func (m *Migration) In(t *source.Tree) *Migration {
	single := *m
	single.below = prefix(t)
	return &single
}

// prefix is the path of a tree in its work tree, "" at the top of it and where
// there is none.
func prefix(t *source.Tree) string {
	if t.TopLevel() == "" {
		return ""
	}
	rel, err := filepath.Rel(t.TopLevel(), t.Base())
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// projectName is the file that kubebuilder keeps at the root of a project. It
// holds the halves of a group apart, so that no search for groups finds it.
const projectName = "PROJECT"

// hasClients says whether a generated client of a group that moves is in the tree.
func (m *Migration) hasClients(files []*File) bool {
	return slices.ContainsFunc(files, func(f *File) bool { return len(f.clients) > 0 })
}

// walkClients reads the Go files that use generated clients without naming a
// group. It is a walk of its own, so that trees without such clients do not
// pay for it.
func (m *Migration) walkClients(ctx context.Context, t *source.Tree, o source.WalkOptions, seen []*File) ([]*File, error) {
	known := map[string]bool{}
	for _, f := range seen {
		known[f.Path] = true
	}
	o.Finder, o.Always = source.NewFinder(m.clientNeedles()), nil
	o.Only = onlyGo(o.Only)
	var (
		mu    sync.Mutex
		files []*File
	)
	_, _, err := t.Walk(ctx, o, func(f *source.File) error {
		if known[f.Path] {
			return nil
		}
		if got := m.File(f.Path, f.Data); got != nil {
			mu.Lock()
			files = append(files, got)
			mu.Unlock()
		}
		return nil
	})
	return files, err
}

// onlyGo chooses the Go files among those that were chosen already.
func onlyGo(chosen func(path []byte) bool) func(path []byte) bool {
	return func(name []byte) bool { return bytes.HasSuffix(name, []byte(".go")) && (chosen == nil || chosen(name)) }
}

// errChanged says that a file is no longer what the plan was made from.
var errChanged = errors.New("it changed while cfctl was reading")

// Changes are what writing the plan does to a tree. A file that is no longer
// what was read is an error.
func (p *Plan) Changes(ctx context.Context, t *source.Tree) ([]source.Change, error) {
	lists := make([][]source.Change, len(p.Files))
	err := source.Each(ctx, len(p.Files), runtime.GOMAXPROCS(0), func(i int) error {
		f := p.Files[i]
		if !f.Changes() {
			return nil
		}
		var data []byte
		if f.needsContent() {
			var err error
			if data, err = f.read(t); err != nil {
				return err
			}
		}
		lists[i] = f.changes(data)
		return nil
	})
	return slices.Concat(lists...), err
}

// needsContent says whether the edits depend on more than the sites: Go is
// formatted again. The transaction holds every file against its hash in any
// case.
func (f *File) needsContent() bool { return f.goFile }

// changes are what writing does to a file and, in dual mode, beside it.
func (f *File) changes(data []byte) []source.Change {
	if f.Drop {
		return []source.Change{{From: f.Path, Before: f.Sum}}
	}
	var list []source.Change
	if edits := f.Edits(data); len(edits) > 0 || f.To != f.Path {
		list = append(list, source.Change{From: f.Path, To: f.To, Edits: edits, Before: f.Sum})
	}
	if f.Twin != nil {
		list = append(list, source.Change{To: f.Twin.Path, Edits: text.LineEdits(nil, f.Twin.Data)})
	}
	return list
}

// read reads a file again and holds it against what was read before.
func (f *File) read(t *source.Tree) ([]byte, error) {
	data, err := t.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	if source.SumOf(data) != f.Sum {
		return nil, &source.Error{Path: f.Path, Err: errChanged, Hint: "run cfctl again"}
	}
	return data, nil
}

// Diff appends the plan as a unified diff that `git apply` takes.
func (p *Plan) Diff(out []byte, t *source.Tree) ([]byte, error) {
	for _, f := range p.Files {
		if !f.Changes() {
			continue
		}
		data, err := f.read(t)
		if err != nil {
			return out, err
		}
		for _, c := range f.changes(data) {
			d := source.FileDiff{From: c.From, To: c.To, Edits: c.Edits}
			if c.From != "" {
				d.Data = data
			}
			if c.To == "" {
				d.Edits = text.LineEdits(data, nil)
			}
			if out, err = d.Diff(out); err != nil {
				return out, fmt.Errorf("diff: %w", err)
			}
		}
	}
	return out, nil
}
