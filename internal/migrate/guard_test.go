package migrate

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// TestGuardNear finds the group of a kind wherever the two stand, and only
// that of the same object.
func TestGuardNear(t *testing.T) {
	set, err := BuiltinRuleset("codeflare-groups")
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, file, want string }{
		{"lines", "a.yaml:apiVersion: codeflare.dev/v1beta1\nkind: AppWrapper\n", "codeflare.dev"},
		{"below", "a.yaml:kind: AppWrapper\nmetadata:\napiVersion: codeflare.dev/v1beta1\n", "codeflare.dev"},
		{"one line", `a.json:{"apiVersion":"codeflare.dev/v1beta1","kind":"AppWrapper"}`, "codeflare.dev"},
		{"each object of a line", `a.json:[{"kind":"Job","apiVersion":"batch/v1"},{"kind":"AppWrapper","apiVersion":"codeflare.dev/v1beta1"}]`, "codeflare.dev"},
		{"not another object's", `a.json:[{"kind":"AppWrapper"},{"apiVersion":"batch/v1","kind":"Job"}]`, ""},
		{"a longer name", "a.yaml:apiVersion: codeflare.dev/v1\nkind: AppWrapperList\n", ""},
		{"where it belongs", "a.yaml:apiVersion: workload.codeflare.dev/v1beta1\nkind: AppWrapper\n", ""},
		{"far away", "a.yaml:apiVersion: codeflare.dev/v1beta1\n#" + strings.Repeat("x", 2000) + "\nkind: AppWrapper\n", "codeflare.dev"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, text, _ := strings.Cut(tt.file, ":")
			got := ""
			if f := fileOf(m, path, []byte(text)); f != nil {
				for _, s := range f.Sites {
					if s.Rule.ID == findingGroup {
						got = s.Old
					}
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
