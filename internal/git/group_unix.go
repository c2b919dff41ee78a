//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// killGroup makes the end of the context end git's own children too
// (git-remote-https, ssh), which would go on waiting for the remote.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
