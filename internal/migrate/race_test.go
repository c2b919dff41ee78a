//go:build race

package migrate

import "testing"

// OneGoroutine says that a test does much work in one goroutine: the race
// detector makes it ten times slower and finds nothing in it. `make test` runs
// this package without the detector as well, where nothing is skipped.
func OneGoroutine(t testing.TB) {
	t.Helper()
	t.Skip("one goroutine: run without the race detector")
}
