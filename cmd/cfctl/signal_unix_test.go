//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startReader starts a command that changes nothing and waits for input that
// never comes.
func startReader(t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: []string{"cfctl", "migrate", "--stdin-name", "x.yaml"}, Dir: t.TempDir(), Env: append(os.Environ(), "LC_ALL=C")}
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

// TestOneSignalEndsAReader: what changes nothing ends after one signal, even
// where it computes or waits and looks at no context.
func TestOneSignalEndsAReader(t *testing.T) {
	cmd := startReader(t)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitTrouble {
		t.Errorf("ended with %v", err)
	}
}

// TestReaders holds the table to the commands and flags that there are.
func TestReaders(t *testing.T) {
	root := newRoot(newTerminal(nil, strings.NewReader(""), io.Discard, io.Discard))
	for path, writing := range readers {
		cmd, rest, err := root.Find(strings.Fields(path)[1:])
		if err != nil || len(rest) > 0 || !cmd.Runnable() {
			t.Errorf("%s: no command", path)
			continue
		}
		if !readsOnly(cmd) {
			t.Errorf("%s: without a flag it writes", path)
		}
		for _, name := range writing {
			if f := cmd.Flags().Lookup(name); f == nil || cmd.Flags().Set(name, map[bool]string{true: "true", false: "x"}[f.Value.Type() == "bool"]) != nil {
				t.Errorf("%s: no flag --%s", path, name)
			} else if readsOnly(cmd) {
				t.Errorf("%s --%s writes", path, name)
			}
		}
		for _, name := range []string{"write", "fix", "out", "promote", "run", "to", "pr", "push", "edit", "update"} {
			if cmd.Flags().Lookup(name) != nil && !slices.Contains(writing, name) {
				t.Errorf("%s --%s may write", path, name)
			}
		}
	}
}

// after is a short while, in which a signal arrives.
func after() <-chan time.Time { return time.After(20 * time.Millisecond) }
