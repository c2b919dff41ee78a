package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// Graph draws the dependency chain of a release, what is built or tested on what, as a
// flowchart of Mermaid, which GitHub draws in Markdown. A need that others imply is left
// out. impact, when not nil, is the component whose reach is marked.
func Graph(s *stack.Stack, r *matrix.Release, impact *stack.Component) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	var nodes []*stack.Component
	for i := range s.Components {
		c := &s.Components[i]
		pin, ok := r.Pin(c.Name)
		root := c == s.RootComponent()
		if !ok && (!root || r.Version == "") {
			continue
		}
		if !ok { // the release of a table of releases
			pin.Version = r.Version
		}
		open, shut := "[", "]"
		if root {
			open, shut = "([", "])"
		}
		fmt.Fprintf(&b, "  n%d%s\"%s<br/>%s\"%s\n", len(nodes), open, mermaidText(c.Title), mermaidText(pin.Says()), shut)
		nodes = append(nodes, c)
	}
	needs := make([][]int, len(nodes))
	for i, c := range nodes {
		for _, need := range c.Needs {
			d, _ := s.Component(need)
			if j := slices.Index(nodes, d); j >= 0 && j != i {
				needs[i] = append(needs[i], j)
			}
		}
	}
	for i, direct := range report.Direct(needs) {
		for _, j := range direct {
			fmt.Fprintf(&b, "  n%d --> n%d\n", j, i)
		}
	}
	if impact == nil {
		return b.String()
	}
	reached := s.Dependents(impact)
	var legend, classes string
	for _, class := range []struct {
		name, style, legend string
		has                 func(*stack.Component) bool
	}{
		{"changed", "fill:#d1242f,stroke:#a40e26,color:#ffffff", "changes", func(c *stack.Component) bool { return c == impact }},
		{"reached", "fill:#fff8c5,stroke:#9a6700,color:#1f2328", "is reached by the change", func(c *stack.Component) bool { return slices.Contains(reached, c) }},
	} {
		var ids string
		for i, c := range nodes {
			if class.has(c) {
				ids += fmt.Sprintf("n%d,", i)
			}
		}
		if ids != "" {
			classes += fmt.Sprintf("  classDef %s %s\n  class %slegend_%s %s\n", class.name, class.style, ids, class.name, class.name)
			legend += fmt.Sprintf("    legend_%s[\"%s\"]\n", class.name, class.legend)
		}
	}
	b.WriteString("  subgraph legend [\" \"]\n" + legend + "  end\n" + classes)
	return b.String()
}

// mermaidText spells what has a meaning within a quoted label.
func mermaidText(text string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(text)
}
