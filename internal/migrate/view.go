package migrate

import (
	"errors"
	"sort"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A view is text as its language sees it, with the way back to the bytes of
// the file: a whole file, the content of a block scalar without its
// indentation, a string literal without its escapes, the lines of a notebook
// cell without the JSON around them. Views nest.
type view struct {
	data []byte
	file []byte    // what the segments lead to
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
	at, n    int  // in the view
	src, len int  // in the file
	opaque   bool // of equal length by chance, not by bytes
}

// whole is the view of a file.
func whole(data []byte) *view { return &view{data: data, file: data} }

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
	if s.n == s.len && !s.opaque {
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
	if s.n == s.len && !s.opaque {
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

// Reasons why an edit is refused.
var (
	errElsewhere = errors.New("the text to be replaced does not stand there")
	errUnspelled = errors.New("the languages around it cannot spell the new text")
)

// edit is the edit of the file that writes fresh over a span of the view, which
// holds old. It is the only way from a place in a view to one in the file: what
// does not hold what is said, in the view and in the file, is refused, and so
// is a text that the languages around the view cannot spell.
func (v *view) edit(span source.Span, old, fresh string) (source.Edit, error) {
	if span.Start < 0 || span.End < span.Start || span.End > len(v.data) || string(span.Of(v.data)) != old {
		return source.Edit{}, errElsewhere
	}
	place := v.span(span)
	if fresh == "" && v.wholeLines(span) {
		place = v.lines(span)
	}
	if !v.stands(span) || place.Start < 0 || place.End < place.Start || place.End > len(v.file) {
		return source.Edit{}, errElsewhere
	}
	if !isWord(fresh) {
		spelled, ok := v.say(fresh)
		if !ok {
			return source.Edit{}, errUnspelled
		}
		fresh = spelled
	}
	return source.Edit{Span: place, Old: string(place.Of(v.file)), New: fresh}, nil
}

// isWord says whether every language spells a text as it is.
func isWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isWordByte(c) && c != '.' && c != '/' && c != '_' && c != ':' && c != ';' {
			return false
		}
	}
	return true
}

// wholeLines says whether a span is nothing but lines, each with its end.
func (v *view) wholeLines(s source.Span) bool {
	return s.Len() > 0 && (s.Start == 0 || v.data[s.Start-1] == '\n') && v.data[s.End-1] == '\n'
}

// lines is the place in the file of whole lines with what stands around them
// there: the indentation, the comment mark.
func (v *view) lines(s source.Span) source.Span {
	if s.Start > 0 {
		return source.Span{Start: v.end(s.Start), End: v.end(s.End)}
	}
	return source.Span{Start: v.start(0), End: v.start(s.End)}
}

// stands says whether the file holds what the view holds, byte for byte
// wherever a byte of the one is a byte of the other.
func (v *view) stands(s source.Span) bool {
	if v.segs == nil {
		return v.base+s.End <= len(v.file) && string(v.file[v.base+s.Start:v.base+s.End]) == string(s.Of(v.data))
	}
	for i := v.seg(s.Start); i < len(v.segs) && v.segs[i].at < s.End; i++ {
		x := v.segs[i]
		from, to := max(x.at, s.Start), min(x.at+x.n, s.End)
		if x.src+x.len > len(v.file) || x.n == x.len && !x.opaque && string(v.file[x.src+from-x.at:x.src+to-x.at]) != string(v.data[from:to]) {
			return false
		}
	}
	return true
}

// renamed is an edit that writes another word over its place.
func renamed(e source.Edit, word string) (source.Edit, bool) {
	e.New = word
	return e, e.Old != "" && isWord(word)
}

// sub is the view of a span of v, byte for byte.
func (v *view) sub(s source.Span) *view {
	if v.segs == nil {
		return &view{data: s.Of(v.data), file: v.file, base: v.base + s.Start, spell: v.spell, depth: v.depth}
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
		b.push(segment{at: at, n: s.Len(), src: b.outer.base + s.Start, len: s.Len()})
		return
	}
	for i := b.outer.seg(s.Start); i < len(b.outer.segs); i++ {
		o := b.outer.segs[i]
		from, to := max(o.at, s.Start), min(o.at+o.n, s.End)
		if from >= to {
			break
		}
		x := segment{at: at + from - s.Start, n: to - from, src: o.src, len: o.len, opaque: o.opaque}
		if o.n == o.len && !o.opaque {
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
	x := segment{at: at, n: len(text), src: f.Start, len: f.Len()}
	x.opaque = x.n == x.len && string(f.Of(b.outer.file)) != text
	b.push(x)
}

// push joins a segment to the last one where both run on.
func (b *builder) push(x segment) {
	if n := len(b.segs); n > 0 {
		l := &b.segs[n-1]
		if l.n == l.len && x.n == x.len && !l.opaque && !x.opaque && l.src+l.len == x.src && l.at+l.n == x.at {
			l.n += x.n
			l.len += x.len
			return
		}
	}
	b.segs = append(b.segs, x)
}

func (b *builder) view() *view {
	v := &view{data: b.data, file: b.outer.file, segs: b.segs, spell: refuse, depth: b.outer.depth + 1}
	if v.segs == nil {
		v.segs = []segment{}
	}
	return v
}
