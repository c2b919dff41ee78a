package migrate

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Symbolic links are not followed and not written. A link to a file that is
// renamed would lead nowhere: it needs review, with the command that moves it,
// until it is moved.

// danglers are the links of a tree that the renames of a plan leave behind, or those of an
// earlier run did.
func (p *Plan) danglers(m *Migration, t *source.Tree, skipped []source.Skip) []*File {
	renames := map[string]string{}
	for _, f := range p.Files {
		if f.To != f.Path {
			renames[f.Path] = f.To
		}
	}
	var list []*File
	for _, s := range skipped {
		if s.Reason != source.SkipSymlink {
			continue
		}
		target, err := t.ReadLink(s.Path)
		if err != nil || filepath.IsAbs(target) {
			continue
		}
		old := path.Join(path.Dir(s.Path), filepath.ToSlash(target))
		if to := cmp.Or(renames[old], m.renamedTo(t, old)); to != "" {
			list = append(list, dangler(m, s.Path, target, old, to))
		}
	}
	return list
}

// linked are the links to what is in folders with code of others, where that has old names: it
// is not read there, and is read by what follows the link.
func (m *Migration) linked(ctx context.Context, t *source.Tree, skipped []source.Skip, o source.WalkOptions) ([]*File, error) {
	to := map[string]string{} // links, and where they lead
	opts := search{needles: m.Needles(), escaped: true}.options(o, []string{})
	for _, s := range skipped {
		target, err := "", error(nil)
		if s.Reason == source.SkipSymlink {
			target, err = t.ReadLink(s.Path)
			target = path.Join(path.Dir(s.Path), filepath.ToSlash(target))
		}
		if _, kept := m.opts.Keep.Of(m.placeOf(s.Path), ""); err != nil || kept || !isOthers(target) || !t.Exists(target) {
			continue
		}
		if _, err := t.ReadFile(target); err == nil {
			opts.Among = append(opts.Among, target)
		} else {
			opts.Below = append(opts.Below, target)
		}
		to[s.Path] = target
	}
	if len(to) == 0 {
		return nil, nil
	}
	var mu sync.Mutex
	var old []string
	single := *m
	single.code = nil
	_, _, err := t.Walk(ctx, opts, func(f *source.File) error {
		if single.One(f.Path, f.Data).Summary().Left() {
			mu.Lock()
			defer mu.Unlock()
			old = append(old, f.Path)
		}
		return nil
	})
	slices.Sort(old)
	var list []*File
	for link, target := range to {
		i, _ := slices.BinarySearch(old, target)
		if i < len(old) && (old[i] == target || strings.HasPrefix(old[i], target+"/")) {
			list = append(list, &File{Path: link, To: link, Format: "link", m: m, Sites: []Site{
				core.At(source.Span{}, roleProse, target).As(judge.Because(judge.Link, "it leads to a folder that is not read, and "+old[i]+" has old names").Hinted("link to a migrated copy, or leave it out with --exclude")).Top(),
			}})
		}
	}
	return list, err
}

// isOthers says whether a path leads through a folder with the code of others.
func isOthers(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(s string) bool { return source.Vendored(s) || s == "node_modules" })
}

// renamedTo is where a file is that is gone, by the name that it gets by the rules; ""
// where it is not gone, or not there.
func (m *Migration) renamedTo(t *source.Tree, old string) string {
	fresh := m.core.FileName(path.Base(old))
	if to := path.Join(path.Dir(old), fresh); fresh != "" && !t.Exists(old) && t.Exists(to) {
		return to
	}
	return ""
}

// dangler is a link to a file that is renamed, with the command that moves it.
func dangler(m *Migration, name, target, old, to string) *File {
	link := name
	if path.Base(link) == path.Base(old) {
		link = path.Join(path.Dir(link), path.Base(to))
	}
	fresh := path.Join(path.Dir(filepath.ToSlash(target)), path.Base(to))
	command := report.Shell("ln", "-s", "--", fresh, link) + " && " + report.Shell("rm", "--", name)
	if link == name {
		command = report.Shell("ln", "-sfn", "--", fresh, link)
	}
	return &File{Path: name, To: name, Format: "link", m: m, Sites: []Site{
		core.At(source.Span{}, roleCRDFile, path.Base(old)).As(judge.Because(judge.Link, "a symbolic link to a file that is renamed to "+path.Base(to)).Hinted(command)).To(".").Top(),
	}}
}
