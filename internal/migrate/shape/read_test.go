package shape

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// styled are documents in every style that YAML has for the same things.
var styled = []string{
	"a: b\nc: 'd''e'\nf: \"g\\\"\\n\\u00e9\"\n",
	"\xef\xbb\xbfa: b\r\nc:\r\n- d\r\n- e: f\r\n  g: h\r\n",
	"a: &x !!str b\nc: *x\nd: &y\n  e: f\n- g",
	"a:\n- - b\n  - c\n- d: {e: [f, 'g, h', \"i]\"], j: }\n  k: l # m\n",
	"a: |2-\n  b\n   c\n\nd: >+\n  e\n  f\n\ng: h\n",
	"a: b\n  c\n  d # e\nf: 'g\n  h'\n\"i j\": \"k\\\n  l\"\n",
	"%YAML 1.2\n---\na: http://b/c#d\n[e, {f: g}, \"h\": i]\n...\n",
	"a: [\n  b, # c\n  d: e,\n]\nf: {}\ng: []\nh: ~\ni:\n  {}\nj:\n  # k\n  [l]\n",
	"# a\n\n- b: c\n  # d\n  e:\n    f: g\n-\n  h: i\n- |\n  j: k\n",
	"{\"a\": [1, {\"b\": \"c\\\"d\"}, null, true], // x\n \"e\": \"\\ud83d\\ude00\" /* y */ }\n",
	"a:\n  {{- with .x }}\n  b: {{ . }}\n  l: [x, {{ .y }}, z: {{ .t }}-u]\n  {{- end }}\n  {{- toYaml .y | nindent 2 }}\nc: {{ if z }}{d: e}{{ end }}\n",
}

// What is read is written as it was, whatever is cut off or put into it; or it is refused.
func TestReadKeepsEveryByte(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	pieces := []string{"{", "[", "}", "]", `"`, "'", "\n", "- ", ": ", "? ", "{{", "}}", "#", "/*", "|", "&a ", "\\", "\x00", "\xff", "%>"}
	refused := 0
	for i := range 3000 {
		in := styled[i%len(styled)]
		if i >= len(styled) {
			at, by := r.IntN(len(in)), ""
			for range r.IntN(4) {
				by += pieces[r.IntN(len(pieces))]
			}
			in = in[r.IntN(at+1):at] + by + in[at+r.IntN(len(in)-at):]
		}
		for _, o := range []Options{{Templated: strings.Contains(in, "{{")}, {JSON: true}} {
			top, list, err := read([]byte(in), o)
			switch {
			case err != nil && i < len(styled) && (!o.JSON || in[0] == '{'):
				t.Errorf("%q is refused", in)
			case err != nil && !o.JSON:
				refused++
			case err != nil:
			case strings.TrimSuffix(top.value(), "\n") != strings.TrimSuffix(in, "\n"):
				t.Fatalf("%q is written as %q", in, top.value())
			}
			for _, n := range list {
				if n.index() < 0 {
					t.Fatalf("%q: a node is not below the one above it", in)
				}
			}
		}
	}
	if refused > 600 {
		t.Errorf("%d texts are refused", refused)
	}
}
