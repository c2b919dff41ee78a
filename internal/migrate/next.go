package migrate

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// planNext is Plan by the new core.
func (m *Migration) planNext(ctx context.Context, t *source.Tree, o source.WalkOptions) (*Plan, error) {
	c := core.New(m.rules, core.Options{Dual: m.opts.Dual, Set: m.opts.Set})
	var (
		mu    sync.Mutex
		files []*core.File
		own   = map[*core.File]*File{}
	)
	o.Finder = source.NewFinder(c.Needles())
	o.Always = []string{core.ProjectName}
	skipped, stats, err := t.Walk(ctx, o, func(f *source.File) error {
		if len(m.opts.Only) > 0 && !slices.Contains(m.opts.Only, find.FormatOf(f.Path, f.Data).Name) {
			return nil
		}
		x := c.Read(m.placeOf(f.Path), f.Data)
		mu.Lock()
		defer mu.Unlock()
		files = append(files, x)
		own[x] = &File{Path: f.Path, To: f.Path, Format: x.Format, Sum: source.SumOf(f.Data), m: m, format: find.FormatOf(f.Path, f.Data)}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b *core.File) int { return strings.Compare(a.Path, b.Path) })
	registered, err := m.registered(ctx, t, o, c.Asks(files))
	if err != nil {
		return nil, err
	}
	c.Resolve(files, registered, func(f *core.File, base string) bool {
		return t.Exists(path.Join(path.Dir(own[f].Path), base))
	})
	p := &Plan{Seen: stats.Visited + stats.Clean, Below: m.below, sets: m.opts.Rulesets, configured: m.opts.Keep}
	for _, x := range files {
		f := own[x]
		f.Sites = m.nextSites(x.Sites, f)
		if x.To != x.Path {
			f.To = path.Join(path.Dir(f.Path), path.Base(x.To))
		}
		if len(f.Sites) > 0 || f.To != f.Path {
			p.Files = append(p.Files, f)
		}
	}
	if !m.opts.Glance {
		m.verifyNext(p, t, prove.New(m.rules, prove.Options{Dual: m.opts.Dual}))
	}
	p.Files = append(p.Files, m.unreadable(skipped)...)
	slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	for _, s := range skipped {
		p.Skipped = append(p.Skipped, report.Skip{Path: s.Path, Reason: s.Text()})
	}
	return p, nil
}

func (m *Migration) nextSites(list []core.Site, f *File) []Site {
	actions := map[judge.Action]Action{judge.Rewrite: Change, judge.Keep: Stay, judge.Review: Person}
	var sites []Site
	for _, s := range list {
		o := edit.Outcome{Span: s.Span, Role: find.Role(s.Role), Ruleset: s.Rule.Set, Rule: s.Rule.ID, Old: s.Old, New: s.New, Reason: s.ID, Why: s.Why, Hint: s.Hint}
		if s.Action == judge.Rewrite && o.Rule == "" {
			o.Rule = FindingRename
		}
		if s.Action != judge.Rewrite {
			o.New = ""
		} else {
			o.Why, o.Reason = "", ""
		}
		o = o.Made(actions[s.Action], s.Edits)
		sites = append(sites, Site{Outcome: m.opts.Keep.Kept(f.placeIn(), o), Pos: s.Pos})
	}
	return sites
}

// registered are the kinds that the Go packages of some folders register, by
// folder. A folder may be the path of a package that ends with that of one.
func (m *Migration) registered(ctx context.Context, t *source.Tree, o source.WalkOptions, dirs map[string]bool) (map[string][]string, error) {
	kinds := map[string][]string{}
	if len(dirs) == 0 {
		return kinds, nil
	}
	asked := func(dir string) bool {
		if dirs[dir] {
			return true
		}
		for d := range dirs {
			if strings.HasSuffix(d, "/"+dir) || path.Dir(dir) == d {
				return true
			}
		}
		return false
	}
	var mu sync.Mutex
	known := map[string]bool{}
	o.Finder, o.Always = source.NewFinder(core.Registers), nil
	_, _, err := t.Walk(ctx, o, func(f *source.File) error {
		dir := path.Dir(m.placeOf(f.Path))
		if !strings.HasSuffix(f.Path, ".go") || strings.HasSuffix(f.Path, "_test.go") {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		ask, ok := known[dir]
		if !ok {
			ask = asked(dir)
			known[dir] = ask
		}
		if ask {
			kinds[dir] = append(kinds[dir], core.RegisteredKinds(f.Data)...)
		}
		return nil
	})
	for dir, list := range kinds {
		slices.Sort(list)
		kinds[dir] = slices.Compact(list)
	}
	return kinds, err
}

// verifyNext checks what would be written of each file that changes. One whose
// change is not what the rules make is not written, and is reported.
func (m *Migration) verifyNext(p *Plan, t *source.Tree, prover *prove.Prover) {
	for _, f := range p.Files {
		if !f.Changes() {
			continue
		}
		before, err := f.read(t)
		if err == nil {
			var after []byte
			if after, err = source.Apply(before, f.Edits(before)); err == nil {
				err = prover.File(f.Path, f.To, before, after)
			}
		}
		if err != nil {
			f.fail(err)
		}
	}
}
