// Package names reads the spellings of API groups in a text. It knows which
// groups the rules look for, and nothing of the place of a text in its file.
package names

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// A Form says how a group is spelled.
type Form uint8

// The forms. In each, [] is the group.
const (
	Bare      Form = iota // [example.com]
	Versioned             // [example.com]/v1, [example.com]/v1/Kind, [example.com]/v1, Kind=Kind
	WithKind              // [example.com]/Kind, resource.customizations.health.[example.com]_Kind
	Path                  // [example.com]/anything: a key of a label, a path
	Resource              // widgets.[example.com], widgets.v1.[example.com], v1.[example.com], Widget.v1.[example.com]
	REST                  // /apis/[example.com]/v1/namespaces/x/widgets, [example.com]/widget_v1.json, [example.com]~v1~Widget
	File                  // [example.com]_widgets.yaml, widgets.[example.com]-v1.yml
	Longer                // other.[example.com], [example.com].org
	Email                 // someone@[example.com]
	Host                  // https://[example.com]/
	Filled                // {{ x }}.[example.com], %s.[example.com], *.[example.com]
	MovedKey              // a key, or the prefix of one, that a ruleset renames
	Hook                  // /mutate-[example-com]-v1-widget: the path of a webhook
	Anchor                // #[examplecom]v1: a link to a heading that names the group
	Pattern               // [example\.com]: a regular expression
	Part                  // {{ x }}.[com]/v1: the first label is filled in
)

// A Token is one spelling of a group in a text. Spans are offsets in the text;
// empty ones are not there.
type Token struct {
	Form     Form
	Group    string
	At       source.Span // of the group
	Prefix   source.Span // the labels before it, without the last dot
	Version  source.Span
	Kind     source.Span // a kind or, in a REST path, a resource
	Plural   source.Span // a resource: of the prefix, of a REST path, of a file name
	End      int         // of everything that belongs to the token
	Open     bool        // the version is filled in at run time
	OpenName bool        // the resource is
	Named    bool        // a Resource with the name of an object behind a slash
	Slashed  bool        // a Resource with a version behind a slash: widgets.example.com/v1, or another group
	Spelled  string      // of a Hook, Anchor or Pattern: how the group is spelled; of a MovedKey: what the ruleset renames
	Before   byte        // the byte before the token, 0 at the begin
	After    byte        // the byte after it
}

// Names finds the groups of rules.
type Names struct {
	table  *rules.Table
	groups []string            // longest first
	longer map[string][]string // the new groups that hold an old one, by the old one
	keys   []rules.KeyRule
	finder *find.Finder
	inText *find.Finder     // of what a text has in which a group is spelled
	asks   map[string][]int // the groups, by what that finds
	made   map[string]made  // the other spellings of groups with a dot
}

// made are the spellings that are made of a group: hookOf, anchorOf, partsOf, patternsOf.
type made struct {
	hook, anchor    string
	parts, patterns []string
}

// New makes the Names of a table.
func New(t *rules.Table) *Names {
	n := &Names{table: t, groups: slices.Clone(t.Groups()), keys: slices.Clone(t.Keys()), longer: map[string][]string{}, made: map[string]made{}}
	slices.SortFunc(n.groups, func(a, b string) int { return len(b) - len(a) })
	slices.SortFunc(n.keys, func(a, b rules.KeyRule) int { return len(b.From) - len(a.From) })
	n.finder = find.New(n.Needles())
	for _, g := range n.groups {
		for _, x := range t.RulesOf(g) {
			for _, old := range within(x.To.Group) {
				if to := x.To.Group; len(t.RulesOf(old)) > 0 && !slices.Contains(n.longer[old], to) {
					n.longer[old] = append(n.longer[old], to)
				}
			}
		}
	}
	var list []string
	of := map[string][]int{}
	for i, g := range n.groups {
		spellings := []string{g}
		if strings.Contains(g, ".") {
			m := made{hookOf(g), "#" + anchorOf(g), partsOf(g), patternsOf(g)}
			spellings, n.made[g] = slices.Concat(spellings, []string{m.hook, m.anchor}, m.parts, m.patterns), m
		}
		for _, x := range spellings {
			list, of[x] = append(list, x), append(of[x], i)
		}
	}
	n.inText, n.asks = find.New(list), map[string][]int{}
	for _, spelled := range slices.Sorted(maps.Keys(of)) {
		for _, x := range n.inText.In(spelled) {
			n.asks[x] = append(n.asks[x], of[spelled]...)
		}
	}
	return n
}

// Needles are the strings of which a file must hold one to have a token.
func (n *Names) Needles() []string {
	var list []string
	for _, g := range n.groups {
		list = append(append(list, n.apart(g)...), Spellings(g)...)
	}
	for _, k := range n.keys {
		list = append(list, k.From, pointer(k.From))
	}
	return list
}

// Spellings are those of a group that a version may follow.
func Spellings(group string) []string {
	if strings.Contains(group, ".") {
		return slices.Concat([]string{group, hookOf(group), "#" + anchorOf(group)}, partsOf(group), patternsOf(group))
	}
	return []string{group + "/v"}
}

// apart are those that a version may stand apart from, or in front of.
func (n *Names) apart(group string) []string {
	if strings.Contains(group, ".") {
		return append([]string{group}, patternsOf(group)...)
	}
	var list []string
	for _, x := range []string{`"%"`, "'%'", "[%]", "[%,", ", %,", ", %]", "- %\n", "=%", ": %\n", ";%"} {
		list = append(list, strings.ReplaceAll(x, "%", group))
	}
	for _, x := range n.table.RulesOf(group) {
		if x.From.Version != "" {
			list = append(list, "."+x.From.Version+"."+group)
		}
	}
	for _, kind := range n.table.RulesOf(group).Kinds() {
		for _, plural := range rules.Plurals(kind) {
			list = append(list, plural+"."+group)
		}
	}
	return list
}

// hookOf is how the path of a webhook spells a group.
func hookOf(group string) string { return "-" + strings.ReplaceAll(group, ".", "-") + "-" }

// anchorOf is how a link to a heading spells a group.
func anchorOf(group string) string { return strings.ReplaceAll(group, ".", "") }

// partsOf are how a group goes on behind a first label that is filled in, up to its version. Of one
// of two labels too little would be left.
func partsOf(group string) []string {
	_, rest, _ := strings.Cut(group, ".")
	if !strings.Contains(rest, ".") {
		return nil
	}
	return []string{"}." + rest + "/v"}
}

// patternsOf are how regular expressions spell a group, in a string too.
func patternsOf(group string) []string {
	return []string{strings.ReplaceAll(group, ".", `\.`), strings.ReplaceAll(group, ".", `\\.`)}
}

// Match says whether a text may have a token.
func (n *Names) Match(b []byte) bool { return n.finder.Match(b) }

// workOfGroup is what the search for one group in a short text costs, as bytes that are read.
const workOfGroup = 32

// Tokens are the spellings of groups in a text, in its order. Of groups of
// which one ends with the other, the longer counts. Work is how many bytes finding and
// deciding them may read.
func (n *Names) Tokens(b []byte) (list []Token, work int) {
	if len(b) == 0 {
		return nil, 0
	}
	var taken claims
	for _, k := range n.keys {
		taken = taken.with(list)
		list = n.movedKeys(b, k, list, taken)
	}
	groups := n.groupsIn(b)
	for _, g := range groups {
		taken = taken.with(list)
		for i := range source.All(b, g) {
			if taken.touch(i, i+len(g)) || n.isNew(b, g, i, bare) {
				continue
			}
			if t, ok := n.read(b, g, i); ok {
				list = append(list, t)
			}
		}
		if m, ok := n.made[g]; ok {
			list = inParts(b, g, m.parts, n.patterns(b, g, m.patterns, n.spelled(b, g, m, list), taken))
		}
	}
	slices.SortFunc(list, func(a, b Token) int { return a.At.Start - b.At.Start })
	return list, len(list)*len(b) + workOfGroup*len(groups)
}

// read reads what is around a group. It is false where the bytes are a part of
// another word.
func (n *Names) read(b []byte, group string, at int) (Token, bool) {
	t := Token{Group: group, At: source.Span{Start: at, End: at + len(group)}}
	t.End = t.At.End
	begin := t.before(b)
	if begin < 0 {
		return t, false
	}
	if begin > 0 {
		t.Before = b[begin-1]
	}
	if !t.after(b) {
		return t, false
	}
	if t.End < len(b) {
		t.After = b[t.End]
	}
	if !strings.Contains(group, ".") && !t.certain() {
		return t, false
	}
	return t, true
}

// certain says whether a group of one word is meant by a text: alone, with a
// version or behind a resource.
func (t *Token) certain() bool {
	switch t.Form {
	case Versioned, REST:
		return t.Form == REST || t.Before == 0 || strings.IndexByte(" \t\"'`=([{,:", t.Before) >= 0 || t.Before == '\n'
	case Bare:
		return t.Before == 0 && t.After == 0
	case Resource:
		return t.Prefix.Len() > 0
	}
	return false
}

// maxDomain is how far labels are read on from a group. A name of DNS has 253 bytes at most.
const maxDomain = 512

// maxPath is how far a path is read back from a group: the longest that Linux takes.
const maxPath = 4096

// before reads the labels in front of a group, and returns where they begin; -1
// where the group is a part of a longer word.
func (t *Token) before(b []byte) int {
	at := t.At.Start
	if at == 0 {
		return 0
	}
	switch c := b[at-1]; {
	case c == '@':
		t.Form = Email
		return at - 1
	case c == '.':
	case c == '-' && at > 1 && b[at-2] == ':': // ${GROUP:-example.com}
		return at
	case isLabel(c) || c == '-':
		return -1
	case c == '/':
		t.slash(b, at)
		return at
	default:
		return at
	}
	from := at - 1
	for from > max(0, at-maxDomain) && (isLabel(b[from-1]) || b[from-1] == '-' || b[from-1] == '.') {
		from--
	}
	for from < at-1 && (b[from] == '.' || b[from] == '-') {
		from++
	}
	t.Prefix = source.Span{Start: from, End: at - 1}
	switch {
	case t.Prefix.Len() == 0:
		t.Form = Filled
		if from > 0 && b[from-1] == '/' {
			t.Form = Longer
		}
	case from > 0 && b[from-1] == '@':
		t.Form = Email
	case bytes.HasSuffix(b[:from], []byte("://")):
		t.Form = Host
	case bytes.HasSuffix(b[:from], []byte("/apis/")):
		t.Form = Longer
	default:
		t.resource(b)
		if from > 0 && strings.IndexByte("}*%$", b[from-1]) >= 0 {
			t.Form = Filled
		}
	}
	return from
}

// resource reads a prefix: a resource, a kind, a version, or a resource or kind
// with a version.
func (t *Token) resource(b []byte) {
	p := t.Prefix.Of(b)
	first, rest, two := bytes.Cut(p, []byte("."))
	t.Form = Resource
	name := source.Span{Start: t.Prefix.Start, End: t.Prefix.Start + len(first)}
	switch {
	case two && (bytes.IndexByte(rest, '.') >= 0 || !isVersion(rest)):
		t.Form = Longer
		return
	case two:
		t.Version = source.Span{Start: t.Prefix.End - len(rest), End: t.Prefix.End}
	case isVersion(first):
		t.Version = name
		return
	}
	if first[0] >= 'A' && first[0] <= 'Z' {
		t.Kind = name
	} else {
		t.Plural = name
	}
}

// slash says what a group behind a slash is: of a REST path, a host, or a path.
func (t *Token) slash(b []byte, at int) {
	switch {
	case bytes.HasSuffix(b[:at], []byte("apis/")):
		t.Form = REST
		if inFolder(b[:at-len("apis/")]) {
			t.Form = Path
		}
	case bytes.HasSuffix(b[:at], []byte("://")):
		t.Form = Host
	}
}

// after reads what follows a group. It is false where the group is a part of a
// longer word.
func (t *Token) after(b []byte) bool {
	at := t.At.End
	if at == len(b) {
		return true
	}
	switch c := b[at]; {
	case isLabel(c):
		return false
	case c == '-' && t.generated(b):
	case c == '-':
		t.Form = Longer
		return at+1 < len(b) && isLabel(b[at+1])
	case c == '.' && at+1 < len(b) && isLabel(b[at+1]):
		t.Form, t.End = Longer, at+1
		for t.End < min(len(b), at+maxDomain) && (isLabel(b[t.End]) || b[t.End] == '.' || b[t.End] == '-') {
			t.End++
		}
	case c == '_' && t.setting(b):
	case c == '_':
		t.file(b)
	case c == '~' && t.Form == Bare:
		t.console(b)
	case c == '/' && t.Form != Email:
		t.path(b)
	case c == ',' && t.Form != Email && bytes.HasPrefix(b[at:], []byte(", Kind=")):
		t.kind(b, at+len(", Kind="))
	}
	return true
}

// path reads what follows a slash: a version and a kind, a kind, or a path.
func (t *Token) path(b []byte) {
	at := t.At.End + 1
	word := wordAt(b[at:])
	end := at + len(word)
	whole := end == len(b) || b[end] != '-' && (b[end] != '_' || end+1 == len(b) || !isLabel(b[end+1])) && (b[end] != '.' || end+1 == len(b) || !isLabel(b[end+1]) || b[end+1] >= 'A' && b[end+1] <= 'Z')
	switch {
	case t.Form == Host:
	case t.Form == Path:
		t.End = end
	case t.Form == Resource && !isVersion(word):
		t.Named = true
	case len(word) == 0 && end+1 < len(b) && b[end] == '*' && strings.IndexByte("/\"'`,]", b[end+1]) < 0:
		t.Form, t.End = Path, end+1
	case len(word) == 0 && end < len(b) && strings.IndexByte("{$%<*(\"'`", b[end]) >= 0:
		t.Open, t.End = b[end] != '"' && b[end] != '\'' && b[end] != '`', end
		if t.Form == Bare && !t.Open {
			t.Form = Path
		} else if t.Form == Bare {
			t.Form = Versioned
		}
		if rest := b[end:]; len(rest) > 2 && rest[0] == '*' && rest[1] == '/' && rest[2] >= 'A' && rest[2] <= 'Z' { // */Kind of a policy
			t.kind(b, end+2)
		}
	case isVersion(word) && whole && t.Form == Bare && goesOn.Match(b[end:]):
		t.Form, t.Open, t.End = Versioned, true, end
	case isVersion(word) && whole:
		t.Slashed = t.Form == Resource
		t.Version, t.End = source.Span{Start: at, End: end}, end
		if t.Form == Bare {
			t.Form = Versioned
		}
		t.behindVersion(b)
	case t.Form == Bare && t.schema(b, at):
	case t.Form == Bare && len(word) > 0 && word[0] >= 'A' && word[0] <= 'Z' && whole:
		t.Form, t.Kind, t.End = WithKind, source.Span{Start: at, End: end}, end
	case t.Form == Bare:
		t.Form, t.End = Path, keyEnd(b, end)
	}
}

// goesOn is what is filled in behind the begin of a version; a template that ends or asks there
// fills in nothing.
var goesOn = lazyregexp.New(`^(\$[\w{(]|\{\{-?\s*[.$"(]|\{\w|%[sdv])`)

// keyEnd is where the name of a key ends that goes on at an offset: names have hyphens,
// underscores and dots, but do not end in one.
func keyEnd(b []byte, at int) int {
	end := at
	for i := at; i < len(b) && (isLabel(b[i]) || b[i] == '-' || b[i] == '_' || b[i] == '.'); i++ {
		if isLabel(b[i]) {
			end = i + 1
		}
	}
	return end
}

// behindVersion reads what follows a version: a kind, or the resource of a REST path.
func (t *Token) behindVersion(b []byte) {
	at := t.End
	switch rest := b[at:]; {
	case bytes.HasPrefix(rest, []byte(", Kind=")):
		t.kind(b, at+len(", Kind="))
	case bytes.HasPrefix(rest, []byte(", kind=")), bytes.HasPrefix(rest, []byte(", Kind ")):
		t.kind(b, at+len(", kind="))
	case len(rest) > 1 && (rest[0] == '/' || rest[0] == '.' || rest[0] == ':') && rest[1] >= 'A' && rest[1] <= 'Z':
		t.kind(b, at+1)
	case len(rest) > 1 && rest[0] == '/' && t.Form == REST:
		t.rest(b, at+1)
	case len(rest) > 1 && rest[0] == '/' && rest[1] >= 'a' && rest[1] <= 'z' && t.Form == Versioned:
		t.Plural = source.Span{Start: at + 1, End: at + 1 + len(wordAt(b[at+1:]))}
	}
}

func (t *Token) kind(b []byte, at int) {
	if end := at + len(wordAt(b[at:])); end > at {
		t.Kind, t.End = source.Span{Start: at, End: end}, end
	}
	if t.Form == Bare {
		t.Form = WithKind
	}
}

// rest reads the resource of a REST path.
func (t *Token) rest(b []byte, at int) {
	seg := func() source.Span {
		end := at
		if bytes.HasPrefix(b[at:], []byte("{{")) {
			end += max(0, bytes.Index(b[at:], []byte("}}")))
		}
		for end < len(b) && strings.IndexByte("/ \"'`?,)\n", b[end]) < 0 {
			end++
		}
		s := source.Span{Start: at, End: end}
		at = min(end+1, len(b))
		return s
	}
	s := seg()
	if string(s.Of(b)) == "watch" && at < len(b) {
		s = seg()
	}
	if string(s.Of(b)) == "namespaces" && at < len(b) {
		seg()
		s = seg()
	}
	if i := bytes.IndexAny(s.Of(b), ".*[(|\\"); i > 0 { // an expression
		s.End = s.Start + i
	}
	if s.Len() > 0 && len(wordAt(s.Of(b))) == s.Len() && string(s.Of(b)) != "namespaces" {
		t.Plural, t.End = s, s.End
	}
	t.OpenName = bytes.ContainsAny(s.Of(b), "${%")
}

// isLabel says whether a byte is one of a DNS label, but for the hyphen.
func isLabel(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
