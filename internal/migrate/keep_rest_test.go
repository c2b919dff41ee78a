package migrate

import (
	"strings"
	"testing"
)

// What remains is acknowledged in the configuration, and then not reported any more. A file that
// could not be read is acknowledged as a whole.
func TestKeepRest(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	for _, tt := range []struct{ name, in, keep string }{
		{"a.yaml", "a: 'old\\.example\\.com'\n", `old\.example\.com`},
		{"d.go", "package a\n\nvar x = \"old\\\\.example\\\\.com\"\n", `old\.example\.com`},
		{"f.go", "package a\n\n// +kubebuilder:rbac:groups=split.example.com,resources=apples;berries,verbs=get\n\nvar x int\n", "split.example.com"},
		{"m[1].txt", "match old\\.example\\.com here\n", `old\.example\.com`},
		{"n.yaml", "apiVersion: old.example.com/v1\nkind: Thing\n", "old.example.com/v1"},
		{"b.yaml", "a: old.example.com/v1\n\tb: [\n", ""},
	} {
		p := m.One(tt.name, []byte(tt.in))
		keep, places := p.KeepRest("ours")
		var kept []string
		for _, k := range keep {
			kept = append(kept, k.Value)
		}
		if len(keep) == 0 || strings.Join(kept, " ") != tt.keep || places < len(keep) {
			t.Errorf("%s: %d places, the configuration keeps %q", tt.name, places, kept)
		}
		again := parsedMigration(t, fuzzRules, false)
		again = keeping(t, again, keep)
		if left := again.One(tt.name, []byte(tt.in)); tt.keep != "" && left.Count(NeedsReview)+left.Count(Change) > 0 {
			t.Errorf("%s: still left", tt.name)
		}
	}
}

// keeping is a migration with a configuration that keeps something.
func keeping(t *testing.T, m *Migration, keep []Keep) *Migration {
	t.Helper()
	opts := m.opts
	opts.Keep = keep
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
