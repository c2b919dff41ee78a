package core

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A grant is a rule of permissions, of a webhook or of a policy: a list of
// groups, one of resources, and in webhooks one of versions.
type grant struct {
	groups, resources, versions []item
	at                          source.Span // of an item of a block list: its lines
	text                        []byte      // what is there
	others                      []string    // what othersOf found
}

// splitIn are the ends of the names of files in which a rule may become several: the proof
// decodes them.
var splitIn = []string{".yaml", ".yml", ".go"}

func (c *fileReader) grantOf(r *refs.Rule) *grant {
	g := &grant{groups: itemsOf(r.Groups), resources: itemsOf(r.Resources), versions: itemsOf(r.Versions)}
	if slices.Contains(splitIn, path.Ext(c.f.Path)) && slices.ContainsFunc(g.groups, func(x item) bool { return len(c.table.RulesOf(x.text).Kinds()) > 0 }) {
		g.wholeRule(r.Object, c.data)
	}
	return g
}

// items are all texts of its lists.
func (g *grant) items() []item {
	if g == nil {
		return nil
	}
	return slices.Concat(g.groups, g.resources, g.versions)
}

// A granting decides about one rule of permissions.
type granting struct {
	*Tree
	*ref
	dual bool            // its groups are listed next to the new ones
	have map[string]bool // the groups of its list, and those that are added
	read map[string]answered
}

// An answered group is what the rules make of it.
type answered struct {
	rules.Known
	list                []rules.Answer
	versions, resources []Site
	apart               string // why a rule cannot name both groups
}

// ask asks the rules about a group, once.
func (g *granting) ask(group string) answered {
	x, ok := g.read[group]
	if ok {
		return x
	}
	x.Known = g.knownOf(group, g.grant.resources)
	x.list = g.core.answers(x.Known, g.Facts)
	if slices.ContainsFunc(g.grant.resources, func(x item) bool { return strings.HasPrefix(x.text, "*") }) { // kinds that no rule names, too
		x.list = append(x.list, g.core.answers(rules.Known{Group: group, Versions: x.Versions, Kinds: []string{"*"}}, g.Facts)...)
	}
	x.versions, x.resources = g.versionsTo(x.Known), g.resourcesTo(x.Known)
	x.apart = g.notForBoth(x.resources, group)
	g.read[group] = x
	return x
}

// newGranting reads which groups a rule of permissions has.
func newGranting(t *Tree, r *ref) *granting {
	g := &granting{Tree: t, ref: r, have: map[string]bool{}, read: map[string]answered{}}
	g.dual = t.core.opts.Dual && !g.copied()
	for _, x := range r.grant.groups {
		g.have[x.there(x.text)] = true
	}
	return g
}

// sites are what becomes of a rule of permissions: each group that changes for all of its
// resources is replaced, one that changes for some is split off.
func (g *granting) sites() []Site {
	var sites []Site
	for i, x := range g.grant.groups {
		if len(g.core.table.RulesOf(x.text)) > 0 {
			sites = append(sites, g.group(i)...)
		}
	}
	unclear := slices.ContainsFunc(sites, func(s Site) bool { return s.Action() == judge.Review }) // all of the rule or nothing
	for i, s := range sites {
		if s.both = g.dual; unclear && s.Action() == judge.Rewrite {
			s = s.As(judge.Because(judge.SplitRule, "another part of this rule cannot be rewritten"))
		}
		sites[i] = s
	}
	if unclear {
		for _, x := range g.grant.groups {
			for _, s := range g.read[x.text].resources {
				if s.Action() == judge.Rewrite {
					sites = append(sites, s.As(judge.Because(judge.WithObject, "")))
				}
			}
		}
	}
	return sites
}

// group is what becomes of one group.
func (g *granting) group(i int) []Site {
	own, dual := g.grant.groups[i], g.dual
	x := g.ask(own.text)
	k, list, versions, resources := x.Known, x.list, x.versions, x.resources
	to, stays := groupsTo(list, own.text)
	s := Site{Span: own.Span, Verdict: g.verdict, Old: own.text, Rule: ruleOf(list)}
	leave := func(why string) []Site { return []Site{s.As(judge.Because(judge.SplitRule, why))} }
	if i := slices.IndexFunc(list, func(a rules.Answer) bool { return a.Outcome == rules.Ambiguous }); i >= 0 {
		return leave(list[i].Why)
	}
	if x.apart != "" {
		return []Site{s.As(judge.Because(judge.SplitRule, x.apart).Hinted("write a rule for each of these groups"))}
	}
	// What is about any resource, or about versions, may name both groups.
	both := stays && len(resources) == 0 && (len(g.grant.versions) > 0 || slices.ContainsFunc(g.grant.resources, func(x item) bool { return strings.ContainsAny(x.text, "*{$%") }))
	fresh := slices.DeleteFunc(slices.Clone(to), func(x string) bool { return g.have[own.there(x)] })
	switch {
	case len(to) == 0 && len(versions)+len(resources) > 0:
		return slices.Concat(versions, resources)
	case len(to) == 0 && (g.core.apart(k) || g.core.table.RulesOf(list[0].At.Group).Renamed(list[0].At)):
		return nil
	case len(to) == 0:
		s.Rule = rules.RuleID{}
		return []Site{s.As(judge.Because(judge.NoRule, list[0].Why))}
	case !dual && len(versions) > 0 && versions[0].Action() == judge.Review:
		return leave(versions[0].Why())
	case dual && len(fresh) == 0:
		s.Rule = rules.RuleID{}
		return append([]Site{s.As(judge.Because(judge.DualKept, "both groups are in the list"))}, versions...)
	case (stays || len(to) > 1) && len(k.Versions) > 1 && !g.together(k, len(to), stays):
		return leave("its versions go to different groups")
	case dual && own.stuck:
		return leave("both groups are needed here")
	case dual:
		s.New, s.Edits = s.Old+", "+strings.Join(to, ", "), []source.Edit{own.and(fresh)}
	case stays || len(to) > 1:
		if s, ok := g.split(i, s); ok {
			return []Site{s}
		}
		switch {
		case both && len(fresh) == 0:
			s.Rule = rules.RuleID{}
			return []Site{s.As(judge.Because(judge.DualKept, "both groups are in the list"))}
		case both && !own.stuck:
			s.New, s.Edits = s.Old+", "+strings.Join(to, ", "), []source.Edit{own.and(fresh)}
		default:
			return leave("")
		}
	case len(fresh) == 0 && (own.stuck || g.hasOwnComment(own, to)):
		return leave("the new group is in the same list, and this one cannot be taken out here")
	case len(fresh) == 0:
		s.New, s.Edits, resources = to[0], []source.Edit{removal(g.grant.groups, i)}, nil
		s.Verdict = s.With("the new group is in the same list")
	default:
		s.New, s.Edits = to[0], []source.Edit{{Span: own.Span, Old: own.text, New: to[0]}}
	}
	for _, x := range fresh {
		g.have[own.there(x)] = true
	}
	return slices.Concat([]Site{s}, versions, resources)
}

// hasOwnComment says whether a group has a comment, which would go with it.
func (g *granting) hasOwnComment(own item, to []string) bool {
	return !own.flow && strings.Contains(own.after, "#") && !slices.ContainsFunc(g.grant.groups, func(x item) bool {
		return x.Span != own.Span && x.after == own.after && slices.Contains(to, x.text)
	})
}

// groupsTo are the other groups that a group becomes, and whether some of it stays.
func groupsTo(list []rules.Answer, group string) (to []string, stays bool) {
	for _, a := range list {
		switch {
		case a.Outcome != rules.Moves || a.To.Group == group:
			stays = true
		case !slices.Contains(to, a.To.Group):
			to = append(to, a.To.Group)
		}
	}
	return to, stays
}

// together says whether each version of a rule goes to the same groups.
func (g *granting) together(k rules.Known, to int, stays bool) bool {
	return !slices.ContainsFunc(k.Versions, func(v string) bool {
		of := k
		of.Versions = []string{v}
		list, stay := groupsTo(g.core.answers(of, g.Facts), k.Group)
		return len(list) != to || stay != stays
	})
}

// knownOf is what some resources of a rule of permissions name of a group.
func (g *granting) knownOf(group string, resources []item) rules.Known {
	k := rules.Known{Group: group}
	for _, v := range g.grant.versions {
		if v.text != "*" {
			k.Versions = append(k.Versions, v.text)
		}
	}
	add := func(kind string) {
		if !slices.Contains(k.Kinds, kind) {
			k.Kinds = append(k.Kinds, kind)
		}
	}
	var unknown []string
	for _, x := range resources {
		name, _, _ := strings.Cut(x.text, "/")
		if isOpen(name) {
			k.Kinds = slices.Clone(g.Facts.Kinds(group))
			for _, kind := range g.core.table.RulesOf(group).Kinds() {
				add(kind)
			}
			return k
		}
		if kind := g.core.kindNamed(group, name, g.Facts); kind != "" {
			add(kind)
		} else if unknown = append(unknown, name); !g.ofOther(name) {
			k.Plurals = append(k.Plurals, name)
		}
	}
	if len(k.Kinds) == 0 {
		k.Plurals = unknown
	}
	return k
}

// isOpen says whether a resource is any one, or is filled in at run time.
func isOpen(name string) bool { return name == "*" || strings.ContainsAny(name, "{$%") }

// othersOf are the groups of a rule that no rule is about, and of which resources are known: those
// of Kubernetes, and those of the tree.
func (g *granting) othersOf() []string {
	if g.grant.others == nil {
		g.grant.others = []string{}
		for _, x := range g.grant.groups {
			if len(g.core.table.RulesOf(x.text)) == 0 && (isBuiltIn(x.text) || len(g.Facts.Kinds(x.text)) > 0) {
				g.grant.others = append(g.grant.others, x.text)
			}
		}
	}
	return g.grant.others
}

func isBuiltIn(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}

// ofOther says whether a resource that a group is not known to have is one of another group in
// the same rule, by the tree or as one of Kubernetes.
func (g *granting) ofOther(name string) bool {
	known := rules.OfKubernetes(name)
	return slices.ContainsFunc(g.othersOf(), func(group string) bool { return known && isBuiltIn(group) || g.Facts.KindNamed(group, name) != "" })
}

// versionsTo rewrites the versions of a webhook's rule for one group.
func (g *granting) versionsTo(k rules.Known) []Site {
	if len(k.Versions) == 0 {
		return nil
	}
	one := g.ofOneGroup(k)
	var sites []Site
	have := map[string]bool{}
	for _, v := range g.grant.versions {
		have[v.there(v.text)] = true
	}
	for j, v := range g.grant.versions {
		of := k
		of.Versions = []string{v.text}
		list := g.core.answers(of, g.Facts)
		steps := func(a rules.Answer) bool {
			return a.Outcome == rules.Moves && a.To.Version != v.text && a.To.Version != ""
		}
		s := Site{Span: v.Span, Verdict: g.verdict.In("version"), Old: v.text}
		to := list[0].To.Version
		copied := g.core.opts.Copied && list[0].To.Group == k.Group // a type of another group is another type
		switch dual := g.core.opts.Dual; {
		case (len(list) > 1 || !one) && !dual && slices.ContainsFunc(list, steps):
			s.Rule = ruleOf(list)
			reason := "what this rule names does not go to one version"
			if len(list) > 1 {
				reason = why("it is about more than one kind: ", resultsOf(list))
			}
			return []Site{s.As(judge.Because(judge.SplitRule, reason))}
		case !one || len(list) > 1 || !steps(list[0]) || dual && have[v.there(to)] && !copied:
			continue
		case copied:
			s.Verdict = judge.Because(judge.ServedOld, "").In("version")
			sites = append(sites, s)
			continue
		case dual:
			s.Edits = []source.Edit{v.and([]string{to})}
		case have[v.there(to)]:
			s.Edits = []source.Edit{removal(g.grant.versions, j)}
		default:
			s.Edits = []source.Edit{{Span: v.Span, Old: v.text, New: to}}
		}
		have[v.there(to)] = true
		s.New, s.Rule = to, list[0].Called()
		sites = append(sites, s)
	}
	return sites
}

// resourcesTo rewrites the resources of a rule whose kinds get another name.
func (g *granting) resourcesTo(k rules.Known) []Site {
	var sites []Site
	for _, x := range g.grant.resources {
		name, _, _ := strings.Cut(x.text, "/")
		at := source.Span{Start: x.Start, End: x.Start + len(name)}
		to, one := g.pluralNow(k.Group, name, k.Versions)
		if !one {
			s := Site{Span: at, Verdict: g.verdict.In("resource-name"), Old: name, Rule: ruleOf(g.core.answers(rules.Known{Group: k.Group, Plurals: []string{name}, Versions: k.Versions}, g.Facts))}
			return []Site{s.As(judge.Because(judge.SplitRule, "its versions get different names"))}
		}
		if to == "" || to == name {
			continue
		}
		a := g.core.table.Ask(rules.GVK{Group: k.Group, Version: strings.Join(k.Versions[:min(1, len(k.Versions))], ""), Plural: name, Kind: g.core.kindNamed(k.Group, name, g.Facts)})
		sites = append(sites, Site{Span: at, Verdict: g.verdict.In("resource-name"), Old: name, New: to, Rule: a.Rule.Called(), Edits: []source.Edit{{Span: at, Old: name, New: to}}})
	}
	return sites
}

// copied says whether a rule of permissions gets a copy in dual mode: where its
// resources get other names, one rule for both groups would permit more.
func (g *granting) copied() bool {
	renamed := false
	for _, x := range g.grant.groups {
		k := g.knownOf(x.text, g.grant.resources)
		to, stays := groupsTo(g.core.answers(k, g.Facts), x.text)
		if stays || len(to) != 1 || len(g.versionsTo(k)) > 0 {
			return false
		}
		renamed = renamed || len(g.resourcesTo(k)) > 0
	}
	return renamed && slices.ContainsFunc(g.file.units, func(u unit) bool {
		return u.kind == permission && u.Start <= g.own.Start && g.own.End <= u.End && !strings.Contains(u.id, ": &") && !strings.Contains(u.id, ": *")
	})
}

// ofOneGroup says whether the versions of a rule are those of one group: there
// is no other, or the others are what it becomes.
func (g *granting) ofOneGroup(k rules.Known) bool {
	to, _ := groupsTo(g.core.answers(k, g.Facts), k.Group)
	return !slices.ContainsFunc(g.grant.groups, func(x item) bool { return x.text != k.Group && !slices.Contains(to, x.text) })
}

// notForBoth is why a rule of permissions cannot name both groups, or the new
// names of resources for all of its groups; "" where it can.
func (g *granting) notForBoth(resources []Site, group string) string {
	for _, s := range resources {
		if s.New == "" {
			continue // its versions get different names
		}
		if g.dual {
			return s.Old + " becomes " + s.New + ": a rule for both would permit more"
		}
		for _, x := range g.grant.groups {
			if x.text != group && g.plural(rules.GVK{Group: x.text}, s.Old) != s.New {
				return s.Old + " becomes " + s.New + " in one of its groups, and is not changed in " + cmp.Or(x.text, `""`)
			}
		}
	}
	return ""
}

func resultsOf(list []rules.Answer) (results []result) {
	for _, a := range list {
		results = append(results, result{Answer: a})
	}
	return results
}
