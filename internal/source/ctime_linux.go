package source

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when a file's content or attributes last changed; nobody can
// set it. False where the system does not tell.
func changeTime(info fs.FileInfo) (time.Time, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(st.Ctim.Unix()), true
}
