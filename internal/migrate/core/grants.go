package core

import (
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
	code                        bool        // it is Go, in which both groups may stand
}

// splitIn are the ends of the names of files in which a rule may become several: the proof
// decodes them.
var splitIn = []string{".yaml", ".yml", ".go"}

func (c *Core) grantOf(place string, data []byte, r *refs.Rule) *grant {
	g := &grant{code: r.Object.Document().Lang == "go", groups: itemsOf(r.Groups), resources: itemsOf(r.Resources), versions: itemsOf(r.Versions)}
	if slices.Contains(splitIn, path.Ext(place)) && slices.ContainsFunc(g.groups, func(x item) bool { return len(c.table.KindsOf(x.text)) > 0 }) {
		g.wholeRule(r.Object, data)
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
	dual  bool                 // its groups are listed next to the new ones
	have  map[string]bool      // the groups of its list, and those that are added
	asked map[string]*answered // by group
}

// An answered group of a rule of permissions is what the rules make of it.
type answered struct {
	known    rules.Known
	list     []rules.Answer
	to       []string // its new groups
	stays    bool     // some of it stays
	versions []Site   // those of its versions
	unclear  bool
	why      string // it is unclear
}

// grantSites are what becomes of a rule of permissions: each group that
// changes for all of its resources is replaced, one that changes for some gets
// the new group next to it.
func (t *Tree) grantSites(r *ref) []Site {
	g := &granting{t, r, t.core.opts.Dual && !t.copied(r), map[string]bool{}, map[string]*answered{}}
	for _, x := range r.grant.groups {
		g.have[x.text] = true
	}
	var sites []Site
	for i, x := range r.grant.groups {
		if len(t.core.table.RulesOf(x.text)) > 0 {
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
	return sites
}

// group is what becomes of one group.
func (g *granting) group(i int) []Site {
	x, item := g.ask(g.grant.groups[i].text), g.grant.groups[i]
	s := Site{Span: item.Span, Verdict: g.verdict, Old: item.text, Rule: ruleOf(x.list)}
	partly := x.stays || len(x.to) > 1
	switch {
	case x.unclear:
		return g.leave(s, x.why)
	case len(x.to) == 0:
		return g.same(x, s)
	case partly:
		if s, ok := g.split(i, s); ok {
			return []Site{s}
		}
		if !g.dual && !g.grant.code && g.grant.named() && len(g.grant.versions) == 0 {
			return g.leave(s, "")
		}
		if renamed := g.resourcesTo(g.ref, x.known); !g.dual && len(renamed) > 0 {
			return g.leave(s, renamed[0].Old+" becomes "+renamed[0].New+", and other resources keep the group")
		}
	}
	if !x.stays && !g.dual {
		return g.replace(x, s, i)
	}
	if !g.dual && len(g.grant.versions) > 0 && g.have[x.to[0]] {
		return g.leave(s, "its resources go to "+x.to[0]+", in some of its versions")
	}
	sites := g.add(s, item, x.to)
	if g.dual {
		sites = append(sites, x.versions...)
	}
	return sites
}

// leave has a part of the rule reviewed.
func (g *granting) leave(s Site, why string) []Site {
	return []Site{s.As(judge.Because(judge.SplitRule, why))}
}

// ask asks the rules about a group.
func (g *granting) ask(group string) *answered {
	if x := g.asked[group]; x != nil {
		return x
	}
	k := g.grantKnown(g.grant, group, g.grant.resources)
	x := &answered{known: k, list: g.core.answers(k, g.Facts), versions: g.versionsTo(g.ref, k)}
	if slices.ContainsFunc(g.grant.resources, func(x item) bool { return strings.HasPrefix(x.text, "*") }) { // kinds that no rule names, too
		k.Kinds, k.Plurals = []string{"*"}, nil
		x.list = append(x.list, g.core.answers(k, g.Facts)...)
	}
	x.to, x.stays = groupsTo(x.list, group)
	x.why, x.unclear = g.unclear(x)
	g.asked[group] = x
	return x
}

// unclear says why nothing of a group can be rewritten.
func (g *granting) unclear(x *answered) (why string, unclear bool) {
	if i := slices.IndexFunc(x.list, func(a rules.Answer) bool { return a.Outcome == rules.Ambiguous }); i >= 0 {
		return x.list[i].Why, true
	}
	if why := g.notForBoth(g.ref, x.known, g.dual); why != "" {
		return why, true
	}
	if len(x.to) > 0 && !g.dual && len(x.versions) > 0 && x.versions[0].Action() == judge.Review {
		return x.versions[0].Why(), true
	}
	served := g.dual && !slices.ContainsFunc(x.to, func(group string) bool { return !g.have[group] })
	if len(x.to) > 0 && (x.stays || len(x.to) > 1) && len(x.known.Versions) > 1 && !served && !g.together(x.known) {
		return "its versions go to different groups", true
	}
	return "", false
}

// same is what becomes of the rest of a rule whose group stays.
func (g *granting) same(x *answered, s Site) []Site {
	if only := slices.Concat(x.versions, g.resourcesTo(g.ref, x.known)); len(only) > 0 {
		return only
	}
	if g.core.concerns.apart(x.known) || g.core.table.Renamed(x.list[0].At) {
		return nil
	}
	s.Rule = rules.RuleID{}
	return []Site{s.As(judge.Because(judge.NoRule, x.list[0].Why))}
}

// replace has the new groups in the place of one, or takes that out where they are there.
func (g *granting) replace(x *answered, s Site, i int) []Site {
	item := g.grant.groups[i]
	fresh := g.fresh(x.to)
	switch {
	case len(fresh) == 0 && (item.stuck || g.hasOwnComment(i, x.to)):
		return g.leave(s, "the new group is in the same list, and this one cannot be taken out here")
	case len(fresh) == 0:
		s.New, s.Edits = x.to[0], []source.Edit{removal(g.grant.groups, i)}
		s.Verdict = s.With("the new group is in the same list")
		return append([]Site{s}, x.versions...)
	case len(fresh) > 1 && item.stuck:
		return g.leave(s, "several groups are needed here")
	}
	s.New = strings.Join(fresh, ", ")
	s.Edits = []source.Edit{{Span: item.Span, Old: item.text, New: strings.Join(fresh, item.after+item.before)}}
	return slices.Concat([]Site{s}, x.versions, g.resourcesTo(g.ref, x.known))
}

// fresh are those of some groups that the list does not have, which it has from now on.
func (g *granting) fresh(groups []string) (list []string) {
	for _, x := range groups {
		if !g.have[x] {
			list = append(list, x)
		}
		g.have[x] = true
	}
	return list
}

// hasOwnComment says whether a group has a comment, which would go with it.
func (g *granting) hasOwnComment(i int, to []string) bool {
	own := g.grant.groups[i]
	return !own.flow && strings.Contains(own.after, "#") && !slices.ContainsFunc(g.grant.groups, func(x item) bool {
		return x.Span != own.Span && x.after == own.after && slices.Contains(to, x.text)
	})
}

// add adds new groups next to the old one.
func (g *granting) add(s Site, old item, to []string) []Site {
	fresh := g.fresh(to)
	switch {
	case old.stuck:
		return g.leave(s, "both groups are needed here")
	case len(fresh) == 0:
		s.Rule = rules.RuleID{}
		return []Site{s.As(judge.Because(judge.DualKept, "both groups are in the list"))}
	}
	s.New = s.Old + ", " + strings.Join(to, ", ")
	s.Edits = []source.Edit{old.and(fresh)}
	return []Site{s}
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

// named says whether each resource has a name.
func (g *grant) named() bool {
	return !slices.ContainsFunc(g.resources, func(x item) bool { return strings.ContainsAny(x.text, "*{$%") })
}

// together says whether each version of a rule goes to the same groups.
func (t *Tree) together(k rules.Known) bool {
	var first []string
	for i, v := range k.Versions {
		of := k
		of.Versions = []string{v}
		to, stays := groupsTo(t.core.answers(of, t.Facts), k.Group)
		if stays {
			to = append(to, k.Group)
		}
		if slices.Sort(to); i == 0 {
			first = to
		} else if !slices.Equal(first, to) {
			return false
		}
	}
	return true
}

// grantKnown is what some resources of a rule of permissions name of a group.
func (t *Tree) grantKnown(g *grant, group string, resources []item) rules.Known {
	k := rules.Known{Group: group}
	for _, v := range g.versions {
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
			k.Kinds = slices.Clone(t.Facts.Kinds(group))
			for _, kind := range t.core.table.KindsOf(group) {
				add(kind)
			}
			return k
		}
		if kind := t.core.kindNamed(group, name, t.Facts); kind != "" {
			add(kind)
		} else {
			unknown = append(unknown, name)
		}
	}
	if len(k.Kinds) == 0 || !t.ofOthers(g, group) {
		k.Plurals = unknown
	}
	return k
}

// isOpen says whether a resource is any one, or is filled in at run time.
func isOpen(name string) bool { return name == "*" || strings.ContainsAny(name, "{$%") }

// ofOthers says whether resources that a group is not known to have may be of a group of
// Kubernetes in the same rule.
func (t *Tree) ofOthers(g *grant, group string) bool {
	return slices.ContainsFunc(g.groups, func(x item) bool {
		return x.text != group && (!strings.Contains(x.text, ".") || strings.HasSuffix(x.text, ".k8s.io")) && len(t.core.table.RulesOf(x.text)) == 0
	})
}

// versionsTo rewrites the versions of a webhook's rule for one group.
func (t *Tree) versionsTo(r *ref, k rules.Known) []Site {
	if len(k.Versions) == 0 {
		return nil
	}
	one := t.ofOneGroup(r, k)
	var sites []Site
	have := map[string]bool{}
	for _, v := range r.grant.versions {
		have[v.text] = true
	}
	for j, v := range r.grant.versions {
		of := k
		of.Versions = []string{v.text}
		list := t.core.answers(of, t.Facts)
		steps := func(a rules.Answer) bool {
			return a.Outcome == rules.Moves && a.To.Version != v.text && a.To.Version != ""
		}
		s := Site{Span: v.Span, Verdict: r.verdict.In("version"), Old: v.text}
		to := list[0].To.Version
		switch dual := t.core.opts.Dual; {
		case (len(list) > 1 || !one) && !dual && slices.ContainsFunc(list, steps):
			s.Rule = ruleOf(list)
			return []Site{s.As(judge.Because(judge.SplitRule, "what this rule names does not go to one version"))}
		case !one || len(list) > 1 || !steps(list[0]) || dual && have[to] && !t.core.opts.Copied:
			continue
		case t.core.opts.Copied:
			s.Verdict = judge.Because(judge.ServedOld, "").In("version")
			sites = append(sites, s)
			continue
		case dual:
			s.Edits = []source.Edit{v.and([]string{to})}
		case have[to]:
			s.Edits = []source.Edit{removal(r.grant.versions, j)}
		default:
			s.Edits = []source.Edit{{Span: v.Span, Old: v.text, New: to}}
		}
		have[to] = true
		s.New, s.Rule = to, list[0].Called()
		sites = append(sites, s)
	}
	return sites
}

// resourcesTo rewrites the resources of a rule whose kinds get another name.
func (t *Tree) resourcesTo(r *ref, k rules.Known) []Site {
	var sites []Site
	for _, x := range r.grant.resources {
		name, _, _ := strings.Cut(x.text, "/")
		at := source.Span{Start: x.Start, End: x.Start + len(name)}
		to, one := t.pluralNow(k.Group, name)
		if !one {
			s := Site{Span: at, Verdict: r.verdict.In("resource-name"), Old: name, Rule: ruleOf(t.core.answers(rules.Known{Group: k.Group, Plurals: []string{name}}, t.Facts))}
			return []Site{s.As(judge.Because(judge.SplitRule, "its versions get different names"))}
		}
		if to == "" || to == name {
			continue
		}
		a := t.core.table.Ask(rules.GVK{Group: k.Group, Plural: name, Kind: t.core.kindNamed(k.Group, name, t.Facts)})
		sites = append(sites, Site{Span: at, Verdict: r.verdict.In("resource-name"), Old: name, New: to, Rule: a.Rule.Called(), Edits: []source.Edit{{Span: at, Old: name, New: to}}})
	}
	return sites
}

// copied says whether a rule of permissions gets a copy in dual mode: where its
// resources get other names, one rule for both groups would permit more.
func (t *Tree) copied(r *ref) bool {
	units := r.file.units
	unit, _ := slices.BinarySearchFunc(units, r.own.Start+1, func(u unit, at int) int { return u.Start - at })
	for unit--; unit >= 0 && units[unit].kind != permission; unit-- {
	}
	if unit < 0 || units[unit].End < r.own.End || units[unit].shared {
		return false
	}
	renamed := false
	for _, g := range r.grant.groups {
		k := t.grantKnown(r.grant, g.text, r.grant.resources)
		to, stays := groupsTo(t.core.answers(k, t.Facts), g.text)
		if stays || len(to) != 1 || len(t.versionsTo(r, k)) > 0 {
			return false
		}
		renamed = renamed || len(t.resourcesTo(r, k)) > 0
	}
	return renamed
}

// ofOneGroup says whether the versions of a rule are those of one group: there
// is no other, or the others are what it becomes.
func (t *Tree) ofOneGroup(r *ref, k rules.Known) bool {
	list := t.core.answers(k, t.Facts)
	for _, g := range r.grant.groups {
		if g.text != k.Group && !slices.ContainsFunc(list, func(a rules.Answer) bool { return a.Outcome == rules.Moves && a.To.Group == g.text }) {
			return false
		}
	}
	return true
}

// notForBoth is why a rule of permissions cannot name both groups, or the new
// names of resources for all of its groups; "" where it can.
func (t *Tree) notForBoth(r *ref, k rules.Known, dual bool) string {
	for _, s := range t.resourcesTo(r, k) {
		if dual {
			return s.Old + " becomes " + s.New + ": a rule for both would permit more"
		}
		for _, g := range r.grant.groups {
			if g.text != k.Group && t.plural(rules.GVK{Group: g.text}, s.Old) != s.New {
				return s.Old + " becomes " + s.New + " in one of its groups, and is not changed in " + g.text
			}
		}
	}
	return ""
}
