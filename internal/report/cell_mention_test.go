package report

import "testing"

// A cell mentions nobody: reports become comments and issues.
func TestCellMentionsNobody(t *testing.T) {
	if got := Cell("ping @octocat"); got != "ping @\u200boctocat" {
		t.Errorf("got %q", got)
	}
}
