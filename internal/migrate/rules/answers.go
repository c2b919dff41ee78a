package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Known is what is known of a reference. An empty list means any.
type Known struct {
	Group    string
	Versions []string
	Kinds    []string
	Plurals  []string
	Open     bool // the version is filled in at run time
}

// maxAnswers bounds the combinations of versions and kinds that are asked for.
const maxAnswers = 4096

// maxDifferent bounds the different answers, far above what people read.
const maxDifferent = 100

// Answers are the different things that the rules make of what a reference may
// mean; each has the site that it is the answer for in At. One answer decides.
func (r *Table) Answers(k Known) []Answer {
	versions, kinds := k.Versions, kindsOf(k)
	if len(versions) == 0 || k.Open {
		versions = []string{""}
	}
	var list []Answer
	n := 0
	for _, v := range versions {
		for _, gk := range kinds {
			if n++; n > maxAnswers || len(list) > maxDifferent {
				return append(list, Answer{Outcome: Ambiguous, Why: "too many kinds and versions"})
			}
			site := GVK{Group: k.Group, Version: v, Kind: gk.Kind, Plural: gk.Plural}
			a := r.Ask(site)
			a.At = site
			if !slices.ContainsFunc(list, func(x Answer) bool { return x.like(a) }) {
				list = append(list, a)
			}
		}
	}
	return list
}

func kindsOf(k Known) []GVK {
	var list []GVK
	for _, kind := range k.Kinds {
		list = append(list, GVK{Kind: kind})
	}
	for _, p := range k.Plurals {
		list = append(list, GVK{Plural: p})
	}
	if len(list) == 0 {
		list = []GVK{{}}
	}
	return list
}

// like says whether two answers lead to the same text, whatever kind or version
// they were asked for.
func (a Answer) like(b Answer) bool {
	if a.Outcome.stays() && b.Outcome.stays() {
		return true
	}
	if a.Outcome != b.Outcome {
		return false
	}
	if a.Outcome != Moves {
		return true
	}
	same := func(from, to, fromB, toB string) bool { return to == toB || to == from && toB == fromB }
	return a.To.Group == b.To.Group && same(a.At.Version, a.To.Version, b.At.Version, b.To.Version) &&
		same(a.At.Kind, a.To.Kind, b.At.Kind, b.To.Kind) && same(a.At.Plural, a.To.Plural, b.At.Plural, b.To.Plural)
}

func (o Outcome) stays() bool { return o == NoRule || o == Same }

// Called says which rule decided.
func (a Answer) Called() RuleID { return a.Rule.Called() }

// Stays says whether nothing of the site changes.
func (a Answer) Stays() bool { return a.Outcome.stays() }

// Versioned says whether a rule of the group names a version, or one of a group that it leads to.
func (r *Table) Versioned(group string) bool { return r.versioned[group] }

// learnVersioned notes the groups of which a rule names a version: those that lead to such a group
// after those that have one.
func (r *Table) learnVersioned() {
	r.versioned = map[string]bool{}
	for more := true; more; {
		more = false
		for _, g := range r.groups {
			if !r.versioned[g] && slices.ContainsFunc(r.byGroup[g], func(x Rule) bool {
				return x.From.Version != "" || x.To.Version != "" || r.versioned[x.To.Group]
			}) {
				r.versioned[g], more = true, true
			}
		}
	}
}

// Stepped says whether a rule gives a version of a reference another one, or none.
func (r *Table) Stepped(k Known) bool {
	return slices.ContainsFunc(r.byGroup[k.Group], func(x Rule) bool {
		return x.From.Version != "" && slices.ContainsFunc(kindsOf(k), func(of GVK) bool {
			a := r.Ask(GVK{Group: k.Group, Version: x.From.Version, Kind: of.Kind, Plural: of.Plural})
			return a.Ruled() && a.To.Version != x.From.Version
		})
	})
}

// Steps are the versions without which nothing of a group changes but its kinds that are gone; ok
// is false where a rule changes the group itself, or a kind of any version.
func (r *Table) Steps(group string) (versions []string, ok bool) {
	for _, x := range r.byGroup[group] {
		if !x.Gone() && x.To.Group != group || x.From.Version == "" && (x.From.Kind == "" || !x.Gone()) {
			return nil, false
		}
		if x.From.Version != "" {
			versions = append(versions, x.From.Version)
		}
	}
	return versions, true
}

// KindNamed is the kind of a group's rules that has a plural or singular name,
// "" for none.
func (r *Table) KindNamed(group, name string) string {
	for _, x := range r.byGroup[group] {
		if x.From.Kind != "" && (x.From.isKind(GVK{Plural: name}) || strings.ToLower(x.From.Kind) == name) {
			return x.From.Kind
		}
	}
	return ""
}

// KindsOf are the kinds that rules of a group name.
func (r *Table) KindsOf(group string) []string {
	var list []string
	for _, x := range r.byGroup[group] {
		if x.From.Kind != "" && !slices.Contains(list, x.From.Kind) {
			list = append(list, x.From.Kind)
		}
	}
	return list
}

// Renamed says whether a site has the new name that a rule gives a kind of the same group.
func (r *Table) Renamed(site GVK) bool {
	return slices.ContainsFunc(r.byGroup[site.Group], func(x Rule) bool {
		to := x.To
		return x.From.Kind != "" && to.Group == site.Group && to.Kind != x.From.Kind &&
			(to.Kind == strings.TrimSuffix(site.Kind, "List") || site.Kind == "" && slices.Contains(append(Plurals(to.Kind), to.Plural), site.Plural))
	})
}

// maxRepeated bounds the rules that goOn adds.
const maxRepeated = 4096

// goOn repeats the rules of a whole group for the kinds for which they go on by rules of the
// new group: the answers are the same, and what asks for the kinds of a group finds them.
// Too many of them are an error.
func (r *Table) goOn() error {
	repeated := 0
	for range maxHops {
		for _, group := range r.groups {
			whole := slices.DeleteFunc(slices.Clone(r.byGroup[group]), func(x Rule) bool { return x.From.Kind != "" })
			named := r.KindsOf(group)
			for _, x := range whole {
				for _, next := range r.byGroup[x.To.Group] {
					if k := next.From; k.Kind != "" && k.Group != group && !slices.Contains(named, k.Kind) {
						if repeated += len(whole); repeated > maxRepeated {
							return fmt.Errorf("rule %s of %s: too many rules lead on from %s: write rules that lead to the last groups at once", x.ID, x.Set, x.To.Group)
						}
						named = append(named, k.Kind)
						for _, y := range whole {
							y.From.Kind, y.From.Plural, y.To.Kind, y.To.Plural = k.Kind, k.Plural, k.Kind, k.Plural
							r.byGroup[group] = append(r.byGroup[group], y)
						}
					}
				}
			}
		}
	}
	r.hopped.Clear()
	return nil
}

// ofAll is the answer for a site that tells no kind, if the rules lead each of its kinds there:
// a rule for the whole group tells of kinds that no rule names.
func (r *Table) ofAll(site GVK, a Answer) Answer {
	kinds := r.KindsOf(site.Group)
	if r.Whole(site.Group) {
		kinds = []string{"a kind that no rule names"}
	}
	for _, kind := range kinds {
		at := site
		at.Kind = kind
		switch b := r.Ask(at); {
		case !b.Ruled() || b.To.Group == a.To.Group && b.To.Version == a.To.Version:
		case len(kinds) > 1:
			return Answer{Outcome: Ambiguous, Rule: a.Rule, Why: disagreement(r.byGroup[site.Group], site)}
		default:
			b.To.Kind, b.To.Plural = "", ""
			return b
		}
	}
	return a
}
