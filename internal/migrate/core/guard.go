package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// Kinds that a ruleset guards are of no other project: an object of one in a group that
// the rules do not know has a group that was written wrong by hand.

// guards are the guarded kinds, and what a file of one in a wrong group holds.
func guardsOf(t *rules.Table) (kinds map[string]string, domains []string) {
	kinds = map[string]string{}
	for _, set := range t.Sets() {
		for _, kind := range set.Guard {
			kinds[kind] = set.Name
			for _, group := range t.Homes(kind) {
				labels := strings.Split(group, ".")
				if len(labels) < 2 {
					continue
				}
				if domain := strings.Join(labels[len(labels)-2:], "."); !slices.Contains(domains, domain) {
					domains = append(domains, domain)
				}
			}
		}
	}
	return kinds, domains
}

// guard notes the objects of guarded kinds in groups that no rule knows.
func (c *fileReader) guard(root *syntax.Node) {
	if len(c.guards) == 0 {
		return
	}
	root.Leaves(func(n *syntax.Node) {
		set, guarded := c.guards[string(n.Text())]
		if !guarded || n.Kind != syntax.Entry || n.Up == nil || n.Label() != "kind" {
			return
		}
		av := versionBeside(n)
		if av == nil || av.End == av.Start {
			return
		}
		group, version, ok := strings.Cut(av.String(), "/")
		if !ok || !rules.APIVersion.MatchString(version) || !strings.Contains(group, ".") || slices.Contains(c.table.Homes(n.String()), group) {
			return
		}
		at, ok := av.View.Span(av.Start, av.Start+len(group))
		if !ok {
			return
		}
		v := judge.Because(judge.WrongGroup, fmt.Sprintf("%s has never been in this group (known: %s)", n, strings.Join(c.table.Homes(n.String()), ", ")))
		c.f.wrong = append(c.f.wrong, Site{Span: at, Verdict: v, Old: group, Severe: true, Rule: rules.RuleID{ID: v.ID(), Set: set}})
	})
}

// versionBeside is the apiVersion nearest to a kind in its object: each branch of a
// template has its own. Nil for none.
func versionBeside(kind *syntax.Node) *syntax.Node {
	var best *syntax.Node
	apart := func(n *syntax.Node) int { return max(kind.Seq-n.Seq, n.Seq-kind.Seq) }
	for _, k := range kind.Near(kind.Up) {
		if k.Kind == syntax.Entry && syntax.Normal(k.Name) == "apiversion" && (best == nil || apart(k) < apart(best)) {
			best = k
		}
	}
	return best
}
