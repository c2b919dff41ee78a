package migrate

import (
	"sort"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A view is text as its language sees it, with the way back to the bytes of
// the file: a whole file, the content of a block scalar without its
// indentation, a string literal without its escapes, the lines of a notebook
// cell without the JSON around them. Views nest.
type view struct {
	data []byte
	segs []segment // in order, covering data; nil = data is the file from base on
	base int
	// spell writes text of the view as the languages around it want it; nil: as
	// it is. The text begins where a line does (or replaces a part of one), and
	// ends where one ends. False: it cannot be written there.
	spell func(text string) (string, bool)
	depth int // how many languages are around this one
}

// A segment maps decoded bytes to file bytes: one to one when the lengths are
// equal, else as a whole (an escape sequence).
type segment struct {
	at, n    int // in the view
	src, len int // in the file
}

// whole is the view of a file.
func whole(data []byte) *view { return &view{data: data} }

// seg returns the index of the segment that holds the view offset.
func (v *view) seg(at int) int {
	return sort.Search(len(v.segs), func(i int) bool { return v.segs[i].at+v.segs[i].n > at })
}

// start is the file offset of the byte at a view offset.
func (v *view) start(at int) int {
	if v.segs == nil {
		return v.base + at
	}
	i := v.seg(at)
	if i == len(v.segs) {
		if i == 0 {
			return v.base
		}
		s := v.segs[i-1]
		return s.src + s.len
	}
	s := v.segs[i]
	if s.n == s.len {
		return s.src + at - s.at
	}
	return s.src
}

// end is the file offset behind the byte before a view offset.
func (v *view) end(at int) int {
	if v.segs == nil {
		return v.base + at
	}
	if at == 0 {
		return v.start(0)
	}
	s := v.segs[v.seg(at-1)]
	if s.n == s.len {
		return s.src + at - s.at
	}
	return s.src + s.len
}

// span is the place in the file of a span of the view.
func (v *view) span(s source.Span) source.Span {
	if s.Start == s.End {
		at := v.start(s.Start)
		return source.Span{Start: at, End: at}
	}
	return source.Span{Start: v.start(s.Start), End: v.end(s.End)}
}

// sub is the view of a span of v, byte for byte.
func (v *view) sub(s source.Span) *view {
	if v.segs == nil {
		return &view{data: s.Of(v.data), base: v.base + s.Start, spell: v.spell, depth: v.depth}
	}
	b := builder{outer: v}
	b.add(s)
	in := b.view()
	in.spell = v.spell
	return in
}

// A builder puts a view together from pieces of an outer one.
type builder struct {
	outer *view
	data  []byte
	segs  []segment
}

// add takes over a span of the outer view byte for byte.
func (b *builder) add(s source.Span) {
	if s.Start >= s.End {
		return
	}
	at := len(b.data)
	b.data = append(b.data, s.Of(b.outer.data)...)
	if b.outer.segs == nil {
		b.push(segment{at, s.Len(), b.outer.base + s.Start, s.Len()})
		return
	}
	for i := b.outer.seg(s.Start); i < len(b.outer.segs); i++ {
		o := b.outer.segs[i]
		from, to := max(o.at, s.Start), min(o.at+o.n, s.End)
		if from >= to {
			break
		}
		x := segment{at + from - s.Start, to - from, o.src, o.len}
		if o.n == o.len {
			x.src, x.len = o.src+from-o.at, to-from
		}
		b.push(x)
	}
}

// put adds decoded text that stands for a span of the outer view.
func (b *builder) put(text string, s source.Span) {
	if text == "" {
		return
	}
	f := b.outer.span(s)
	at := len(b.data)
	b.data = append(b.data, text...)
	x := segment{at, len(text), f.Start, f.Len()}
	if x.n == x.len && string(s.Of(b.outer.data)) != text {
		// Equal length by chance, not by bytes: two segments keep it opaque.
		b.segs = append(b.segs, segment{at, len(text), f.Start, f.Len()})
		return
	}
	b.push(x)
}

// push joins a segment to the last one where both run on.
func (b *builder) push(x segment) {
	if n := len(b.segs); n > 0 {
		l := &b.segs[n-1]
		if l.n == l.len && x.n == x.len && l.src+l.len == x.src && l.at+l.n == x.at {
			l.n += x.n
			l.len += x.len
			return
		}
	}
	b.segs = append(b.segs, x)
}

func (b *builder) view() *view {
	v := &view{data: b.data, segs: b.segs, spell: refuse, depth: b.outer.depth + 1}
	if v.segs == nil {
		v.segs = []segment{}
	}
	return v
}
