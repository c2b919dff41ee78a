package show

import (
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A need that others imply is not drawn, and an impact has a legend.
func TestGraphIsReduced(t *testing.T) {
	s := stack.Default()
	known := matrix.Known()
	i := slices.IndexFunc(known, func(r matrix.Release) bool { return r.Version == "v1.1.0" })
	mcad, _ := s.Component("mcad")
	got := Graph(s, &known[i], mcad)
	for text, times := range map[string]int{" --> ": 5, "  class n1,legend_changed changed\n": 1, "  class n0,n2,n3,legend_reached reached\n": 1, "is reached by the change": 1} {
		if strings.Count(got, text) != times {
			t.Errorf("%q is not there %d times:\n%s", text, times, got)
		}
	}
	if got := Graph(s, &known[i], nil); strings.Contains(got, "legend") {
		t.Errorf("a legend of nothing:\n%s", got)
	}
}

// Hostile names and a cycle: the picture stays well-formed.
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
	if m := Graph(s, r, nil); strings.Contains(m, "<script") || strings.Count(m, "\n") != 4+strings.Count(m, " --> ") {
		t.Errorf("mermaid:\n%s", m)
	}
}
