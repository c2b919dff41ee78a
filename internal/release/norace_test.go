//go:build !race

package release

import "testing"

// oneAfterTheOther lets a test run, as there is no race detector.
func oneAfterTheOther(*testing.T) {}
