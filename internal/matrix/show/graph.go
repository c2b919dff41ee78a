package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Graph is the dependency chain of a release: what is built or tested on what.
type Graph struct {
	Title string
	Nodes []Node // in the stack's order
	Edges []Edge // reduced: an edge that others imply is left out
}

// A Node is a component of a release.
type Node struct {
	Name    string
	Title   string
	Version string // or the range
	Root    bool   // the stack's own component
	Changed bool   // the component whose impact is shown
	Reached bool   // what a change of it reaches
}

// An Edge leads from a component to one that needs it.
type Edge struct{ From, To int } // indexes of nodes

// NewGraph lays out the components of a release. impact, when not nil, is the
// component whose reach is marked.
func NewGraph(s *stack.Stack, r *matrix.Release, impact *stack.Component) *Graph {
	g := &Graph{Title: strings.TrimSpace(s.Name + " " + r.Version)}
	index := map[string]int{}
	reached := map[string]bool{}
	if impact != nil {
		for _, c := range s.Dependents(impact) {
			reached[c.Name] = true
		}
	}
	for i := range s.Components {
		c := &s.Components[i]
		pin, ok := r.Pin(c.Name)
		if !ok && (c != s.RootComponent() || r.Version == "") {
			continue
		}
		if !ok { // the release of a table of releases
			pin.Version = r.Version
		}
		index[c.Name] = len(g.Nodes)
		g.Nodes = append(g.Nodes, Node{
			Name: c.Name, Title: c.Title, Version: pin.Says(), Root: c == s.RootComponent(),
			Changed: c == impact, Reached: reached[c.Name],
		})
	}
	needs := make([][]int, len(g.Nodes))
	for i, n := range g.Nodes {
		c, _ := s.Component(n.Name)
		for _, need := range c.Needs {
			d, _ := s.Component(need)
			if j, ok := index[d.Name]; ok && j != i {
				needs[i] = append(needs[i], j)
			}
		}
	}
	for i, direct := range report.Direct(needs) {
		for _, j := range direct {
			g.Edges = append(g.Edges, Edge{j, i})
		}
	}
	return g
}

// legend is what the classes of an impact mean.
var legend = []struct{ class, text string }{{"changed", "changes"}, {"reached", "is reached by the change"}}

func (g *Graph) hasImpact() bool {
	return slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Changed })
}

// Mermaid writes the graph as a flowchart, which GitHub draws in Markdown.
func (g *Graph) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for i, n := range g.Nodes {
		open, shut := "[", "]"
		if n.Root {
			open, shut = "([", "])"
		}
		fmt.Fprintf(&b, "  n%d%s\"%s<br/>%s\"%s\n", i, open, mermaidText(n.Title), mermaidText(n.Version), shut)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  n%d --> n%d\n", e.From, e.To)
	}
	for _, class := range []struct {
		name, style string
		has         func(Node) bool
	}{
		{"changed", "fill:#d1242f,stroke:#a40e26,color:#ffffff", func(n Node) bool { return n.Changed }},
		{"reached", "fill:#fff8c5,stroke:#9a6700,color:#1f2328", func(n Node) bool { return n.Reached }},
	} {
		var ids []string
		for i, n := range g.Nodes {
			if class.has(n) {
				ids = append(ids, fmt.Sprintf("n%d", i))
			}
		}
		if len(ids) > 0 {
			fmt.Fprintf(&b, "  classDef %s %s\n  class %s %s\n", class.name, class.style, strings.Join(ids, ","), class.name)
		}
	}
	if g.hasImpact() {
		b.WriteString("  subgraph legend [\" \"]\n")
		for _, entry := range legend {
			fmt.Fprintf(&b, "    legend_%s[\"%s\"]\n", entry.class, entry.text)
		}
		b.WriteString("  end\n")
		for _, entry := range legend {
			if entry.class == "changed" || slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Reached }) {
				fmt.Fprintf(&b, "  class legend_%s %s\n", entry.class, entry.class)
			}
		}
	}
	return b.String()
}

// mermaidText spells what has a meaning within a quoted label.
func mermaidText(text string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", " ").Replace(text)
}

// Dot writes the graph for Graphviz.
func (g *Graph) Dot() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph stack {\n  label=%s\n  rankdir=LR\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\"]\n", dotText(g.Title))
	for i, n := range g.Nodes {
		attrs := ""
		switch {
		case n.Changed:
			attrs = `, fillcolor="#d1242f", fontcolor=white`
		case n.Reached:
			attrs = `, fillcolor="#fff8c5"`
		case n.Root:
			attrs = `, fillcolor="#ddf4ff"`
		}
		fmt.Fprintf(&b, "  n%d [label=%s%s]\n", i, dotText(n.Title+"\n"+n.Version), attrs)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  n%d -> n%d\n", e.From, e.To)
	}
	if g.hasImpact() {
		fmt.Fprintf(&b, "  subgraph cluster_legend {\n    label=\"\"\n    legend_changed [label=%s, fillcolor=\"#d1242f\", fontcolor=white]\n    legend_reached [label=%s, fillcolor=\"#fff8c5\"]\n  }\n",
			dotText(legend[0].text), dotText(legend[1].text))
	}
	b.WriteString("}\n")
	return b.String()
}

func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
