package core

import (
	"reflect"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A file in which letters of names are escapes is read a second time without them. Where that
// makes something else of a reference, nothing of the file is rewritten.

// Read reads a file. Place is its path from the top of the work tree.
func (c *Core) Read(place string, data []byte) *File {
	f := c.read(place, data)
	f.locate(data, nil)
	if v := syntax.Plain(data); v != nil {
		f.escaped = escaped{c.read(place, v.B), v}
		f.plain.locate(data, v.Offset)
		if f.plain.Failed != nil {
			f.Failed = f.plain.Failed
		}
	}
	if reflect.ValueOf(f.special).Elem().IsZero() {
		f.special = &nothing
	}
	return f
}

// unescaped has a file reviewed of which something is another one without escapes in names.
func (f *File) unescaped(plain []Site) {
	review := func(s, of Site) Site {
		return Site{Span: s.Span, Pos: of.Pos, Verdict: judge.Because(judge.Escaped, "").In(of.Role()), Old: of.Old, Rule: of.Rule}
	}
	same := func(a, b source.Edit) bool {
		return a.Start == f.view.Offset(b.Start) && a.Len() == b.Len() && a.New == b.New
	}
	found := map[int]int{}
	for i, s := range f.Sites {
		found[s.Start] = i
	}
	differs := false
	for _, s := range plain {
		at := source.Span{Start: f.view.Offset(s.Start), End: f.view.Offset(s.End-1) + 1}
		i, ok := found[at.Start]
		delete(found, at.Start)
		switch {
		case ok && (f.Sites[i].Action() != s.Action() || !slices.EqualFunc(f.Sites[i].Edits, s.Edits, same)):
			f.Sites[i], differs = review(f.Sites[i], s), true
		case !ok && s.Action() != judge.Keep:
			f.Sites, differs = append(f.Sites, review(Site{Span: at}, s)), true
		}
	}
	for _, i := range found {
		differs = differs || f.Sites[i].Action() == judge.Rewrite
	}
	for i, s := range f.Sites {
		if differs && s.Action() == judge.Rewrite {
			f.Sites[i] = review(s, s)
		}
	}
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
}
