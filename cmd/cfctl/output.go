package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/train"
)

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
	parts := make([]string, 0, len(*l))
	for _, f := range *l {
		parts = append(parts, f.form+"="+f.path)
	}
	return strings.Join(parts, " ")
}

// findingsFlags are the flags of every command that prints findings.
func findingsFlags(t *terminal, cmd *cobra.Command, output *string) {
	outputFlag(cmd, output, "text", report.Formats...)
	cmd.Flags().Var(&t.files, "output-file", "write the findings to a file too; repeatable")
	var forms []string
	for _, form := range report.Formats {
		forms = append(forms, form+"=")
	}
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
	path := t.env["GITHUB_STEP_SUMMARY"]
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

// markColors are those of the signs of a step's state.
var markColors = map[string]string{
	train.Marks[train.Done]: "32", train.Marks[train.Waiting]: "33", train.Marks[train.Missing]: "36",
	train.Marks[train.Conflict]: "31", train.Marks[train.Blocked]: "2",
}

// mark is the sign of a step's state, in its colour where that is wanted.
func mark(s train.State, colored bool) report.Raw {
	sign := train.Marks[s]
	if code := markColors[sign]; colored && code != "" {
		sign = "\x1b[" + code + "m" + sign + "\x1b[0m"
	}
	return report.Raw(sign)
}

// paintMarks gives the sign that a line begins with its colour; the other lines
// stay.
func paintMarks(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		_, size := utf8.DecodeRuneInString(line)
		if code := markColors[line[:size]]; code != "" && strings.HasPrefix(line[size:], " ") {
			line = "\x1b[" + code + "m" + line[:size] + "\x1b[0m" + line[size:]
		}
		b.WriteString(line)
	}
	return b.String()
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

// counting keeps a live count of files while they are read, of about so many; 0 = it
// is not known of how many.
func (t *terminal) counting(files *atomic.Int64, total int) (stop func()) {
	return t.ticking(100*time.Millisecond, func() { t.status("%s", countOf(int(files.Load()), total)) })
}

// countOf is the live line while files are read.
func countOf(n, total int) string {
	if total == 0 || n > total {
		return "reading: " + report.Plural(n, "file")
	}
	return fmt.Sprintf("reading: %d of about %s", n, report.Plural(total, "file"))
}

// trackedFiles is how many files git tracks, where paths are a whole work tree, by
// the header of its index; 0 = that is not known.
// Source: git, Documentation/gitformat-index.txt: "DIRC", the version, the number of entries.
func trackedFiles(tree *source.Tree, paths []string) int {
	if len(paths) != 1 || paths[0] != "." || tree.TopLevel() == "" || tree.TopLevel() != tree.Base() {
		return 0
	}
	f, err := os.Open(filepath.Join(tree.GitDir(), "index"))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // only reading was done
	var header [12]byte
	if _, err := io.ReadFull(f, header[:]); err != nil || string(header[:4]) != "DIRC" {
		return 0
	}
	return int(binary.BigEndian.Uint32(header[8:]))
}

// waiting is what a run waits for, by step, and since when.
type waiting map[string]time.Time

// say is the live line of what is waited for: the longest first.
func (w waiting) say(now time.Time) string {
	names := slices.SortedFunc(maps.Keys(w), func(a, b string) int { return cmp.Or(w[a].Compare(w[b]), cmp.Compare(a, b)) })
	if len(names) == 0 {
		return ""
	}
	since := w[names[0]]
	line := fmt.Sprintf("%s waiting for %s since %s (%s)", train.Marks[train.Waiting], names[0], since.Format("15:04"), train.Span(now.Sub(since)))
	if len(names) > 1 {
		line += fmt.Sprintf(" and for %d more", len(names)-1)
	}
	return line
}
