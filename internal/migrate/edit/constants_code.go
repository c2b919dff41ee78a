package edit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// inSource tells of the strings in the statement of a use of a constant, of the
// constants around it, and of the class that it annotates.
func (b *constantUses) inSource() {
	at := b.use
	if i, ok := b.holder(); ok {
		if !b.filled() {
			return
		}
		at = b.c.Literals[i].Outer
	} else if b.c.Covers(at.Start) {
		return // a comment
	}
	inside := b.c.loose && b.c.braced(at.Start)
	in := source.Span{Start: b.c.begin(at.Start, inside), End: b.c.end(at.End, inside)}
	first, _ := slices.BinarySearchFunc(b.c.Literals, in.Start, func(l text.LiteralText, at int) int { return l.Outer.Start - at })
	last := first
	for ; last < len(b.c.Literals) && b.c.Literals[last].Outer.End <= in.End; last++ {
		b.beside(b.c.Literals[last].Text)
	}
	if at != b.use {
		b.inWord(b.word())
	}
	for _, lit := range b.c.Literals[first:last] {
		b.literal(lit)
	}
	b.constantsAround()
	b.annotated()
}

// holder is the string that holds the use.
func (b *constantUses) holder() (int, bool) {
	i, found := slices.BinarySearchFunc(b.c.Literals, b.use.Start, func(l text.LiteralText, at int) int { return l.Text.Start - at })
	if !found {
		i--
	}
	return i, i >= 0 && b.use.End <= b.c.Literals[i].Text.End
}

// filled says whether the use in a string is filled in: {GROUP}, ${api.GROUP}, $(GROUP).
func (b *constantUses) filled() bool {
	return mark.Match(b.data[max(0, b.use.Start-text.Nearby):b.use.Start])
}

var mark = lazyregexp.New(`(?:\{|\$|\()[\w.#]*$`)

// literal tells of a string that is a kind, a resource, or a path or a name that
// ends or begins with one.
func (b *constantUses) literal(lit text.LiteralText) {
	value := lit.Text.Of(b.data)
	dot, slash := bytes.IndexByte(value, '.'), bytes.IndexByte(value, '/')
	switch {
	case len(value) == 0:
	case dot >= 0 && filledIn.Match(value[dot:]): // "widgets." + GROUP
		b.tell(source.Span{Start: lit.Text.Start, End: lit.Text.Start + dot}, find.RoleResource)
	case slash == 0 || slash > 0 && filledIn.Match(append([]byte("."), value[:slash]...)): // GROUP + "/v1/widgets", "%s/v1"
		b.inPath(source.Span{Start: lit.Text.Start + slash, End: lit.Text.End})
		if m := versionBehind.FindSubmatchIndex(value[slash:]); m != nil {
			b.tell(source.Span{Start: lit.Text.Start + slash + m[2], End: lit.Text.Start + slash + m[3]}, find.RoleVersion)
		}
	default:
		b.value(lit.Text)
	}
}

// filledIn is what stands behind a resource and is filled in with the group.
var filledIn = lazyregexp.New(`^\.(%[sv]|\{\d*\}|$)`)

// constantsReach is how far from the use of a constant, in lines, those of the kind and
// the resource are looked for.
const constantsReach = 12

// constantsAround tells of the constants for the kind and the resource that stand
// around one for the group: RESOURCE_KIND = "Widget".
func (b *constantUses) constantsAround() {
	own := text.LineAround(b.data, b.use)
	if !givenName.Match(own.Of(b.data)) {
		return
	}
	b.line += bytes.Count(b.data[b.counted:b.use.Start], []byte("\n"))
	b.counted = b.use.Start
	around := b.c.linesOf(b.line-constantsReach, b.line+constantsReach)
	given := func(lit text.LiteralText) bool {
		return indentOf(lit.Before) == indentOf(own.Of(b.data)) && givenBefore.Match(lit.Before)
	}
	for _, lit := range around {
		if given(lit) && kindOrPlural.MatchString(lit.Name) {
			b.beside(lit.Text)
		}
	}
	for _, lit := range around {
		switch {
		case !given(lit):
		case strings.Contains(strings.ToLower(lit.Name), "singular"):
			b.tell(lit.Text, find.RoleKind)
		case kindOrPlural.MatchString(lit.Name), rules.APIVersion.Match(lit.Text.Of(b.data)):
			b.literal(lit)
		}
	}
}

// linesOf are the strings of some lines.
func (c *statements) linesOf(from, to int) []text.LiteralText {
	first, _ := slices.BinarySearchFunc(c.Literals, from, func(l text.LiteralText, at int) int { return l.Line - at })
	last, _ := slices.BinarySearchFunc(c.Literals, to+1, func(l text.LiteralText, at int) int { return l.Line - at })
	return c.Literals[first:last]
}

var (
	givenName       = lazyregexp.New(`^[^"'\x60(),=:]*[A-Za-z_]\w*\s*(:[^=]*)?(:=|=)[^=]`)
	givenBefore     = lazyregexp.New(`^[^"'\x60(),=:]*[A-Za-z_]\w*\s*(:[^=]*)?(:=|=)\s*$`)
	kindOrPlural    = lazyregexp.New(`(?i:(^|_)(kind|plural|singular|resources?)(_|$))|(Kind|Plural|Singular|Resources?)([A-Z_]|$)|^(kind|plural|singular|resource)[A-Z]`)
	groupAnnotation = lazyregexp.New(`@([\w.]+\.)?Group\(\s*(value\s*=\s*)?[\w.]*$`)
	// classBehind is the class behind an annotation: (1) its name. Others hold lists, @ShortNames({"x"}).
	classBehind = lazyregexp.New(`^(?:[^{};]|[(=]\s*\{[^{};]*\})*?\b(?:class|interface|record)\s+([A-Z]\w*)`)
	// nameAnnotations are those for the names of a resource: (1) the annotation, (2) the string.
	nameAnnotations = lazyregexp.New(`@(?:[\w.]+\.)?(Kind|Plural|Version)\(\s*(?:value\s*=\s*)?"(\w+)"`)
)

// annotated tells of the kind of a class whose group is the constant: that of its
// annotation, where it has one, else its name.
// Source: https://github.com/fabric8io/kubernetes-client/blob/main/doc/CHEATSHEET.md
func (b *constantUses) annotated() {
	from := max(0, b.use.Start-text.Nearby)
	if !groupAnnotation.Match(b.data[from:b.use.Start]) {
		return
	}
	rest := b.data[b.use.End:min(len(b.data), b.use.End+statementReach)]
	class := classBehind.FindSubmatchIndex(rest)
	if class == nil {
		return
	}
	if i := bytes.LastIndexAny(b.data[from:b.use.Start], ";}"); i >= 0 {
		from += i
	}
	kind := false
	for _, m := range nameAnnotations.FindAllSubmatchIndex(b.data[from:b.use.End+class[2]], -1) {
		kind = kind || b.data[from+m[2]] == 'K'
		b.value(source.Span{Start: from + m[4], End: from + m[5]})
	}
	if !kind {
		b.tell(source.Span{Start: b.use.End + class[2], End: b.use.End + class[3]}, find.RoleKind)
	}
}
