package train

import (
	"os"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/memtest"
)

// TestMain keeps the journals of the tests in memory: each of their records is
// synced.
func TestMain(m *testing.M) { os.Exit(memtest.Run(m)) }
