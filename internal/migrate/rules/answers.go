package rules

import (
	"slices"
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

// Stepped says whether a rule gives a version of a reference another one, or none.
func (r *Table) Stepped(k Known) bool {
	return slices.ContainsFunc(r.byGroup[k.Group], func(x Rule) bool {
		return x.From.Version != "" && slices.ContainsFunc(kindsOf(k), func(of GVK) bool {
			a := r.Ask(GVK{Group: k.Group, Version: x.From.Version, Kind: of.Kind, Plural: of.Plural})
			return a.Ruled() && a.To.Version != x.From.Version
		})
	})
}

// ofAll is the answer for a site that tells no kind, if the rules lead each of its kinds there:
// a rule for the whole group tells of kinds that no rule names.
func (r *Table) ofAll(site GVK, a Answer) Answer {
	kinds := r.RulesOf(site.Group).Kinds()
	if r.RulesOf(site.Group).Whole() {
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
