package migrate

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
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
			if s.only != nil {
				return // the first walk has told of it
			}
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
	})
	if err != nil {
		return nil, err
	}
	p := m.Finish(append(files, others...), fsTree{tree})
	p.Skipped = append(p.Skipped, skipped...)
	return p, nil
}

// walkFS is the walk of a tree that is no work tree. What it passes over goes to
// skip; data is that of binary files.
func walkFS(ctx context.Context, tree fs.FS, s search, visit func(name string, data []byte), skip func(name string, data []byte, why source.Reason)) error {
	finder := source.NewFinder(s.needles)
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if why, ok := map[string]source.Reason{"vendor": source.SkipVendored, "node_modules": source.SkipNodeModules}[d.Name()]; ok && d.IsDir() {
			skip(name, nil, why)
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || s.only != nil && !s.only([]byte(name)) {
			return ctx.Err()
		}
		data, err := fs.ReadFile(tree, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a snapshot without its largest files
		}
		if err != nil {
			return err
		}
		switch {
		case bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0:
			skip(name, data, source.SkipBinary)
		case finder.Match(data) || finder.Match([]byte(name)) || slices.Contains(s.always, d.Name()):
			visit(name, data)
		}
		return ctx.Err()
	})
}
