//go:build unix

package objects

import (
	"os"
	"syscall"
)

// lock keeps a second process from writing the ledger; the kernel lets go of
// it when the process ends, however it does.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
