package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/diff"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// A planning makes the plan of a tree.
type planning struct {
	*Migration
	files   *source.Tree
	walks   source.WalkOptions
	skipped []source.Skip // by the first walk
}

// Plan reads the files of a tree and says what the migration makes of them.
// Files that do not hold a name of the rules are not read beyond a search. What is
// decided of a part of a work tree is decided by all of it (see portion.go).
func (m *Migration) Plan(ctx context.Context, t *source.Tree, o source.WalkOptions) (*Plan, error) {
	m = m.In(t)
	all, err := partOf(t)
	if err != nil {
		return nil, err
	}
	defer all.close()
	m.code = m.newRefactoring(t)
	x := &planning{Migration: m, files: t, walks: o}
	var stats *source.WalkStats
	files, err := m.gather(func(s search, visit func(name string, data []byte)) error {
		skips, seen, err := t.Walk(ctx, s.below(m.below).options(o, all.named(s.among)), func(f *source.File) error {
			visit(f.Path, f.Data)
			return nil
		})
		if stats == nil { // the first walk looks at every file
			x.skipped, stats = skips, &seen
		}
		return err
	}, all.walk(ctx, o))
	if err != nil {
		return nil, err
	}
	all.mark(files)
	p := m.Finish(slices.Concat(files, x.unlike(), x.unreadable()), all)
	if err := m.code.plan(ctx, p, o); err != nil {
		return nil, err
	}
	p.withoutAnswered(m.settling(all))
	links, err := x.linked(ctx, files)
	if err != nil {
		return nil, err
	}
	p.Files = slices.Concat(p.Files, links, x.danglers(p))
	more, err := x.outside(ctx, p, all)
	if err != nil {
		return nil, err
	}
	x.skipped = append(x.skipped, all.absent...)
	p.Files = slices.Concat(p.Files, more, x.absent())
	slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	p.Seen = stats.Visited + stats.Clean
	unread := map[string]bool{}
	for _, f := range p.Files {
		unread[f.Path] = f.Skip != nil
	}
	for _, s := range x.skipped {
		if !unread[s.Path] { // else it should have been read, and says so
			p.Skipped = append(p.Skipped, report.Skip{Path: s.Path, Reason: s.Text()})
		}
	}
	return p, nil
}

// planFS is the plan of a whole tree that has no folder, in which names of Go code stay.
func (m *Migration) planFS(ctx context.Context, tree fs.FS) (*Plan, error) {
	plain := *m
	plain.opts.GoOff, plain.unnamed = true, true
	return plain.Plan(ctx, source.OpenFS(tree, nil), source.WalkOptions{})
}

// A search says which files a walk visits: those whose content or path holds a
// needle, and those of a name.
type search struct {
	needles []string
	always  []string                // base names
	all     bool                    // whatever the files hold
	among   []string                // files that an earlier walk visited or told of; nil = all of the tree
	escaped bool                    // and those that may hold it with escapes
	tell    func(path, head []byte) // hears of every file that is searched, with its first bytes; both are reused
}

// below is a search in a folder of a work tree: where the path of that holds a needle,
// so does that of every file.
func (s search) below(folder string) search {
	if folder != "" && find.New(s.needles).Match([]byte(folder+"/")) {
		s.all = true
	}
	return s
}

// options are those of a walk that searches so.
func (s search) options(o source.WalkOptions, among []string) source.WalkOptions {
	o.Finder, o.Always, o.Among, o.Only, o.Seen = find.New(s.needles), s.always, among, nil, s.tell
	if o.Also = nil; s.escaped {
		o.Also = syntax.MayEscape
	}
	if s.all {
		o.Finder = nil
	}
	return o
}

// A walk visits the files of a tree that a search finds, from several workers
// at once. Data is valid until visit returns.
type walk func(s search, visit func(name string, data []byte)) error

// notRead is a file that was not read, of which it is not known what it holds; nil where the user
// keeps it as a whole.
func (x *planning) notRead(name string, cause error, hint string) *File {
	if _, ok := x.opts.Keep.Of(x.placeOf(name), ""); ok {
		return nil
	}
	return &File{Path: name, To: name, m: x.Migration, Skip: &source.Error{Path: name, Err: cause, Hint: hint}}
}

// unreadable are the files that could not be read.
func (x *planning) unreadable() (files []*File) {
	for _, s := range x.skipped {
		if s.Reason == source.SkipUnreadable || s.Reason == source.SkipTooLarge {
			files = append(files, x.notRead(s.Path, cmp.Or(s.Err, errors.New(string(s.Reason))), "make it readable, or leave it out with --exclude"))
		}
	}
	return files // Finish leaves out what is nil
}

// errAbsent is why a file of a sparse checkout was not read.
var errAbsent = errors.New(string(source.SkipSparse))

// absent is the first of the files and folders that git tracks and a sparse checkout
// leaves out, which tells of all. Empty when there is none.
func (x *planning) absent() (first []*File) {
	more := 0
	for _, s := range x.skipped {
		if s.Reason != source.SkipSparse {
			continue
		}
		f := x.notRead(s.Path, errAbsent, "git sparse-checkout disable, or name paths that do not depend on it, or skip it with --exclude")
		switch {
		case f != nil && first == nil:
			first = []*File{f}
		case f != nil:
			more++
			first[0].Skip.Err = fmt.Errorf("%w, and %s", errAbsent, report.Plural(more, "more path"))
		}
	}
	return first
}

// Hidden says what git tracks and a sparse checkout leaves out, and may decide: the first
// of it with the number of the others; nil where nothing of that matters.
func (p *Plan) Hidden() *source.Error {
	i := slices.IndexFunc(p.Files, func(f *File) bool { return f.Skip != nil && errors.Is(f.Skip.Err, errAbsent) })
	if i < 0 {
		return nil
	}
	return p.Files[i].Skip
}

// In is the migration of the files of a tree: what the names of folders say is
// said by all of them, from the top of the git work tree on, so that no verdict
// depends on where cfctl is run.
func (m *Migration) In(t *source.Tree) *Migration {
	single := *m
	single.below, single.tree = t.AboveBase(), t
	return &single
}

// placeOf is the path of a file as paths of rulesets and the names of folders
// count.
func (m *Migration) placeOf(name string) string {
	if m.tree == nil {
		return path.Join(m.below, name)
	}
	return m.tree.Place(name)
}

// errChanged says that a file is no longer what the plan was made from.
var errChanged = errors.New("it changed while cfctl was reading")

// Changes are what writing the plan does to a tree. A file that is no longer
// what was read is an error.
func (p *Plan) Changes(ctx context.Context, t *source.Tree) ([]source.Change, error) {
	lists := make([][]source.Change, len(p.Files))
	err := source.Each(ctx, len(p.Files), runtime.GOMAXPROCS(0), func(i int) error {
		f := p.Files[i]
		if !f.Changes() {
			return nil
		}
		var data []byte
		if f.Format == "go" && !f.created { // which is formatted again; the transaction compares every file with its hash
			var err error
			if data, err = read(t, f.Path, f.Sum); err != nil {
				return err
			}
		}
		lists[i] = f.changes(data)
		return nil
	})
	return slices.Concat(lists...), err
}

// changes are what writing does to a file and, in dual mode, beside it.
func (f *File) changes(data []byte) []source.Change {
	if f.Drop {
		return []source.Change{{From: f.Path, Before: f.Sum}}
	}
	var list []source.Change
	if edits := f.Edits(data); len(edits) > 0 || f.To != f.Path {
		list = append(list, source.Change{From: f.Path, To: f.To, Edits: edits, Before: f.Sum})
	}
	if f.Twin != nil {
		list = append(list, source.Change{To: f.Twin.Path, Edits: []source.Edit{{New: string(f.Twin.Data)}}})
	}
	return list
}

// read reads a file again and compares it with what was read before.
func read(t *source.Tree, name string, sum source.Sum) ([]byte, error) {
	data, err := t.ReadFile(name)
	if err == nil && source.SumOf(data) != sum {
		err = &source.Error{Path: name, Err: errChanged, Hint: "run cfctl again"}
	}
	return data, err
}

// Diff appends the plan as a unified diff that `git apply` takes.
func (p *Plan) Diff(ctx context.Context, out []byte, t *source.Tree) ([]byte, error) {
	list, err := p.Changes(ctx, t)
	for i := 0; i < len(list) && err == nil; i++ {
		c := list[i]
		d := diff.File{From: c.From, To: c.To, Edits: c.Edits}
		if c.From != "" {
			d.Data, err = read(t, c.From, c.Before)
		}
		if c.To == "" {
			d.Edits = []source.Edit{{Span: source.Span{End: len(d.Data)}, Old: string(d.Data)}}
		}
		if err == nil {
			out, err = d.Append(out)
		}
	}
	return out, err
}
