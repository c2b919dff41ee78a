package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Code that knows both names makes one of the other, or serves both: it would say one of them
// twice. So would a list.

// notBeside leaves to a person what would be said twice by one statement, command or list.
func (m *maker) notBeside() {
	if m.facts.Dual {
		return
	}
	olds := map[string]map[string]bool{} // what is or becomes a new name
	for _, o := range m.made {
		if !mayStandTwice(o) {
			continue
		}
		if olds[o.New] == nil {
			olds[o.New] = map[string]bool{}
			if bytes.Contains(m.file, []byte(o.New)) {
				olds[o.New][o.New] = true
			}
		}
		olds[o.New][o.Old] = true
	}
	changes := map[source.Span]int{}
	for i, o := range m.made {
		if mayStandTwice(o) && len(olds[o.New]) > 1 {
			changes[o.Span] = i
		}
	}
	if len(changes) == 0 {
		return
	}
	switch lang := m.facts.Format.Language(); {
	case m.facts.Format.Name == "shell":
		m.besideOnLine(changes, func(source.Span) bool { return true })
	case lang != nil:
		m.besideInCode(readStatements(m.file, lang.Lex(m.file), lang == text.Languages["hash"]), changes)
	case m.facts.Format.Is(find.Objects):
		m.besideInObjects(changes)
	}
}

// mayStandTwice says whether an outcome makes a name of another one.
func mayStandTwice(o Outcome) bool {
	return o.action == Change && !o.structural && o.Role != find.RoleVersion && o.New != "" && o.New != o.Old
}

// meets says whether another place has, or gets, the text that that of the outcome i becomes.
func (m *maker) meets(changes map[source.Span]int, i int, fresh string, other source.Span) bool {
	is, old := string(other.Of(m.file)), ""
	if j, ok := changes[other]; ok {
		is, old = m.made[j].New, m.made[j].Old
	}
	return is == fresh && old != m.made[i].Old
}

// twice leaves an outcome to a person.
func (m *maker) twice(i int) {
	o := m.made[i]
	why := o.New + " stands beside it already"
	if !bytes.Contains(m.file, []byte(o.New)) {
		why = "another one beside it becomes " + o.New + " as well"
	}
	m.made[i] = o.Leave("name-taken", why, "take one of the two out, or keep it with cfctl:keep where both are meant")
}

// besideInCode looks at the strings of source: one in the same brackets, or of one line where
// there are none, that is what another one becomes, in one statement.
func (m *maker) besideInCode(c *statements, changes map[source.Span]int) {
	for at, o := range m.made {
		i, alone := c.literal(o.Span)
		if own, ok := changes[o.Span]; !ok || own != at || !alone {
			continue
		}
		lit := c.Literals[i]
		fresh := string(m.file[lit.Text.Start:o.Start]) + o.New + string(m.file[o.End:lit.Text.End])
		is := func(other text.LiteralText) bool {
			return other.Scope == lit.Scope && other.Text != lit.Text && (lit.Name == "" || other.Name == "" || lit.Name == other.Name) &&
				m.meets(changes, at, fresh, other.Text) && c.goesOn(lit.Outer, other.Outer)
		}
		if slices.ContainsFunc(c.Literals[max(0, i-besideAtMost):min(len(c.Literals), i+besideAtMost)], is) {
			m.twice(at)
		}
	}
}

// besideAtMost is how many strings a statement is looked through, to both sides.
const besideAtMost = 50

// goesOn says whether one statement holds two places.
func (c *statements) goesOn(a, b source.Span) bool {
	if b.Start < a.Start {
		a, b = b, a
	}
	for i := a.End; i < b.Start; i++ {
		if c.plain[i] == ';' || c.plain[i] == '\n' && !c.joined(i) {
			return false
		}
	}
	return true
}

// besideOnLine looks at the words of the lines of scripts.
func (m *maker) besideOnLine(changes map[source.Span]int, in func(source.Span) bool) {
	for i, o := range m.made {
		at := o.Span
		if _, ok := changes[at]; !ok || !in(at) || !strings.Contains(o.New, ".") {
			continue
		}
		line := text.LineAround(m.file, at)
		for line.Start > 0 && bytes.HasSuffix(m.file[:line.Start], []byte("\\\n")) {
			line.Start = text.LineStart(m.file, line.Start-1)
		}
		for bytes.HasSuffix(line.Of(m.file), []byte("\\")) && line.End+1 < len(m.file) {
			line.End, _ = text.LineEnd(m.file, line.End+1, len(m.file))
		}
		rest := slices.Concat(m.file[line.Start:at.Start], []byte(" "), m.file[at.End:line.End])
		if !given.Match(rest) && judge.ContainsName(rest, o.New) {
			m.twice(i)
		}
	}
}

// besideInObjects looks at the lists of YAML, and at the lines of the scripts in it.
func (m *maker) besideInObjects(changes map[source.Span]int) {
	for _, doc := range text.Documents(m.file, false) {
		t := text.ScanPart(m.file, doc, false, text.HasTemplate(doc.Of(m.file)))
		for n := range t.Nodes {
			at := int32(n)
			i, ok := changes[t.Nodes[n].Val]
			if !ok || t.Nodes[n].Key.Len() > 0 || t.Nodes[n].Parent < 0 || t.KeyOf(t.Up(at)) == "apiGroups" {
				continue // of a permission, whose lists are merged
			}
			if slices.ContainsFunc(t.Children(t.Nodes[at].Parent), func(other int32) bool { return m.meets(changes, i, m.made[i].New, t.Nodes[other].Val) }) {
				m.twice(i)
			}
		}
		m.besideOnLine(changes, func(at source.Span) bool {
			n, inKey := t.At(at.Start)
			return n >= 0 && !inKey && bytes.IndexByte(t.Nodes[n].Val.Of(m.file), '\n') >= 0
		})
	}
}

// given is a line that gives variables their values.
var given = lazyregexp.New(`^\s*(?:export\s+|local\s+)?[A-Za-z_]\w*=\S*\s*$`)
