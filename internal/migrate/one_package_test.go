package migrate

import (
	"strings"
	"testing"
)

// A second package of one version of a group is told with the kind that both have, or that
// nothing tells their kinds; it moves where these are all others.
func TestSecondPackagesSayTheirKinds(t *testing.T) {
	m := parsedMigration(t, "name: x\nrules: [{id: a, from: {group: a.example.dev}, to: {group: b.example.dev}}]\n", false)
	pkg := func(group string) string { return "// +groupName=" + group + "\npackage v1\n" }
	object := func(group, kind string) string { return "apiVersion: " + group + "/v1\nkind: " + kind + "\n" }
	for _, tt := range []struct {
		name, a, b string
		why        string // "" = it moves
	}{
		{"a kind of both", object("a.example.dev", "Plum"), object("b.example.dev", "Plum"), "the package two/v1 is b.example.dev/v1 then, which has Plum as well"},
		{"other kinds", object("a.example.dev", "Plum"), object("b.example.dev", "Pear"), ""},
		{"no kinds", object("a.example.dev", "Plum"), "", "the package two/v1 is b.example.dev/v1 then, and nothing tells that they have no kind in common"},
	} {
		p, err := m.planFS(t.Context(), mapOf(memory{"one/v1/doc.go": pkg("a.example.dev"), "two/v1/doc.go": pkg("b.example.dev"), "a.yaml": tt.a, "b.yaml": tt.b}))
		if err != nil {
			t.Fatal(err)
		}
		var why []string
		for _, f := range p.Files {
			for _, s := range f.Sites {
				if s.Action() == Person {
					why = append(why, f.Path+": "+s.Why)
				}
			}
		}
		want := ""
		if tt.why != "" {
			want = "one/v1/doc.go: " + tt.why
		}
		if got := strings.Join(why, "\n"); got != want {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
	}
}
