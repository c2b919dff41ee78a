package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A checked flag takes only what check takes, in the form that check gives it.
type checked struct {
	pflag.Value
	check func(text string) (string, error)
}

// Set refuses a value where the flags are read.
func (c checked) Set(text string) error {
	text, err := c.check(text)
	if err != nil {
		return err
	}
	return c.Value.Set(text)
}

// A checkedList is a checked flag that is a list.
type checkedList struct {
	checked
	pflag.SliceValue
}

// check has a flag take only what check takes; of a list, each word.
func check(f *pflag.Flag, check func(text string) (string, error)) {
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		f.Value = checked{f.Value, check}
		return
	}
	f.Value = checkedList{checked{f.Value, func(text string) (string, error) {
		for word := range strings.SplitSeq(text, ",") {
			if _, err := check(strings.TrimSpace(word)); err != nil {
				return "", err
			}
		}
		return strings.ReplaceAll(text, " ", ""), nil
	}}, list}
}

// oneOf takes one of a few words, which are called what; of another one the error names
// the nearest.
func oneOf(what string, known []string) func(string) (string, error) {
	return func(word string) (string, error) {
		if !slices.Contains(known, word) {
			return "", hinted{fmt.Errorf("unknown %s %q (known: %s)", what, word, strings.Join(known, ", ")), spelling.DidYouMean(word, known)}
		}
		return word, nil
	}
}

// choiceFlag adds a flag that is one of the known words, completed by the shell.
func choiceFlag(cmd *cobra.Command, value *string, name, short, preset string, known []string, what, help string) {
	cmd.Flags().StringVarP(value, name, short, preset, help+strings.Join(known, ", "))
	check(cmd.Flags().Lookup(name), oneOf(what, known))
	complete(cmd, name, known)
}

// outputFlag adds --output for a command with forms of its own.
func outputFlag(cmd *cobra.Command, value *string, preset string, forms ...string) {
	choiceFlag(cmd, value, "output", "o", preset, forms, "output format", "")
}

// complete has the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, words []string) {
	completeBy(cmd, flag, func() []string { return words })
}

// completeBy is complete for words that are looked up when they are asked for.
// Only the word behind the last comma is completed.
func completeBy(cmd *cobra.Command, flag string, words func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		list := lists.Of(words(), func(w string) string { return before + w })
		return list, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // a flag that the command does not have
	}
}

// positive has flags refuse what is not more than nothing, where they are given.
func positive(cmd *cobra.Command, names ...string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range names {
			f := cmd.Flags().Lookup(name)
			if v := f.Value.String(); f.Changed && (v == "0" || v == "0s" || strings.HasPrefix(v, "-")) {
				return hinted{usage("--%s: %s is not more than 0", name, v), "without the flag there is the default: see --help"}
			}
		}
		if before == nil {
			return nil
		}
		return before(cmd, args)
	}
}

// flagError gives an error of the flags the form of all errors.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		hint := spelling.DidYouMean(unknown.GetSpecifiedName(), known)
		if hint != "" {
			hint = strings.Replace(hint, `"`, `"--`, 1)
		}
		return hinted{project.UsageOf(err), cmp.Or(hint, cmd.CommandPath()+" --help")}
	case errors.As(err, &wrong):
		return wrongValue(wrong)
	}
	return project.UsageOf(err)
}

// wrongValue is an error of a value that a flag does not take.
func wrongValue(err *pflag.InvalidValueError) error {
	cause := err.Unwrap()
	var number *strconv.NumError
	var word hinted
	switch {
	case errors.As(cause, &word):
		return hinted{project.UsageOf(word.error), word.hint}
	case errors.As(cause, &number):
		return usage("--%s: %q is no %s", err.GetFlag().Name, err.GetValue(), kindOf(err.GetFlag()))
	case err.GetFlag().Value.Type() == "stringToString":
		return usage("--%s %s: want two names with = between them", err.GetFlag().Name, err.GetValue())
	}
	return usage("--%s: %s", err.GetFlag().Name, strings.TrimPrefix(cause.Error(), "time: "))
}

// kindOf names what a flag takes, where that is a number or a switch.
func kindOf(f *pflag.Flag) string {
	if f.Value.Type() == "bool" {
		return "true or false"
	}
	return "number"
}

// namesOfFiles refuses a flag that is the name of a file here, too. Hooks of
// pre-commit, xargs and scripts hand the names of a tree's files over as
// arguments: a file called --only=go would be a flag.
func namesOfFiles(args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			continue
		}
		if _, err := os.Lstat(arg); err == nil {
			return hinted{usage("%q is a flag, and a file here has that name", arg), "put -- in front of names of files; name this one ./" + arg}
		}
	}
	return nil
}

// anyNumber is of arguments.
const anyNumber = math.MaxInt

// noArgs and oneArg are what most commands take.
var (
	noArgs = argsOf(0, 0, "no argument")
	oneArg = argsOf(1, 1, "one argument")
)

// argsOf wants some arguments: at least and at most so many, which are called what.
func argsOf(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage("%s needs %s", cmd.CommandPath(), what)
		case most == 0 && len(args) > 0:
			return usage("%s takes %s, got %q", cmd.CommandPath(), what, args[0])
		case len(args) > most:
			return usage("%s takes %s, got %q too", cmd.CommandPath(), what, args[most])
		}
		return nil
	}
}

// command makes a command that takes no argument, and does something with what the user chose.
func command[O any](t *terminal, o O, use, short string, run func(context.Context, *terminal, O) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), t, o) }}
}

// family makes a command that only holds others.
func family(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(commands...)
	return asFamily(cmd)
}

// asFamily makes cmd a command that only holds others: alone it is its help, and
// a word that is none of them is refused with the nearest one.
func asFamily(cmd *cobra.Command) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[familyAnnotation] = "true"
	return cmd
}

// familyAnnotation is on each command that only holds others.
const familyAnnotation = "cfctl/family"

func isFamily(cmd *cobra.Command) bool { return cmd.Annotations[familyAnnotation] != "" }

// unknownCommand is the error for a word that is no command below cmd.
func unknownCommand(cmd *cobra.Command, word string) error {
	path := strings.TrimPrefix(cmd.CommandPath()+" "+word, "cfctl ")
	hint := cmp.Or(nearCommand(cmd, word), deeper(cmd, word), cmd.CommandPath()+" --help")
	return hinted{usage("unknown command %q", path), hint}
}

// deeper is a hint with the commands of this name that are further below cmd; empty for none, and for
// a name of many.
func deeper(cmd *cobra.Command, word string) string {
	var found []string
	var look func(*cobra.Command)
	look = func(at *cobra.Command) {
		for _, sub := range at.Commands() {
			if sub.Name() == word && sub.IsAvailableCommand() {
				found = append(found, strconv.Quote(sub.CommandPath()))
			}
			look(sub)
		}
	}
	look(cmd)
	if len(found) == 0 || len(found) > 2 {
		return ""
	}
	return "did you mean " + strings.Join(found, " or ") + "?"
}

// meantCommand adds a hint to the error of a command that takes paths and has
// commands below it: a path that is not there may be one of them, misspelled.
func meantCommand(cmd *cobra.Command, args []string, err error) error {
	if len(args) == 0 || !errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(args[0], `/\.`) {
		return err
	}
	if cmd.Flags().Lookup(args[0]) != nil {
		return hinted{err, fmt.Sprintf("did you mean %q?", "--"+args[0])}
	}
	if near := nearCommand(cmd, args[0]); near != "" && !strings.HasPrefix(hintOf(err), "did you mean") {
		return hinted{err, near}
	}
	return err
}

// nearCommand is a hint with the command below cmd that word may be meant for.
func nearCommand(cmd *cobra.Command, word string) string {
	var known []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			known = append(known, sub.Name())
		}
	}
	if near := spelling.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", cmd.CommandPath()+" "+near)
	}
	return ""
}
