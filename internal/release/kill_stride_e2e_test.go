//go:build e2e

package release

// killStride: the end-to-end run kills at every point.
const killStride = 1
