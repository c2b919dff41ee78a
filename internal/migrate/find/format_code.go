package find

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// code reads source of a language.
func (a *analysis) code(v *text.View, l *text.Language) {
	a.apiModels(v)
	toks := a.Tokens(v.Data)
	if len(toks) == 0 {
		return
	}
	if l == text.Languages["hash"] {
		toks = a.withoutHeredocs(v, toks)
	}
	c := v.Code(l)
	holds := func(s source.Span) bool {
		i, _ := slices.BinarySearchFunc(toks, s.Start, func(t Token, at int) int { return t.Group.Start - at })
		return i < len(toks) && toks[i].Group.Start < s.End
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
		if !c.Covers(t.Group.Start) {
			a.phrase(v, t, InCode)
		}
	}
}

// withoutHeredocs reads the here documents of source, and gives the tokens that
// stand in none.
func (a *analysis) withoutHeredocs(v *text.View, toks []Token) []Token {
	var outside []Token
	a.heredocs(v, InCode, func(s source.Span) {
		for ; len(toks) > 0 && toks[0].Group.Start < s.End; toks = toks[1:] {
			if toks[0].Group.Start >= s.Start {
				outside = append(outside, toks[0])
			}
		}
	})
	return outside
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
	a.prose(in, InComment)
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
	in := unquoted(v, lit, l)
	toks := a.Tokens(in.Data)
	switch {
	case len(toks) == 0:
	case l.Imports != nil && a.isImport(v, c, i, l):
		for _, t := range toks {
			if a.namesGroup(t) {
				a.at(in, t, Imported)
			}
		}
	case modulePath.Match(v.Data[text.LineAround(v.Data, lit.Text).Start:lit.Text.Start]):
		for _, t := range toks {
			a.at(in, t, InModule)
		}
	case len(toks) == 1 && (&literal{analysis: a, v: v, in: in, c: c, i: i, tok: toks[0], lit: lit}).alone():
	default:
		a.embeddedIn(in, lit)
	}
}

// unquoted is what a string says.
func unquoted(v *text.View, lit text.LiteralText, l *text.Language) *text.View {
	closing := string(v.Data[lit.Text.End:lit.Outer.End])
	long := len(closing) > 1 || strings.Contains(l.Long, closing)
	var in *text.View
	if lit.Raw {
		in = v.Sub(lit.Text).Within(v, text.Verbatim(closing, long))
	} else {
		in = text.Unescape(v, lit.Text, long)
	}
	if lit.Format && l.Triple && bytes.ContainsAny(in.Data, "{}") {
		in = text.DecodeFString(in)
	}
	return in
}

// alone reads the one name of a string by what else the string has. It says
// false for a string that holds more than a name.
func (l *literal) alone() bool {
	t, in := l.tok, l.in
	rest, begins := in.Data[t.Group.End:], t.Word.Start == 0 && t.Prefix != ""
	switch {
	case begins && objectName.Match(rest) && listsObjects(l.v.Data, l.c, l.i):
		s := Site{Doc: in, Token: t, Place: Argument, Facts: rules.GVK{Plural: t.Prefix}}
		l.asObject(&s)
		l.found(s)
	case t.Word.End == len(in.Data) && len(bytes.Trim(in.Data[:t.Word.Start], "*.")) == 0:
		l.codePlace(l)
	case !beginsVersion(l.v, in, l.c, l.i, t) && !headsVersion(in, t, l.lit):
		switch {
		case begins && (isObject(rest) || string(rest) == "/") && signerWord.Match(l.lit.Before):
			l.at(in, t, Agreed)
		case begins && string(rest) == "/" && t.Shape == Resource && !listsObjects(l.v.Data, l.c, l.i): // of an object, a signer or a label
			l.at(in, t, Doubt)
		default:
			return false
		}
	case t.Prefix != "":
		l.at(in, t, OtherGroup)
	default:
		l.tok.Word, l.tok.Shape = t.Group, Bare
		l.found(l.site(Literal))
	}
	return true
}

var (
	objectName = lazyregexp.New(`^/[a-z0-9][a-z0-9.-]*$`)
	coreObject = lazyregexp.New(`^(pod|deployment|deploy|secret|configmap|service|svc|job|cronjob|statefulset|daemonset|replicaset|namespace|ns|serviceaccount|ingress|role|rolebinding|clusterrole|clusterrolebinding|crd|persistentvolumeclaim|pvc)s?(\.[a-z0-9.]+)?/[a-z0-9]`)
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
		for _, t := range a.Tokens(in.Data) {
			if t.Shape == Resource {
				a.at(in, t, LabelWords)
			} else {
				a.phrase(in, t, InCode)
			}
		}
		return
	}
	a.embedded(in, InCode)
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

var importBlock = lazyregexp.New(`^\s*import\s*\($`)
