package release

import (
	"os"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/memtest"
)

// gitConfig is git's configuration in all tests: what is fetched is kept in packs,
// which are few files to copy; no one tidies up behind a push or a fetch, and
// nothing outlives the power.
const gitConfig = `[fetch]
	unpackLimit = 1
[gc]
	auto = 0
[maintenance]
	auto = false
[receive]
	autogc = false
[core]
	fsync = none
[pack]
	threads = 1
`

// TestMain makes git the same on every machine, and takes away what the tests
// have in common.
func TestMain(m *testing.M) {
	env := map[string]string{"GIT_CONFIG_NOSYSTEM": "1"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env["GIT_"+who+"_NAME"], env["GIT_"+who+"_EMAIL"], env["GIT_"+who+"_DATE"] = "Rita Releaser", "rita@example.com", "2026-03-02T10:00:00Z"
	}
	config, err := os.CreateTemp("", "cfctl-gitconfig-")
	if err == nil {
		_, err = config.WriteString(gitConfig)
	}
	if err != nil || config.Close() != nil {
		panic(err)
	}
	env["GIT_CONFIG_GLOBAL"] = config.Name()
	for name, value := range env {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := memtest.Run(m)
	_ = os.Remove(config.Name())
	if seeds.dir != "" {
		_ = os.RemoveAll(seeds.dir)
		_ = os.RemoveAll(seeds.dir + "-cache")
	}
	os.Exit(code)
}
