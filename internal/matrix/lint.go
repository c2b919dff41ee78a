package matrix

import (
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// LintRules are all of them, in the order of the catalogue.
var LintRules = report.Rules{
	{ID: "version-not-semver", Severity: report.Error, Doc: "declared versions are semantic versions with a leading v"},
	{ID: "release-order", Severity: report.Error, Doc: "releases are in ascending order, without duplicates"},
	{ID: "unknown-component", Severity: report.Error, Doc: "declared components are components of the stack"},
	{ID: "duplicate-component", Severity: report.Error, Doc: "a release has a component once"},
	{ID: "root-version", Severity: report.Error, Doc: "the root's version is the release's"},
	{ID: "downgrade", Severity: report.Error, Doc: "no component goes back from the release before"},
	{ID: "pairwise", Severity: report.Error, Doc: "every release obeys the rules of kind pair"},
	{ID: "alignment", Severity: report.Error, Doc: "every release obeys the rules of kind align"},
	{ID: "skew", Severity: report.Error, Doc: "every release obeys the rules of kind skew"},
	{ID: "tested", Severity: report.Error, Doc: "a pinned version lies in the range that it was tested in"},
	{ID: "constraint-malformed", Severity: report.Error, Doc: "constraints can be read"},
	{ID: "rule-unsatisfiable", Severity: report.Error, Doc: "a version can exist that a rule takes"},
	{ID: "rule-contradiction", Severity: report.Error, Doc: "two rules for the same versions leave a version that both take"},
	{ID: "rule-shadowed", Severity: report.Warning, Doc: "a rule says something that no other one says already"},
	{ID: "rules-not-compared", Severity: report.Error, Doc: "rules are few and short enough to be compared with each other"},
	{ID: "allow-expired", Severity: report.Warning, Doc: "no exception of the allow list has run out"},
	{ID: "row-unreadable", Severity: report.Warning, Doc: "the rows of a table of releases say which releases they mean"},
	{ID: "cell-unreadable", Severity: report.Warning, Doc: "cells say which versions they mean"},
}

// A linter gathers the findings of a declaration.
type linter struct {
	report.Pass
	stack  *stack.Stack
	config *Config
	path   string               // of the configuration; empty = it is built in, and has no lines
	spent  int                  // of maxCompared
	broken int                  // findings about releases that break rules
	read   map[string]readRange // by text
}

// Lint looks for what is wrong in a declaration, whatever the trees say.
func Lint(s *stack.Stack, c *Config, path string, now time.Time) []report.Finding {
	l := &linter{stack: s, config: c, path: path, read: map[string]readRange{}}
	l.releases()
	l.rootVersions()
	l.unsatisfiable()
	l.pairs()
	for _, a := range c.Allow {
		if a.expired(now) {
			l.add("allow-expired", 0, a.Component, "", "the exception of %s ended on %s: %s", a.Rule, a.Expires, a.Reason)
		}
	}
	return l.Findings
}

func (l *linter) add(rule string, line int, component, version, format string, args ...any) {
	f := LintRules.Finding(rule)
	f.Path, f.Component, f.Version = l.path, component, version
	if l.path != "" {
		f.Line = line
	}
	l.Report(f, format, args...)
}

// rootVersions checks the root's pin against the release's own version.
func (l *linter) rootVersions() {
	for _, r := range l.config.Releases {
		p, ok := r.Pin(l.stack.RootComponent().Name)
		if ok && p.Version != r.Version {
			l.add("root-version", r.line, titleOf(l.stack, p.Name), p.Version, "%s: %s is %s", r.Version, titleOf(l.stack, p.Name), p.Version)
		}
	}
}

// A compiled pair rule.
type pairRule struct {
	index       int
	when, needs versions.Range
}

func (l *linter) compiled() []pairRule {
	var rules []pairRule
	for i, r := range l.config.Rules {
		if r.Kind != KindPair {
			continue
		}
		when, err := Constraint(r.When)
		needs, err2 := Constraint(r.Needs)
		if err == nil && err2 == nil {
			rules = append(rules, pairRule{i, when, needs})
		}
	}
	return rules
}

// maxCompared is how many bounds of ranges are compared with each other: some
// seconds. A thousand rules of two components are a tenth of it.
const maxCompared = 30_000_000

// afford says whether so many bounds may be compared. The first time that they
// may not be is a finding: nothing is green unseen.
func (l *linter) afford(line, rules, bounds int) bool {
	before := l.spent
	if l.spent += rules * bounds; l.spent <= maxCompared {
		return true
	}
	if before <= maxCompared {
		l.add("rules-not-compared", line, "", "", "from here on the rules are too many, or too long, to be compared: %d rules with %d bounds", rules, bounds)
	}
	return false
}

// unsatisfiable finds rules that no version can obey or be subject to.
func (l *linter) unsatisfiable() {
	for _, r := range l.config.Rules {
		for _, text := range []string{r.When, r.Needs} {
			if c, err := Constraint(text); r.Kind == KindPair && err == nil && c.Empty() {
				l.add("rule-unsatisfiable", r.line, titleOf(l.stack, r.Component), "", "no version satisfies %q", text)
			}
		}
	}
}

// pairs compares the rules of the same two components with each other.
func (l *linter) pairs() {
	type pair struct{ component, with string }
	groups := map[pair][]pairRule{}
	var order []pair
	for _, r := range l.compiled() {
		rule := l.config.Rules[r.index]
		p := pair{rule.Component, rule.With}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], r)
	}
	for _, p := range order {
		if len(groups[p]) > 1 {
			l.compareAll(groups[p])
		}
	}
}

// compareAll compares every two rules of the same components.
func (l *linter) compareAll(rules []pairRule) {
	bounds := 0
	for _, r := range rules {
		bounds += r.when.Size() + r.needs.Size()
	}
	if !l.afford(l.config.Rules[rules[0].index].line, len(rules), bounds) {
		return
	}
	limit := len(l.Findings) + maxPairFindings
	for i := range rules {
		for j := i + 1; j < len(rules); j++ {
			if len(l.Findings) >= limit {
				l.add("rules-not-compared", l.config.Rules[rules[i].index].line, "", "", "at most %d findings about the rules of two components are listed: fix these first", maxPairFindings)
				return
			}
			l.compare(rules[i], rules[j])
		}
	}
}

// maxPairFindings is how many faults between the rules of two components are listed,
// maxBroken how many of releases that break rules.
const (
	maxPairFindings = 1000
	maxBroken       = 10_000
)

// compare evaluates two rules by the versions that they take.
func (l *linter) compare(a, b pairRule) {
	if a.when.Intersect(b.when).Empty() {
		return
	}
	i, j := a.index, b.index
	ra, rb := l.config.Rules[i], l.config.Rules[j]
	line, title := rb.line, titleOf(l.stack, ra.Component)
	switch {
	case a.needs.Intersect(b.needs).Empty():
		l.add("rule-contradiction", line, title, "", "rules %d and %d overlap, and no version of %s satisfies both %q and %q", i+1, j+1, titleOf(l.stack, ra.With), ra.Needs, rb.Needs)
	case b.when.Within(a.when) && a.needs.Within(b.needs):
		l.add("rule-shadowed", line, title, "", "rule %d says nothing that rule %d does not say", j+1, i+1)
	case a.when.Within(b.when) && b.needs.Within(a.needs):
		l.add("rule-shadowed", ra.line, title, "", "rule %d says nothing that rule %d does not say", i+1, j+1)
	}
}
