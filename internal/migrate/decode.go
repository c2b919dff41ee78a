package migrate

import (
	"bytes"
	"strconv"
	"strings"
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
	return b.view().within(v, prefixed(strings.Repeat(" ", max(indent, 0))))
}

// unquoteSingle is the content of a YAML single-quoted scalar.
func unquoteSingle(v *view, s source.Span) *view {
	b := builder{outer: v}
	from := s.Start
	for i := s.Start; i < s.End; i++ {
		switch {
		case v.data[i] == '\n':
			from = b.fold(from, i, s.End)
			i = from - 1
		case v.data[i] == '\'' && i+1 < s.End && v.data[i+1] == '\'':
			b.add(source.Span{Start: from, End: i})
			b.put("'", source.Span{Start: i, End: i + 2})
			i++
			from = i + 1
		}
	}
	b.add(source.Span{Start: from, End: s.End})
	in := b.view()
	if bytes.IndexByte(s.Of(v.data), '\n') < 0 {
		in.within(v, doubledQuotes)
	}
	return in
}

// escapes are the one-letter escapes that JSON, YAML, Go, Python, C and Java
// share, with their meaning.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", '"': "\"", '\'': "'", '\\': "\\", '/': "/", '0': "\x00",
	'a': "\a", 'b': "\b", 'e': "\x1b", 'f': "\f", 'v': "\v", ' ': " ", '`': "`", '$': "$",
}

// unescape is the content of a string with backslash escapes. An escape that
// is not known stays as it is written. Long says that line breaks may stand in
// it as they are.
func unescape(v *view, s source.Span, long bool) *view {
	b := builder{outer: v}
	unescapeInto(&b, s, !long)
	in := b.view()
	quote := byte('"')
	if s.Start > 0 {
		quote = v.data[s.Start-1]
	}
	if long || bytes.IndexByte(s.Of(v.data), '\n') < 0 {
		in.within(v, escaped(quote, long))
	}
	return in
}

func spanOf(start, end int) source.Span { return source.Span{Start: start, End: end} }

// fold adds text up to a line break in a quoted scalar of YAML, and the break:
// a blank for one, a line break less for several; blanks around them are
// nothing. It returns where the text goes on.
func (b *builder) fold(from, at, limit int) int {
	data := b.outer.data
	start := at
	for start > from && isSpace(data[start-1]) {
		start--
	}
	breaks := 0
	for at < limit && isSpace(data[at]) {
		if data[at] == '\n' {
			breaks++
		}
		at++
	}
	b.add(spanOf(from, start))
	b.put(strings.Repeat("\n", breaks-1)+strings.Repeat(" ", max(0, 2-breaks)), spanOf(start, at))
	return at
}

// unescapeInto adds the content of a string with backslash escapes to a view.
// Fold says that its line breaks are those of YAML.
func unescapeInto(b *builder, s source.Span, fold bool) {
	v := b.outer
	from := s.Start
	for i := s.Start; i < s.End; i++ {
		if v.data[i] == '\n' && fold {
			from = b.fold(from, i, s.End)
			i = from - 1
			continue
		}
		if v.data[i] != '\\' || i+1 >= s.End {
			continue
		}
		b.add(source.Span{Start: from, End: i})
		text, n := escape(v.data[i:s.End])
		for fold && text == "" && i+n < s.End && (v.data[i+n] == ' ' || v.data[i+n] == '\t') {
			n++ // the indentation of a continued line
		}
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
