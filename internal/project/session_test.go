package project

import "testing"

// The next command finds the same release as the one before it: where it is,
// with which versions, and copied into a shell it is one command.
func TestNextCommandIsWhole(t *testing.T) {
	for _, c := range []struct {
		o     Options
		trust bool
		want  string
	}{
		{Options{Target: Target{Dir: "."}, State: "file"}, false, "cfctl release run v1.2.0"},
		{Options{Target: Target{Dir: "my op"}, State: "git", Pins: []string{"lib=v0.4.0", "ui=v1.0.0"}}, true,
			"cfctl release run v1.2.0 --repo 'my op' --component lib=v0.4.0 --component ui=v1.0.0 --state git --trust-config"},
	} {
		s := &Session{Version: "v1.2.0", Options: &c.o, View: &View{User: &User{TrustConfig: c.trust}}}
		if got := s.Again(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// What a text says to type finds the release that the command was told of.
func TestCommandsInTextsCarryWhatWasGiven(t *testing.T) {
	o := &Options{Target: Target{Dir: "../a tree"}, State: "git"}
	got := o.Carry(&User{}, "cfctl release approve v1.0.0 tag:fan (or cfctl release run v1.0.0); cfctl matrix check")
	if want := "cfctl release approve --repo '../a tree' --state git v1.0.0 tag:fan (or cfctl release run --repo '../a tree' --state git v1.0.0); cfctl matrix check"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if text := "cfctl release run v1.0.0"; (&Options{Target: Target{Dir: "."}, State: "file"}).Carry(&User{}, text) != text {
		t.Error("flags that nobody gave")
	}
}

// In a CI job, whose machine is gone after it, the journal is on a ref; what a user says
// goes before that.
func TestJournalsOfCIJobs(t *testing.T) {
	for _, c := range []struct {
		env         map[string]string
		asked, want string
	}{
		{nil, "auto", "file"},
		{map[string]string{"CI": ""}, "auto", "file"},
		{map[string]string{"CI": "false"}, "auto", "file"},
		{map[string]string{"CI": "true"}, "auto", "git"},
		{map[string]string{"PROW_JOB_ID": "7"}, "auto", "git"},
		{map[string]string{"CI": "true"}, "file", "file"},
		{nil, "git", "git"},
	} {
		o := &Options{State: c.asked}
		if o.settle(&User{Env: c.env}); o.State != c.want {
			t.Errorf("%v, %s: journal %s, want %s", c.env, c.asked, o.State, c.want)
		}
	}
}
