package edit

import "testing"

// The reason of a suppression ends with its comment.
func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		" it stays": "it stays", " ts */ const x = 1": "ts", " md -->": "md", " helm */}}": "helm", "": "", " a-b": "a-b",
	} {
		if got := reason(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
