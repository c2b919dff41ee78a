package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// maxRules is far above what projects rename: what is made of the rules is compared with each other.
const maxRules = 2500

// Compile makes the table of rulesets. Rules that lead in a circle are an error.
func Compile(sets []*Ruleset) (*Table, error) {
	r := &Table{sets: sets, byGroup: map[string]GroupRules{}, convert: map[GVK]*Conversion{}, keepVal: map[string]string{}}
	n := 0
	for _, set := range sets {
		if n += len(set.Rules); n > maxRules {
			return nil, source.Hinted(fmt.Errorf("ruleset %s: the rulesets have more than %d rules together", set.Name, maxRules), "run one ruleset after the other, or divide it")
		}
		r.add(set)
	}
	r.groups = slices.Sorted(maps.Keys(r.byGroup))
	if err := circles(r); err != nil {
		return nil, err
	}
	r.homes, r.versioned = homesOf(r.byGroup), versionedOf(r.byGroup)
	if err := goOn(r.byGroup, r.groups); err != nil {
		return nil, err
	}
	r.hopped.known.Clear()
	return r, nil
}

// add takes the rules of a ruleset into the table.
func (r *Table) add(set *Ruleset) {
	for i := range set.Convert {
		c := &set.Convert[i]
		r.shapes = append(r.shapes, []byte(c.Kind))
		if at := GVKOf(c.From, c.Kind); r.convert[at] == nil {
			r.convert[at] = c
		}
	}
	for _, rule := range set.Rules {
		if rule.To.Kind != "" {
			r.shapes = append(r.shapes, []byte(rule.From.Kind))
		}
		if !rule.Gone() {
			rule.To = Complete(rule.To, rule.From)
		}
		r.byGroup[rule.From.Group] = append(r.byGroup[rule.From.Group], rule)
	}
	r.keys = append(r.keys, set.Keys...)
	for _, k := range set.Keep {
		if k.Value != "" {
			r.keepVal[k.Value] = k.Why
		} else {
			r.keepAt = append(r.keepAt, k)
		}
	}
}

// circles refuses rules that lead back to where they began.
func circles(r *Table) error {
	for _, group := range r.groups {
		for _, rule := range r.byGroup[group] {
			if !rule.Gone() && r.Hops(rule.From, func(Hop) bool { return true }).Outcome == Circle {
				return fmt.Errorf("rule %s of %s: the rules lead in a circle, or on through more than %d rules", rule.ID, rule.Set, maxHops)
			}
		}
	}
	return nil
}

// homesOf are, for each kind of the rules, the groups it may stand in, sorted.
func homesOf(byGroup map[string]GroupRules) map[string][]string {
	homes := map[string][]string{}
	add := func(kind, group string) {
		if kind != "" && group != "" && !slices.Contains(homes[kind], group) {
			homes[kind] = append(homes[kind], group)
			slices.Sort(homes[kind])
		}
	}
	for _, list := range byGroup {
		for _, rule := range list {
			add(rule.From.Kind, rule.From.Group)
			add(rule.To.Kind, rule.To.Group)
			add(rule.From.Kind, rule.To.Group)
		}
	}
	return homes
}

// versionedOf are the groups of which a rule names a version, and those that lead to such a group.
func versionedOf(byGroup map[string]GroupRules) map[string]bool {
	versioned := map[string]bool{}
	for n := -1; n < len(versioned); {
		n = len(versioned)
		for g, list := range byGroup {
			if slices.ContainsFunc(list, func(x Rule) bool {
				return x.From.Version != "" || x.To.Version != "" || versioned[x.To.Group]
			}) {
				versioned[g] = true
			}
		}
	}
	return versioned
}

// maxRepeated bounds the rules that goOn adds.
const maxRepeated = 4096

// goOn repeats the rules of a whole group for the kinds for which they go on by rules of the
// new group: the answers are the same, and what asks for the kinds of a group finds them.
// Too many of them are an error.
func goOn(byGroup map[string]GroupRules, groups []string) error {
	repeated := 0
	for range maxHops {
		for _, group := range groups {
			whole := slices.DeleteFunc(slices.Clone(byGroup[group]), func(x Rule) bool { return x.From.Kind != "" })
			named := byGroup[group].Kinds()
			for _, x := range whole {
				for _, next := range byGroup[x.To.Group] {
					if k := next.From; k.Kind != "" && k.Group != group && !slices.Contains(named, k.Kind) {
						if repeated += len(whole); repeated > maxRepeated {
							return fmt.Errorf("rule %s of %s: too many rules lead on from %s: write rules that lead to the last groups at once", x.ID, x.Set, x.To.Group)
						}
						named = append(named, k.Kind)
						for _, y := range whole {
							y.From.Kind, y.From.Plural, y.To.Kind, y.To.Plural = k.Kind, k.Plural, k.Kind, k.Plural
							byGroup[group] = append(byGroup[group], y)
						}
					}
				}
			}
		}
	}
	return nil
}
