package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// outline is a scanned tree, a node a line: depth, key and scalar.
func outline(up *Node, depth int) string {
	var b strings.Builder
	for _, n := range up.Kids {
		fmt.Fprintf(&b, "%s%s=%s\n%s", strings.Repeat(" ", depth), n.Name, strings.ReplaceAll(n.String(), "\n", "⏎"), outline(n, depth+1))
	}
	return b.String()
}

// scanOf is the tree of a whole text.
func scanOf(in string, json, templated bool) *Node {
	return Scan([]byte(in), source.Span{End: len(in)}, json, templated)
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
		{"no key asks for it", "a: b\n: c\n", "a=b\n=: c\n"},
		{"a question", "a: ?b\nc?: d\n?e: f\n", "a=?b\nc?=d\n?e=f\n"},
		{"quotes with escapes", "a: \"b\\\"c\"\nd: 'e''f'\n", "a=b\\\"c\nd=e''f\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outline(scanOf(c.in, false, false), 0); got != c.want {
				t.Errorf("got\n%swant\n%s", got, (c.want))
			}
		})
	}
}

func TestScanJSON(t *testing.T) {
	in := "// c\n{\"a\": [1, {\"b\": \"c\\\"d\"}], /* x */ \"e\": null,}\n"
	want := "=\n a=\n  =1\n  =\n   b=c\\\"d\n e=null\n"
	if got := outline(scanOf(in, true, false), 0); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// What is nested too deep is not read: reading it would take all of the stack.
func TestScanIsBounded(t *testing.T) {
	for _, part := range []string{"- ", "- - "} {
		depth := 0
		for n := scanOf(strings.Repeat(part, 1<<20)+"a\n", false, false); len(n.Kids) > 0; n = n.Kids[0] {
			depth++
		}
		if depth > maxNested {
			t.Errorf("%q: %d nodes", part, depth)
		}
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
		if got := outline(scanOf(x.in, false, true), 0); got != x.want {
			t.Errorf("%q: got\n%s", x.in, got)
		}
	}
}
