package syntax

import (
	"sort"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A View is decoded text with the file offset of each of its bytes: a whole
// file, the content of a block scalar without its indentation, a string
// without its escapes. Names of APIs are never escaped, so that a name in a
// view is a run of bytes that occurs in the file as it is, at any depth.
type View struct {
	B    []byte
	P    []int32 // file offset of each byte; nil: byte i is at Base+i
	Base int
}

// whole is the view of a file.
func whole(data []byte) *View { return &View{B: data} }

// Offset is the file offset of byte i; i may be len(v.B).
func (v *View) Offset(i int) int {
	switch {
	case v.P == nil:
		return v.Base + i
	case i < len(v.P):
		return int(v.P[i])
	case len(v.P) > 0:
		return int(v.P[len(v.P)-1]) + 1
	}
	return v.Base
}

// at is the byte whose place in the file is an offset, or the first behind it.
func (v *View) at(offset int) int {
	if v.P == nil {
		return offset - v.Base
	}
	return sort.Search(len(v.P), func(i int) bool { return int(v.P[i]) >= offset })
}

// Span is the place in the file of v.B[i:j]. It is false where these bytes are
// not one run of bytes in the file.
func (v *View) Span(i, j int) (source.Span, bool) {
	s := source.Span{Start: v.Offset(i), End: v.Offset(i) + j - i}
	return s, i == j || v.Offset(j-1) == s.End-1
}

// Sub is the view of v.B[i:j].
func (v *View) Sub(i, j int) *View {
	if v.P == nil {
		return &View{B: v.B[i:j], Base: v.Base + i}
	}
	return &View{B: v.B[i:j], P: v.P[i:j], Base: v.Offset(i)}
}

// A builder puts a view together from pieces of another one.
type builder struct {
	from *View
	out  View
}

func newBuilder(from *View, size int) *builder {
	return &builder{from: from, out: View{B: make([]byte, 0, size), P: make([]int32, 0, size)}}
}

// add takes over the bytes [i, j).
func (b *builder) add(i, j int) {
	b.out.B = append(b.out.B, b.from.B[i:j]...)
	for ; i < j; i++ {
		b.out.P = append(b.out.P, int32(b.from.Offset(i)))
	}
}

// put adds one byte that stands for what begins at i.
func (b *builder) put(c byte, i int) {
	b.out.B = append(b.out.B, c)
	b.out.P = append(b.out.P, int32(b.from.Offset(i)))
}

func (b *builder) view() *View {
	if len(b.out.P) > 0 {
		b.out.Base = int(b.out.P[0])
	}
	return &b.out
}

// unescape is the text of a string with backslash escapes, as JSON, YAML, Go,
// Python and the languages of the C family have them. An escape that is not
// known stays as it is spelled.
func unescape(v *View) *View {
	b := newBuilder(v, len(v.B))
	for i := 0; i < len(v.B); i++ {
		if v.B[i] != '\\' || i+1 == len(v.B) {
			b.add(i, i+1)
			continue
		}
		i++
		switch c := v.B[i]; c {
		case 'n':
			b.put('\n', i-1)
		case 't':
			b.put('\t', i-1)
		case 'r':
			b.put('\r', i-1)
		case '"', '\'', '\\', '/', '`', '$', ' ':
			b.put(c, i)
		case '\n': // a line that goes on
			for i+1 < len(v.B) && (v.B[i+1] == ' ' || v.B[i+1] == '\t') {
				i++
			}
		default:
			b.add(i-1, i+1)
		}
	}
	return b.view()
}
