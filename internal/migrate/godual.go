package migrate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/gorefactor"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
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
		made = dual.Copy(after)
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

// replaced plans the tree without the dual mode. It gives the path and the content that a file
// has then; one that would not be written, or needs review, is an error.
func (r *refactoring) replaced(ctx context.Context, o source.WalkOptions) (func(name string) (string, []byte, error), error) {
	opts := r.m.opts
	opts.Dual, opts.GoStep, opts.Fixes, opts.BuildCache = false, "", false, false
	m, err := New(opts)
	if err != nil {
		return nil, err
	}
	p, err := m.Plan(ctx, r.tree.Tree, o)
	if err != nil {
		return nil, err
	}
	files := map[string]*File{}
	for _, f := range p.Files {
		files[f.Path] = f
	}
	return func(name string) (string, []byte, error) {
		data, err := r.tree.ReadFile(name)
		f := files[name]
		if err != nil || f == nil {
			return name, data, err
		}
		if f.Skip != nil {
			return name, nil, f.Skip
		}
		if i := slices.IndexFunc(f.Sites, func(s Site) bool { return s.Action() == NeedsReview }); i >= 0 {
			s := f.Sites[i]
			return name, nil, &source.Error{Path: name, Pos: s.Pos, Err: fmt.Errorf("%s: %s", s.Old, s.Why()), Hint: s.Hint()}
		}
		data, err = source.Apply(data, f.Edits(data))
		return f.To, data, err
	}, nil
}

// Where both groups have a package of the same kinds, replacing the old group would
// register each kind twice.

// An apiFile is a Go file that defines an old or a new group of the rules.
type apiFile struct{ dir, group, version string }

var versionField = lazyregexp.New(`\bVersion:\s*"(v[a-z0-9]+)"`)

// apisOf are the groups that a Go file defines. Only one with GroupName, +groupName or
// GroupVersion may.
func (x *reading) apisOf(name string, data []byte) (list []apiFile) {
	if x.concord == nil || x.opts.Dual || path.Ext(name) != ".go" || !bytes.Contains(data, []byte("roupName")) && !bytes.Contains(data, []byte("GroupVersion")) {
		return nil
	}
	version := path.Base(path.Dir(name))
	if found := versionField.FindSubmatch(data); found != nil {
		version = string(found[1])
	}
	for _, group := range slices.Concat(x.rules.Groups(), x.concord.needles) {
		if definesGroup(data, group) {
			list = append(list, apiFile{path.Dir(name), group, version})
		}
	}
	return list
}

// taken are the folders of packages, to those that register the same kinds for the new group.
func (x *reading) taken() map[string]string {
	taken := map[string]string{}
	kinds := func(f apiFile) []string { return x.tree.registered[x.placeOf(f.dir)] }
	for _, old := range x.apis {
		for _, kind := range kinds(old) {
			a := x.rules.Ask(rules.GVK{Group: old.group, Version: old.version, Kind: kind})
			for _, fresh := range x.apis {
				if a.Outcome == rules.Moves && fresh.dir != old.dir && fresh.group == a.To.Group && fresh.version == a.To.Version && slices.Contains(kinds(fresh), a.To.Kind) {
					taken[old.dir] = fresh.dir
				}
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(taken)) { // the folder above may have the constant of the group
		if up := path.Dir(dir); slices.ContainsFunc(x.apis, func(f apiFile) bool {
			return f.dir == up && len(kinds(f)) == 0 && x.rules.Ask(rules.GVK{Group: f.group}).Outcome == rules.Moves
		}) {
			taken[up] = taken[dir]
		}
	}
	return taken
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
