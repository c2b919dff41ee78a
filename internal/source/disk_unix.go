//go:build unix

package source

import (
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps an open of a named pipe from waiting for a writer.
const openNonblock = syscall.O_NONBLOCK

// keepOwner gives a new file the owner and group of like. A user who may not
// keeps the file: what can be read and written by whom is said by the mode.
func keepOwner(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
