// Package racetest says which tests the race detector is not for.
package racetest

import "testing"

// OneGoroutine says that a test does much work in one goroutine, or what others do
// with the same goroutines: the race detector makes it several times slower and
// finds nothing new in it. `make test` runs its package without the detector as
// well, where nothing is skipped.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if On {
		t.Skip("run without the race detector")
	}
}
