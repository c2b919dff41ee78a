package migrate

import (
	"cmp"
	"context"
	"maps"
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
func (x *planning) danglers(p *Plan) []*File {
	renames := map[string]string{}
	for _, f := range p.Files {
		if f.To != f.Path {
			renames[f.Path] = f.To
		}
	}
	var list []*File
	for _, s := range x.skipped {
		if s.Reason != source.SkipSymlink {
			continue
		}
		target, err := x.files.ReadLink(s.Path)
		if err != nil || filepath.IsAbs(target) {
			continue
		}
		old := path.Join(path.Dir(s.Path), filepath.ToSlash(target))
		if to := cmp.Or(renames[old], x.renamedTo(old)); to != "" {
			list = append(list, dangler(x.Migration, s.Path, target, old, to))
		}
	}
	return list
}

// linked are the links to what is in folders with code of others, and what kustomizations install
// of these, where that has old names: it is not read there, and is read by what follows the link.
func (x *planning) linked(ctx context.Context, files []*File) ([]*File, error) {
	type lead struct{ from, to string }
	var links, installs []lead
	opts := search{needles: x.Needles(), escaped: true}.options(x.walks, []string{})
	leads := func(from, to string) []lead {
		if _, kept := x.opts.Keep.Of(x.placeOf(from), ""); kept || !isOthers(to) || !x.files.Exists(to) {
			return nil
		}
		if _, err := x.files.ReadFile(to); err == nil {
			opts.Among = append(opts.Among, to)
		} else {
			opts.Below = append(opts.Below, to)
		}
		return []lead{{from, to}}
	}
	for _, s := range x.skipped {
		if s.Reason != source.SkipSymlink {
			continue
		}
		if target, err := x.files.ReadLink(s.Path); err == nil {
			links = append(links, leads(s.Path, path.Join(path.Dir(s.Path), filepath.ToSlash(target)))...)
		}
	}
	for _, f := range files {
		if f.facts == nil || f.outside {
			continue
		}
		for _, at := range f.facts.records {
			if to, ok := strings.CutPrefix(at, strings.TrimPrefix(x.below+"/", "/")); ok {
				installs = append(installs, leads(f.Path, to)...)
			}
		}
	}
	if len(links)+len(installs) == 0 {
		return nil, nil
	}
	var mu sync.Mutex
	var old []string
	single := *x.Migration
	single.code = nil
	_, _, err := x.files.Walk(ctx, opts, func(f *source.File) error {
		if single.One(f.Path, f.Data).Summary().Left() {
			mu.Lock()
			defer mu.Unlock()
			old = append(old, f.Path)
		}
		return nil
	})
	slices.Sort(old)
	below := func(target string) []string {
		if i, ok := slices.BinarySearch(old, target); ok {
			return old[i : i+1]
		}
		i, _ := slices.BinarySearch(old, target+"/")
		n := slices.IndexFunc(old[i:], func(at string) bool { return !strings.HasPrefix(at, target+"/") })
		if n < 0 {
			return old[i:]
		}
		return old[i : i+n]
	}
	told := map[string]*File{}
	tell := func(at, format, spelled string, v judge.Verdict) {
		if _, kept := x.opts.Keep.Of(x.placeOf(at), spelled); kept { // as --keep-rest writes it
			return
		}
		told[at] = &File{Path: at, To: at, Format: format, m: x.Migration, Sites: []Site{core.At(source.Span{}, roleProse, spelled).As(v).Top()}}
	}
	for _, l := range links {
		if at := below(l.to); len(at) > 0 {
			tell(l.from, "link", l.to, judge.Because(judge.Link, "it leads to a folder that is not read, and "+at[0]+" has old names").Hinted("link to a migrated copy, or leave it out with --exclude"))
		}
	}
	for _, l := range installs {
		for _, at := range below(l.to) {
			tell(at, FormatOf(at), path.Base(at), judge.Because(judge.RecordInUse, "it has old names in a folder that is not read, and "+l.from+" installs it").Hinted("install a migrated copy, or keep it with a keep entry"))
		}
	}
	return slices.Collect(maps.Values(told)), err
}

// isOthers says whether a path leads through a folder with the code of others.
func isOthers(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(s string) bool { return source.Vendored(s) || s == "node_modules" })
}

// renamedTo is where a file is that is gone, by the name that it gets by the rules; ""
// where it is not gone, or not there.
func (x *planning) renamedTo(old string) string {
	fresh := x.core.FileName(path.Base(old))
	if to := path.Join(path.Dir(old), fresh); fresh != "" && !x.files.Exists(old) && x.files.Exists(to) {
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
