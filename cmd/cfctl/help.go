package main

import (
	"fmt"
	"slices"
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
// then exit codes and the page about it.
func helpText(cmd *cobra.Command, _ []string) {
	text := cmd.Long
	if text == "" {
		text = strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."
	}
	about := strings.Split(fold(strings.TrimSpace(text)), "\n\n")
	codes := slices.DeleteFunc(slices.Clone(about), func(s string) bool { return !strings.HasPrefix(s, "Exit codes") })
	about = slices.DeleteFunc(about, func(s string) bool { return strings.HasPrefix(s, "Exit codes") })
	fmt.Fprintln(cmd.OutOrStdout(), strings.Join(about, "\n\n")+"\n")
	cmd.SetOut(cmd.OutOrStdout()) // asked for, it is no error
	_ = usageText(cmd)            // the buffer keeps its error until it is flushed
	for _, text := range codes {
		fmt.Fprintln(cmd.OutOrStdout(), "\n"+text)
	}
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
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	own.AddFlagSet(cmd.LocalNonPersistentFlags())
	own.AddFlagSet(cmd.PersistentFlags())
	groups := grouped(own)
	for _, title := range flagTitles {
		flagsText(&b, title, groups[title])
	}
	flagsText(&b, "Global flags", cmd.InheritedFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nHelp on a command: %s COMMAND --help", cmd.CommandPath())
	}
	_, err := fmt.Fprintln(cmd.OutOrStderr(), b.String())
	return err
}

// flagTitles are the titles of flags in help texts, in their order.
var flagTitles = []string{"Flags", "Rules", "Files", "Servers", "Output"}

// flagGroups are flags by what they are for; the others are the command's own.
var flagGroups = map[string][]string{
	"Rules":   {"ruleset", "mode", "set", "no-heuristic", "go", "go-version-package"},
	"Files":   {"only", "exclude", "base", "head", "repo", "ref", "stdin-name", "sparse", "allow-dirty", "keep-rest", "images", "out"},
	"Servers": {"offline", "timeout", "distance", "poll", "api", "git", "kubeconfig", "context", "store", "state"},
	"Output":  {"output", "output-file", "verbose", "diff"},
}

// manyFlags is how many flags a command has at least that are grouped.
const manyFlags = 9

// grouped are flags by their titles.
func grouped(flags *pflag.FlagSet) map[string]*pflag.FlagSet {
	groups := map[string]*pflag.FlagSet{}
	for _, title := range flagTitles {
		groups[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	n := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	flags.VisitAll(func(f *pflag.Flag) {
		at := flagTitles[0]
		for title, names := range flagGroups {
			if n >= manyFlags && slices.Contains(names, f.Name) {
				at = title
			}
		}
		groups[at].AddFlag(f)
	})
	return groups
}

// flagsText lists flags.
func flagsText(b *strings.Builder, title string, flags *pflag.FlagSet) {
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
