package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the width, in columns, that every help text fits in: that of a
// default terminal, and of a quotation in an issue.
const helpWidth = 80

// docsURL is the address of a page of docs/, for users who have only the binary.
func docsURL(page string) string {
	return "https://github.com/project-codeflare/cfctl/blob/main/docs/" + page + ".md"
}

// pages are the pages of docs/ about commands, by the longest path that fits.
var pages = map[string]string{
	"cfctl":                "config",
	"cfctl migrate":        "migrate",
	"cfctl migrate rules":  "rulesets",
	"cfctl matrix":         "matrix",
	"cfctl matrix check":   "checks",
	"cfctl release":        "release",
	"cfctl release bundle": "bundle",
	"cfctl import":         "import",
	"cfctl campaign":       "campaign",
	"cfctl explain":        "findings",
	"cfctl init":           "ci",
}

// pageOf is the page about a command.
func pageOf(cmd *cobra.Command) string {
	for cmd.HasParent() && pages[cmd.CommandPath()] == "" {
		cmd = cmd.Parent()
	}
	return pages[cmd.CommandPath()]
}

// helpText is what --help prints: what the command does, its commands and flags,
// then the page about it.
func helpText(cmd *cobra.Command, _ []string) {
	text := cmd.Long
	if text == "" {
		text = strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."
	}
	fmt.Fprintln(cmd.OutOrStdout(), fold(strings.TrimSpace(text))+"\n")
	cmd.SetOut(cmd.OutOrStdout()) // asked for, it is no error
	_ = usageText(cmd)            // the buffer keeps its error until it is flushed
	fmt.Fprintln(cmd.OutOrStdout(), "\nDocumentation:\n  "+docsURL(pageOf(cmd)))
}

// fold breaks the lines of text that are too wide at a space, and indents the rest as
// their beginning.
func fold(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > helpWidth {
			at := strings.LastIndexByte(string([]rune(line)[:helpWidth+1]), ' ')
			if at <= len(indent) {
				break // one word
			}
			b.WriteString(line[:at] + "\n")
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
	if !isFamily(cmd) {
		b.WriteString("\n  " + cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n  " + cmd.CommandPath() + " COMMAND")
	}
	if cmd.HasExample() {
		b.WriteString("\n\nExamples:\n" + cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n\nCommands:")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "\n  %-*s %s", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	flagsText(&b, "Flags", cmd.LocalNonPersistentFlags(), cmd.PersistentFlags())
	flagsText(&b, "Global flags", cmd.InheritedFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nHelp on a command: %s COMMAND --help", cmd.CommandPath())
	}
	_, err := fmt.Fprintln(cmd.OutOrStderr(), b.String())
	return err
}

// flagsText lists flags.
func flagsText(b *strings.Builder, title string, sets ...*pflag.FlagSet) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range sets {
		flags.AddFlagSet(set)
	}
	if flags.HasAvailableFlags() {
		text := strings.ReplaceAll(flags.FlagUsagesWrapped(helpWidth), " (default [])", "")
		fmt.Fprintf(b, "\n\n%s:\n%s", title, strings.TrimRight(text, " \n"))
	}
}

// newHelp is the command "help COMMAND": what COMMAND --help prints.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "show the help of a command", Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknownCommand(cmd, rest[0])
			}
			return cmd.Help()
		},
	}
}
