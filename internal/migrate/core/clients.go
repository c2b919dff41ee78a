package core

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	of      func(match []string) []meant
	reason  judge.Reason
}

// A meant API is one that a match may be about: why it needs review, by which rule, the group that
// the tree must name, and the method that the tree must not declare, as clients of its own do; "" for none.
type meant struct {
	why       string
	rule      rules.Rule
	base, own string
}

// A piece is the site of a match, the group that the tree must name, and the method that it must not declare.
type piece struct {
	Site
	base, own string
}

// codeFormats are the formats in which identifiers name clients.
var codeFormats = []string{"go", "python", "typescript", "java", "kotlin", "rust", "config", "groovy"}

// piecemealOf are the ways to name the APIs of a table without their groups.
func piecemealOf(t *rules.Table) []piecemeal {
	var list []piecemeal
	stepped := map[string][]rules.Rule{}
	longer := map[string]rules.Rule{} // of groups that end with another one, by what stands before that
	starts := map[string]rules.Rule{} // of groups that get another name, by their first label
	for _, g := range t.Groups() {
		seen := map[string]bool{}
		for _, x := range t.RulesOf(g) {
			v := x.From.Version
			if v != "" && x.To.Version != "" && x.To.Version != v && !slices.ContainsFunc(stepped[v], func(y rules.Rule) bool { return y.From.Group == g }) {
				stepped[v] = append(stepped[v], x)
			}
			if v != "" && !seen[v] && t.Ask(x.From).Outcome != rules.NoRule {
				seen[v] = true
				list = append(list, clientOf(t, g, v))
			}
			for _, short := range t.Groups() {
				if before, ok := strings.CutSuffix(g, "."+short); ok && x.To.Group != "" && x.To.Group != g {
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
	first, _, domain := strings.Cut(group, ".")
	upper, class := strings.ToUpper(first[:1])+first[1:], "V"+version[1:]
	own := "" // apps of Kubernetes has the first label of apps.example.com
	if !domain {
		own = upper + class + "()"
	}
	return piecemeal{
		reason: judge.ClientName, code: true,
		needles: []string{upper + class, upper + "()." + class + "()", first + "()." + version + "()", first + "::" + version, first + "." + version + ".", apiPackage(group, version)},
		find:    regexp.MustCompile(`\b(?:` + upper + class + `\(\)|` + upper + `\(\)\.` + class + `\(\)|` + first + `\(\)\.` + version + `\(\)|(` + upper + class + `Api\b)|` + first + `(?:::|\.)` + version + `)(?:\s*\.\s*|::)?([A-Za-z]\w*)?`),
		of: func(m []string) []meant {
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
				return nil
			}
			return []meant{{why: fmt.Sprintf("it is the client of %s/%s, which a rule changes", group, version), rule: list[rule], own: own}}
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
	for _, before := range slices.Sorted(maps.Keys(longer)) {
		first = append(first, regexp.QuoteMeta(before))
		for _, mark := range []string{`"`, "'", "`", "$", "{", "%", "#{"} {
			x.needles = append(x.needles, before+"."+mark)
		}
	}
	x.find = regexp.MustCompile(behind + `\b(` + strings.Join(first, "|") + ")\\.(?:[\"'`]\\s*(?:\\+|\\.\\.?|~|<>|&)\\s*[\\w.$]+" + `|\$\w+|[$#]?\{\{?[\s$.-]*[A-Za-z_][\w.]*[\s-]*\}|\$\([\w.]+\)|%[sv]|\{\})`)
	x.of = func(m []string) []meant {
		rule := longer[m[1]]
		base := ""
		if behind == "" {
			base = strings.TrimPrefix(rule.From.Group, m[1]+".")
		}
		return []meant{{rule.From.Group + " may be built here, and becomes " + rule.To.Group, rule, base, ""}}
	}
	return x
}

// joinedOf is what joins one of some versions to a group that is filled in, of those that the tree names.
func joinedOf(stepped map[string][]rules.Rule) piecemeal {
	x := piecemeal{reason: judge.BuiltVersion}
	versions := slices.Sorted(maps.Keys(stepped))
	for _, v := range versions {
		x.needles = append(x.needles, "}/"+v, ")/"+v)
	}
	x.find = regexp.MustCompile(`(?:\{\{|\$?[{(])[\s($.-]*((?i:[\w.]*(?:api|group)[\w.]*))[^{}()/\n]{0,40}[})]+/(` + strings.Join(versions, "|") + `)\b`)
	x.of = func(m []string) (list []meant) {
		for _, rule := range stepped[m[2]] {
			list = append(list, meant{m[2] + " is joined to " + m[1] + " here, and becomes " + rule.To.Version + " for " + rule.From.Group, rule, rule.From.Group, ""})
		}
		return list
	}
	return x
}

// kubernetesClients is the import of the typed clients of Kubernetes itself.
const kubernetesClients = `"k8s.io/client-go/kubernetes"`

// maxFilled is how far behind a text that is filled in its arguments are looked for.
const maxFilled = 200

// isFilledIn says whether a group is the value of a name, and other names of the rules may be
// built of it: longer ones, or an apiVersion in a template, where it has no version next to it.
func (c *fileReader) isFilledIn(r *refs.Ref) bool {
	return r.Token.Form == names.Bare && r.Whole && r.Leaf.Kind == syntax.Entry && (c.shorter[r.Token.Group] ||
		c.table.Versioned(r.Token.Group) && len(r.Known.Versions) == 0 && slices.Contains([]string{"yaml", "json", "properties"}, c.f.Format))
}

// piecesIn notes what names APIs of the rules without their groups.
func (c *fileReader) piecesIn() {
	if !c.called.Match(c.data) {
		return
	}
	assigned := assigned{}
	for _, x := range c.pieces {
		if x.code && !slices.Contains(codeFormats, c.f.Format) || !slices.ContainsFunc(x.needles, func(n string) bool { return bytes.Contains(c.data, []byte(n)) }) {
			continue
		}
		for _, m := range x.find.FindAllSubmatchIndex(c.data, -1) {
			if x.reason == judge.BuiltKey {
				m[0] = m[2]
			}
			match := make([]string, len(m)/2)
			for i := range match {
				if m[2*i] >= 0 {
					match[i] = string(c.data[m[2*i]:m[2*i+1]])
				}
			}
			own, old := source.Span{Start: m[0], End: m[1]}, strings.Join(strings.Fields(match[0]), "")
			list := x.of(match)
			if line := c.data[bytes.LastIndexByte(c.data[:m[0]], '\n')+1 : m[0]]; x.reason == judge.ClientName && bytes.HasPrefix(line, []byte("func (")) {
				c.f.fills = append(c.f.fills, old)
			}
			if len(list) == 0 || x.reason == judge.BuiltVersion && assigned.has(c.data, match[1][strings.LastIndexByte(match[1], '.')+1:]) {
				continue
			}
			if x.reason != judge.ClientName {
				c.f.fill(c.data, own)
			}
			for _, y := range list {
				if bytes.Contains(c.data, []byte(kubernetesClients)) && !bytes.Contains(c.data, []byte("/versioned")) {
					y.own = ""
				}
				v := judge.Because(x.reason, y.why)
				if x.reason == judge.BuiltKey {
					v = v.Hinted("write the new name there as a whole")
				}
				c.f.pieces = append(c.f.pieces, piece{Site{Span: own, Verdict: v, Old: old, Rule: y.rule.Called()}, y.base, y.own})
			}
		}
	}
}

// piecesOf are the sites of a file that name APIs in pieces, of which other files name the group whole,
// and with which none builds names.
func (f *File) piecesOf(named, fills map[string]bool) (list []Site) {
	for _, x := range f.pieces {
		if (x.base == "" || named[x.base]) && !fills[x.own] {
			list = append(list, x.Site)
		}
	}
	return list
}

// assigned are names, and whether a text gives them a string.
type assigned map[string]bool

func (a assigned) has(data []byte, name string) bool {
	is, asked := a[name]
	if !asked && len(a) < maxConstants {
		for _, mark := range []string{`="`, "='", ` = "`, " = '"} {
			for i := range source.All(data, name+mark) {
				whole := i == 0 || !text.IsIdent(data[i-1])
				line, _, _ := bytes.Cut(data[i:min(len(data), i+maxLine)], []byte("\n"))
				is = is || whole && !bytes.ContainsAny(line, "$%{")
			}
		}
		a[name] = is
	}
	return is
}

// fill notes the names that a text may be built of.
func (f *File) fill(data []byte, at source.Span) {
	near := data[at.Start:min(text.LineBreak(data, at.End), at.End+maxFilled)]
	f.fills = append(f.fills, strings.FieldsFunc(string(near), func(c rune) bool { return c > unicode.MaxASCII || !text.IsIdent(byte(c)) })...)
}
