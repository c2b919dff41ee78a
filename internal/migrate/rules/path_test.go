package rules

import (
	"strings"
	"testing"
)

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
}
