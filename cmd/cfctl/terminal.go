package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/project-codeflare/cfctl/internal/config"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/trust"
)

// A terminal is where a command reads and writes: data on out, progress on
// err. Data is buffered and flushed by run.
type terminal struct {
	in  io.Reader
	out *bufio.Writer
	err io.Writer
	env map[string]string

	secrets trust.Secrets // printed nowhere, also where a server sends them back

	files outputFiles // --output-file: where findings go too

	quiet bool // -q: no progress
	live  bool // err is a terminal that can rewrite its last line
	width int  // columns of err, 0 when it is no terminal
	color bool // colours on out
	heads bool // out is a terminal: what belongs together is grouped under one head

	columns int  // of out, 0 when it is no terminal
	vivid   bool // colours on err

	noHelp error // --help was asked of a command that there is not

	lastLive bool // the last thing on err is a live line

	stack       string         // --stack of the matrix commands; empty = what is declared
	trustConfig bool           // --trust-config
	trust       *config.Trust  // once it was read; see trusted
	settings    *defaults      // once they were read; see defaults
	configs     config.Reader  // of each .cfctl.yaml that is asked for
	keep        []migrate.Keep // what the configuration of the tree keeps
}

func newTerminal(env []string, in io.Reader, out, errw io.Writer) *terminal {
	t := &terminal{in: in, out: bufio.NewWriterSize(out, 64<<10), err: errw, env: map[string]string{}}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		t.env[k] = v
	}
	t.secrets.Environment(t.env)
	if f, ok := errw.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.live = t.env["TERM"] != "dumb" && t.env["CI"] == ""
		t.width, _, _ = term.GetSize(int(f.Fd()))
	}
	t.color, t.vivid, t.heads = t.wantColor(out), t.wantColor(errw), isTerminal(out)
	if f, ok := out.(*os.File); ok && t.heads {
		t.columns, _, _ = term.GetSize(int(f.Fd()))
	}
	return t
}

// wantColor obeys NO_COLOR (https://no-color.org), FORCE_COLOR and TERM=dumb;
// without them, colours go to terminals only.
func (t *terminal) wantColor(out io.Writer) bool {
	switch {
	case t.env["NO_COLOR"] != "":
		return false
	case t.env["FORCE_COLOR"] != "" && t.env["FORCE_COLOR"] != "0":
		return true
	case t.env["TERM"] == "dumb":
		return false
	}
	return isTerminal(out)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// note writes one line of progress to err, behind the data so far: on a
// terminal both are read as one text.
func (t *terminal) note(format string, args ...any) {
	if t.quiet {
		return
	}
	t.clearLive()
	_ = t.out.Flush() // a failure stays, and run says so
	fmt.Fprint(t.err, t.redact(report.Sprintf(format+"\n", args...)))
}

// status rewrites the live line. Where there is no live terminal it does
// nothing: CI logs get plain lines from note.
func (t *terminal) status(format string, args ...any) {
	if t.quiet || !t.live {
		return
	}
	line := t.redact(report.Sprintf(format, args...))
	if r := []rune(line); t.width > 1 && len(r) >= t.width {
		line = string(r[:t.width-1])
	}
	fmt.Fprintf(t.err, "\r\x1b[K%s", line)
	t.lastLive = true
}

func (t *terminal) clearLive() {
	if t.lastLive {
		fmt.Fprint(t.err, "\r\x1b[K")
		t.lastLive = false
	}
}

func (t *terminal) flush() error {
	t.clearLive()
	return t.out.Flush()
}

// table is a table on standard output, with tabs between its columns.
func (t *terminal) table() *tabwriter.Writer { return tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0) }

// style wraps text in an SGR code when colours are wanted: "1" bold, "31" red,
// "32" green, "33" yellow, "36" cyan, "2" faint. The text is made visible.
func (t *terminal) style(sgr, text string) report.Raw {
	text = report.Visible(text)
	if !t.color || text == "" {
		return report.Raw(text)
	}
	return report.Raw("\x1b[" + sgr + "m" + text + "\x1b[0m")
}

// redact takes the secrets that this run knows out of words.
func (t *terminal) redact(text string) string { return t.secrets.Redact(text) }

// token is the token for a forge, which is not printed; an empty one is none.
func (t *terminal) token(ctx context.Context, at release.Servers) (func() string, error) {
	token, err := trust.Token(ctx, t.env, trust.Servers{API: at.API, Git: at.Git, Gitea: at.Kind == release.KindGitea})
	t.secrets.Add(token)
	return func() string { return token }, err
}

// read reads a file that is named; - is standard input.
func (t *terminal) read(name string) ([]byte, error) {
	if name != "-" {
		return source.ReadFile(name)
	}
	data, err := io.ReadAll(io.LimitReader(t.in, source.MaxFile+1))
	if len(data) > source.MaxFile {
		err = errorf("stdin: more than %d MiB", source.MaxFile>>20)
	}
	return data, err
}
