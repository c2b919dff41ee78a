package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/report"
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

func newRoot(t *terminal) *cobra.Command {
	root := &cobra.Command{
		Use:               "cfctl",
		Short:             "rename Kubernetes API groups; check and release stacks of components",
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return configure(t, cmd) },
	}
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.PersistentFlags().BoolVarP(&t.quiet, "quiet", "q", false, "no progress on standard error")
	root.PersistentFlags().BoolVar(&t.TrustConfig, "trust-config", false, "allow the repository's .cfctl.yaml to set hosts, kubeconfigs and paths outside of the tree")
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
		asFamily(completion)
	}
	return withVersion(t, asFamily(root))
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

// usage makes the error of a mistake in the call; the help of the command is its hint.
func usage(format string, args ...any) error { return project.Usage(format, args...) }

func isUsage(err error) bool {
	_, ok := errors.AsType[project.UsageError](err)
	return ok || strings.HasPrefix(err.Error(), "unknown command ")
}

// Set by the linker (.goreleaser.yaml, Makefile). A plain `go install` leaves
// them empty; then the module version and the VCS stamp of the build are in.
var version, commit, date string

// A buildInfo says which cfctl this is. Commit and Date are empty when the
// build did not know them.
type buildInfo struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func build() buildInfo {
	b := buildInfo{1, version, commit, date, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(b.Version, info.Main.Version)
	if b.Version == "" {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && b.Commit == "":
			b.Commit = s.Value
		case s.Key == "vcs.time" && b.Date == "":
			b.Date = s.Value
		}
	}
	return b
}

func newVersion(t *terminal) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version, the commit and the date of this build",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if output == "json" {
				return report.WriteJSON(t.out, build())
			}
			return showVersion(t)
		},
	}
	outputFlag(cmd, &output, "text", "text", "json")
	return cmd
}

// showVersion prints this build in one line.
func showVersion(t *terminal) error {
	b := build()
	line := "cfctl " + b.Version
	if b.Commit != "" {
		line += ", commit " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Date != "" {
		line += ", " + b.Date
	}
	_, err := fmt.Fprintf(t.out, "%s, %s %s/%s\n", line, b.Go, b.OS, b.Arch)
	return err
}
