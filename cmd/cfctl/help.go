package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
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

// docsFile is a page of docs/ as texts name it.
var docsFile = lazyregexp.New(`(^|[\s(])docs/([a-z-]+)\.md`)

// bracketed is a page of docs/ in brackets, which flags leave out: the page of the
// command is named below them.
var bracketed = lazyregexp.New(`\s*\(docs/[a-z-]+\.md[^)]*\)`)

// noDefault is what pflag says of a list that is empty.
var noDefault = lazyregexp.New(`\s*\(default \[\]\)`)

// helpText is what --help prints: what the command does, its commands and flags,
// then exit codes and documentation.
func helpText(cmd *cobra.Command, _ []string) {
	text := cmd.Long
	if text == "" {
		text = strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."
	}
	text = docsFile.ReplaceAllString(text, "${1}"+docsURL("${2}"))
	var about, codes []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "Exit codes") {
			codes = append(codes, paragraph)
		} else {
			about = append(about, paragraph)
		}
	}
	fmt.Fprintln(cmd.OutOrStdout(), wrap(strings.Join(about, "\n\n"))+"\n")
	cmd.SetOut(cmd.OutOrStdout()) // asked for, it is no error
	_ = usageText(cmd)            // the buffer keeps its error until it is flushed
	if len(codes) > 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "\n"+wrap(strings.Join(codes, "\n\n")))
	}
	fmt.Fprintln(cmd.OutOrStdout(), "\nDocumentation:\n  "+docsURL(pageOf(cmd)))
}

// wrap fills the paragraphs of a text to the width of help texts; indented lines
// are kept as they are.
func wrap(text string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		column := 0
		for i, line := range strings.Split(paragraph, "\n") {
			if strings.HasPrefix(line, " ") {
				if i > 0 {
					b.WriteString("\n")
				}
				b.WriteString(fold(line, "\n"))
				column = helpWidth
				continue
			}
			for word := range strings.FieldsSeq(line) {
				switch n := utf8.RuneCountInString(word); {
				case column == 0:
					column = n
				case column+1+n > helpWidth:
					b.WriteString("\n")
					column = n
				default:
					b.WriteString(" ")
					column += 1 + n
				}
				b.WriteString(word)
			}
		}
	}
	return b.String()
}

// fold breaks the lines of text that are too wide at a space; cut is put between
// the halves, and the indentation before the second.
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
	flagsText(&b, cmd)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nHelp on a command: %s COMMAND --help", cmd.CommandPath())
	}
	_, err := fmt.Fprintln(cmd.OutOrStderr(), b.String())
	return err
}

// flagGroups are flags by what they are for, in the order of the help text; those
// of none are the command's own.
var flagGroups = []struct {
	title string
	names []string
}{
	{"Rules", []string{"ruleset", "mode", "set", "no-heuristic", "go", "go-version-package"}},
	{"Files", []string{"only", "exclude", "base", "head", "repo", "ref", "stdin-name", "sparse", "allow-dirty", "keep-rest", "images", "out"}},
	{"Servers", []string{"offline", "timeout", "distance", "poll", "api", "git", "kubeconfig", "context", "store", "state"}},
	{"Output", []string{"output", "output-file", "verbose", "diff"}},
}

// manyFlags is how many flags a command has at least that are grouped.
const manyFlags = 9

// flagsText lists the flags of a command in groups, then those of every command.
func flagsText(b *strings.Builder, cmd *cobra.Command) {
	groups := make([]*pflag.FlagSet, len(flagGroups)+1)
	for i := range groups {
		groups[i] = pflag.NewFlagSet("", pflag.ContinueOnError)
	}
	global, n := pflag.NewFlagSet("", pflag.ContinueOnError), 0
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	add := func(set *pflag.FlagSet, f *pflag.Flag) {
		short := *f
		short.Usage = bracketed.ReplaceAllString(f.Usage, "")
		set.AddFlag(&short)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		at := slices.IndexFunc(flagGroups, func(g struct {
			title string
			names []string
		}) bool {
			return n >= manyFlags && slices.Contains(g.names, f.Name)
		})
		switch {
		case cmd.InheritedFlags().Lookup(f.Name) != nil || f.Name == "help" && cmd.HasParent():
			add(global, f)
		default:
			add(groups[at+1], f)
		}
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if global.Lookup(f.Name) == nil {
			add(global, f)
		}
	})
	flagGroup(b, "Flags", groups[0])
	for i, g := range flagGroups {
		flagGroup(b, g.title, groups[i+1])
	}
	flagGroup(b, "Global flags", global)
}

func flagGroup(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		text := noDefault.ReplaceAllString(flags.FlagUsagesWrapped(helpWidth), "")
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
