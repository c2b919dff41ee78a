package main

import "testing"

// The next command finds the same release as the one before it: where it is,
// with which versions, and copied into a shell it is one command.
func TestNextCommandIsWhole(t *testing.T) {
	for _, c := range []struct {
		o     trainOptions
		trust bool
		want  string
	}{
		{trainOptions{target: target{dir: "."}, state: "file"}, false, "cfctl release run v1.2.0"},
		{trainOptions{target: target{dir: "my op"}, state: "git", pins: []string{"lib=v0.4.0", "ui=v1.0.0"}}, true,
			"cfctl release run v1.2.0 --repo 'my op' --component lib=v0.4.0 --component ui=v1.0.0 --state git --trust-config"},
	} {
		s := &station{version: "v1.2.0", options: &c.o, view: &view{term: &terminal{trustConfig: c.trust}}}
		if got := s.again(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
