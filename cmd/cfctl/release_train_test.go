package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/source"
)

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
		s := &session{version: "v1.2.0", options: &c.o, view: &view{term: &terminal{trustConfig: c.trust}}}
		if got := s.again(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// What a text says to type finds the release that the command was told of.
func TestCommandsInTextsCarryWhatWasGiven(t *testing.T) {
	o := &trainOptions{target: target{dir: "../a tree"}, state: "git"}
	got := o.carry(&terminal{}, "cfctl release approve v1.0.0 tag:fan (or cfctl release run v1.0.0); cfctl matrix check")
	if want := "cfctl release approve --repo '../a tree' --state git v1.0.0 tag:fan (or cfctl release run --repo '../a tree' --state git v1.0.0); cfctl matrix check"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if text := "cfctl release run v1.0.0"; (&trainOptions{target: target{dir: "."}, state: "file"}).carry(&terminal{}, text) != text {
		t.Error("flags that nobody gave")
	}
}

// A step that broke says what helps: another token for the forge that refuses it, the
// credentials of the registry that does, and else the next run.
func TestTroubleHasARemedy(t *testing.T) {
	for says, err := range map[string]error{
		"set GITHUB_TOKEN":        &forge.Error{Op: "GET /user", Status: 401, Text: "Bad credentials"},
		"podman login reg\nthen ": &source.Error{Err: errors.New("reg/app answers 401"), Hint: "podman login reg"},
		"goes on from here":       errors.New("reg/app:v1.0.0 is sha256:4401"),
		"NEXT goes on from here":  &forge.Error{Op: "GET /user", Status: 502, Text: "Bad Gateway"},
		"token that may push":     errors.New("fatal: Authentication failed for 'https://forge.invalid/'"),
		"GITEA_TOKEN, to a token": errors.New("fatal: could not read Username"),
	} {
		if got := troubleHint(fmt.Errorf("tag:fan: %w", err), "NEXT"); !strings.Contains(got, says) {
			t.Errorf("%v: %q, want %q", err, got, says)
		}
	}
}
