package main

import "testing"

func TestMemoryLimit(t *testing.T) {
	for container, want := range map[string]uint64{"": 4 << 30, "max\n": 4 << 30, "2147483648\n": 1 << 30, "68719476736\n": 4 << 30} {
		if got := memoryLimit(container); got != want {
			t.Errorf("%q: %d", container, got)
		}
	}
}
