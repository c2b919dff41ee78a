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

// A kind that becomes another one has its name in prose, too. Many kinds are
// ordinary words: one counts on a line that names its group, and where it is
// marked as a name.

// withKinds follows the kinds that become others on the line of a token whose
// group or version has moved. One that is not marked as a kind stays.
func (m *maker) withKinds(s *find.Site) {
	line := text.LineAround(s.Doc.Data, s.Word)
	for _, rule := range m.RulesOf(s.Known.Group) {
		if rule.To.Kind == rule.From.Kind || rule.To.Kind == "" {
			continue
		}
		for _, kind := range []string{rule.From.Kind, rule.From.Kind + "List"} {
			m.kindWords(s, line, kind)
		}
	}
}

// kindWords settles the places of a kind on a line that names its group.
func (m *maker) kindWords(s *find.Site, line source.Span, kind string) {
	v, tok := s.Doc, s.Token
	ver := m.Ask(rules.GVK{Group: tok.Known.Group, Version: tok.Known.Version, Kind: kind})
	if ver.Outcome != rules.Moves || ver.To.Kind == kind {
		return
	}
	for at := line.Start; ; {
		n := bytes.Index(v.Data[at:line.End], []byte(kind))
		if n < 0 {
			return
		}
		word := source.Span{Start: at + n, End: at + n + len(kind)}
		at = word.End
		switch {
		case !isWord(v.Data[line.Start:line.End], word.Start-line.Start, word.End-line.Start), word.Start < tok.Word.End && tok.Word.Start < word.End:
		case marksKind(v.Data[line.Start:word.Start], v.Data[word.End:line.End], tok.Word.Start-line.Start, tok.Word.Start-word.End):
			m.unmarked(v.Span(word))
			m.beside(v, word, find.RoleKind, ver.Rule, ver.To.Kind)
		case !m.hasSite(v.Span(word)):
			m.record(Outcome{Span: v.Span(word), Role: find.RoleProse, Old: kind}.Keep("prose", unmarkedWhy))
		}
	}
}

const unmarkedWhy = "a word that nothing marks as a kind"

// unmarked takes back that a word is no kind: another group on its line marks it.
func (m *maker) unmarked(word source.Span) {
	m.made = slices.DeleteFunc(m.made, func(s Outcome) bool { return s.Span == word && s.Why == unmarkedWhy })
	m.sited = nil
}

// isWord says whether a part of a text is a word of its own, and no part of a
// name, a path or an address.
func isWord(line []byte, from, to int) bool {
	return (from == 0 || !text.IsIdent(line[from-1]) && bytes.IndexByte([]byte(".-/"), line[from-1]) < 0) &&
		(to == len(line) || !text.IsIdent(line[to]) && bytes.IndexByte([]byte("-/"), line[to]) < 0 && !(line[to] == '.' && to+1 < len(line) && text.IsIdent(line[to+1])))
}

var (
	kindWordBefore = lazyregexp.New(`(?i)\b(kinds?|crds?|resources?|objects?)["'\x60]?\s*[:=]?\s*["'\x60*(]*$`)
	kindWordBehind = lazyregexp.New(`(?i)^["'\x60*)]*\s+(kinds?|crds?|crs?|custom resources?|resources?|objects?|apis?)\b`)
	ofGroup        = lazyregexp.New(`(?i)^["'\x60*)]*,?\s+(\(|(of|in|from)\b)[^.;]*$`)
)

// marksKind says whether what stands around a word marks it as a kind: quotes,
// a word such as kind or resource, or the group right before or behind it. From
// is where the group begins in left, to where it begins in right; the other is
// behind the end, or negative.
func marksKind(left, right []byte, from, to int) bool {
	if len(left) > 0 && len(right) > 0 && left[len(left)-1] == right[0] && strings.IndexByte("`\"'*", right[0]) >= 0 {
		return true
	}
	if cellBegins.Match(left) && cellEnds.Match(right) {
		return true
	}
	if kindWordBefore.Match(left) || kindWordBehind.Match(right) {
		return true
	}
	if to > 0 && to <= len(right) { // the group is behind
		return ofGroup.Match(right[:to])
	}
	return from >= 0 && from < len(left) && groupThenKind.Match(left[from:])
}

// A cell of a table that is nothing but a word: what stands before and behind it.
var (
	cellBegins = lazyregexp.New("\\|\\s*[`*_]*$|<t[dh][^>]*>\\s*$")
	cellEnds   = lazyregexp.New("^[`*_]*\\s*\\||^\\s*</t[dh]>")
)

// groupThenKind is a group, with its version perhaps, right before a kind.
var groupThenKind = lazyregexp.New(`^[^\s,;"'\x60]+["'\x60*)]*(,|'s|s)?\s+["'\x60*(]*$`)
