package report

import "testing"

// A cell mentions no user: reports become comments and issues.
func TestCellMentionsNoUser(t *testing.T) {
	if got := Cell("ping @octocat, a|b"); got != "ping `@octocat`, a\\|b" {
		t.Errorf("got %q", got)
	}
}
