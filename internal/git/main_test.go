package git_test

import (
	"os"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/memtest"
)

// TestMain keeps the repositories and stores of the tests in memory, and gives git an
// identity: a new machine has none.
func TestMain(m *testing.M) {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		_ = os.Setenv("GIT_"+who+"_NAME", "t")
		_ = os.Setenv("GIT_"+who+"_EMAIL", "t@example.com")
	}
	os.Exit(memtest.Run(m))
}
