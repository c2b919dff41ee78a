package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/train"
)

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// colored is a terminal in memory, with colours or without.
func colored(on bool) (*terminal, *bytes.Buffer) {
	var out bytes.Buffer
	env := []string{"NO_COLOR=1"}
	if on {
		env = []string{"FORCE_COLOR=1"}
	}
	return newTerminal(env, nil, &out, &out), &out
}

// TestColorsAddNothing: what is printed in colours is what is printed without
// them, for findings, patches and steps.
func TestColorsAddNothing(t *testing.T) {
	findings := []report.Finding{
		{Rule: "a", Severity: report.Error, Path: "x.yaml", Line: 3, Column: 4, Message: "is old\nsecond line", Hint: "do this\nthen that"},
		{Rule: "b", Severity: report.Warning, Message: "nowhere"},
		{Rule: "c", Severity: report.Note, Path: "y", Message: "noted"},
	}
	diff := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\ttab\n+new\ttab\n\\ No newline at end of file\n"
	shown := func(on bool) string {
		term, out := colored(on)
		if err := report.WriteText(term.out, &report.Report{Findings: append([]report.Finding(nil), findings...)}, term.style); err != nil {
			t.Fatal(err)
		}
		if err := term.writeDiff([]byte(diff)); err != nil {
			t.Fatal(err)
		}
		if err := term.flush(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	plain, bright := shown(false), shown(true)
	if strings.Contains(plain, "\x1b") || !strings.HasSuffix(plain, diff) {
		t.Errorf("without colours:\n%q", plain)
	}
	if got := sgr.ReplaceAllString(bright, ""); got != plain {
		t.Errorf("with colours there is other text:\n%s\nwithout:\n%s", got, plain)
	}
	for _, want := range []string{"\x1b[31merror:\x1b[0m", "\x1b[33mwarning:\x1b[0m", "\x1b[31m-old", "\x1b[32m+new"} {
		if !strings.Contains(bright, want) {
			t.Errorf("no %q in %q", want, bright)
		}
	}
	steps := train.Marks[train.Done] + " tag  done\n  deeper\n" + train.Marks[train.Conflict] + " image  other\nnext: x\n"
	if got := train.Paint(steps); sgr.ReplaceAllString(got, "") != steps || strings.Count(got, "\x1b[") != 4 {
		t.Errorf("steps: %q", got)
	}
}

// TestDiffOnTerminalIsVisible: the content of a file cannot steer the terminal
// that a patch is shown on.
func TestDiffOnTerminalIsVisible(t *testing.T) {
	term, out := colored(true)
	if err := term.writeDiff([]byte("+evil \x1b]0;title\x07\n")); err != nil {
		t.Fatal(err)
	}
	if err := term.flush(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "\x1b]") || strings.Contains(out.String(), "\x07") {
		t.Errorf("%q", out.String())
	}
}

// A pause of seconds is said: an import that stands still would look dead.
func TestLongPausesAreSaid(t *testing.T) {
	var said bytes.Buffer
	term := newTerminal(nil, nil, io.Discard, &said)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = term.wait(ctx, time.Second)
	if said.Len() > 0 {
		t.Errorf("a second is said: %s", said.String())
	}
	_ = term.wait(ctx, 30*time.Second)
	if !strings.Contains(said.String(), "asking again in 30s") {
		t.Errorf("said: %q", said.String())
	}
}
