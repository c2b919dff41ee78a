package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
)

// commands are the command families, in the order of the help text.
var commands = []func(*terminal) *cobra.Command{
	newMigrate,
	newMatrix,
	newRelease,
	newImport,
	newCampaign,
	newConfig,
	newExplain,
	newInit,
	newVersion,
}

const rootLong = `cfctl renames Kubernetes API groups, versions and kinds in source trees, checks
the support matrix of a stack, releases the stack, and moves stored objects to
new custom resources.

Configuration is read from .cfctl.yaml in this folder or the nearest one above
it, up to the root of the git work tree. A flag wins over a CFCTL_* environment
variable, which wins over the file. Hosts that receive credentials, kubeconfigs
and paths outside of the tree are not read from a repository's own file:
docs/security.md

Exit codes, the same with every --output:
  0  success
  1  findings or pending work
  2  error: usage, unreadable input, network, interrupted`

func newRoot(t *terminal) *cobra.Command {
	root := &cobra.Command{
		Use:               "cfctl",
		Short:             "rename Kubernetes API groups; check and release stacks of components",
		Long:              rootLong,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return configure(t, cmd) },
	}
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.PersistentFlags().BoolVarP(&t.quiet, "quiet", "q", false, "no progress on standard error")
	root.PersistentFlags().BoolVar(&t.trustConfig, "trust-config", false, "allow the repository's .cfctl.yaml to set hosts, kubeconfigs and paths outside of the tree")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); isFamily(cmd) && len(words) > 0 {
			t.noHelp = unknownCommand(cmd, words[0])
			return
		}
		helpText(cmd, args)
	})
	root.SetUsageFunc(usageText)
	root.SetHelpCommand(newHelp(root))
	for _, build := range commands {
		root.AddCommand(build(t))
	}
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Short = "print the completion script for bash, zsh, fish or powershell"
		family(completion)
	}
	return withVersion(t, family(root))
}

// withVersion gives the root --version next to the command of that name.
func withVersion(t *terminal, root *cobra.Command) *cobra.Command {
	asked, run := false, root.RunE
	root.Flags().BoolVar(&asked, "version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if asked && len(args) == 0 {
			return showVersion(t)
		}
		return run(cmd, args)
	}
	return root
}

// A usageError is a mistake in the call; the help of the command is its hint.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usage(format string, args ...any) error { return usageError{errorf(format, args...)} }

func isUsage(err error) bool {
	var u usageError
	return errors.As(err, &u) || strings.HasPrefix(err.Error(), "unknown command ")
}
