package main

import (
	"cmp"
	_ "embed" // help.txt
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/operatorconfig"
	"github.com/project-codeflare/cfctl/internal/objects/pipelines"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/registry"
	"github.com/project-codeflare/cfctl/internal/release"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/guards"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// helpWidth is the width, in columns, that every help text fits in: that of a
// default terminal, and of a quotation in an issue.
const helpWidth = 80

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

// texts are the help texts of the commands.
//
//go:embed help.txt
var texts string

// textOf is what a command does, and examples: as its section of help.txt says, else as
// the command itself does. Both may be empty.
func textOf(cmd *cobra.Command) (about, examples string) {
	_, section, ok := strings.Cut(texts, "\n== "+cmd.CommandPath()+"\n")
	if !ok {
		return cmd.Long, cmd.Example
	}
	section, _, _ = strings.Cut(section, "\n== ")
	about, examples, _ = strings.Cut("\n"+section, "\nExamples:\n")
	return strings.TrimSpace(about), strings.TrimRight(examples, "\n")
}

// helpText is what --help prints: what the command does, its commands and flags,
// then exit codes and the page about it.
func helpText(cmd *cobra.Command, _ []string) {
	text, _ := textOf(cmd)
	text = cmp.Or(text, strings.ToUpper(cmd.Short[:1])+cmd.Short[1:]+".")
	about := strings.Split(fold(strings.TrimSpace(text)), "\n\n")
	codes := slices.DeleteFunc(slices.Clone(about), func(s string) bool { return !strings.HasPrefix(s, "Exit codes") })
	about = slices.DeleteFunc(about, func(s string) bool { return strings.HasPrefix(s, "Exit codes") })
	fmt.Fprintln(cmd.OutOrStdout(), strings.Join(about, "\n\n")+"\n")
	cmd.SetOut(cmd.OutOrStdout()) // asked for, it is no error
	_ = usageText(cmd)            // the buffer keeps its error until it is flushed
	for _, text := range codes {
		fmt.Fprintln(cmd.OutOrStdout(), "\n"+text)
	}
	fmt.Fprintln(cmd.OutOrStdout(), "\nDocumentation:\n  "+report.DocsURL(pageOf(cmd)))
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
	if _, examples := textOf(cmd); examples != "" {
		b.WriteString("\n\nExamples:\n" + examples)
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
		at := slices.IndexFunc(flagTitles, func(title string) bool { return slices.Contains(flagGroups[title], f.Name) })
		if n < manyFlags {
			at = 0
		}
		groups[flagTitles[max(at, 0)]].AddFlag(f)
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

// An explained rule is one kind of finding, and the command that has it.
type explained struct {
	report.Rule
	command string
}

// catalogue is all that cfctl looks for, command by command.
func catalogue() ([]report.Section, error) {
	list := []report.Section{
		{Command: "migrate", Rules: migrate.Catalogue()},
		{Command: "migrate review", Rules: (&migrate.Review{}).Report().Rules},
		{Command: "migrate -v", Rules: migrate.RoleRules(), About: "The role of a reference, in parentheses after it, and what usually happens to it."},
		{Command: "migrate -o json", Rules: migrate.ReasonRules(), About: "Why a reference is not changed or needs review: the `reason` of its entry in the account."},
	}
	for _, name := range migrate.Builtin() {
		set, err := migrate.BuiltinRuleset(name)
		if err != nil {
			return nil, err
		}
		list = append(list, report.Section{Command: "migrate --ruleset " + name, Rules: migrate.CatalogueOf(set)})
	}
	return append(list,
		report.Section{Command: "matrix check", Rules: matrix.Rules(), Holds: true, About: "The rules for a tree: see [matrix.md](matrix.md)."},
		report.Section{Command: "matrix lint", Rules: matrix.LintRules, Holds: true, About: "The rules for the declared matrix, independent of any tree."},
		report.Section{Command: "release plan, release run", Rules: release.Rules(), Holds: true, About: "The preflight, before the first effect of a release ([release.md](release-reference.md#preflight))."},
		report.Section{Command: "release why", Rules: why.Rules()},
		report.Section{Command: "release verify", Rules: release.VerifyRules()},
		report.Section{Command: "release bump", Rules: bump.ReferenceRules},
		report.Section{Command: "release images", Rules: registry.Rules, Holds: true, About: "The tags of every image ([release.md](release-reference.md#release-images))."},
		report.Section{Command: "release audit", Rules: guards.Rules, Holds: true, About: "The checks of pull requests ([release.md](release-reference.md#release-audit))."},
		report.Section{Command: "release bundle", Rules: olm.Rules(), Holds: true, About: "A bundle that was made or is validated ([bundle.md](bundle.md#rules))."},
		report.Section{Command: "import operator-config lint", Rules: operatorconfig.LintRules},
		report.Section{Command: "import pipelines schedules", Rules: pipelines.ScheduleRules},
		report.Section{Command: "import", Rules: objects.Reasons},
	), nil
}

// explanations are all kinds of findings, command by command, each in the words
// of its own catalogue.
func explanations() ([]explained, error) {
	sections, err := catalogue()
	var list []explained
	for _, s := range sections {
		for _, r := range s.Rules {
			r.Doc = s.Meaning(r)
			list = append(list, explained{r, s.Command})
		}
	}
	return list, err
}

func newExplain(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use: "explain [ID]", Short: "explain a finding: a check, rule, reason or validation",
		Args: argsOf(0, 1, "one ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := explanations()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listExplanations(t, list)
			}
			return explainOne(t, list, args[0])
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			list, _ := explanations()
			return explainedIDs(list), cobra.ShellCompDirectiveNoFileComp
		},
	}
	return cmd
}

func explainedIDs(list []explained) []string {
	ids := lists.Set(list, func(e explained) string { return e.ID })
	return slices.Sorted(maps.Keys(ids))
}

func listExplanations(t *terminal, list []explained) error {
	command := ""
	for _, e := range list {
		if e.command != command {
			command = e.command
			fmt.Fprintf(t.out, "%s\n", t.style("1", "cfctl "+command))
		}
		fmt.Fprintf(t.out, "  %-28s %-7s  %s\n", e.ID, e.Severity, e.Doc)
	}
	return nil
}

// explainOne prints all that an ID means: it may be of several commands.
func explainOne(t *terminal, list []explained, id string) error {
	found := false
	for _, e := range list {
		if e.ID != id {
			continue
		}
		found = true
		fmt.Fprintf(t.out, "%s (%s, cfctl %s)\n%s\n", t.style("1", e.ID), e.Severity, e.command, fold("  "+strings.ReplaceAll(e.Doc, "\n", " ")))
		fmt.Fprintf(t.out, "  %s\n", report.HelpURL(e.ID))
		if e.URL != "" {
			fmt.Fprintf(t.out, "  %s\n", e.URL)
		}
	}
	if !found {
		hint := cmp.Or(spelling.DidYouMean(id, explainedIDs(list)), "cfctl explain")
		return hinted{errorf("unknown finding %q", id), hint}
	}
	return nil
}
