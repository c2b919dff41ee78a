package migrate

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// code reads source of a language.
func (a *analysis) code(v *text.View, l *text.Language) {
	toks := a.tokens(a.seek, v.Data)
	if len(toks) == 0 && l != text.Languages["go"] {
		return
	}
	c := l.Lex(v.Data)
	holds := func(s source.Span) bool {
		i, _ := slices.BinarySearchFunc(toks, s.Start, func(t token, at int) int { return t.group.Start - at })
		return i < len(toks) && toks[i].group.Start < s.End
	}
	for i := range c.Literals {
		if holds(c.Literals[i].Text) {
			a.literal(v, c, i, l)
		}
	}
	for i := 0; i < len(c.Comments); i++ {
		if holds(c.Comments[i]) {
			i = a.codeComment(v, c, i)
		}
	}
	for _, t := range toks {
		if !c.Covers(t.group.Start) {
			a.phrase(v, t, inCode)
		}
	}
}

// codeComment classifies a comment and the line comments that follow it; it
// returns the index of the last one read.
func (a *analysis) codeComment(v *text.View, c *text.CodeFile, i int) int {
	b := text.Builder{Outer: v}
	for i > 0 && nextLine(v.Data, c.Comments[i-1], c.Comments[i]) {
		i-- // an example may begin above the first hit
	}
	last := i
	for ; ; last++ {
		j := last
		b.Add(c.Comments[j])
		if j+1 >= len(c.Comments) || !nextLine(v.Data, c.Comments[j], c.Comments[j+1]) {
			break
		}
		_, next := text.LineEnd(v.Data, c.Comments[j].End, len(v.Data))
		b.Add(source.Span{Start: c.Comments[j].End, End: next})
	}
	in := b.View()
	if first := c.Comments[i].Start; i == last {
		in.Spell = v.Spell
	} else {
		in.Within(v, text.Prefixed(string(v.Data[text.LineStart(v.Data, first):first])))
	}
	if looksYAML(in.Data) {
		a.yamlIn(text.Unindent(in, source.Span{End: len(in.Data)})) // the blank behind each mark is none of the manifest's
		return last
	}
	a.prose(in, inComment)
	return last
}

// yamlIn reads text in which some lines are a manifest and others prose: the
// tokens that the manifest's keys do not explain are read as phrases.
func (a *analysis) yamlIn(v *text.View) { a.yaml(v, true) }

// nextLine says whether comment b is a line comment right below a.
func nextLine(data []byte, a, b source.Span) bool {
	between := data[a.End:b.Start]
	n := bytes.IndexByte(between, '\n')
	return n >= 0 && len(bytes.TrimLeft(between[n+1:], " \t/#")) == 0 && text.WholeLine(data, a) && bytes.IndexByte(a.Of(data), '\n') < 0
}

// literal classifies the tokens of one string.
func (a *analysis) literal(v *text.View, c *text.CodeFile, i int, l *text.Language) {
	lit := c.Literals[i]
	var in *text.View
	closing := string(v.Data[lit.Text.End:lit.Outer.End])
	long := len(closing) > 1 || strings.Contains(l.Long, closing)
	if lit.Raw {
		in = v.Sub(lit.Text).Within(v, text.Verbatim(closing, long))
	} else {
		in = text.Unescape(v, lit.Text, long)
	}
	if lit.Format && l.Triple && bytes.ContainsAny(in.Data, "{}") {
		in = text.DecodeFString(in)
	}
	toks := a.tokens(a.seek, in.Data)
	if len(toks) == 0 {
		return
	}
	if l.Imports != nil && a.isImport(v, c, i, l) {
		for _, t := range toks {
			if out := a.Ask(t.site).Outcome; out == rules.NoRule || out == rules.Same || !a.namesGroup(t) {
				continue
			}
			s := a.add(in, t, RoleImport, Person, "an import path moves with its module")
			s.Hint = a.importHint(string(in.Data), t)
		}
		return
	}
	if t := toks[0]; len(toks) == 1 && t.word.Start == 0 && t.prefix != "" && objectName.Match(in.Data[t.group.End:]) && listsObjects(v.Data, c, i) {
		a.object(in, t, rules.GVK{Plural: t.prefix})
		return
	}
	if t := toks[0]; len(toks) == 1 && t.word.Start == 0 && t.word.End == len(in.Data) {
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
func listsObjects(data []byte, c *text.CodeFile, i int) bool {
	if c.Literals[i].Scope < 0 {
		return false
	}
	from, to := c.Around(i)
	return slices.ContainsFunc(c.Literals[from:to], func(lit text.LiteralText) bool {
		return lit.Scope == c.Literals[i].Scope && coreObject.Match(lit.Text.Of(data))
	})
}

// embeddedIn reads a string that holds more than a name.
func (a *analysis) embeddedIn(in *text.View, lit text.LiteralText) {
	if labelWords.Match(lit.Before) && !bytes.ContainsAny(in.Data, "\n{") {
		for _, t := range a.tokens(a.seek, in.Data) {
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
func (a *analysis) isImport(v *text.View, c *text.CodeFile, i int, l *text.Language) bool {
	lit := c.Literals[i]
	if !l.Imports.Match(lit.Before) {
		return false
	}
	if l != text.Languages["go"] {
		return true
	}
	if bytes.HasPrefix(bytes.TrimSpace(lit.Before), []byte("import")) {
		return true
	}
	return lit.Scope >= 0 && importBlock.Match(v.Data[text.LineStart(v.Data, lit.Scope):lit.Scope+1])
}

var importBlock = regexp.MustCompile(`^\s*import\s*\($`)

// wholeLiteral is a string that is nothing but a name.
func (a *analysis) wholeLiteral(v, in *text.View, c *text.CodeFile, i int, t token) {
	lit := c.Literals[i]
	isKey := keyPosition(v.Data, lit)
	aboutLabels := labelWords.Match(lit.Before)
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
		case strings.HasSuffix(strings.ToLower(lit.Name), "webhookname"):
			a.rewrite(in, t, RoleWebhook, rules.GVK{})
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
		if (isKey || aboutLabels) && scalarEntry(v.Data, lit) {
			if !a.moveKey(in, t) {
				a.keep(in, t, RoleKey, "a key of a map of strings: a label or annotation")
			}
			return
		}
	case bare, gr, gk:
		if aboutLabels && !strings.Contains(strings.ToLower(lit.Name), "group") || isKey && t.shape == gr {
			if !a.moveKey(in, t) {
				a.keep(in, t, RoleKey, "on a line about labels, annotations or finalizers")
			}
			return
		}
		if !strings.Contains(t.site.Group, ".") && t.shape == bare && !isGroupKey(lit.Name) {
			return // an ordinary word
		}
	}
	if ver := a.Ask(t.site); ver.Outcome == rules.Moves && isKey && scalarEntry(v.Data, lit) && a.guesses("both-names") && namesBoth(v.Data, lit.Outer, t.spell(in.Data, ver.To)) {
		a.keep(in, t, RoleLiteral, "its line names the new one as well")
		return
	}
	if a.guesses("past-constant") && ofThePast(lit.Name) {
		a.keep(in, t, RoleLiteral, lit.Name+" is a name for what was")
		return
	}
	near := neighbours(v.Data, c, i, a)
	if t.shape == bare {
		a.learnPlural(v.Data, c, i)
	}
	role := RoleLiteral
	if t.shape == resource {
		role = RoleResource
	}
	ver := a.rewrite(in, t, role, near.facts)
	if ver.Outcome != rules.Moves {
		return
	}
	if near.kind >= 0 && strings.EqualFold(strings.Trim(lit.Name, "_"), "apiVersion") {
		a.shapeInCode(v, lit, merge(t.site, near.facts))
	}
	for _, b := range []struct {
		lit  int
		role Role
		text string
	}{{near.version, RoleVersion, ver.To.Version}, {near.kind, RoleKind, ver.To.Kind}, {near.plural, RoleResource, ver.To.Plural}} {
		if b.lit >= 0 && !(b.role == RoleVersion && t.ver.Len() > 0) {
			a.beside(v, c.Literals[b.lit].Text, b.role, ver.Rule, b.text)
		}
	}
}

// pastName is a word of an identifier for what was there before.
var pastName = regexp.MustCompile(`(^|_)([Oo]ld|[Ll]egacy|[Dd]eprecated|[Pp]revious|[Ff]ormer|OLD|LEGACY|DEPRECATED|PREVIOUS|FORMER)([A-Z_]|$)|[a-z0-9](Old|Legacy|Deprecated|Previous|Former)([A-Z_]|$)`)

func ofThePast(name string) bool { return pastName.MatchString(name) }

// learnPlural notes the plural: of a CRD in source, which follows its group.
func (a *analysis) learnPlural(data []byte, c *text.CodeFile, i int) {
	group := string(c.Literals[i].Text.Of(data))
	for _, lit := range c.Literals[i+1:] {
		if lit.Outer.Start > c.Literals[i].Outer.End+600 {
			return
		}
		if name := string(lit.Text.Of(data)); strings.EqualFold(lit.Name, "plural") && rules.PluralName.MatchString(name) {
			a.learn(rules.GVK{Group: group, Plural: name})
			return
		}
	}
}

// keyPosition says whether a literal is the key of a map or an index.
func keyPosition(data []byte, lit text.LiteralText) bool {
	after := bytes.TrimLeft(data[lit.Outer.End:min(len(data), lit.Outer.End+8)], " \t")
	if len(after) > 0 && after[0] == ':' && !bytes.HasPrefix(after, []byte(":=")) {
		return true
	}
	return bytes.HasSuffix(lit.Before, []byte("[")) && len(after) > 0 && after[0] == ']' && nameIndex.Match(lit.Before)
}

// scalarEntry says whether a literal is the key of an entry whose value is a string.
func scalarEntry(data []byte, lit text.LiteralText) bool {
	return stringValue.Match(data[lit.Outer.End:min(len(data), lit.Outer.End+40)])
}

var stringValue = regexp.MustCompile(`^\s*:\s*["'\x60]`)

var nameIndex = regexp.MustCompile(`[A-Za-z0-9_)\]]\[$`)

// A neighbourhood is what the literals around a group tell: indexes of
// literals, -1 for none, and the facts in them.
type neighbourhood struct {
	facts                 rules.GVK
	version, kind, plural int
}

// neighbours reads the named arguments, fields and constants beside a literal,
// and the unnamed ones right behind it on its line.
func neighbours(data []byte, c *text.CodeFile, i int, a *analysis) neighbourhood {
	near := neighbourhood{version: -1, kind: -1, plural: -1}
	me := c.Literals[i]
	line := me.Line
	from, to := c.Around(i)
	for j := from; j < to; j++ {
		lit := c.Literals[j]
		if j == i || lit.Scope != me.Scope || lit.Outer.Start > me.Outer.Start+4000 || lit.Outer.End < me.Outer.Start-4000 {
			continue
		}
		at := lit.Line
		if me.Scope < 0 && (at > line+3 || at < line-3) {
			continue
		}
		value := string(lit.Text.Of(data))
		name := strings.ToLower(strings.Trim(lit.Name, "_"))
		behind := at == line && j > i && lit.Name == "" || at == line && me.Name == lit.Name && j > i
		switch {
		case rules.APIVersion.MatchString(value) && (strings.HasSuffix(name, "version") || behind) && near.version < 0:
			near.version, near.facts.Version = j, value
		case rules.KindName.MatchString(value) && (name == "kind" || behind && len(a.Homes(value)) > 0) && near.kind < 0:
			near.kind, near.facts.Kind = j, value
		case rules.PluralName.MatchString(value) && (name == "resource" || name == "plural" || (behind || at <= line+4 && at >= line && lit.Name == "") && a.knows(string(me.Text.Of(data)), value)) && near.plural < 0:
			near.plural, near.facts.Plural = j, value
		}
	}
	return near
}
