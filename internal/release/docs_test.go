package release

import (
	"os"
	"strings"
	"testing"
)

// TestImageRulesAreDocumented wants every rule in the table of docs/release.md.
func TestImageRulesAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/release.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range ImageRules {
		if row := "| `" + r.ID + "` | " + r.Severity.String() + " | " + r.Doc + " |\n"; !strings.Contains(string(data), row) {
			t.Errorf("docs/release.md lacks the row\n%s", row)
		}
	}
}
