package main

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

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
