package registry_test

import (
	"os"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/memtest"
)

// TestMain keeps the repositories and stores of the tests in memory.
func TestMain(m *testing.M) { os.Exit(memtest.Run(m)) }
