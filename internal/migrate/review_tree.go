package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// An fsTree is the Others of a tree without a work tree.
type fsTree struct{ fs.FS }

func (t fsTree) Exists(name string) bool {
	_, err := fs.Stat(t.FS, name)
	return err == nil
}

func (t fsTree) ReadFile(name string) ([]byte, error) { return fs.ReadFile(t.FS, name) }

// planFS plans the migration of a whole tree, as Plan does of a work tree.
func (m *Migration) planFS(ctx context.Context, tree fs.FS) (*Plan, error) {
	var others []*File // text with NUL bytes
	looks := m.binary()
	var skipped []report.Skip
	files, err := m.gather(func(s search, visit func(name string, data []byte)) error {
		skip := func(name string, data []byte, why source.Reason) {
			if data != nil {
				f, held := looks.look(name, data)
				if f != nil {
					others = append(others, f)
					return // it should have been read, and says so
				}
				if held {
					why = heldBinary
				}
			}
			skipped = append(skipped, report.Skip{Path: name, Reason: string(why)})
		}
		return walkFS(ctx, tree, s, visit, skip)
	}, nil)
	if err != nil {
		return nil, err
	}
	p := m.Finish(append(files, others...), fsTree{tree})
	p.Skipped = append(p.Skipped, skipped...)
	return p, nil
}

// planBoth is planFS, and the files as they become where names of Go code are renamed as
// well. A change need not do that: a review misses none of them.
func (m *Migration) planBoth(ctx context.Context, tree fs.FS) (*Plan, map[string]*File, error) {
	single := *m
	if !m.opts.Dual {
		single.code = m.refactoringOf(fsTree{tree}, true)
	}
	p, err := single.planFS(ctx, tree)
	if err != nil || !single.code.asks() {
		return p, nil, err
	}
	code := *p
	code.Files = make([]*File, len(p.Files))
	for i, f := range p.Files {
		copied := *f
		copied.Sites = slices.Clone(f.Sites)
		code.Files[i] = &copied
	}
	if err := single.code.plan(ctx, &code, source.WalkOptions{}); err != nil {
		return nil, nil, err
	}
	files := map[string]*File{}
	for _, f := range code.Files {
		if f.Skip == nil && f.Changes() {
			files[f.Path] = f
		}
	}
	return p, files, nil
}

// walkFS is the walk of a tree that is no work tree. What it passes over goes to
// skip; data is that of binary files.
func walkFS(ctx context.Context, tree fs.FS, s search, visit func(name string, data []byte), skip func(name string, data []byte, why source.Reason)) error {
	f := fsSearch{tree, s, find.New(s.needles), visit, skip}
	for _, name := range s.among {
		if err := cmp.Or(f.file(name), ctx.Err()); err != nil {
			return err
		}
	}
	if s.among != nil {
		return ctx.Err()
	}
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && source.Vendored(d.Name()):
			skip(name, nil, source.SkipVendored)
			return fs.SkipDir
		case d.IsDir() && d.Name() == "node_modules":
			skip(name, nil, source.SkipNodeModules)
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return ctx.Err()
		}
		return cmp.Or(f.file(name), ctx.Err())
	})
}

// An fsSearch searches the files of a tree that is no work tree.
type fsSearch struct {
	tree fs.FS
	search
	finder *find.Finder
	visit  func(name string, data []byte)
	skip   func(name string, data []byte, why source.Reason)
}

// searched says whether a file is one that is searched for.
func (f fsSearch) searched(name string, data []byte) bool {
	return f.finder.Match(data) || f.finder.Match([]byte(name)) || slices.Contains(f.always, path.Base(name))
}

// file reads a file, and visits it when it is searched for.
func (f fsSearch) file(name string) error {
	data, err := fs.ReadFile(f.tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // a snapshot without its largest files
	case err != nil:
		return err
	case bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0, f.searched(name, data) && source.Binary(data):
		if f.among == nil { // else the first walk has told of it
			f.skip(name, data, source.SkipBinary)
		}
	default:
		if f.tell != nil {
			f.tell([]byte(name), data)
		}
		if f.searched(name, data) {
			f.visit(name, data)
		}
	}
	return nil
}
