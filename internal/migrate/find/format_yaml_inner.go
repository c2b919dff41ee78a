package find

import (
	"bytes"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// inner classifies the tokens in a scalar that holds more than a name: a
// document inside of a string, a command, prose.
func (a *analysis) inner(v *text.View, t *text.Tree, i int32) {
	n := t.Nodes[i]
	var in *text.View
	switch n.Style {
	case text.Literal, text.Folded:
		in = text.Unindent(v, n.Val)
	case text.Double:
		in = text.Unescape(v, n.Val, false)
	case text.Single:
		in = text.UnquoteSingle(v, n.Val)
	default:
		in = v.Sub(n.Val)
		in.Spell = text.Refuse
	}
	if group, version := servedAround(t, i); version != "" {
		defer func(home, group string) { a.home, a.homeGroup = home, group }(a.home, a.homeGroup)
		a.home, a.homeGroup = version, group
	}
	entry := t.Up(i)
	mode := InCode
	if entry >= 0 {
		switch strings.ToLower(t.KeyText(entry)) {
		case "description", "message", "summary", "title", "note", "notes", "documentation", "displayname":
			mode = InProse
		}
	}
	if entry >= 0 && isVersionKey(t.KeyText(entry)) && a.filled(v, in, t, entry) {
		return
	}
	if !t.Verbatim(i) && a.spelled(v, in, t, i) || a.selected(v, in, t, i) || a.internalObjects(in, t, entry) {
		return
	}
	if n.Style <= text.Double && (!bytes.ContainsAny(in.Data, " \n{") || bytes.IndexByte(in.Data, '\n') < 0 && a.isWordOfKubectl(t, i)) {
		a.word(v, in, t, i)
		return
	}
	if mode == InCode && in.Depth <= maxNesting && isScript(t, i, in.Data) {
		a.shell(in)
		return
	}
	a.embedded(in, mode)
}

// filled reports the group in the value of an apiVersion, entry, a part of which a
// template or a shell fills in. It says false for any other.
func (a *analysis) filled(v, in *text.View, t *text.Tree, entry int32) bool {
	toks := a.Tokens(in.Data)
	if len(toks) != 1 {
		return false
	}
	kind := t.Sibling(entry, "kind")
	s := Site{Doc: in, Token: toks[0], Place: APIVersion}
	printed := printedHead.Match(in.Data[:toks[0].Group.Start])
	switch open := versionFilled.Match(in.Data[toks[0].Group.End:]); {
	case open && (toks[0].Group.Start == 0 || printed):
		s.Word, s.Shape, s.Place = s.Group, Bare, VersionHead
	case open || !anyOf([]Shape{GroupVersion, Bare}, toks[0].Shape) || !text.HasTemplate(in.Data):
		return false
	case s.Shape == Bare:
		s.Place = Group
	}
	if (printed || s.Place != VersionHead) && kind >= 0 && a.isPart(s.Known.Group, RoleKind, t.Text(kind)) {
		s.Loose = []string{t.Text(kind)} // the template may write another group
	} else {
		a.templatedKind(&s, v, t, kind)
	}
	a.found(s)
	return true
}

// spelled reports a value that is a group, with its version perhaps, and is not
// written as what it says. It says false for any other.
func (a *analysis) spelled(v, in *text.View, t *text.Tree, i int32) bool {
	toks := a.Tokens(in.Data)
	if len(toks) != 1 || toks[0].Word != (source.Span{End: len(in.Data)}) || !anyOf([]Shape{GroupVersion, Bare}, toks[0].Shape) {
		return false
	}
	e := &entry{a, v, t, i, toks[0], nil, false}
	s := Site{Doc: in, Token: toks[0], Name: e.key()}
	switch {
	case isVersionKey(s.Name):
		s.Place = APIVersion
		tellsVersion(e, &s)
	case isGroupKey(s.Name) && (definesNames(e) || t.Nodes[i].Seq):
		s.Place = Doubt
	case isGroupKey(s.Name):
		s.Place = Group
		tellsField(e, &s)
	default:
		return false
	}
	a.found(s)
	return true
}

// templatedKind reads the kind beside an apiVersion that a template fills in: it
// may be what a template falls back to. Node is -1 where none stands.
func (a *analysis) templatedKind(s *Site, v *text.View, t *text.Tree, node int32) {
	if node < 0 {
		return
	}
	at := t.Nodes[node].Val
	if m := kindFallback.FindSubmatchIndex(at.Of(v.Data)); m != nil {
		at = source.Span{Start: at.Start + m[2], End: at.Start + m[3]}
	}
	if rules.KindName.Match(at.Of(v.Data)) {
		s.take([]Part{{Doc: v, Span: at, Role: RoleKind}})
		return
	}
	a.tellsFilled(s, at.Of(v.Data))
}

// tellsFilled reads what a template or a shell writes for a kind: one of those that it names,
// or any.
func (a *analysis) tellsFilled(s *Site, kind []byte) {
	if !text.HasTemplate(kind) && !shellFills.Match(kind) {
		return
	}
	kinds := a.kindsIn(s.Known.Group, kind)
	if len(kinds) == 0 {
		kinds, s.Filled = a.allKinds(s.Known.Group), true
	}
	s.Loose = append(s.Loose, kinds...)
}

// shellFills is a value that a shell, make or a program that prints fills in.
var shellFills = lazyregexp.New(`^["']?(\\?\$[({\w]|%[sv]|\{[\w.]*\})`)

// kindsIn are the kinds of a group that a template may write.
func (a *analysis) kindsIn(group string, template []byte) []string {
	var list []string
	if text.HasTemplate(template) {
		for _, word := range kindWord.FindAll(template, -1) {
			if a.isPart(group, RoleKind, string(word)) {
				list = append(list, string(word))
			}
		}
	}
	return list
}

var kindWord = lazyregexp.New(`\b[A-Z][A-Za-z0-9]*\b`)

// kindFallback is (1) the kind that a template has where no value is given.
var kindFallback = lazyregexp.New(`^\{\{[^{}\n]*\bdefault\s+["\x60]([A-Z][A-Za-z0-9]*)["\x60]`)

// printedHead is an action of a template up to a text that it prints: {{ printf "GROUP/%s".
var printedHead = lazyregexp.New(`^\{\{-?\s*\(?printf\s+["\x60]$`)

var (
	isVersionKey = isKey("(?i)^api_?version$")
	// versionFilled is a version that a template or a shell fills in.
	versionFilled = rx(`^/v?(\{\{|\{%|<%|\$|%s|\{[\w.]*\})`)
)

// word classifies a value of one word that is more than a name: a path, a
// list, an assignment.
func (a *analysis) word(outer, v *text.View, t *text.Tree, i int32) {
	for _, tok := range a.Tokens(v.Data) {
		e := entry{analysis: a, v: v, t: t, i: i, tok: tok}
		switch p := e.wordPlace(); {
		case tok.Shape == FileName:
			a.found(Site{Doc: v, Token: tok, Place: CRDFile, Tree: t, Node: i, Outer: outer})
		case p == EveryKind:
			a.anyKind(v, tok)
		case p != nil:
			a.at(v, tok, p)
		default:
			p := a.spotOf(v, tok, InCode)
			p.behind(e.commandBefore())
			p.report(func(s *Site) { e.tellsArguments(outer, s) })
		}
	}
}

// wordPlace is what a name in a value of one word is by its entry; nil where what stands
// around the name says it.
func (e *entry) wordPlace() *Place {
	entry, tok := e.t.Up(e.i), e.tok
	switch {
	case tok.isAPI():
		return Resources
	case oddVersion(e) && e.t.KeyOf(entry) == "apiVersion":
		return NoVersion
	case isSigner(e):
		return Agreed
	case entry >= 0 && listsKinds(e.t.KeyText(entry)) && tok.Prefix == "" && anyKind.Match(e.v.Data[tok.Group.End:]):
		return EveryKind
	case tok.Shape == Bare && wildcard.Match(e.v.Data[:tok.Word.Start]):
		return e.wildcard()
	case (tok.Shape == Key || tok.Word.Start == 0 && anyOf([]Shape{Resource, GroupVersion}, tok.Shape)) && inLabels(e.t, e.i):
		return LabelWord
	case entry >= 0 && isFinalizer(e.t.KeyText(entry)):
		return Finalizer
	case anyOf(keyShapes, tok.Shape) && namesKey(e):
		return KeyLike
	case entry >= 0 && anyOf([]Shape{Key, Resource}, tok.Shape) && isHost(e.t.KeyText(entry)):
		return HostName
	case entry >= 0 && anyOf([]Shape{GroupVersion, Resource}, tok.Shape) && isImage(e.t.KeyText(entry)):
		return InPath
	}
	return nil
}

// anyKind reports a group with a wildcard for its kinds, in a version or in all.
func (a *analysis) anyKind(v *text.View, tok Token) {
	if tok.Ver.Len() == 0 {
		tok.Word, tok.Shape = tok.Group, Bare
	}
	a.at(v, tok, EveryKind)
}

var (
	// listsKinds is the key of a list of kinds, as policies match them.
	// Source: Kyverno, MatchResources: GROUP/VERSION/KIND/SUBRESOURCE.
	listsKinds = isKey("^kinds?$")
	anyKind    = rx(`^/(\*|v[1-9][a-z0-9]*)/\*($|[/.])`)
)

// wildcard is what all names below a group are, in a value of YAML.
func (e *entry) wildcard() *Place {
	switch name := e.key(); {
	case resourceList(name):
		return EveryKind
	case speaksOf(name, true) != nil:
		return HostName
	}
	return Doubt
}

// embedded reads text that may be a document of its own.
func (a *analysis) embedded(v *text.View, m Mode) {
	if v.Depth > maxNesting {
		return
	}
	templated := text.HasTemplate(v.Data)
	trimmed := bytes.TrimLeft(v.Data, " \t\r\n")
	switch {
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && bytes.IndexByte(trimmed, '"') > 0 && !bytes.HasPrefix(trimmed, []byte("{{")):
		a.json(v, templated)
	case looksYAML(v.Data):
		a.yaml(v, templated)
	default:
		a.prose(v, m)
	}
}

// yamlMarks are the keys that tell a manifest from prose with colons.
var yamlMarks = [][]byte{[]byte("apiVersion:"), []byte("kind:"), []byte("apiGroups:"), []byte("apiGroup:"), []byte("group:"),
	[]byte("metadata:"), []byte("labels:"), []byte("annotations:"), []byte("finalizers:"), []byte("resources:"), []byte("\"apiVersion\":")}

// looksYAML says whether some line begins with a key that manifests have, or is an
// entry with a manifest in a string.
func looksYAML(data []byte) bool {
	for at := 0; at < len(data); {
		text, next := text.LineEnd(data, at, len(data))
		line := bytes.TrimLeft(data[at:text], " \t-[{")
		if quotedManifest.Match(line) {
			return true
		}
		for _, m := range yamlMarks {
			if bytes.HasPrefix(line, m) && (len(line) == len(m) || line[len(m)] == ' ' || line[len(m)] == '\r') {
				return true
			}
		}
		at = next
	}
	return false
}

var quotedManifest = rx(`^[A-Za-z0-9_.-]+:\s+["']\s*[\[{].*apiVersion`, "apiversion")

// yamlComment classifies the tokens in a run of comment lines and returns the
// tokens behind it. A commented-out manifest is read as one.
func (a *analysis) yamlComment(v *text.View, t *text.Tree, n int, toks []Token) []Token {
	first, last := n, n
	if text.WholeLine(t.Data, t.Notes[n]) {
		for first > 0 && text.Follows(t.Data, t.Notes[first-1], t.Notes[first]) {
			first--
		}
		for last+1 < len(t.Notes) && text.Follows(t.Data, t.Notes[last], t.Notes[last+1]) {
			last++
		}
	}
	b := text.Builder{Outer: v}
	for _, c := range t.Notes[first : last+1] {
		for c.Start < c.End && v.Data[c.Start] == '#' {
			c.Start++
		}
		b.Add(c)
		if next, ok := text.EndsLine(v.Data, c.End); ok {
			b.Add(source.Span{Start: c.End, End: next})
		}
	}
	in := b.View()
	if mark := t.Notes[first].Start; text.WholeLine(t.Data, t.Notes[first]) {
		end := mark
		for end < t.Notes[first].End && v.Data[end] == '#' {
			end++
		}
		in.Within(v, text.Prefixed(string(v.Data[text.LineStart(v.Data, mark):end])))
	}
	if looksYAML(in.Data) {
		in = text.Unindent(in, source.Span{End: len(in.Data)}) // without the blank behind each mark
		a.yaml(in, text.HasTemplate(in.Data))
	} else {
		a.prose(in, InComment)
	}
	end := t.Notes[last].End
	for len(toks) > 0 && toks[0].Group.Start < end {
		toks = toks[1:]
	}
	return toks
}
