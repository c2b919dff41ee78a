package release

import (
	"os"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/registry"
)

// TestImageRulesAreDocumented wants every rule in the table of docs/release.md.
func TestImageRulesAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/release.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range registry.Rules {
		if row := "| `" + r.ID + "` | " + r.Severity.String() + " | " + r.Doc + " |\n"; !strings.Contains(string(data), row) {
			t.Errorf("docs/release.md lacks the row\n%s", row)
		}
	}
}

// TestPreflightRulesAreDocumented wants every rule of the preflight and of
// verify named in docs/release.md.
func TestPreflightRulesAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/release.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(Rules(), VerifyRules()...) {
		if !strings.Contains(string(data), "`"+r.ID+"`") {
			t.Errorf("docs/release.md does not name %s", r.ID)
		}
	}
}
