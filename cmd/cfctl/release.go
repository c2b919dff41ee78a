package main

import (
	"github.com/spf13/cobra"
)

// releaseCommands are the subcommands of `cfctl release`, in the order of its
// help text.
var releaseCommands = []func(*terminal) *cobra.Command{
	newReleasePropose,
	newReleasePlan,
	newReleaseRun,
	newReleaseStatus,
	newReleaseWhy,
	newReleaseApprove,
	newReleaseSkip,
	newReleaseAbort,
	newReleaseHotfix,
	newReleaseVerify,
	newReleaseBump,
	newReleaseNotes,
	newReleaseBundle,
	newReleaseImages,
	newReleaseAudit,
	newReleaseSchedule,
}

func newRelease(t *terminal) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "release",
		Short: "release a stack of components, step by step",
		Long: `Release a stack of components. Each command is also useful alone.

A command that writes, tags or pushes says so in its help.`,
	}
	for _, build := range releaseCommands {
		cmd.AddCommand(build(t))
	}
	return family(cmd)
}
