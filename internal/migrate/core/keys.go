package core

import (
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A key that is rewritten must not become another key of its mapping: one of the two
// values would be lost.

// siblings are the keys of mappings that a rewritten key could become, each mapping read
// once.
type siblings struct {
	core *Core
	sets map[*syntax.Node]map[string]bool
}

// of notes the keys beside that of a reference.
func (s siblings) of(x *ref, r *refs.Ref) {
	n := r.Leaf
	if n.Kind != syntax.Key || n.Up == nil || n.Up.Up == nil || n.Document().Lang != "yaml" && n.Document().Lang != "json" {
		return
	}
	at, ok := n.View.Span(n.Start, n.End)
	if !ok {
		return
	}
	mapping := n.Up.Up
	set, ok := s.sets[mapping]
	if !ok {
		for _, k := range mapping.Kids {
			if k.Key != nil && s.core.isNew(k.Key.String()) {
				if set == nil {
					set = map[string]bool{}
				}
				set[k.Key.String()] = true
			}
		}
		s.sets[mapping] = set
	}
	x.keys, x.key, x.keyText = set, at, n.String()
}

// isNew says whether a text holds what rules make of a group or a key.
func (c *Core) isNew(text string) bool {
	for _, g := range c.table.Groups() {
		if slices.ContainsFunc(c.table.RulesOf(g), func(x rules.Rule) bool { return x.To.Group != "" && strings.Contains(text, x.To.Group) }) {
			return true
		}
	}
	return slices.ContainsFunc(c.table.Keys(), func(k rules.KeyRule) bool { return strings.HasPrefix(text, k.To) })
}

// apart leaves a key for review that would become another one of its mapping.
func (r *ref) apart(list []Site) []Site {
	if len(r.keys) == 0 {
		return list
	}
	text := []byte(r.keyText)
	for _, s := range list {
		for i := len(s.Edits) - 1; i >= 0; i-- {
			if e := s.Edits[i]; r.key.Start <= e.Start && e.End <= r.key.End {
				text, _ = source.Apply(text, moved([]source.Edit{e}, -r.key.Start))
			}
		}
	}
	if string(text) == r.keyText || !r.keys[string(text)] {
		return list
	}
	v := judge.Because(judge.Mapped, "its mapping has the key "+string(text)+" already").In(r.verdict.Role())
	return []Site{{Span: r.own, Verdict: v, Old: r.ownText, Rule: list[0].Rule}}
}
