package prove

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// inOneLine is a node in one line, its aliases by their names.
func inOneLine(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	var parts []string
	switch n.Kind {
	case yaml.AliasNode:
		return "*" + n.Value
	case yaml.SequenceNode:
		for _, item := range n.Content {
			parts = append(parts, inOneLine(item))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, n.Content[i].Value+":"+inOneLine(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	}
	return n.Value
}

// A mapping is read with what it takes from elsewhere: its own entries come before
// those that it merges, the first of these before the next, each once.
func TestMerged(t *testing.T) {
	const base = "- &a {k: 1, l: 2}\n- &b {k: 3, m: 4}\n- &s [5, 6]\n- &x 7\n"
	for in, want := range map[string]string{
		"- x":                                   "x",
		"- {k: 8}":                              "{k:8}",
		"- *a":                                  "{k:1 l:2}",
		"- *x":                                  "7",
		"- {k: 8, <<: *a}":                      "{k:8 l:2}",
		"- {<<: *a, k: 8}":                      "{k:8 l:2}",
		"- {<<: [*a, *b]}":                      "{k:1 l:2 m:4}",
		"- {<<: [*b, *a], l: 8}":                "{l:8 k:3 m:4}",
		"- {<<: [*a, *a, 9]}":                   "{k:1 l:2}",
		"- {<<: {<<: *b, l: 8}}":                "{l:8 k:3 m:4}",
		"- {n: *x}":                             "{n:7}",
		"- {n: *s}":                             "{n:[5 6]}",
		"- {n: [*x, 8]}":                        "{n:[7 8]}",
		"- {n: [8]}":                            "{n:[8]}",
		"- {<<: *a, n: [8, *x], o: *x, p: [9]}": "{n:[8 7] o:7 p:[9] k:1 l:2}",
	} {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(base+in+"\n"), &doc); err != nil {
			t.Fatal(in, err)
		}
		list := doc.Content[0].Content
		if got := inOneLine(merged(list[len(list)-1])); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	if plain := yaml.NewMapRNode(nil).YNode(); merged(plain) != plain {
		t.Error("what takes nothing is not itself")
	}
}
