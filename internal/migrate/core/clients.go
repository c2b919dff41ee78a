package core

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An API may be named without its group as a text of its own. Clients of Kubernetes name it in
// identifiers: the typed client of a version, PolicyV1beta1().PodDisruptionBudgets, and its classes
// in other languages. Code may build a group of a shorter one of the rules, "jobs." + base, and a
// template may join a version that changes to a group that is filled in. Each needs review.

// A piecemeal is one such way to name APIs.
type piecemeal struct {
	needles []string // a file with it holds one of them
	find    *regexp.Regexp
	code    bool // it is one of source code alone
	// of says why a match needs review, "" where it does not, and by which rule; nil: it is a joined version.
	of     func(match []string) (why string, rule rules.Rule)
	reason judge.Reason
}

// A joined version is one that a text joins to a group that is filled in.
type joined struct {
	source.Span
	text, group, version string
}

// codeFormats are the formats in which identifiers name clients.
var codeFormats = []string{"go", "python", "typescript", "java", "kotlin", "rust", "config", "groovy"}

// piecemealOf are the ways to name the APIs of a table without their groups.
func piecemealOf(t *rules.Table) []piecemeal {
	var list []piecemeal
	var stepped []string
	longer := map[string]rules.Rule{} // of groups that end with another one, by what stands before that
	starts := map[string]rules.Rule{} // of groups that get another name, by their first label
	for _, g := range t.Groups() {
		seen := map[string]bool{}
		for _, x := range t.RulesOf(g) {
			v := x.From.Version
			if steps(x) && !slices.Contains(stepped, v) {
				stepped = append(stepped, v)
			}
			if v != "" && !seen[v] && t.Ask(x.From).Outcome != rules.NoRule {
				seen[v] = true
				list = append(list, clientOf(t, g, v))
			}
			for _, short := range t.Groups() {
				if before, ok := strings.CutSuffix(g, "."+short); ok {
					longer[before] = x
				}
			}
			if first, _, ok := strings.Cut(g, "."); ok && x.To.Group != "" && x.To.Group != g {
				starts[first] = x
			}
		}
	}
	if x := builtOf(longer, ""); len(longer) > 0 {
		list = append(list, x)
	}
	maps.DeleteFunc(starts, func(first string, _ rules.Rule) bool { return longer[first].From.Group != "" })
	if x := builtOf(starts, groupField); len(starts) > 0 {
		x.code = true
		list = append(list, x)
	}
	if x := joinedOf(stepped); len(stepped) > 0 {
		list = append(list, x)
	}
	return list
}

// clientOf is how clients name one version of a group: what is called, and the resource or kind.
func clientOf(t *rules.Table, group, version string) piecemeal {
	first, _, _ := strings.Cut(group, ".")
	upper, class := strings.ToUpper(first[:1])+first[1:], "V"+version[1:]
	return piecemeal{
		reason: judge.ClientName, code: true,
		needles: []string{upper + class, upper + "()." + class + "()", first + "()." + version + "()", first + "::" + version, first + "." + version + ".", apiPackage(group, version)},
		find:    regexp.MustCompile(`\b(?:` + upper + class + `\(\)|` + upper + `\(\)\.` + class + `\(\)|` + first + `\(\)\.` + version + `\(\)|(` + upper + class + `Api\b)|` + first + `(?:::|\.)` + version + `)(?:\s*\.\s*|::)?([A-Za-z]\w*)?`),
		of: func(m []string) (string, rules.Rule) {
			rule := -1
			list := t.RulesOf(group)
			for i, x := range list {
				if name := m[2]; x.From.Version == version && x.From.Kind != "" && name != "" &&
					(strings.EqualFold(name, x.From.Kind) || strings.EqualFold(name, x.From.Plural) || slices.Contains(rules.Plurals(x.From.Kind), strings.ToLower(name))) {
					rule = i
					break
				}
			}
			if rule < 0 && m[1] != "" {
				rule = slices.IndexFunc(list, func(x rules.Rule) bool { return x.From.Version == version })
			}
			if rule < 0 {
				return "", rules.Rule{}
			}
			return fmt.Sprintf("it is the client of %s/%s, which a rule changes", group, version), list[rule]
		},
	}
}

// groupField is what gives a group or an apiVersion to a name of code: the first label of any group
// may be that of other names.
const groupField = "(?i:group|apiversion)\\w*[\"'`]?\\s*(?::?=|:)\\s*[\\w.(]*[\"'`]"

// builtOf is what builds one of some groups of a shorter one, behind some other text.
func builtOf(longer map[string]rules.Rule, behind string) piecemeal {
	x := piecemeal{reason: judge.BuiltKey}
	var first []string
	for before := range longer {
		first = append(first, regexp.QuoteMeta(before))
		for _, mark := range []string{`"`, "'", "`", "$", "{", "%", "#{"} {
			x.needles = append(x.needles, before+"."+mark)
		}
	}
	slices.Sort(first)
	x.find = regexp.MustCompile(behind + `\b(` + strings.Join(first, "|") + ")\\.(?:[\"'`]\\s*(?:\\+|\\.\\.?|~|<>|&)\\s*[\\w.$]+" + `|\$\w+|[$#]?\{\{?[\s$.-]*[A-Za-z_][\w.]*[\s-]*\}|\$\([\w.]+\)|%[sv]|\{\})`)
	x.of = func(m []string) (string, rules.Rule) {
		rule := longer[m[1]]
		return rule.From.Group + " may be built here, and becomes " + rule.To.Group, rule
	}
	return x
}

// joinedOf is what joins one of some versions to a group that is filled in.
func joinedOf(stepped []string) piecemeal {
	x := piecemeal{reason: judge.BuiltVersion}
	for _, v := range stepped {
		x.needles = append(x.needles, "}/"+v, ")/"+v)
	}
	x.find = regexp.MustCompile(`(?:\{\{|\$?[{(])[\s($.-]*((?i:[\w.]*(?:api|group)[\w.]*))[^{}()/\n]{0,40}[})]+/(` + strings.Join(stepped, "|") + `)\b`)
	return x
}

// joined are the sites of the versions that a file joins to groups that are filled in: those of groups
// that the tree names.
func (t *Tree) joined(f *File) (list []Site) {
	for _, x := range f.joined {
		for _, g := range t.core.table.Groups() {
			i := slices.IndexFunc(t.core.table.RulesOf(g), func(r rules.Rule) bool { return steps(r) && r.From.Version == x.version })
			if i < 0 || !t.names[g] {
				continue
			}
			rule := t.core.table.RulesOf(g)[i]
			v := judge.Because(judge.BuiltVersion, x.version+" is joined to "+x.group+" here, and becomes "+rule.To.Version+" for "+g)
			list = append(list, Site{Span: x.Span, Verdict: v, Old: x.text, Rule: rule.Called()})
			break
		}
	}
	return list
}

// steps says whether a rule changes a version.
func steps(r rules.Rule) bool {
	return r.From.Version != "" && r.To.Version != "" && r.To.Version != r.From.Version
}

// word is a name of code.
var word = lazyregexp.New(`[A-Za-z_]\w*`)

// maxFilled is how far behind a text that is filled in its arguments are looked for.
const maxFilled = 200

// isFilledIn says whether a group is the value of a name, and other names of the rules may be
// built of it: longer ones, or an apiVersion in a template, where it has no version next to it.
func (c *Core) isFilledIn(format string, r *refs.Ref) bool {
	return r.Token.Form == names.Bare && r.Whole && r.Leaf.Kind == syntax.Entry && (c.shorter[r.Token.Group] ||
		c.table.Versioned(r.Token.Group) && len(r.Known.Versions) == 0 && slices.Contains([]string{"yaml", "json", "properties"}, format))
}

// piecesIn notes what names APIs of the rules without their groups.
func (c *Core) piecesIn(f *File, data []byte) {
	if !c.called.Match(data) {
		return
	}
	assigned := assigned{}
	for _, x := range c.pieces {
		if x.code && !slices.Contains(codeFormats, f.Format) || !slices.ContainsFunc(x.needles, func(n string) bool { return bytes.Contains(data, []byte(n)) }) {
			continue
		}
		for _, m := range x.find.FindAllSubmatchIndex(data, -1) {
			if x.reason == judge.BuiltKey {
				m[0] = m[2]
			}
			match := make([]string, len(m)/2)
			for i := range match {
				if m[2*i] >= 0 {
					match[i] = string(data[m[2*i]:m[2*i+1]])
				}
			}
			own, old := source.Span{Start: m[0], End: m[1]}, strings.Join(strings.Fields(match[0]), "")
			if x.of == nil {
				if assigned.has(data, match[1][strings.LastIndexByte(match[1], '.')+1:]) {
					continue // its value is known
				}
				f.fill(data, own)
				f.joined = append(f.joined, joined{own, old, match[1], match[2]})
				continue
			}
			why, rule := x.of(match)
			if why == "" {
				continue
			}
			v := judge.Because(x.reason, why)
			if x.reason == judge.BuiltKey {
				f.fill(data, own)
				v = v.Hinted("write the new name there as a whole")
			}
			f.wrong = append(f.wrong, Site{Span: own, Verdict: v, Old: old, Rule: rule.Called()})
		}
	}
}

// assigned are names, and whether a text gives them a string.
type assigned map[string]bool

func (a assigned) has(data []byte, name string) bool {
	is, asked := a[name]
	if !asked && len(a) < maxConstants {
		for _, mark := range []string{`="`, "='", ` = "`, " = '"} {
			if i := bytes.Index(data, []byte(name+mark)); i >= 0 {
				is = is || !bytes.ContainsAny(data[i:text.LineBreak(data, i)], "$%{")
			}
		}
		a[name] = is
	}
	return is
}

// fill notes the names that a text may be built of.
func (f *File) fill(data []byte, at source.Span) {
	f.fills = append(f.fills, word.FindAllString(string(data[at.Start:min(text.LineBreak(data, at.End), at.End+maxFilled)]), -1)...)
}
