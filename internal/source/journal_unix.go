//go:build unix

package source

import (
	"os"
	"syscall"
)

// tryLock takes an exclusive lock on an open file or fails at once.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
