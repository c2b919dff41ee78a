package core

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
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

// An item is one text of a list.
type item struct {
	source.Span
	text   string
	outer  source.Span // with quotes, and in a block with its line
	flow   bool
	before string // what an item after it begins with: the indentation, dash and quote
	after  string
	lead   int  // in a block: what its line has before it
	gone   bool // it was taken out
	stuck  bool // no item can be added after it, and it cannot go
}

// splitIn are the ends of the names of files in which a rule may become several: the proof
// decodes them.
var splitIn = []string{".yaml", ".yml", ".go"}

func (c *Core) grantOf(place string, r *refs.Rule) *grant {
	g := &grant{code: r.Object.Document().Lang == "go", groups: itemsOf(r.Groups), resources: itemsOf(r.Resources), versions: itemsOf(r.Versions)}
	if slices.Contains(splitIn, path.Ext(place)) && slices.ContainsFunc(g.groups, func(x item) bool { return len(c.table.KindsOf(x.text)) > 0 }) {
		g.wholeRule(r.Object)
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

func itemsOf(list []*syntax.Node) []item {
	var out []item
	for _, n := range list {
		s, ok := n.View.Span(n.Start, n.End)
		if !ok {
			continue
		}
		x := item{Span: s, text: n.String(), flow: n.Flow || n.Up.Flow || !n.Item || n.Kind != syntax.Entry || n.Document().Lang != "yaml"}
		x.layout(n)
		out = append(out, x)
	}
	return out
}

// layout notes how an item is written, for one that is added after it.
func (x *item) layout(n *syntax.Node) {
	file := n.Root().View
	b, quote := file.B, ""
	from := n.View.Offset(n.Start) - file.Base
	to := from + n.End - n.Start
	for _, q := range []string{`\"`, `"`, "'", "`"} {
		if bytes.HasSuffix(b[:from], []byte(q)) && bytes.HasPrefix(b[to:], []byte(q)) {
			quote, from, to = q, from-len(q), to+len(q)
			break
		}
	}
	x.outer = source.Span{Start: from + file.Base, End: to + file.Base}
	x.after = quote
	switch {
	case n.Up.Kind == syntax.Comment || n.Up.Up != nil && n.Up.Up.Kind == syntax.Comment: // a marker
		x.before = ";" + quote
		if from > 0 && (b[from-1] == ',' || b[from-1] == '{') {
			x.before = "," + quote
		}
		x.flow = true
	case x.flow:
		x.before = ", " + quote
		if to < len(b) && b[to] == ',' && to+1 < len(b) && b[to+1] != ' ' && b[to+1] != '\n' {
			x.before = "," + quote
		}
	default: // a block: the same line again, with its comment
		line := bytes.LastIndexByte(b[:from], '\n') + 1
		if len(bytes.Trim(b[line:from], " \t-#")) > 0 {
			x.stuck = true
			return
		}
		end := lineEnd(b, to)
		x.before, x.after, x.lead = "\n"+string(b[line:from])+quote, quote+string(b[to:end]), from-line
		x.outer.End = end + file.Base
	}
}

// grantSites are what becomes of a rule of permissions: each group that
// changes for all of its resources is replaced, one that changes for some gets
// the new group next to it.
func (t *Tree) grantSites(r *ref) []Site {
	var sites []Site
	have := map[string]bool{}
	for _, g := range r.grant.groups {
		have[g.text] = true
	}
	dual := t.core.opts.Dual && !t.copied(r)
	asked := map[string]answered{}
	for i, g := range r.grant.groups {
		if len(t.core.table.RulesOf(g.text)) == 0 {
			continue
		}
		from := len(sites)
		sites = append(sites, t.grantGroup(r, i, have, dual, asked)...)
		for j := from; dual && j < len(sites); j++ {
			sites[j].both = true
		}
	}
	if slices.ContainsFunc(sites, func(s Site) bool { return s.Action() == judge.Review }) { // all of the rule or nothing
		for i, s := range sites {
			if s.Action() == judge.Rewrite {
				sites[i] = s.as(judge.Because(judge.SplitRule, "another part of this rule cannot be rewritten"))
			}
		}
	}
	return sites
}

// An answered group of a rule of permissions is what the ruleset says about it.
type answered struct {
	known rules.Known
	list  []rules.Answer
	not   string // why the rule cannot name both groups
}

func (t *Tree) askGroup(r *ref, group string, dual bool) answered {
	k := t.grantKnown(r, group)
	list := t.core.answers(k, t.Facts)
	if slices.ContainsFunc(r.grant.resources, func(x item) bool { return strings.HasPrefix(x.text, "*") }) { // kinds that no rule names, too
		k := k
		k.Kinds, k.Plurals = []string{"*"}, nil
		list = append(list, t.core.answers(k, t.Facts)...)
	}
	return answered{k, list, t.notForBoth(r, k, dual)}
}

func (t *Tree) grantGroup(r *ref, i int, have map[string]bool, dual bool, asked map[string]answered) []Site {
	g := r.grant.groups[i]
	if _, ok := asked[g.text]; !ok {
		asked[g.text] = t.askGroup(r, g.text, dual)
	}
	k, list := asked[g.text].known, asked[g.text].list
	s := Site{Span: g.Span, Verdict: r.verdict, Old: g.text, Rule: ruleOfAnswers(list)}
	stays := false
	var to []string
	for _, a := range list {
		switch {
		case a.Outcome == rules.Moves && a.To.Group != g.text:
			if !slices.Contains(to, a.To.Group) {
				to = append(to, a.To.Group)
			}
		case a.Outcome == rules.Ambiguous:
			return []Site{s.as(judge.Because(judge.SplitRule, a.Why))}
		default:
			stays = true
		}
	}
	if why := asked[g.text].not; why != "" {
		return []Site{s.as(judge.Because(judge.SplitRule, why))}
	}
	if len(to) == 0 {
		if only := append(t.versionsTo(r, k), t.resourcesTo(r, k)...); len(only) > 0 {
			return only
		}
		if t.core.concerns.apart(k) || t.core.table.Renamed(list[0].At) {
			return nil
		}
		s.Rule = rules.RuleID{}
		return []Site{s.as(judge.Because(judge.NoRule, list[0].Why))}
	}
	if versions := t.versionsTo(r, k); !dual && len(versions) > 0 && versions[0].Action() == judge.Review {
		return []Site{s.as(judge.Because(judge.SplitRule, versions[0].Why()))}
	}
	served := dual && !slices.ContainsFunc(to, func(g string) bool { return !have[g] })
	if (stays || len(to) > 1) && len(k.Versions) > 1 && !t.together(k) && !served {
		return []Site{s.as(judge.Because(judge.SplitRule, "its versions go to different groups"))}
	}
	if stays || len(to) > 1 {
		if sites, ok := t.split(r, i, s); ok {
			return sites
		}
		if !dual && !r.grant.code && r.grant.named() && len(r.grant.versions) == 0 {
			return []Site{s.as(judge.Because(judge.SplitRule, ""))}
		}
	}
	if stays || dual {
		if !dual && len(r.grant.versions) > 0 && have[to[0]] {
			return []Site{s.as(judge.Because(judge.SplitRule, "its resources go to "+to[0]+", in some of its versions"))}
		}
		sites := t.bothGroups(s, g, to, have)
		if dual {
			sites = append(sites, t.versionsTo(r, k)...)
		}
		return sites
	}
	var fresh []string
	for _, x := range to {
		if !have[x] {
			fresh = append(fresh, x)
		}
		have[x] = true
	}
	own := func() bool { // the item has a comment, which would go with it
		return !g.flow && strings.Contains(g.after, "#") && !slices.ContainsFunc(slices.Delete(slices.Clone(r.grant.groups), i, i+1), func(x item) bool { return x.after == g.after && slices.Contains(to, x.text) })
	}
	if len(fresh) == 0 && (g.stuck || own()) {
		return []Site{s.as(judge.Because(judge.SplitRule, "the new group is in the same list, and this one cannot be taken out here"))}
	}
	if len(fresh) == 0 {
		s.New, s.Edits = to[0], []source.Edit{t.removal(r.grant.groups, i)}
		s.Verdict = s.With("the new group is in the same list")
		return append([]Site{s}, t.versionsTo(r, k)...)
	}
	s.New = strings.Join(fresh, ", ")
	if len(fresh) > 1 && g.stuck {
		return []Site{s.as(judge.Because(judge.SplitRule, "several groups are needed here"))}
	}
	s.Edits = []source.Edit{{Span: g.Span, Old: g.text, New: strings.Join(fresh, g.after+g.before)}}
	return append(append([]Site{s}, t.versionsTo(r, k)...), t.resourcesTo(r, k)...)
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
		var to []string
		for _, a := range t.core.answers(of, t.Facts) {
			group := k.Group
			if a.Outcome == rules.Moves {
				group = a.To.Group
			}
			to = append(to, group)
		}
		slices.Sort(to)
		if to = slices.Compact(to); i == 0 {
			first = to
		} else if !slices.Equal(first, to) {
			return false
		}
	}
	return true
}

// bothGroups adds the new groups next to the old one.
func (t *Tree) bothGroups(s Site, g item, to []string, have map[string]bool) []Site {
	text := ""
	for _, x := range to {
		if !have[x] {
			have[x] = true
			text += g.before + x + g.after
		}
	}
	if g.stuck {
		return []Site{s.as(judge.Because(judge.SplitRule, "both groups are needed here"))}
	}
	if text == "" {
		s.Rule = rules.RuleID{}
		return []Site{s.as(judge.Because(judge.DualKept, "both groups are in the list"))}
	}
	s.New = s.Old + ", " + strings.Join(to, ", ")
	s.Edits = []source.Edit{{Span: source.Span{Start: g.outer.End, End: g.outer.End}, New: text}}
	return []Site{s}
}

// grantKnown is what a rule of permissions names of a group.
func (t *Tree) grantKnown(r *ref, group string) rules.Known {
	k := rules.Known{Group: group}
	var unknown []string
	for _, x := range r.grant.resources {
		name, _, _ := strings.Cut(x.text, "/")
		switch kind := t.core.kindNamed(group, name, t.Facts); {
		case name == "*" || strings.ContainsAny(name, "{$%"):
			k.Kinds = slices.Clone(t.Facts.Kinds(group))
			for _, kind := range t.core.table.KindsOf(group) {
				if !slices.Contains(k.Kinds, kind) {
					k.Kinds = append(k.Kinds, kind)
				}
			}
			return t.versionsOf(r, k)
		case kind != "":
			if !slices.Contains(k.Kinds, kind) {
				k.Kinds = append(k.Kinds, kind)
			}
		default:
			unknown = append(unknown, name)
		}
	}
	if len(k.Kinds) == 0 || !t.ofOthers(r.grant, group) {
		k.Plurals = unknown
	}
	return t.versionsOf(r, k)
}

// ofOthers says whether resources that a group is not known to have may be of a group of
// Kubernetes in the same rule.
func (t *Tree) ofOthers(g *grant, group string) bool {
	return slices.ContainsFunc(g.groups, func(x item) bool {
		return x.text != group && (!strings.Contains(x.text, ".") || strings.HasSuffix(x.text, ".k8s.io")) && len(t.core.table.RulesOf(x.text)) == 0
	})
}

func (t *Tree) versionsOf(r *ref, k rules.Known) rules.Known {
	for _, v := range r.grant.versions {
		if v.text != "*" {
			k.Versions = append(k.Versions, v.text)
		}
	}
	return k
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
		if (len(list) > 1 || !one) && !t.core.opts.Dual && slices.ContainsFunc(list, func(a rules.Answer) bool {
			return a.Outcome == rules.Moves && a.To.Version != v.text && a.To.Version != ""
		}) {
			s := Site{Span: v.Span, Verdict: r.verdict.In("version"), Old: v.text, Rule: ruleOfAnswers(list)}
			return []Site{s.as(judge.Because(judge.SplitRule, "what this rule names does not go to one version"))}
		}
		a, ok := t.core.answer(of, t.Facts)
		if !one || !ok || a.Outcome != rules.Moves || a.To.Version == v.text || a.To.Version == "" {
			continue
		}
		if t.core.opts.Copied {
			sites = append(sites, Site{Span: v.Span, Verdict: judge.Because(judge.ServedOld, "").In("version"), Old: v.text})
			continue
		}
		e := source.Edit{Span: v.Span, Old: v.text, New: a.To.Version}
		switch {
		case t.core.opts.Dual && have[a.To.Version]:
			continue
		case t.core.opts.Dual:
			e = source.Edit{Span: source.Span{Start: v.outer.End, End: v.outer.End}, New: v.before + a.To.Version + v.after}
		case have[a.To.Version]:
			e = t.removal(r.grant.versions, j)
		}
		have[a.To.Version] = true
		sites = append(sites, Site{Span: v.Span, Verdict: r.verdict.In("version"), Old: v.text, New: a.To.Version, Rule: a.Rule.Called(), Edits: []source.Edit{e}})
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
			s := Site{Span: at, Verdict: r.verdict.In("resource-name"), Old: name, Rule: ruleOfAnswers(t.core.answers(rules.Known{Group: k.Group, Plurals: []string{name}}, t.Facts))}
			return []Site{s.as(judge.Because(judge.SplitRule, "its versions get different names"))}
		}
		if to == "" || to == name {
			continue
		}
		a := t.core.table.Ask(rules.GVK{Group: k.Group, Plural: name, Kind: t.core.kindNamed(k.Group, name, t.Facts)})
		sites = append(sites, Site{Span: at, Verdict: r.verdict.In("resource-name"), Old: name, New: to, Rule: a.Rule.Called(), Edits: []source.Edit{{Span: at, Old: name, New: to}}})
	}
	return sites
}

// removal takes an item out of a list, with the comma or line that it has.
func (t *Tree) removal(list []item, i int) source.Edit {
	list[i].gone = true
	x := list[i]
	switch {
	case !x.flow: // its line
		return source.Edit{Span: source.Span{Start: x.outer.Start - x.lead - 1, End: x.outer.End}, New: ""}
	case slices.ContainsFunc(list[:i], func(x item) bool { return !x.gone }):
		return source.Edit{Span: source.Span{Start: list[i-1].outer.End, End: x.outer.End}}
	case i+1 < len(list):
		return source.Edit{Span: source.Span{Start: x.outer.Start, End: list[i+1].outer.Start}}
	}
	return source.Edit{Span: x.Span, Old: x.text, New: x.text}
}

func ruleOfAnswers(list []rules.Answer) rules.RuleID {
	for _, a := range list {
		if !a.Stays() {
			return a.Rule.Called()
		}
	}
	return rules.RuleID{}
}
