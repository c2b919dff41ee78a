//go:build !unix

package git

import "os/exec"

// killGroup leaves it at the end of git itself where there are no groups.
func killGroup(*exec.Cmd) {}
