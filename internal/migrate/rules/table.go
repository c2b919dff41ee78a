package rules

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/spelling"
)

// An Outcome says what the rules make of a site.
type Outcome int

// The outcomes.
const (
	NoRule    Outcome = iota // the group is not one of ours, or no rule knows this version or kind
	Same                     // a rule knows it, and it stays as it is
	Moves                    // it becomes something else
	Ambiguous                // it depends on a kind or version that the site does not tell
	Removed                  // the API has no successor
	Circle                   // the rules lead back to where they were
)

// An Answer is an outcome with its reason.
type Answer struct {
	Outcome Outcome
	To      GVK  // complete: what the site becomes
	At      GVK  // what was asked for, of the answers of Answers
	Rule    Rule // the rule that decided, the first when several agree
	Why     string
}

// Ruled says whether a rule tells what becomes of a site, be it nothing.
func (a Answer) Ruled() bool { return a.Outcome == Moves || a.Outcome == Removed }

// A Table is compiled rulesets. It is safe for concurrent use; what it hands out is not to
// be changed.
type Table struct {
	sets      []*Ruleset
	byGroup   map[string][]Rule
	groups    []string // of the rules, sorted
	convert   map[GVK]*Conversion
	keys      []KeyRule
	keepVal   map[string]string // spelling → why
	keepAt    []Keep
	targets   map[string][]string // kind → groups it may stand in after the run, sorted
	versioned map[string]bool     // groups
	shapes    [][]byte            // the kinds whose objects may change their shape
	asked     sync.Map            // GVK → Answer
	hopped    sync.Map            // GVK → Answer of one hop
	count     atomic.Int64        // of both
}

// Compile makes the table of rulesets. Rules that lead in a circle are an error.
func Compile(sets []*Ruleset) (*Table, error) {
	r := &Table{sets: sets, byGroup: map[string][]Rule{}, convert: map[GVK]*Conversion{}, keepVal: map[string]string{}, targets: map[string][]string{}}
	for _, set := range sets {
		r.add(set)
	}
	r.groups = slices.Sorted(maps.Keys(r.byGroup))
	if err := r.circles(); err != nil {
		return nil, err
	}
	r.learnTargets()
	r.learnVersioned()
	return r, r.goOn()
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

// Sets are the rulesets, in the order in which they were given.
func (r *Table) Sets() []*Ruleset { return r.sets }

// Groups are the groups that rules look for, sorted.
func (r *Table) Groups() []string { return r.groups }

// RulesOf are the rules for a group, in the order of the rulesets.
func (r *Table) RulesOf(group string) []Rule { return r.byGroup[group] }

// Keys are the rules for keys.
func (r *Table) Keys() []KeyRule { return r.keys }

// Keeps says whether a ruleset keeps a spelling, and why.
func (r *Table) Keeps(spelling string) (why string, ok bool) {
	why, ok = r.keepVal[spelling]
	return why, ok
}

// KeptPaths are the globs of files that stay as they are.
func (r *Table) KeptPaths() []Keep { return r.keepAt }

// Homes are the groups in which a kind of the rules may stand after the run,
// sorted; none for a kind that no rule names.
func (r *Table) Homes(kind string) []string { return r.targets[kind] }

// Kinds are those that rules name, sorted.
func (r *Table) Kinds() []string { return slices.Sorted(maps.Keys(r.targets)) }

// Converts says whether objects of some kind change their shape.
func (r *Table) Converts() bool { return len(r.convert) > 0 }

// MayConvert says whether a text holds the name of a kind whose shape changes.
func (r *Table) MayConvert(text []byte) bool {
	return slices.ContainsFunc(r.shapes, func(kind []byte) bool { return bytes.Contains(text, kind) })
}

// Shapes are the changes of shape on the way of a site; of one that tells no kind, those of
// every kind that it may be about, sorted by kind.
func (r *Table) Shapes(site GVK) []*Conversion {
	var kinds []string
	for _, kind := range r.shapes {
		if (GVK{Kind: string(kind)}).isKind(site) || site.Kind == "" && site.Plural == "" {
			kinds = append(kinds, string(kind))
		}
	}
	slices.Sort(kinds)
	var list []*Conversion
	for _, kind := range slices.Compact(kinds) {
		r.Hops(GVK{Group: site.Group, Version: site.Version, Kind: kind}, func(h Hop) bool {
			if h.Shape != nil {
				list = append(list, h.Shape)
			}
			return true
		})
	}
	return list
}

// circles refuses rules that lead back to where they began.
func (r *Table) circles() error {
	for _, group := range r.groups {
		for _, rule := range r.byGroup[group] {
			if !rule.Gone() && r.Hops(rule.From, func(Hop) bool { return true }).Outcome == Circle {
				return fmt.Errorf("rule %s of %s: the rules lead in a circle, or on through more than %d rules", rule.ID, rule.Set, maxHops)
			}
		}
	}
	return nil
}

// maxHops is how many rules may lead on from one to the next.
const maxHops = 32

// A Hop is one step of the rules: what was there, what the rule makes of it,
// and the change of shape that belongs to what was there, nil for none.
type Hop struct {
	From, To GVK
	Rule     Rule
	Shape    *Conversion
}

// Hops follows the rules from a site as far as they lead, one hop at a time,
// while visit says so. It returns what stopped it. Whatever asks the rules asks
// here: what a site becomes, which shapes change on the way, whether the rules
// lead in a circle.
func (r *Table) Hops(site GVK, visit func(Hop) bool) Answer {
	seen := [8]GVK{site}
	list := seen[:1]
	for at := site; ; {
		v, shape := r.once(at), r.convert[GVK{Group: at.Group, Version: at.Version, Kind: at.Kind}]
		if v.Outcome != Moves || !visit(Hop{From: at, To: v.To, Rule: v.Rule, Shape: shape}) {
			return v
		}
		if at = v.To; len(list) > maxHops || slices.Contains(list, at) {
			return Answer{Outcome: Circle}
		}
		list = append(list, at)
	}
}

// Complete fills what to does not name from at.
func Complete(to, at GVK) GVK {
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
		if to.Kind == at.Kind {
			to.Plural = at.Plural
		} else {
			to.Plural = Plurals(to.Kind)[0]
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
	return g.Plural == site.Plural || g.Plural == "" && slices.Contains(Plurals(g.Kind), site.Plural)
}

// Plurals are the resource names that a kind may have, the usual one first.
func Plurals(kind string) []string { return spelling.Plurals(kind) }

// learnTargets notes for each kind of the rules the groups it may stand in.
func (r *Table) learnTargets() {
	add := func(kind, group string) {
		if kind != "" && group != "" && !slices.Contains(r.targets[kind], group) {
			r.targets[kind] = append(r.targets[kind], group)
		}
	}
	for _, group := range r.groups {
		for _, rule := range r.byGroup[group] {
			add(rule.From.Kind, rule.From.Group)
			add(rule.To.Kind, rule.To.Group)
			add(rule.From.Kind, rule.To.Group)
		}
	}
	for _, kind := range r.Kinds() {
		slices.Sort(r.targets[kind])
	}
}

// Ask says what the rules make of a site of which perhaps not all is
// known, following them as far as they lead. Only the parts of the answer that
// differ from the site need writing. The rule is the first that moved it.
func (r *Table) Ask(site GVK) Answer {
	if a, ok := r.asked.Load(site); ok {
		return a.(Answer)
	}
	a := r.ask(site)
	if r.count.Add(1) <= maxAsked {
		r.asked.Store(site, a)
	}
	return a
}

// maxAsked bounds the answers that a table remembers.
const maxAsked = 10_000

func (r *Table) ask(site GVK) Answer {
	if len(r.byGroup[site.Group]) == 0 {
		return r.once(site)
	}
	var first, last Answer
	end := r.Hops(site, func(h Hop) bool {
		if h.Rule.ID == "" { // a shape alone: its objects are found by it
			return false
		}
		if last.Outcome != Moves {
			first.Rule = h.Rule
		}
		last = Answer{Outcome: Moves, To: h.To, Rule: first.Rule}
		return true
	})
	switch {
	case last.Outcome != Moves && end.Outcome == Moves:
		return r.once(site)
	case last.Outcome != Moves:
		return end
	case end.Outcome == Ambiguous || end.Outcome == Removed:
		end.Rule = first.Rule
		return end
	case last.To == site:
		last.Outcome = Same
	}
	if site.Kind == "" && site.Plural == "" {
		return r.ofAll(site, last)
	}
	return last
}

// once is one hop of resolve.
func (r *Table) once(site GVK) Answer {
	list := r.byGroup[site.Group]
	if len(list) == 0 {
		return Answer{Why: "no rule for this group"}
	}
	if a, ok := r.hopped.Load(site); ok {
		return a.(Answer)
	}
	a := r.decide(list, site)
	if r.count.Add(1) <= maxAsked {
		r.hopped.Store(site, a)
	}
	return a
}

// decide is the answer of those of a list of rules that fit a site best.
func (r *Table) decide(list []Rule, site GVK) Answer {
	var found []Rule
	best := map[string]int{} // by kind where the site tells none
	told := site.Kind != "" || site.Plural != ""
	for _, rule := range list {
		score, ok := fits(rule.From, site)
		if rule.Gone() && rule.From.Version != "" && site.Version == "" {
			continue // the kind may be there in another version
		}
		if !ok || rule.From.Kind != "" && !told && r.Whole(site.Group) && !rule.Gone() {
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
		return Answer{Why: r.whyNot(site)} // that one kind is gone says nothing of the others
	}
	return agree(found, site)
}

// Whole says whether a rule moves the group for every kind.
func (r *Table) Whole(group string) bool {
	return slices.ContainsFunc(r.byGroup[group], func(x Rule) bool {
		return x.From.Kind == "" && !x.Gone()
	})
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
	if site.Kind != "" && r.To.Kind != "" && r.From.Kind == strings.TrimSuffix(site.Kind, "List") {
		to.Kind = r.To.Kind + site.Kind[len(r.From.Kind):]
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

// whyNot is why no rule moves a name. A kind of which another version moves stays for its
// version.
func (r *Table) whyNot(site GVK) string {
	other := func(x Rule) bool {
		from := x.From
		from.Version = ""
		_, ok := fits(from, site)
		return ok && x.From.Version != "" && x.From.Version != site.Version
	}
	switch {
	case site.Version != "" && slices.ContainsFunc(r.byGroup[site.Group], other):
		return fmt.Sprintf("no rule covers version %s", site.Version)
	case site.Kind != "":
		return fmt.Sprintf("no rule covers kind %s", site.Kind)
	case site.Plural != "":
		return fmt.Sprintf("no rule covers resource %s", site.Plural)
	}
	return fmt.Sprintf("no rule covers version %s", site.Version)
}

// Key returns the rule that moves a label, annotation or finalizer key, if one
// does: the longest of those that fit, the first of those as long.
func (r *Table) Key(key string) (KeyRule, bool) {
	var best KeyRule
	for _, k := range r.keys {
		if rest, ok := strings.CutPrefix(key, k.From); ok && (rest == "" || strings.HasSuffix(k.From, "/")) && len(k.From) > len(best.From) {
			best = k
		}
	}
	return best, best.From != ""
}
