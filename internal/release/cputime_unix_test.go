//go:build unix

package release

import (
	"syscall"
	"time"
)

// cpuTime is the time that this process and its ended children have computed:
// what a thing takes on a core of its own, however busy the machine is.
func cpuTime(time.Time) time.Duration {
	var all time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			panic(err)
		}
		all += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return all
}
