package text

import (
	"slices"
	"strings"
	"testing"
)

// Templates are opaque, wherever their actions stand.
func TestScanTemplates(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{"{{ if .x }}\na: 1\n{{ end }}\nb: 2\n", "a=1\nb=2\n"},
		{"{{- with\n  .x }} # c\na: 1\n", "a=1\n"},
		{"{{ .key }}: 1\na{{ b: c }}d: 2\n", "{{ .key }}=1\na{{ b: c }}d=2\n"},
		{"a: {{ .x }} # c\nb: {c: x{{ .y }}, d: 1}\n", "a={{ .x }}\nb=\n c=x{{ .y }}\n d=1\n"},
		{"{% if x %}\na: <%= y %>\n", "a=<%= y %>\n"},
		{"a: {{ .x\nb: 1\n", "a={{ .x\nb=1\n"},
		{"'a b': 1\n\"c\" : 2\n'd\n", "a b=1\nc=2\n=d\n"},
	} {
		if got := outline(ScanYAML([]byte(x.in), 0, len(x.in), true)); got != x.want {
			t.Errorf("%q: got\n%s", x.in, got)
		}
	}
}

// Paths are keys with dots, and items of lists.
func TestPaths(t *testing.T) {
	for in, want := range map[string]string{
		"a.b": "a b", "a[*].b": "a [*] b", `a."b.c".d`: "a b.c d", "[*]": "[*]", "a..b": "a b",
		"": "error", `a."b`: "error", "a[0]": "error", ".": "error",
	} {
		keys, err := ParsePath(in)
		if got := strings.Join(keys, " "); (err != nil) != (want == "error") || err == nil && got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	doc := []byte("a:\n  list:\n  - b: 1\n    kind: x\n  - c: {b: 2}\n  - b: 3\n")
	tree := ScanYAML(doc, 0, len(doc), false)
	hits := tree.Find(-1, []string{"a", "list", "[*]", "b"})
	if len(hits) != 2 || tree.Text(hits[0].Node) != "1" || tree.Text(hits[1].Node) != "3" || !slices.Equal(hits[1].Wild, []int{2}) {
		t.Errorf("hits %+v", hits)
	}
	way := Filled([]string{"a", "list", "[*]", "x", "[*]"}, []int{2})
	if strings.Join(way, " ") != "a list [2] x [*]" || !slices.Equal(WildOf(way), []int{2}) {
		t.Errorf("filled: %q", way)
	}
	for in, missing := range map[string]string{"a list [1] c b": "", "a list [3] b": "[3] b", "a list [0] b c": "c", "x y": "x y", "a list [x]": "[x]"} {
		if _, rest := tree.Walk(-1, strings.Fields(in)); strings.Join(rest, " ") != missing {
			t.Errorf("%s: %q is missing", in, rest)
		}
	}
	to, ok := tree.WayTo(strings.Index(string(doc), "kind"))
	if obj, found := Follow(tree, to); !ok || !found || tree.Entry(obj, "b") < 0 {
		t.Errorf("the way to the object: %v", to)
	}
	if _, ok := tree.WayTo(strings.Index(string(doc), "x")); ok {
		t.Error("a value is no kind")
	}
	if _, found := Follow(tree, []int{0, 0, 7}); found {
		t.Error("a way that is not there is found")
	}
}

// What can be written under a node, and how.
func TestTakes(t *testing.T) {
	for in, want := range map[string]string{
		"a: {}": "takes flow", "a: {b: 1}": "takes flow", "a: &x {}": "takes flow", "a:": "takes", "a:\n  b: 1": "takes",
		"a: []": "flow", "a: [1]": "flow", "a:\n- 1": "", "a: 1": "", `a: "{}"`: "", "a: |\n  {}": "", "'a': {}": "takes flow", "a: !!map {}": "takes flow", "a: *x": "",
	} {
		tree := ScanYAML([]byte(in+"\n"), 0, len(in)+1, false)
		got := ""
		if tree.Takes(0) {
			got = "takes"
		}
		if tree.InFlow(0) {
			got += " flow"
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
