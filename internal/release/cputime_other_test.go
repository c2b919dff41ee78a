//go:build !unix

package release

import "time"

// cpuTime is the time since began, where processes do not tell.
func cpuTime(began time.Time) time.Duration { return time.Since(began) }
