package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// GroupRules are the rules for one API group, in the order of the rulesets; empty where no rule
// names the group.
type GroupRules []Rule

// Kinds are the kinds that the rules name, in their order.
func (l GroupRules) Kinds() []string {
	var list []string
	for _, x := range l {
		if x.From.Kind != "" && !slices.Contains(list, x.From.Kind) {
			list = append(list, x.From.Kind)
		}
	}
	return list
}

// KindNamed is the kind of the rules that has a plural or singular name, "" for none.
func (l GroupRules) KindNamed(name string) string {
	for _, x := range l {
		if x.From.Kind != "" && (x.From.isKind(GVK{Plural: name}) || strings.ToLower(x.From.Kind) == name) {
			return x.From.Kind
		}
	}
	return ""
}

// Whole says whether a rule moves the group for every kind.
func (l GroupRules) Whole() bool {
	return slices.ContainsFunc(l, func(x Rule) bool { return x.From.Kind == "" && !x.Gone() })
}

// Steps are the versions without which nothing of the group changes but its kinds that are gone;
// ok is false where a rule changes the group itself, or a kind of any version.
func (l GroupRules) Steps() (versions []string, ok bool) {
	for _, x := range l {
		if !x.Gone() && x.To.Group != x.From.Group || x.From.Version == "" && (x.From.Kind == "" || !x.Gone()) {
			return nil, false
		}
		if x.From.Version != "" {
			versions = append(versions, x.From.Version)
		}
	}
	return versions, true
}

// Renamed says whether a site has the new name that a rule gives a kind of the same group.
func (l GroupRules) Renamed(site GVK) bool {
	return slices.ContainsFunc(l, func(x Rule) bool {
		to := x.To
		return x.From.Kind != "" && to.Group == site.Group && to.Kind != x.From.Kind &&
			(to.isKind(GVK{Kind: site.Kind}) && site.Kind != "" || site.Kind == "" && slices.Contains(append(Plurals(to.Kind), to.Plural), site.Plural))
	})
}

// decide is the answer of those rules that fit a site best.
func (l GroupRules) decide(site GVK) Answer {
	var found []Rule
	best := map[string]int{} // by kind where the site tells none
	told := site.Kind != "" || site.Plural != ""
	for _, rule := range l {
		score, ok := fits(rule.From, site)
		if rule.Gone() && rule.From.Version != "" && site.Version == "" {
			continue // the kind may be there in another version
		}
		if !ok || rule.single && rule.isList(site) || rule.From.Kind != "" && !told && l.Whole() && !rule.Gone() {
			continue // a rule for the whole group answers for sites that tell no kind
		}
		of := ""
		if !told {
			of = rule.From.Kind
		}
		if most, ok := best[of]; !ok || score > most {
			found, best[of] = slices.DeleteFunc(found, func(x Rule) bool { return told || x.From.Kind == of }), score
		}
		if score == best[of] {
			found = append(found, rule)
		}
	}
	if len(found) == 0 || !told && !slices.ContainsFunc(found, func(x Rule) bool { return !x.Gone() || x.From.Kind == "" }) {
		return Answer{Why: l.whyNot(site)} // that one kind is gone says nothing of the others
	}
	return agree(found, site)
}

// fits says whether a rule may apply to what is known of a site, and how
// closely: a kind weighs more than a version. What the site does not tell
// fits everything.
func fits(from, site GVK) (score int, ok bool) {
	if from.Kind != "" && (site.Kind != "" || site.Plural != "") {
		if !from.isKind(site) {
			return 0, false
		}
		if score += 4; (Rule{From: from}).isList(site) {
			score-- // a rule for that kind is closer
		}
	}
	if from.Version != "" && site.Version != "" {
		if from.Version != site.Version {
			return 0, false
		}
		score += 2
	}
	return score, true
}

// isList says whether a site is the list of the kind of the rule.
func (r Rule) isList(site GVK) bool { return r.From.Kind != "" && site.Kind == r.From.Kind+"List" }

// whyNot is why no rule moves a name. A kind of which another version moves stays for its
// version.
func (l GroupRules) whyNot(site GVK) string {
	other := func(x Rule) bool {
		from := x.From
		from.Version = ""
		_, ok := fits(from, site)
		return ok && x.From.Version != "" && x.From.Version != site.Version
	}
	switch {
	case site.Version != "" && slices.ContainsFunc(l, other):
		return fmt.Sprintf("no rule covers version %s", site.Version)
	case site.Kind != "":
		return fmt.Sprintf("no rule covers kind %s", site.Kind)
	case site.Plural != "":
		return fmt.Sprintf("no rule covers resource %s", site.Plural)
	}
	return fmt.Sprintf("no rule covers version %s", site.Version)
}

// agree gives the verdict of rules that fit a site equally well.
func agree(found []Rule, site GVK) Answer {
	var first Answer
	for i, rule := range found {
		v := Answer{Rule: rule}
		if rule.Gone() {
			v.Outcome, v.Why = Removed, rule.Removed
		} else {
			v.To = rule.answer(site)
			v.Outcome = Moves
			if v.To == site {
				v.Outcome = Same
			}
		}
		if i == 0 {
			first = v
			continue
		}
		if v.Outcome != first.Outcome || v.To != first.To {
			return Answer{Outcome: Ambiguous, Rule: first.Rule, Why: disagreement(found, site)}
		}
	}
	return first
}

// answer is what the rule makes of the site: only what the site tells can change.
func (r Rule) answer(site GVK) GVK {
	to := site
	to.Group = r.To.Group
	if site.Version != "" && r.To.Version != "" {
		to.Version = r.To.Version
	}
	if rest, ok := strings.CutPrefix(site.Kind, r.From.Kind); site.Kind != "" && r.From.Kind != "" && r.To.Kind != "" && ok && (rest == "" || rest == "List") {
		to.Kind = r.To.Kind + rest
	}
	if site.Plural != "" && r.To.Plural != "" && r.From.Kind != "" {
		to.Plural = r.To.Plural
	}
	return to
}

func disagreement(found []Rule, site GVK) string {
	other := func(part func(Rule) string) bool {
		return slices.ContainsFunc(found, func(x Rule) bool { return part(x) != part(found[0]) })
	}
	kind, version := func(x Rule) string { return cmp.Or(x.From.Kind, x.From.Version) }, func(x Rule) string { return x.From.Version }
	depends, part := "ruleset", func(x Rule) string { return x.Set }
	switch {
	case other(func(x Rule) string { return x.From.Kind }):
		depends, part = "kind", kind
	case other(version):
		depends, part = "version", version
	}
	var parts []string
	for _, rule := range found {
		to := rule.To.Group
		if rule.Gone() {
			to = "removed"
		} else if rule.To.Version != "" && rule.To.Group == site.Group {
			to += "/" + rule.To.Version
		}
		parts = append(parts, part(rule)+" → "+to)
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if len(parts) > 4 {
		parts = append(parts[:4], "…")
	}
	return "it depends on the " + depends + ": " + strings.Join(parts, ", ")
}
