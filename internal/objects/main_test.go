package objects

import (
	"os"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/memtest"
)

// TestMain keeps what the tests write in memory.
func TestMain(m *testing.M) { os.Exit(memtest.Run(m)) }
