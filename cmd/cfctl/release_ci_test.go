package main

import "testing"

// In a CI job, whose machine is gone after it, the journal is on a ref and
// waiting is no failure; what a user says goes before that.
func TestCIJobsAreRecognised(t *testing.T) {
	for _, c := range []struct {
		env          map[string]string
		state, asked string
		want, failOn string
	}{
		{nil, "auto", "auto", "file", "waiting"},
		{map[string]string{"CI": ""}, "auto", "auto", "file", "waiting"},
		{map[string]string{"CI": "false"}, "auto", "auto", "file", "waiting"},
		{map[string]string{"CI": "true"}, "auto", "auto", "git", "stopped"},
		{map[string]string{"GITHUB_ACTIONS": "true"}, "auto", "auto", "git", "stopped"},
		{map[string]string{"GITLAB_CI": "1"}, "auto", "auto", "git", "stopped"},
		{map[string]string{"PROW_JOB_ID": "7"}, "auto", "auto", "git", "stopped"},
		{map[string]string{"CI": "true"}, "file", "waiting", "file", "waiting"},
		{nil, "git", "stopped", "git", "stopped"},
	} {
		term := &terminal{env: c.env}
		o := &trainOptions{state: c.state, failOn: failure(c.asked)}
		o.settle(term)
		if got := o.failOn.of(term); o.state != c.want || string(got) != c.failOn {
			t.Errorf("%v, %s: journal %s, fails on %s, want %s and %s", c.env, c.state, o.state, got, c.want, c.failOn)
		}
	}
}
