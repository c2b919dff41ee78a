//go:build !e2e

package release

// killStride is the distance of the points at which TestKilledEverywhere kills.
const killStride = 30
