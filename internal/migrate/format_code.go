package migrate

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A language is how a programming language writes comments and strings.
type language struct {
	line    []string       // what begins a comment to the end of the line
	block   bool           // /* comments */
	quotes  string         // characters that begin a string with escapes on one line
	long    string         // characters that begin a string over several lines
	raw     string         // of these, those without escapes
	triple  bool           // """ and ''' strings
	rust    bool           // r#"..."# strings, 'a lifetimes
	imports *regexp.Regexp // a line (or the text before a literal) that imports a path
}

var languages = map[string]*language{
	"go":     {line: []string{"//"}, block: true, quotes: `"`, long: "`", raw: "`", imports: regexp.MustCompile(`^\s*(import\s+)?([A-Za-z_.][A-Za-z0-9_]*\s+)?$`)},
	"python": {line: []string{"#"}, quotes: `"'`, triple: true},
	"js":     {line: []string{"//"}, block: true, quotes: `"'`, long: "`", imports: regexp.MustCompile(`\b(from|import|require\()\s*$`)},
	"java":   {line: []string{"//"}, block: true, quotes: `"`, triple: true},
	"rust":   {line: []string{"//"}, block: true, long: `"`, rust: true},
	"hash":   {line: []string{"#"}, quotes: `"'`},
}

// code reads source of a language.
func (a *analysis) code(v *view, l *language) {
	toks := a.tokens(a.seek, v.data)
	if len(toks) == 0 && l != languages["go"] {
		return
	}
	c := l.lex(v.data)
	holds := func(s source.Span) bool {
		i, _ := slices.BinarySearchFunc(toks, s.Start, func(t token, at int) int { return t.group.Start - at })
		return i < len(toks) && toks[i].group.Start < s.End
	}
	for i := range c.literals {
		if holds(c.literals[i].text) {
			a.literal(v, c, i, l)
		}
	}
	for i := 0; i < len(c.comments); i++ {
		if holds(c.comments[i]) {
			i = a.codeComment(v, c, i)
		}
	}
	for _, t := range toks {
		if !c.covers(t.group.Start) {
			a.phrase(v, t, inCode)
		}
	}
}

func (c *codeFile) covers(at int) bool {
	i, found := slices.BinarySearchFunc(c.literals, at, func(l literalText, at int) int { return l.text.Start - at })
	if found || i > 0 && at < c.literals[i-1].text.End {
		return true
	}
	i, found = slices.BinarySearchFunc(c.comments, at, func(s source.Span, at int) int { return s.Start - at })
	return found || i > 0 && at < c.comments[i-1].End
}

// codeComment classifies a comment and the line comments that follow it; it
// returns the index of the last one read.
func (a *analysis) codeComment(v *view, c *codeFile, i int) int {
	b := builder{outer: v}
	for i > 0 && nextLine(v.data, c.comments[i-1], c.comments[i]) {
		i-- // an example may begin above the first hit
	}
	last := i
	for ; ; last++ {
		j := last
		b.add(c.comments[j])
		if j+1 >= len(c.comments) || !nextLine(v.data, c.comments[j], c.comments[j+1]) {
			break
		}
		_, next := lineEnd(v.data, c.comments[j].End, len(v.data))
		b.add(source.Span{Start: c.comments[j].End, End: next})
	}
	in := b.view()
	if first := c.comments[i].Start; i == last {
		in.spell = v.spell
	} else {
		in.within(v, prefixed(string(v.data[lineStart(v.data, first):first])))
	}
	if looksYAML(in.data) {
		a.yamlIn(unindent(in, source.Span{End: len(in.data)})) // the blank behind each mark is none of the manifest's
		return last
	}
	a.prose(in, inComment)
	return last
}

// yamlIn reads text in which some lines are a manifest and others prose: the
// tokens that the manifest's keys do not explain are read as phrases.
func (a *analysis) yamlIn(v *view) { a.yaml(v, true) }

// nextLine says whether comment b is a line comment right below a.
func nextLine(data []byte, a, b source.Span) bool {
	between := data[a.End:b.Start]
	n := bytes.IndexByte(between, '\n')
	return n >= 0 && len(bytes.TrimLeft(between[n+1:], " \t/#")) == 0 && wholeLine(data, a) && bytes.IndexByte(a.Of(data), '\n') < 0
}

// literal classifies the tokens of one string.
func (a *analysis) literal(v *view, c *codeFile, i int, l *language) {
	lit := c.literals[i]
	var in *view
	closing := string(v.data[lit.text.End:lit.outer.End])
	long := len(closing) > 1 || strings.Contains(l.long, closing)
	if lit.raw {
		in = v.sub(lit.text).within(v, verbatim(closing, long))
	} else {
		in = unescape(v, lit.text, long)
	}
	if lit.format && l.triple && bytes.ContainsAny(in.data, "{}") {
		in = decodeFString(in)
	}
	toks := a.tokens(a.seek, in.data)
	if len(toks) == 0 {
		return
	}
	if l.imports != nil && a.isImport(v, c, i, l) {
		for _, t := range toks {
			if out := a.resolve(t.site).outcome; out == noRule || out == same || !a.namesGroup(t) {
				continue
			}
			s := a.add(in, t, RoleImport, Person, "an import path moves with its module")
			s.Hint = a.importHint(string(in.data), t)
		}
		return
	}
	if t := toks[0]; len(toks) == 1 && t.word.Start == 0 && t.prefix != "" && objectName.Match(in.data[t.group.End:]) && listsObjects(v.data, c, i) {
		a.object(in, t, GVK{Plural: t.prefix})
		return
	}
	if t := toks[0]; len(toks) == 1 && t.word.Start == 0 && t.word.End == len(in.data) {
		a.wholeLiteral(v, in, c, i, t)
		return
	}
	a.embeddedIn(in, lit)
}

var (
	objectName = regexp.MustCompile(`^/[a-z0-9][a-z0-9.-]*$`)
	coreObject = regexp.MustCompile(`^(pod|deployment|deploy|secret|configmap|service|svc|job|cronjob|statefulset|daemonset|replicaset|namespace|ns|serviceaccount|ingress|role|rolebinding|clusterrole|clusterrolebinding|crd|persistentvolumeclaim|pvc)s?(\.[a-z0-9.]+)?/[a-z0-9]`)
)

// listsObjects says whether a literal stands in a list of TYPE/NAME arguments
// for kubectl, which an object of a type that everyone knows tells.
func listsObjects(data []byte, c *codeFile, i int) bool {
	if c.literals[i].scope < 0 {
		return false
	}
	from, to := c.around(i)
	return slices.ContainsFunc(c.literals[from:to], func(lit literalText) bool {
		return lit.scope == c.literals[i].scope && coreObject.Match(lit.text.Of(data))
	})
}

// embeddedIn reads a string that holds more than a name.
func (a *analysis) embeddedIn(in *view, lit literalText) {
	if labelWords.Match(lit.before) && !bytes.ContainsAny(in.data, "\n{") {
		for _, t := range a.tokens(a.seek, in.data) {
			if t.shape == resource {
				a.keep(in, t, RoleKey, "on a line about labels, annotations or finalizers")
			} else {
				a.phrase(in, t, inCode)
			}
		}
		return
	}
	a.embedded(in, inCode)
}

// isImport says whether literal i is an import path.
func (a *analysis) isImport(v *view, c *codeFile, i int, l *language) bool {
	lit := c.literals[i]
	if !l.imports.Match(lit.before) {
		return false
	}
	if l != languages["go"] {
		return true
	}
	if bytes.HasPrefix(bytes.TrimSpace(lit.before), []byte("import")) {
		return true
	}
	return lit.scope >= 0 && importBlock.Match(v.data[lineStart(v.data, lit.scope):lit.scope+1])
}

var importBlock = regexp.MustCompile(`^\s*import\s*\($`)

// wholeLiteral is a string that is nothing but a name.
func (a *analysis) wholeLiteral(v, in *view, c *codeFile, i int, t token) {
	lit := c.literals[i]
	isKey := keyPosition(v.data, lit)
	aboutLabels := labelWords.Match(lit.before)
	switch t.shape {
	case email, urlHost, longer:
		a.keep(in, t, RoleDomain, domainWhy(t))
		return
	case fileName:
		a.fileRef(in, t)
		return
	case key:
		switch {
		case a.moveKey(in, t):
		case isKey || aboutLabels:
			a.keep(in, t, RoleKey, "looks like a label or annotation key")
		case strings.HasSuffix(strings.ToLower(lit.name), "webhookname"):
			a.rewrite(in, t, RoleWebhook, GVK{})
		default:
			a.perhapsResource(in, t)
		}
		return
	case resource:
		if t.site.Kind == "" && (isKey || aboutLabels) {
			if !a.moveKey(in, t) {
				a.keep(in, t, RoleKey, "a key of a map: a label or annotation")
			}
			return
		}
	case gv:
		if (isKey || aboutLabels) && scalarEntry(v.data, lit) {
			if !a.moveKey(in, t) {
				a.keep(in, t, RoleKey, "a key of a map of strings: a label or annotation")
			}
			return
		}
	case bare, gr, gk:
		if aboutLabels && !strings.Contains(strings.ToLower(lit.name), "group") || isKey && t.shape == gr {
			if !a.moveKey(in, t) {
				a.keep(in, t, RoleKey, "on a line about labels, annotations or finalizers")
			}
			return
		}
		if !strings.Contains(t.site.Group, ".") && t.shape == bare && !isGroupKey(lit.name) {
			return // an ordinary word
		}
	}
	if ver := a.resolve(t.site); ver.outcome == moves && isKey && scalarEntry(v.data, lit) && namesBoth(v.data, lit.outer, t.spell(in.data, ver.to)) {
		a.keep(in, t, RoleLiteral, "its line names the new one as well")
		return
	}
	if ofThePast(lit.name) {
		a.keep(in, t, RoleLiteral, lit.name+" is a name for what was")
		return
	}
	near := neighbours(v.data, c, i, a.rules)
	if t.shape == bare {
		a.learnPlural(v.data, c, i)
	}
	role := RoleLiteral
	if t.shape == resource {
		role = RoleResource
	}
	ver := a.rewrite(in, t, role, near.facts)
	if ver.outcome != moves {
		return
	}
	if near.kind >= 0 && strings.EqualFold(strings.Trim(lit.name, "_"), "apiVersion") {
		a.shapeInCode(v, lit, merge(t.site, near.facts))
	}
	for _, b := range []struct {
		lit  int
		role Role
		text string
	}{{near.version, RoleVersion, ver.to.Version}, {near.kind, RoleKind, ver.to.Kind}, {near.plural, RoleResource, ver.to.Plural}} {
		if b.lit >= 0 && !(b.role == RoleVersion && t.ver.Len() > 0) {
			a.beside(v, c.literals[b.lit].text, b.role, ver.rule, b.text)
		}
	}
}

// pastName is a word of an identifier for what was there before.
var pastName = regexp.MustCompile(`(^|_)([Oo]ld|[Ll]egacy|[Dd]eprecated|[Pp]revious|[Ff]ormer|OLD|LEGACY|DEPRECATED|PREVIOUS|FORMER)([A-Z_]|$)|[a-z0-9](Old|Legacy|Deprecated|Previous|Former)([A-Z_]|$)`)

func ofThePast(name string) bool { return pastName.MatchString(name) }

// learnPlural notes the plural: of a CRD in source, which follows its group.
func (a *analysis) learnPlural(data []byte, c *codeFile, i int) {
	group := string(c.literals[i].text.Of(data))
	for _, lit := range c.literals[i+1:] {
		if lit.outer.Start > c.literals[i].outer.End+600 {
			return
		}
		if name := string(lit.text.Of(data)); strings.EqualFold(lit.name, "plural") && pluralName.MatchString(name) {
			a.learn(GVK{Group: group, Plural: name})
			return
		}
	}
}

// keyPosition says whether a literal is the key of a map or an index.
func keyPosition(data []byte, lit literalText) bool {
	after := bytes.TrimLeft(data[lit.outer.End:min(len(data), lit.outer.End+8)], " \t")
	if len(after) > 0 && after[0] == ':' && !bytes.HasPrefix(after, []byte(":=")) {
		return true
	}
	return bytes.HasSuffix(lit.before, []byte("[")) && len(after) > 0 && after[0] == ']' && nameIndex.Match(lit.before)
}

// scalarEntry says whether a literal is the key of an entry whose value is a string.
func scalarEntry(data []byte, lit literalText) bool {
	return stringValue.Match(data[lit.outer.End:min(len(data), lit.outer.End+40)])
}

var stringValue = regexp.MustCompile(`^\s*:\s*["'\x60]`)

var nameIndex = regexp.MustCompile(`[A-Za-z0-9_)\]]\[$`)

// around are the literals that can belong together with one, by index.
func (c *codeFile) around(i int) (from, to int) {
	const most = 60
	return max(0, i-most), min(len(c.literals), i+most+1)
}

// A neighbourhood is what the literals around a group tell: indexes of
// literals, -1 for none, and the facts in them.
type neighbourhood struct {
	facts                 GVK
	version, kind, plural int
}

// neighbours reads the named arguments, fields and constants beside a literal,
// and the unnamed ones right behind it on its line.
func neighbours(data []byte, c *codeFile, i int, r *rules) neighbourhood {
	near := neighbourhood{version: -1, kind: -1, plural: -1}
	me := c.literals[i]
	line := me.line
	from, to := c.around(i)
	for j := from; j < to; j++ {
		lit := c.literals[j]
		if j == i || lit.scope != me.scope || lit.outer.Start > me.outer.Start+4000 || lit.outer.End < me.outer.Start-4000 {
			continue
		}
		at := lit.line
		if me.scope < 0 && (at > line+3 || at < line-3) {
			continue
		}
		value := string(lit.text.Of(data))
		name := strings.ToLower(strings.Trim(lit.name, "_"))
		behind := at == line && j > i && lit.name == "" || at == line && me.name == lit.name && j > i
		switch {
		case apiVersion.MatchString(value) && (strings.HasSuffix(name, "version") || behind) && near.version < 0:
			near.version, near.facts.Version = j, value
		case kindName.MatchString(value) && (name == "kind" || behind && r.targets[value] != nil) && near.kind < 0:
			near.kind, near.facts.Kind = j, value
		case pluralName.MatchString(value) && (name == "resource" || name == "plural" || (behind || at <= line+4 && at >= line && lit.name == "") && r.knows(string(me.text.Of(data)), value)) && near.plural < 0:
			near.plural, near.facts.Plural = j, value
		}
	}
	return near
}
