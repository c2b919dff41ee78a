package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the width, in columns, that every help text fits in: that of a
// terminal nobody has made larger, and of a quotation in an issue.
const helpWidth = 80

// helpText is what --help prints.
func helpText(cmd *cobra.Command, _ []string) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintln(cmd.OutOrStdout(), fold(strings.TrimSpace(text), "\n")+"\n")
	cmd.SetOut(cmd.OutOrStdout()) // asked for, it is no error
	_ = usageText(cmd)            // the buffer keeps its error until it is flushed
}

// fold breaks the lines of text that are too wide at a space; cut stands
// between the halves, and the indentation before the second.
func fold(text, cut string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > helpWidth {
			room := len(string([]rune(line)[:helpWidth-len(strings.TrimSuffix(cut, "\n"))+1]))
			at := strings.LastIndexByte(line[:room], ' ')
			if at <= len(indent) {
				break // one word
			}
			b.WriteString(line[:at] + cut)
			line = indent + line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// usageText is what --help prints below the description of a command.
func usageText(cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:")
	if cmd.Runnable() && !cmd.HasAvailableSubCommands() {
		b.WriteString("\n  " + cmd.UseLine())
	} else if cmd.HasAvailableSubCommands() {
		if !strings.Contains(cmd.Use, " ") {
			b.WriteString("\n  " + cmd.CommandPath() + " COMMAND")
		} else {
			b.WriteString("\n  " + cmd.UseLine() + "\n  " + cmd.CommandPath() + " COMMAND")
		}
	}
	if cmd.HasExample() {
		b.WriteString("\n\nExamples:\n" + fold(strings.TrimRight(cmd.Example, "\n"), " \\\n  "))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n\nCommands:")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				name := fmt.Sprintf("  %-*s ", sub.NamePadding(), sub.Name())
				short := fold(strings.Repeat(" ", len(name))+sub.Short, "\n")
				b.WriteString("\n" + name + strings.TrimLeft(short, " "))
			}
		}
	}
	flagsText(&b, "Flags", cmd.LocalFlags())
	flagsText(&b, "Flags of every command", cmd.InheritedFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\n%s COMMAND --help says more about a command.", cmd.CommandPath())
	}
	_, err := fmt.Fprintln(cmd.OutOrStderr(), b.String())
	return err
}

func flagsText(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		fmt.Fprintf(b, "\n\n%s:\n%s", title, strings.TrimRight(flags.FlagUsagesWrapped(helpWidth), " \n"))
	}
}
