package prove

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// FuzzPlain: what is plain is read by the parser.
func FuzzPlain(f *testing.F) {
	for _, c := range plainCases {
		f.Add(c.text)
	}
	files, err := filepath.Glob("../../testdata/trees/*/before/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("no manifests", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !IsPlain([]byte(text)) {
			return
		}
		dec := yaml.NewDecoder(bytes.NewReader([]byte(text)))
		for {
			var n yaml.Node
			err := dec.Decode(&n)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%v\n%q", err, text)
			}
		}
	})
}

var plainCases = []struct {
	text  string
	plain bool
}{
	{"", true},
	{"a: b\n", true},
	{"a: b\nc:\n  d: e f\nf:\n- g\n-   h: i\n    j: k\nl: m\n", true},
	{"---\na: b\n---\n# c\nd:\n", true},
	{"- a\n- - b\n  - c: d\n-\n  e: f\n", true},
	{"a: 'b'\nc: \"d\" # e\nf: []\ng: {} # h\n", true},
	{"a: |\n  b: c: d\n\n    e\nf: |-\n", true},
	{"a: b\n  c\n  \"d\nf: g\n", true},
	{"a:\n# b\n  c: d\n", true},

	{"a: [b, \"c\", 'd'] # e\nf: {g: h, i: \"j\"}\nk: [ ]\n", true},
	{"a: b # c\nd: >-\n  e\n  f\ng: &h\n  i: j\n", true},
	{"# \u00e9 \u2014\r\na: \u00e9\r\n", true},

	{"--- # a\nb: &c\n  d: e\nf: *c # g\nh:\n- *c\n---  # i\nj: k\n", true},

	{"a\n", false},
	{"a: *b\n", false},
	{"a: &b\n  c: d\n---\ne: *b\n", false},
	{"a: &b\n  c: d\ne: *b f\n", false},
	{"a: &b\n  c: d\ne: *b\n  f\n", false},
	{"--- a\nb: c\n", false},
	{"---#\nb: c\n", false},
	{"  a: b\nc: d\n", false},
	{"a: b: c\n", false},
	{"a: b\n  c: d\n", false},
	{"a: b:\n", false},
	{"a: b\n# c\n  d\n", false},
	{"a:\n  b: c\n d: e\n", false},
	{"- a\nb: c\n", false},
	{"a: b\n- c\n", false},
	{"a:\n  - b\n  c: d\n", false},
	{"a: [b\n", false},
	{"a: \"b\n", false},
	{"a: \"b\\q\"\n", false},
	{"a: 'b' c\n", false},
	{"a: [] b\n", false},
	{"a: \"b\"#c\n", false},
	{"a: \"b\"\n  c\n", false},
	{"a: *b\n", false},
	{"a: - b\n", false},
	{"a: @b\n", false},
	{"a: |2\n  b\n", false},
	{"a: |\n    b\n  c\n", false},
	{"a: |\n     \n  b\n", false},
	{"a:\tb\n", false},
	{"a: \x00\n", false},
	{"a: b\u2028c: d\n", false},
	{"a: b # c\n  d\n", false},
	{"a: [b, *c]\n", false},
	{"a: [b, c: d]\n", false},
	{"a: [b\n", false},
	{"a: [b}\n", false},
	{"a: {b}\n", false},
	{"a: {b: [c]}\n", false},
	{"a: [b] c\n", false},
	{"a: [\"b, c\"]\n", false},
	{"a: &b c\n", false},
	{"a: &b/c\n", false},
	{"a: b\rc: d\n", false},
	{"<<: b\n", false},
	{"...\n", false},
}

// TestPlain says what is plain, and that the parser takes it.
func TestPlain(t *testing.T) {
	for _, c := range plainCases {
		if got := IsPlain([]byte(c.text)); got != c.plain {
			t.Errorf("%q: plain %v", c.text, got)
		}
	}
}
