package migrate

import (
	"fmt"
	"strings"
	"testing"
)

// outline is a scanned tree, a node a line: depth, key and scalar.
func outline(t *tree) string {
	var b strings.Builder
	var walk func(i int32, depth int)
	walk = func(i int32, depth int) {
		fmt.Fprintf(&b, "%s%s=%s\n", strings.Repeat(" ", depth), t.keyText(i), strings.ReplaceAll(t.text(i), "\n", "⏎"))
		for _, j := range t.children(i) {
			walk(j, depth+1)
		}
	}
	for _, i := range t.roots(-1) {
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
		{"quotes with escapes", "a: \"b\\\"c\"\nd: 'e''f'\n", "a=b\\\"c\nd=e''f\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outline(scanYAML([]byte(c.in), 0, len(c.in), false)); got != c.want {
				t.Errorf("got\n%swant\n%s", indent(got), indent(c.want))
			}
		})
	}
}

func TestScanJSON(t *testing.T) {
	in := "// c\n{\"a\": [1, {\"b\": \"c\\\"d\"}], /* x */ \"e\": null,}\n"
	want := "=\n a=\n  =1\n  =\n   b=c\\\"d\n e=null\n"
	if got := outline(scanJSON([]byte(in), false)); got != want {
		t.Errorf("got\n%swant\n%s", indent(got), indent(want))
	}
}

// What stands right around a group tells its shape.
func TestTokens(t *testing.T) {
	m := fuzzMigration(t)
	for _, c := range []struct {
		in    string
		shape shape
		word  string
		site  GVK
	}{
		{"old.example.com", bare, "old.example.com", GVK{Group: "old.example.com"}},
		{"old.example.com/v1beta1", gv, "old.example.com/v1beta1", GVK{Group: "old.example.com", Version: "v1beta1"}},
		{"old.example.com/v1/Pear", gvk, "old.example.com/v1/Pear", GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/v1, Kind=Pear", gvk, "old.example.com/v1, Kind=Pear", GVK{Group: "old.example.com", Version: "v1", Kind: "Pear"}},
		{"old.example.com/Pear", gk, "old.example.com/Pear", GVK{Group: "old.example.com", Kind: "Pear"}},
		{"old.example.com_Pear", gkUnder, "old.example.com_Pear", GVK{Group: "old.example.com", Kind: "Pear"}},
		{"apples.split.example.com", resource, "apples.split.example.com", GVK{Group: "split.example.com", Plural: "apples"}},
		{"berries.v1.split.example.com", resource, "berries.v1.split.example.com", GVK{Group: "split.example.com", Version: "v1", Plural: "berries"}},
		{"split.example.com/apples", gr, "split.example.com/apples", GVK{Group: "split.example.com", Plural: "apples"}},
		{"old.example.com_pears.yaml", fileName, "old.example.com_pears.yaml", GVK{Group: "old.example.com"}},
		{"pear.old.example.com", key, "pear.old.example.com", GVK{Group: "old.example.com"}},
		{"old.example.com/name", key, "old.example.com/name", GVK{Group: "old.example.com"}},
		{"a.b.c.old.example.com", longer, "a.b.c.old.example.com", GVK{Group: "old.example.com"}},
		{"old.example.com.net", longer, "old.example.com.net", GVK{Group: "old.example.com"}},
		{"me@old.example.com", email, "old.example.com", GVK{Group: "old.example.com"}},
		{"https://old.example.com/v1", urlHost, "old.example.com", GVK{Group: "old.example.com"}},
		{`old.example.com\/v1`, gv, `old.example.com\/v1`, GVK{Group: "old.example.com", Version: "v1"}},
	} {
		t.Run(c.in, func(t *testing.T) {
			data := []byte("x: " + c.in + " y")
			toks := m.rules.tokens(m.seek, data)
			if len(toks) != 1 {
				t.Fatalf("%d tokens", len(toks))
			}
			if tok := toks[0]; tok.shape != c.shape || string(tok.word.Of(data)) != c.word || tok.site != c.site {
				t.Errorf("shape %d of %q: %+v", tok.shape, tok.word.Of(data), tok.site)
			}
		})
	}
}

// Every span of a view leads back to the bytes that it stands for, and text is
// spelled as the languages around it want it.
func TestViews(t *testing.T) {
	file := []byte("a: |\n    {\"b\": \"x\\\"y\\u00e9z\"}\n")
	block := unindent(whole(file), spanOf(5, len(file)))
	if got, want := string(block.data), "{\"b\": \"x\\\"y\\u00e9z\"}\n"; got != want {
		t.Fatalf("the block is %q, want %q", got, want)
	}
	in := unescape(block, spanOf(7, len(block.data)-3), false)
	if got, want := string(in.data), "x\"y\u00e9z"; got != want {
		t.Fatalf("the string is %q, want %q", got, want)
	}
	for _, c := range []struct {
		start, end int
		want       string
	}{{0, 1, "x"}, {1, 2, `\"`}, {0, 3, `x\"y`}, {3, 5, `\u00e9`}, {5, 6, "z"}} {
		if got := string(in.span(spanOf(c.start, c.end)).Of(file)); got != c.want {
			t.Errorf("%d to %d is %q in the file, want %q", c.start, c.end, got, c.want)
		}
	}
	if got, ok := in.say("p\"q\nr"); !ok || got != `p\"q\nr` {
		t.Errorf("the string says %q", got)
	}
	if got, ok := block.say("p\nq\n"); !ok || got != "p\n    q\n" {
		t.Errorf("the block says %q", got)
	}
	if got, ok := unquoteSingle(whole([]byte("it''s")), spanOf(0, 5)).say("a'b"); !ok || got != "a''b" {
		t.Errorf("a single-quoted scalar says %q", got)
	}
	if _, ok := unquoteSingle(whole([]byte("a\n\nb")), spanOf(0, 4)).say("x"); ok {
		t.Error("a folded scalar says something")
	}
	f := decodeFString(whole([]byte("{{a: {b}}}")))
	if got := string(f.data); got != "{a: {{b}}}" {
		t.Errorf("the format string is %q", got)
	}
	if got, ok := f.say("{c: {{d}}}"); !ok || got != "{{c: {d}}}" {
		t.Errorf("the format string says %q", got)
	}
}

func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		" it stays": "it stays", " ts */ const x = 1": "ts", " md -->": "md", " helm */}}": "helm", "": "", " a-b": "a-b",
	} {
		if got := reason(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
