package release

import (
	"os"
	"strings"
	"testing"
)

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
