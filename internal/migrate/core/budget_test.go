package core

import (
	"fmt"
	"strings"
	"testing"
)

// TestBudget: a file of more references than are decided is not read; others are.
func TestBudget(t *testing.T) {
	c := testCore(t, testRules, Options{Most: 2})
	line := "group: old.example.com\n---\n"
	large, small := c.Read("large.yaml", []byte(strings.Repeat(line, 3))), c.Read("small.yaml", []byte(line))
	c.Resolve([]*File{large, small}, nil, nil)
	if large.Failed == nil || len(large.Sites) > 0 || small.Failed != nil || len(small.Sites) != 1 {
		t.Errorf("large: %v, %d references; small: %v, %d references", large.Failed, len(large.Sites), small.Failed, len(small.Sites))
	}
}

// TestDense: nor is one of so many values that they would take all memory.
func TestDense(t *testing.T) {
	c := testCore(t, testRules, Options{})
	object := "apiVersion: old.example.com/v1\nkind: Widget\n"
	for tail, want := range map[string]bool{
		"x: [" + strings.Repeat("1,", 2<<20) + "]\n":                                                     true,
		"x: " + strings.Repeat("[", 2<<20) + "\n":                                                        true,
		strings.Repeat("- - - - - - - - - a\n", 200_000):                                                 true,
		"x: |\n" + strings.Repeat("  a line of usual length, as in a file of many megabytes\n", 100_000): false,
	} {
		if f := c.Read("a.yaml", []byte(object+tail)); (f.Failed != nil) != want {
			t.Errorf("%.20q: %v", tail, f.Failed)
		}
	}
}

// TestNestedGroups: nor is one in which each name is looked at for thousands of groups.
func TestNestedGroups(t *testing.T) {
	ruleset := func(n int) string {
		var s strings.Builder
		s.WriteString("name: many\nrules:\n- {id: a, from: {group: old.example.com}, to: {group: new.example.org}}\n")
		for i := range n {
			fmt.Fprintf(&s, "- {id: w%d, from: {group: g%d.old.example.com}, to: {group: h%d.new.example.org}}\n", i, i, i)
		}
		return s.String()
	}
	text := []byte(strings.Repeat("- group: old.example.com\n", 2000))
	for n, want := range map[int]bool{100: false, 2000: true} {
		if f := testCore(t, ruleset(n), Options{}).Read("a.yaml", text); (f.Failed != nil) != want {
			t.Errorf("%d groups: %v", n, f.Failed)
		}
	}
}
