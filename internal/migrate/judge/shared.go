package judge

import (
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A name that stands once for several objects can be written once only: they
// move alike, or a person writes it in each of them.

// shared is for a name that several objects take from one place, which do not
// move alike. It says false where they do.
func (c *asked) shared() (Decision, bool) {
	if len(c.Shared) == 0 || servedBoth(c) != "" {
		return Decision{}, false
	}
	first, kinds := c.Shared[0], false
	for _, s := range c.Shared {
		_, _, kind := c.image(s)
		kinds = kinds || kind != s.Kind
	}
	words, place, kind := c.image(first)
	for _, s := range c.Shared[1:] {
		others, at, as := c.image(s)
		if s.Named && at != place || kinds && (s.Kind != first.Kind || as != kind) {
			return Decision{Verdict: Person, Answer: c.answer, Reason: Shared, Why: "it stands here once for several objects: " + words + ", and " + others,
				Hint: "write it in each of them"}, true
		}
	}
	return Decision{}, false
}

// image is what becomes of an object: in words, its group and version, its kind.
func (c *asked) image(s find.Sharer) (words, place, kind string) {
	name := s.Kind
	if name == "" {
		name = s.Plural
	}
	if name == "" {
		name = "one without a kind"
	}
	known := s.GVK
	if s.Named {
		known.Group = c.Known.Group
		known.Version = c.known.Version
	}
	ver := c.table.Ask(known)
	if ver.Outcome != rules.Moves {
		return name + " stays", known.Group + "/" + known.Version, s.Kind
	}
	if kind = ver.To.Kind; kind == "" {
		kind = s.Kind
	}
	if place = ver.To.Group; ver.To.Version != "" {
		place += "/" + ver.To.Version
	}
	words = name + " becomes " + place
	if kind != s.Kind {
		words += " " + kind
	}
	return words, place, kind
}
