package edit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Whatever maker moves a group in source, no statement moves by half: where the
// rules rename kinds of the group, and one of them or its resource stands in the
// same statement and stays, all that would move with the group is for a person.

// A halfNet looks at what stands around the groups of a file that move.
type halfNet struct{ *sheet }

// A unit is a site with what moves with it.
type unit struct {
	source.Span           // of the site
	group       string    // of its name; "" for no unit
	version     string    // that it tells
	told        string    // the kind or resource that it tells
	own         bool      // its name tells it: RESOURCE.GROUP
	to          rules.GVK // what it becomes
	doubt       *doubt    // it moves only where its kind is told; nil = it moves
}

// halves leaves to a person what would move by half.
func (m *halfNet) halves() {
	lang := m.facts.Format.Language()
	var c *statements
	left := map[unit]nearest{}
	for _, o := range m.made {
		if o.unit.group == "" || o.action != Change || !m.divides(o.unit.group) || lang == nil && o.unit.doubt == nil {
			continue
		}
		if c == nil && lang != nil {
			c = readStatements(m.file, m.code(lang), lang == text.Languages["hash"])
			c.told = toldPlaces(m.made)
			if !m.facts.Format.Is(find.Gofmt) {
				c.constants = c.definitions(m.facts.Format.Name == "shell")
			}
		}
		if _, ok := left[o.unit]; ok {
			continue
		}
		if o.unit.doubt != nil {
			left[o.unit] = m.undoubted(c, o.unit)
		} else if !o.unit.own {
			left[o.unit] = m.neighbours(c, o.unit)
		}
		if c != nil && left[o.unit].why == "" && m.renames(o.unit.group) {
			left[o.unit] = nearest{why: cmp.Or(m.staysBeside(c, o), m.constantBeside(c, o), m.filledBeside(c, o))}
		}
	}
	m.leaveUnits(left)
	m.leaveShared(c)
}

// renames says whether rules for a group rename kinds or resources of it.
func (m *sheet) renames(group string) bool {
	return slices.ContainsFunc(m.RulesOf(group), func(r rules.Rule) bool {
		return r.Removed == "" && r.From.Kind != "" && (r.To.Kind != r.From.Kind || r.To.Plural != r.From.Plural)
	})
}

// leaveUnits leaves the units to a person of which is said why, or where they are
// when their neighbours stay. What moves with a site is no line of its own then.
func (m *halfNet) leaveUnits(said map[unit]nearest) {
	sited := map[unit]bool{}
	for _, o := range m.made {
		if o.action == Change && o.Span == o.unit.Span {
			sited[o.unit] = true
		}
	}
	var made []Outcome
	for _, o := range m.made {
		switch {
		case said[o.unit].why == "" || o.action != Change:
		case sited[o.unit] && o.Span != o.unit.Span:
			continue
		case said[o.unit].stays:
			o = o.Keep(cmp.Or(said[o.unit].reason, "no-rule"), said[o.unit].why)
			o.unruled = said[o.unit].reason == ""
		default:
			o.New = ""
			o = o.Leave(judge.Splits, said[o.unit].why, cmp.Or(said[o.unit].hint, judge.LooseHint))
		}
		made = append(made, o)
	}
	m.made = made
}

// toldPlaces are the places of outcomes, in the order of the file.
func toldPlaces(made []Outcome) []source.Span {
	places := make([]source.Span, len(made))
	for i, o := range made {
		places[i] = o.Span
	}
	slices.SortFunc(places, func(x, y source.Span) int { return x.Start - y.Start })
	return places
}

// staysBeside says which kind or resource of the group of an outcome stays in its
// statement, though it is renamed; "" for none.
func (m *halfNet) staysBeside(c *statements, o Outcome) string {
	in, ok := c.around(o.Span)
	if !ok {
		return ""
	}
	first, _ := slices.BinarySearchFunc(c.Literals, in.Start, func(l text.LiteralText, at int) int { return l.Outer.Start - at })
	for _, lit := range c.Literals[first:] {
		if lit.Outer.End > in.End {
			break
		}
		name := strings.Trim(string(lit.Text.Of(m.file)), "^$") // k8s_kind('^Widget$')
		if to := m.renamed(o.unit, name); to != "" && !c.tells(lit.Text) {
			return "it would move without " + name + " beside it, which becomes " + to
		}
	}
	return ""
}

// renamed is what a kind, a resource or a subresource of the group of a unit
// becomes, "" for whatever keeps its name.
func (m *halfNet) renamed(u unit, name string) string {
	of := rules.GVK{Group: u.group, Version: u.version}
	base, sub, _ := strings.Cut(name, "/")
	switch {
	case rules.KindName.MatchString(name):
		of.Kind = name
	case rules.PluralName.MatchString(base) && !m.isSingular(u.group, base):
		of.Plural = base
	default:
		return ""
	}
	to := m.Ask(of)
	switch {
	case to.Outcome != rules.Moves:
		return ""
	case of.Kind != "" && to.To.Kind != of.Kind:
		return to.To.Kind
	case of.Plural != "" && to.To.Plural != base && sub != "":
		return to.To.Plural + "/" + sub
	case of.Plural != "" && to.To.Plural != base:
		return to.To.Plural
	}
	return ""
}

// isSingular says whether a name is that of one object of a kind: an ordinary word.
func (m *halfNet) isSingular(group, name string) bool {
	_, ok := m.names.Singular(group, name)
	return ok
}

// statements are the strings of source, and the statements in which they stand.
type statements struct {
	*text.CodeFile
	data  []byte        // the source
	plain []byte        // the same, with a quote for each byte of a string and blanks for comments
	loose bool          // within brackets no statement ends
	told  []source.Span // the places of outcomes

	constants map[string][]source.Span // the strings that the names of the file stand for
}

// code is the file cut as source of a language.
func (m *sheet) code(lang *text.Language) *text.CodeFile {
	if m.whole != nil {
		return m.whole.Code(lang)
	}
	return lang.Lex(m.file)
}

// readStatements makes the statements of source ready to be looked at.
func readStatements(data []byte, code *text.CodeFile, loose bool) *statements {
	c := &statements{CodeFile: code, data: data, plain: bytes.Clone(data), loose: loose}
	for _, lit := range code.Literals {
		c.fill(lit.Outer, '"')
	}
	for _, s := range code.Comments {
		mark := s.Start
		for mark > max(0, s.Start-2) && strings.IndexByte("/#*", data[mark-1]) >= 0 {
			mark--
		}
		c.fill(source.Span{Start: mark, End: s.End}, ' ')
		if bytes.HasPrefix(data[s.End:], []byte("*/")) {
			c.fill(source.Span{Start: s.End, End: s.End + 2}, ' ')
		}
	}
	return c
}

func (c *statements) fill(s source.Span, with byte) {
	for i := s.Start; i < s.End; i++ {
		c.plain[i] = with
	}
}

// tells says whether an outcome tells of a place or a part of it.
func (c *statements) tells(at source.Span) bool {
	return slices.ContainsFunc(c.told, func(s source.Span) bool { return s.Start < at.End && at.Start < s.End })
}

// statementReach is how far from a name its statement is looked at, in bytes.
const statementReach = 600

// around is the statement of the string that holds a place: up to the brackets
// of a body or of a literal around it, with the body that it is the condition of.
// It says false for a place in no string of its own.
func (c *statements) around(at source.Span) (source.Span, bool) {
	i, ok := c.literal(at)
	if !ok {
		return source.Span{}, false
	}
	lit := c.Literals[i]
	inside := c.loose && c.braced(lit.Outer.Start)
	return source.Span{Start: c.begin(lit.Outer.Start, inside), End: c.end(lit.Outer.End, inside)}, true
}

// literal is the string of its own that holds a place.
func (c *statements) literal(at source.Span) (int, bool) {
	i, found := slices.BinarySearchFunc(c.Literals, at.Start, func(l text.LiteralText, at int) int { return l.Text.Start - at })
	if !found {
		i--
	}
	if i < 0 || c.Literals[i].Text.End < at.End {
		return 0, false
	}
	return i, c.Literals[i].Text.Len() <= at.Len()+statementName
}

// statementName is how much longer than a name the string may be that holds it.
const statementName = 8

// braced says whether a place stands in braces that begin nearby.
func (c *statements) braced(at int) bool {
	depth := 0
	for i := at - 1; i >= max(0, at-statementReach); i-- {
		switch c.plain[i] {
		case '}':
			depth++
		case '{':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// begin is where a statement begins that goes on at a place. Inside is one to
// which all in its brackets belongs.
func (c *statements) begin(at int, inside bool) int {
	depth := 0
	for i := at - 1; i >= max(0, at-statementReach); i-- {
		switch b := c.plain[i]; {
		case b == ')' || b == ']' || b == '}':
			depth++
		case depth > 0 && (b == '(' || b == '[' || b == '{'):
			depth--
		case b == '{', depth == 0 && !inside && (b == ';' || b == '\n' && !c.joined(i)):
			return i + 1
		}
	}
	return max(0, at-statementReach)
}

// end is where a statement ends that goes on at a place.
func (c *statements) end(at int, inside bool) int {
	depth := 0
	last := min(len(c.plain), at+statementReach)
	for i := at; i < last; i++ {
		switch b := c.plain[i]; {
		case b == '(' || b == '[' || b == '{':
			depth++
		case depth > 0 && (b == ')' || b == ']' || b == '}'):
			depth--
		case depth == 0 && b == '\n' && c.opens(i):
			return c.indented(i, last)
		case b == '}', depth == 0 && !inside && (b == ';' || b == '\n' && !c.joined(i)):
			return i
		}
	}
	return last
}

// joined says whether a statement goes on behind the end of a line.
func (c *statements) joined(end int) bool {
	before := bytes.TrimRight(c.plain[text.LineStart(c.plain, end):end], " \t\r")
	behind := bytes.TrimLeft(c.plain[end:], " \t\r\n")
	return len(before) > 0 && strings.IndexByte(`,([.&|+=\`, before[len(before)-1]) >= 0 ||
		len(behind) > 0 && strings.IndexByte(`.&|+)]`, behind[0]) >= 0
}

// opens says whether a line that ends at a place opens a body without brackets.
func (c *statements) opens(end int) bool {
	line := bytes.TrimSpace(c.plain[text.LineStart(c.plain, end):end])
	return bytes.HasSuffix(line, []byte(":")) && slices.ContainsFunc([]string{"case ", "if ", "elif ", "for ", "while "}, func(word string) bool {
		return bytes.HasPrefix(line, []byte(word))
	})
}

// indented is the end of the lines behind a line that are indented deeper, and
// no farther than a last place.
func (c *statements) indented(end, last int) int {
	own := indentOf(c.plain[text.LineStart(c.plain, end):end])
	for at := end; at < last; {
		content, next := text.LineEnd(c.plain, at+1, last)
		line := c.plain[min(at+1, content):content]
		if len(bytes.TrimSpace(line)) > 0 && indentOf(line) <= own {
			return at
		}
		if next <= at+1 {
			break
		}
		at = next - 1
	}
	return last
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }
