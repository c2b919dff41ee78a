package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A terminal is where a command reads and writes: data on out, progress on
// err. Data is buffered and flushed by run.
type terminal struct {
	project.User
	args []string // of the command line
	in   io.Reader
	out  *bufio.Writer
	err  io.Writer

	files outputFiles // --output-file: where findings go too

	quiet bool // -q: no progress
	live  bool // err is a terminal that can rewrite its last line
	width int  // columns of err, 0 when it is no terminal
	color bool // colours on out
	vivid bool // colours on err

	noHelp error // --help was asked of a command that there is not

	lines    sync.Mutex // one note or live line at a time: workers write them too
	lastLive bool       // the last thing on err is a live line

	settings *defaults // once they were read; see defaults
}

// command is this call again.
func (t *terminal) command() string { return report.Shell(append([]string{"cfctl"}, t.args...)...) }

func newTerminal(env []string, in io.Reader, out, errw io.Writer) *terminal {
	t := &terminal{in: in, out: bufio.NewWriterSize(out, 64<<10), err: errw}
	t.User = project.User{Progress: report.Progress{Note: t.note, Status: t.status}, Env: map[string]string{}, Version: build().Version}
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		t.Env[k] = v
	}
	t.Secrets.Environment(t.Env)
	if f, ok := errw.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.live = t.Env["TERM"] != "dumb" && t.Env["CI"] == ""
		t.width, _, _ = term.GetSize(int(f.Fd()))
	}
	t.color, t.vivid = t.wantColor(out), t.wantColor(errw)
	return t
}

// wantColor obeys NO_COLOR (https://no-color.org), FORCE_COLOR and TERM=dumb;
// without them, colours go to terminals only.
func (t *terminal) wantColor(out io.Writer) bool {
	switch {
	case t.Env["NO_COLOR"] != "":
		return false
	case t.Env["FORCE_COLOR"] != "" && t.Env["FORCE_COLOR"] != "0":
		return true
	case t.Env["TERM"] == "dumb":
		return false
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// note writes one line of progress to err, behind the data so far: on a
// terminal both are read as one text.
func (t *terminal) note(format string, args ...any) {
	if t.quiet {
		return
	}
	t.lines.Lock()
	defer t.lines.Unlock()
	t.clearLive()
	_ = t.out.Flush() // a failure stays, and run says so
	fmt.Fprint(t.err, t.redact(report.Sprintf(format+"\n", args...)))
}

// wait pauses before a server is asked again, and says so where the pause is long.
func (t *terminal) wait(ctx context.Context, pause time.Duration) error {
	if pause >= 5*time.Second {
		t.note("no answer that counts, or too many requests: asking again in %v", pause.Round(time.Second))
	}
	return wire.Sleep(ctx, pause)
}

// status rewrites the live line. Where there is no live terminal it does
// nothing: CI logs get plain lines from note.
func (t *terminal) status(format string, args ...any) {
	if t.quiet || !t.live {
		return
	}
	t.lines.Lock()
	defer t.lines.Unlock()
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
func (t *terminal) redact(text string) string { return t.Secrets.Redact(text) }

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

// An outputFile is a file that findings are written to next to standard output.
type outputFile struct{ form, path string }

// outputFiles is the value of --output-file.
type outputFiles []outputFile

// Set takes FORM=FILE.
func (l *outputFiles) Set(text string) error {
	form, path, ok := strings.Cut(text, "=")
	if !ok || path == "" {
		return errors.New("want FORM=FILE, such as sarif=cfctl.sarif")
	}
	if _, err := oneOf("output format", report.Formats)(form); err != nil {
		return err
	}
	*l = append(*l, outputFile{form, path})
	return nil
}

// Type is shown in the help text.
func (l *outputFiles) Type() string { return "FORM=FILE" }

func (l *outputFiles) String() string {
	return strings.Join(lists.Of(*l, func(f outputFile) string { return f.form + "=" + f.path }), " ")
}

// findingsFlags are the flags of every command that prints findings.
func findingsFlags(t *terminal, cmd *cobra.Command, output *string) {
	outputFlag(cmd, output, "text", report.Formats...)
	cmd.Flags().Var(&t.files, "output-file", "write the findings to a file too; repeatable")
	forms := lists.Of(report.Formats, func(form string) string { return form + "=" })
	complete(cmd, "output-file", forms)
}

// prints says whether one of the forms is printed, to standard output or a file.
func (t *terminal) prints(output string, forms ...string) bool {
	return slices.Contains(forms, output) || slices.ContainsFunc(t.files, func(f outputFile) bool { return slices.Contains(forms, f.form) })
}

// print writes a report to standard output, the job summary where GitHub wants
// one, and the files of --output-file.
func (t *terminal) print(form string, r *report.Report) error {
	r.Version = build().Version
	var err error
	if form == "text" {
		err = report.WriteText(t.out, r, t.style)
	} else {
		err = report.Write(t.out, form, r)
	}
	if err != nil {
		return err
	}
	return t.printBeside(form, r)
}

// printBeside is print for a command that has words of its own for standard
// output: the job summary and the files alone.
func (t *terminal) printBeside(form string, r *report.Report) error {
	r.Version = build().Version
	for _, f := range t.files {
		if _, err := os.Stat(filepath.Dir(f.path)); err != nil {
			return errorf("--output-file %s=%s: there is no folder %s", f.form, f.path, filepath.Dir(f.path))
		}
	}
	if err := jobSummary(t, form, r); err != nil {
		return err
	}
	for _, f := range t.files {
		var b bytes.Buffer
		if err := report.Write(&b, f.form, r); err != nil {
			return err
		}
		if err := source.WriteFile(f.path, b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// jobSummary appends the markdown form to $GITHUB_STEP_SUMMARY, with -o github.
func jobSummary(t *terminal, output string, r *report.Report) error {
	path := t.Env["GITHUB_STEP_SUMMARY"]
	if output != "github" || path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := report.Write(&b, "markdown", r); err != nil {
		return err
	}
	return source.AppendFile(path, b.Bytes(), 0o644)
}

// writeDiff prints a unified diff: as it is for git apply, and in git's colours,
// made visible, where a user reads it.
func (t *terminal) writeDiff(diff []byte) error {
	if !t.color {
		_, err := t.out.Write(diff)
		return err
	}
	for line := range bytes.Lines(diff) {
		text := report.Lines("", strings.TrimSuffix(string(line), "\n"))
		code := ""
		switch {
		case bytes.HasPrefix(line, []byte("diff ")), bytes.HasPrefix(line, []byte("--- ")), bytes.HasPrefix(line, []byte("+++ ")):
			code = "1"
		case bytes.HasPrefix(line, []byte("@@")):
			code = "36"
		case bytes.HasPrefix(line, []byte("-")):
			code = "31"
		case bytes.HasPrefix(line, []byte("+")):
			code = "32"
		}
		if code != "" {
			text = "\x1b[" + report.Raw(code) + "m" + text + "\x1b[0m"
		}
		report.Fprintf(t.out, "%s\n", text)
	}
	return nil
}

// ticking calls show now and then until stop is called, which waits for the
// last call. Where there is no live line it does nothing.
func (t *terminal) ticking(every time.Duration, show func()) (stop func()) {
	if t.quiet || !t.live {
		return func() {}
	}
	end := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				show()
			}
		}
	})
	return func() {
		close(end)
		done.Wait()
	}
}

// countOf is the live line while files are read.
func countOf(n, total int) string {
	if total == 0 || n > total {
		return "reading: " + report.Plural(n, "file")
	}
	return fmt.Sprintf("reading: %d of about %s", n, report.Plural(total, "file"))
}
