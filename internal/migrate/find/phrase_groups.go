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

// What rows of phrases ask about lines that name a group, and what else these
// tell of it.

var (
	// cellBefore and cellBehind are what stands around the whole of a cell.
	cellBefore = rx("\\|\\s*[`*_]*$|<t[dh][^>]*>\\s*(<code>)?$")
	cellBehind = rx("^[`*_]*\\s*\\||^(</code>)?\\s*</t[dh]>")
)

// besideKind says whether a kind of the group stands in another cell of the row.
func besideKind(p *spot) bool {
	for _, side := range [][]byte{p.left, p.right} {
		for _, w := range cellWord.FindAllSubmatch(side, -1) {
			if kind, ok := p.Singular(p.tok.Known.Group, strings.ToLower(string(w[1]))); ok && kind == string(w[1]) || p.kinds[string(w[1])] {
				return true
			}
		}
	}
	return false
}

// besideVersion says whether a version stands in a cell of the row.
func besideVersion(p *spot) bool { return cellVersion.Match(p.left) || cellVersion.Match(p.right) }

var cellVersion = lazyregexp.New("(?:\\||>)\\s*[`*_]*v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?[`*_]*\\s*(?:\\||<)")

var cellWord = lazyregexp.New("(?:\\||>)\\s*[`*_]*([A-Z][A-Za-z0-9]*)[`*_]*\\s*(?:\\||<)")

// namesAnother says whether a name that is spelled like a resource of the group
// stands where a group does: PLURAL.GROUP may be one of its own.
func namesAnother(p *spot) bool {
	return p.tok.Known.Kind == "" && p.tok.Ver.Len() == 0 && (groupBefore.Match(p.left) || groupFlag.Match(p.left) || groupWordThen.Match(p.right) || versionHead.Match(p.left) && headEnd.Match(p.rest))
}

// joinedBySemicolon says whether a semicolon joins a name to another word, without a blank.
// Source: prometheus.io, relabel_config, separator.
func joinedBySemicolon(p *spot) bool {
	return behindSemicolon.Match(p.left) || beforeSemicolon.Match(p.right)
}

var (
	behindSemicolon = rx(`[\w*+)];$`)
	beforeSemicolon = rx(`^;[\w.(]`)
)

// inName says whether a hyphen joins a name to more.
func inName(p *spot) bool {
	return bytes.HasPrefix(p.right, []byte("-")) || bytes.HasSuffix(p.left, []byte("-"))
}

// defaultOf is the variable of a shell that has a name for its value where it is not
// set, "" for any other name.
func (p *spot) defaultOf() string {
	m := defaulted.FindSubmatch(p.left[max(0, len(p.left)-80):])
	if m == nil || !bytes.HasPrefix(bytes.TrimLeft(p.right, `"'`), []byte("}")) {
		return ""
	}
	return string(m[1])
}

// tellsDefault reads the version that stands behind a variable.
func tellsDefault(p *spot, s *Site) {
	if m := behindDefault.FindSubmatch(p.right); m != nil {
		s.Loose = append(s.Loose, string(m[1]))
	}
}

var behindDefault = lazyregexp.New(`^["']?\}["']?/(v[1-9][a-z0-9]*)`)

// Source: POSIX, shell command language, parameter expansion.
var defaulted = lazyregexp.New(`\$\{([A-Za-z_]\w*):?[-=]["']?$`)

// followed says that the kinds on the line follow the name.
func followed(_ *spot, s *Site) { s.Kinds = true }

// tellsListed reads the resource that a message of the API server names before the
// group: resource "things" in API group "GROUP"; or the kind that a client did not find.
// Source: k8s.io/apiserver, pkg/endpoints/handlers/responsewriters, forbiddenMessage.
func tellsListed(p *spot, s *Site) {
	if m := kindInVersion.FindSubmatch(p.left); m != nil {
		s.Facts.Kind = string(m[1])
	}
	if m := resourceInGroup.FindSubmatchIndex(p.left); m != nil && m[2] >= p.told {
		p.tellsPart(s, "resource", source.Span{Start: p.begin() + m[2], End: p.begin() + m[3]})
	}
	s.Kinds = true
}

var (
	groupBefore   = text.Tail(100, `(?i)group(s|name)?["'\x60]?\)?\s*(:=|[:=]{1,3}|,)\s*(\[?\]?(string|str)?[{(\[])?\s*\\?["'\x60]?$`, "group")
	groupFlag     = text.Tail(100, `(?i)--?[a-z-]*group[= ]\s*["']?$`, "group")
	versionHead   = rx(`(?i)(api_?version|group_?version)[^;"'\x60]{0,40}["'\x60]\^?$`, "version")
	headEnd       = rx(`^/(?:\.?\*)?["'\x60]`)
	groupWordThen = rx(`^["'\x60*_]*\s+(v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?\s+)?(API |api |api-)?[Gg]roups?\b`)
	kindAfter     = lazyregexp.New(`^["'\x60]?[,;]?\s*(?:"?kind"?\s*[:=]\s*)?["'\x60]?([A-Z][A-Za-z0-9]+)`)
	// kindIndexed is (1) the kind by which objects of a version are looked up.
	// Source: Gatekeeper, data.inventory.
	kindIndexed = lazyregexp.New(`^["'\x60]\](?:\[["'\x60]|\.)([A-Z][A-Za-z0-9]+)`)
	// kindInVersion is (1) the kind that a client found no resource for.
	// Source: k8s.io/apimachinery, pkg/api/meta, NoKindMatchError.
	kindInVersion   = lazyregexp.New(`\bkind \\?"([A-Z][A-Za-z0-9]+)\\?" in (?:version|group) \\?"$`)
	resourceInGroup = lazyregexp.New(`\bresource \\?"([a-z0-9-]+)(?:/[a-z]+)?\\?" in API group \\?"$`)

	kindLine = rx(`(?i)\bkind(?:["']?\s*[:=]\s*["']?|>\s*|["'][ \t]+["'])([A-Z][A-Za-z0-9]+)`, "kind")
	// apiVersionBefore is what makes the version of a site certain.
	apiVersionBefore = text.Tail(60, `(?i)api[-_]?version["']?\s*[:=]\s*["'\x60]?$`, "version")
	namedWord        = lazyregexp.New(`(?i)\b(version|kind|resource|plural)["']?\s*[:=]\s*["']?([A-Za-z0-9-]+)|\s--?(?:[a-z]+-)*(version|kind|resource|plural)\s+["']?([A-Za-z0-9-]+)`)
)

// quotedBy says whether a name is the whole of a word in one of some quotes.
func quotedBy(left, right []byte, quotes string) bool {
	if len(left) == 0 || len(right) == 0 {
		return false
	}
	q := left[len(left)-1]
	return right[0] == q && strings.IndexByte(quotes, q) >= 0
}

// saysGroup says whether a sentence goes on with the word for a group, on its
// line or at the beginning of the one below.
func saysGroup(p *spot) bool {
	if len(bytes.TrimSpace(p.right)) > 0 {
		return groupWordThen.Match(p.right)
	}
	_, next := text.LineEnd(p.v.Data, p.tok.Word.End, len(p.v.Data))
	content, _ := text.LineEnd(p.v.Data, next, len(p.v.Data))
	return groupWordThen.Match(append([]byte(" "), bytes.TrimLeft(p.v.Data[next:content], " \t/#*")...))
}

// tellsLine reads kind, resource and version from the rest of a line such as
// "Group=mcad.ibm.com, Version=v1beta1, Kind=AppWrapper".
func tellsLine(p *spot, s *Site) {
	s.Kinds = true
	for _, side := range []source.Span{{Start: p.tok.Word.End, End: p.tok.Word.End + len(p.right)}, {Start: p.begin() + p.told, End: p.tok.Word.Start}} {
		content := side.Of(p.v.Data)
		for _, m := range namedWord.FindAllSubmatchIndex(content, -1) {
			if m[2] < 0 { // a flag and its value
				m = slices.Concat(m[:2], m[6:])
			}
			at := source.Span{Start: side.Start + m[4], End: side.Start + m[5]}
			if m[5]+1 < len(content) && content[m[5]] == '.' && text.IsWordByte(content[m[5]+1]) { // a longer name
				continue
			}
			p.tellsPart(s, strings.ToLower(string(content[m[2]:m[3]])), at)
		}
	}
}

// tellsPart takes over what a line says of a site by its name: its version, kind or
// resource. A kind on the line of the site follows it by itself.
func (p *spot) tellsPart(s *Site, name string, at source.Span) {
	switch value := string(at.Of(p.v.Data)); {
	case name == "version" && s.Facts.Version == "" && rules.APIVersion.MatchString(value):
		s.Facts.Version = value
		s.Beside = append(s.Beside, Part{Doc: p.v, Span: at, Role: RoleVersion})
	case name == "kind" && s.Facts.Kind == "" && rules.KindName.MatchString(value):
		s.Facts.Kind = value
		if line := text.LineAround(p.v.Data, p.tok.Word); at.Start < line.Start || at.End > line.End {
			s.Beside = append(s.Beside, Part{Doc: p.v, Span: at, Role: RoleKind})
		}
	case (name == "resource" || name == "plural") && s.Facts.Plural == "" && rules.PluralName.MatchString(value):
		s.Facts.Plural = value
		s.Beside = append(s.Beside, Part{Doc: p.v, Span: at, Role: RoleResource})
	}
}

// tellsKind reads the kind behind group/version, or nearby.
func tellsKind(p *spot, s *Site) {
	if m := kindIndexed.FindSubmatchIndex(p.right); m != nil {
		s.take([]Part{{Doc: p.v, Span: source.Span{Start: p.tok.Word.End + m[2], End: p.tok.Word.End + m[3]}, Role: RoleKind}})
	} else if m := kindInVersion.FindSubmatch(p.left); m != nil {
		s.Facts.Kind = string(m[1])
	} else if m := kindAfter.FindSubmatch(p.right); m != nil && p.kinds[string(m[1])] {
		s.Facts.Kind = string(m[1])
	} else if kind, span := kindNear(p.v.Data, p.tok.Word, p.mode != InProse && p.mode != InComment || apiVersionBefore.Match(p.left)); kind != "" {
		s.Facts.Kind = kind
		s.Beside = []Part{{Doc: p.v, Span: span, Role: RoleKind}}
		return
	} else if m := kindFilled.FindSubmatch(p.v.Data[p.tok.Word.End:min(len(p.v.Data), p.tok.Word.End+text.Nearby)]); m != nil {
		p.tellsFilled(s, m[1])
	}
	s.Kinds = true
}

// kindFilled is (1) what is filled in for the kind on the line behind a version.
var kindFilled = lazyregexp.New(`^["']?(?:\r?\n|\\n)[ \t]*["']?kind["']?:[ \t]*["']?(\$[({\w]|%[sv]|#?\{[\w.]*\}|\{\{[^\n]*)`)

var (
	versionBetween = lazyregexp.New(`\.[a-z0-9-]+/v[1-9][a-z0-9]*\b|\bapiVersion["']?:[ \t]*["']?([a-z]+/)?v[1-9]`)
	sentenceEnds   = lazyregexp.New(`[.!?;]\s`)
)

// kindNear finds "kind: X" on the line of a span or, beyond it, a line or two below or
// above; none behind another version, or in another sentence.
func kindNear(data []byte, word source.Span, beyond bool) (string, source.Span) {
	line := text.LineAround(data, word)
	from, content := line.Start, line.End
	first, last := max(0, from-2*text.Nearby), min(len(data), content+2*text.Nearby)
	below, next := content, content
	for range 3 { // the first is what is left of the line
		if next >= last {
			break
		}
		below, next = text.LineEnd(data, next, last)
	}
	above := from
	for range 2 {
		if above > first {
			above = first + text.LineStart(data[first:], above-first-1)
		}
	}
	for i, s := range []source.Span{{Start: from, End: content}, {Start: content, End: below}, {Start: above, End: from}} {
		m := kindLine.Find(s.Of(data))
		if m == nil || i > 0 && !beyond {
			continue
		}
		k := source.Span{Start: s.Start + m[2], End: s.Start + m[3]}
		if between := text.SpanOf(min(word.End, k.End), max(word.Start, k.Start)).Of(data); versionBetween.Match(between) || !beyond && sentenceEnds.Match(between) {
			continue
		}
		return string(k.Of(data)), k
	}
	return "", source.Span{}
}
