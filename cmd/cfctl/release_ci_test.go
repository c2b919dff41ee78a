package main

import (
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/project"
)

// In a CI job waiting is no failure; what a user says goes before that.
func TestCIJobsAreRecognised(t *testing.T) {
	for _, c := range []struct {
		env           map[string]string
		asked, failOn string
	}{
		{nil, "auto", "waiting"},
		{map[string]string{"CI": ""}, "auto", "waiting"},
		{map[string]string{"CI": "false"}, "auto", "waiting"},
		{map[string]string{"CI": "true"}, "auto", "stopped"},
		{map[string]string{"GITHUB_ACTIONS": "true"}, "auto", "stopped"},
		{map[string]string{"GITLAB_CI": "1"}, "auto", "stopped"},
		{map[string]string{"PROW_JOB_ID": "7"}, "auto", "stopped"},
		{map[string]string{"CI": "true"}, "waiting", "waiting"},
		{nil, "stopped", "stopped"},
	} {
		term := &terminal{User: project.User{Env: c.env}}
		if got := failure(c.asked).of(term); string(got) != c.failOn {
			t.Errorf("%v, %s: fails on %s, want %s", c.env, c.asked, got, c.failOn)
		}
	}
}

// TestOverdue: a wait that began in the future, by a clock that was wrong, is reminded of.
func TestOverdue(t *testing.T) {
	for waited, want := range map[time.Duration]bool{time.Hour: false, 24 * time.Hour: true, -time.Minute: false, -24 * time.Hour: true} {
		if got := overdue(waited, 24*time.Hour); got != want {
			t.Errorf("%s: %t", waited, got)
		}
	}
}
