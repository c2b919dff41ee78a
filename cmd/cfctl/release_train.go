package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/project"
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
	return family("release", "release a stack of components, step by step",
		lists.Of(releaseCommands, func(build func(*terminal) *cobra.Command) *cobra.Command { return build(t) })...)
}

// trainOptions are what the commands of the train have in common.
type trainOptions struct {
	project.Options
	failOn failure
}

func (o *trainOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Dir, "repo", ".", "work tree with the configuration and the journal")
	f.StringSliceVar(&o.Pins, "component", nil, "version of a component, NAME=VERSION, in addition to those of the matrix")
	choiceFlag(cmd, &o.State, "state", "", "auto", []string{"auto", "file", "git"}, "--state", "where the journal is: .cfctl/releases, or a ref of the root (default in a CI job); ")
	bind(f, "state", "release.state")
}

// servers adds the flags of commands that talk to servers.
func (o *trainOptions) servers(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&o.Distance, "distance", time.Second, "time between two mutating requests to one server")
	f.DurationVar(&o.Poll, "poll", time.Minute, "time between two polls while waiting")
	bind(f, "distance", "release.distance")
	bind(f, "poll", "release.poll")
}
