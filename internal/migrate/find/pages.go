package find

import (
	"bytes"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A page is a document whose parts links lead to: by an anchor that is written there,
// or by one that is made of the text of a heading.

// A markup is how a page writes its headings.
type markup int

const (
	noMarkup markup = iota
	htmlMarkup
	markdownMarkup
	asciidocMarkup
	rstMarkup
)

var markups = map[string]markup{
	".md": markdownMarkup, ".mdx": markdownMarkup, ".markdown": markdownMarkup,
	".adoc": asciidocMarkup, ".asciidoc": asciidocMarkup, ".asc": asciidocMarkup,
	".rst": rstMarkup, ".html": htmlMarkup, ".htm": htmlMarkup,
}

// IsPage says whether a file is a page, by its name.
func IsPage(name []byte) bool {
	end := bytes.LastIndexByte(name, '.')
	return end >= 0 && markups[string(name[end:])] != noMarkup
}

// Headings are the texts of the headings of a page for which an anchor is made, in
// their order: those with an anchor of their own are none.
func Headings(name string, data []byte) []source.Span {
	r := headingReader{of: markups[path.Ext(name)], data: data}
	if r.of == noMarkup || r.of == htmlMarkup {
		return nil
	}
	for at := 0; at < len(data); {
		end, next := text.LineEnd(data, at, len(data))
		r.line(trimmed(data, source.Span{Start: at, End: end}))
		at = next
	}
	return r.found
}

// A headingReader reads a page line by line.
type headingReader struct {
	of    markup
	data  []byte
	block []byte      // what ends the block of code that is being read; nil = none
	above source.Span // the line above
	own   bool        // it is the anchor of what follows
	found []source.Span
}

// line reads a line without the blanks around it.
func (r *headingReader) line(s source.Span) {
	content := s.Of(r.data)
	switch {
	case r.block != nil:
		if bytes.HasPrefix(content, r.block) {
			r.block = nil
		}
		return
	case len(content) == 0:
		r.above, r.own = s, false
		return
	case strings.IndexByte("`~-.", content[0]) >= 0 && r.opens(content):
		r.above, r.own = source.Span{}, false
		return
	}
	above, own := r.above, r.own
	r.above, r.own = s, r.of == asciidocMarkup && content[0] == '[' && (own || ownAnchor.Match(content))
	switch c := content[0]; {
	case r.of == markdownMarkup && c == '#', r.of == asciidocMarkup && c == '=':
		if m := headed.FindSubmatchIndex(content); m != nil && !own {
			r.take(source.Span{Start: s.Start + m[2], End: s.Start + m[3]})
		}
		r.above = source.Span{}
	case above.Len() > 0 && underlines(content, r.of) && (r.of == markdownMarkup || len(content) >= above.Len()):
		r.take(above)
	}
}

// take notes a heading, unless it has an anchor of its own.
func (r *headingReader) take(s source.Span) {
	if !customAnchor.Match(s.Of(r.data)) {
		r.found = append(r.found, s)
	}
}

// opens says whether a line opens a block of code, and notes what ends it.
func (r *headingReader) opens(line []byte) bool {
	fenced := line[0] == '`' || line[0] == '~'
	if m := opensBlock.Find(line); m != nil && r.of != rstMarkup && fenced == (r.of == markdownMarkup) {
		r.block = m
	}
	return r.block != nil
}

var (
	opensBlock = lazyregexp.New("^(?:```+|~~~+)|^(?:----+|\\.\\.\\.\\.+)$")
	headed     = lazyregexp.New(`^[#=]{1,6}[ \t]+(.*?)(?:[ \t]+#+)?$`)
	// ownAnchor is the anchor of a heading of AsciiDoc, above it.
	ownAnchor = lazyregexp.New(`^\[(\[|#|id=)`)
	// customAnchor is the anchor of a heading behind it, as Hugo, Docusaurus and MkDocs write it.
	customAnchor = lazyregexp.New(`\{:?\s*#[^}]*\}\s*$`)
)

// underlines says whether a line is nothing but a character that underlines headings.
func underlines(line []byte, of markup) bool {
	marks := "=-"
	if of == rstMarkup {
		marks = "=-~^\"'`#*+.:_"
	}
	return of != asciidocMarkup && len(line) > 1 && strings.IndexByte(marks, line[0]) >= 0 && len(bytes.Trim(line, string(line[:1]))) == 0
}

// trimmed is a span without the blanks around it.
func trimmed(data []byte, s source.Span) source.Span {
	content := s.Of(data)
	s.Start += len(content) - len(bytes.TrimLeft(content, " \t"))
	s.End -= len(content) - len(bytes.TrimRight(content, " \t\r"))
	return source.Span{Start: min(s.Start, s.End), End: s.End}
}

// Slugs are the anchors that programs make of the headings of a page, whose texts are
// given, for each way of making them.
// Sources: github.com/Flet/github-slugger (GitHub, GitLab, Docusaurus, Hugo, MkDocs);
// mdit-vue (VitePress), docutils; asciidoctor, with its separator and that of Antora.
func Slugs(name string, headings []string) [][]string {
	ways := map[markup][]func(string) string{
		markdownMarkup: {squeezed, dashed}, rstMarkup: {dashed}, asciidocMarkup: {underscored, antora},
	}[markups[path.Ext(name)]]
	list := make([][]string, len(ways))
	for i, way := range ways {
		seen := map[string]int{}
		for _, heading := range headings {
			slug := way(plainHeading(heading))
			if n := seen[slug]; n > 0 {
				list[i] = append(list[i], slug+"-"+strconv.Itoa(n))
			} else {
				list[i] = append(list[i], slug)
			}
			seen[slug]++
		}
	}
	return list
}

// plainHeading is what a reader sees of a heading.
func plainHeading(heading string) string {
	heading = linkInHeading.ReplaceAllString(heading, "$1")
	return strings.TrimSpace(strings.NewReplacer("`", "", "*", "", "\\", "").Replace(tagInHeading.ReplaceAllString(heading, "")))
}

var (
	linkInHeading = lazyregexp.New(`!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])`)
	tagInHeading  = lazyregexp.New(`<[^>]+>`)
)

// squeezed keeps letters, digits, dashes and blanks, which become dashes.
func squeezed(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// dashed makes one dash of all that is no letter or digit.
func dashed(heading string) string { return strings.Trim(joinedBy(heading, "", '-'), "-") }

// underscored makes an underscore of blanks, dots and dashes, and leaves out what else
// is no letter or digit.
func underscored(heading string) string {
	return "_" + strings.Trim(joinedBy(heading, " .-_", '_'), "_")
}

// antora is underscored with dashes, and nothing in front.
func antora(heading string) string { return strings.Trim(joinedBy(heading, " .-", '-'), "-") }

// joinedBy makes a separator of each run of some characters, and leaves out what else is no
// letter or digit; of "" all of it is separators.
func joinedBy(heading, of string, by rune) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' && of == " .-":
		case of == "" || strings.ContainsRune(of, r):
			r = by
		default:
			continue
		}
		if r != by || last != by {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// IsWritten says whether a page has an anchor that is written there.
func IsWritten(data []byte, anchor string) bool {
	for _, around := range []string{`"x"`, "'x'", "{#x}", "{: #x", "[[x]]", "[[x,", "[#x]", "_x:"} {
		if bytes.Contains(data, []byte(strings.Replace(around, "x", anchor, 1))) {
			return true
		}
	}
	return false
}

// AnchorAt is the anchor written in a page of which a place is a part: an attribute of
// HTML or AsciiDoc, one behind a heading, one of AsciiDoc in brackets or by its macro, a
// label of reStructuredText.
func AnchorAt(data []byte, at source.Span) (source.Span, bool) {
	name := nameAround(data, at)
	before := data[max(0, name.Start-20):name.Start]
	for _, head := range anchorHeads {
		if bytes.HasPrefix(name.Of(data), []byte(head.begins)) && head.behind.Match(before) {
			name.Start += len(head.begins)
			return name, true
		}
	}
	return name, false
}

// anchorHeads are what an anchor begins with, and what stands before it.
var anchorHeads = []struct {
	begins string
	behind *lazyregexp.Regexp
}{
	{"#", lazyregexp.New(`\{:?\s*$`)},
	{"anchor:", lazyregexp.New(`$`)},
	{"_", lazyregexp.New("(?:^|\n)\\s*\\.\\. $")},
	{"", lazyregexp.New("(?:\\b(?:id|name)\\s*=\\s*\\{?[\"'\x60]?|\\[\\[|(?:^|\n)\\s*\\.\\. _\x60)$")},
}

// A Link leads to an anchor.
type Link struct {
	source.Span        // of the name of the anchor
	To          string // the page as the link spells it; "" = its own
	Named       bool   // the name alone is said: it leads to wherever that is
}

// Site says whether a link leads to a page of another site, or of the own one by its
// address.
func (l Link) Site() bool { return strings.Contains(l.To, "//") }

// LinkHeads are what stands before the name of an anchor in a link within a page.
var LinkHeads = []string{"#", "<<", "xref:"}

// LinkAt is the link of a page to an anchor of which a place is a part.
func LinkAt(data []byte, at source.Span) (Link, bool) {
	whole := nameAround(data, at)
	if i := bytes.LastIndexByte(data[whole.Start:at.Start], '#'); i >= 0 {
		hash := whole.Start + i
		link := Link{Span: source.Span{Start: hash + 1, End: whole.End}, To: string(data[whole.Start:hash])}
		link.To = strings.TrimPrefix(strings.TrimPrefix(link.To, "xref:"), "link:")
		link.Named = link.To == "" && bytes.HasSuffix(data[:whole.Start], []byte("<<"))
		return link, link.Start <= at.Start && !bytes.HasSuffix(data[:whole.Start], []byte("{"))
	}
	if rest, ok := bytes.CutPrefix(whole.Of(data), []byte("xref:")); ok {
		return Link{Span: source.Span{Start: whole.End - len(rest), End: whole.End}, Named: true}, true
	}
	before := data[max(0, whole.Start-80):whole.Start]
	return Link{Span: whole, Named: true}, bytes.HasSuffix(before, []byte("<<")) || namedBefore.Match(before)
}

// namedBefore is what stands before the name of a label in reStructuredText.
var namedBefore = lazyregexp.New("(?:^|[\\s(]):(?:std:)?ref:\x60(?:[^\x60<]*<)?$")

// nameAround is the run of characters of names and addresses around a place, without
// what ends a sentence.
func nameAround(data []byte, at source.Span) source.Span {
	for low := max(0, at.Start-text.Nearby); at.Start > low && !endsName(data[at.Start-1]); {
		at.Start--
	}
	for high := min(len(data), at.End+text.Nearby); at.End < high && !endsName(data[at.End]); {
		at.End++
	}
	at.End -= at.Len() - len(bytes.TrimRight(at.Of(data), ".:!?*_~\\"))
	return at
}

func endsName(c byte) bool { return c <= ' ' || strings.IndexByte("\"'`<>()[]{}|,;=", c) >= 0 }

// LeadsTo says how surely a link leads to a page, by what both are called; 0 = it does not.
// What a site is made of lies in other folders than its pages: of such a link the end counts.
func (l Link) LeadsTo(page, from string) int {
	switch {
	case l.Named && markups[path.Ext(page)] == markups[path.Ext(from)], l.To == "" && page == from:
		return 3
	case l.Named || l.To == "":
		return 0
	}
	to, address := l.To, ""
	if _, rest, ok := strings.Cut(to, "//"); ok {
		_, address, _ = strings.Cut(rest, "/")
		to = "/" + address
	}
	to, _, _ = strings.Cut(to, "?")
	key := pageKey(page)
	if at := path.Join(path.Dir(from), to); to[0] != '/' && pageKey(at) == key {
		if at == page {
			return 3
		}
		return 2
	}
	to = pageKey(strings.TrimLeft(path.Clean("/"+to[strings.LastIndexByte(to, ':')+1:]), "/"))
	if to != "" && (key == to || strings.HasSuffix(key, "/"+to)) || address != "" && path.Base(key) == path.Base(to) {
		return 1
	}
	return 0
}

// pageKey is the name of a page as addresses have it.
func pageKey(name string) string {
	if IsPage([]byte(name)) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	switch path.Base(name) {
	case "index", "_index", "README":
		return path.Dir(name)
	}
	return strings.TrimSuffix(name, "/")
}
