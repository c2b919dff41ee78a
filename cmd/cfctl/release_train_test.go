package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/source"
)

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
