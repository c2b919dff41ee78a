package migrate

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Source that spells a group of the rules may say the kind or the resource far from it: by
// a loop over names, an argument, a field, an element of a list. Nobody follows them there:
// whatever is a string of its own and a renamed name is for a person, as long as nothing else
// is said of it.

// code reads the strings of source that spells a group of the kinds.
func (r *bareReader) code(format find.Format) {
	lang := format.Language()
	if lang == nil || !r.groups.Match(r.data) || !r.all.Match(r.data) || format.Is(find.Gofmt) && find.IsGenerated(r.data) {
		return
	}
	code := lang.Lex(r.data)
	spelled := r.spelled(code, format)
	for i, lit := range code.Literals {
		if lit.Text.Len() == 0 || lit.Text.Len() > text.Nearby || ofObject[strings.ToLower(lit.Name)] {
			continue
		}
		at, name := r.nameOf(lit)
		if name == nil || !slices.ContainsFunc(name.groups, func(group string) bool { return spelled[group] }) || name.role == find.RoleResource && r.isKey(lit) || r.besideOther(code, i) {
			continue
		}
		r.sites = append(r.sites, bareSite{at: at, name: name, far: true, of: lit.Name})
	}
	if format.Name == "shell" {
		r.scripted(spelled)
		r.kindWords(code, spelled)
	}
	r.compared(code, spelled)
}

// compared reads the comparisons in strings of source that spells a group, as the expressions of
// jq, yq and CEL that a script hands on.
func (r *bareReader) compared(code *text.CodeFile, spelled map[string]bool) {
	if len(spelled) == 0 {
		return
	}
	for _, compare := range r.words.compares {
		for _, m := range compare.FindAllSubmatchIndex(r.data, -1) {
			if at := text.SpanOf(m[2], m[3]); !text.Inside(code.Comments, at.Start) {
				r.scriptWord(at, "", spelled)
			}
		}
	}
}

// spelled are the groups of the kinds that source spells: in a string that is no path of a
// package, in a marker, or anywhere in a script.
func (r *bareReader) spelled(code *text.CodeFile, format find.Format) map[string]bool {
	list := map[string]bool{}
	if format.Language() == text.Languages["hash"] {
		r.noteGroups(list, r.data)
	}
	for _, lit := range code.Literals {
		if said := lit.Text.Of(r.data); !packagePath.Match(said) || r.groups.Match(said[:bytes.IndexByte(said, '/')]) {
			r.noteGroups(list, said)
		}
	}
	for _, at := range code.Comments {
		if said := at.Of(r.data); bytes.HasPrefix(bytes.TrimSpace(said), []byte("+")) {
			r.noteGroups(list, said)
		}
	}
	return list
}

// noteGroups adds the groups of the kinds that a text holds.
func (r *bareReader) noteGroups(list map[string]bool, in []byte) {
	if !r.groups.Match(in) {
		return
	}
	for _, name := range r.needles {
		for _, group := range r.names[name].groups {
			list[group] = list[group] || holdsGroup(string(in), group)
		}
	}
}

// packagePath is a path of a package that others import, on a host.
var packagePath = lazyregexp.New(`^[\w-]+(\.[\w-]+)+(/[\w.~-]+){2,}$`)

// ofObject are the names of fields and variables whose values stay, or are for people.
var ofObject = map[string]bool{"name": true, "title": true, "desc": true, "description": true, "msg": true, "message": true, "app": true, "label": true, "image": true, "namespace": true, "path": true, "file": true, "dir": true, "url": true, "host": true, "json": true, "yaml": true}

// nameOf is the name of the rules that a string is: alone, with a subresource or the name of
// an object, before a version and a group, or as a part of a path of REST. Its singular is any
// word, unless what it is called or stands behind it tells.
func (r *bareReader) nameOf(lit text.LiteralText) (source.Span, *bareName) {
	value := string(lit.Text.Of(r.data))
	word, rest := value, ""
	if i := strings.IndexAny(value, "/."); i >= 0 {
		word, rest = value[:i], value[i:]
	}
	name := r.names[word]
	if name == nil && (strings.HasPrefix(rest, "/") || kindConstant.MatchString(lit.Name) || strings.Contains(strings.ToLower(lit.Name), "singular")) {
		name = r.kubectl[word]
	}
	if name != nil {
		behind, dotted := strings.CutPrefix(rest, ".")
		version, _, _ := strings.Cut(behind, ".")
		if dotted && version != "" && !rules.APIVersion.MatchString(version) {
			name = nil // of a file
		}
		return text.SpanOf(lit.Text.Start, lit.Text.Start+len(word)), name
	}
	if !pathOfREST.MatchString(value) {
		return source.Span{}, nil
	}
	from := lit.Text.Start
	for part := range strings.SplitSeq(value, "/") {
		if name := r.names[part]; name != nil && name.role == find.RoleResource {
			return text.SpanOf(from, from+len(part)), name
		}
		from += len(part) + 1
	}
	return source.Span{}, nil
}

// pathOfREST is a path to objects of an API, or the end of one.
var pathOfREST = lazyregexp.New(`^(%[sv]|[$#]?\{[^{}/]*\})?/[^\s:]*$`)

// isKey says whether a string is a key with a value, or an index.
func (r *bareReader) isKey(lit text.LiteralText) bool {
	behind := bytes.TrimLeft(r.data[lit.Outer.End:min(len(r.data), lit.Outer.End+text.Nearby)], " \t")
	return bytes.HasPrefix(behind, []byte(":")) || bytes.HasPrefix(behind, []byte("=>")) || bytes.HasPrefix(behind, []byte("]")) && bytes.HasSuffix(lit.Before, []byte("["))
}

// besideOther says whether another group stands beside the i-th string, on its line or in its
// brackets, and none of the kinds'.
func (r *bareReader) besideOther(code *text.CodeFile, i int) bool {
	lit, other := code.Literals[i], false
	for _, x := range code.Literals[max(0, i-farthestBeside):min(len(code.Literals), i+farthestBeside)] {
		if x.Line != lit.Line && (x.Scope < 0 || x.Scope != lit.Scope) {
			continue
		}
		said := x.Text.Of(r.data)
		if r.groups.Match(said) && r.isOfGroup(said) {
			return false
		}
		other = other || aGroup.Match(said)
	}
	return other
}

// isOfGroup says whether a text holds one of the groups of the kinds.
func (r *bareReader) isOfGroup(said []byte) bool {
	return slices.ContainsFunc(r.needles, func(name string) bool {
		return slices.ContainsFunc(r.names[name].groups, func(group string) bool { return holdsGroup(string(said), group) })
	})
}

// farthestBeside is how many strings stand between a name and its group, at most.
const farthestBeside = 20

// aGroup is a string that is a group, with or without a version.
var aGroup = lazyregexp.New(`^([a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+(/v[1-9][a-z0-9]*)?|[a-z]+/v[1-9][a-z0-9]*)$`)

// scripted reads what a script gives to a variable, or goes over.
func (r *bareReader) scripted(spelled map[string]bool) {
	for _, m := range listed.FindAllSubmatchIndex(r.data, -1) {
		from, end := max(m[2], m[4]), max(m[3], m[5])
		for _, w := range plainWord.FindAllIndex(r.data[from:end], -1) {
			r.scriptWord(text.SpanOf(from+w[0], from+w[1]), "", spelled)
		}
	}
	for _, m := range given.FindAllSubmatchIndex(r.data, -1) {
		r.scriptWord(text.SpanOf(m[4], m[5]), string(r.data[m[2]:m[3]]), spelled)
	}
}

// kindWords reads the kinds in a script, wherever they stand: what a case asks for, a selector
// (--field-selector involvedObject.kind=Widget), what is printed behind a format.
func (r *bareReader) kindWords(code *text.CodeFile, spelled map[string]bool) {
	for at := 0; ; {
		n, needle := r.finder.Index(r.data, at)
		if n < 0 {
			return
		}
		at = n + len(needle)
		word := text.SpanOf(n, n+len(aWord.Find(r.data[n:min(len(r.data), n+text.LongestName)])))
		if name := r.names[string(word.Of(r.data))]; name != nil && name.role == find.RoleKind && (n == 0 || !text.IsIdent(r.data[n-1]) && !strings.ContainsRune("-./$", rune(r.data[n-1]))) && !text.Inside(code.Comments, n) {
			r.scriptWord(word, "", spelled)
		}
	}
}

// given is (2) a word that a script gives to (1) a variable.
var given = lazyregexp.New(`(?m)(?:^|[;&|(\s])([A-Za-z_]\w*)=([A-Za-z][\w-]*)(?:[;)\s]|$)`)

// scriptWord notes a word of a script that spells its group, and that a variable stands for; ""
// for none.
func (r *bareReader) scriptWord(at source.Span, of string, spelled map[string]bool) {
	if name := r.names[string(at.Of(r.data))]; name != nil && slices.ContainsFunc(name.groups, func(group string) bool { return spelled[group] }) {
		r.sites = append(r.sites, bareSite{at: at, name: name, far: true, of: of})
	}
}

// isSaidBy says whether nothing is to be told of a name in source because of the group beside
// it: that is for a person on the same line, or with a word of the kind, or it is kept.
func (s bareSite) isSaidBy(x Site, data []byte) bool {
	if x.Action() == edit.Change {
		return false
	}
	near := max(x.Start-s.at.End, s.at.Start-x.End) <= longestStatement
	if !near && s.of == "" {
		return false
	}
	var between []byte
	if near {
		between = data[min(x.End, s.at.End):max(x.Start, s.at.Start)]
	}
	ofGroup := near && slices.ContainsFunc(s.name.groups, func(group string) bool { return holdsGroup(x.Old, group) })
	if x.Action() == edit.Stay {
		return ofGroup && !s.name.isDone(x) && bytes.Count(between, []byte("\n")) < 2
	}
	for _, name := range []string{string(s.at.Of(data)), s.name.kind} {
		if strings.Contains(x.Why, " without "+name+" beside it") || strings.HasPrefix(x.Why, name+" stands beside another group") {
			return s.of != "" || !statementEnd.Match(between)
		}
	}
	return ofGroup && bytes.IndexByte(between, '\n') < 0
}

// isDone says whether a site that is kept has the new name of the kind, or of its resource,
// already.
func (n *bareName) isDone(x Site) bool {
	r := n.rule
	return x.Reason == "no-rule" && (strings.HasSuffix(x.Why, " kind "+r.To.Kind) || strings.HasSuffix(x.Why, " resource "+cmp.Or(r.To.Plural, rules.Plurals(r.To.Kind)[0])))
}

// longestStatement is how far a group stands from a kind in one statement, at most, in bytes.
const longestStatement = 600

// statementEnd is the end of a line on which no statement goes on.
var statementEnd = lazyregexp.New(`[^\s,(\[{+|&.:\\][ \t]*\r?\n\s*[^\s.)\]}+|&]`)
