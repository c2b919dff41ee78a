package gorefactor

import (
	"cmp"
	"context"
	"go/types"
	"maps"
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A fault is a problem without its message: its place in the original file.
type fault struct {
	path         string
	offset, code int
}

// Verify applies a plan in memory and type-checks the result. It returns the number of packages, and the problems that
// the plan adds, at places of the files after it; they are compared by place and code. The objects of the tree are
// dropped before those of the result are made, so that no other plan can follow. Others has packages of other modules,
// which are empty where it has none; it can be nil.
func (t *Tree) Verify(ctx context.Context, plan *Plan, others types.Importer) (int, []Problem, error) {
	t.Info = nil
	for _, p := range t.Packages {
		p.Types = nil
	}
	after, origin, err := t.after(ctx, plan, others)
	if err != nil {
		return 0, nil, err
	}
	list := t.added(after, origin, plan)
	if len(list) > 0 && others != nil { // what the empty packages hid before the plan, too
		if t, err = Load(ctx, t.fsys, t.Paths, LoadOptions{Bodies: t.opt.Bodies, reuse: t, bare: true, others: others}); err != nil {
			return 0, nil, err
		}
		list = t.added(after, origin, plan)
	}
	return len(after.Packages), list, nil
}

// added are the problems of a tree that it did not have before a plan.
func (t *Tree) added(after *Tree, origin map[string]string, plan *Plan) (list []Problem) {
	before := map[fault]int{}
	for _, p := range t.Problems {
		before[p.fault(p.Path, p.Offset)]++
	}
	for _, p := range after.Problems {
		old := cmp.Or(origin[p.Path], p.Path)
		offset, inserted := back(plan.Edits[old], p.Offset)
		key := p.fault(old, offset)
		if before[key] > 0 {
			if p.Code != brokenImport { // reported once for each folder of a package
				before[key]--
			}
			continue
		}
		if _, created := plan.Create[p.Path]; created && slices.Contains(ofOthers, p.Code) || inserted && p.Code == undeclaredName { // by an import with a dot
			continue
		}
		list = append(list, p)
	}
	for _, e := range after.Broken {
		if !slices.ContainsFunc(t.Broken, func(x Entry) bool { return x.Path == e.Path || plan.Moves[x.Path] == e.Path }) {
			list = append(list, Problem{Path: e.Path, Line: e.Pos.Line, Column: e.Pos.Column, Msg: e.Why})
		}
	}
	slices.SortFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Msg, b.Msg))
	})
	return list
}

// Codes of go/types. Source: internal/types/errors of the standard library.
const (
	brokenImport         = 6
	unusedImport         = 8
	undeclaredName       = 75
	missingFieldOrMethod = 76
)

// ofOthers are the codes of what may come from a package that is not read.
var ofOthers = []int{brokenImport, unusedImport, undeclaredName, missingFieldOrMethod}

// fault is a problem at an original place. Imports change their order, so that those of a file are
// only counted, and a package that no file of the tree can import is one problem.
func (p Problem) fault(name string, offset int) fault {
	switch p.Code {
	case brokenImport:
		return fault{path: p.Msg, code: p.Code}
	case unusedImport:
		offset = -1
	}
	return fault{name, offset, p.Code}
}

// after loads the tree as the plan leaves it, with the path of each moved file before.
func (t *Tree) after(ctx context.Context, plan *Plan, others types.Importer) (*Tree, map[string]string, error) {
	origin, overlay := map[string]string{}, map[string][]byte{}
	paths := slices.Collect(maps.Keys(plan.Create))
	maps.Copy(overlay, plan.Create)
	for _, name := range t.Paths {
		to := cmp.Or(plan.Moves[name], name)
		paths = append(paths, to)
		origin[to] = name
		if t.files[name] == nil && path.Base(name) != "go.mod" && !slices.ContainsFunc(t.Broken, func(e Entry) bool { return e.Path == name }) {
			continue // the type check does not read it
		}
		if edits := plan.Edits[name]; len(edits) > 0 || to != name && t.files[name] == nil {
			data, err := t.read(name)
			if err != nil {
				return nil, nil, err
			}
			if overlay[to], err = source.Apply(data, edits); err != nil {
				return nil, nil, &source.Error{Path: name, Err: err}
			}
		}
	}
	bodies := func(name string, _ []byte) bool {
		f := t.files[cmp.Or(origin[name], name)]
		return f == nil || f.Full
	}
	after, err := Load(ctx, t.fsys, paths, LoadOptions{Bodies: bodies, overlay: overlay, order: origin, reuse: t, bare: true, others: others})
	return after, origin, err
}

// back is the original offset of an offset of an edited text: in the new text of an edit, that
// of the edit. Inserted says that the edit adds to the original and replaces nothing.
func back(edits []source.Edit, at int) (original int, inserted bool) {
	shift := 0
	for _, e := range edits { // sorted
		if at < e.Start+shift {
			break
		}
		if at < e.Start+shift+len(e.New) {
			return e.Start, e.Len() == 0
		}
		shift += len(e.New) - e.Len()
	}
	return at - shift, false
}
