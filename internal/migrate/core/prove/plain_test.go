package prove

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What is surely YAML is taken by the parser, whatever lines follow each other.
func TestPlainYAMLParses(t *testing.T) {
	pieces := []string{"a:", "a: b", "- a", "- a: b", "-", "- - a", "- - a: b", "a: |", "- >-", "- a: |+", "text here", "# note", "---", "", " ", "a: # note", "a: 'b'",
		`a: "b" # note`, `"a": b`, "a: [b, 'c']", "a: []", "- {}", "a: [b", "a: b: c", "a: b:", "a: *b", "a: &b", "a: 'b", "a: 'it''s'", "a: - b", "a:b", "...", "- ...", "%YAML 1.1",
		"? a", "a: é", "a: \u2028b", "a:\tb", "\ta: b", "a: >2", "a: !b c", "a: --- b", "a: b #c", "a: b# c", "a: @b", "- # note", "a: -", "-a", "- -b", "a : b", "a: \"b\\q\"", "- [a, b]: c", "a: {b: c, d: [e, 'f']}", "{a: b}", "a: {b}", "a: {b: }", "a: {b: c,}", "a: [ b , c ]", "a: [[b], {c: d}]", "a: [b]c", "a: &x", "a: &x b", "- &x", "a: *x", "<<: *x", "- *x", "a: *x b", "&x a: b", "a: &x &x b", "a: ${b}", "a: $(b) c", "$a: b", "more words", "more: words", "- more words", "more #words", "--- # note", "--- a", "a: ?b", "a: ~", "a: =b", "a: (b", "a: ^b", "a: `b", "a: <b", "a: +b", "a: ;b", "a: \\b", "a: {b: {c: d}", "a: [-b]", "a: [b-]", "a: {b:c}", "a: {\"b\": c}", "a: {b: c}: d"}
	r := rand.New(rand.NewPCG(1, 2))
	surely, total := 0, 200_000
	if testing.Short() {
		total /= 10
	}
	for range total {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(strings.Repeat(" ", r.IntN(6)))
			b.WriteString(pieces[r.IntN(len(pieces))])
			b.WriteString([]string{"\n", "\n", "\n", "\r\n", " \n", ""}[r.IntN(6)])
		}
		if s := b.String(); plainYAML([]byte(s)) {
			surely++
			if _, err := decodeYAML(s); err != nil {
				t.Fatalf("taken for YAML: %q: %v", s, err)
			}
		}
	}
	if surely < total/200 {
		t.Errorf("only %d of %d texts are surely YAML", surely, total)
	}
}

// What most manifests are made of needs no parser.
func TestPlainYAML(t *testing.T) {
	for _, s := range []string{crd[:strings.Index(crd, "names")], "# note\n---\na:\n- b: c\n  d:\n  - \"*\"\n  - e\nf: |\n  text: {\n    more\n\n  end\ng: >-\n    x\n- ", "a:\r\n  b: 'c' # d\r\n"} {
		s = strings.TrimSuffix(s, "- ")
		if !plainYAML([]byte(s)) {
			t.Errorf("needs a parser: %q", s)
		}
	}
	if s := strings.Repeat("- ", 20_000); plainYAML([]byte(s)) {
		t.Error("a list of depth 20,000 is surely YAML")
	}
	var anchors strings.Builder // each alias is looked for among all of them
	for i := range 2 * mostAnchors {
		fmt.Fprintf(&anchors, "a%d: &a%d b\n", i, i)
	}
	if plainYAML([]byte(anchors.String())) {
		t.Error("any number of anchors is remembered")
	}
}
