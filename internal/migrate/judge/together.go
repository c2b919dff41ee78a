package judge

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// What belongs together moves together: what would move alone, though more would have
// to move with it, is for a person.

// variableBehind is the variable of a path that stands for its resource.
var variableBehind = lazyregexp.New(`^/(namespaces/[^/\s]+/)?(\$|\{|%[sv]|<)`)

// A split is a reason by which a person moves what the rules would move: it depends
// on more than its name.
type split struct {
	id   string                            // kebab-case
	doc  string                            // on what it depends, and why; one sentence
	says func(c *asked) (why, hint string) // "" where it does not
}

// splits are asked in this order.
var splits = []split{
	{"every-kind", "what stands for every kind of a group does not move by the rule of one", everyKind},
	{"another-version", "a name without a version is also that of one that stays in this tree", anotherVersion},
	{anotherKindID, "a version or a group without a kind is also that of one that stays in this tree", anotherKind},
	{"filled-kind", "a template writes the kind", filledKind},
	{"any-resource", "a path leads to whatever resource a variable names", ofAnyResource},
	{"resources-apart", "a group in one list moves with the resources in another, all of them to one place", apart},
	{partLeftID, "a name that stands loosely beside it would have to move as well", partLeft},
}

const (
	anotherKindID = "another-kind"
	partLeftID    = "part-left"
)

func everyKind(c *asked) (why, hint string) {
	only := c.answer.Rule.From.Kind
	if only == "" || c.Place != find.EveryKind && c.Place != find.AnyResource && c.Place != find.Compared {
		return "", ""
	}
	return "it stands for every kind of the group, and this rule moves only " + only, "name both groups, or write a rule for the whole group"
}

func anotherVersion(c *asked) (why, hint string) {
	if c.told != "" || len(c.Served) > 0 {
		return "", ""
	}
	return c.facts.Mixed.Parts(c.answer, c.known.Group), "move it by hand where it is about " + c.answer.Rule.From.Version + ", or keep it with cfctl:keep"
}

func anotherKind(c *asked) (why, hint string) {
	kind := c.mixedWith()
	if kind == "" {
		return "", ""
	}
	return "it depends on the kind: " + c.answer.Rule.From.Kind + " moves, and " + StaysIn(kind), c.byItsKind()
}

func filledKind(c *asked) (why, hint string) {
	only := c.answer.Rule.From.Kind
	if !c.Filled || only == "" || c.Facts.Kind != "" {
		return "", ""
	}
	return "it depends on the kind: " + only + " moves, and it is filled in which one this is", c.byItsKind()
}

// byItsKind is what a person does where it depends on the kind.
func (c *asked) byItsKind() string {
	return "move it by hand where it is about " + c.answer.Rule.From.Kind + ", or keep it with cfctl:keep"
}

func ofAnyResource(c *asked) (why, hint string) {
	if !c.anyResource() {
		return "", ""
	}
	return "it depends on the kind: the path is that of any resource, and only " + c.answer.Rule.From.Kind + " moves to " + c.answer.To.Version, ""
}

func apart(c *asked) (why, hint string) {
	return c.half(), "move the group and its resources together"
}

func partLeft(c *asked) (why, hint string) {
	return c.loose(), LooseHint
}

// mixedWith is a kind that stays in the version, or in the group, that a site names
// without a kind, "" where none does or the site tells one.
func (c *asked) mixedWith() string {
	if c.known.Kind != "" || c.known.Plural != "" || c.answer.Rule.From.Kind == "" || len(c.Resources) > 0 || c.wholeList() {
		return ""
	}
	if c.Place == find.WebhookName && len(c.Guarded) == 0 {
		if strings.Contains(string(c.Word.Of(c.Doc.Data)), strings.ToLower(c.answer.Rule.From.Kind)) {
			return "" // it is named after the kind: vwidget.GROUP
		}
		return "another kind"
	}
	if c.told != "" && c.told == c.answer.Rule.From.Version && c.facts.Mixed.Stays[c.known.Group+"/"+c.told] == "" {
		return "" // the rule says that the version is that of its kind
	}
	return c.facts.Mixed.In(c.known.Group, c.told)
}

// onlyMixed says whether it is for a person since it tells no kind, and for nothing else.
func (c *asked) onlyMixed() bool {
	return !slices.ContainsFunc(splits, func(x split) bool {
		why, _ := x.says(c)
		return (why != "") != (x.id == "another-kind")
	})
}

// anyResource says whether a path whose version would change, by the rule of
// one kind, leads to the resource that a variable names.
func (c *asked) anyResource() bool {
	return c.Place == find.REST && c.changesVersion() && c.Facts.Plural == "" && c.answer.Rule.From.Kind != "" && variableBehind.Match(c.Doc.Data[c.Word.End:])
}

// half says why a group that stands apart from its resources cannot move: they
// would have to move with it, or not all of them go where it goes.
func (c *asked) half() string {
	if c.wholeList() {
		return ""
	}
	moved := func(name string) bool {
		return c.Facts.Plural != "" && slices.ContainsFunc(c.Beside, func(p find.Part) bool {
			rest, ok := bytes.CutPrefix(p.Doc.Data[p.Span.Start:], []byte(name))
			return ok && p.Role == find.RoleResource && (len(rest) == 0 || !text.IsWordByte(rest[0]) && rest[0] != '/')
		})
	}
	for _, name := range c.Apart {
		if moved(name) {
			continue // it moves with the group
		}
		name, _, _ = strings.Cut(name, "/")
		to := c.table.Ask(rules.GVK{Group: c.known.Group, Version: c.known.Version, Plural: name})
		switch {
		case to.Outcome == rules.NoRule && c.answer.Rule.From.Kind != "" && name != "*":
			return "the resources of this rule go to different groups: " + name + " stays"
		case to.Outcome != rules.Moves:
		case to.To.Group != c.answer.To.Group:
			return "the resources of this rule go to different groups: " + name + " to " + to.To.Group
		case to.To.Plural != "" && to.To.Plural != name:
			return "the resources of this rule move as well: " + name + " becomes " + to.To.Plural
		}
	}
	return ""
}

// wholeList says whether all resources that stand apart from a group can be written where they
// stand, go where it goes, and become no resource that the list has already.
func (c *asked) wholeList() bool {
	if len(c.Apart) == 0 || len(c.ApartIn) != len(c.Apart) {
		return false
	}
	for _, name := range c.Apart {
		to := c.table.Ask(rules.GVK{Group: c.known.Group, Version: c.known.Version, Plural: unsubbed(name)})
		if to.Outcome != rules.Moves || to.To.Group != c.answer.To.Group || to.To.Version != c.answer.To.Version {
			return false
		}
		if fresh := to.To.Plural; fresh != "" && fresh != unsubbed(name) && slices.ContainsFunc(c.Apart, func(other string) bool { return unsubbed(other) == fresh }) {
			return false
		}
	}
	return true
}

// apartStay says why a group stays whose resources stand apart from it, and are all of kinds
// that stay; "" where it does not.
func (c *asked) apartStay() (why string) {
	for _, name := range c.Apart {
		to := c.table.Ask(rules.GVK{Group: c.known.Group, Version: c.known.Version, Plural: unsubbed(name)})
		if name == "*" || to.Outcome != rules.NoRule || c.answer.Rule.From.Kind == "" {
			return ""
		}
		why = to.Why
	}
	return why
}

// unsubbed is a resource without its subresource.
func unsubbed(name string) string {
	name, _, _ = strings.Cut(name, "/")
	return name
}

// loose says why a group cannot move alone: beside it stands a version, kind or
// resource of it that would have to move as well, if it belongs to it.
func (c *asked) loose() string {
	for _, name := range slices.Concat(c.Loose, c.Used) {
		if why := c.without(name); why != "" {
			return why
		}
	}
	for _, p := range c.Near {
		if why := c.without(string(p.Span.Of(p.Doc.Data))); why != "" {
			return why
		}
	}
	return c.taken()
}

// taken says why a version cannot stay beside a group that moves for every kind: that of one
// which is taken by it becomes another one.
func (c *asked) taken() string {
	for _, kind := range c.Taken {
		with := c.known
		with.Kind = kind
		to := c.table.Ask(with)
		if to.Outcome == rules.Moves && to.To.Version != c.answer.To.Version {
			return "it is for every kind in " + with.Version + ", which becomes " + c.answer.To.Version + " of some and " + to.To.Version + " of " + kind
		}
	}
	return ""
}

// without says why a group cannot move without a name beside it; "" where it can.
func (c *asked) without(name string) string {
	if c.wholeList() && slices.ContainsFunc(c.Apart, func(other string) bool { return unsubbed(other) == name }) {
		return ""
	}
	with, part := c.known, func(g rules.GVK) string { return g.Plural }
	switch to := c.answer.To; {
	case rules.APIVersion.MatchString(name):
		with.Version, part = name, func(g rules.GVK) string { return g.Version }
	case c.known.Kind != "" && to.Kind == c.known.Kind && to.Group == c.known.Group:
		return "" // only its version changes
	case rules.KindName.MatchString(name):
		with.Kind, part = name, func(g rules.GVK) string { return g.Kind }
	default:
		with.Plural = name
	}
	to := c.table.Ask(with)
	switch {
	case part(to.To) != name && part(to.To) != "":
		return "it would move without " + name + " beside it, which becomes " + part(to.To)
	case with.Kind == name && to.Outcome == rules.Moves && with.Version != "" && c.answer.To.Version == with.Version && to.To.Version != with.Version:
		return "it would move without " + with.Version + " beside it, which becomes " + to.To.Version + " of " + name
	}
	return ""
}

// onlyNear are the places of the names without which a group cannot move, where each of
// them may be a part of another site that moves: the next run would find the group alone.
// Nil where another name keeps it.
func (c *asked) onlyNear() []source.Span {
	if slices.ContainsFunc(slices.Concat(c.Loose, c.Used), func(name string) bool { return c.without(name) != "" }) {
		return nil
	}
	var list []source.Span
	for _, p := range c.Near {
		if c.without(string(p.Span.Of(p.Doc.Data))) != "" {
			list = append(list, p.Doc.Span(p.Span))
		}
	}
	return list
}

// used says which version beside a group that stays, or beside its uses, becomes
// another one there, "" for none.
func (c *asked) used() string {
	for _, version := range c.Used {
		with := c.known
		with.Version = version
		if to := c.table.Ask(with); to.Outcome == rules.Moves && to.To.Version != version {
			return "here or where it is used, " + version + " stands beside it, which becomes " + to.To.Version
		}
	}
	return ""
}

// LooseHint is what to do about a name that would move without what stands beside it.
const LooseHint = "move both by hand, or keep them with cfctl:keep"

// divided is for a CRD whose versions go to different groups or kinds: one CRD
// has one.
func (c *asked) divided() (Decision, bool) {
	if len(c.Served) == 0 {
		return Decision{}, false
	}
	site := c.Defines
	site.Group = c.Known.Group
	var to []string
	for _, version := range c.Served {
		site.Version = version
		name := site.Group
		if ver := c.table.Ask(site); ver.Outcome == rules.Moves {
			if name = ver.To.Group; ver.To.Kind != site.Kind {
				name += " " + ver.To.Kind
			}
		}
		if !slices.Contains(to, name) {
			to = append(to, name)
		}
	}
	if len(to) < 2 {
		return Decision{}, false
	}
	return Decision{Verdict: Person, Reason: Splits, Why: "its versions go to different groups or kinds: " + strings.Join(to, ", "), Hint: "write one CustomResourceDefinition for each"}, true
}
