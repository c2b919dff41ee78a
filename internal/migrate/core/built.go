package core

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Constant is a name in code that has a group for a value.
type Constant struct {
	Name, Group string
	was, now    string // the group of the rules, and the one that it has already; "" = a run writes it
	file        *File
	at          source.Span
}

// Moved are the names that a file of code gives to groups, and those that it builds of them. Olds
// are the groups that one was before, nil for one that is not new.
func (c *Core) Moved(place string, data []byte, olds func(group string) []string) (list []Constant) {
	for _, m := range given.Get().FindAllSubmatch(data, maxConstants) {
		now := string(m[2])
		for _, old := range olds(now) {
			for _, name := range namesOf(place, string(m[1])) {
				list = append(list, Constant{Name: name, Group: old, now: now, was: old, file: &File{Path: place}})
			}
		}
	}
	list = list[:min(len(list), maxConstants)]
	scratch := NewFile(place)
	c.Builds(scratch, data, list, false)
	return append(list, scratch.constants...)
}

// maxNamed is how many constants of one folder or module are looked for in a file.
const maxNamed = 256

// AddTo adds a constant to those of one folder or module, of each name and group one, up to maxNamed:
// a folder may have thousands, and each file is searched for each.
func (c Constant) AddTo(list []Constant) []Constant {
	if len(list) >= maxNamed || slices.ContainsFunc(list, func(k Constant) bool { return k.Name == c.Name && k.Group == c.Group && k.now == c.now }) {
		return list
	}
	return append(list, c)
}

// OfOthers are the constants that another file of a package may build of: not those of its own,
// of which reading it knows, unless they have a new group.
func OfOthers(list []Constant, place string) []Constant {
	return slices.DeleteFunc(slices.Clone(list), func(k Constant) bool { return k.now == "" && k.file.Path == place })
}

// Modules are constants by what code of other languages than Go calls the file that defines them: a
// module, a class.
type Modules map[string][]Constant

func moduleOf(place string) string { return strings.TrimSuffix(path.Base(place), path.Ext(place)) }

// ModulesOf puts constants in order.
func ModulesOf(list []Constant) Modules {
	x := Modules{}
	for _, k := range list {
		x[moduleOf(k.file.Path)] = k.AddTo(x[moduleOf(k.file.Path)])
	}
	return x
}

// In are the constants that a file may build of: its own that have a new group, and those of files
// that it names, but for names that it defines itself.
func (x Modules) In(place string, data []byte) (list []Constant) {
	own, seen := map[string]bool{}, map[string]bool{}
	for _, k := range x[moduleOf(place)] {
		if k.file.Path == place && k.now != "" {
			list = append(list, k)
		}
	}
	for _, m := range given.Get().FindAllSubmatch(data, maxConstants) {
		own[string(m[1])] = true
	}
	for word := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r >= 0x80 || !text.IsWordByte(byte(r)) }) {
		of := x[string(word)]
		if of == nil || seen[string(word)] {
			continue
		}
		seen[string(word)] = true
		for _, k := range of {
			if k.file.Path != place && !own[k.Name] {
				list = append(list, k)
			}
		}
	}
	return list[:min(len(list), maxConstants)]
}

// given is a name that code gives to a text with a dot.
var given = lazyregexp.New(`\b([A-Za-z_]\w*)(?:[ \t]+string|: *str(?:ing)?)?[ \t]*:?[=:][ \t]*["']([\w-]+\.[\w.-]+)["']`)

// namesOf are the names by which code uses what it gives a name: a Go package of an API has its
// group in its group and version, too.
func namesOf(place, name string) []string {
	if path.Ext(place) == ".go" {
		return []string{name, "GroupVersion.Group", "SchemeGroupVersion.Group"}
	}
	return []string{name}
}

// Ext is the extension of the file that defines it.
func (c Constant) Ext() string { return path.Ext(c.file.Path) }

// Importable says whether other files may import names of a file with an extension.
func Importable(ext string) bool {
	switch ext {
	case ".go", ".py", ".ts", ".tsx", ".js", ".java", ".kt":
		return true
	}
	return false
}

// Dir is the folder of the file that defines it.
func (c Constant) Dir() string { return path.Dir(c.file.Path) }

// A built text is put together of a constant: a key of a label, a longer name.
// Stored objects have it as it was.
type built struct {
	source.Span
	begin int // of the expression
	pos   source.Position
	text  string // with the group as it was
	of    Constant
	step  rules.Rule // that changes the version which is joined to it
	kept  string     // why the ruleset has decided about it, "" = it has not
}

// maxConstants is how many constants of a file are looked for: each is a search of it.
const maxConstants = 32

// constant notes a name that a reference is the value of.
func (c *fileReader) constant(r *refs.Ref, x *ref) {
	if l := r.Leaf.Document().Lang; l == "yaml" || l == "json" || r.Leaf.Kind != syntax.Entry || !identifier.MatchString(r.Leaf.Name) {
		return
	}
	if text := r.Leaf.String(); x.verdict.Action() == judge.Keep && x.verdict.Role() == "key" && slices.ContainsFunc(c.table.Keys(), func(k rules.KeyRule) bool {
		return len(text) < len(k.From) && strings.HasPrefix(k.From, text)
	}) {
		x.verdict = judge.Because(judge.BuiltKey, "keys that the ruleset renames begin with it, and may be built of it").In("key")
	}
	if r.Token.Form != names.Bare || !r.Whole || x.verdict.Action() != judge.Rewrite {
		return
	}
	for _, name := range namesOf(c.f.Path, r.Leaf.Name) {
		if len(c.f.constants) < maxConstants && !slices.ContainsFunc(c.f.constants, func(y Constant) bool { return y.Name == name && y.Group == r.Token.Group }) {
			c.f.constants = append(c.f.constants, Constant{Name: name, Group: r.Token.Group, was: r.Token.Group, file: c.f, at: x.own})
		}
	}
}

// Constants are the names that a file gives to groups.
func (f *File) Constants() []Constant { return f.constants }

var identifier = lazyregexp.New(`^[A-Za-z_]\w*$`)

// inPath is the end of a text that a path is added to.
var inPath = lazyregexp.New(`/["'\x60]\s*\+\s*$`)

// apiPart is what an argument is called that is a part of a reference.
var apiPart = lazyregexp.New(`(?i)version|\.(kind|resource|plural)$`)

// uses are the expressions that join something to a name, or fill it in before a slash: what is
// before it, its qualifier, the name and what is behind it or its version; the format or the version in
// it, the qualifier and the name; the same with a second argument; the name and what is behind it.
var uses = lazyregexp.New(strings.ReplaceAll(`(["'\x60][\w.-]*\.["'\x60]\s*\+\s*)?([A-Za-z_]\w*\.)?\b(NAME)\b(?:\s*\+\s*["'\x60]([/.-](?:["'\x60]\s*\+\s*["'\x60])?[A-Za-z][\w./-]*)|\s*,\s*(?:Version:\s*)?["'\x60](v[1-9]\w*)["'\x60])?`+
	`|(?:["'\x60](?:%[sv]|\{\})([/.-][A-Za-z][\w./-]*)|["'\x60][^"'\x60%{]*(?:%[sv]|\{\})/(v[1-9]\w*)\b[^"'\x60]*)["'\x60]\s*(?:[,%]|\.format\()\s*\(?([A-Za-z_]\w*\.)?(NAME)\b`+
	`|["'\x60]%[sv]/%[sv]["'\x60]\s*,\s*([A-Za-z_]\w*\.)?(NAME)\s*,\s*([\w."'\x60]+)`+
	`|[$\\]?[{(]\s*(?:[a-z]\w*\.|#)?(NAME)\s*[})](/[A-Za-z][\w./-]*)|\$(NAME)(/[A-Za-z][\w./-]*)`, "NAME", `[A-Za-z_]\w*(?:\.Group\b)?`))

// Builds notes what the lines of a text build of constants: those of the file itself, or, with
// a qualifier, those of another package. It says whether there was something.
func (c *Core) Builds(f *File, data []byte, list []Constant, qualified bool) bool {
	found := len(f.built) + len(f.loosed)
	if f.kept == nil {
		f.kept = c.Keeper(f.Path, data)
	}
	for _, k := range list {
		name := []byte(k.Name)
		for at := 0; ; {
			i := bytes.Index(data[at:], name)
			if i < 0 {
				break
			}
			from, to := bytes.LastIndexByte(data[:at+i], '\n')+1, text.LineBreak(data, at+i)
			for j := at + i; f.Format == "go" && j < to; j++ {
				c.nameBeside(f, data, j, k, qualified)
				if i := bytes.Index(data[j+1:to], name); i >= 0 {
					j += i
				} else {
					break
				}
			}
			at = to
			line := data[from:min(to, from+maxLine)]
			if !bytes.ContainsAny(line, "+%,{($") { // most names stand alone
				continue
			}
			for _, m := range uses.Get().FindAllSubmatchIndex(line, -1) {
				c.builds(f, data, from, m, k, qualified)
			}
		}
	}
	f.locateLoose(data)
	return len(f.built)+len(f.loosed) > found
}

var (
	ofGroup  = lazyregexp.New(`(?i)\b(?:group|apiVersion)"?:\s*(?:\w+\.)?$`)
	besideIt = lazyregexp.New(`^(?:\s*\+\s*"/v\w+")?\s*,[^{}]*?\b(?:[kK]ind|[rR]esource)"?:\s*"(\w+)"`)
)

// nameBeside asks about a kind or resource of Go code in a literal whose group is a constant: the group
// stays, and the kind gets another name.
func (c *Core) nameBeside(f *File, data []byte, at int, k Constant, qualified bool) {
	if qualified != (at > 0 && data[at-1] == '.') || !ofGroup.Match(data[max(0, at-nearKind):at]) {
		return
	}
	end := at + len(k.Name)
	if m := besideIt.FindSubmatchIndex(data[end:min(len(data), end+4*nearKind)]); m != nil {
		c.nameOf(f, data, source.Span{Start: end + m[2], End: end + m[3]}, k)
	}
}

// nameOf asks about the name of a kind or resource of the group of a constant, where a rule gives it another one.
func (c *Core) nameOf(f *File, data []byte, at source.Span, k Constant) {
	for _, x := range c.table.RulesOf(k.Group) {
		if x.To.Group != k.Group || x.To.Kind == x.From.Kind {
			continue
		}
		switch plural := cmp.Or(x.From.Plural, rules.Plurals(x.From.Kind)[0]); string(at.Of(data)) {
		case x.From.Kind:
			f.looseSite(data, at, x.To.Kind, x, "its group is the constant "+k.Name+", and ")
		case plural:
			f.looseSite(data, at, cmp.Or(x.To.Plural, rules.Plurals(x.To.Kind)[0]), x, "its group is the constant "+k.Name+", and ")
		}
	}
}

// nearKind is how far before a constant the name of its field is looked for.
const nearKind = 60

// unquoted leaves out what joins literals.
var unquoted = strings.NewReplacer(`"`, "", "'", "", "`", "", "+", "", " ", "", "\t", "", "\r", "", "\n", "")

// maxLine is how much of a line is read.
const maxLine = 2000

// builds notes one use of a name in a line, if it is that of a constant.
func (c *Core) builds(f *File, data []byte, line int, m []int, k Constant, qualified bool) {
	group := func(list ...int) (text string) {
		for _, i := range list {
			if m[2*i] >= 0 {
				text += string(data[line+m[2*i] : line+m[2*i+1]])
			}
		}
		return text
	}
	qualifier, name := group(2, 8, 10), group(3, 9, 11, 13, 15)
	if qualifier+name == k.Name {
		qualifier, name = "", k.Name
	}
	if name != k.Name {
		return
	}
	text := unquoted.Replace(group(1)) + k.Group + unquoted.Replace(group(4, 6, 14, 16))
	if second := strings.Trim(group(12), "\"'`"); second != "" && !apiPart.MatchString(second) {
		text += "/" + second
	}
	s := source.Span{Start: line + m[0], End: line + m[1]}
	another := (qualifier != "") != qualified && f.Format == "go"
	for _, i := range []int{1, 4, 6} { // the resource before the group, or behind it in a path
		if another {
			break
		}
		for _, n := range resourceIn.Get().FindAllIndex([]byte(group(i)), -1) {
			c.nameOf(f, data, source.Span{Start: line + m[2*i] + n[0], End: line + m[2*i] + n[1]}, k)
		}
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(text, k.Group+"/"), "/")
	if v := cmp.Or(group(5), group(7), first); names.IsVersion(v) {
		i := slices.IndexFunc(c.table.RulesOf(k.Group), func(x rules.Rule) bool { return x.From.Version == v && x.To.Version != "" && x.To.Version != v })
		if i >= 0 && !another && k.now == "" && !slices.Contains(strings.Split(path.Dir(f.Path), "/"), v) {
			at := s.Start + bytes.LastIndex(s.Of(data), []byte(v)) // names before it may get other ones
			f.built = append(f.built, built{Span: source.Span{Start: at, End: at + len(v)}, begin: s.Start, text: string(s.Of(data)), of: k, step: c.table.RulesOf(k.Group)[i]})
		}
		return
	}
	joined := s.Start > 0 && data[s.Start] == '$' && (data[s.Start-1] == '.' || data[s.Start-1] == '/') // of a resource or a path
	if text == k.Group || inPath.Match(data[max(0, s.Start-12):s.Start]) || another || joined {
		return
	}
	if of := derived.FindSubmatch(data[line:s.End]); of != nil && bytes.HasSuffix(s.Of(data), []byte(k.Name)) && len(f.constants) < maxConstants {
		if m := regexp.MustCompile(`\b` + string(of[2]) + `\b[ \w]*:?= *"([^"\n]+)"`).FindSubmatch(data); len(of[2]) > 0 && m != nil {
			text = string(m[1]) + text
		}
		own := k
		own.Name, own.Group = string(of[1]), text
		f.constants = append(f.constants, own)
		c.Builds(f, data, f.constants[len(f.constants)-1:], false)
	}
	if !isBuiltKey(k.Group, text) {
		return
	}
	b := built{Span: s, begin: s.Start, text: text, of: k}
	if why, ok := c.table.Keeps(text); ok {
		b.kept = cmp.Or(why, "the ruleset keeps it")
	} else if _, ok := c.table.Key(text); ok {
		b.kept = "the ruleset renames it as well"
	}
	if m := literal.Get().FindIndex(s.Of(data)); m != nil {
		b.Span = source.Span{Start: s.Start + m[0], End: s.Start + m[1]}
	}
	f.built = append(f.built, b)
}

// resourceIn is a name in what is joined to a group.
var resourceIn = lazyregexp.New(`[a-z]\w*`)

// derived is the definition of a constant of another one: its name, and that of what is before the dot.
var derived = lazyregexp.New(`(\w+)(?:\s*:?\s+(?:string|str))?\s*:?=\s*(?:(\w+)\s*\+\s*)?["'\x60][\w.-]*\.["'\x60]\s*\+`)

// literal is the first one of an expression, beside which names may get other ones.
var literal = lazyregexp.New(`["'\x60][^"'\x60]*["'\x60]?`)

// isBuiltKey says whether a text that is built of a group is none of the names of its API.
func isBuiltKey(group, text string) bool {
	if rest, ok := strings.CutPrefix(text, group+"/"); ok {
		first, _, _ := strings.Cut(rest, "/")
		if names.IsVersion(first) {
			return false
		}
	}
	if prefix, ok := strings.CutSuffix(text, "."+group); ok && !strings.Contains(prefix, ".") {
		return false // the name of a resource
	}
	if rest, ok := strings.CutPrefix(text, group+"."); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && !strings.Contains(rest, "/") {
		return false // of a queue or a metric: the domain of a key has no capital letter
	}
	return true
}

// tellBuilt adds the sites of what is built of constants that change, or that have changed while
// the tree still has keys with the old group.
func (f *File) tellBuilt(facts *index.Facts) {
	for _, b := range f.built {
		v, rule := judge.Because(judge.BuiltVersion, b.step.From.Version+" is joined to "+b.of.Group+" here, and a rule changes this version"), b.step.Called()
		if b.step.From.Version == "" {
			why, hint := b.of.changed(facts), "write the old name there to keep it, or add it to keys or keep of the ruleset"
			if why == "" {
				continue
			}
			if !Importable(path.Ext(f.Path)) || !facts.Keyed(b.of.was) {
				hint += "; no run asks once the constant is written"
			}
			if v, rule = judge.Because(judge.BuiltKey, b.of.Name+why).In("key").Hinted(hint), (rules.RuleID{}); b.kept != "" {
				v = judge.Because(judge.RulesetKeeps, b.kept).In("key")
			}
		}
		f.Sites = append(f.Sites, f.kept.Keep([]Site{{Span: b.Span, Pos: b.pos, Verdict: v, Old: b.text, Rule: rule}})...)
	}
	if len(f.built) > 0 {
		slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
	}
}

// changed says what became of the group of a constant, "" for nothing that matters to keys.
func (c Constant) changed(facts *index.Facts) string {
	if c.now != "" {
		if facts.Keyed(c.was) {
			return " has " + c.now + " now, and the tree still has keys with " + c.was
		}
		return ""
	}
	i := slices.IndexFunc(c.file.Sites, func(s Site) bool { return s.Start <= c.at.Start && c.at.Start < s.End })
	if i < 0 || c.file.Sites[i].Action() != judge.Rewrite {
		return ""
	}
	return " becomes " + strings.Replace(c.Group, c.file.Sites[i].Old, c.file.Sites[i].New, 1) + ", and stored objects may have the old name"
}
