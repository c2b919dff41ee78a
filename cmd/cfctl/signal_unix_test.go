//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// graceVariable shortens the time that a command of a test has after a signal.
const graceVariable = "CFCTL_TEST_GRACE"

func init() {
	if d, err := time.ParseDuration(os.Getenv(graceVariable)); err == nil {
		grace = d
	}
}

// startReader starts a command that changes nothing and waits for input that
// never comes.
func startReader(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: []string{"cfctl", "migrate", "--stdin-name", "x.yaml"}, Dir: t.TempDir(), Env: append(append(os.Environ(), "LC_ALL=C"), env...)}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write(make([]byte, 1<<20)); err != nil { // more than a pipe holds: it reads, and so listens
		t.Fatal(err)
	}
	return cmd
}

// TestSecondSignalEnds: the first signal asks the command to end, the second
// ends the process wherever it is; here it waits for input that never comes.
func TestSecondSignalEnds(t *testing.T) {
	cmd := startReader(t)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// Signals that come together count once: it is sent until the process has
	// ended, which without the rule it never does.
	for range 100 {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "terminated") {
				t.Errorf("ended with %v", err)
			}
			return
		case <-t.Context().Done():
		case <-after():
		}
	}
	_ = cmd.Process.Kill()
	t.Error("a hundred signals did not end it")
}

// TestOneSignalEnds: a command that does not end by itself ends a while after one signal.
func TestOneSignalEnds(t *testing.T) {
	for _, one := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		cmd := startReader(t, graceVariable+"=200ms")
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		_ = cmd.Process.Signal(one)
		select {
		case <-ended:
			if cmd.ProcessState.ExitCode() != exitTrouble {
				t.Errorf("%s: exit code %d", one, cmd.ProcessState.ExitCode())
			}
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			t.Errorf("%s did not end it", one)
		}
	}
}

// TestIgnoredSignal: what nohup starts goes on when its terminal is gone.
func TestIgnoredSignal(t *testing.T) {
	if !slices.Contains(ending(), os.Signal(syscall.SIGHUP)) {
		t.Error("a terminal that is gone does not end a command")
	}
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	if slices.Contains(ending(), os.Signal(syscall.SIGHUP)) {
		t.Error("a terminal that is gone ends a command that nohup started")
	}
}

// after is a short while, in which a signal arrives.
func after() <-chan time.Time { return time.After(20 * time.Millisecond) }
