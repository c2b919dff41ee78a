package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A group that tells no kind is in doubt where one kind of it moves and another one
// of the tree stays. Often the kind stands beside it in a way that no format reads:
// as the constant of a kind, as the type around it, in the statement next to it, or
// in the words of its sentence. Only what none of them tells is for a person.

// A doubt is a site that would move as long as its kind does.
type doubt struct {
	judge.Decision             // what a person would be told
	place          *find.Place // of the site
	phrase         bool        // it stands in running text
}

// doubted records that a site moves, until what stands around it is looked at.
func (m *maker) doubted(s *find.Site, d judge.Decision) {
	m.doubt = &doubt{d, s.Place, s.Phrase}
	defer func() { m.doubt = nil }()
	m.move(s, d.Answer)
}

// undoubted is what stands around a site in doubt: it moves where the result is
// empty. Statements are those of the file, nil for what has none.
func (m *halfNet) undoubted(c *statements, u unit) nearest {
	n, told := nearest{}, false
	if c != nil {
		n, told = m.toldAround(c, u)
	}
	if !told && u.doubt.place == find.WebhookName {
		return nearest{why: "a webhook may be named as it likes, and kinds of its group stay", stays: true, reason: "agreed-name"}
	}
	if in, ok := m.sentence(c, u); !told && ok {
		n, told = m.toldInText(u, in)
	}
	if told && (n.stays || n.why == "" && u.doubt.place != find.InClient) {
		return n
	}
	return nearest{why: u.doubt.Why, hint: u.doubt.Hint}
}

// toldAround is what a statement says of the kind of a group in it; false where it
// says nothing.
func (m *halfNet) toldAround(c *statements, u unit) (nearest, bool) {
	i, ok := c.literal(u.Span)
	if !ok {
		return nearest{}, false
	}
	constant, told := c.constantBeside(i)
	for _, kind := range []string{constant, c.namedAlike(i), c.typeAround(i), c.nextTo(i)} {
		if n, ok := m.ofKind(u, kind); ok {
			return n, true
		}
	}
	if told { // of a kind that nothing says
		return nearest{}, false
	}
	n := m.neighbours(c, u)
	return n, n.goes || n.stays || n.why != ""
}

// ofKind is what a kind says of the group of a unit; false for a name that is no kind of it
// that is known. A kind that is renamed does not move by its group alone.
func (m *halfNet) ofKind(u unit, kind string) (nearest, bool) {
	a := m.Ask(rules.GVK{Group: u.group, Version: u.version, Kind: kind})
	switch {
	case kind == "":
		return nearest{}, false
	case a.Outcome == rules.Moves && a.To.Group == u.to.Group && a.To.Kind == kind && (u.version == "" || a.To.Version == u.to.Version):
		return nearest{goes: true}, true
	case a.Outcome == rules.NoRule && m.facts.Mixed.Stays[u.group+" "+kind] != "":
		return nearest{why: a.Why, stays: true}, true
	}
	return nearest{}, false
}

// Kinds as constants are called: WidgetKind, KindWidget.
var (
	kindConstant = lazyregexp.New(`^[&*]?(?:\w+\.)*(?:([A-Z]\w*?)Kind|Kind([A-Z]\w*))$`)
	kindValue    = lazyregexp.New(`\b[kK]ind["'\x60]?\s*[:=]\s*([&*]?[\w.]+)\s*(?:[,;})\n]|$)`)
)

// constantKind is the kind that a constant is named after, "" for any other name.
func constantKind(name string) string {
	m := kindConstant.FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// constantBeside is the kind whose constant stands in the nearest brackets around a
// string that have one: Kind: api.WidgetKind. It says whether there are such brackets; "" is a
// kind of another name, which may be any.
func (c *statements) constantBeside(i int) (kind string, told bool) {
	levels := c.levels(i)
	for _, in := range levels[:min(len(levels), 4)] { // its own brackets, and those of a call that makes a value of it
		if in.sort == declared || in.sort == whole {
			return "", false
		}
		var found []string
		for _, m := range kindValue.FindAllSubmatchIndex(in.Of(c.plain), -1) {
			if _, depth := c.nested(in.Span, c.Literals[i].Outer, in.Start+m[2]); depth == 0 {
				found = append(found, string(c.plain[in.Start+m[2]:in.Start+m[3]]))
			}
		}
		if len(found) > 0 {
			return constantKind(found[0]), true
		}
	}
	return "", false
}

// namedAlike is the kind in the string beside a group that has the same name but for the
// word kind: IssuerKind: "Issuer" of IssuerGroup: "G".
func (c *statements) namedAlike(i int) string {
	own := keyBefore.FindSubmatch(c.before(i))
	if own == nil || !bytes.Contains(own[1], []byte("Group")) {
		return ""
	}
	for _, k := range []int{i - 1, i + 1} {
		if k < 0 || k >= len(c.Literals) || c.Literals[k].Scope != c.Literals[i].Scope {
			continue
		}
		if m := keyBefore.FindSubmatch(c.before(k)); m != nil && string(m[1]) == strings.Replace(string(own[1]), "Group", "Kind", 1) {
			return string(c.Literals[k].Text.Of(c.data))
		}
	}
	return ""
}

var keyBefore = lazyregexp.New(`([A-Za-z_][\w.]*)["'\x60\]]*\s*(?::=|[:=])\s*$`)

// before is the source before a string, as far as it is nearby.
func (c *statements) before(i int) []byte {
	at := c.Literals[i].Outer.Start
	return c.data[max(0, at-text.Nearby):at]
}

// typeAround is the Go type of the object whose head a string stands in:
// &api.Widget{TypeMeta: metav1.TypeMeta{APIVersion: "G/v1"}}.
func (c *statements) typeAround(i int) string {
	at := c.Literals[i].Outer
	for range 3 {
		open, end, ok := c.brackets(at)
		if !ok || c.plain[open] != '{' {
			return ""
		}
		m := typeBefore.FindSubmatch(c.plain[max(0, open-text.Nearby):open])
		if m == nil {
			return ""
		}
		if name := string(m[1]); name != "TypeMeta" {
			return name
		}
		at = source.Span{Start: open, End: end + 1}
	}
	return ""
}

var typeBefore = lazyregexp.New(`\.([A-Z]\w*)$`)

// emptyObject is an object of Go without fields, which stands for its type: (1).
var emptyObject = lazyregexp.New(`&\w+\.([A-Z]\w*)\{\}`)

// emptyObjects are the kinds of a part of the source that are told by the Go types of
// objects: {"GROUP/VERSION", &v1.Widget{}}.
func (c *statements) emptyObjects(u unit, in level) []neighbour {
	var list []neighbour
	for _, m := range emptyObject.FindAllSubmatch(in.Of(c.plain), -1) {
		list = append(list, neighbour{name: string(m[1]), what: rules.GVK{Group: u.group, Version: u.version, Kind: string(m[1])}})
	}
	return list
}

// nextTo is the kind that the statement before or behind says of the same object:
// x.Kind = "Widget" beside x.APIVersion = "G/v1".
func (c *statements) nextTo(i int) string {
	line := text.LineAround(c.data, c.Literals[i].Outer)
	own := apiVersionOf.FindSubmatch(line.Of(c.data))
	if own == nil {
		return ""
	}
	for _, near := range c.linesAround(line) {
		m := kindOf.FindSubmatch(near)
		switch {
		case m == nil || !bytes.Equal(m[1], own[1]):
		case len(m[2]) > 0:
			return string(m[2])
		default:
			return constantKind(string(m[3]))
		}
	}
	return ""
}

var (
	apiVersionOf = lazyregexp.New(`^\s*([\w.]+)\.(?:APIVersion\s*=|(?:Set|With)APIVersion\()`)
	kindOf       = lazyregexp.New(`^\s*([\w.]+)\.(?:Kind\s*=|(?:Set|With)Kind\()\s*(?:"([^"]*)"|([\w.]+))`)
)

// linesAround are the lines before and behind a line.
func (c *statements) linesAround(line source.Span) [][]byte {
	var list [][]byte
	if line.Start > 0 {
		list = append(list, c.data[text.LineStart(c.data, line.Start-1):line.Start-1])
	}
	if line.End < len(c.data) {
		end, _ := text.LineEnd(c.data, min(line.End+1, len(c.data)), len(c.data))
		list = append(list, c.data[min(line.End+1, end):end])
	}
	return list
}

// kindWord is a word that may be a kind: (1) the mark before it, (2) the word.
var kindWord = lazyregexp.New("([\"'`(]?)\\b([A-Z][A-Za-z0-9]*)\\b")

// toldInText is what the sentence of a group says of its kind: it moves where that names
// kinds that move, in quotes, and none other; where it names none that moves, it speaks
// of a group that is still there. False where it is not plain.
func (m *halfNet) toldInText(u unit, sentence []byte) (nearest, bool) {
	named, moves, stays := false, false, false
	for _, w := range kindWord.FindAllSubmatch(sentence, -1) {
		kind := strings.TrimSuffix(string(w[2]), "List")
		n, ok := m.ofKind(u, kind)
		switch {
		case ok && n.goes:
			moves, named = true, named || len(w[1]) > 0
		case ok:
			stays = true
		case m.Ask(rules.GVK{Group: u.group, Version: u.version, Kind: kind}).Outcome == rules.Moves, m.isRenamed(u.group, kind):
			return nearest{}, false // it is renamed, or was
		}
	}
	switch {
	case !moves:
		return nearest{why: find.Mention.Why, stays: true, reason: find.Mention.Reason}, true
	case named && !stays:
		return nearest{goes: true}, true
	}
	return nearest{}, false
}

// isRenamed says whether a kind of a group gets a name.
func (m *halfNet) isRenamed(group, name string) bool {
	return slices.ContainsFunc(m.RulesOf(group), func(r rules.Rule) bool { return r.To.Kind == name && r.To.Kind != r.From.Kind })
}

// sentence is the sentence in which a site in doubt stands: in a comment or in a text of
// words in source, or in quotes in a document. It says false for any other site.
func (m *halfNet) sentence(c *statements, u unit) ([]byte, bool) {
	if role := u.doubt.place.Role; role != find.RoleGroup && role != find.RoleAPIVersion && role != find.RoleClient {
		return nil, false
	}
	if c == nil && isArgument(m.file, u.Span) {
		return nil, false
	}
	in := source.Span{Start: max(0, u.Start-sentenceReach), End: min(len(m.file), u.End+sentenceReach)}
	switch {
	case c == nil && (!u.doubt.phrase || u.doubt.place != find.QuotedGroup && u.doubt.place != find.SaidVersion && !saidGroup.Match(m.file[u.End:])):
		return nil, false
	case c != nil:
		words, ok := c.words(u.Span)
		if !ok {
			return nil, false
		}
		in = source.Span{Start: max(in.Start, words.Start), End: min(in.End, words.End)}
	}
	if ends := sentenceEnd.FindAllIndex(m.file[in.Start:u.Start], -1); len(ends) > 0 {
		in.Start += ends[len(ends)-1][1]
	}
	if end := sentenceEnd.FindIndex(m.file[u.End:in.End]); end != nil {
		in.End = u.End + end[0]
	}
	return in.Of(m.file), c != nil || len(plainWord.FindAllIndex(in.Of(m.file), 2)) == 2 // no heading
}

// isArgument says whether a name is a whole string in an action of a template, as what a chart
// asks the cluster for: .Capabilities.APIVersions.Has "GROUP/VERSION".
func isArgument(data []byte, at source.Span) bool {
	if at.Start == 0 || at.End >= len(data) || data[at.Start-1] != data[at.End] || !bytes.ContainsAny(data[at.End:at.End+1], "\"`") {
		return false
	}
	before := data[max(0, at.Start-sentenceReach):at.Start]
	open := bytes.LastIndex(before, []byte("{{"))
	return open >= 0 && open > bytes.LastIndex(before, []byte("}}"))
}

// sentenceReach is how far from a name its sentence is read, in bytes; sentenceEnd is
// where one ends: at a full stop, at an empty line, at a key of YAML.
const sentenceReach = 300

// saidGroup is what stands behind the name of a group that a sentence calls one.
var saidGroup = lazyregexp.New("^[\"'`*_]*\\s+(API )?groups?\\b")

var sentenceEnd = lazyregexp.New(`[.!?;]\s|\n[ \t/#*>]*\r?\n|\n\s*[\w-]+:(\s|$)`)

// words are the comments around a place, or the string that is made of words. It says
// false for whatever else a place is in.
func (c *statements) words(at source.Span) (source.Span, bool) {
	holds := func(s source.Span) bool { return s.Start <= at.Start && at.End <= s.End }
	if i := slices.IndexFunc(c.Literals, func(l text.LiteralText) bool { return holds(l.Text) }); i >= 0 {
		in := c.Literals[i].Text
		return in, len(plainWord.FindAllIndex(in.Of(c.data), 5)) == 5
	}
	i := slices.IndexFunc(c.Comments, holds)
	if i < 0 {
		return source.Span{}, false
	}
	from, to := i, i
	for from > 0 && c.together(from-1) {
		from--
	}
	for to < len(c.Comments)-1 && c.together(to) {
		to++
	}
	return source.Span{Start: c.Comments[from].Start, End: c.Comments[to].End}, true
}

var plainWord = lazyregexp.New(`\b[A-Za-z]{2,}[.,:;!]?(?:\s|$)`)

// together says whether nothing but the marks of comments stands between a comment and
// the next.
func (c *statements) together(i int) bool {
	between := c.data[c.Comments[i].End:c.Comments[i+1].Start]
	return len(bytes.Trim(between, " \t\r\n/#*")) == 0 && bytes.Count(between, []byte("\n")) == 1
}
