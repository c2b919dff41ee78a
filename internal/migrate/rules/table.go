package rules

import (
	"bytes"
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
	byGroup   map[string]GroupRules
	groups    []string // of the rules, sorted
	convert   map[GVK]*Conversion
	keys      []KeyRule
	keepVal   map[string]string // spelling → why
	keepAt    []Keep
	homes     map[string][]string // kind → groups it may stand in after the run, sorted
	versioned map[string]bool     // groups
	shapes    [][]byte            // the kinds whose objects may change their shape
	asked     answers
	hopped    answers // of one hop
}

// Apart is the table of a tree in which some kinds of the rules are alone: what is named like their list is a kind of its own.
func (r *Table) Apart(own func(group, kind string) bool) *Table {
	byGroup, some := map[string]GroupRules{}, false
	for group, list := range r.byGroup {
		list = slices.Clone(list)
		for i := range list {
			list[i].single = list[i].From.Kind != "" && own(group, list[i].From.Kind+"List")
			some = some || list[i].single
		}
		byGroup[group] = list
	}
	if !some {
		return r
	}
	return &Table{sets: r.sets, byGroup: byGroup, groups: r.groups, convert: r.convert, keys: r.keys, keepVal: r.keepVal, keepAt: r.keepAt, homes: r.homes, versioned: r.versioned, shapes: r.shapes}
}

// Sets are the rulesets, in the order in which they were given.
func (r *Table) Sets() []*Ruleset { return r.sets }

// Groups are the groups that rules look for, sorted.
func (r *Table) Groups() []string { return r.groups }

// RulesOf are the rules for a group, in the order of the rulesets.
func (r *Table) RulesOf(group string) GroupRules { return r.byGroup[group] }

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
func (r *Table) Homes(kind string) []string { return r.homes[kind] }

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
		if c := r.convert[GVK{Group: v.To.Group, Version: at.Version, Kind: at.Kind}]; shape == nil && c != nil && c.To == v.To.Group+"/"+v.To.Version {
			shape = c // one rule changes the group and the version
		}
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

// isKind says whether the kind or plural of a site is that of the rule.
func (g GVK) isKind(site GVK) bool {
	if site.Kind != "" {
		return g.Kind == site.Kind || g.Kind+"List" == site.Kind
	}
	return g.Plural == site.Plural || g.Plural == "" && slices.Contains(Plurals(g.Kind), site.Plural)
}

// Plurals are the resource names that a kind may have, the usual one first.
func Plurals(kind string) []string { return spelling.Plurals(kind) }

// OfKubernetes says whether a resource, by its plural, is one of Kubernetes itself.
func OfKubernetes(plural string) bool { return spelling.OfKubernetes(plural) }

// Ask says what the rules make of a site of which perhaps not all is
// known, following them as far as they lead. Only the parts of the answer that
// differ from the site need writing. The rule is the first that moved it.
func (r *Table) Ask(site GVK) Answer {
	return r.asked.of(site, r.ask)
}

// answers remember what was answered. They may be asked at the same time.
type answers struct {
	known sync.Map // GVK → Answer
	count atomic.Int64
}

// maxAsked bounds the answers that are remembered.
const maxAsked = 5_000

func (x *answers) of(site GVK, find func(GVK) Answer) Answer {
	if a, ok := x.known.Load(site); ok {
		return a.(Answer)
	}
	a := find(site)
	if x.count.Add(1) <= maxAsked {
		x.known.Store(site, a)
	}
	return a
}

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
	return r.hopped.of(site, list.decide)
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
