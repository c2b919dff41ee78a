//go:build !race

package migrate

import "testing"

// OneGoroutine lets a test run, as there is no race detector.
func OneGoroutine(testing.TB) {}
