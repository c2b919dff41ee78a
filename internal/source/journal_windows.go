package source

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes an exclusive lock on an open file or fails at once. The locked
// byte lies far behind the content, which others may read.
func tryLock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{OffsetHigh: 1})
}

// keepOwner has nothing to do: a new file inherits from its directory.
func keepOwner(*os.File, fs.FileInfo) {}
