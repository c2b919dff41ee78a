package text

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// unindent is the content of a block scalar without its indentation.
func unindent(v *View, s source.Span) *View {
	indent := -1
	for at := s.Start; at < s.End; {
		text, next := LineEnd(v.Data, at, s.End)
		first := at
		for first < text && v.Data[first] == ' ' {
			first++
		}
		if first < text && (indent < 0 || first-at < indent) {
			indent = first - at
		}
		at = next
	}
	b := builder{Outer: v}
	for at := s.Start; at < s.End; {
		text, next := LineEnd(v.Data, at, s.End)
		b.Add(source.Span{Start: min(at+max(indent, 0), text), End: next})
		at = next
	}
	return b.View().Within(v, prefixed(strings.Repeat(" ", max(indent, 0))))
}

// unquoteSingle is the content of a YAML single-quoted scalar.
func unquoteSingle(v *View, s source.Span) *View {
	b := builder{Outer: v}
	from := s.Start
	for i := s.Start; i < s.End; i++ {
		switch {
		case v.Data[i] == '\n':
			from = b.fold(from, i, s.End)
			i = from - 1
		case v.Data[i] == '\'' && i+1 < s.End && v.Data[i+1] == '\'':
			b.Add(source.Span{Start: from, End: i})
			b.put("'", source.Span{Start: i, End: i + 2})
			i++
			from = i + 1
		}
	}
	b.Add(source.Span{Start: from, End: s.End})
	in := b.View()
	if bytes.IndexByte(s.Of(v.Data), '\n') < 0 {
		in.Within(v, doubledQuotes)
	}
	return in
}

// escapes are the one-letter escapes that JSON, YAML, Go, Python, C and Java
// share, with their meaning.
var escapes = map[byte]string{
	'n': "\n", 't': "\t", 'r': "\r", '"': "\"", '\'': "'", '\\': "\\", '/': "/", '0': "\x00",
	'a': "\a", 'b': "\b", 'e': "\x1b", 'f': "\f", 'v': "\v", ' ': " ", '`': "`", '$': "$",
	'_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// unescape is the content of a string with backslash escapes. An escape that
// is not known stays as it is written. Long says that line breaks may stand in
// it as they are.
func unescape(v *View, s source.Span, long bool) *View {
	b := builder{Outer: v}
	unescapeInto(&b, s, !long)
	in := b.View()
	quote := byte('"')
	if s.Start > 0 {
		quote = v.Data[s.Start-1]
	}
	if long || bytes.IndexByte(s.Of(v.Data), '\n') < 0 {
		in.Within(v, escaped(quote, long))
	}
	return in
}

// spanOf is the span from one offset to another.
func spanOf(start, end int) source.Span { return source.Span{Start: start, End: end} }

// fold adds text up to a line break in a quoted scalar of YAML, and the break:
// a blank for one, a line break less for several; blanks around them are
// nothing. It returns where the text goes on.
func (b *builder) fold(from, at, limit int) int {
	data := b.Outer.Data
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
	b.Add(spanOf(from, start))
	b.put(strings.Repeat("\n", breaks-1)+strings.Repeat(" ", max(0, 2-breaks)), spanOf(start, at))
	return at
}

// unescapeInto adds the content of a string with backslash escapes to a view.
// Fold says that its line breaks are those of YAML.
func unescapeInto(b *builder, s source.Span, fold bool) {
	v := b.Outer
	from := s.Start
	for i := s.Start; i < s.End; i++ {
		if v.Data[i] == '\n' && fold {
			from = b.fold(from, i, s.End)
			i = from - 1
			continue
		}
		if v.Data[i] != '\\' || i+1 >= s.End {
			continue
		}
		b.Add(source.Span{Start: from, End: i})
		text, n := escape(v.Data[i:s.End])
		for fold && isSpace(v.Data[i+1]) && text != " " && i+n < s.End && isSpace(v.Data[i+n]) {
			if v.Data[i+n] == '\n' {
				text += "\n" // a blank line below a continued one
			}
			n++ // the indentation of the line that it goes on with
		}
		b.put(text, source.Span{Start: i, End: i + n})
		i += n - 1
		from = i + 1
	}
	b.Add(source.Span{Start: from, End: s.End})
}

// escape reads one escape sequence: its meaning and its length.
func escape(data []byte) (string, int) {
	c := data[1]
	if m := octal.Find(data[:min(len(data), 4)]); m != nil {
		n, _ := strconv.ParseUint(string(m[1:]), 8, 16)
		return string(rune(n)), len(m)
	}
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
				if pair := surrogates(data); pair != utf8.RuneError {
					return string(pair), 12
				}
				return string(rune(r)), 2 + n
			}
		}
	}
	return string(data[:2]), 2
}

// octal is a character as three octal digits, as Go, Python, C and Java have it.
var octal = lazyregexp.New(`^\\[0-3][0-7][0-7]$`)

// surrogates is the character of two escapes that are halves of one in UTF-16,
// as JSON, JavaScript and Java spell what lies beyond 16 bits.
func surrogates(data []byte) rune {
	if len(data) < 12 || data[1] != 'u' || data[6] != '\\' || data[7] != 'u' {
		return utf8.RuneError
	}
	high, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	low, err2 := strconv.ParseUint(string(data[8:12]), 16, 16)
	if err != nil || err2 != nil {
		return utf8.RuneError
	}
	return utf16.DecodeRune(rune(high), rune(low))
}
