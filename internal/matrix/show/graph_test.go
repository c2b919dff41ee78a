package show

import (
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
)

func TestGraphIsReduced(t *testing.T) {
	s := stack.Default()
	known := matrix.Known()
	i := slices.IndexFunc(known, func(r matrix.Release) bool { return r.Version == "v1.1.0" })
	mcad, _ := s.Component("mcad")
	g := NewGraph(s, &known[i], mcad)
	var edges, reached []string
	for _, e := range g.Edges {
		edges = append(edges, g.Nodes[e.From].Name+">"+g.Nodes[e.To].Name)
	}
	for _, n := range g.Nodes {
		if n.Reached {
			reached = append(reached, n.Name)
		}
	}
	slices.Sort(edges)
	if got, want := strings.Join(edges, " "), "codeflare-sdk>codeflare-operator instascale>codeflare-operator kuberay>codeflare-sdk mcad>codeflare-sdk mcad>instascale"; got != want {
		t.Errorf("edges %s, want %s", got, want)
	}
	if got, want := strings.Join(reached, " "), "codeflare-operator codeflare-sdk instascale"; got != want {
		t.Errorf("reached %s, want %s", got, want)
	}
}

// TestGraphTakesAnyName draws hostile names and a cycle: the pictures stay
// well-formed.
func TestGraphTakesAnyName(t *testing.T) {
	s := &stack.Stack{Name: `<&"'>`, Root: "a", Components: []stack.Component{
		{Name: "a", Title: `A</text><script>"&'\`, Needs: []string{"b"}},
		{Name: "b", Title: "Böse\nZeile #1;", Needs: []string{"c"}},
		{Name: "c", Needs: []string{"b"}},
	}}
	if err := s.Complete(""); err != nil {
		t.Fatal(err)
	}
	r := &matrix.Release{Version: "v1.0.0", Components: []matrix.Pin{{Name: "a", Version: "<v>"}, {Name: "b"}, {Name: "c", Version: "v1"}}}
	g := NewGraph(s, r, nil)
	if m := g.Mermaid(); strings.Contains(m, "<script") || strings.Count(m, "\n") != 4+len(g.Edges) {
		t.Errorf("mermaid:\n%s", m)
	}
	if d := g.Dot(); !strings.Contains(d, `A</text><script>\"&'\\`) {
		t.Errorf("dot:\n%s", d)
	}
}

// TestLegend: the colours of an impact are explained in each form, and without
// an impact there is nothing to explain.
func TestLegend(t *testing.T) {
	s := &stack.Stack{Root: "app", Components: []stack.Component{{Name: "app", Needs: []string{"lib"}}, {Name: "lib"}}}
	if err := s.Complete("stack.yaml"); err != nil {
		t.Fatal(err)
	}
	r := &matrix.Release{Version: "v1.0.0", Components: []matrix.Pin{{Name: "app", Version: "v1.0.0"}, {Name: "lib", Version: "v1.0.0"}}}
	lib, _ := s.Component("lib")
	for impact, want := range map[*stack.Component]bool{lib: true, nil: false} {
		g := NewGraph(s, r, impact)
		for form, text := range map[string]string{"mermaid": g.Mermaid(), "dot": g.Dot()} {
			if got := strings.Contains(text, "is reached by the change"); got != want {
				t.Errorf("%s with impact %v: legend %v\n%s", form, impact != nil, got, text)
			}
		}
	}
}
