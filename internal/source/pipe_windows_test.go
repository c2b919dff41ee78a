package source

import "testing"

func makePipe(t *testing.T, _ string) { t.Helper() }
