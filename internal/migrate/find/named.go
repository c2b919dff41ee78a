package find

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Settings, assignments, annotations and builders name the parts of an API one
// by one, each by a name that tells which it is: api.group=, API_KIND=,
// @Plural(""), .withVersion(""). Parts whose names are alike but for that word
// belong together, and move together.

var (
	// groupNamed is what stands before a value that is named a group: (1) is how
	// the name begins.
	// (2) opens a list. The value of an annotation may be named, @Group(value = "").
	groupNamed = lazyregexp.New(`(?i)([\w.@-]*?)(?:api[_.-]?)?groups?(?:[_.-]?name)?["'\x60\\]*\)?[ \t]*(?:[:=?+]+|\()[ \t]*(?:[\w \t=,]*\bvalue[ \t]*=[ \t]*)?([\[{(]?)[ \t]*["'\x60\\]*$`)
	// partNamed is another part with its value: (1) how its name begins, (2) which
	// it is, (3) opens a list, (4) the value.
	partNamed = lazyregexp.New(`(?i)([\w.@-]*?)(?:api[_.-]?)?(version|kind|plural|resource|singular)s?(?:[_.-]?name)?["'\x60\\]*\)?[ \t]*(?:[:=?+]+|\()[ \t]*(?:[\w \t=,]*\bvalue[ \t]*=[ \t]*)?([\[{(]?)[ \t]*\\?["'\x60]?([A-Za-z][A-Za-z0-9-]*)\\?["'\x60]?(?:[\s,;)\]}]|$)`)
	// versionNamed is what stands before a value that is named an apiVersion: (1)
	// is how the name begins, (2) opens a list.
	versionNamed = lazyregexp.New(`(?i)([\w.@-]*?)api[_.-]?version["'\x60\\]*\)?[ \t]*(?:[:=?+]+|\()[ \t]*([\[{(]?)[ \t]*["'\x60\\]*$`)
	// anotherVersion is a group and version of something else.
	anotherVersion = lazyregexp.New(`(?i)api[_.-]?version["'\x60\\]*\)?\s*[:=(]+\s*["'\x60]?[\w.-]+/v[1-9]`)
	// plainKey is what stands between a key of YAML and its value.
	plainKey = lazyregexp.New(`^:[ \t]+$`)
	// filledVersion is an apiVersion of YAML that is filled in: what stands beside it is its own.
	filledVersion = lazyregexp.New(`apiVersion:[ \t]*["']?[$%{]`)
	// chainEnd is where a chain of calls ends, or another one begins.
	chainEnd = lazyregexp.New(`(?i)\.build\(\)|;|\bnew\s+[a-z]`)
	// listEnd is what stands behind the one item of a list.
	listEnd = lazyregexp.New(`^["'\x60\\]*[ \t]*,?[ \t]*[\])}]`)
	// withCall is the rest of a GroupVersion in Go up to the kind or the resource
	// that it is asked for.
	withCall = lazyregexp.New(`^["\x60][^{}\n]*\}\s*\.\s*With(Kind|Resource|Version)\(["\x60]([A-Za-z][A-Za-z0-9-]*)["\x60]\)`)
	// mappedAs is the rest of a GroupKind in Go up to the one version that is the
	// next argument of a call, RESTMapping(schema.GroupKind{...}, "v1").
	mappedAs = lazyregexp.New(`^["\x60][^{}\n]*\}\s*,\s*["\x60](v[0-9][a-z0-9]*)["\x60]\s*\)`)
	mapping  = lazyregexp.New(`RESTMappings?\([^{}()\n]*\{[^{}\n]*$`)
)

// linesBeside is how many lines above and below a group its parts are looked for.
const linesBeside = 6

// A vicinity is the text around a group in which its parts are looked for: some
// lines, up to where they are about another group.
type vicinity struct {
	from        int    // where left begins in the text
	left, right []byte // what stands before the group, and behind it
	own         string // how the name of the group begins
	isNamed     bool   // the group has a name, for itself alone
}

// vicinityOf is the vicinity of a group, word, in a text.
func vicinityOf(data []byte, shape Shape, word source.Span) vicinity {
	from, to := linesAround(data, word)
	w := vicinity{from: from, left: data[from:word.Start], right: data[word.End:to]}
	name, ends := groupNamed, []*lazyregexp.Regexp{anotherGroup, anotherVersion}
	if shape == GroupVersion {
		name = versionNamed
	}
	line := w.left[text.LineStart(w.left, len(w.left)):]
	if m := name.FindSubmatchIndex(line); m != nil {
		w.own, w.isNamed = stem(line[m[2]:m[3]]), m[4] == m[5] || listEnd.Match(w.right)
		if bytes.HasPrefix(line[m[2]:], []byte(".")) {
			ends = append(ends, chainEnd)
		}
	}
	for _, end := range ends {
		w.cut(end)
	}
	return w
}

// cut ends a vicinity at what is found before the line of the group, or on it
// in a chain of calls, and behind the group.
func (w *vicinity) cut(end *lazyregexp.Regexp) {
	before := w.left
	if end != chainEnd {
		before = before[:text.LineStart(before, len(before))]
	}
	if all := end.FindAllIndex(before, -1); len(all) > 0 {
		n := all[len(all)-1][1]
		w.from, w.left = w.from+n, w.left[n:]
	}
	if next := end.FindIndex(w.right); next != nil {
		w.right = w.right[:next[0]]
	}
}

// named reads the parts that stand around a group, word, in the text of the
// site, and are named like it. Of what the site tells already none is read; a
// part of which nothing says that it belongs to this group is loose.
func (n *Names) named(s *Site, v *text.View, word source.Span) {
	w := vicinityOf(v.Data, s.Shape, word)
	found := map[Role][]Part{}
	for _, side := range []source.Span{{Start: w.from, End: word.Start}, {Start: word.End, End: word.End + len(w.right)}} {
		if !namesPart(side.Of(v.Data)) {
			continue
		}
		for _, m := range partNamed.FindAllSubmatchIndex(side.Of(v.Data), -1) {
			for i := range m {
				m[i] += side.Start
			}
			at, role := source.Span{Start: m[8], End: m[9]}, partRole(strings.ToLower(string(v.Data[m[4]:m[5]])))
			alone := m[6] == m[7] || listEnd.Match(v.Data[at.End:side.End])
			like := w.isNamed && alone && stem(v.Data[m[2]:m[3]]) == w.own && !(plainKey.Match(v.Data[m[5]:m[8]]) && filledVersion.Match(v.Data[min(word.End, m[0]):max(word.Start, m[0])]))
			switch {
			case like && role != RoleVersion && isConstant(v.Data, at) && !s.tells(RoleKind) && !s.tells(RoleResource) && !ofAnother(v.Data, word, at):
				s.Loose, s.Filled = append(s.Loose, n.allKinds(s.Known.Group)...), true
			case like && n.isOther(s, v.Data, word, at, role):
				found[role] = append(found[role], Part{Doc: v, Span: at, Role: role})
			case !n.mayBePart(s, v.Data, word, at, role):
			case !like:
				s.Near = append(s.Near, Part{Doc: v, Span: at, Role: role})
			default:
				found[role] = append(found[role], Part{Doc: v, Span: at, Role: role})
			}
		}
	}
	asked(s, v, word, w, found)
	s.ofOneAPI(v.Data, word, found)
	for _, role := range []Role{RoleVersion, RoleKind, RoleResource} {
		s.take(found[role])
	}
}

// namesPart says whether a word of partNamed stands in a text: most have none, and are
// not searched for what looks like it.
func namesPart(data []byte) bool {
	low := bytes.ToLower(data)
	return slices.ContainsFunc(partWords, func(word []byte) bool { return bytes.Contains(low, word) })
}

var partWords = [][]byte{[]byte("version"), []byte("kind"), []byte("plural"), []byte("resource"), []byte("singular")}

// ofOneAPI leaves out a kind on another line than the group, when the group has a
// resource of another kind on its own line or tells one; or such a resource, where
// it has a kind.
func (s *Site) ofOneAPI(data []byte, word source.Span, found map[Role][]Part) {
	line := text.LineAround(data, word)
	part := func(role Role, told ...string) (name string, own bool) {
		if list := found[role]; len(list) > 0 {
			at := list[0].Span
			return string(at.Of(data)), line.Start <= at.Start && at.End <= line.End
		}
		return cmp.Or(told...), true
	}
	kind, ownKind := part(RoleKind, s.Facts.Kind, s.Known.Kind)
	plural, ownPlural := part(RoleResource, s.Facts.Plural, s.Known.Plural)
	switch {
	case kind == "" || plural == "" || slices.Contains(rules.Plurals(kind), plural):
	case ownPlural && !ownKind:
		delete(found, RoleKind)
	case ownKind && !ownPlural:
		delete(found, RoleResource)
	}
}

// mayBePart says whether a value near a group, word, can be a part of it that
// the site does not tell: no brace stands between the two, and it is of no other
// group.
func (n *Names) mayBePart(s *Site, data []byte, word, at source.Span, role Role) bool {
	between := data[min(at.End, word.End):max(at.Start, word.Start)]
	return !bytes.ContainsAny(between, "{}") && n.isPart(s.Known.Group, role, string(at.Of(data))) && !s.tells(role) && !ofAnother(data, word, at)
}

// isOther says whether a value that is named like a group, word, is a kind of it that
// no rule names.
func (n *Names) isOther(s *Site, data []byte, word, at source.Span, role Role) bool {
	between := data[min(at.End, word.End):max(at.Start, word.Start)]
	if n.kinds[constantKind(string(at.Of(data)))] || isConstant(data, at) {
		return false
	}
	return role == RoleKind && rules.KindName.Match(at.Of(data)) && !s.tells(RoleKind) && !s.tells(RoleResource) &&
		!bytes.ContainsAny(between, "{}") && !ofAnother(data, word, at)
}

// isConstant says whether a word is the name of a constant in capitals, and no text in
// quotes: nothing says what it stands for.
func isConstant(data []byte, at source.Span) bool {
	word := at.Of(data)
	return len(word) > 1 && bytes.Equal(word, bytes.ToUpper(word)) && (at.Start == 0 || bytes.IndexByte([]byte("\"'`"), data[at.Start-1]) < 0)
}

// constantKind is the kind that a constant is named after, WidgetKind or KindWidget, ""
// for any other name.
func constantKind(name string) string {
	if kind, ok := strings.CutSuffix(name, "Kind"); ok {
		return kind
	}
	kind, _ := strings.CutPrefix(name, "Kind")
	if kind == name {
		return ""
	}
	return kind
}

// asked reads the part that a call asks a group for, which comes before those
// that stand around it.
func asked(s *Site, v *text.View, word source.Span, w vicinity, found map[Role][]Part) {
	part := func(role Role, from, to int) {
		found[role] = []Part{{Doc: v, Span: source.Span{Start: word.End + from, End: word.End + to}, Role: role}}
	}
	if m := withCall.FindSubmatchIndex(w.right); m != nil {
		role, value := partRole(strings.ToLower(string(w.right[m[2]:m[3]]))), string(w.right[m[4]:m[5]])
		if spelledAs(role, value) && !s.tells(role) {
			part(role, m[4], m[5])
		}
	}
	if m := mappedAs.FindSubmatchIndex(w.right); m != nil && !s.tells(RoleVersion) && mapping.Match(w.left) && rules.APIVersion.Match(w.right[m[2]:m[3]]) {
		part(RoleVersion, m[2], m[3])
	}
}

// ofAnother says whether another line than that of a group, which has a group
// of its own, holds a part.
func ofAnother(data []byte, group, part source.Span) bool {
	line := text.LineAround(data, part)
	return (group.Start < line.Start || group.Start > line.End) && anotherGroup.Match(line.Of(data))
}

// concatenated reads what strings that are joined to a group spell with it:
// "things" + "." + GROUP, "things." + GROUP, GROUP + "/" + "v1".
func (l *literal) concatenated(s *Site) {
	data, list := l.v.Data, l.c.Literals
	joined := func(i, j int) bool {
		return i >= 0 && j < len(list) && plus.Match(data[list[i].Outer.End:list[j].Outer.Start])
	}
	if joined(l.i-1, l.i) && !s.tells(RoleResource) {
		before := list[l.i-1].Text
		if name, ok := bytes.CutSuffix(before.Of(data), []byte(".")); ok {
			if before.End--; len(name) == 0 && joined(l.i-2, l.i-1) {
				before = list[l.i-2].Text
			}
			if plural := string(before.Of(data)); l.knows(s.Known.Group, plural) {
				s.take([]Part{{Doc: l.v, Span: before, Role: RoleResource}})
			}
		}
	}
	if s.tells(RoleVersion) {
		return
	}
	behind := data[l.lit.Outer.End:min(len(data), l.lit.Outer.End+text.Nearby)]
	if m := versionPrinted.FindSubmatchIndex(behind); m != nil && m[2] >= 0 && versionPlace.Match(l.in.Data[l.tok.Group.End:]) {
		s.take([]Part{{Doc: l.v, Span: text.SpanOf(l.lit.Outer.End+m[2], l.lit.Outer.End+m[3]), Role: RoleVersion}})
		return
	}
	if next := l.i + 1; joined(l.i, next) {
		if string(list[next].Text.Of(data)) == "/" && joined(next, next+1) {
			next++
		}
		if version := list[next].Text; rules.APIVersion.Match(version.Of(data)) {
			s.take([]Part{{Doc: l.v, Span: version, Role: RoleVersion}})
		}
	}
}

// spelledAs says whether a value is spelled like what has a role.
func spelledAs(role Role, value string) bool {
	switch role {
	case RoleKind:
		return rules.KindName.MatchString(value)
	case RoleVersion:
		return rules.APIVersion.MatchString(value)
	}
	return rules.PluralName.MatchString(value)
}

var (
	// called is the name of what a bracket belongs to.
	called = lazyregexp.New(`([A-Za-z_][\w.]*)\s*[({]$`)
	// kindBehind and kindInFront are the kind beside a group that is the argument
	// of a call which makes a pointer of it.
	kindBehind  = lazyregexp.New(`^["'\x60]\)\s*,\s*Kind:\s*["\x60]([A-Z][A-Za-z0-9]*)["\x60]`)
	kindInFront = lazyregexp.New(`Kind:\s*["\x60]([A-Z][A-Za-z0-9]*)["\x60]\s*,\s*(?:APIGroup|Group):\s*[\w.]+\(["'\x60]$`)
)

// positional reads the kind or the resource that the call or the literal around a
// group has in a place of its own, whether it is known or not.
// Source: k8s.io/apimachinery, runtime/schema; kubernetes-client/python, CustomObjectsApi.
func (l *literal) positional(s *Site) {
	data, me := l.v.Data, l.lit
	if me.Scope < 0 {
		return
	}
	if m := kindBehind.FindSubmatchIndex(data[me.Text.End:min(len(data), me.Text.End+farthest)]); m != nil {
		l.tellsPart(s, RoleKind, source.Span{Start: me.Text.End + m[2], End: me.Text.End + m[3]})
	}
	low := max(0, me.Text.Start-farthest)
	if m := kindInFront.FindSubmatchIndex(data[low:me.Text.Start]); m != nil {
		l.tellsPart(s, RoleKind, source.Span{Start: low + m[2], End: low + m[3]})
	}
	m := called.FindSubmatch(data[max(0, me.Scope-text.Nearby) : me.Scope+1])
	if m == nil {
		return
	}
	name := string(m[1][bytes.LastIndexByte(m[1], '.')+1:])
	place := map[string]int{"GroupVersionResource": 2, "GroupVersionKind": 2, "GroupResource": 1, "GroupKind": 1, "FromAPIVersionAndKind": 1}[name]
	role := RoleResource
	switch {
	case strings.HasSuffix(name, "Kind"):
		role = RoleKind
	case strings.Contains(name, "namespaced_custom_object"):
		place = 3
	case strings.Contains(name, "cluster_custom_object"):
		place = 2
	}
	from, to := l.c.Around(l.i)
	for j := from; j < to; j++ {
		lit := l.c.Literals[j]
		switch {
		case lit.Scope != me.Scope:
		case name == "APIResource" && lit.Name == "Name":
			l.tellsPart(s, RoleResource, lit.Text)
		case place > 0 && lit.Name == "" && me.Name == "" && bytes.Count(data[lit.Scope:lit.Outer.Start], []byte(",")) == place:
			l.tellsPart(s, role, lit.Text)
		}
	}
}

// tellsPart takes a value for the kind or the resource of a group.
func (l *literal) tellsPart(s *Site, role Role, at source.Span) {
	if spelledAs(role, string(at.Of(l.v.Data))) && !s.tells(role) {
		s.take([]Part{{Doc: l.v, Span: at, Role: role}})
	}
}

// unnamed takes a string right before or behind a group, in the same brackets,
// for loose when it is spelled like a part of it, and nothing else tells of one.
func (l *literal) unnamed(s *Site) {
	for _, j := range []int{l.i - 1, l.i + 1} {
		if j < 0 || j >= len(l.c.Literals) {
			continue
		}
		lit, me := l.c.Literals[j], l.lit
		value := string(lit.Text.Of(l.v.Data))
		if lit.Scope != me.Scope || lit.Line < me.Line-1 || lit.Line > me.Line+1 || ofAnother(l.v.Data, me.Text, lit.Text) {
			continue
		}
		if slices.ContainsFunc([]Role{RoleVersion, RoleKind, RoleResource}, func(r Role) bool { return !s.tells(r) && l.isPart(s.Known.Group, r, value) }) {
			s.Near = append(s.Near, Part{Doc: l.v, Span: lit.Text})
		}
		if l.tok.Shape == Bare && !s.tells(RoleVersion) && !s.tells(RoleKind) && !s.tells(RoleResource) && rules.APIVersion.MatchString(value) {
			s.Used = append(s.Used, value)
		}
	}
}

// usedWith notes the versions that stand beside the name of a constant
// which is a group, wherever it is used in the file: f(GROUP, "v1"), GROUP + "/v1",
// `${GROUP}/v1`. In Go the types say more.
func (l *literal) usedWith(s *Site) {
	name := l.lit.Name[strings.LastIndexByte(l.lit.Name, '.')+1:]
	if len(name) < 2 || l.lit.Scope >= 0 || l.tok.Shape != Bare {
		return
	}
	data := l.v.Data[:min(len(l.v.Data), l.lit.Outer.End+usedWithin)]
	for at := l.lit.Outer.End; ; {
		n := bytes.Index(data[at:], []byte(name))
		if n < 0 {
			return
		}
		start := at + n
		at = start + len(name)
		if start > 0 && text.IsWordByte(data[start-1]) || at < len(data) && text.IsWordByte(data[at]) {
			continue
		}
		if m := versionBeside.FindSubmatch(data[at:min(len(data), at+text.Nearby)]); m != nil && rules.APIVersion.Match(m[1]) {
			s.Used = append(s.Used, string(m[1]))
		}
	}
}

// usedWithin is how far behind a constant its uses are looked for, in bytes.
const usedWithin = 64 << 10

// versionBeside is a version right behind the name of a group.
var versionBeside = lazyregexp.New(`^(?:\}/|[ \t]*\+[ \t]*["'\x60]/|\s*,\s*(?:\w*[vV]ersion[ \t]*[:=][ \t]*)?["'\x60])(v[0-9][a-z0-9]*)`)

// take adds the parts of one role, where they are the same one; else they are loose.
func (s *Site) take(parts []Part) {
	for _, p := range parts {
		value := string(p.Span.Of(p.Doc.Data))
		if first := string(parts[0].Span.Of(p.Doc.Data)); !strings.EqualFold(value, first) {
			s.Near = append(s.Near, parts...)
			return
		}
	}
	for _, p := range parts {
		value := string(p.Span.Of(p.Doc.Data))
		switch {
		case p.Role == RoleVersion:
			s.Facts.Version = value
		case p.Role == RoleResource:
			s.Facts.Plural = value
		case rules.KindName.MatchString(value):
			s.Facts.Kind = value
		}
		s.Beside = append(s.Beside, p)
	}
}

// tells says whether a site tells what has a role.
func (s *Site) tells(role Role) bool {
	known := s.Known
	switch role {
	case RoleVersion:
		return known.Version != "" || s.Facts.Version != ""
	case RoleKind:
		return known.Kind != "" || s.Facts.Kind != ""
	}
	return known.Plural != "" || s.Facts.Plural != ""
}

func partRole(word string) Role {
	switch word {
	case "version":
		return RoleVersion
	case "kind", "singular":
		return RoleKind
	}
	return RoleResource
}

// isPart says whether a value may be what has a role in a group.
func (n *Names) isPart(group string, role Role, value string) bool {
	switch role {
	case RoleVersion:
		return rules.APIVersion.MatchString(value)
	case RoleKind:
		kind, ok := n.Singular(group, strings.ToLower(value))
		return ok && (kind == value || strings.ToLower(kind) == value)
	}
	return n.knows(group, value)
}

// stem is how a name begins: "api." of api.group, "with" of x.withGroup, "api_"
// of API_GROUP.
func stem(begin []byte) string {
	name := strings.ToLower(string(begin))
	if strings.HasSuffix(name, ".") {
		return name
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// linesAround are some lines around a place, as far as they are near.
func linesAround(data []byte, at source.Span) (from, to int) {
	first, last := max(0, at.Start-farthest), min(len(data), at.End+farthest)
	from, to = at.Start, at.End
	for range linesBeside + 1 {
		if from = first + text.LineStart(data[first:], from-first); from == first {
			break
		}
		from--
	}
	for range linesBeside + 1 {
		_, to = text.LineEnd(data, to, last)
	}
	return from, to
}
