package judge

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// key settles a label, annotation or finalizer key that a ruleset moves: it
// moves, or stays where a ruleset keeps it. It says false for a key that no
// ruleset moves.
func (c *asked) key() (Decision, bool) {
	if c.facts.Stays != "" || len(c.table.Keys()) == 0 {
		return Decision{}, false
	}
	if why, guard := c.kept(); why != "" {
		return Decision{Verdict: Stay, Reason: c.facts.ReasonOf(guard), Why: why, Guard: guard}, true
	}
	word := string(c.Word.Of(c.Doc.Data))
	k, ok := c.keyOf(word)
	if !ok && c.Word.End < len(c.Doc.Data) && c.Doc.Data[c.Word.End] == '/' { // the prefix itself
		k, ok = c.table.Key(word + "/")
		k.From, k.To = strings.TrimSuffix(k.From, "/"), strings.TrimSuffix(k.To, "/")
	}
	if !ok || c.staysWithVersion(strings.ReplaceAll(k.From, "~1", "/")) || c.facts.InProposal() && sameDomain(k) ||
		!c.facts.off["both-names"] && onLine(c.facts.Data, c.span, k.To+word[len(k.From):]) {
		return Decision{}, false
	}
	if why := servedBoth(c); why != "" && !c.facts.off["dual-mode"] {
		return Decision{Verdict: Stay, Reason: ReasonOf("dual-mode"), Why: why, Guard: "dual-mode"}, true
	}
	return Decision{Verdict: MoveKey, Key: k}, true
}

// keyOf is the rule for a key; in a JSON pointer, spelled as that spells a slash.
// Source: RFC 6901, section 3.
func (c *asked) keyOf(word string) (rules.KeyRule, bool) {
	if c.Place != find.PointerKey {
		return c.table.Key(word)
	}
	k, ok := c.table.Key(strings.ReplaceAll(word, "~1", "/"))
	from, to := strings.ReplaceAll(k.From, "/", "~1"), strings.ReplaceAll(k.To, "/", "~1")
	for from != "" && to != "" && from[len(from)-1] == to[len(to)-1] { // what both end with stays as it is
		from, to = from[:len(from)-1], to[:len(to)-1]
	}
	k.From, k.To = from, to
	return k, ok
}

// sameDomain says whether a rule for a key leaves its domain alone: then the
// key belongs to a version, not to a name of the project.
func sameDomain(k rules.KeyRule) bool {
	from, _, _ := strings.Cut(k.From, "/")
	to, _, _ := strings.Cut(k.To, "/")
	return from == to
}

// staysWithVersion says whether a key belongs to a version that does not move:
// the text around it is about that version, and the rules for the key's group
// name others.
func (c *asked) staysWithVersion(key string) bool {
	if c.Home == "" {
		return false
	}
	domain, _, _ := strings.Cut(key, "/")
	for at := domain; at != ""; _, at, _ = strings.Cut(at, ".") { // the longest group that ends it
		if list := c.table.RulesOf(at); len(list) > 0 {
			return inPackage(c.facts, c.Site, rules.GVK{Group: at, Version: c.Home}).is && !slices.ContainsFunc(list, func(r rules.Rule) bool {
				return r.From.Version == "" || r.From.Version == c.Home || r.To.Version == c.Home
			})
		}
	}
	return false
}
