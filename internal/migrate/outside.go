package migrate

import (
	"bytes"
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A run on a part of a tree renames files that others may name, which are not
// among what the user named: they stay, and a person is told.

// outside are the files of the work tree that name one of the plan's renamed
// files and that the run does not cover.
func (m *Migration) outside(ctx context.Context, p *Plan, t *source.Tree, o source.WalkOptions) ([]*File, error) {
	renames := map[string]string{} // base names
	for _, f := range p.Files {
		if path.Base(f.To) != path.Base(f.Path) {
			renames[path.Base(f.Path)] = f.To
		}
	}
	top := t.TopLevel()
	if len(renames) == 0 || top == "" || t.Covers(".") && top == t.Base() {
		return nil, nil
	}
	whole, err := source.Open([]string{top})
	if err != nil {
		return nil, err
	}
	defer func() { _ = whole.Close() }()
	o.Finder, o.Always, o.Only = source.NewFinder(slices.Sorted(maps.Keys(renames))), nil, nil
	var (
		mu    sync.Mutex
		files []*File
	)
	_, _, err = whole.Walk(ctx, o, func(f *source.File) error {
		name := relative(t, top, f.Path)
		if sites := namesOfRenamed(f.Data, renames); len(sites) > 0 && !t.Covers(name) && !m.stays(m.placeOf(name), f.Data) {
			mu.Lock()
			files = append(files, &File{Path: name, To: name, Format: find.FormatOf(name, f.Data).Name, Sites: sites, Sum: source.SumOf(f.Data), m: m})
			mu.Unlock()
		}
		return nil
	})
	return files, err
}

// relative is the path of a file of the work tree as the user would name it.
func relative(t *source.Tree, top, name string) string {
	rel, err := filepath.Rel(t.Base(), filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// namesOfRenamed are the places of a text that name a renamed file.
func namesOfRenamed(data []byte, renames map[string]string) []Site {
	var sites []Site
	for _, old := range slices.Sorted(maps.Keys(renames)) {
		for at := 0; ; {
			n := bytes.Index(data[at:], []byte(old))
			if n < 0 {
				break
			}
			span := source.Span{Start: at + n, End: at + n + len(old)}
			at = span.End
			if span.Start > 0 && (text.IsWordByte(data[span.Start-1]) || data[span.Start-1] == '.') || span.End < len(data) && text.IsWordByte(data[span.End]) {
				continue
			}
			sites = append(sites, Site{Span: span, Role: find.RoleCRDFile, Action: Person, Rule: FindingRename, Old: old, New: path.Base(renames[old]),
				Pos: source.PositionAt(data, span.Start), Why: "it is renamed to " + path.Base(renames[old]) + ", and this place is outside of what was named", Hint: "run cfctl on this file, too"})
		}
	}
	slices.SortFunc(sites, func(a, b Site) int { return a.Start - b.Start })
	return sites
}
