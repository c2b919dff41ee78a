package refs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// namedParts are the parts that a text names by a word: kind "Widget", resource="widgets",
// customresource_version="v1", "kind" "Widget".
var namedParts = lazyregexp.New(`(?i)([a-z_]*)(kind|resource|plural|version)s?(?:[\\"'\x60]*\s*(=~|==?|:)\s*\\?["'\x60]?|["'\x60]?\s+\\?["'\x60])([A-Za-z][A-Za-z0-9|]*)(/[a-z]+)?(?:\\?["'\x60]|[\s,;&<})]|\.?(?:\s|$))`)

// partWords are the words of namedParts.
var partWords = []string{"kind", "resource", "plural", "version"}

// maxLine is how much of a line before and after a group is read.
const maxLine = 400

// inLine takes the kind, resource and version that a text names next to a group: by a
// word, or as fields of the same row.
func (x *search) inLine() {
	if x.Whole && x.Leaf.Kind != syntax.Prose && x.Leaf.Kind != syntax.Code || x.CRD || x.Rule != nil || len(x.Known.Kinds)+len(x.Known.Plurals) > 0 {
		return
	}
	if x.Token.Form != names.Bare && x.Token.Form != names.Versioned && x.Token.Form != names.REST {
		return
	}
	from, to := x.window()
	if !x.named(from, to) {
		x.fields(from, to)
	}
	if x.Leaf.Kind == syntax.Entry && !x.Leaf.Quoted && len(x.Known.Kinds)+len(x.Known.Plurals) == 0 && x.Leaf.View.B[from] != '{' && shut(x.Leaf.Text()[x.Token.End:]) >= 0 {
		x.OpenKind = true // it may be before this text, where its object begins
	}
}

// window is the line of a group, or what is in the braces around it.
func (x *Ref) window() (from, to int) {
	b, at := x.Leaf.View.B, x.Leaf.Start+x.Token.At.Start
	first, last := x.Leaf.Start, x.Leaf.End
	if x.Leaf.Kind == syntax.Prose || x.Leaf.Kind == syntax.Code || x.Leaf.Kind == syntax.Comment {
		first, last = 0, len(b)
	}
	from, to = max(first, at-maxLine), min(last, at+maxLine)
	if i := bytes.LastIndexByte(b[from:at], '\n'); i >= 0 {
		from += i + 1
	}
	if i := bytes.IndexByte(b[at:to], '\n'); i >= 0 {
		to = at + i
	}
	if open, shut := braces(b, at); open >= 0 {
		return open, shut
	}
	return from, to
}

// braces are the innermost ones around an offset that are on its line, -1 for none.
func braces(b []byte, at int) (open, end int) {
	depth, first := 0, max(0, at-maxLine)
	if bytes.LastIndexByte(b[first:at], '{') < 0 {
		return -1, -1
	}
	for open = at - 1; open >= first && b[open] != '\n' && depth >= 0; open-- {
		switch b[open] {
		case '}':
			depth++
		case '{':
			depth--
		}
	}
	if end = shut(b[at:]); depth >= 0 || end < 0 {
		return -1, -1
	}
	return open + 1, at + end
}

// shut is where the line of a text has a closing brace of which the opening one is before it, -1
// for none.
func shut(b []byte) int {
	b = b[:min(len(b), maxLine)]
	if bytes.IndexByte(b, '}') < 0 {
		return -1
	}
	depth := 0
	for i, c := range b {
		switch c {
		case '\n':
			return -1
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// named takes the parts that words name.
func (x *Ref) named(from, to int) bool {
	b, at := x.Leaf.View.B, x.Leaf.Start+x.Token.At.Start
	if lower := bytes.ToLower(b[from:to]); !slices.ContainsFunc(partWords, func(w string) bool { return bytes.Contains(lower, []byte(w)) }) {
		return false
	}
	found := false
	for _, m := range namedParts.Get().FindAllSubmatchIndex(b[from:to], -1) {
		word := strings.ToLower(string(b[from+m[4] : from+m[5]]))
		if strings.HasSuffix(strings.ToLower(string(b[from+m[2]:from+m[3]])), "api") {
			continue
		}
		if open, end := braces(b, from+m[4]); open > 0 && b[open-1] != '{' && (at < open || at > end) {
			continue // of an object in this one, or beside it
		}
		for first := m[8]; first < m[9]; {
			end := first
			for end < m[9] && b[from+end] != '|' {
				end++
			}
			k := &syntax.Node{View: x.Leaf.View, Start: from + first, End: from + end}
			first = end + 1
			t := k.String()
			upper := t != "" && t[0] >= 'A' && t[0] <= 'Z'
			switch {
			case word == "version":
				if names.IsVersion(t) && len(x.Known.Versions) == 0 {
					x.take(Version, k)
				}
				continue
			case word == "kind" && upper:
				x.take(Kind, k)
			case word != "kind" && !upper && t != "" && !names.IsVersion(t):
				x.take(Plural, k)
			default:
				continue
			}
			found = true
		}
	}
	return found
}

// fields takes the kinds and resources of rules that are whole fields of the row, and its version
// with them, or where a rule changes one for all kinds.
func (x *search) fields(from, to int) {
	b := x.Leaf.View.B
	kinds := x.table.RulesOf(x.Known.Group).Kinds()
	if len(kinds) == 0 && !x.table.Versioned(x.Known.Group) {
		return
	}
	var lower, versions, others []*syntax.Node
	for at := from; at < to; {
		end := at
		for end < to && isWordByte(b[end]) {
			end++
		}
		if end == at {
			at++
			continue
		}
		k := &syntax.Node{View: x.Leaf.View, Start: at, End: end}
		if isField(b[from:to], at-from, end-from) {
			switch t := k.String(); {
			case slices.Contains(kinds, t):
				x.take(Kind, k)
			case x.table.RulesOf(x.Known.Group).KindNamed(t) != "":
				lower = append(lower, k)
			case names.IsVersion(t):
				versions = append(versions, k)
			case kindSpelled.MatchString(t):
				others = append(others, k)
			}
		}
		at = end
	}
	if end := x.Leaf.Start + x.Token.End; len(x.Known.Kinds)+len(lower) == 0 && x.Token.Form == names.Versioned && end < to {
		if m := kindBehind.FindSubmatchIndex(b[end:to]); m != nil {
			x.take(Kind, &syntax.Node{View: x.Leaf.View, Start: end + m[2], End: end + m[3]})
		}
	}
	if len(x.Known.Kinds)+len(lower) == 0 && x.Token.Form == names.Versioned {
		x.guess(others)
	}
	for _, k := range lower {
		kind := x.table.RulesOf(x.Known.Group).KindNamed(k.String())
		switch {
		case len(x.Known.Kinds) > 0 && k.String() == strings.ToLower(kind):
			x.add(Singular, k, k.Start, k.End)
		case len(x.Known.Kinds) > 0:
			x.add(Plural, k, k.Start, k.End)
		case k.String() != strings.ToLower(kind):
			x.take(Plural, k)
		}
	}
	stepped := slices.ContainsFunc(x.table.RulesOf(x.Known.Group), func(x rules.Rule) bool { return x.From.Kind == "" && x.From.Version != "" })
	switch named := len(x.Known.Kinds)+len(x.Known.Plurals) > 0; {
	case len(x.Known.Versions) > 0 || !stepped && !named:
	case len(versions) == 1:
		x.take(Version, versions[0])
	case stepped:
		for _, v := range versions { // of one of them, or of each
			x.Known.Versions = append(x.Known.Versions, v.String())
		}
	}
}

// kindBehind is a kind that no rule names, as the next string behind an apiVersion: lookup "example.com/v1" "Widget".
var kindBehind = lazyregexp.New("^[\\\\\"'`]+[\\s,]+[\\\\\"'`]+(" + kindWord + ")[\\\\\"'`]")

// isField says whether a word of a row is between separators.
func isField(row []byte, from, to int) bool {
	before, after := bytes.TrimSuffix(row[:from], []byte("`")), bytes.TrimPrefix(row[to:], []byte("`"))
	separates := func(c, next byte) bool {
		return strings.IndexByte("\t,\"'=|<>", c) >= 0 || c == ' ' && (next == ' ' || next == '|' || next == '\t')
	}
	b, a := len(before), len(after)
	return (len(bytes.TrimSpace(before)) == 0 || b > 1 && separates(before[b-1], before[b-2])) &&
		(len(bytes.TrimSpace(after)) == 0 || a > 1 && separates(after[0], after[1]) || a == 1 && separates(after[0], 0))
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// innermost removes the references in a text that are also in an object which is read from
// this text.
func (r *reader) innermost() {
	objects := map[int]*syntax.Node{}
	for _, x := range r.out.Refs {
		if x.Leaf.Kind == syntax.Entry {
			for _, p := range x.Parts {
				objects[p.Start] = x.Leaf
			}
		}
	}
	r.out.Refs = slices.DeleteFunc(r.out.Refs, func(x *Ref) bool {
		in := objects[x.Leaf.View.Offset(x.Leaf.Start+x.Token.At.Start)]
		return in != nil && in != x.Leaf && (x.Leaf.Kind != syntax.Entry || in.Within(x.Leaf))
	})
}

// rest reads the names that are in no node of the tree, as text: actions of
// templates, values without quotes, text between the tags of a page.
func (r *reader) rest(root *syntax.Node) {
	seen := map[int]bool{}
	for _, x := range r.out.Refs {
		seen[x.Leaf.View.Offset(x.Leaf.Start+x.Token.At.Start)] = true
		for _, p := range x.Parts {
			seen[p.Start] = true
		}
	}
	all := &syntax.Node{Kind: syntax.Prose, View: root.View, End: len(root.View.B), Up: root}
	tokens, _ := r.names.Tokens(root.View.B)
	for _, tok := range tokens {
		if !seen[root.View.Offset(tok.At.Start)] {
			r.token(all, tok)
		}
	}
}
