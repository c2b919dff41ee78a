package migrate

import (
	"context"
	"maps"
	"path"
	"slices"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A run on a part of a tree renames files that others may name, which are not
// among what the user named: they stay, and are reported.

// outside are the files of the work tree that name one of the plan's renamed
// files and that the run does not cover.
func (x *planning) outside(ctx context.Context, p *Plan, all *portion) ([]*File, error) {
	renames := renamed{}
	for _, f := range p.Files {
		if all.rest != nil && path.Base(f.To) != path.Base(f.Path) {
			renames.add(all.full(f.Path), path.Base(f.To))
		}
	}
	if len(renames) == 0 {
		return nil, nil
	}
	var (
		mu    sync.Mutex
		files []*File
	)
	err := all.walk(ctx, x.walks)(search{needles: slices.Sorted(maps.Keys(renames))}, func(name string, data []byte) {
		if sites := renames.places(all.full(name), data); len(sites) > 0 && !x.core.KeepsFile(x.placeOf(name), data) {
			mu.Lock()
			f := x.newFile(name, data)
			f.Sites, files = sites, append(files, f)
			mu.Unlock()
		}
	})
	return files, err
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
		for at := range source.All(data, old) {
			span := source.Span{Start: at, End: at + len(old)}
			to := r.leadsTo(name, data, span)
			if to == "" {
				continue
			}
			s := core.At(span, roleCRDFile, old).As(judge.Because(judge.Outside, "it is renamed to "+to+", and this place is outside of what was named").Hinted("name this file together with the others, or write " + to + " here"))
			s.Pos, s.Rule.ID, s.New = source.PositionAt(data, span.Start), findingRename, to
			sites = append(sites, s)
		}
	}
	slices.SortFunc(sites, func(a, b Site) int { return a.Start - b.Start })
	return sites
}

// leadsTo is the new base name of the file that the path around a base name
// leads to: from the folder of the file or from one above it, up to the top.
// What is before it may be a variable, "$(ROOT)/config/crd/...". Empty = none.
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
