package train

import (
	"os"
	"testing"
)

// TestMain keeps the journals of the tests in memory where there is room: each
// of their records is synced.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("/dev/shm", "cfctl-test-")
	if err == nil && os.Getenv("TMPDIR") == "" {
		err = os.Setenv("TMPDIR", dir)
	}
	code := m.Run()
	if err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}
