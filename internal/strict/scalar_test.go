package strict

import (
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestScalarReadsBack spells texts that YAML would read as something else, in
// both styles, and reads them back; what is no UTF-8 cannot be said in YAML.
func TestScalarReadsBack(t *testing.T) {
	for _, text := range []string{"", "lib", "a b", "b ", " c", "null", "Null", "~", "true", "No", "on", "y", "1.10", "0x1", "1e3", "2026-01-02",
		"a: b", "a:", "a #b", "#", "-", "- x", "x, y", "{a}", "[a]", "*a", "&a", "!a", "%a", "@a", "`a", "'a'", `"a"`, `a\b`, "a|b", ">", "?", "=", "<<",
		"https://x.y/z", "line\nbreak", "tab\t", "bell\a", "\x7f", "\u0085", "\u2028", "\ufeff", "\U000e0001", "\xff", "a\xe9.yaml", "größe", "船", "😀", "..", ".inf", ".nan"} {
		for _, style := range []string{"v: ", "{v: ", "[{a: b, v: "} {
			end := map[byte]string{'v': "\n", '{': "}\n", '[': "}]\n"}[style[0]]
			for _, spelt := range []string{Scalar(text), Quoted(text)} {
				var got any
				if err := yaml.Unmarshal([]byte(style+spelt+end), &got); err != nil {
					t.Errorf("%q as %s: %v", text, spelt, err)
					continue
				}
				if list, ok := got.([]any); ok {
					got = list[0]
				}
				if m, _ := got.(map[string]any); m["v"] != strings.ToValidUTF8(text, "\ufffd") {
					t.Errorf("%q as %s is read as %#v", text, style+spelt, m["v"])
				}
			}
		}
	}
}
