package release

import (
	"os"
	"testing"
)

// TestMain makes git the same on every machine, and takes away what the tests
// have in common.
func TestMain(m *testing.M) {
	env := map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env["GIT_"+who+"_NAME"], env["GIT_"+who+"_EMAIL"], env["GIT_"+who+"_DATE"] = "Rita Releaser", "rita@example.com", "2026-03-02T10:00:00Z"
	}
	for name, value := range env {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if seeds.dir != "" {
		_ = os.RemoveAll(seeds.dir)
	}
	os.Exit(code)
}
