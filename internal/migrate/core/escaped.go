package core

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A file in which letters of names are escapes is read a second time without them. Where that
// makes something else of a reference, it needs review, and nothing of it is rewritten.

// Read reads a file. Place is its path from the top of the work tree.
func (c *Core) Read(place string, data []byte) *File {
	f := c.read(place, data)
	f.locate(data, nil)
	if v := syntax.Plain(data); v != nil {
		f.own().escaped = escaped{c.read(place, v.B), v}
		f.plain.locate(data, v.Offset)
		if f.plain.Failed != nil {
			f.Failed = f.plain.Failed
		}
	}
	return f
}

// unescaped has reviewed what is something else without escapes in names.
func (f *File) unescaped(plain []Site) {
	found, left := map[int]*Site{}, map[int]bool{}
	for i := range f.Sites {
		found[f.Sites[i].Start] = &f.Sites[i]
	}
	leave := func(s *Site, of Site) {
		left[s.Start], left[s.of] = true, true
		*s = Site{Span: s.Span, Pos: of.Pos, Verdict: judge.Because(judge.Escaped, "").In(of.Role()), Old: of.Old, Rule: of.Rule}
	}
	same := func(a, b source.Edit) bool {
		return a.Start == f.view.Offset(b.Start) && a.Len() == b.Len() && a.New == b.New
	}
	var more []Site
	for _, s := range plain {
		at := source.Span{Start: f.view.Offset(s.Start), End: f.view.Offset(s.End-1) + 1}
		switch as := found[at.Start]; {
		case as != nil && (as.Action() != s.Action() || !slices.EqualFunc(as.Edits, s.Edits, same)):
			leave(as, s)
		case as == nil && s.Action() != judge.Keep:
			more = append(more, Site{Span: at})
			leave(&more[len(more)-1], s)
		}
		delete(found, at.Start)
	}
	for _, s := range found {
		if s.Action() == judge.Rewrite {
			leave(s, *s)
		}
	}
	for i, s := range f.Sites { // one reference is rewritten as a whole
		if s.Action() == judge.Rewrite && left[s.of] {
			leave(&f.Sites[i], s)
		}
	}
	f.Sites = append(f.Sites, more...)
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
}
