package core

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A places has the positions of offsets of a file, in their order.
type places []place

type place struct{ at, line, column int32 }

// locate notes the positions of what may be reported of a file. Offset is where in the data
// its text has an offset; nil: at the same one.
func (f *File) locate(data []byte, offset func(int) int) {
	if offset == nil {
		offset = func(at int) int { return at }
	}
	var list []int
	add := func(s source.Span) { list = append(list, s.Start) }
	for _, s := range f.wrong {
		add(s.Span)
	}
	for _, x := range f.pieces {
		add(x.Span)
	}
	if f.project != nil {
		for _, x := range f.project.items() {
			add(x.Span)
		}
	}
	for _, x := range f.shaped {
		add(x.at)
	}
	for i := range f.refs {
		r := &f.refs[i]
		add(r.own)
		for _, p := range r.parts {
			add(p.Span)
		}
		for _, x := range r.grant.items() {
			add(x.Span)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	f.places = make(places, len(list))
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	for i, at := range list {
		p := walk.To(min(offset(at), len(data)))
		f.places[i] = place{int32(at), int32(p.Line), int32(p.Column)}
	}
	for i := range f.refs {
		f.refs[i].line = f.places.of(f.refs[i].own.Start).Line
	}
}

// of is the position of an offset that was noted, the begin of the file for another one.
func (p places) of(at int) source.Position {
	i, ok := slices.BinarySearchFunc(p, at, func(x place, at int) int { return int(x.at) - at })
	if !ok {
		return source.Position{Line: 1, Column: 1}
	}
	return source.Position{Line: int(p[i].line), Column: int(p[i].column)}
}
