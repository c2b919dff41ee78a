package migrate

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/gorefactor"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// planDual adds what becomes of the Go packages of an API while both groups are served. A
// package with a counterpart in the new group stays as it is.
func (r *refactoring) planDual(ctx context.Context, p *Plan, o source.WalkOptions) error {
	loaded, err := gorefactor.Load(ctx, r.tree, r.paths, gorefactor.LoadOptions{Bodies: gorefactor.UsesScheme})
	if err != nil {
		return err
	}
	dual := loaded.Dual(r.rules)
	made := dual.Plan
	if r.m.opts.GoStep == string(gorefactor.Copy) && len(dual.Fresh) > 0 {
		after, err := r.replaced(ctx, o)
		if err != nil {
			return err
		}
		if made, err = dual.Copy(after.file); err != nil {
			return err
		}
	}
	copied, err := r.adopt(ctx, p, loaded, made)
	if err != nil {
		return err
	}
	stay := dual.Old
	if copied && len(made.Create) > 0 {
		stay = slices.Concat(stay, dual.Fresh)
	}
	for _, f := range p.Files {
		if f.Format != "go" || f.created || !slices.Contains(stay, path.Dir(f.Path)) {
			continue
		}
		for i, s := range f.Sites {
			if s.Action() == Change {
				f.Sites[i] = s.As(judge.Because(judge.DualKept, "the package of the new group has it"))
			}
		}
	}
	return nil
}

// A replacement is the tree as it is when the old group is replaced.
type replacement struct {
	tree  *source.Tree
	files map[string]*File
}

// replaced plans the tree without the dual mode.
func (r *refactoring) replaced(ctx context.Context, o source.WalkOptions) (*replacement, error) {
	opts := r.m.opts
	opts.Dual, opts.GoStep, opts.Fixes = false, "", false
	m, err := New(opts)
	if err != nil {
		return nil, err
	}
	p, err := m.Plan(ctx, r.work, o)
	if err != nil {
		return nil, err
	}
	after := &replacement{tree: r.work, files: map[string]*File{}}
	for _, f := range p.Files {
		after.files[f.Path] = f
	}
	return after, nil
}

// file is the path and the content of a file. One that would not be written, or needs
// review, is an error.
func (x *replacement) file(name string) (string, []byte, error) {
	data, err := x.tree.ReadFile(name)
	f := x.files[name]
	if err != nil || f == nil {
		return name, data, err
	}
	if f.Skip != nil {
		return name, nil, f.Skip
	}
	for _, s := range f.Sites {
		if s.Action() == NeedsReview {
			return name, nil, &source.Error{Path: name, Pos: s.Pos, Err: fmt.Errorf("%s: %s", s.Old, s.Why()), Hint: s.Hint()}
		}
	}
	data, err = source.Apply(data, f.Edits(data))
	return f.To, data, err
}

// Where both groups have a package of the same kinds, replacing the old group would
// register each kind twice.

// An apiFile is a Go file that defines a group.
type apiFile struct {
	dir, group, version string
}

// apiFiles are those of the old and the new groups of the rules, while several workers
// find them.
type apiFiles struct {
	mu         sync.Mutex
	old, fresh []apiFile
}

var versionField = lazyregexp.New(`\bVersion:\s*"(v[a-z0-9]+)"`)

// note looks at a Go file, of which only one with GroupName, +groupName or GroupVersion
// may define a group.
func (x *apiFiles) note(m *Migration, name string, data []byte) {
	if m.concord == nil || m.opts.Dual || path.Ext(name) != ".go" || !bytes.Contains(data, []byte("roupName")) && !bytes.Contains(data, []byte("GroupVersion")) {
		return
	}
	version := path.Base(path.Dir(name))
	if found := versionField.FindSubmatch(data); found != nil {
		version = string(found[1])
	}
	for _, group := range m.rules.Groups() {
		if definesGroup(data, group) {
			x.mu.Lock()
			x.old = append(x.old, apiFile{path.Dir(name), group, version})
			x.mu.Unlock()
		}
	}
	for _, group := range m.concord.needles {
		if definesGroup(data, group) {
			x.mu.Lock()
			x.fresh = append(x.fresh, apiFile{path.Dir(name), group, version})
			x.mu.Unlock()
		}
	}
}

// taken asks which kinds the packages of both groups register.
func (x *apiFiles) taken(m *Migration, tree *coreTree, sources []string) inquiry {
	q := inquiry{search: search{needles: core.Registers, among: []string{}}}
	if len(x.old) == 0 || len(x.fresh) == 0 {
		return q
	}
	dirs := map[string]bool{}
	for _, f := range slices.Concat(x.old, x.fresh) {
		dirs[f.dir] = true
	}
	for _, name := range sources {
		if dirs[path.Dir(name)] && !strings.HasSuffix(name, "_test.go") {
			q.among = append(q.among, name)
		}
	}
	kinds := map[string][]string{}
	q.visit = func(name string, data []byte) {
		list := core.RegisteredKinds(data)
		x.mu.Lock()
		defer x.mu.Unlock()
		kinds[path.Dir(name)] = append(kinds[path.Dir(name)], list...)
		for _, old := range x.old {
			for _, kind := range kinds[old.dir] {
				a := m.rules.Ask(rules.GVK{Group: old.group, Version: old.version, Kind: kind})
				for _, fresh := range x.fresh {
					if a.Outcome == rules.Moves && fresh.dir != old.dir && fresh.group == a.To.Group && fresh.version == a.To.Version && slices.Contains(kinds[fresh.dir], a.To.Kind) {
						tree.taken[old.dir] = fresh.dir
					}
				}
			}
		}
	}
	return q
}

// leaveTaken leaves a package whose counterpart is in another folder for review.
func (f *File) leaveTaken(taken map[string]string) {
	dir := path.Dir(f.Path)
	other, ok := taken[dir]
	if !ok || f.Format != "go" {
		return
	}
	for i, s := range f.Sites {
		if s.Action() == Change {
			f.Sites[i] = s.Leave(judge.Because(judge.GroupTaken, other+" registers the same kinds for the new group").Hinted(fmt.Sprintf("use %s instead of %s, remove %s, then run again", other, dir, dir)))
		}
	}
}

// definesGroup says whether a Go file defines a group: it has a marker, or gives
// a name such as GroupName or GroupVersion a value, and has the group as a text.
func definesGroup(data []byte, group string) bool {
	if bytes.Contains(data, []byte("+groupName="+group)) {
		return true
	}
	if !bytes.Contains(data, []byte(`"`+group+`"`)) {
		return false
	}
	for _, word := range []string{"GroupName", "GroupVersion"} {
		for at := range source.All(data, word) {
			if bytes.HasPrefix(bytes.TrimLeft(data[at+len(word):], " \t"), []byte("=")) {
				return true
			}
		}
	}
	return false
}
