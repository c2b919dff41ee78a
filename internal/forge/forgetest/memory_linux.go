package forgetest

import (
	"os"
	"syscall"
)

// MemoryDir makes a folder in memory for the worlds of the tests, which consist
// of many small files; "" where there is no place for it.
func MemoryDir() string {
	const place, room = "/dev/shm", 1 << 30
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(place, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	dir, _ := os.MkdirTemp(place, "cfctl-test-")
	return dir
}
