package core

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// Clients of Kubernetes name an API in identifiers, without its group: the typed client of
// a version, PolicyV1beta1().PodDisruptionBudgets, and its classes in other languages.

// A client is how clients name one version of a group.
type client struct {
	group, version string
	needles        []string
	find           *regexp.Regexp // what is called, and the resource or kind
}

// clientsOf are the clients of the versions that rules change.
func clientsOf(t *rules.Table) []client {
	var list []client
	for _, g := range t.Groups() {
		seen := map[string]bool{}
		for _, x := range t.RulesOf(g) {
			v := x.From.Version
			if v == "" || seen[v] || t.Ask(x.From).Outcome == rules.NoRule {
				continue
			}
			seen[v] = true
			first, _, _ := strings.Cut(g, ".")
			upper, version := strings.ToUpper(first[:1])+first[1:], "V"+v[1:]
			list = append(list, client{g, v,
				[]string{upper + version, upper + "()." + version + "()", first + "()." + v + "()", first + "::" + v, first + "." + v + ".", apiPackage(g, v)},
				regexp.MustCompile(`\b(?:` + upper + version + `\(\)|` + upper + `\(\)\.` + version + `\(\)|` + first + `\(\)\.` + v + `\(\)|(` + upper + version + `Api\b)|` + first + `(?:::|\.)` + v + `)(?:\s*\.\s*|::)?([A-Za-z]\w*)?`)})
		}
	}
	return list
}

// clients notes the typed clients of versions that change.
func (c *Core) clientsIn(f *File, data []byte) {
	switch f.Format {
	case "go", "python", "typescript", "java", "kotlin", "rust", "config", "groovy":
	default:
		return
	}
	if len(c.clients) == 0 || !c.called.Match(data) {
		return
	}
	for _, k := range c.clients {
		if !slices.ContainsFunc(k.needles, func(n string) bool { return bytes.Contains(data, []byte(n)) }) {
			continue
		}
		for _, m := range k.find.FindAllSubmatchIndex(data, -1) {
			name := ""
			if m[4] >= 0 {
				name = string(data[m[4]:m[5]])
			}
			kind := c.clientKind(k, name)
			if kind == "" && m[2] < 0 {
				continue
			}
			v := judge.Because(judge.ClientName, fmt.Sprintf("it is the client of %s/%s, which a rule changes", k.group, k.version))
			f.own().wrong = append(f.own().wrong, Site{Span: source.Span{Start: m[0], End: m[1]}, Verdict: v, Old: string(bytes.Join(bytes.Fields(data[m[0]:m[1]]), nil)), Rule: c.ruleOf(k, kind)})
		}
	}
}

// clientKind is the kind of a rule for a version whose resource or kind a client calls, "" for none.
func (c *Core) clientKind(k client, name string) string {
	for _, x := range c.table.RulesOf(k.group) {
		if x.From.Version == k.version && x.From.Kind != "" && name != "" &&
			(strings.EqualFold(name, x.From.Kind) || strings.EqualFold(name, x.From.Plural) || slices.Contains(rules.Plurals(x.From.Kind), strings.ToLower(name))) {
			return x.From.Kind
		}
	}
	return ""
}

func (c *Core) ruleOf(k client, kind string) rules.RuleID {
	for _, x := range c.table.RulesOf(k.group) {
		if x.From.Version == k.version && (kind == "" || x.From.Kind == kind) {
			return x.Called()
		}
	}
	return rules.RuleID{}
}
