package migrate

import (
	"strconv"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
)

// unindent is the content of a block scalar without its indentation.
func unindent(v *view, s source.Span) *view {
	indent := -1
	for at := s.Start; at < s.End; {
		text, next := lineEnd(v.data, at, s.End)
		first := at
		for first < text && v.data[first] == ' ' {
			first++
		}
		if first < text && (indent < 0 || first-at < indent) {
			indent = first - at
		}
		at = next
	}
	b := builder{outer: v}
	for at := s.Start; at < s.End; {
		text, next := lineEnd(v.data, at, s.End)
		b.add(source.Span{Start: min(at+max(indent, 0), text), End: next})
		at = next
	}
	return b.view()
}

// unquoteSingle is the content of a YAML single-quoted scalar.
func unquoteSingle(v *view, s source.Span) *view {
	b := builder{outer: v}
	from := s.Start
	for i := s.Start; i+1 < s.End; i++ {
		if v.data[i] == '\'' && v.data[i+1] == '\'' {
			b.add(source.Span{Start: from, End: i})
			b.put("'", source.Span{Start: i, End: i + 2})
			i++
			from = i + 1
		}
	}
	b.add(source.Span{Start: from, End: s.End})
	return b.view()
}

// escapes are the one-letter escapes that JSON, YAML, Go, Python, C and Java
// share, with their meaning.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", '"': "\"", '\'': "'", '\\': "\\", '/': "/", '0': "\x00",
	'a': "\a", 'b': "\b", 'e': "\x1b", 'f': "\f", 'v': "\v", ' ': " ", '`': "`", '$': "$",
}

// unescape is the content of a string with backslash escapes. An escape that
// is not known stays as it is written.
func unescape(v *view, s source.Span) *view {
	b := builder{outer: v}
	unescapeInto(&b, s)
	return b.view()
}

// unescapeInto adds the content of a string with backslash escapes to a view.
func unescapeInto(b *builder, s source.Span) {
	v := b.outer
	from := s.Start
	for i := s.Start; i < s.End; i++ {
		if v.data[i] != '\\' || i+1 >= s.End {
			continue
		}
		b.add(source.Span{Start: from, End: i})
		text, n := escape(v.data[i:s.End])
		b.put(text, source.Span{Start: i, End: i + n})
		i += n - 1
		from = i + 1
	}
	b.add(source.Span{Start: from, End: s.End})
}

// escape reads one escape sequence: its meaning and its length.
func escape(data []byte) (string, int) {
	c := data[1]
	if text, ok := escapes[c]; ok {
		return text, 2
	}
	switch c {
	case '\n':
		return "", 2 // a continued line
	case '\r':
		if len(data) > 2 && data[2] == '\n' {
			return "", 3
		}
	case 'x', 'u', 'U':
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		if len(data) >= 2+n {
			if r, err := strconv.ParseUint(string(data[2:2+n]), 16, 32); err == nil && r <= utf8.MaxRune {
				return string(rune(r)), 2 + n
			}
		}
	}
	return string(data[:2]), 2
}
