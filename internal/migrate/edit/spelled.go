package edit

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A group may be spelled so that no search for it finds it: by escapes for some of its
// letters, as a regular expression, in pieces. What reads like a group with all of
// these undone, whatever the language, is for a person where nothing else is said of it.

// dotEscapes are what YAML, JSON and source may write for a dot in a string.
var dotEscapes = []string{`\u002e`, `\u002E`, `\x2e`, `\x2E`}

// OddNeedles are the spellings of a group by which a file is found that has no other one: of
// one of its dots as an escape and another one as it is, and of all as regular expressions do.
func OddNeedles(group string) []string {
	var list []string
	for _, dot := range []string{`\.`, `\\.`, `[.]`} {
		list = append(list, strings.ReplaceAll(group, ".", dot))
	}
	if strings.Count(group, ".") < 2 {
		return list
	}
	for i, c := range group {
		for _, escape := range dotEscapes {
			if c == '.' {
				list = append(list, group[:i]+escape+group[i+1:])
			}
		}
	}
	return list
}

// How a piece of a text is spelled.
type spelling int

// The spellings; of several in one name the greatest counts.
const (
	plain   spelling = iota
	pattern          // \. or [.], as regular expressions have a dot
	escaped          // \u002e, \x2e, \056, %2E, &#46;
	parted           // nothing: the end of a string and the beginning of the one that goes on with it, or of a line
)

// A piece of a text, and what it stands for.
type piece struct {
	source.Span
	is       []byte // as long as the piece where it is plain
	spelling spelling
}

// pieces are the pieces of a text.
func pieces(data []byte, how reading) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		from := 0
		for at := 0; at < len(data); at++ {
			if !marks[data[at]] {
				continue
			}
			p, odd := oddPiece(data, at, how)
			if !odd {
				continue
			}
			if from < at && !yield(piece{Span: text.SpanOf(from, at), is: data[from:at]}) || !yield(p) {
				return
			}
			from, at = p.End, p.End-1
		}
		if from < len(data) {
			yield(piece{Span: text.SpanOf(from, len(data)), is: data[from:]})
		}
	}
}

// marks says with which bytes a piece begins that is not plain.
var marks = [256]bool{'\\': true, '%': true, '&': true, '[': true, '<': true, '"': true, '\'': true, '`': true, '{': true, '$': true, '#': true}

// oddPiece is the piece at an offset; false for one that is spelled as it is.
func oddPiece(data []byte, at int, how reading) (piece, bool) {
	p, rest := piece{spelling: escaped}, data[at:]
	length := 0
	switch rest[0] {
	case '\\':
		p.is, length, p.spelling = backslashed(rest)
	case '%':
		if p.is, length = number(rest, 1, 2, 16); length == 0 {
			p.is, length = how.printedIn(data, at)
			p.spelling = parted
		}
	case '{', '$', '#':
		p.spelling = parted
		if length = opened(rest); length == 0 && rest[0] == '{' {
			p.is, length = how.printedIn(data, at)
		}
	case '&':
		p.is, length = reference(rest)
	case '[':
		if c, n, s := backslashed(rest); s == pattern && n < len(rest) && rest[n] == ']' {
			p.is, length, p.spelling = c, n+1, s
		}
	case '<':
		if p.spelling = parted; bytes.HasPrefix(rest, []byte("<wbr")) { // where HTML lets a word be broken
			length = bytes.IndexByte(rest[:min(len(rest), len("<wbr />"))], '>') + 1
		}
	case '"', '\'', '`':
		p.spelling = parted
		p.is, length = how.joint(data, at)
	}
	p.Span = text.SpanOf(at, at+length)
	return p, length > 0
}

// backslashed reads what a backslash makes of what follows, or several of them, as
// languages in one another write it; or the only letter of a class of a regular expression.
func backslashed(data []byte) (is []byte, length int, how spelling) {
	at := 1
	for at < len(data) && data[at] == '\\' {
		at++
	}
	if at == len(data) {
		return nil, 0, plain
	}
	switch c := data[at]; c {
	case '.', '-':
		return data[at : at+1], at + 1, pattern
	case '\r', '\n':
		end := skipBlanks(data, at)
		if end < len(data)-1 && data[end] == '\\' && (data[end+1] == ' ' || data[end+1] == '\t') {
			end++
		}
		return nil, end, parted
	case 'u', 'x', 'U':
		if at+1 < len(data) && data[at+1] == '{' {
			is, length = closed(data, at+2, 16, '}')
		} else {
			is, length = number(data, at+1, map[byte]int{'x': 2, 'u': 4, 'U': 8}[c], 16)
		}
	case '0', '1':
		is, length = number(data, at, 3, 8)
	case 'N':
		if bytes.HasPrefix(data[at:], []byte("N{FULL STOP}")) {
			is, length = []byte("."), at+len("N{FULL STOP}")
		}
	}
	return is, length, escaped
}

// reference reads a character as HTML refers to it.
func reference(data []byte) ([]byte, int) {
	switch {
	case bytes.HasPrefix(data, []byte("&period;")):
		return []byte("."), len("&period;")
	case bytes.HasPrefix(data, []byte("&#x")):
		return closed(data, len("&#x"), 16, ';')
	case bytes.HasPrefix(data, []byte("&#")):
		return closed(data, len("&#"), 10, ';')
	}
	return nil, 0
}

// number reads a letter of a name by its number, of some digits at an offset.
func number(data []byte, at, digits, base int) ([]byte, int) {
	if at+digits > len(data) {
		return nil, 0
	}
	n, err := strconv.ParseUint(string(data[at:at+digits]), base, 32)
	if c := byte(n); err == nil && n < 0x80 && (text.IsWordByte(c) && c != '_' || c == '.') {
		return []byte{c}, at + digits
	}
	return nil, 0
}

// closed is number up to a mark.
func closed(data []byte, at, base int, end byte) ([]byte, int) {
	digits := bytes.IndexByte(data[at:min(len(data), at+8)], end)
	if digits < 1 {
		return nil, 0
	}
	is, length := number(data, at, digits, base)
	if length > 0 {
		length++
	}
	return is, length
}

// skipComments is skipBlanks, and the comments between.
func skipComments(data []byte, at int) int {
	for {
		at = skipBlanks(data, at)
		m := comment.Find(data[at:min(len(data), at+text.Nearby)])
		if len(m) == 0 {
			return at
		}
		at += len(m)
	}
}

// comment is a comment of one of the languages that put strings together.
var comment = lazyregexp.New(`^(?://[^\n]*\n|#[^\n]*\n|/\*(?s:.*?)\*/)`)

// skipBlanks is the offset behind the blanks at another one, and the ends of lines.
func skipBlanks(data []byte, at int) int {
	for end := min(len(data), at+text.Nearby); at < end && bytes.IndexByte([]byte(" \t\r\n"), data[at]) >= 0; {
		at++
		if at < end-1 && data[at] == '\\' && (data[at+1] == '\n' || data[at+1] == '\r') {
			at++
		}
	}
	return at
}

// An undone file is what it reads like with all such spellings undone.
type undone struct {
	data  []byte
	names []oddName
}

// An oddName is a name of the reading that is not spelled as it is.
type oddName struct {
	in       source.Span // in the reading
	group    string
	place    source.Span // in the file
	spelling spelling
}

// oddReach is how far around a label of a group its other ones are looked for, in bytes.
const oddReach = 200

// StillSpells says whether a file spells a group that is left so that no search for it finds
// it: where the group has moved, a person is still to be told.
func StillSpells(t *rules.Table, format find.Format, data []byte) bool {
	m := &restNet{sheet: &sheet{Table: t, file: data, facts: &judge.Facts{Format: format}}}
	if m.isOpenAPI() && slices.ContainsFunc(m.Groups(), func(group string) bool { return m.leaves(group) && m.defines(group) >= 0 }) {
		return true
	}
	return slices.ContainsFunc(m.oddWindows(nil), func(in source.Span) bool {
		u := m.undo(in)
		return u != nil && len(u.names) > 0
	})
}

// oddWindows are the parts of the file in which a group may be spelled oddly: those around
// one of its two longest labels that is in none of the places of which something is said.
func (m *restNet) oddWindows(taken []source.Span) []source.Span {
	var list []source.Span
	for _, label := range m.oddLabels() {
		said := &sweep{spans: taken}
		for at := 0; ; {
			n := bytes.Index(m.file[at:], label)
			if n < 0 {
				break
			}
			s := text.SpanOf(at+n, at+n+len(label))
			at = s.End
			if !said.touches(s) {
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(x, y source.Span) int { return x.Start - y.Start })
	merged := list[:0]
	for _, s := range list {
		s.Start, s.End = max(0, s.Start-oddReach), min(len(m.file), s.End+oddReach)
		if n := len(merged); n > 0 && s.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, s.End)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

// oddLabels are the two longest labels of each group that is left, each once.
func (m *restNet) oddLabels() [][]byte {
	var list []string
	for _, group := range m.Groups() {
		if !strings.Contains(group, ".") || !m.leaves(group) {
			continue
		}
		labels := strings.Split(group, ".")
		slices.SortStableFunc(labels, func(x, y string) int { return len(y) - len(x) })
		list = append(list, labels[:2]...)
	}
	slices.Sort(list)
	var all [][]byte
	for _, label := range slices.Compact(list) {
		if len(label) > 2 {
			all = append(all, []byte(label))
		}
	}
	return all
}

// undo reads a part of the file once more, for the names that are spelled oddly. It is nil
// where none is.
func (m *restNet) undo(in source.Span) *undone {
	u, odd, part := &undone{}, false, in.Of(m.file)
	how := readingOf(m.facts.Format.Name)
	for p := range pieces(part, how) {
		u.data, odd = append(u.data, p.is...), odd || p.spelling != plain
	}
	if !odd {
		return nil
	}
	for _, group := range m.Groups() {
		for at := 0; strings.Contains(group, ".") && m.leaves(group); {
			n := bytes.Index(u.data[at:], []byte(group))
			if n < 0 {
				break
			}
			s := text.SpanOf(at+n, at+n+len(group))
			at = s.End
			if !joined(u.data, s, isLetter) || s.Start > 1 && u.data[s.Start-2] == '\\' { // \b of a regular expression
				u.names = append(u.names, oddName{in: s, group: group})
			}
		}
	}
	slices.SortFunc(u.names, func(x, y oddName) int {
		return cmp.Or(x.in.Start-y.in.Start, y.in.Len()-x.in.Len())
	})
	u.place(part, how)
	for i := range u.names {
		n := &u.names[i]
		n.place = text.SpanOf(n.place.Start+in.Start, n.place.End+in.Start)
	}
	return u
}

// place says of each name where it stands in the file, and how it is spelled; what is spelled
// as it is is none.
func (u *undone) place(file []byte, how reading) {
	at, next := 0, 0
	for p := range pieces(file, how) {
		end := at + len(p.is)
		for next < len(u.names) && u.names[next].in.End <= at {
			next++
		}
		for i := next; i < len(u.names) && u.names[i].in.Start < end; i++ {
			n := &u.names[i]
			if n.in.End <= at {
				continue // within a longer one
			}
			if n.in.Start >= at {
				n.place.Start = p.Start
				if p.spelling == plain {
					n.place.Start += n.in.Start - at
				}
			}
			if n.in.End <= end {
				n.place.End = p.End
				if p.spelling == plain {
					n.place.End = p.Start + n.in.End - at
				}
			}
			if p.spelling != parted || n.in.Start < at || n.in.End > end { // else it is filled in as a whole, and stands there
				n.spelling = max(n.spelling, p.spelling)
			}
		}
		at = end
	}
	u.names = slices.DeleteFunc(u.names, func(n oddName) bool { return n.spelling == plain })
}

// oddly tells a person of the groups that are spelled oddly, where nothing else is said of
// them. In a path of JSONPath one is the key of a label or annotation. Taken are the places
// of which something is said, by where they begin.
func (m *restNet) oddly(taken []source.Span) {
	said := &sweep{spans: taken}
	for _, in := range m.oddWindows(taken) {
		if u := m.undo(in); u != nil {
			m.oddlyIn(u, said)
		}
	}
}

// A sweep goes over spans that are sorted, up to places which are asked for in their order.
type sweep struct {
	spans         []source.Span
	next, covered int // of the spans; up to where those before reach
}

// touches says whether one of the spans reaches into a place.
func (w *sweep) touches(s source.Span) bool {
	for ; w.next < len(w.spans) && w.spans[w.next].Start < s.End; w.next++ {
		w.covered = max(w.covered, w.spans[w.next].End)
	}
	return w.covered > s.Start
}

// oddlyIn is oddly for a part of the file.
func (m *restNet) oddlyIn(u *undone, said *sweep) {
	for _, n := range u.names {
		if said.touches(n.place) {
			continue
		}
		said.covered = n.place.End
		o := Outcome{Span: n.place, Role: find.RoleProse, Old: string(n.place.Of(m.file))}
		line := u.data[text.LineStart(u.data, n.in.Start):n.in.Start]
		left, place, name := leaveOdd(o, n), m.oddPlace(u, n), m.nameBefore(n.group, line)
		switch {
		case m.facts.Stays != "":
			m.record(o.Keep(m.facts.Reason, m.facts.Stays))
		case bytes.Contains(line, []byte("annotations")), bytes.Contains(line, []byte("labels")):
			m.record(o.Keep("label-line", "on a line about labels, annotations or finalizers"))
		case place != nil:
			m.record(o.Keep(place.Reason, place.Why))
		case name != "" && n.spelling == pattern && !ofDefinition(u.data, n.in.Start):
			m.record(o.Keep(find.InDomain.Reason, find.InDomain.Why).await(wait{resource: n.group + "/" + name, then: &left}))
		default:
			m.record(left)
		}
	}
}

// ofDefinition says whether the line of a place, or the one before or behind it, speaks of a
// CustomResourceDefinition, as a target of kustomize does: what stands before the group is a resource.
func ofDefinition(data []byte, at int) bool {
	from := text.LineStart(data, at)
	from = text.LineStart(data, max(0, from-1))
	_, end := text.LineEnd(data, at, len(data))
	end, _ = text.LineEnd(data, end, len(data))
	return bytes.Contains(data[from:end], []byte("CustomResourceDefinition"))
}

// leaveOdd is what a person is told of a group that is spelled oddly.
func leaveOdd(o Outcome, n oddName) Outcome {
	switch n.spelling {
	case pattern:
		return o.Leave("unknown-place", "a regular expression of a group", "change it by hand, or keep it with a comment cfctl:keep REASON")
	case parted:
		return o.Leave("unknown-place", "a string that spells "+n.group+" in pieces", "write "+n.group+" in one piece, and run it again")
	}
	return o.Leave("unknown-place", "a string that spells "+n.group+" with an escape", "write "+n.group+" without the escape, and run it again")
}

// oddPlace is what a name says by its spelling alone that would be kept were it written as
// it is: of an address, of another domain, of a key that no rule moves; nil for any other one.
func (m *restNet) oddPlace(u *undone, n oddName) *find.Place {
	if at := n.in.End; at+1 < len(u.data) && u.data[at] == '.' && isLetter(u.data[at+1]) {
		return find.InDomain
	}
	from := max(0, n.in.Start-oddReach)
	near := u.data[from:min(len(u.data), n.in.End+oddReach)]
	for _, tok := range m.names.Tokens(near) {
		if tok.Group.Start+from != n.in.Start || tok.Group.Len() != n.in.Len() {
			continue
		}
		switch _, moves := m.Key(string(tok.Word.Of(near))); {
		case tok.Shape == find.Email:
			return find.InEmail
		case tok.Shape == find.URLHost:
			return find.InHost
		case tok.Shape == find.Longer:
			return find.InDomain
		case tok.Shape == find.Key && tok.Prefix == "" && !moves && keyRest.Match(u.data[n.in.End:]):
			return find.KeyLike
		}
	}
	return nil
}

// keyRest is what stands behind the domain of a key to its end.
var keyRest = lazyregexp.New("^/[a-z][a-z0-9.-]*[\"'`]")

// nameBefore is the name that stands before a group with a dot, where neither the rules nor
// the names say that it is a resource of the group: of a longer domain, or of a resource
// that the tree tells of. It is "" for any other one.
func (m *restNet) nameBefore(group string, before []byte) string {
	if !bytes.HasSuffix(before, []byte(".")) {
		return ""
	}
	before = bytes.TrimRight(before, `\.`)
	name := string(before[len(bytes.TrimRightFunc(before, isNameRune)):])
	if _, ok := m.names.Singular(group, name); ok || slices.ContainsFunc(m.RulesOf(group), func(r rules.Rule) bool {
		return r.From.Plural == name || slices.Contains(rules.Plurals(r.From.Kind), name)
	}) {
		return ""
	}
	return name
}

func isNameRune(r rune) bool { return r < 0x80 && text.IsIdent(byte(r)) || r == '-' }
