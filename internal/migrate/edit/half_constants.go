package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A kind or a resource may stand beside a group by a constant, a variable or an argument of
// the same file: PLURAL of PLURAL = "widgets". The group does not move without it. Of Go the
// whole tree is asked.

// A definition is a string of a file that a name stands for.
type definition struct {
	name string // kind, local.kind, var.kind
	at   source.Span
}

// definitions are the strings that each name of a file stands for, in its order.
func (c *statements) definitions(shell bool) map[string][]source.Span {
	var list []definition
	for _, lit := range c.Literals {
		if name := c.defines(lit); name != "" {
			list = append(list, definition{name, lit.Text})
		}
	}
	if shell {
		for _, m := range shellDefinition.FindAllSubmatchIndex(c.data, -1) {
			list = append(list, definition{string(c.data[m[2]:m[3]]), text.SpanOf(m[4], m[5])})
		}
		slices.SortStableFunc(list, func(x, y definition) int { return x.at.Start - y.at.Start })
	}
	all := map[string][]source.Span{}
	for _, d := range list {
		all[d.name] = append(all[d.name], d.at)
	}
	return all
}

// defines is the name that a string is the value of, "" for none: no argument of a call.
func (c *statements) defines(lit text.LiteralText) string {
	before := lit.Before[bytes.LastIndexAny(lit.Before, ";{}")+1:]
	m := defined.FindSubmatch(before)
	if m == nil {
		m = defaultArgument.FindSubmatch(lit.Before)
	}
	if m == nil {
		return ""
	}
	name := string(m[1])
	open := c.opening(max(0, lit.Outer.Start-statementReach), lit.Outer.Start-len(m[2]))
	if open < 0 {
		return name
	}
	head := bytes.TrimRight(c.data[text.LineStart(c.data, open):open], " \t")
	switch v := variableBlock.FindSubmatch(head); {
	case string(bytes.TrimSpace(head)) == "locals":
		return "local." + name
	case v != nil && name == "default":
		return "var." + string(v[1])
	}
	return name
}

var (
	// defined is (1) a name before its value, (2) the bracket of a list of it.
	defined         = lazyregexp.New(`^[^"'\x60(),=:]*?([A-Za-z_]\w*)\s*(?::[^=]*)?(?::=|=)\s*([\[(]?)$`)
	defaultArgument = lazyregexp.New(`^\s*(?:async\s+)?(?:def|function|fun)\s.*[(,]\s*([A-Za-z_]\w*)\s*(?::[^=,]*)?=\s*()$`)
	variableBlock   = lazyregexp.New(`^\s*variable\s+"(\w+)"$`)
	shellDefinition = lazyregexp.New(`(?m)(?:^|;)[ \t]*(?:export[ \t]+|local[ \t]+|readonly[ \t]+)?([A-Za-z_]\w*)[ \t]?[:?]?=[ \t]?([A-Za-z][\w-]*)[ \t]*(?:;|$)`)
)

// constantBeside says which constant for a kind or a resource of the group of an outcome
// stands in its statement or is filled into its string, though it is renamed; "" for none.
func (m *halfNet) constantBeside(c *statements, o Outcome) string {
	for _, use := range m.usesAround(c, o) {
		if why := m.wouldStay(c, o.unit, use); why != "" {
			return why
		}
	}
	return ""
}

// A namedUse is the use of a name.
type namedUse struct {
	name string
	at   int
}

// usesAround are the names that are used in the statement of an outcome, and filled into its
// string or its line of a script.
func (m *halfNet) usesAround(c *statements, o Outcome) []namedUse {
	var list []namedUse
	i, _ := c.literal(o.Span)
	in := text.LineAround(c.data, o.Span)
	if i >= 0 && i < len(c.Literals) && c.Literals[i].Text.Start <= o.Start && o.Start < c.Literals[i].Text.End {
		in = c.Literals[i].Text
	} else if m.facts.Format.Name != "shell" {
		return nil
	}
	in = text.SpanOf(max(in.Start, o.Start-text.Nearby), min(in.End, o.End+text.Nearby))
	for _, x := range filledName.FindAllSubmatchIndex(in.Of(c.data), -1) {
		list = append(list, usesIn(c.data, text.SpanOf(in.Start+x[2], in.Start+x[3]))...)
	}
	if in, ok := c.aroundOpen(o.Span); ok {
		for _, x := range usedName.FindAllIndex(in.Of(c.plain), -1) {
			if namesArgument.Match(c.plain[in.Start+x[1] : min(len(c.plain), in.Start+x[1]+text.Nearby)]) {
				continue
			}
			list = append(list, usesIn(c.plain, text.SpanOf(in.Start+x[0], in.Start+x[1]))...)
		}
	}
	return list
}

var (
	filledName = lazyregexp.New(`(?:[$#]?\{|\$\(?)\s*([A-Za-z_][\w.]*)`)
	usedName   = lazyregexp.New(`[A-Za-z_]\w*(?:(?:\.|::)\w+)*`)
	// namesArgument is what stands behind the name of an argument or a field.
	namesArgument = lazyregexp.New(`^(?:\s*=[^=>]|:[^:=])`)
)

// usesIn are the names in one with dots that may be those of a constant: the first one, and
// the one behind a class or the object at hand.
func usesIn(data []byte, at source.Span) []namedUse {
	var list []namedUse
	parts := strings.FieldsFunc(string(at.Of(data)), func(r rune) bool { return r == '.' || r == ':' })
	for i, part := range parts {
		switch {
		case i == 1 && (parts[0] == "local" || parts[0] == "var"): // Terraform
			return []namedUse{{parts[0] + "." + part, at.Start}}
		case i > 0 && !ownerName.MatchString(parts[i-1]):
			return list
		}
		list = append(list, namedUse{part, at.Start})
	}
	return list
}

// ownerName is a class or the object at hand.
var ownerName = lazyregexp.New(`^(?:[A-Z]\w*|self|this|cls)$`)

// wouldStay says what a name stands for that would stay, "" where it stands for nothing that
// is renamed.
func (m *halfNet) wouldStay(c *statements, u unit, use namedUse) string {
	at, ok := c.definitionOf(use)
	if !ok {
		return ""
	}
	value := string(at.Of(c.data))
	if to := m.renamed(u, value); to != "" && !c.tells(at) {
		return "it would move without " + value + " beside it, which becomes " + to + ": " + use.name + " stands for it"
	}
	return ""
}

// definitionOf is the nearest definition of a name before its use, or the first one behind it; it
// says false for a name that stands for nothing, or is being defined.
func (c *statements) definitionOf(use namedUse) (source.Span, bool) {
	given := c.constants[use.name]
	if len(given) == 0 {
		return source.Span{}, false
	}
	behind, _ := slices.BinarySearchFunc(given, use.at, func(at source.Span, use int) int { return at.End - use })
	at := given[max(0, behind-1)]
	return at, !c.givenTo(use, at)
}

// givenTo says whether what looks like the use of a name is where it is defined.
func (c *statements) givenTo(use namedUse, value source.Span) bool {
	if value.Start < use.at || value.Start > use.at+text.Nearby {
		return false
	}
	between := c.plain[use.at:value.Start]
	return !bytes.ContainsAny(between, ";\n") && bytes.IndexByte(between, '=') >= 0
}
