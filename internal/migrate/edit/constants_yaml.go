package edit

import (
	"bytes"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A mapping is the mapping of YAML, or of a template of it, that says a group: lines
// whose keys are equally indented, with what belongs to them.
type mapping struct {
	data  []byte
	lines []source.Span // without those of the template alone
	own   int           // the line of the group
	at    int           // how far its key is indented
}

var (
	// groupKey is the line of a group: (1) what stands before the key.
	groupKey = lazyregexp.New(`^(\s*(?:-\s+)*)["']?(?:apiVersion|apiVersions|apiGroups?|groups?)["']?\s*:`)
	// itemLine is the item of a list, of which the key stands on a line before.
	itemLine = lazyregexp.New(`^\s*-\s+[^:]*$`)
	// namesKey is a key for a kind or a resource: (1) what stands before, (2) its value.
	namesKey = lazyregexp.New(`^(\s*(?:-\s+)*)["']?(?:kind|kinds|listKind|resource|resources|plural|version)["']?\s*:\s*(.*?)\s*$`)
	// namesBeside are the same within a line.
	namesBeside = lazyregexp.New(`[{,]\s*["']?(?:kind|kinds|resource|resources|plural)["']?\s*:\s*(\[[^\]]*\]|[^,}\]]*)`)
	nameWord    = lazyregexp.New(`[A-Za-z][A-Za-z0-9]*(?:/[a-z]+)?`)
	templated   = lazyregexp.New(`^\s*(\{\{-?.*-?\}\}|#.*)?\s*$`)
)

// readMapping reads the mapping around the use of a name; it says false where the name
// is no group of one.
func readMapping(data []byte, use source.Span) (*mapping, bool) {
	m := &mapping{data: data}
	from, to := max(0, use.Start-mappingReach), min(len(data), use.End+mappingReach)
	for at := text.LineStart(data, from); at < to; {
		end, next := text.LineEnd(data, at, len(data))
		line := source.Span{Start: at, End: end}
		if at <= use.Start && use.Start <= end {
			m.own = len(m.lines)
			m.lines = append(m.lines, line)
		} else if !templated.Match(line.Of(data)) {
			m.lines = append(m.lines, line)
		}
		at = next
	}
	for ; m.own > 0 && itemLine.Match(m.line(m.own)); m.own-- {
		continue
	}
	key := groupKey.FindSubmatch(m.line(m.own))
	if key == nil {
		return nil, false
	}
	m.at = len(key[1])
	return m, true
}

// mappingReach is how far around a group its mapping is read, in bytes.
const mappingReach = 2000

func (m *mapping) line(i int) []byte { return m.lines[i].Of(m.data) }

// values are the kinds and resources that the mapping says.
func (m *mapping) values() []source.Span {
	list := m.beside(m.own)
	first, last := m.own, m.own
	for first > 0 && !m.begins(first) && m.belongs(first-1) {
		first--
	}
	for last+1 < len(m.lines) && m.belongs(last+1) && !m.begins(last+1) {
		last++
	}
	under := -1 // the indent of a key for names
	for i := first; i <= last; i++ {
		key := namesKey.FindSubmatchIndex(m.line(i))
		indent := indentOf(m.line(i))
		switch {
		case key != nil && (key[3] == m.at || m.underNames(first, i, key[3])):
			under = key[3]
			list = append(list, m.words(i, key[4], key[5])...)
		case under >= 0 && indent >= under && bytes.HasPrefix(bytes.TrimSpace(m.line(i)), []byte("- ")):
			list = append(list, m.words(i, indent+2, len(m.line(i)))...)
		default:
			under = -1
		}
	}
	return list
}

// begins says whether a line is the first of an item whose mapping it is.
func (m *mapping) begins(i int) bool {
	line := m.line(i)
	return indentOf(line) < m.at && bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("- "))
}

// belongs says whether a line is one of the mapping, or of what is in it.
func (m *mapping) belongs(i int) bool {
	line := m.line(i)
	if text.IsMarker(line) {
		return false
	}
	indent := indentOf(line)
	return indent >= m.at || m.at >= 2 && indent == m.at-2 && bytes.HasPrefix(line[indent:], []byte("- "))
}

// underNames says whether a key stands in the names of a CRD whose group the mapping is.
func (m *mapping) underNames(first, i, indent int) bool {
	for j := i - 1; j >= first; j-- {
		if own := indentOf(m.line(j)); own < indent {
			return own == m.at && bytes.HasPrefix(m.line(j)[own:], []byte("names:"))
		}
	}
	return false
}

// beside are the kinds and resources on the line of the group.
func (m *mapping) beside(i int) []source.Span {
	var list []source.Span
	for _, at := range namesBeside.FindAllSubmatchIndex(m.line(i), -1) {
		list = append(list, m.words(i, at[2], at[3])...)
	}
	return list
}

// words are the names in a part of a line: one, or those of a list in brackets; none
// in what a template fills in.
func (m *mapping) words(i, from, to int) []source.Span {
	value := m.line(i)[from:to]
	if bytes.Contains(value, []byte("{{")) {
		return nil
	}
	var list []source.Span
	for _, at := range nameWord.FindAllIndex(value, -1) {
		start := m.lines[i].Start + from
		list = append(list, source.Span{Start: start + at[0], End: start + at[1]})
	}
	if !bytes.HasPrefix(value, []byte("[")) {
		list = slices.Clip(list[:min(len(list), 1)])
	}
	return list
}
