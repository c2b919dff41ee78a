package migrate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An outcome says what the rules make of a site.
type outcome int

const (
	noRule    outcome = iota // the group is not one of ours, or no rule knows this version or kind
	same                     // a rule knows it, and it stays as it is
	moves                    // it becomes something else
	ambiguous                // it depends on a kind or version that the site does not tell
	removed                  // the API has no successor
)

// A verdict is an outcome with its reason.
type verdict struct {
	outcome outcome
	to      GVK  // complete: what the site becomes
	rule    Rule // the rule that decided, the first when several agree
	why     string
}

// rules are compiled rulesets: one table by group. A→B and B→C give A→C
// (resolve follows the rules as far as they lead).
type rules struct {
	sets     []*Ruleset
	byGroup  map[string][]Rule
	names    map[string]bool // every group, and the domain of every key that moves
	domains  map[string]bool // of these, the domains of prefixes that are nothing else
	keys     []KeyRule
	keepVal  map[string]string // spelling → why
	keepAt   []Keep
	plurals  map[string]map[string]string // group → plural → kind
	targets  map[string]map[string]bool   // kind → groups it may stand in after the run
	converts bool                         // some ruleset changes shapes
	longest  []string                     // names, the longest first
	shapes   [][]byte                     // the kinds whose objects may change their shape
}

// compile builds the table. A cycle among the rulesets is an error.
func compile(sets []*Ruleset) (*rules, error) {
	r := &rules{sets: sets, byGroup: map[string][]Rule{}, names: map[string]bool{}, domains: map[string]bool{}, keepVal: map[string]string{},
		plurals: map[string]map[string]string{}, targets: map[string]map[string]bool{}}
	for _, set := range sets {
		r.converts = r.converts || len(set.Convert) > 0
		for _, c := range set.Convert {
			r.shapes = append(r.shapes, []byte(c.Kind))
			if group, _, ok := strings.Cut(c.From, "/"); ok {
				r.names[group] = true
			}
		}
		for _, rule := range set.Rules {
			if rule.To.Kind != "" {
				r.shapes = append(r.shapes, []byte(rule.From.Kind))
			}
			if rule.ruleset == "" {
				rule.ruleset = set.Name
			}
			if rule.Removed == "" {
				rule.To = complete(rule.To, rule.From)
			}
			r.byGroup[rule.From.Group] = append(r.byGroup[rule.From.Group], rule)
		}
		for _, k := range set.Keys {
			domain, _, _ := strings.Cut(k.From, "/")
			r.keys, r.names[domain] = append(r.keys, k), true
			r.domains[domain] = r.domains[domain] || strings.HasSuffix(k.From, "/")
		}
		for _, k := range set.Keep {
			if k.Value != "" {
				r.keepVal[k.Value] = k.Why
			} else {
				r.keepAt = append(r.keepAt, k)
			}
		}
	}
	if err := r.circles(); err != nil {
		return nil, err
	}
	for _, k := range r.keys {
		if !strings.HasSuffix(k.From, "/") {
			delete(r.domains, k.From)
		}
	}
	for group, list := range r.byGroup {
		delete(r.domains, group)
		r.names[group] = true
		r.plurals[group] = pluralTable(list)
	}
	r.longest = r.sought()
	r.learnTargets()
	return r, nil
}

// circles refuses rules that lead back to where they began.
func (r *rules) circles() error {
	for _, group := range slices.Sorted(maps.Keys(r.byGroup)) {
		for _, rule := range r.byGroup[group] {
			if rule.Removed != "" {
				continue
			}
			seen := map[GVK]bool{rule.From: true}
			for at := complete(rule.To, rule.From); !seen[at]; {
				seen[at] = true
				v := r.step(at)
				if v.outcome != moves {
					break
				}
				if at = v.to; seen[at] {
					return fmt.Errorf("rule %s of %s: the rules lead in a circle", rule.ID, rule.ruleset)
				}
			}
		}
	}
	return nil
}

// step is one application of the raw rules to a complete GVK.
func (r *rules) step(at GVK) verdict {
	list := r.byGroup[at.Group]
	best, bestScore := -1, -1
	for i, rule := range list {
		if score, ok := fits(rule.From, at); ok && score > bestScore {
			best, bestScore = i, score
		}
	}
	if best < 0 || list[best].Removed != "" {
		return verdict{}
	}
	to := complete(list[best].To, at)
	if to == at {
		return verdict{outcome: same, to: to, rule: list[best]}
	}
	return verdict{outcome: moves, to: to, rule: list[best]}
}

// complete fills what to does not name from at.
func complete(to, at GVK) GVK {
	if to.Group == "" {
		to.Group = at.Group
	}
	if to.Version == "" {
		to.Version = at.Version
	}
	if to.Kind == "" {
		to.Kind = at.Kind
	}
	if to.Plural == "" {
		if to.Kind == at.Kind || at.Plural == "" {
			to.Plural = at.Plural
		} else {
			to.Plural = plurals(to.Kind)[0]
		}
	}
	return to
}

// fits says whether a rule may apply to what is known of a site, and how
// closely: a kind weighs more than a version. What the site does not tell
// fits everything.
func fits(from, site GVK) (score int, ok bool) {
	if from.Kind != "" && (site.Kind != "" || site.Plural != "") {
		if !from.isKind(site) {
			return 0, false
		}
		score += 4
	}
	if from.Version != "" && site.Version != "" {
		if from.Version != site.Version {
			return 0, false
		}
		score += 2
	}
	return score, true
}

// isKind says whether the kind or plural of a site is that of the rule.
func (g GVK) isKind(site GVK) bool {
	if site.Kind != "" {
		return g.Kind == site.Kind || g.Kind+"List" == site.Kind
	}
	return g.Plural == site.Plural || g.Plural == "" && slices.Contains(plurals(g.Kind), site.Plural)
}

// plurals are the resource names that a kind may have, the usual one first.
func plurals(kind string) []string {
	low := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(low, "y") && len(low) > 1 && !strings.ContainsRune("aeiou", rune(low[len(low)-2])):
		return []string{low[:len(low)-1] + "ies", low + "s"}
	case strings.HasSuffix(low, "s"), strings.HasSuffix(low, "x"), strings.HasSuffix(low, "ch"), strings.HasSuffix(low, "sh"):
		return []string{low + "es", low, low + "s"}
	}
	return []string{low + "s", low}
}

func pluralTable(list []Rule) map[string]string {
	table := map[string]string{}
	for _, rule := range list {
		switch {
		case rule.From.Plural != "":
			table[rule.From.Plural] = rule.From.Kind
		case rule.From.Kind != "":
			for _, p := range plurals(rule.From.Kind) {
				if p != strings.ToLower(rule.From.Kind) {
					table[p] = rule.From.Kind
				}
			}
		}
	}
	return table
}

// learnTargets notes for each kind of the rules the groups it may stand in.
func (r *rules) learnTargets() {
	add := func(kind, group string) {
		if kind == "" || group == "" {
			return
		}
		if r.targets[kind] == nil {
			r.targets[kind] = map[string]bool{}
		}
		r.targets[kind][group] = true
	}
	for _, list := range r.byGroup {
		for _, rule := range list {
			add(rule.From.Kind, rule.From.Group)
			add(rule.To.Kind, rule.To.Group)
			add(rule.From.Kind, rule.To.Group)
		}
	}
}

// resolve says what the rules make of a site of which perhaps not all is
// known, following them as far as they lead. Only the parts of the answer that
// differ from the site need writing. The rule is the first that moved it.
func (r *rules) resolve(site GVK) verdict {
	v := r.once(site)
	for hops := 0; v.outcome == moves && hops <= len(r.byGroup); hops++ {
		next := r.once(v.to)
		switch next.outcome {
		case moves:
			v.to = next.to
			if v.to == site {
				v.outcome = same
			}
		case ambiguous, removed:
			next.rule = v.rule
			return next
		default:
			return v
		}
	}
	return v
}

// once is one hop of resolve.
func (r *rules) once(site GVK) verdict {
	list := r.byGroup[site.Group]
	if len(list) == 0 {
		return verdict{why: "no rule for this group"}
	}
	var found []Rule
	best := -1
	told := site.Kind != "" || site.Plural != ""
	for _, rule := range list {
		score, ok := fits(rule.From, site)
		if rule.Removed != "" && rule.From.Version != "" && site.Version == "" {
			continue // the kind may be there in another version
		}
		if !ok || rule.From.Kind != "" && !told && r.whole(site.Group) && rule.Removed == "" {
			continue // a rule for the whole group answers for sites that tell no kind
		}
		switch {
		case score > best:
			found, best = []Rule{rule}, score
		case score == best:
			found = append(found, rule)
		}
	}
	if len(found) == 0 || !told && !slices.ContainsFunc(found, func(x Rule) bool { return x.Removed == "" || x.From.Kind == "" }) {
		return verdict{why: r.whyNot(site)} // that one kind is gone says nothing of the others
	}
	return agree(found, site)
}

// arrived says whether a site stands already where a rule leads.
func (r *rules) arrived(site GVK) bool {
	return site.Version != "" && slices.ContainsFunc(r.byGroup[site.Group], func(x Rule) bool {
		told := site.Kind != "" || site.Plural != ""
		return x.To.Group == site.Group && x.To.Version == site.Version && (!told || x.To.Kind == "" || x.To.isKind(site))
	})
}

// whole says whether a rule moves the group for every kind.
func (r *rules) whole(group string) bool {
	return slices.ContainsFunc(r.byGroup[group], func(x Rule) bool {
		return x.From.Kind == "" && x.Removed == ""
	})
}

// agree gives the verdict of rules that fit a site equally well.
func agree(found []Rule, site GVK) verdict {
	var first verdict
	for i, rule := range found {
		v := verdict{rule: rule}
		if rule.Removed != "" {
			v.outcome, v.why = removed, rule.Removed
		} else {
			v.to = rule.answer(site)
			v.outcome = moves
			if v.to == site {
				v.outcome = same
			}
		}
		if i == 0 {
			first = v
			continue
		}
		if v.outcome != first.outcome || v.to != first.to {
			return verdict{outcome: ambiguous, rule: first.rule, why: disagreement(found, site)}
		}
	}
	return first
}

// answer is what the rule makes of the site: only what the site tells can change.
func (r Rule) answer(site GVK) GVK {
	to := site
	if r.To.Group != "" {
		to.Group = r.To.Group
	}
	if site.Version != "" && r.To.Version != "" {
		to.Version = r.To.Version
	}
	if site.Kind != "" && r.To.Kind != "" && r.From.Kind == strings.TrimSuffix(site.Kind, "List") {
		to.Kind = r.To.Kind + site.Kind[len(r.From.Kind):]
	}
	if site.Plural != "" && r.To.Plural != "" && r.From.Kind != "" {
		to.Plural = r.To.Plural
	}
	return to
}

func disagreement(found []Rule, site GVK) string {
	var parts []string
	for _, rule := range found {
		what := rule.From.Kind
		if what == "" {
			what = rule.From.Version
		}
		to := rule.To.Group
		if rule.Removed != "" {
			to = "removed"
		} else if rule.To.Version != "" && rule.To.Group == site.Group {
			to += "/" + rule.To.Version
		}
		parts = append(parts, what+" → "+to)
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if len(parts) > 4 {
		parts = append(parts[:4], "…")
	}
	return "it depends on the kind: " + strings.Join(parts, ", ")
}

func (r *rules) whyNot(site GVK) string {
	switch {
	case site.Kind != "":
		return fmt.Sprintf("no rule moves kind %s", site.Kind)
	case site.Plural != "":
		return fmt.Sprintf("no rule moves resource %s", site.Plural)
	}
	return fmt.Sprintf("no rule moves version %s", site.Version)
}

// sought returns every name that the rules look for, the longest first: groups,
// and the domains of keys that move.
func (r *rules) sought() []string {
	list := make([]string, 0, len(r.names))
	for g := range r.names {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return list
}

// key returns the rule that moves a label, annotation or finalizer key, if one does.
func (r *rules) key(key string) (KeyRule, bool) {
	for _, k := range r.keys {
		if rest, ok := strings.CutPrefix(key, k.From); ok && (rest == "" || strings.HasSuffix(k.From, "/")) {
			return k, true
		}
	}
	return KeyRule{}, false
}
