package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// everyCommand calls f with each command that a user can call.
func everyCommand(f func(*cobra.Command)) {
	root := newRoot(newTerminal(nil, nil, nil, nil))
	root.InitDefaultCompletionCmd()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		f(cmd)
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub)
			}
		}
	}
	walk(root)
}

// TestHelpFits holds the help text of every command to 80 columns.
func TestHelpFits(t *testing.T) {
	seen := 0
	everyCommand(func(cmd *cobra.Command) {
		seen++
		var out bytes.Buffer
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		if code := run(args, nil, nil, &out, &out); code != 0 {
			t.Fatalf("%s: exit %d: %s", args, code, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
				t.Errorf("cfctl %s: %d columns: %s", strings.Join(args, " "), n, line)
			}
		}
	})
	if seen < 50 {
		t.Errorf("only %d commands were seen", seen)
	}
}

// TestHelpTexts holds help.txt to the commands: each section is one's.
func TestHelpTexts(t *testing.T) {
	known := map[string]bool{}
	everyCommand(func(cmd *cobra.Command) { known[cmd.CommandPath()] = true })
	for _, section := range strings.Split(texts, "\n== ")[1:] {
		path, _, _ := strings.Cut(section, "\n")
		if !known[path] {
			t.Errorf("%q is no command, or has two sections", path)
		}
		delete(known, path)
	}
}
