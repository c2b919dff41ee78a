package memtest

import (
	"os"
	"syscall"
)

// folder makes a folder in memory; "" where there is no place for it.
func folder() string {
	const place, room = "/dev/shm", 1 << 30
	var fs syscall.Statfs_t
	if syscall.Statfs(place, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	dir, _ := os.MkdirTemp(place, "cfctl-test-")
	return dir
}
