package core

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Constant is a name in code that has a group for a value.
type Constant struct {
	Name, Group string
	file        *File
	at          source.Span
	prefix      bool // it is not a group but a prefix of keys that rules move, which stays as it is
}

// Dir is the folder of the file that defines it.
func (c Constant) Dir() string { return path.Dir(c.file.Path) }

// A built text is put together of a constant: a key of a label, a longer name.
// Stored objects have it as it was.
type built struct {
	source.Span
	pos  source.Position
	text string // with the group as it was
	of   Constant

	step    rules.Rule // that changes the version which is joined to it
	version string
	key     rules.KeyRule // that moves it as a whole
}

// maxConstants is how many constants of a file are looked for: each is a search of it.
const maxConstants = 32

// constant notes a name that a reference is the value of.
func (c *Core) constant(f *File, r *refs.Ref, x *ref) {
	if l := r.Leaf.Document().Lang; l == "yaml" || l == "json" || r.Leaf.Kind != syntax.Entry || !identifier.MatchString(r.Leaf.Name) {
		return
	}
	if value := r.Leaf.Text(); len(f.constants) < maxConstants && slices.Contains([]string{"label-key", "label-like", "constant-key"}, x.verdict.ID()) &&
		slices.ContainsFunc(c.table.Keys(), func(k rules.KeyRule) bool { return len(value) < len(k.From) && k.From[:len(value)] == string(value) }) {
		f.own().constants = append(f.own().constants, Constant{r.Leaf.Name, string(value), f, x.own, true})
	}
	if r.Token.Form != names.Bare || !r.Whole || x.verdict.Action() != judge.Rewrite {
		return
	}
	names := []string{r.Leaf.Name}
	if f.Format == "go" { // a package of an API has it in its group and version, too
		names = append(names, "GroupVersion.Group", "SchemeGroupVersion.Group")
	}
	for _, name := range names {
		if len(f.constants) < maxConstants && !slices.ContainsFunc(f.constants, func(y Constant) bool { return y.Name == name && y.Group == r.Token.Group }) {
			f.own().constants = append(f.own().constants, Constant{name, r.Token.Group, f, x.own, false})
		}
	}
}

// Constants are the names that a file of Go code gives to groups.
func (f *File) Constants() []Constant {
	if f.Format != "go" {
		return nil
	}
	return f.constants
}

var identifier = lazyregexp.New(`^[A-Za-z_]\w*$`)

// inPath is the end of a text that a path is added to.
var inPath = lazyregexp.New(`/["'\x60]\s*\+\s*$`)

// apiPart is what an argument is called that is a part of a reference.
var apiPart = lazyregexp.New(`(?i)version|kind|resource|plural`)

// uses are the expressions that join something to a name, or fill it in before a
// slash. %s is the name.
const uses = `(?P<before>["'\x60][\w.-]*\.["'\x60]\s*\+\s*)?(?P<own>[A-Za-z_]\w*\.)?\b%s\b(?:\s*\+\s*["'\x60](?P<after>[/.-][A-Za-z][\w./-]*)|\s*,\s*(?:Version:\s*)?["'\x60](?P<version>v[1-9]\w*)["'\x60])?` +
	`|["'\x60](?:%%[sv]|\{\})(?P<format>[/.-][A-Za-z][\w./-]*)["'\x60]\s*[,%%]\s*\(?(?P<named>[A-Za-z_]\w*\.)?%s\b` +
	`|["'\x60]%%[sv]/%%[sv]["'\x60]\s*,\s*(?P<first>[A-Za-z_]\w*\.)?%s\s*,\s*(?P<second>[\w."'\x60]+)` +
	`|\$?[{(]\s*%s\s*[})](?P<filled>/[A-Za-z][\w./-]*)`

// patterns are those of the uses of names. A tree may have many thousand names, of which the
// first are kept.
type patterns struct {
	kept  sync.Map // by name
	count atomic.Int64
}

// mostPatterns is how many are kept, of about 20 KB each.
const mostPatterns = 50

func (x *patterns) of(name string) *regexp.Regexp {
	if p, ok := x.kept.Load(name); ok {
		return p.(*regexp.Regexp)
	}
	p := regexp.MustCompile(strings.ReplaceAll(strings.ReplaceAll(uses, "%s", regexp.QuoteMeta(name)), "%%", "%"))
	if x.count.Add(1) <= mostPatterns {
		x.kept.Store(name, p)
	}
	return p
}

// Builds notes what the lines of a text build of constants: those of the file itself, or, with
// a qualifier, those of another package. It says whether there was something.
func (c *Core) Builds(f *File, data []byte, list []Constant, qualified bool) bool {
	found := len(f.built)
	if f.kept == nil {
		f.kept = c.suppressorOf(f.Path, data)
	}
	for _, k := range list {
		if k.prefix {
			c.keysOf(f, data, k, qualified)
			continue
		}
		name, p := []byte(k.Name), (*regexp.Regexp)(nil)
		for at := 0; ; {
			i := bytes.Index(data[at:], name)
			if i < 0 {
				break
			}
			from, to := bytes.LastIndexByte(data[:at+i], '\n')+1, lineEnd(data, at+i)
			at = to
			line := data[from:min(to, from+maxLine)]
			if !bytes.ContainsAny(line, "+%,{(") { // most names stand alone
				continue
			}
			if p == nil {
				p = c.uses.of(k.Name)
			}
			for _, m := range p.FindAllSubmatchIndex(line, -1) {
				c.builds(f, data, from, m, p, k, qualified)
			}
		}
	}
	return len(f.built) > found
}

// joins are the expressions that join the rest of a key to a name: NAME + "rest", "%srest", NAME,
// {NAME}rest. %n is the name, and %r the rest.
const joins = `(?P<own>[A-Za-z_]\w*\.)?\b%n\s*\+\s*["'\x60]%r["'\x60]|["'\x60](?:%[sv]|\{\})%r["'\x60]\s*[,%]\s*\(?(?P<named>[A-Za-z_]\w*\.)?%n\b|\$?[{(]\s*%n\s*[})]%r\b`

// keysOf notes the keys that a text builds of a prefix and that the ruleset moves.
func (c *Core) keysOf(f *File, data []byte, k Constant, qualified bool) {
	for _, key := range c.table.Keys() {
		rest, ok := strings.CutPrefix(key.From, k.Group)
		if !ok || rest == "" || !bytes.Contains(data, []byte(k.Name)) || !bytes.Contains(data, []byte(rest)) {
			continue
		}
		pattern := regexp.QuoteMeta(rest)
		if strings.HasSuffix(rest, "/") {
			pattern += `[\w.-]*`
		}
		p := regexp.MustCompile(strings.NewReplacer("%n", regexp.QuoteMeta(k.Name), "%r", pattern).Replace(joins))
		for _, m := range p.FindAllSubmatchIndex(data, -1) {
			if own := m[2] >= 0 || m[4] >= 0; f.Format == "go" && own != qualified {
				continue
			}
			s := source.Span{Start: m[0], End: m[1]}
			f.own().built = append(f.own().built, built{Span: s, pos: source.PositionAt(data, s.Start), text: string(s.Of(data)), of: k, key: key})
		}
	}
}

// maxLine is how much of a line is read.
const maxLine = 2000

// builds notes one match of the pattern of a constant in a line.
func (c *Core) builds(f *File, data []byte, line int, m []int, p *regexp.Regexp, k Constant, qualified bool) {
	group := func(name string) string {
		i := 2 * p.SubexpIndex(name)
		if m[i] < 0 {
			return ""
		}
		return string(data[line+m[i] : line+m[i+1]])
	}
	text := k.Group
	if before := group("before"); before != "" {
		text = strings.Trim(before, "\"'` +\t\r\n") + text
	}
	text += group("after") + group("format") + group("filled")
	if second := strings.Trim(group("second"), "\"'`"); second != "" && !apiPart.MatchString(second) {
		text += "/" + second
	}
	s := source.Span{Start: line + m[0], End: line + m[1]}
	another := (group("own")+group("named")+group("first") != "") != qualified && f.Format == "go"
	if v := cmp.Or(group("version"), strings.TrimPrefix(text, k.Group+"/")); names.IsVersion(v) && !another {
		if x, ok := c.steps(k.Group, v, data[s.End:lineEnd(data, s.End)]); ok && !slices.Contains(strings.Split(path.Dir(f.Path), "/"), v) {
			f.own().built = append(f.own().built, built{Span: s, pos: source.PositionAt(data, s.Start), text: string(s.Of(data)), of: k, step: x, version: v})
		}
		return
	}
	if text == k.Group && !another && fillsIn(data[:s.Start], data[s.End:]) {
		f.own().built = append(f.own().built, built{Span: s, pos: source.PositionAt(data, s.Start), text: text, of: k})
		return
	}
	if text == k.Group || inPath.Match(data[max(0, s.Start-12):s.Start]) || another || !c.isKey(k.Group, text) {
		return
	}
	if !slices.ContainsFunc(f.built, func(b built) bool { return b.Start < s.End && s.Start < b.End }) {
		f.own().built = append(f.own().built, built{Span: s, pos: source.PositionAt(data, s.Start), text: text, of: k})
	}
}

// argument is the end of a text with the name of what the next argument fills in; template is the
// end of one up to the arguments of a call that fills in a text.
var (
	argument = lazyregexp.New(`["'\x60][\w{}$-]+["'\x60]\s*,\s*$`)
	template = lazyregexp.New(`(?i)(format|replacer|replaceall)$`)
)

// maxCall is how far before an argument its call is looked for.
const maxCall = 400

// fillsIn says whether what is between two texts is filled in for a name: it is the argument after
// that name, of a call that makes a text of a template.
func fillsIn(before, behind []byte) bool {
	if behind = bytes.TrimLeft(behind, " \t\r\n"); len(behind) == 0 || behind[0] != ',' && behind[0] != ')' {
		return false
	}
	before = before[max(0, len(before)-maxCall):]
	if !argument.Match(before) {
		return false
	}
	for i, open := len(before)-1, 0; i >= 0; i-- {
		switch before[i] {
		case ')':
			open++
		case '(':
			if open--; open < 0 {
				return template.Match(before[:i])
			}
		}
	}
	return false
}

// steps is the rule that gives a version which is joined to a group another name: for a
// kind that is named behind it, if for one kind alone.
func (c *Core) steps(group, version string, behind []byte) (rules.Rule, bool) {
	for _, x := range c.table.RulesOf(group) {
		a := c.table.Ask(rules.GVK{Group: group, Version: version, Kind: x.From.Kind, Plural: x.From.Plural})
		if a.Outcome == rules.Moves && a.To.Version != "" && a.To.Version != version && (x.From.Version == "" || x.From.Version == version) &&
			(x.From.Kind == "" || !bytes.ContainsAny(behind, "\"'`") || bytes.Contains(behind, []byte(x.From.Kind)) || x.From.Plural != "" && bytes.Contains(behind, []byte(x.From.Plural))) {
			return x, true
		}
	}
	return rules.Rule{}, false
}

// isKey says whether a text that is built of a group is none of the names of its
// API, and nothing in the ruleset decides about it.
func (c *Core) isKey(group, text string) bool {
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
	if _, ok := c.table.Keeps(text); ok {
		return false
	}
	_, ok := c.table.Key(text)
	return !ok
}

// tellBuilt adds the sites of what is built of constants that change.
func (f *File) tellBuilt() {
	for _, b := range f.built {
		if b.version != "" {
			v := judge.Because(judge.BuiltVersion, b.version+" is joined to "+b.of.Group+" here, and becomes "+b.step.To.Version)
			if b.step.From.Kind != "" {
				v = judge.Because(judge.BuiltVersion, v.Why()+" for "+b.step.From.Kind)
			}
			f.Sites = append(f.Sites, Site{Span: b.Span, Pos: b.pos, Verdict: v, Old: b.text, Rule: b.step.Called()})
			continue
		}
		if b.of.prefix {
			v := judge.Because(judge.BuiltKey, b.of.Name+" remains "+b.of.Group+", and the key "+b.key.From+" that is built of it becomes "+b.key.To)
			f.Sites = append(f.Sites, f.kept.keep([]Site{{Span: b.Span, Pos: b.pos, Verdict: v.In("key").Hinted("write \"" + b.key.To + "\" there"), Old: b.text}})...)
			continue
		}
		i := slices.IndexFunc(b.of.file.Sites, func(s Site) bool { return s.Start <= b.of.at.Start && b.of.at.Start < s.End })
		if i < 0 || b.of.file.Sites[i].Action() != judge.Rewrite {
			continue
		}
		v := judge.Because(judge.BuiltKey, b.of.Name+" becomes "+b.of.file.Sites[i].New+", and stored objects may have "+b.text)
		hint := "write \"" + b.text + "\" there to keep it, or add it to keys or keep of the ruleset"
		if b.text == b.of.Group {
			hint = "write \"" + b.text + "\" there to keep it, or accept the new name with a comment cfctl:keep REASON"
		}
		f.Sites = append(f.Sites, f.kept.keep([]Site{{Span: b.Span, Pos: b.pos, Verdict: v.In("key").Hinted(hint), Old: b.text}})...)
	}
	if len(f.built) > 0 {
		slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
	}
}
