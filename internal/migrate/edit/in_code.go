package edit

import (
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// shapeInCode tells of an object that is written in code, as a map or a
// struct, whose shape changes with the version: cfctl does not write code.
func (m *maker) shapeInCode(s *find.Site) {
	if !m.Converts() || m.facts.Dual {
		return
	}
	site := judge.Merge(s.Known, s.Facts)
	site.Plural = ""
	m.Hops(site, func(h rules.Hop) bool {
		c := h.Shape
		if c == nil {
			return true
		}
		span := s.Doc.Span(s.Word)
		o := Outcome{Span: source.Span{Start: span.Start, End: span.Start}, Role: find.RoleShape, Rule: c.ID, Ruleset: c.Set, Old: c.Kind}
		m.record(o.Leave("shape", "an object in code changes its shape with its version: "+c.Doc, "cfctl migrate rules show "+shellWord(c.Shown)))
		return false
	})
}
