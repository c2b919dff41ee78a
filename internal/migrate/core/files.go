package core

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/source"
)

// decide decides about the references of a file. One at which cfctl fails does not stop
// the others.
func (t *Tree) decide(f *File) {
	defer func() {
		if cause := recover(); cause != nil {
			f.Sites, f.To, f.Failed = nil, f.Path, fmt.Errorf("internal error: %v", cause)
		}
	}()
	if f.taken {
		f.leaveCRDs()
	}
	f.Sites = append(f.Sites, t.sitesOf(f, f)...)
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
	if f.plain != nil {
		f.unescaped(t.sitesOf(f.plain, f))
	}
	if len(f.loosed) > 0 {
		f.addLoose()
	}
	(&doubler{Tree: t, file: f}).doubles()
	reshape(f, t.core.opts.Set)
	f.leaveShapes()
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
}

// sitesOf are what becomes of the references of a file, as they were read as another one.
func (t *Tree) sitesOf(f, file *File) (list []Site) {
	list = make([]Site, 0, 2*len(f.refs))
	if f.project != nil {
		list = append(list, f.kept.Keep(f.project.sites(t))...)
	}
	for i := range f.refs {
		f.refs[i].file = file
		list = append(list, t.sites(&f.refs[i])...)
	}
	list = append(list, f.kept.Keep(append(f.piecesOf(t.names, t.fills), f.wrong...))...)
	for i, s := range list {
		list[i].Pos = f.places.of(s.Start)
		for j, then := range s.Then {
			s.Then[j].Pos = f.places.of(then.Start)
		}
	}
	slices.SortStableFunc(list, func(a, b Site) int { return a.Start - b.Start })
	return withoutDoubles(list)
}

// rename gives a file that is named after its CRD the new name. In dual mode the twin gets it. A
// file that becomes what another one is or becomes is removed.
func (t *Tree) rename(f *File, taken map[string]*File) {
	base := baseOf(f.Path)
	fresh := t.core.newBase(base, t.Facts)
	changes := slices.ContainsFunc(f.refs, func(r ref) bool { return r.verdict.Action() == judge.Rewrite })
	if fresh == "" || fresh == base || !changes && fresh != f.crdName {
		return
	}
	if why, ok := f.kept.configured(base); ok {
		if fresh == f.crdName {
			return // what says that it has another name is kept as well
		}
		v := judge.Because(judge.Configured, why)
		f.Sites = append(f.Sites, Site{Verdict: v.In("crd-file"), Pos: source.Position{Line: 1, Column: 1}, Old: base})
		return
	}
	dual, to := t.core.opts.Dual, strings.TrimSuffix(f.Path, base)+fresh
	if dual && !slices.ContainsFunc(f.units, func(u unit) bool { return u.kind == definition }) {
		return
	}
	other := taken[to]
	switch _, exists := t.read(f, fresh); {
	case other == nil && !exists:
		taken[to] = f
		if dual {
			f.twin = fresh
		} else {
			f.To = to
		}
		if f.Outside {
			return
		}
	case dual && other == nil:
		f.twin, f.twinned = fresh, true
	case t.alike(f, other, fresh):
		f.Drop, f.gone = !dual, to
	default:
		f.taken = true
		return
	}
	t.renames[base] = fresh
}

// leaveCRDs leaves the CRDs of a file whose new name is taken: the tree has
// both.
func (f *File) leaveCRDs() {
	reason := judge.Taken
	for i := range f.refs {
		if r := &f.refs[i]; r.crd && r.verdict.Action() == judge.Rewrite {
			r.verdict = judge.Because(reason, "").In(r.verdict.Role())
			reason = judge.TakenToo
		}
	}
}

// withoutDoubles leaves out sites that another one covers, in place.
func withoutDoubles(list []Site) []Site {
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && s.Start < out[n-1].End {
			last := &out[n-1]
			if last.Action() == judge.Rewrite && (s.Action() != judge.Rewrite || last.Len() >= s.Len()) {
				continue
			}
			if s.Action() == judge.Rewrite {
				*last = s
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// pathBefore is the path of a folder that a text ends with, "" for none.
func pathBefore(text []byte) string {
	dir, ok := bytes.CutSuffix(text, []byte("/"))
	if !ok {
		return ""
	}
	i := len(dir)
	for i > 0 && strings.IndexByte(" \t\n\"'`=(,:", dir[i-1]) < 0 {
		i--
	}
	return string(dir[i:])
}

// folders adds the folders in the path of a file that have the name of a group.
func (l *layout) folders(file string, groups []string) {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		group, in := path.Base(dir), path.Dir(dir)
		if slices.Contains(groups, group) && !slices.Contains(l.named[group], in) {
			l.named[group] = append(l.named[group], in)
		}
	}
}

// isFolder says whether a group in a path is a folder of the tree, which keeps its
// name: the path ends as that of the folder does.
func (l *layout) isFolder(r *ref) bool {
	if r.before == "" || r.form == names.File || r.form == names.REST {
		return false
	}
	last := path.Base(r.before)
	return slices.ContainsFunc(l.named[r.known.Group], func(in string) bool {
		return last == path.Base(in) || strings.Trim(last, ".") == "" || isFilled(last)
	})
}

// isPath says whether the tree has a file or folder of the name that a reference has, in the folder
// of its file or in one above that, or of the end of the path that it is in.
func (l *layout) isPath(r *ref) bool {
	if l.around == nil {
		return false
	}
	ends := []string{r.ownText}
	for before := r.before; before != "" && len(ends) < mostEnds; {
		i := strings.LastIndexByte(before, '/')
		if isFilled(before[i+1:]) {
			break
		}
		ends, before = append(ends, path.Join(before[i+1:], ends[len(ends)-1])), before[:max(i, 0)]
	}
	if r.form == names.REST {
		ends = ends[1:] // with apis
	}
	for dir, up := path.Dir(r.file.Path), ""; ; dir, up = path.Dir(dir), up+"../" {
		for _, end := range ends {
			at := path.Join(dir, end)
			is, known := l.paths[at]
			if !known {
				_, _, is = l.around(r.file, path.Join(up, end))
				l.paths[at] = is
			}
			if is {
				return true
			}
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// mostEnds is how many ends of a path are looked for in the tree.
const mostEnds = 4

// inPaths finds the variables of a script that are an element of a path.
var inPaths = lazyregexp.New(`/\$[{(]?(\w+)[)}]?/`)

// groupUses are the uses of a name as the group of an API: Group: NAME, NAME + "/v1", {NAME}/v1, an
// argument in front of a version, and what a format has in front of one.
var groupUses = lazyregexp.New(`(?:\b|_)(?i:(?:api[_-]?)?group)["'\x60]?\s*(?::=|[:=])\s*(?:\w+\.)*([A-Za-z_]\w*)\b` +
	`|\b([A-Za-z_]\w*)(?:\s*\+\s*["'\x60]/|\s*\}\}?/|\s*,\s*["'\x60])v[1-9]` +
	`|\b([A-Za-z_]\w*)\s*,\s*(?:\w+\.)*\w*(?i:version)\b` +
	`|["'\x60](?:%[sv]|\{\})/v[1-9]\w*["'\x60]\s*(?:,|%|\.format\()\s*(?:\w+\.)*([A-Za-z_]\w*)`)

// usedNames are the names that an expression finds in a text.
func usedNames(data []byte, of *lazyregexp.Regexp) map[string]bool {
	found := map[string]bool{}
	for at := 0; at < len(data); {
		m := of.FindSubmatchIndex(data[at:])
		if m == nil {
			break
		}
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				found[string(data[at+m[i]:at+m[i+1]])] = true
			}
		}
		at += m[1] - 1 // its end may begin the next one
	}
	return found
}

// isFilled says whether an element of a path is filled in at run time.
func isFilled(element string) bool { return strings.ContainsAny(element, "${}*)%<>") }

// leadsElsewhere says whether the path of a reference to a file leads to one that keeps
// its name, although others of that name do not.
func (l *layout) leadsElsewhere(r *ref, base string) bool {
	if r.before == "" {
		return false
	}
	if l.around != nil {
		if _, at, ok := l.around(r.file, path.Join(r.before, base)); ok {
			return !l.moved[at]
		}
	}
	last := path.Base(r.before)
	return strings.Trim(last, ".") != "" && !isFilled(last) && slices.Contains(l.stay[base], last)
}

// baseOf is the last element of a path.
func baseOf(name string) string { return path.Base(name) }
