package prove

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// What editors write into JSON is blanked out, byte for byte, and nothing else.
func TestWithoutComments(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{`{"a": 1, // x` + "\n" + `"b": 2}`, `{"a": 1,     ` + "\n" + `"b": 2}`},
		{`{"a": 1 # x`, `{"a": 1    `},
		{`{"a": /* x` + "\n" + `y */ 1}`, `{"a":     ` + "\n" + `     1}`},
		{`{"a": 1 /* x`, `{"a": 1     `},
		{`[1, 2, ]`, `[1, 2  ]`}, {"{\"a\": 1, /* x */\n\t\r}", "{\"a\": 1         \n\t\r}"}, {`[1,,]`, `[1, ]`}, {`[[1,],2]`, `[[1 ],2]`}, {`[1,"a"]`, `[1,"a"]`}, {`[1, a]`, `[1, a]`},
		{`["// x", "/* y */", "#", "\"//", "a,]"]`, `["// x", "/* y */", "#", "\"//", "a,]"]`},
		{`["a` + "\n" + `// b`, `["a` + "\n" + `    `},
		{`{}]`, `{}]`},
	} {
		if got := string(withoutComments([]byte(x.in))); got != x.want || len(got) != len(x.in) {
			t.Errorf("%q: %q, want %q", x.in, got, x.want)
		}
	}
	var v any
	if err := json.Unmarshal(withoutComments([]byte("// a\n{\"a\": [1, 2,], /* b */}\n# c")), &v); err != nil {
		t.Error(err)
	}
}

// A document of a stream is what stands between two separators, wherever in it
// one looks.
func TestDocumentAt(t *testing.T) {
	stream := []byte("a: 1\n--- # x\nb: 2\n----\nc: |\n  ---\n---x\n---\nd: 3\n---")
	want := []string{"a: 1\n", "--- # x\nb: 2\n----\nc: |\n  ---\n---x\n", "---\nd: 3\n", "---"}
	at := 0
	for _, doc := range want {
		for i := range len(doc) {
			if got := string(documentAt(stream, at+i).Of(stream)); got != doc {
				t.Errorf("at %d: %q, want %q", at+i, got, doc)
			}
		}
		at += len(doc)
	}
	for text, want := range map[string]bool{"---": true, "--- a": true, "---\t": true, "---\r\n": true, "---\n": true, "--": false, "---a": false, "----": false, "": false} {
		if isSeparator([]byte(text)) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
}

// The proof knows the plurals of a kind by itself.
func TestPluralsOfAKind(t *testing.T) {
	for kind, want := range map[string]string{"": "", "Pear": "pears pear", "Policy": "policies policys policy", "Gateway": "gateways gateway", "Y": "ys y", "Ingress": "ingresses ingress ingresss", "Box": "boxes box boxs", "Branch": "branches branch branchs", "Mesh": "meshes mesh meshs"} {
		if got := plurals(kind); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

// A text is a document when it is a mapping or a list, in JSON or YAML of any
// version.
func TestParseText(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, " \n": false, "a": false, "a: b": true, "- a": true, "{\"a\": 1}": true, "[1]": true, " {a: b}": true, "{\"a\":\t1}": true, "[\t1]": true,
		"{a": false, "a: b: c": false, "%YAML 1.2\n---\na: b\n": true, "%YAML 1.1\n---\na: b\n": true, "---\n": false, "a\n---\nb: c\n": true,
	} {
		if _, got := parseText(in); got != want {
			t.Errorf("%q: not %v", in, want)
		}
	}
}

// A comment begins with its mark at the start of a line or behind a blank.
func TestTails(t *testing.T) {
	for in, want := range map[string]tail{
		"": {}, "a": {"a", ""}, "# a": {"", "# a"}, "a # b": {"a", "# b"}, "a\t# b\n": {"a", "# b"}, "a#b": {"a#b", ""}, "  # a # b": {"", "# a # b"},
	} {
		list := tails([]byte(in))
		if in == "" && len(list) > 0 || in != "" && (len(list) != 1 || list[0] != want) {
			t.Errorf("%q: %q", in, list)
		}
	}
}
