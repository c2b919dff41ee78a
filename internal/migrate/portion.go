package migrate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// A run on a part of a work tree is decided by all of it: which kinds of a group the
// CRDs have, which versions they serve, what Go code makes of a constant. The rest of
// the tree is read when something in the part asks for it; nothing of it is told or
// written. What follows a change that is not made in this run (a reference to a file
// that would be renamed, a call of a client that would be) stays.

// A portion is what the user named, with the work trees that hold it.
type portion struct {
	*source.Tree
	rest *source.Tree // nil = nothing is beside what was named
	// absent are the files and folders of the rest, as far as it was searched, that git
	// tracks and a sparse checkout leaves out.
	absent []source.Skip
}

func partOf(t *source.Tree) (*portion, error) {
	rest, err := t.WorkTrees()
	return &portion{Tree: t, rest: rest}, err
}

func (p *portion) close() {
	if p.rest != nil {
		_ = p.rest.Close()
	}
}

// full is the path of a file as the rest of the tree has it.
func (p *portion) full(name string) string { return relative(p.rest, p.Base(), name) }

// relative is the path from the base of a tree of a file that lies at name below dir.
func relative(t *source.Tree, dir, name string) string {
	rel, err := filepath.Rel(t.Base(), filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// Exists says whether something is at a path, be it above the base.
func (p *portion) Exists(name string) bool {
	if p.rest != nil && isAbove(name) {
		return p.rest.Exists(p.full(name))
	}
	return p.Tree.Exists(name)
}

// ReadFile reads a file, be it above the base.
func (p *portion) ReadFile(name string) ([]byte, error) {
	if p.rest != nil && isAbove(name) {
		return p.rest.ReadFile(p.full(name))
	}
	return p.Tree.ReadFile(name)
}

// isAbove says whether a path leads out of the folder that it is from.
func isAbove(name string) bool { return name == ".." || strings.HasPrefix(name, "../") }

// named are those of some files that the user named, or that are below such a
// folder; nil = all of the tree.
func (p *portion) named(files []string) []string {
	if files == nil || p.rest == nil {
		return files
	}
	return slices.DeleteFunc(slices.Clone(files), func(name string) bool { return !p.Covers(name) })
}

// walk walks the rest of the tree, nil where there is none.
func (p *portion) walk(ctx context.Context, o source.WalkOptions) walk {
	if p.rest == nil {
		return nil
	}
	excluded := ignore.NewGlobs(o.Exclude) // which are read from the base
	o.Exclude = nil
	return func(s search, visit func(name string, data []byte)) error {
		var among []string
		if s.among != nil {
			among = []string{}
			for _, name := range s.among {
				if !p.Covers(name) {
					among = append(among, p.full(name))
				}
			}
		}
		opts := s.options(o, among)
		near := func(at string) string { return relative(p.Tree, p.rest.Base(), at) }
		opts.Only = func(at []byte) bool { name := near(string(at)); return !p.Covers(name) && !excluded.Match(name) }
		if s.tell != nil {
			opts.Seen = func(at, head []byte) { s.tell([]byte(near(string(at))), head) }
		}
		skips, _, err := p.rest.Walk(ctx, opts, func(f *source.File) error {
			visit(near(f.Path), f.Data)
			return nil
		})
		p.note(skips, excluded)
		return err
	}
}

// note keeps what a walk of the rest did not find checked out.
func (p *portion) note(skips []source.Skip, excluded *ignore.Globs) {
	for _, s := range skips {
		s.Path = relative(p.Tree, p.rest.Base(), s.Path)
		if s.Reason == source.SkipSparse && !p.Covers(s.Path) && !excluded.Match(s.Path) && !slices.Contains(p.absent, s) {
			p.absent = append(p.absent, s)
		}
	}
}

// mark says of files that are beside what was named that they are.
func (p *portion) mark(files []*File) {
	for _, f := range files {
		if f != nil {
			f.outside = p.rest != nil && !p.Covers(f.Path)
		}
	}
}

// and is a walk of two parts of a tree. What is searched among files knows its own.
func (w walk) and(beside walk) walk {
	return func(s search, visit func(name string, data []byte)) error {
		if err := w(s, visit); err != nil {
			return err
		}
		return beside(s, visit)
	}
}
