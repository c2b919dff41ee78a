package migrate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What is left is acknowledged by a comment where one changes nothing, else in
// the configuration; then it is left no more.
func TestKeepRest(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	for _, tt := range []struct {
		name, in, want string
		keep           string // what goes to the configuration
	}{
		{"a.yaml", "a: 'old\\.example\\.com'\n", "a: 'old\\.example\\.com' # cfctl:keep ours\n", ""},
		{"b.yaml", "a: 'old\\.example\\.com' # a note\n", "", `old\.example\.com`},
		{"c.yaml", "a: |\n  old\\.example\\.com\n", "", `old\.example\.com`},
		{"d.go", "package a\n\nvar x = \"old\\\\.example\\\\.com\"\n", "package a\n\nvar x = \"old\\\\.example\\\\.com\" // cfctl:keep ours\n", ""},
		{"e.go", "package a\n\nvar x = `\nold\\.example\\.com\n`\n", "", `old\.example\.com`},
		{"f.go", "package a\n\n// +kubebuilder:rbac:groups=split.example.com,resources=apples;berries,verbs=get\n\nvar x int\n",
			"package a\n\n// cfctl:keep ours\n// +kubebuilder:rbac:groups=split.example.com,resources=apples;berries,verbs=get\n\nvar x int\n", ""},
		{"g.py", "x = r'old\\.example\\.com'\n", "", `old\.example\.com`},
		{"i.sh", "grep 'old\\.example\\.com' f\n", "", `old\.example\.com`},
		{"l.txt", "match old\\.example\\.com here\n", "", `old\.example\.com`},
		{"m[1].txt", "match old\\.example\\.com here\n", "", `old\.example\.com`},
		{"n.yaml", "apiVersion: old.example.com/v1\nkind: Thing\n", "apiVersion: old.example.com/v1 # cfctl:keep ours\nkind: Thing\n", ""},
	} {
		tree := one{name: tt.name, data: []byte(tt.in)}
		p := m.One(tt.name, tree.data)
		r, err := m.KeepRest(p, tree, "ours")
		if err != nil {
			t.Fatal(err)
		}
		after, want := tree.data, tt.want
		for _, c := range r.Changes {
			if after, err = source.Apply(after, c.Edits); err != nil {
				t.Fatal(err)
			}
		}
		if want == "" {
			want = tt.in
		}
		var kept []string
		for _, k := range r.Keep {
			kept = append(kept, k.Value)
		}
		if string(after) != want || strings.Join(kept, " ") != tt.keep || r.Places != p.Count(NeedsReview)+p.Count(Change) {
			t.Errorf("%s: %d places, the configuration keeps %q, the file is\n%s", tt.name, r.Places, kept, after)
		}
		again := parsedMigration(t, fuzzRules, false)
		again.opts.Keep = r.Keep
		if left := again.One(tt.name, after); left.Count(NeedsReview)+left.Count(Change) > 0 {
			t.Errorf("%s: still left", tt.name)
		}
	}
}

// A file that is no longer what was planned is not written to; one that could
// not be read is acknowledged as a whole.
func TestKeepRestOfOthers(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	p := m.One("a.yaml", []byte("a: 'old\\.example\\.com'\n"))
	if _, err := m.KeepRest(p, one{name: "a.yaml", data: []byte("b: 1\n")}, "ours"); err == nil {
		t.Error("the file has changed")
	}
	broken := []byte("a: old.example.com/v1\n\tb: [\n")
	r, err := m.KeepRest(m.One("b.yaml", broken), one{name: "b.yaml", data: broken}, "ours")
	if err != nil || fmt.Sprint(r.Keep) != "[{/b.yaml  ours}]" {
		t.Errorf("%v, %v", r, err)
	}
}
