//go:build e2e

package release

// killStride is the distance of the points at which TestKilledEverywhere kills; make
// kill-sweep kills at all of them.
const killStride = 7
