//go:build race

package release

import (
	"strings"
	"testing"
)

// oneAfterTheOther says that a test walks through many cases one after the other:
// the race detector makes it four times slower and finds in it what it finds in
// the tests of trains. `make test` runs those that begin with TestEvery without the
// detector, where nothing is skipped.
func oneAfterTheOther(t *testing.T) {
	t.Helper()
	if !strings.HasPrefix(t.Name(), "TestEvery") {
		t.Fatal("nothing runs this test without the race detector")
	}
	t.Skip("one after the other: run without the race detector")
}
