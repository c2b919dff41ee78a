//go:build race

package release

// underRace says whether the race detector watches.
const underRace = true
