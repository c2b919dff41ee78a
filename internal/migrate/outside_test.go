package migrate

import (
	"strings"
	"testing"
)

// A path leads to a renamed file from the folder of its own file, or from one
// above it; a name alone is that of any file.
func TestPlacesOfRenamedFiles(t *testing.T) {
	const old, fresh = "old.example.com_things.yaml", "new.example.org_things.yaml"
	r := renamed{}
	r.add("config/crd/"+old, fresh)
	r.add("other/"+old, "another.yaml")
	for _, tt := range []struct{ name, text, want string }{
		{"config/crd/kustomization.yaml", "- " + old + "\n", fresh},
		{"config/kustomization.yaml", "- crd/" + old + "\n", fresh},
		{"config/rbac/kustomization.yaml", "- ../crd/" + old + "\n", fresh},
		{"config/kustomization.yaml", "- " + old + "\n", ""},
		{"Makefile", "\tkubectl apply -f config/crd/" + old + " -f other/" + old + "\n", fresh + " another.yaml"},
		{"hack/a.sh", "kubectl apply -f config/crd/" + old + "\n", fresh},
		{"hack/a.sh", "cat config/crd/" + old + "s\n", ""},
		{"docs/a.md", "See " + old + ".\n", ""},
	} {
		var got []string
		for _, s := range r.places(tt.name, []byte(tt.text)) {
			if s.Action() != NeedsReview || s.ID() != "outside" || tt.text[s.Start:s.End] != old || s.Pos.Line != 1 {
				t.Errorf("%+v", s)
			}
			got = append(got, s.New)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
