package text

import (
	"fmt"
	"strings"
	"testing"
)

// outline is a scanned tree, a node a line: depth, key and scalar.
func outline(t *Tree) string {
	var b strings.Builder
	var walk func(i int32, depth int)
	walk = func(i int32, depth int) {
		fmt.Fprintf(&b, "%s%s=%s\n", strings.Repeat(" ", depth), t.KeyText(i), strings.ReplaceAll(t.Raw(i), "\n", "⏎"))
		for _, j := range t.Children(i) {
			walk(j, depth+1)
		}
	}
	for _, i := range t.Children(-1) {
		walk(i, 0)
	}
	return b.String()
}

func TestScanYAML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"mapping", "a: b # c\nd:   'e'\n", "a=b\nd=e\n"},
		{"nested", "a:\n  b: 1\n  c:\n    d: 2\ne: 3\n", "a=\n b=1\n c=\n  d=2\ne=3\n"},
		{"sequence at the indentation of its key", "a:\n- b: 1\n  c: 2\n- d\n", "a=\n =\n  b=1\n  c=2\n =d\n"},
		{"flow", "a: {b: [1, 'x, y'], \"c\": d}\n", "a=\n b=\n  =1\n  =x, y\n c=d\n"},
		{"block scalars", "a: |\n  b: c\n\n  d\ne: >-\n  f\n", "a=  b: c⏎⏎  d⏎\ne=  f⏎\n"},
		{"a URL is no mapping", "a: http://b:1/c#d\n", "a=http://b:1/c#d\n"},
		{"anchors and tags", "a: &x !!str b\nc: *x\n", "a=b\nc=*x\n"},
		{"CRLF", "a: b\r\nc:\r\n  d: e\r\n", "a=b\nc=\n d=e\n"},
		{"keys that are asked for", "? a\n: b # c\n? \"d\" # e\n:\n  f: g\n? h\n: - i\n  - j: k\n    l: m\nn: o\n", "a=b\nd=\n f=g\nh=\n =i\n =\n  j=k\n  l=m\nn=o\n"},
		{"asked for with anchors, tags and comments", "? &x !!str a\n# c\n\n: &y b\n? c\n: |\n  d\n  e\nf: g\n", "a=b\nc=  d⏎  e⏎\nf=g\n"},
		{"asked for in a list", "- ? a\n  : b\n  ? c\n  : d\n- e\n", "=\n a=b\n c=d\n=e\n"},
		{"asked for in a value", "a:\n  ? b\n  : c\nd:\n  ? e\n  :\n  - f\n", "a=\n b=c\nd=\n e=\n  =f\n"},
		{"a key without a value", "? a\n? b\nc: d\n", "a=\nb=\nc=d\n"},
		{"keys that are more than words", "? a: b\n: c: d\n? |\n  e\n: f\n? [g, h]\n: i\n", "=\n a=b\n=\n c=d\n=  e⏎\n=f\n=\n =g\n =h\n=i\n"},
		{"a key that goes on", "? a\n  b\n: c\n", "a=b\n=c\n"},
		{"no key asks for it", "a: b\n: c\n", "a=b\n=: c\n"},
		{"asked for in flow style", "{? a : b, ? \"c\": d, ? e, f: [? g : h]}\n", "=\n a=b\n c=d\n =e\n f=\n  g=h\n"},
		{"a question", "a: ?b\nc?: d\n?e: f\n", "a=?b\nc?=d\n?e=f\n"},
		{"quotes with escapes", "a: \"b\\\"c\"\nd: 'e''f'\n", "a=b\\\"c\nd=e''f\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outline(ScanYAML([]byte(c.in), 0, len(c.in), false)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, (c.want))
			}
		})
	}
}

func TestScanJSON(t *testing.T) {
	in := "// c\n{\"a\": [1, {\"b\": \"c\\\"d\"}], /* x */ \"e\": null,}\n"
	want := "=\n a=\n  =1\n  =\n   b=c\\\"d\n e=null\n"
	if got := outline(ScanJSON([]byte(in), false)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// What is nested too deep is not read: reading it would take all of the stack.
func TestScanIsBounded(t *testing.T) {
	for _, part := range []string{"? ", "- ", "? - ", "- ? "} {
		text := []byte(strings.Repeat(part, 1<<20) + "a\n")
		tree := ScanYAML(text, 0, len(text), false)
		if n := len(tree.Nodes); n > 3*maxDepth {
			t.Errorf("%q: %d nodes", part, n)
		}
		tree.Release()
	}
}

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
