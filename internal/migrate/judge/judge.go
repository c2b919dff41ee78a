// Package judge decides what becomes of the names that were found. A decision is
// a function of the site, the rules and what is known of its file; Guards is
// the list of what keeps a name that the rules would move.
package judge

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Verdict is what becomes of a site.
type Verdict int

// The verdicts.
const (
	None    Verdict = iota // it is no site: there is nothing to say
	Stay                   // it looks like one of the groups, and is not or must not move
	Move                   // it becomes what the rules say
	MoveKey                // it becomes what a rule for keys says
	Wait                   // it moves when the tree has such a resource
	Person                 // a person must decide
)

// Ids of reasons that no guard and no place gives.
const (
	Splits   = "splits"            // what it names goes to several groups or versions
	Branches = "template-branches" // a choice by what the cluster serves, which a person moves
	Removed  = "removed"           // a rule removes it; the words are those of the rule
	Shared   = "shared"            // several objects take it from one place, and do not move alike
)

// A Decision is what becomes of a site, and why.
type Decision struct {
	Verdict Verdict
	Answer  rules.Answer  // what the rules say
	Key     rules.KeyRule // of MoveKey
	Reason  string        // id of why it stays or is left to a person, for whoever counts
	Why     string        // the same in words
	Hint    string        // for a person: what to do
	Guard   string        // id of the guard that keeps it
	Severe  bool          // an error in the tree, not only something left to do
	Kept    bool          // it stays, whatever the rules say
	Unruled bool          // it stays because no rule knows its version or kind
	Mixed   bool          // for a person since it tells no kind, one of the tree stays, and for nothing else
	Near    []source.Span // for a person as long as one of these places of the file stays, and for nothing else
}

// asked is a site with what the rules say of it.
type asked struct {
	*find.Site
	table  *rules.Table
	facts  *Facts
	span   source.Span // in the file
	known  rules.GVK   // what was asked
	told   string      // the version that the site or its surroundings tell
	answer rules.Answer
}

func ask(s *find.Site, t *rules.Table, f *Facts) *asked {
	return &asked{Site: s, table: t, facts: f, span: s.Doc.Span(s.Word)}
}

// Decide says what becomes of a site. A key that would stand twice in its mapping
// is for a person.
func Decide(s *find.Site, t *rules.Table, f *Facts) Decision {
	d := decideAlone(s, t, f)
	if d.Verdict != Move && d.Verdict != MoveKey || s.Tree == nil {
		return d
	}
	key := s.Tree.Nodes[s.Node].Key
	if key.Len() == 0 || s.Word.Start < key.Start || s.Word.End > key.End {
		return d
	}
	fresh := s.Spell(s.Doc.Data, d.Answer.To)
	if d.Verdict == MoveKey {
		fresh = d.Key.To + strings.TrimPrefix(string(s.Word.Of(s.Doc.Data)), d.Key.From)
	}
	if old := string(s.Word.Of(s.Doc.Data)); fresh != old {
		if s.Tree.Sibling(s.Node, strings.Replace(s.Tree.KeyText(s.Node), old, fresh, 1)) >= 0 {
			return Decision{Verdict: Person, Answer: d.Answer, Reason: "name-taken", Why: "its mapping has the key " + fresh + " already", Hint: "remove one of the two"}
		}
	}
	return d
}

func decideAlone(s *find.Site, t *rules.Table, f *Facts) Decision {
	c := ask(s, t, f)
	if s.Place.Key {
		if d, ok := c.key(); ok {
			return d
		}
	}
	if s.Place.Bare {
		short := *s
		short.Word.End = short.Group.End
		c = ask(&short, t, f)
	}
	switch s.Place.Ask {
	case find.Rules:
		return c.rules()
	case find.Tree, find.Named:
		return c.tree()
	case find.Hand:
		return c.byHand()
	case find.Unsure:
		return c.unsure()
	}
	return c.stays()
}

func (c *asked) stays() Decision {
	return Decision{Verdict: Stay, Reason: c.Place.Reason, Why: strings.ReplaceAll(c.Place.Why, "{name}", c.Name)}
}

// Kept says why a site stays whatever the rules say, and by which guard.
func Kept(s *find.Site, t *rules.Table, f *Facts) (why, guard string) { return ask(s, t, f).kept() }

func (c *asked) kept() (why, guard string) {
	if c.facts.Stays != "" {
		return c.facts.Stays, c.facts.by
	}
	for i := range Guards {
		if g := &Guards[i]; g.site != nil && c.facts.asks(g) {
			if why := g.site(c); why != "" {
				return why, g.ID
			}
		}
	}
	return "", ""
}

// Merge adds facts to what a name tells; the name wins.
func Merge(site, facts rules.GVK) rules.GVK {
	if site.Version == "" {
		site.Version = facts.Version
	}
	if site.Kind == "" && site.Plural == "" {
		site.Kind, site.Plural = facts.Kind, facts.Plural
	}
	return site
}

// rules asks the rules about a site.
func (c *asked) rules() Decision {
	if c.facts.Stays == "" && text.Inside(c.facts.Chart.Same, c.span.Start) {
		return Decision{Verdict: Person, Reason: Branches, Why: "the branches of this choice would become the same", Hint: "take the choice out, or keep it with cfctl:keep"}
	}
	if c.facts.Stays == "" && text.Inside(c.facts.Chart.Vague, c.span.Start) {
		return Decision{Verdict: Person, Reason: Branches, Why: "what the branches of this choice become depends on the kind", Hint: "take the choice out, or keep it with cfctl:keep"}
	}
	if why, guard := c.kept(); why != "" {
		return Decision{Verdict: Stay, Reason: c.facts.ReasonOf(guard), Why: why, Guard: guard, Kept: true}
	}
	if d, ok := c.divided(); ok {
		return d
	}
	c.known = Merge(c.Known, c.Facts)
	c.told = c.known.Version
	home := ""
	if c.told == "" && !(c.Place.Role == find.RoleMarker && c.Facts.Plural != "") {
		home = c.facts.HomeOf(c.table, c.Site)
		c.known.Version = home
	}
	c.answer = c.table.Ask(c.known)
	if c.answer.Outcome == rules.Ambiguous && home != "" {
		c.known.Version = "" // the version of the file does not help: ask without it
		c.answer = c.table.Ask(c.known)
	}
	if why := c.used(); why != "" && (c.answer.Outcome == rules.NoRule || c.answer.Outcome == rules.Same) {
		return Decision{Verdict: Person, Answer: c.answer, Reason: Splits, Why: why, Hint: "move them by hand, or keep them with cfctl:keep"}
	}
	switch c.answer.Outcome {
	case rules.NoRule:
		return c.unruled()
	case rules.Ambiguous:
		return Decision{Verdict: Person, Answer: c.answer, Reason: Splits, Why: c.answer.Why, Severe: true}
	case rules.Removed:
		return Decision{Verdict: Person, Answer: c.answer, Reason: Removed, Why: c.answer.Why, Severe: true}
	case rules.Moves:
		return c.moves(home)
	}
	return Decision{Answer: c.answer}
}

// unruled is for a site that no rule speaks of.
func (c *asked) unruled() Decision {
	switch {
	case c.table.Arrived(c.known):
		return Decision{Answer: c.answer}
	case c.someApart():
		return Decision{Verdict: Person, Answer: c.answer, Reason: Splits, Why: "the resources of this rule go to different groups: " + c.answer.Why, Hint: "write one rule for each group"}
	case len(c.table.RulesOf(c.known.Group)) > 0:
		if d, ok := c.shared(); ok {
			return d
		}
		return Decision{Verdict: Stay, Answer: c.answer, Reason: "no-rule", Why: c.answer.Why, Unruled: true}
	}
	d, _ := c.key()
	return d
}

// someApart says whether a resource that stands beside a group moves, though
// another one of them does not.
func (c *asked) someApart() bool {
	return slices.ContainsFunc(c.Apart, func(name string) bool {
		name, _, _ = strings.Cut(name, "/")
		return c.table.Ask(rules.GVK{Group: c.known.Group, Version: c.known.Version, Plural: name}).Outcome == rules.Moves
	})
}

// moves is for a site that the rules move, unless a guard keeps it.
func (c *asked) moves(home string) Decision {
	if d, ok := c.guarded(home); ok {
		return d
	}
	if d, ok := c.shared(); ok {
		return d
	}
	if why := c.doubled(); why != "" {
		if c.Place == find.CRDGroup { // a person hears of its name
			return Decision{Verdict: Stay, Answer: c.answer, Reason: "name-taken", Why: why}
		}
		return Decision{Verdict: Person, Answer: c.answer, Reason: "name-taken", Why: why, Hint: "remove one of the two, or give it another name"}
	}
	if why := c.apartStay(); why != "" {
		return Decision{Verdict: Stay, Answer: c.answer, Reason: "no-rule", Why: why, Unruled: true}
	}
	for _, x := range splits {
		if why, hint := x.says(c); why != "" {
			d := Decision{Verdict: Person, Answer: c.answer, Reason: Splits, Why: why, Hint: hint, Mixed: x.id == anotherKindID && c.onlyMixed()}
			if x.id == partLeftID {
				d.Near = c.onlyNear()
			}
			return d
		}
	}
	return Decision{Verdict: Move, Answer: c.answer}
}

// guarded is the decision of the first guard that keeps a site where it is, else that of
// one which may. Home is the version of its file, "" for none.
func (c *asked) guarded(home string) (Decision, bool) {
	at, doubt := c.leaves(home), Decision{}
	for i := range Guards {
		g := &Guards[i]
		switch {
		case !c.facts.asks(g):
		case g.moved != nil:
			if why := g.moved(c); why != "" {
				return Decision{Verdict: Stay, Reason: ReasonOf(g.ID), Why: why, Guard: g.ID}, true
			}
		case g.version != nil && at.Version != "":
			switch b := g.version(c.facts, c.Site, at); {
			case b.sure():
				return c.AtHome(at.Version, g.ID), true
			case b.is && doubt.Verdict == None:
				doubt = c.perhapsAtHome(at.Version, b, g.ID)
			}
		}
	}
	return doubt, doubt.Verdict != None
}

// tree is for a name that is a resource when the tree has one of it.
func (c *asked) tree() Decision {
	if why, _ := c.kept(); why != "" {
		return c.stays()
	}
	c.known = Merge(rules.GVK{Group: c.Known.Group, Version: c.Known.Version}, c.Facts)
	c.answer = c.table.Ask(c.known)
	if c.answer.Outcome != rules.Moves || c.known.Version != "" && c.facts.IsHomeOf(c.Site, c.known) {
		return c.stays()
	}
	if why := servedBoth(c); why != "" {
		return Decision{Verdict: Stay, Reason: ReasonOf("dual-mode"), Why: why + " where it is a resource of the tree", Guard: "dual-mode"}
	}
	if why := c.loose(); why != "" {
		return Decision{Verdict: Person, Answer: c.answer, Reason: Splits, Why: why, Hint: LooseHint}
	}
	return Decision{Verdict: Wait, Answer: c.answer, Reason: c.Place.Reason, Why: c.Place.Why, Hint: c.Place.Hint}
}

// byHand is for what a person moves, when the rules speak of it.
func (c *asked) byHand() Decision {
	answer := c.table.Ask(c.Known)
	untouched := answer.Outcome == rules.NoRule || answer.Outcome == rules.Same
	switch {
	case c.Place == find.Imported && answer.Outcome == rules.NoRule && c.Known.Version != "" && len(c.table.RulesOf(c.Known.Group)) > 0:
		return Decision{Verdict: Stay, Answer: answer, Reason: "no-rule", Why: answer.Why, Unruled: true}
	case c.Place == find.Imported && untouched:
		return Decision{}
	case untouched || c.Place == find.Remade && c.facts.IsHomeOf(c.Site, c.Known) && answer.To.Group == c.Known.Group:
		return c.stays()
	}
	return Decision{Verdict: Person, Reason: c.Place.Reason, Why: c.Place.Why, Hint: c.Place.Hint, Answer: rules.Answer{Outcome: answer.Outcome, To: answer.To}}
}

// unsure is for a name that would move if it is one of the rules: a person says
// what it is.
func (c *asked) unsure() Decision {
	d := c.rules()
	if d.Verdict == Move {
		p := c.stays()
		return Decision{Verdict: Person, Answer: d.Answer, Reason: p.Reason, Why: p.Why, Hint: c.Place.Hint}
	}
	return d
}
