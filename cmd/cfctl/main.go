// Command cfctl migrates Kubernetes API groups in source trees and keeps,
// checks and releases stacks of components.
//
// This package has flags, configuration, output and exit codes: each command
// parses what the user chose, calls a package under internal/, and shows the
// result. The list of commands is in root.go.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/url"
	"os"
	"os/signal"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

func main() {
	stderr := os.Stderr
	silenceLibraries()
	container, _ := source.ReadFile("/sys/fs/cgroup/memory.max") // of another system: none
	limit := memoryLimit(string(container))
	olm.MaxGrowth = min(olm.MaxGrowth, limit/2) // which ends with what it was building, and not with the process
	go endAt(limit, stderr)
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, stderr))
}

// silenceLibraries leaves standard error to cfctl's own words. Kustomize writes
// its advice about deprecated fields straight to os.Stderr; whoever makes a
// bundle of an old tag cannot follow it. It is done once, before anything runs
// in addition: a crash is written by the runtime, which does not ask this variable.
func silenceLibraries() {
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = null
		log.SetOutput(null) // net/http tells of bytes that a server sends unasked
	}
}

// memoryLimit is how many bytes of objects a run may need: half of what its container may
// have, and at most 4 GiB. What is in a repository, such as constants of Go that double, may
// ask for any amount, and a container that has no more ends with all of its processes. In
// container is what the system says of it: a number, max, or nothing.
// Source: kernel.org, Documentation/admin-guide/cgroup-v2.rst, memory.max and memory.oom.group.
func memoryLimit(container string) uint64 {
	most, err := strconv.ParseUint(strings.TrimSpace(container), 10, 64)
	if err != nil {
		return 4 << 30
	}
	return min(most/2, 4<<30)
}

// endAt ends the process when it needs more memory, before the system does.
func endAt(limit uint64, stderr io.Writer) {
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(50 * time.Millisecond) {
		if metrics.Read(used); used[0].Value.Uint64() > limit {
			report.Fprintf(stderr, "cfctl: it needs more than %d MiB of memory\n", limit>>20)
			os.Exit(exitTrouble)
		}
	}
}

// The exit codes of every command.
const (
	exitDone    = 0 // success
	exitPending = 1 // findings or pending work
	exitTrouble = 2 // the answer is not known: usage, unreadable input, network, interrupted
)

// errPending is returned by a gate that has answered "yes, there is something".
// What there is to say has been printed already.
var errPending = errors.New("pending")

// pendingIf is errPending where there is something.
func pendingIf(something bool) error {
	if something {
		return errPending
	}
	return nil
}

// A hinted error carries the exact next thing to do.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// grace is how long a command may take to end after the first signal. What it writes it
// writes so that it can be ended at any moment. Kubernetes kills a container after 30 s.
var grace = 25 * time.Second

// ending are the signals that end a command. One that the caller ignores, as nohup does, is none.
func ending() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// run is cfctl without the process around it.
func run(args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), ending()...)
	defer stop()
	t := newTerminal(env, stdin, stdout, stderr)
	t.args = args
	ended := make(chan struct{})
	defer close(ended)
	context.AfterFunc(ctx, func() {
		stop() // the second signal ends the process at once
		select {
		case <-ended:
		case <-time.After(grace):
			report.Fprintf(t.err, "cfctl: interrupted, and what it was doing did not end within %v\n", grace)
			os.Exit(exitTrouble)
		}
	})
	root := newRoot(t)
	root.SetArgs(args)
	cmd, err := root, namesOfFiles(args)
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		err = t.noHelp
	}
	if ferr := t.flush(); ferr != nil && (err == nil || errors.Is(err, errPending)) {
		err = ferr // an answer that is not whole is none
	}
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errPending):
		return exitPending
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = hinted{errors.New("interrupted"), hintOf(err)}
	}
	explain(t, err, cmd)
	if decide := (project.Decision{}); errors.As(err, &decide) {
		return exitPending
	}
	return exitTrouble
}

// explain prints an error: a path with its line, or "cfctl:", the cause, then the
// hint.
func explain(t *terminal, err error, cmd *cobra.Command) {
	command := cmd.CommandPath()
	var placed *source.Error
	host, text := unreachable(err)
	if errors.As(err, &placed) && strings.HasPrefix(text, placed.Path) {
		text = report.Visible(placed.Path) + text[len(placed.Path):]
	} else {
		text = "cfctl: " + text
	}
	report.Fprintf(t.err, "%s\n", report.Lines("", t.redact(text)))
	hint := hintOf(err)
	switch {
	case hint == "" && isUsage(err):
		hint = command + " --help"
	case hint == "" && host != "":
		hint = "check the connection to " + host + offlineOf(cmd)
	}
	if hint != "" {
		report.Fprintf(t.err, "hint: %s\n", report.Lines("hint: ", t.redact(hint)))
	}
}

func hintOf(err error) string {
	if h, ok := errors.AsType[hinted](err); ok && h.hint != "" {
		return h.hint
	}
	if placed, ok := errors.AsType[*source.Error](err); ok && placed.Hint != "" {
		return placed.Hint
	}
	var next interface{ Hint() string }
	if errors.As(err, &next) {
		return next.Hint()
	}
	if failed, ok := errors.AsType[*git.CommandError](err); ok && strings.Contains(failed.Stderr, "promisor remote") {
		return "this is a partial clone, and cfctl does not fetch into your repositories: run git fetch --refetch --no-filter"
	}
	return ""
}

// unresolved is what git says about a host that it cannot reach.
var unresolved = lazyregexp.New(`Could not resolve host(?:name)?:? '?([A-Za-z0-9.-]+)|Failed to connect to ([A-Za-z0-9.-]+) port|connect to host ([A-Za-z0-9.-]+) port`)

// unreachable is the host that no connection could be made to, "" for another error, and
// the text of the error: of a connection it has the cause in plain words, and not the
// address and the lookup.
func unreachable(err error) (host, text string) {
	if failed, ok := errors.AsType[*git.CommandError](err); ok {
		if m := unresolved.FindStringSubmatch(failed.Stderr); m != nil {
			return strings.Join(m[1:], ""), err.Error()
		}
	}
	var raw error
	cause := "no connection"
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" && op.Addr != nil {
		raw, host = op, op.Addr.String()
		switch {
		case op.Timeout():
			cause = "it does not answer"
		case strings.Contains(op.Err.Error(), "refused"):
			cause = "it refuses the connection"
		}
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if host = dns.Name; raw == nil {
			raw = dns
		}
		if cause = "its name could not be looked up"; dns.IsNotFound {
			cause = "there is no such host"
		}
	}
	if raw == nil {
		return "", err.Error()
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		raw = asked
		if u, perr := url.Parse(asked.URL); perr == nil && u.Host != "" {
			host = u.Host
		}
	}
	return host, strings.Replace(err.Error(), raw.Error(), host+" cannot be reached: "+cause, 1)
}

// offlineOf says how a command goes on without a network, where it can.
func offlineOf(cmd *cobra.Command) string {
	if cmd.Flags().Lookup("offline") == nil {
		return ""
	}
	return ", or run without it:  " + cmd.CommandPath() + " --offline"
}
