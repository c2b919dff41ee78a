//go:build unix

package config

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestRulesetOfATreeIsNoPipe holds a tree to files that end.
func TestRulesetOfATreeIsNoPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "rules.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	tr := &Trust{trees: []string{dir}}
	if tr.beside("rules.yaml") {
		t.Error("a named pipe is taken for a ruleset")
	}
	if !tr.beside("later.yaml") {
		t.Error("a file that is not there yet is refused, before it can be missed by name")
	}
}
