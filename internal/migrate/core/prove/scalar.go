package prove

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// permits says whether a text is another one in which whole names are replaced
// as the rules say; else it returns the offset of the first difference. In a
// text with lists, a name may also be added to a list or taken out of it.
func (f *proof) permits(old, fresh string, lists bool) (at int, ok bool) {
	i, j := 0, 0
	lists = lists && len(old) <= maxListLine
	for i < len(old) || j < len(fresh) {
		n, m := 0, 0
		if lists {
			n, m = f.item(old, fresh, i, j)
		}
		if n+m == 0 {
			n, m = f.step(old, fresh, i, j)
		}
		if n+m == 0 {
			return i, false
		}
		i, j = i+n, j+m
	}
	return 0, true
}

// maxListLine is how long a line may be of which lists are compared.
const maxListLine = 1 << 16

// step reads one name, or one byte that does not change.
func (f *proof) step(old, fresh string, i, j int) (n, m int) {
	if i < len(old) && j < len(fresh) && starts(old, i) && !f.opts.Dual {
		if n, m = f.key(old[i:], fresh[j:]); n > 0 {
			return n, m
		}
		if r := f.reference(old, i); r != nil {
			m = f.replaced(r, old[i:r.end], fresh[j:])
			if m == 0 {
				return 0, 0
			}
			return r.end - i, m
		}
		if n, m = f.word(old, fresh, i, j); n > 0 {
			return n, m
		}
	}
	if i < len(old) && j < len(fresh) && old[i] == fresh[j] {
		return 1, 1
	}
	return 0, 0
}

// key reads a key that the rules rename.
func (f *proof) key(old, fresh string) (n, m int) {
	for _, k := range f.names.keys {
		if strings.HasPrefix(old, k.From) && strings.HasPrefix(fresh, k.To) &&
			(strings.HasSuffix(k.From, "/") || ends(old, len(k.From)) && ends(fresh, len(k.To))) {
			return len(k.From), len(k.To)
		}
	}
	return 0, 0
}

// replaced is the length of what a reference became: itself or what the rules
// make of it; 0 for anything else.
func (f *proof) replaced(r *reference, old, fresh string) int {
	best := 0
	for _, to := range f.images(r.site) {
		s := r.spell(to)
		if len(s) > best && strings.HasPrefix(fresh, s) && run(fresh[len(s):]) == 0 {
			best = len(s)
		}
	}
	if best == 0 && strings.HasPrefix(fresh, old) && run(fresh[len(old):]) == 0 {
		best = len(old)
	}
	return best
}

// word reads a kind, the name of a resource or a version.
func (f *proof) word(old, fresh string, i, j int) (n, m int) {
	end := i + run(old[i:])
	if end == i {
		return 0, 0
	}
	w := old[i:end]
	to := fresh[j : j+run(fresh[j:])]
	switch {
	case w == to:
	case slices.Contains(f.names.words[w], to) && alone(old, i, end):
	case isVersion(w) && slices.Contains(f.names.versionsFrom(w), to) && delimited(old, i, end):
	default:
		return 0, 0
	}
	return len(w), len(to)
}

// A reference is one spelling of an API: [RESOURCE.][VERSION.]GROUP[/VERSION][/KIND].
type reference struct {
	site   rules.GVK
	pieces []piece
	end    int
	hyphen bool // there is one in front of it
}

// A piece is a part of a reference, or the text between two parts.
type piece struct {
	part part
	form form // of a group
	text string
}

type part uint8

const (
	between part = iota
	group
	version
	kind
	plural
	lowKind
)

// spell writes a reference with the parts that an answer has.
func (r *reference) spell(to rules.GVK) string {
	var b strings.Builder
	for _, p := range r.pieces {
		switch p.part {
		case group:
			b.WriteString(p.form.as(to.Group))
		case version:
			b.WriteString(to.Version)
		case kind:
			b.WriteString(to.Kind)
		case plural:
			b.WriteString(to.Plural)
		case lowKind:
			b.WriteString(strings.ToLower(to.Kind))
		default:
			b.WriteString(p.text)
		}
	}
	return b.String()
}

func (r *reference) add(p part, text string) {
	r.pieces = append(r.pieces, piece{part: p, text: text})
	r.end += len(text)
	switch p {
	case version:
		r.site.Version = text
	case kind:
		r.site.Kind = text
	case plural:
		r.site.Plural = text
	}
}

// reference reads the reference that begins at an offset; nil for none.
func (f *proof) reference(s string, at int) *reference {
	if at > 0 && s[at-1] == '@' || strings.HasSuffix(s[:at], "://") {
		return nil
	}
	r := &reference{end: at, hyphen: at > 0 && s[at-1] == '-' && !strings.HasSuffix(s[:at], ":-")}
	if f.group(r, s) {
		return r.complete(f, s)
	}
	n := run(s[at:])
	if n == 0 || at+n >= len(s) || s[at+n] != '.' {
		return nil
	}
	w := s[at : at+n]
	switch {
	case isVersion(w):
		r.add(version, w)
	case w[0] >= 'A' && w[0] <= 'Z':
		r.add(kind, w)
	default:
		r.add(plural, w)
	}
	r.add(between, ".")
	if n := run(s[r.end:]); r.site.Version == "" && isVersion(s[r.end:r.end+n]) && strings.HasPrefix(s[r.end+n:], ".") {
		r.add(version, s[r.end:r.end+n])
		r.add(between, ".")
	}
	if !f.group(r, s) {
		return nil
	}
	if p := r.site.Plural; len(p) > 1 && (p[0] == 'm' || p[0] == 'v') && f.table.KindNamed(r.site.Group, p) == "" && f.table.KindNamed(r.site.Group, p[1:]) != "" {
		r.site.Plural = p[1:] // of a webhook
		r.pieces = append([]piece{{part: between, text: p[:1]}}, r.pieces...)
	}
	return r.complete(f, s)
}

// group reads the group of a reference.
func (f *proof) group(r *reference, s string) bool {
	if r.end >= len(s) {
		return false
	}
	rest := s[r.end:]
	for _, g := range f.names.groups[rest[0]] {
		if !strings.HasPrefix(rest, g.text) || !g.fits(rest[len(g.text):]) || g.form != dashed && r.hyphen {
			continue
		}
		r.site.Group = g.group
		r.pieces = append(r.pieces, piece{part: group, form: g.form, text: g.text})
		r.end += len(g.text)
		return true
	}
	return false
}

// fits says whether a text that begins with a spelling names the group: what
// follows is not a part of a longer name.
func (g spelling) fits(rest string) bool {
	switch g.form {
	case dashed:
		return strings.HasPrefix(rest, "-") && (isVersion(rest[1:1+run(rest[1:])]) || isFilled(rest[1:]))
	case joined:
		return isVersion(rest[:run(rest)])
	}
	return ends(rest, 0)
}

// isFilled says whether a text begins with what is filled in at run time.
func isFilled(text string) bool { return text != "" && strings.IndexByte("{$%", text[0]) >= 0 }

// complete reads what follows the group; nil where it is the prefix of a key or
// a path.
func (r *reference) complete(f *proof, s string) *reference {
	last := r.pieces[len(r.pieces)-1]
	switch {
	case last.form == joined:
		r.add(version, s[r.end:r.end+run(s[r.end:])])
	case last.form == dashed:
		if isFilled(s[r.end+1:]) {
			break
		}
		r.add(between, "-")
		r.add(version, s[r.end:r.end+run(s[r.end:])])
		r.lowKindAfter(f, s, "-")
	case strings.HasPrefix(s[r.end:], "/"):
		return r.path(f, s)
	case strings.HasPrefix(s[r.end:], "_"):
		if w := s[r.end+1 : r.end+1+run(s[r.end+1:])]; r.site.Plural == "" && f.table.KindNamed(r.site.Group, w) != "" {
			r.add(between, "_") // the name of a file
			r.add(plural, w)
		}
	default:
		r.kindAfter(s, ", Kind=")
	}
	return r
}

// lowKindAfter reads a kind in small letters behind a separator: in the path of a webhook, in
// the name of the file of a schema.
func (r *reference) lowKindAfter(f *proof, s, sep string) {
	if !strings.HasPrefix(s[r.end:], sep) {
		return
	}
	low := s[r.end+1 : r.end+1+run(s[r.end+1:])]
	for _, k := range f.table.KindsOf(r.site.Group) {
		if strings.ToLower(k) == low {
			r.add(between, sep)
			r.add(lowKind, low)
			r.site.Kind = k
			return
		}
	}
}

// schema is KIND_VERSION.json, what is behind a group in the path of a schema.
var schema = lazyregexp.New(`^/[a-z0-9]+_(v[a-z0-9]+)\.json`)

// path reads what is behind the slash after a group.
func (r *reference) path(f *proof, s string) *reference {
	w := s[r.end+1 : r.end+1+run(s[r.end+1:])]
	switch {
	case isVersion(w):
		r.add(between, "/")
		if r.site.Version != "" {
			r.add(between, w) // RESOURCE.VERSION.GROUP/VERSION is no reference
			return r
		}
		r.add(version, w)
		for _, sep := range []string{"/", ", Kind=", ", kind=", ":", "."} {
			if r.kindAfter(s, sep) {
				break
			}
		}
	case schema.MatchString(s[r.end:]):
		of := schema.FindStringSubmatch(s[r.end:])[1]
		if r.lowKindAfter(f, s, "/"); r.site.Kind == "" {
			r.add(between, "/"+w)
		}
		r.add(between, "_")
		r.add(version, of)
	case w != "" && w[0] >= 'a' && w[0] <= 'z' && r.site.Plural == "" && r.site.Kind == "" && f.table.KindNamed(r.site.Group, w) == "":
		return nil
	case r.site.Plural == "": // else the name of an object
		r.kindAfter(s, "/")
	}
	return r
}

// kindAfter reads a kind behind a separator.
func (r *reference) kindAfter(s, sep string) bool {
	if r.site.Kind != "" || !strings.HasPrefix(s[r.end:], sep) {
		return false
	}
	w := s[r.end+len(sep):]
	w = w[:run(w)]
	if w == "" || w[0] < 'A' || w[0] > 'Z' {
		return false
	}
	r.add(between, sep)
	r.add(kind, w)
	return true
}

// item reads a name that is added to a list, or taken out of it.
func (f *proof) item(old, fresh string, i, j int) (n, m int) {
	n, was := listItem(old[i:])
	m, is := listItem(fresh[j:])
	switch {
	case n+m == 0 || was == is || n > 0 && f.isMade(was, is):
		return 0, 0
	case m > 0 && f.names.to[is] && f.hasSource(old, is):
		return 0, m
	case m > 0 && f.opts.Dual && isVersion(is):
		return 0, m
	case f.opts.Dual:
	case n > 0 && f.isName(was) && f.hasTarget(fresh, was):
		return n, 0
	}
	return 0, 0
}

// listItem reads a separator and a name, with its quotes.
func listItem(s string) (n int, name string) {
	if s == "" || s[0] != ',' && s[0] != ';' {
		return 0, ""
	}
	rest := strings.TrimLeft(s[1:], " ")
	quoted := strings.TrimLeft(rest, "\"'`")
	end := 0
	for end < len(quoted) && isListed(rune(quoted[end])) {
		end++
	}
	quotes := len(rest) - len(quoted)
	n = len(s) - len(quoted) + end
	return min(n+quotes, len(s)), quoted[:end]
}

// isName says whether a text is a group or version of the rules.
func (f *proof) isName(s string) bool {
	return f.names.from[s] || f.names.to[s] || isVersion(s)
}

// hasSource says whether a text names a group that may become another one.
func (f *proof) hasSource(text, to string) bool {
	for g := range f.names.from {
		if strings.Contains(text, g) && f.becomes(g, to) {
			return true
		}
	}
	return false
}

func (f *proof) becomes(from, to string) bool {
	return slices.Contains(f.images(rules.GVK{Group: from}), rules.GVK{Group: to})
}

// hasTarget says whether a text has a name, or what it becomes.
func (f *proof) hasTarget(text, name string) bool {
	if strings.Contains(text, name) {
		return true
	}
	for _, to := range f.images(rules.GVK{Group: name}) {
		if strings.Contains(text, to.Group) {
			return true
		}
	}
	return slices.ContainsFunc(f.names.versionsFrom(name), func(v string) bool { return strings.Contains(text, v) })
}

// run is the number of letters and digits that a text begins with.
func run(s string) int {
	n := 0
	for n < len(s) && isLabel(s[n]) {
		n++
	}
	return n
}

func isLabel(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// starts says whether a name may begin at an offset.
func starts(s string, i int) bool {
	return isLabel(s[i]) && (i == 0 || !isLabel(s[i-1]))
}

// ends says whether a name may end at an offset.
func ends(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	if s[i] == '-' {
		return i+1 == len(s) || !isLabel(s[i+1])
	}
	return !isLabel(s[i]) && (s[i] != '.' || i+1 == len(s) || !isLabel(s[i+1]) || s[i+1] >= 'A' && s[i+1] <= 'Z')
}

// alone says whether a word is not a part of a name with hyphens.
func alone(s string, i, end int) bool {
	if s[i] >= 'A' && s[i] <= 'Z' {
		return true
	}
	return (i == 0 || s[i-1] != '-' && s[i-1] != '_') && (end == len(s) || s[end] != '-' && s[end] != '_')
}

// delimited says whether a version is a value of its own.
func delimited(s string, i, end int) bool {
	before := strings.TrimRight(s[:i], " \t")
	return (before == "" || strings.IndexByte("\"'`=:;,[({-/|>", before[len(before)-1]) >= 0) &&
		(end == len(s) || strings.IndexByte("\"'`;,])}/ \r\t|<", s[end]) >= 0)
}

// isVersion says whether a text is an API version: v1, v1beta2.
func isVersion(s string) bool {
	return len(s) > 1 && len(s) < 24 && s[0] == 'v' && rules.APIVersion.MatchString(s)
}
