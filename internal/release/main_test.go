package release

import (
	"os"
	"testing"
)

// TestMain makes git the same on every machine, and takes away what the tests
// have in common.
func TestMain(m *testing.M) {
	env := map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"}
	// What is fetched is kept in packs: few files to copy.
	env["GIT_CONFIG_COUNT"], env["GIT_CONFIG_KEY_0"], env["GIT_CONFIG_VALUE_0"] = "1", "fetch.unpackLimit", "1"
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env["GIT_"+who+"_NAME"], env["GIT_"+who+"_EMAIL"], env["GIT_"+who+"_DATE"] = "Rita Releaser", "rita@example.com", "2026-03-02T10:00:00Z"
	}
	memory := memoryDir()
	if memory != "" {
		env["TMPDIR"] = memory
	}
	for name, value := range env {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if seeds.dir != "" {
		_ = os.RemoveAll(seeds.dir)
		_ = os.RemoveAll(seeds.dir + "-cache")
	}
	if memory != "" {
		_ = os.RemoveAll(memory)
	}
	os.Exit(code)
}
