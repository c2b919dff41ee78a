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

const rootLong = `cfctl moves Kubernetes API groups in source trees, keeps the support matrix of a
stack, releases the stack, and moves stored objects to new custom resources.

Exit codes, of every command and whatever --output is:
  0  nothing to say, or all done
  1  a gate's answer: there are differences, findings or pending work
  2  trouble: usage, unreadable input, network, interrupted

Configuration: .cfctl.yaml, looked for upward to the root of the git work tree.
A flag wins over a CFCTL_* environment variable, that over the file, that over
the built-in default. What names hosts that get credentials, kubeconfigs, or
places outside of the tree is not taken from a file that came with it:
docs/security.md.`

func newRoot(t *terminal) *cobra.Command {
	root := &cobra.Command{
		Use:           "cfctl",
		Short:         "migrate API groups; keep, check and release stacks of components",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			err := configure(t, cmd)
			t.reads.Store(readsOnly(cmd))
			return err
		},
	}
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.PersistentFlags().BoolVarP(&t.quiet, "quiet", "q", false, "no progress on standard error")
	root.PersistentFlags().BoolVar(&t.trustConfig, "trust-config", false, "believe the tree's .cfctl.yaml as you believe a flag: hosts, paths outside of the tree, kubeconfigs (docs/security.md)")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(helpText)
	root.SetUsageFunc(usageText)
	for _, build := range commands {
		root.AddCommand(build(t))
	}
	completeValues(t, root)
	addMan(root, t)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Short = "print the completion script for bash, zsh, fish or powershell"
		family(completion)
	}
	return withVersion(t, family(root))
}

// withVersion gives the root --version beside the command of that name.
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
