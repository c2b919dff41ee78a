package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Where the rules move some kinds of a group, the kind or the resource that stands
// nearest to the group in its own statement says whether it is one of them,
// whatever made the group move: in its entry of a map, else in its brackets, else
// in those around them, else in the statement.

// A neighbour is a string near a group that is spelled like a kind or a resource.
type neighbour struct {
	name  string // without a subresource
	what  rules.GVK
	sure  bool // what it is the value of says that it is a kind or a resource
	depth int  // of brackets between it and the group's
	scope int  // of its string
}

// A nearest is what the nearest neighbours of a group say of it.
type nearest struct {
	why   string // that it cannot move, "" where it can
	stays bool   // all of them stay, and so does the group
	goes  bool   // all of them go where the group goes
	// reason is the id of why it stays, "" for no rule; hint what a person does, "" for
	// the hint of what moves by half.
	reason, hint string
}

// divides says whether the rules move kinds of a group that go elsewhere than
// others, or nowhere.
func (m *halfNet) divides(group string) bool {
	return slices.ContainsFunc(m.RulesOf(group), func(r rules.Rule) bool { return r.From.Kind != "" && r.Removed == "" })
}

// neighbours says what the nearest names of kinds and resources around a group say.
func (m *halfNet) neighbours(c *statements, u unit) nearest {
	i, ok := c.literal(u.Span)
	if !ok {
		return nearest{}
	}
	told := m.toldBeside(c, u)
	for _, in := range c.levels(i) {
		list := m.namesIn(c, i, u, in)
		if told && in.sort != entry {
			list = slices.DeleteFunc(list, func(n neighbour) bool { return !n.sure })
		}
		if len(list) == 0 && !told && in.sort != whole && in.sort != declared {
			list = c.emptyObjects(u, in)
		}
		if len(list) > 0 {
			n := m.said(u, list)
			n.stays = n.stays && in.sort != declared
			return n
		}
	}
	return nearest{}
}

// toldBeside says whether the kind or resource that a site tells stands in its
// statement.
func (m *halfNet) toldBeside(c *statements, u unit) bool {
	in, ok := c.around(u.Span)
	if !ok || u.told == "" {
		return false
	}
	first, _ := slices.BinarySearchFunc(c.Literals, in.Start, func(l text.LiteralText, at int) int { return l.Outer.Start - at })
	for _, lit := range c.Literals[first:] {
		if lit.Outer.End > in.End {
			return false
		}
		if base, _, _ := strings.Cut(string(lit.Text.Of(m.file)), "/"); base == u.told || base == u.told+"List" {
			return true
		}
	}
	return false
}

// said is what the nearest names say, of which there is one at least: those that
// are surely kinds or resources come before the others, and of them the outermost.
func (m *halfNet) said(u unit, list []neighbour) nearest {
	if slices.ContainsFunc(list, func(n neighbour) bool { return n.sure }) {
		list = slices.DeleteFunc(list, func(n neighbour) bool { return !n.sure })
		low := slices.MinFunc(list, func(x, y neighbour) int { return x.depth - y.depth }).depth
		list = slices.DeleteFunc(list, func(n neighbour) bool { return n.depth > low })
	}
	var stay, goes string
	var why string
	for _, n := range list {
		a := m.Ask(n.what)
		switch {
		case a.Outcome == rules.Moves && a.To.Group == u.to.Group && (u.version == "" || a.To.Version == u.to.Version):
			goes = n.name
		case stay == "":
			if stay, why = n.name, a.Why; a.Outcome == rules.Moves {
				stay, why = n.name, n.name+" beside it goes to "+place(a.To)
			}
		}
	}
	switch {
	case stay == "":
		return nearest{goes: list[0].sure}
	case goes != "":
		return nearest{why: "it depends on the kind: " + goes + " beside it moves, and " + stay + " does not go with it"}
	}
	sure := !slices.ContainsFunc(list, func(n neighbour) bool { return !n.sure || n.depth > 1 || m.Ask(n.what).Outcome != rules.NoRule })
	if sure {
		return nearest{why: why, stays: true}
	}
	return nearest{why: "it depends on the kind: " + stay + " stands beside it, which does not go with it"}
}

// place is a group with its version.
func place(g rules.GVK) string {
	if g.Version == "" {
		return g.Group
	}
	return g.Group + "/" + g.Version
}

// namesIn are the names in a part of the source that may be those of kinds or
// resources of the group in a string.
func (m *halfNet) namesIn(c *statements, own int, u unit, in level) []neighbour {
	var list, perhaps []neighbour
	first, _ := slices.BinarySearchFunc(c.Literals, in.Start, func(l text.LiteralText, at int) int { return l.Outer.Start - at })
	for i := first; i < len(c.Literals) && c.Literals[i].Outer.End <= in.End; i++ {
		n, ok := m.neighbour(u, string(c.Literals[i].Text.Of(m.file)))
		if i == own || !ok {
			continue
		}
		var outer source.Span
		if outer, n.depth = c.nested(in.Span, c.Literals[own].Outer, c.Literals[i].Outer.Start); n.depth > 0 && groupInside.Match(outer.Of(m.file)) {
			continue
		}
		n.scope = c.Literals[i].Scope
		switch m.weigh(c, own, i, n, in) {
		case sure:
			n.sure = true
			list = append(list, n)
		case likely:
			list = append(list, n)
		case unlike:
			perhaps = append(perhaps, n)
		}
	}
	return append(list, besideKnown(list, perhaps)...)
}

// A weight says how likely a string is the kind or the resource of a group near it.
type weight int

const (
	none weight = iota
	unlike
	likely
	sure
)

// weigh says how likely string i, which is a neighbour of the group in another
// one, is its kind or resource.
func (m *halfNet) weigh(c *statements, own, i int, n neighbour, in level) weight {
	known, isKind := m.Ask(n.what).Outcome == rules.Moves, n.what.Kind != ""
	if in.sort == entry && n.depth == 0 {
		switch {
		case isKind && n.name != anyKind || known:
			return sure
		case !strings.HasSuffix(n.name, "s"):
			return none
		}
		return likely
	}
	is := c.called(m.file, own, i, in.Start)
	switch {
	case is == kindOrResource && (isKind || known || strings.HasSuffix(n.name, "s")):
		return sure
	case is == other, n.name == anyKind, in.sort != whole && c.isKey(i):
		return none
	case known, isKind && is == compared:
		return likely
	case isKind && in.sort == between && n.depth <= 1:
		return likely
	case in.sort == entry && n.depth == 1 && strings.HasSuffix(n.name, "s"), in.sort == between && c.follows(own, i) && strings.HasSuffix(n.name, "s"):
		return likely
	}
	return unlike
}

// isKey says whether a string is a key with a value.
func (c *statements) isKey(i int) bool {
	end := c.Literals[i].Outer.End
	return keyEnds.Match(c.plain[end:min(len(c.plain), end+text.Nearby)])
}

var keyEnds = lazyregexp.New(`^\s*(:[^=]|=>)`)

// follows says whether a string stands behind a group in its list, with nothing
// but a version between.
func (c *statements) follows(own, i int) bool {
	if i < own || i > own+2 || c.Literals[i].Scope != c.Literals[own].Scope || c.Literals[i].Name != "" {
		return false
	}
	return i == own+1 || rules.APIVersion.Match(c.Literals[own+1].Text.Of(c.data))
}

// neighbour reads a string as the name of a kind or of a resource of the group of
// a unit, or of a subresource.
func (m *halfNet) neighbour(u unit, value string) (neighbour, bool) {
	n := neighbour{what: rules.GVK{Group: u.group, Version: u.version}}
	n.name, _, _ = strings.Cut(value, "/")
	switch {
	case rules.KindName.MatchString(value) && strings.ToUpper(value) != value, value == anyKind:
		n.what.Kind = value
	case rules.PluralName.MatchString(n.name) && !rules.APIVersion.MatchString(n.name) && !m.isSingular(u.group, n.name):
		n.what.Plural = n.name
	default:
		return neighbour{}, false
	}
	return n, true
}

// anyKind stands for every kind, where one is expected.
const anyKind = "*"

// besideKnown are the names, of those that nothing tells of, that stand in the
// brackets of one that is known: a list has names of one sort.
func besideKnown(list, perhaps []neighbour) []neighbour {
	return slices.DeleteFunc(perhaps, func(n neighbour) bool {
		return !slices.ContainsFunc(list, func(x neighbour) bool {
			return x.scope == n.scope && (x.what.Kind == "") == (n.what.Kind == "")
		})
	})
}

// A level is a part of a statement around a group.
type level struct {
	source.Span
	sort levelSort
}

type levelSort int

const (
	between  levelSort = iota // two commas of its brackets, or the brackets as a whole
	entry                     // the same, of a map: a key and its value
	declared                  // declarations in brackets
	whole                     // the statement
)

// nameReach is how far from a group its brackets are looked for, in bytes.
const nameReach = 4000

// levels are the parts of the statement around a string, the inner ones first.
func (c *statements) levels(i int) []level {
	var list []level
	at := c.Literals[i].Outer
	for range 8 {
		open, end, ok := c.brackets(at)
		if !ok {
			break
		}
		in := source.Span{Start: open + 1, End: end}
		if declaration.Match(c.plain[max(0, open-8):open]) {
			return append(list, level{in, declared})
		}
		part := c.part(at, in)
		sort := between
		if c.hasKey(part) {
			sort = entry
		}
		list = append(list, level{part, sort}, level{in, between})
		at = source.Span{Start: open, End: min(end+1, len(c.plain))} // brackets that nothing closes
	}
	inside := c.loose && c.braced(at.Start)
	in := source.Span{Start: c.begin(at.Start, inside), End: c.end(at.End, inside)}
	return append(list, level{c.part(at, in), whole}, level{in, whole})
}

// declaration is what stands before the brackets of declarations in Go.
var declaration = lazyregexp.New(`\b(const|var)\s*$`)

// brackets are those around a place that are no braces of a body.
func (c *statements) brackets(at source.Span) (open, end int, ok bool) {
	depth := 0
	for open = at.Start - 1; ; open-- {
		if open < max(0, at.Start-nameReach) {
			return 0, 0, false
		}
		b := c.plain[open]
		if b == ')' || b == ']' || b == '}' {
			depth++
		}
		if b == '(' || b == '[' || b == '{' {
			if depth--; depth < 0 {
				break
			}
		}
	}
	if c.plain[open] == '{' && !c.isValue(open) {
		return 0, 0, false
	}
	for depth, end = 0, at.End; end < min(len(c.plain), at.End+nameReach); end++ {
		switch c.plain[end] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return open, end, true
			}
		}
	}
	return open, end, true
}

// isValue says whether a brace begins a value, and no body.
func (c *statements) isValue(open int) bool {
	before := c.plain[max(0, open-text.Nearby):open]
	trimmed := bytes.TrimRight(before, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return false
	case len(trimmed) == len(before) && (text.IsIdent(before[len(before)-1]) || before[len(before)-1] == ']' || before[len(before)-1] == '}'):
		return true
	}
	return strings.IndexByte(":,([{=|&", trimmed[len(trimmed)-1]) >= 0 || bytes.HasSuffix(trimmed, []byte("return"))
}

// part is what stands between two commas or alternatives around a place in brackets.
func (c *statements) part(at, in source.Span) source.Span {
	depth, from := 0, at.Start
	for ; from > in.Start; from-- {
		b := c.plain[from-1]
		if b == ')' || b == ']' || b == '}' {
			depth++
		}
		if b == '(' || b == '[' || b == '{' {
			depth--
		}
		if depth == 0 && (b == ',' || b == ';' || b == '|') {
			break
		}
	}
	to := at.End
	for depth = 0; to < in.End; to++ {
		b := c.plain[to]
		if b == '(' || b == '[' || b == '{' {
			depth++
		}
		if b == ')' || b == ']' || b == '}' {
			depth--
		}
		if depth == 0 && (b == ',' || b == ';' || b == '|') {
			break
		}
	}
	return source.Span{Start: from, End: to}
}

// hasKey says whether a part of brackets is a key, in quotes, with its value.
func (c *statements) hasKey(part source.Span) bool {
	return keyInQuotes.Match(part.Of(c.plain))
}

var keyInQuotes = lazyregexp.New(`^\s*"+\s*(:[^=]|=>)`)

// nested are the outermost brackets in a part of the source that hold a place and
// not the group, and how many brackets stand around it there.
func (c *statements) nested(in, group source.Span, at int) (outer source.Span, depth int) {
	var open []int
	for i := in.Start; i < at; i++ {
		switch c.plain[i] {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			open = open[:max(0, len(open)-1)]
		}
	}
	for _, start := range open {
		end := start + 1
		for d := 1; end < in.End && d > 0; end++ {
			switch c.plain[end] {
			case '(', '[', '{':
				d++
			case ')', ']', '}':
				d--
			}
		}
		if start < group.Start && group.Start < end {
			continue
		}
		if depth++; depth == 1 {
			outer = source.Span{Start: start, End: end}
		}
	}
	return outer, depth
}

// groupInside is a group that something in brackets has for its own.
var groupInside = lazyregexp.New(`(?i)group|api_?version`)

// A calling says what something in source is called by what stands before it.
type calling int

const (
	unnamed calling = iota
	kindOrResource
	compared // with something of another name
	other
)

// called says what a string is called: by the name of its field, of what it is
// compared with, or of the call whose argument it is.
func (c *statements) called(data []byte, own, i, from int) calling {
	at := c.Literals[i].Outer.Start
	if i > 0 && c.Literals[i-1].Scope == c.Literals[i].Scope && afterComma.Match(data[c.Literals[i-1].Outer.End:at]) {
		if name := string(c.Literals[i-1].Text.Of(data)); callingOf(name) == kindOrResource && strings.ToLower(name) == name && len(name) < 16 {
			return kindOrResource // "kind", "Widget"
		}
	}
	for range 4 {
		before := data[max(from, at-text.Nearby):at]
		if at-len(before)+len(bytes.TrimRight(before, " \t:=>")) == c.Literals[own].Outer.End {
			return unnamed // the value of the group itself
		}
		if m := valueOf.FindSubmatch(before); m != nil {
			is := callingOf(string(m[1]))
			if is == other && len(m[2]) > 1 {
				return compared
			}
			return is
		}
		open := c.opening(from, at)
		if open < 0 {
			return unnamed
		}
		name := callBefore.Find(data[max(from, open-text.Nearby):open])
		for part := range strings.FieldsFuncSeq(string(name), func(r rune) bool { return r == '.' }) {
			if callingOf(part) == kindOrResource {
				return kindOrResource
			}
		}
		at = open - len(name)
	}
	return unnamed
}

// opening is the bracket around a place, -1 for none behind another one.
func (c *statements) opening(from, at int) int {
	depth := 0
	for i := at - 1; i >= from; i-- {
		switch c.plain[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

var (
	afterComma = lazyregexp.New(`^\s*,\s*$`)
	// valueOf is what stands before a value: (1) its name, (2) the sign between.
	valueOf    = lazyregexp.New(`([A-Za-z_][\w-]*)(?:["'\x60]?\]?|\(\))\s*(:=|=>|[!=]==?|[:=])\s*[&*]?$`)
	callBefore = lazyregexp.New(`[\w.@\[\]*&]*$`)
)

// callingOf is what a name says of its value.
func callingOf(name string) calling {
	low := strings.Trim(strings.ToLower(name), "_@[]*&")
	switch {
	case strings.HasSuffix(low, "subresource"), strings.HasSuffix(low, "subresources"):
		return other
	case kindWordEnds.MatchString(low):
		return kindOrResource
	}
	return other
}

var kindWordEnds = lazyregexp.New(`(^kind[a-z]*|kinds?|plurals?|resources?)$`)
