package stack

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A plainText is what a cell says without its markup, with the offset in the
// file that each byte comes from.
type plainText struct {
	text []byte
	at   []int
	cut  bool // the cell is longer than maxCell, and was read up to there
}

// span is where a part of the text stands in the file. What was put together
// from pieces apart has an empty one.
func (p *plainText) span(start, end int) source.Span {
	if start >= end {
		return source.Span{}
	}
	for i := start; i < end; i++ {
		if p.at[i] != p.at[start]+i-start {
			return source.Span{}
		}
	}
	return source.Span{Start: p.at[start], End: p.at[end-1] + 1}
}

// String is the text with single blanks, trimmed.
func (p *plainText) String() string { return strings.Join(strings.Fields(string(p.text)), " ") }

// emit adds a byte of the file, or one that stands for markup at an offset.
func (p *plainText) emit(c byte, at int) {
	p.text, p.at = append(p.text, c), append(p.at, at)
}

func (p *plainText) emitAll(text string, at int) {
	for i := range len(text) {
		p.emit(text[i], at)
	}
}

// withoutMarkup is the text of a cell without its markup: emphasis, code, links (their
// text is kept), images (their alternative text, or the message of a badge),
// footnotes, HTML tags and comments, what is struck out.
func withoutMarkup(cell []byte) string {
	p := plainOf(cell, source.Span{End: len(cell)})
	return p.String()
}

// plainOf reads the parts of a cell, with a comma between them.
func plainOf(data []byte, parts ...source.Span) *plainText {
	p := &plainText{}
	left := maxCell
	for i, s := range parts {
		if s.Len() > left {
			s.End, p.cut = s.Start+left, true
		}
		left -= s.Len()
		if i > 0 {
			p.emitAll(", ", s.Start)
		}
		p.read(data, s)
		if p.cut {
			break
		}
	}
	return p
}

// notes are characters that refer to a remark elsewhere.
const notes = "†‡§¶¹²³⁴⁵⁶⁷⁸⁹⁰※"

func (p *plainText) read(data []byte, s source.Span) {
	for i := s.Start; i < s.End; {
		i = p.readAt(data, i, s.End)
	}
}

// readAt takes what stands at an offset, and says where the next begins.
func (p *plainText) readAt(data []byte, i, end int) int {
	rest := data[i:end]
	switch c := data[i]; {
	case c == '\\' && i+1 < end && unicode.IsPunct(rune(data[i+1])) || c == '\\' && i+1 < end && strings.IndexByte("<>|~=+^`", data[i+1]) >= 0:
		if data[i+1] != '*' { // a footnote's star
			p.emit(data[i+1], i+1)
		}
		return i + 2
	case c == '`':
		return i + 1
	case c == '*':
		return p.star(data, i, end)
	case c == '_':
		return p.underscore(data, i, end)
	case bytes.HasPrefix(rest, []byte("~~")):
		if n := bytes.Index(rest[2:], []byte("~~")); n >= 0 {
			return i + 2 + n + 2
		}
	case bytes.HasPrefix(rest, []byte("![")), c == '[':
		if next, ok := p.link(data, i, end); ok {
			return next
		}
	case c == '<':
		if next, ok := p.tag(data, i, end); ok {
			return next
		}
	case c == '&':
		if m := entity.Find(rest); m != nil {
			p.emitAll(blank(html.UnescapeString(string(m))), i)
			return i + len(m)
		}
	case c >= utf8.RuneSelf:
		return p.rune(data, i, end)
	}
	p.emit(data[i], i)
	return i + 1
}

var entity = lazyregexp.New(`^&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);`)

// blank turns a blank that does not break into one that does.
func blank(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// star drops emphasis and a footnote's star, and keeps the wildcard of "4.8.*"
// and of "*" alone.
func (p *plainText) star(data []byte, i, end int) int {
	n := len(p.text)
	if n > 0 && p.text[n-1] == '.' || len(bytes.TrimSpace(p.text)) == 0 && len(bytes.TrimSpace(data[i+1:end])) == 0 && (i == 0 || data[i-1] != '*') {
		p.emit('*', i)
	}
	return i + 1
}

// underscore keeps one within a word.
func (p *plainText) underscore(data []byte, i, end int) int {
	if n := len(p.text); n > 0 && wordByte(p.text[n-1]) && i+1 < end && wordByte(data[i+1]) {
		p.emit('_', i)
	}
	return i + 1
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// rune takes a character beyond ASCII: the remark's signs go.
func (p *plainText) rune(data []byte, i, end int) int {
	r, n := utf8.DecodeRune(data[i:end])
	switch {
	case strings.ContainsRune(notes, r) && r != utf8.RuneError:
	case r == '\u00a0' || r == '\u202f' || r == '\u2009':
		p.emit(' ', i)
	case r == '\ufe0f' || r == '\u200b' || r == '\ufeff':
	default:
		for k := range n {
			p.emit(data[i+k], i+k)
		}
	}
	return i + n
}

// closing is the offset of the bracket that closes the one at an offset.
func closing(data []byte, i, end int, open, shut byte) (int, bool) {
	depth := 0
	for ; i < end; i++ {
		switch data[i] {
		case '\\':
			i++
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// link takes [text](target), [text][reference], [text], an image, and a
// footnote [^1], which says nothing.
// Source: https://github.github.com/gfm/#links
func (p *plainText) link(data []byte, i, end int) (next int, ok bool) {
	image := data[i] == '!'
	open := i
	if image {
		open++
	}
	shut, ok := closing(data, open, end, '[', ']')
	if !ok {
		return 0, false
	}
	text := source.Span{Start: open + 1, End: shut}
	next = shut + 1
	var target source.Span
	if next < end && (data[next] == '(' || data[next] == '[') {
		pair := map[byte]byte{'(': ')', '[': ']'}[data[next]]
		if last, ok := closing(data, next, end, data[next], pair); ok {
			target = source.Span{Start: next + 1, End: last}
			next = last + 1
		}
	}
	switch {
	case text.Len() > 0 && data[text.Start] == '^', !image && p.footnote(text.Of(data), target.Len() > 0):
		if next < end && wordByte(data[next]) {
			p.emit(' ', shut)
		}
	case image:
		p.image(data, text, target)
	default:
		p.read(data, text)
	}
	return next, true
}

// footnote says whether the number in brackets, "1.2[1]", refers to a remark: it
// stands right behind a version. With a blank between them a link is none.
func (p *plainText) footnote(number []byte, link bool) bool {
	before := bytes.TrimRight(p.text, " ")
	n := len(before)
	if n == 0 || len(number) == 0 || len(bytes.Trim(number, "0123456789")) > 0 || link && n < len(p.text) {
		return false
	}
	switch c := before[n-1]; c {
	case '+', ')':
		return true
	case 'x', 'X', '*':
		return n > 1 && before[n-2] == '.'
	default:
		return c >= '0' && c <= '9'
	}
}

// badge is the message of an image of shields.io, and of what copies its
// addresses: badge/LABEL-MESSAGE-COLOR, "--" for a dash and "_" for a blank.
// Source: https://shields.io/badges
var badge = lazyregexp.New(`/badge/((?:[^-/?]|--)*)-((?:[^-/?]|--)+)-(?:[^-/?]|--)*(?:\?|$)`)

// image says what its alternative text says; when there is no number in that,
// what the badge says.
func (p *plainText) image(data []byte, alt, target source.Span) {
	if m := badge.FindSubmatchIndex(target.Of(data)); m != nil && !bytes.ContainsAny(alt.Of(data), "0123456789") {
		p.read(data, source.Span{Start: target.Start + m[4], End: target.Start + m[5]})
		return
	}
	p.read(data, alt)
}

var (
	anyTag  = lazyregexp.New(`^</?([A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*|/)?>`)
	comment = lazyregexp.New(`(?s)^<!--.*?-->`)
	autourl = lazyregexp.New(`^<[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>`)
	imgAlt  = lazyregexp.New(`(?i)\salt\s*=\s*(?:"([^"]*)"|'([^']*)')`)
)

// tag takes an HTML tag: a line break or a list's item parts two versions, a
// remark and what is struck out say nothing. A "<" that begins none is text.
func (p *plainText) tag(data []byte, i, end int) (next int, ok bool) {
	rest := data[i:end]
	for _, silent := range []*lazyregexp.Regexp{comment, autourl} {
		if m := silent.Find(rest); m != nil {
			return i + len(m), true
		}
	}
	m := anyTag.FindSubmatch(rest)
	if m == nil {
		return 0, false
	}
	next = i + len(m[0])
	switch name := strings.ToLower(string(m[1])); name {
	case "sup", "sub", "del", "s", "strike", "script", "style", "summary":
		if n := indexFold(data[next:end], "</"+name+">"); n >= 0 && m[0][1] != '/' {
			return next + n + len("</>") + len(name), true
		}
	case "br", "li", "p", "div", "tr":
		if len(bytes.TrimSpace(p.text)) > 0 {
			p.emitAll("\n", i)
		}
	case "img":
		if a := imgAlt.FindSubmatchIndex(m[0]); a != nil {
			g := 2
			if a[g] < 0 {
				g = 4
			}
			p.read(data, source.Span{Start: i + a[g], End: i + a[g+1]})
		}
	}
	return next, true
}

func indexFold(data []byte, lower string) int { return bytes.Index(bytes.ToLower(data), []byte(lower)) }
