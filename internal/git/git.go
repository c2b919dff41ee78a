// Package git drives the git command: reading any ref of a bare or non-bare
// repository without a checkout, and asking remotes for their tags.
//
// Open finds a repository; Repo.Tree is one of its commits as an fs.FS, read
// through a single `git cat-file --batch` process for the life of the Repo;
// Remotes answers `git ls-remote` once per repository and run. No shell is
// used, git never prompts, and what a user may have typed as a revision or URL
// is refused when git could take it for an option.
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// Timeout bounds every git command that talks to no network. A command that
// does is bounded by the Timeout of its Remotes, or by its context alone.
const Timeout = 2 * time.Minute

// ErrNotFound is wrapped by errors that say "git answered, and the revision,
// path or repository is not there". It is never returned for a network failure.
var ErrNotFound = errors.New("not found")

// A CommandError is a git command that ran and failed. Its text is the
// command's name and git's own first complaint, with credentials cut out of
// URLs.
type CommandError struct {
	command string // "ls-remote", "fetch"
	Stderr  string // all that git said, without secrets
	code    int    // exit code, -1 when it was killed
	err     error
}

func (e *CommandError) Error() string {
	line := firstComplaint(e.Stderr)
	if line == "" {
		line = e.err.Error()
	}
	return fmt.Sprintf("git %s: %s", e.command, line)
}

func (e *CommandError) Unwrap() error { return e.err }

// firstComplaint is the line of stderr that says what went wrong.
func firstComplaint(stderr string) string {
	first := ""
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		for _, p := range []string{"fatal: ", "error: ", "remote: ", "! "} {
			if rest, ok := strings.CutPrefix(line, p); ok {
				return rest
			}
		}
		if first == "" && !strings.HasPrefix(line, "warning: ") && !strings.HasPrefix(line, "hint: ") {
			first = line
		}
	}
	return first
}

// A command is one run of git.
type command struct {
	dir   string // where; empty = the current directory
	in    owner  // whose repository that is
	more  []setting
	args  []string
	env   []string // added to the environment
	stdin io.Reader
	most  int // bytes of its output that are kept; 0 = maxAnswer
}

// What is kept of git's output and of its complaints, in bytes. A remote decides
// how much either is.
const (
	maxAnswer    = 256 << 20
	maxComplaint = 1 << 20
)

var errLong = errors.New("an answer")

// limited keeps max bytes. What is over ends the process, which finds no one
// who reads.
type limited struct {
	kept bytes.Buffer // a field: embedded, its ReadFrom would pass by Write
	max  int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.over = l.over || l.kept.Len()+len(p) > l.max; l.over {
		return 0, io.ErrShortWrite
	}
	return l.kept.Write(p)
}

// run is git's standard output. The context bounds it; a context without a
// deadline gets Timeout.
func (c command) run(ctx context.Context) ([]byte, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, Timeout)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "git", c.args...)
	cmd.Dir, cmd.Stdin = c.dir, c.stdin
	cmd.Env = append(c.in.environ(os.Environ(), c.more), c.env...)
	cmd.WaitDelay = 2 * time.Second
	killGroup(cmd)
	stdout, stderr := &limited{max: cmp.Or(c.most, maxAnswer)}, &limited{max: maxComplaint}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	switch {
	case stdout.over:
		return nil, fmt.Errorf("git %s: %w of more than %d MB", c.name(), errLong, stdout.max>>20)
	case err == nil:
		return stdout.kept.Bytes(), nil
	}
	return stdout.kept.Bytes(), c.failure(ctx, err, stderr.kept.String())
}

func (c command) failure(ctx context.Context, err error, stderr string) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("git is not installed, or not on the PATH")
	}
	if ctx.Err() != nil {
		err = ctx.Err()
		stderr = ""
	}
	code := -1
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	}
	return &CommandError{command: c.name(), Stderr: Redact(stderr), code: code, err: err}
}

// name is the subcommand, for messages.
func (c command) name() string {
	for i := 0; i < len(c.args); i++ {
		switch {
		case c.args[i] == "-c" || c.args[i] == "-C":
			i++
		case !strings.HasPrefix(c.args[i], "-"):
			return c.args[i]
		}
	}
	return strings.Join(c.args, " ")
}

var credentials = lazyregexp.New(`(\b[a-zA-Z][a-zA-Z0-9+.-]*://)[^/@\s'"]+@`)

// Redact cuts user names and passwords out of the URLs in text.
func Redact(text string) string { return credentials.ReplaceAllString(text, "$1") }

// CheckRevision refuses a revision, ref or tag that git could take for an
// option or that could not be one: empty, with a leading "-", with blanks or
// control characters.
func CheckRevision(rev string) error {
	switch {
	case rev == "":
		return errors.New("empty git revision")
	case strings.HasPrefix(rev, "-"):
		return fmt.Errorf("git revision %q begins with a dash", rev)
	case strings.ContainsFunc(rev, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fmt.Errorf("git revision %q has a blank or control character", rev)
	}
	return nil
}
