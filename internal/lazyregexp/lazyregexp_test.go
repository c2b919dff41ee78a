package lazyregexp

import (
	"sync"
	"testing"
)

// TestNewCompilesInTests holds that a table with an expression that is not
// valid fails its package's tests.
func TestNewCompilesInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	New(`(`)
}

// TestCompiledOnce asks an expression that waits from many sides at once.
func TestCompiledOnce(t *testing.T) {
	r := &Regexp{expr: `^a(b+)`}
	var asked sync.WaitGroup
	for range 8 {
		asked.Go(func() {
			if got := r.FindStringSubmatch("abb"); len(got) != 2 || got[1] != "bb" {
				t.Errorf("got %q", got)
			}
		})
	}
	asked.Wait()
	if first := r.Get(); r.expr != `^a(b+)` || r.Get() != first {
		t.Error("compiled twice, or another expression")
	}
}
