//go:build !race

package racetest

// On says whether the race detector watches.
const On = false
