// Package mirrors finds the bare repositories of public projects that tests compare with.
package mirrors

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A Folder has the repositories OWNER+NAME/repo.
type Folder struct{ Root string }

// Of is the folder that CFCTL_MIRRORS names; without it the test is skipped.
func Of(t *testing.T) *Folder {
	t.Helper()
	root := os.Getenv("CFCTL_MIRRORS")
	if root == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "safe.directory")
	t.Setenv("GIT_CONFIG_VALUE_0", "*")
	return &Folder{root}
}

// Repository is the folder of OWNER/NAME.
func (m *Folder) Repository(slug string) string {
	return filepath.Join(m.Root, strings.ReplaceAll(slug, "/", "+"), "repo")
}
