package migrate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// registered asks which kinds the Go packages of some folders register, for the tree. A
// folder may be the path of a package that ends with that of one.
func (x *reading) registered(dirs map[string]bool) inquiry {
	of := func(groups []string) bool {
		return slices.ContainsFunc(x.apis, func(f apiFile) bool { return slices.Contains(groups, f.group) })
	}
	if len(x.apis) > 1 && of(x.rules.Groups()) && of(x.concord.needles) {
		for _, f := range x.apis {
			dirs[x.placeOf(f.dir)] = true
		}
	}
	ends := maps.Clone(dirs) // of the folders
	for d := range dirs {
		for _, end, ok := strings.Cut(d, "/"); ok; _, end, ok = strings.Cut(end, "/") {
			ends[end] = true
		}
	}
	asked := func(dir string) bool { return ends[dir] || dirs[path.Dir(dir)] }
	may := func(dir string) bool { // before it is known where the work tree of a folder begins
		may := asked(".") || asked(path.Join(x.below, dir))
		for end, ok := dir, true; ok && !may; _, end, ok = strings.Cut(end, "/") {
			may = asked(end)
		}
		return may
	}
	q := inquiry{search: search{needles: core.Registers, among: []string{}}}
	for _, name := range x.sources.registering {
		if may(path.Dir(name)) && asked(path.Dir(x.placeOf(name))) {
			q.among = append(q.among, name)
		}
	}
	q.visit = func(name string, data []byte) {
		dir := path.Dir(x.placeOf(name))
		if !asked(dir) {
			return
		}
		list := core.RegisteredKinds(data)
		x.mu.Lock()
		defer x.mu.Unlock()
		x.tree.registered[dir] = distinct(append(list, x.tree.registered[dir]...))
	}
	return q
}

// verify checks what would be written of a file that changes. One whose
// change is not what the rules make is not written, and is reported.
func (x *settling) verify(f *File) {
	asks := f.Format == "yaml" && slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == NeedsReview })
	if !f.Changes() && !asks || x.opts.Glance && f.Format != "yaml" {
		return
	}
	before, err := x.others.ReadFile(f.Path)
	if err == nil && source.SumOf(before) != f.Sum {
		f.fail(errChanged)
		f.Fault, f.Skip.Hint = false, "run cfctl again"
		return
	}
	if err != nil {
		f.fail(err)
		return
	}
	if f.leaveBroken(before) || x.opts.Glance || !f.Changes() {
		return
	}
	if f.Twin != nil {
		err = prove.New(x.rules, prove.Options{}).File(f.Path, f.Twin.Path, before, f.Twin.Data)
	}
	if err == nil {
		var after []byte
		if after, err = source.Apply(before, f.Edits(before)); err == nil {
			err = x.prover.File(f.Path, f.To, before, after)
		}
	}
	switch {
	case err == nil:
	case f.converts:
		f.leaveShapes()
	default:
		line, unclear := 0, error(nil)
		if f.Format == "yaml" || f.Format == "json" {
			line, unclear = prove.Unclear(before)
		}
		if unclear == nil {
			f.fail(err)
			break
		}
		f.leave(line, unclear)
	}
}

// leaveBroken leaves a YAML file that would change or be asked about and is no YAML, but for a template and for
// one value with an escape that is none, which does not spoil what is around it.
func (f *File) leaveBroken(data []byte) bool {
	if f.Format != "yaml" || text.HasTemplate(data) {
		return false
	}
	line, err := prove.Broken(data)
	if err == nil || strings.Contains(err.Error(), "found unknown escape character") {
		return false
	}
	f.leave(line, err)
	return true
}

// leave leaves a file that cannot be read for sure.
func (f *File) leave(line int, why error) {
	f.Sites, f.unused, f.To, f.Twin, f.Drop = nil, nil, f.Path, nil, false
	f.Skip = &source.Error{Path: f.Path, Pos: source.Position{Line: line}, Err: why, Hint: "fix the file, or skip it with --exclude"}
}

// leaveShapes leaves what would change in a file for review: with its objects' new shape
// its change cannot be verified.
func (f *File) leaveShapes() {
	f.Sites = slices.DeleteFunc(f.Sites, func(s Site) bool { return s.Action() == Change && s.Role() == roleShape })
	for i, s := range f.Sites {
		if s.Action() == Change {
			f.Sites[i] = s.As(judge.Because(judge.Unconverted, "the new shape of an object in this file cannot be verified"))
		}
	}
	f.To, f.Twin, f.Drop = f.Path, nil, false
}
