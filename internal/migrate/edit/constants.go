package edit

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Where a group is said by a constant, a variable or a value, it moves where that is
// defined, and the kinds and resources beside its uses do not: each is for a person.

// Constants are what is known of the constants that a file may use.
type Constants struct {
	Groups map[string][]string // the groups of the rules that a name may stand for
	// Becomes is what a kind, a resource or a version of a group becomes, beside names that may
	// be kinds and resources; it says false for one that keeps its name.
	Becomes func(group string, role find.Role, name string, beside []string) (string, rules.Rule, bool)
}

// A constantUses finds what stands beside the uses of constants in one file.
type constantUses struct {
	Constants
	data   []byte
	groups []string // of the use at hand
	use    source.Span
	c      *statements // of source; nil in templates and YAML
	made   []Outcome
	told   map[source.Span]bool
	names  []string // that stand beside the use at hand, and may be kinds or resources

	line, counted int // the line of an offset that was reached
}

// Beside are the kinds and resources of a file that stand beside the uses of
// constants, each once, in the order of the uses.
func (k Constants) Beside(format find.Format, data []byte) []Outcome {
	b := &constantUses{Constants: k, data: data, told: map[source.Span]bool{}}
	if lang := format.Language(); lang != nil && format.Name != "shell" {
		b.c = readStatements(data, lang.Lex(data), lang == text.Languages["hash"])
	}
	find.EachName(data, func(name string, at source.Span) {
		if len(k.Groups[name]) == 0 {
			return
		}
		b.groups, b.use, b.names = k.Groups[name], at, nil
		given := !strings.HasPrefix(name, ".") && givesValue.Match(data[at.End:min(len(data), at.End+text.Nearby)])
		switch {
		case b.c != nil && given:
			b.constantsAround()
		case b.c != nil:
			b.inSource()
		case given && !b.commented():
			b.assignmentsAround()
		case !b.commented():
			b.inMapping()
			b.inWord(b.word())
		}
	})
	return b.made
}

// givesValue is what stands behind a name that is given a value.
var givesValue = lazyregexp.New(`^["']?\s*(\?=|:=|=([^=~>]|$)|:([^:=]|$))`)

// tell tells of a kind or resource, if it becomes another one.
func (b *constantUses) tell(at source.Span, role find.Role) {
	old := string(at.Of(b.data))
	for _, group := range b.groups {
		fresh, rule, ok := b.Becomes(group, role, old, b.names)
		if !ok || b.told[at] {
			continue
		}
		b.told[at] = true
		of := ""
		if role == find.RoleVersion && rule.From.Kind != "" {
			of = " for " + rule.From.Kind
		}
		o := Outcome{Span: at, Role: role, Old: old, New: fresh}.by(rule)
		b.made = append(b.made, o.Leave("constant", "a constant beside it is the group "+group+", where it becomes "+fresh+of, "write "+fresh+" here"))
		return
	}
}

// value tells of a string that is a kind, a resource or a subresource.
func (b *constantUses) value(at source.Span) {
	base, _, _ := bytes.Cut(at.Of(b.data), []byte("/"))
	if len(base) == 0 {
		return
	}
	switch {
	case rules.KindName.Match(at.Of(b.data)):
		b.tell(at, find.RoleKind)
		return
	case rules.APIVersion.Match(at.Of(b.data)):
		b.tell(at, find.RoleVersion)
		return
	}
	b.tell(source.Span{Start: at.Start, End: at.Start + len(base)}, find.RoleResource)
}

// beside notes that a string stands beside the use, if it may be a kind or a resource.
func (b *constantUses) beside(at source.Span) {
	name, _, _ := bytes.Cut(at.Of(b.data), []byte("/"))
	if rules.KindName.Match(name) || rules.PluralName.Match(name) {
		b.names = append(b.names, string(name))
	}
}

// commented says whether the use stands in a comment of a shell, a template or YAML.
func (b *constantUses) commented() bool {
	line := bytes.TrimSpace(text.LineAround(b.data, b.use).Of(b.data))
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("{{/*")) || bytes.HasPrefix(line, []byte("//"))
}

// word is the word that holds the use, up to blanks and quotes; an action of a template
// is one word.
func (b *constantUses) word() source.Span {
	line := text.LineAround(b.data, b.use)
	from, to := b.use.Start, b.use.End
	if i := bytes.LastIndex(b.data[line.Start:from], []byte("{{")); i >= 0 && !bytes.Contains(b.data[line.Start+i:from], []byte("}}")) {
		from = line.Start + i
	}
	if i := bytes.Index(b.data[to:line.End], []byte("}}")); i >= 0 && from < b.use.Start {
		to += i + 2
	}
	for from > line.Start && !endsWord(b.data[from-1]) {
		from--
	}
	for to < line.End && !endsWord(b.data[to]) {
		to++
	}
	return source.Span{Start: from, End: to}
}

func endsWord(c byte) bool { return strings.IndexByte(" \t\r\n\"'`,;|", c) >= 0 }

// inWord tells of the version and resources in a word with the group: widgets.$GROUP,
// and /apis/$GROUP/v1/widgets; GROUP/widgets may be a label.
func (b *constantUses) inWord(word source.Span) {
	before := b.data[word.Start:b.use.Start]
	if m := resourceBefore.FindSubmatchIndex(before); m != nil {
		b.beside(text.SpanOf(word.Start+m[2], word.Start+m[3]))
		b.tell(text.SpanOf(word.Start+m[2], word.Start+m[3]), find.RoleResource)
		if m[4] >= 0 {
			b.tell(text.SpanOf(word.Start+m[4], word.Start+m[5]), find.RoleVersion)
		}
	}
	b.inPath(source.Span{Start: b.use.End, End: word.End})
	if m := versionBehind.FindSubmatchIndex(b.data[b.use.End:word.End]); m != nil {
		b.tell(source.Span{Start: b.use.End + m[2], End: b.use.End + m[3]}, find.RoleVersion)
	}
}

// versionBehind is a version right behind a group that is filled in.
var versionBehind = lazyregexp.New(`^(?:[^}/]*\}\}|[)}])?/(v\d\w*)`)

// resourceBefore is (1) a resource, perhaps with (2) a version, right before a group that is
// filled in.
var resourceBefore = lazyregexp.New(`(?:^|[^\w-])([a-z][a-z0-9]*)\.(?:(v\d\w*)\.)?[\\$]?[({%]*\s*-?\s*[\w.$]*$`)

// inPath tells of the resources in a part of a path behind a version.
func (b *constantUses) inPath(at source.Span) {
	if m := restBehind.FindIndex(at.Of(b.data)); m != nil {
		for start := at.Start + m[1]; start < at.End; {
			end := start
			for end < at.End && b.data[end] != '/' {
				end++
			}
			b.beside(text.SpanOf(start, end))
			b.tell(text.SpanOf(start, end), find.RoleResource)
			start = end + 1
		}
	}
}

// restBehind is a path behind a group up to what may be a resource.
var restBehind = lazyregexp.New(`^[)}]*/(v\d\w*|[$({][^/]*)/`)

// assignment is a variable of a shell, a Makefile, a Dockerfile or a template, or one of an
// environment in YAML, with its value: (1) the name, (2) the sign, (3) the value.
var assignment = lazyregexp.New(`^[ \t]*(?:\{\{-?[ \t]*)?(?:(?:export|local|readonly|declare|override|ARG|ENV)[ \t]+)*\$?([A-Za-z_]\w*)[ \t]*(:=|\?=|=|:)[ \t]*["']?([A-Za-z][\w-]*)["']?[ \t]*(?:-?\}\}|;|#.*)?[ \t\r]*$`)

// assignmentsAround tells of the variables for the kind, the resource and the version that stand
// around one for the group: VERSION=v1alpha1.
func (b *constantUses) assignmentsAround() {
	own := text.LineAround(b.data, b.use)
	indent := indentOf(own.Of(b.data))
	var list []source.Span
	read := func(line source.Span) {
		m := assignment.FindSubmatchIndex(line.Of(b.data))
		if m == nil || indentOf(line.Of(b.data)) != indent {
			return
		}
		name, sign := string(b.data[line.Start+m[2]:line.Start+m[3]]), string(b.data[line.Start+m[4]:line.Start+m[5]])
		if (sign != ":" || !strings.ContainsFunc(name, unicode.IsLower)) && (kindOrPlural.MatchString(name) || versionNamed.MatchString(name)) {
			list = append(list, text.SpanOf(line.Start+m[6], line.Start+m[7]))
		}
	}
	for n, at := 0, own.Start; n < constantsReach && at > 0; n++ {
		at = text.LineStart(b.data, at-1)
		read(text.LineAround(b.data, text.SpanOf(at, at)))
	}
	for n, at := 0, own.End; n < constantsReach && at < len(b.data); n++ {
		at++
		line := text.LineAround(b.data, text.SpanOf(at, at))
		read(line)
		at = line.End
	}
	b.values(list)
}

// versionNamed is the name of a variable for a version.
var versionNamed = lazyregexp.New(`(?i)version`)

// values tells of strings that are kinds, resources and versions, each beside all others.
func (b *constantUses) values(list []source.Span) {
	for _, at := range list {
		b.beside(at)
	}
	for _, at := range list {
		b.value(at)
	}
}

// inMapping tells of what stands beside the use in its mapping.
func (b *constantUses) inMapping() {
	m, ok := readMapping(b.data, b.use)
	if !ok {
		return
	}
	b.values(m.values())
}
