package text

import (
	"errors"
	"sort"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A View is text as its language sees it, with the way back to the bytes of
// the file: a whole file, the content of a block scalar without its
// indentation, a string literal without its escapes, the lines of a notebook
// cell without the JSON around them. Views nest.
type View struct {
	Data []byte
	file []byte    // what the segments lead to
	Segs []Segment // in order, covering data; nil = data is the file from base on
	base int
	// spell writes text of the view as the languages around it want it; nil: as
	// it is. The text begins where a line does (or replaces a part of one), and
	// ends where one ends. False: it cannot be written there.
	Spell func(text string) (string, bool)
	Depth int // how many languages are around this one
}

// A Segment maps decoded bytes to file bytes: one to one when the lengths are
// equal, else as a whole (an escape sequence).
type Segment struct {
	at, n    int  // in the view
	Src, len int  // in the file
	opaque   bool // of equal length by chance, not by bytes
}

// Whole is the view of a file.
func Whole(data []byte) *View { return &View{Data: data, file: data} }

// seg returns the index of the segment that holds the view offset.
func (v *View) seg(at int) int {
	return sort.Search(len(v.Segs), func(i int) bool { return v.Segs[i].at+v.Segs[i].n > at })
}

// Start is the file offset of the byte at a view offset.
func (v *View) Start(at int) int {
	if v.Segs == nil {
		return v.base + at
	}
	i := v.seg(at)
	if i == len(v.Segs) {
		if i == 0 {
			return v.base
		}
		s := v.Segs[i-1]
		return s.Src + s.len
	}
	s := v.Segs[i]
	if s.n == s.len && !s.opaque {
		return s.Src + at - s.at
	}
	return s.Src
}

// end is the file offset behind the byte before a view offset.
func (v *View) end(at int) int {
	if v.Segs == nil {
		return v.base + at
	}
	if at == 0 {
		return v.Start(0)
	}
	s := v.Segs[v.seg(at-1)]
	if s.n == s.len && !s.opaque {
		return s.Src + at - s.at
	}
	return s.Src + s.len
}

// Span is the place in the file of a span of the view.
func (v *View) Span(s source.Span) source.Span {
	if s.Start == s.End {
		at := v.Start(s.Start)
		return source.Span{Start: at, End: at}
	}
	return source.Span{Start: v.Start(s.Start), End: v.end(s.End)}
}

// Reasons why an edit is refused.
var (
	errElsewhere = errors.New("the text to be replaced does not stand there")
	errUnspelled = errors.New("the languages around it cannot spell the new text")
)

// Edit is the edit of the file that writes fresh over a span of the view, which
// holds old. It is the only way from a place in a view to one in the file: what
// does not hold what is said, in the view and in the file, is refused, and so
// is a text that the languages around the view cannot spell, and a line between
// two of theirs: it is written over one of them.
func (v *View) Edit(span source.Span, old, fresh string) (source.Edit, error) {
	if span.Start < 0 || span.End < span.Start || span.End > len(v.Data) || string(span.Of(v.Data)) != old {
		return source.Edit{}, errElsewhere
	}
	place := v.Span(span)
	if fresh == "" && v.wholeLines(span) {
		place = v.lines(span)
	}
	if !v.stands(span) || place.Start < 0 || place.End < place.Start || place.End > len(v.file) {
		return source.Edit{}, errElsewhere
	}
	if old == "" && v.Segs != nil && strings.Contains(fresh, "\n") {
		return source.Edit{}, errUnspelled // between two lines is more than their break
	}
	if !isWord(fresh) {
		spelled, ok := v.Say(fresh)
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
		if c := text[i]; !IsWordByte(c) && c != '.' && c != '/' && c != '_' && c != ':' && c != ';' {
			return false
		}
	}
	return true
}

// wholeLines says whether a span is nothing but lines, each with its end.
func (v *View) wholeLines(s source.Span) bool {
	return s.Len() > 0 && (s.Start == 0 || v.Data[s.Start-1] == '\n') && v.Data[s.End-1] == '\n'
}

// lines is the place in the file of whole lines with what is around them
// there: the indentation, the comment mark.
func (v *View) lines(s source.Span) source.Span {
	if s.Start > 0 {
		return source.Span{Start: v.end(s.Start), End: v.end(s.End)}
	}
	return source.Span{Start: v.Start(0), End: v.Start(s.End)}
}

// stands says whether the file holds what the view holds, byte for byte
// wherever a byte of the one is a byte of the other.
func (v *View) stands(s source.Span) bool {
	if v.Segs == nil {
		return v.base+s.End <= len(v.file) && string(v.file[v.base+s.Start:v.base+s.End]) == string(s.Of(v.Data))
	}
	for i := v.seg(s.Start); i < len(v.Segs) && v.Segs[i].at < s.End; i++ {
		x := v.Segs[i]
		from, to := max(x.at, s.Start), min(x.at+x.n, s.End)
		if x.Src+x.len > len(v.file) || x.n == x.len && !x.opaque && string(v.file[x.Src+from-x.at:x.Src+to-x.at]) != string(v.Data[from:to]) {
			return false
		}
	}
	return true
}

// A builder puts a view together from pieces of an outer one.
type builder struct {
	Outer *View
	data  []byte
	segs  []Segment
}

// Add takes over a span of the outer view byte for byte.
func (b *builder) Add(s source.Span) {
	if s.Start >= s.End {
		return
	}
	at := len(b.data)
	b.data = append(b.data, s.Of(b.Outer.Data)...)
	if b.Outer.Segs == nil {
		b.push(Segment{at: at, n: s.Len(), Src: b.Outer.base + s.Start, len: s.Len()})
		return
	}
	for i := b.Outer.seg(s.Start); i < len(b.Outer.Segs); i++ {
		o := b.Outer.Segs[i]
		from, to := max(o.at, s.Start), min(o.at+o.n, s.End)
		if from >= to {
			break
		}
		x := Segment{at: at + from - s.Start, n: to - from, Src: o.Src, len: o.len, opaque: o.opaque}
		if o.n == o.len && !o.opaque {
			x.Src, x.len = o.Src+from-o.at, to-from
		}
		b.push(x)
	}
}

// put adds decoded text that stands for a span of the outer view.
func (b *builder) put(text string, s source.Span) {
	if text == "" {
		return
	}
	f := b.Outer.Span(s)
	at := len(b.data)
	b.data = append(b.data, text...)
	x := Segment{at: at, n: len(text), Src: f.Start, len: f.Len()}
	x.opaque = x.n == x.len && string(f.Of(b.Outer.file)) != text
	b.push(x)
}

// push joins a segment to the last one where both run on.
func (b *builder) push(x Segment) {
	if n := len(b.segs); n > 0 {
		l := &b.segs[n-1]
		if l.n == l.len && x.n == x.len && !l.opaque && !x.opaque && l.Src+l.len == x.Src && l.at+l.n == x.at {
			l.n += x.n
			l.len += x.len
			return
		}
	}
	b.segs = append(b.segs, x)
}

// View is what was put together.
func (b *builder) View() *View {
	v := &View{Data: b.data, file: b.Outer.file, Segs: b.segs, Spell: refuse, Depth: b.Outer.Depth + 1}
	if v.Segs == nil {
		v.Segs = []Segment{}
	}
	return v
}
