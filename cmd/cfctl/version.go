package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/spf13/cobra"
)

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
