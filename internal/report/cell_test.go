package report

import "testing"

// A cell mentions nobody: reports become comments and issues.
func TestCellMentionsNobody(t *testing.T) {
	if got := Cell("ping @octocat, a|b"); got != "ping `@octocat`, a\\|b" {
		t.Errorf("got %q", got)
	}
}
