package judge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// NamesOf are the names that rules ask to look for: what the formats are told
// of them.
func NamesOf(t *rules.Table, clients []Client) *find.Names {
	var w find.Wanted
	for _, k := range t.Keys() {
		w.Keys = append(w.Keys, k.From)
	}
	for _, set := range t.Sets() {
		for _, c := range set.Convert {
			if group, _, ok := strings.Cut(c.From, "/"); ok { // the core group has no name
				w.Groups = append(w.Groups, group)
			}
		}
	}
	w.Kinds = t.Kinds()
	for _, group := range t.Groups() {
		for _, rule := range t.RulesOf(group) {
			w.Known = append(w.Known, rule.From)
		}
		if slices.ContainsFunc(t.RulesOf(group), rules.Rule.Remakes) {
			w.Remade = append(w.Remade, group)
		}
	}
	for _, group := range t.Groups() {
		if t.OnlyRenames(group) {
			w.Plain = append(w.Plain, group)
		}
	}
	for _, c := range clients {
		w.Clients = append(w.Clients, find.ClientName{Group: c.Group, Name: c.Old})
	}
	return find.NewNames(w)
}

// A Client is how a generated client spells a group in identifiers, before and
// after.
type Client struct {
	Group    string // the old group
	Old, New string // Mcad, Workload
}

// Clients are the identifiers that a rename of groups changes, those of the
// longest groups first.
func Clients(r *rules.Table) []Client {
	var names []Client
	groups := slices.SortedFunc(slices.Values(r.Groups()), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, group := range groups {
		v := r.Ask(rules.GVK{Group: group})
		if v.Outcome != rules.Moves || !strings.Contains(group, ".") || !r.OnlyRenames(group) {
			continue
		}
		before, after := find.GoName(group), find.GoName(v.To.Group)
		if before != after {
			names = append(names, Client{group, before, after})
		}
	}
	return names
}
