package migrate

import (
	"bytes"
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A run on a part of a tree renames files that others may name, which are not
// among what the user named: they stay, and a person is told.

// outside are the files of the work tree that name one of the plan's renamed
// files and that the run does not cover.
func (m *Migration) outside(ctx context.Context, p *Plan, t *source.Tree, o source.WalkOptions) ([]*File, error) {
	top := t.TopLevel()
	if top == "" || t.Covers(".") && top == t.Base() {
		return nil, nil
	}
	renames := renamed{}
	for _, f := range p.Files {
		if path.Base(f.To) == path.Base(f.Path) {
			continue
		}
		full, err := filepath.Rel(top, filepath.Join(t.Base(), filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, err
		}
		renames.add(filepath.ToSlash(full), path.Base(f.To))
	}
	if len(renames) == 0 {
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
		if sites := renames.places(f.Path, f.Data); len(sites) > 0 && !t.Covers(name) && !m.stays(m.placeOf(name), f.Data) {
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

// renamed are the files of a work tree that a plan renames: by their old base
// names, the whole paths from the top, and the new base names.
type renamed map[string]map[string]string

func (r renamed) add(full, to string) {
	base := path.Base(full)
	if r[base] == nil {
		r[base] = map[string]string{}
	}
	r[base][full] = to
}

// places are those of a file that lead to a renamed one. A name alone does not:
// other trees have files that are called alike.
func (r renamed) places(name string, data []byte) []Site {
	var sites []Site
	for _, old := range slices.Sorted(maps.Keys(r)) {
		for at := 0; ; {
			n := bytes.Index(data[at:], []byte(old))
			if n < 0 {
				break
			}
			span := source.Span{Start: at + n, End: at + n + len(old)}
			at = span.End
			to := r.leadsTo(name, data, span)
			if to == "" {
				continue
			}
			o := edit.Outcome{Span: span, Role: find.RoleCRDFile, Rule: FindingRename, Old: old, New: to}
			sites = append(sites, Site{Pos: source.PositionAt(data, span.Start),
				Outcome: o.Leave("outside", "it is renamed to "+to+", and this place is outside of what was named", "name this file beside the others before they are written, or write "+to+" here")})
		}
	}
	slices.SortFunc(sites, func(a, b Site) int { return a.Start - b.Start })
	return sites
}

// leadsTo is the new base name of the file that the path around a base name
// leads to: from the folder of the file or from one above it, up to the top.
// What stands before it may be a variable, "$(ROOT)/config/crd/...". Empty = none.
func (r renamed) leadsTo(name string, data []byte, base source.Span) string {
	if base.End < len(data) && text.IsWordByte(data[base.End]) {
		return ""
	}
	target := pathAround(data, base)
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if to := r[path.Base(target)][path.Join(dir, target)]; to != "" {
			return to
		}
		if dir == "." {
			return ""
		}
	}
}
