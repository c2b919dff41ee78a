package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/versions"
	"github.com/project-codeflare/cfctl/internal/wire"
)

type releaseNotesOptions struct {
	project.Target
	since, highlights, output string
}

func newReleaseNotes(t *terminal) *cobra.Command {
	o := &releaseNotesOptions{}
	cmd := onTree(t, o, "notes VERSION [COMPONENT VERSION]...", "write release notes from the changes of every component", nil, runReleaseNotes)
	targetFlags(cmd, &o.Target)
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "previous release (default: the highest lower tag)")
	f.StringVar(&o.highlights, "highlights", "", "file with Markdown to put first; - = standard input")
	outputFlag(cmd, &o.output, "markdown", "markdown", "json")
	return cmd
}

func runReleaseNotes(ctx context.Context, t *terminal, o *releaseNotesOptions, v *project.View, args []string) error {
	if len(args) == 0 {
		return usage("release notes needs a version")
	}
	version := "v" + strings.TrimPrefix(args[0], "v")
	if !versions.IsVersion(version) {
		return usage("version %q is not a semantic version vMAJOR.MINOR.PATCH", version)
	}
	if v.Repo == nil {
		return usage("%s is in no git repository", o.Dir)
	}
	var highlights []byte
	if o.highlights != "" {
		var err error
		if highlights, err = t.read(o.highlights); err != nil {
			return err
		}
	}
	bumps, err := matrix.ReadBumps(v.Stack, args[1:])
	if err != nil {
		return project.UsageOf(err)
	}
	now, before, err := v.Compared(ctx, version, o.since, bumps)
	if err != nil {
		return err
	}
	cache, err := v.Sources(ctx)
	if err != nil {
		return err
	}
	t.status("reading the components' repositories")
	head := cmp.Or(o.Ref, "HEAD")
	from := project.History{Remotes: &ports.Remotes{Cache: cache, Queue: &wire.Queue{Sleep: wire.Sleep, Retries: 2}}, View: v, Head: head}
	defer func() { _ = from.Close() }() // only reading was done
	log, err := notes.New(ctx, v.Stack, from, steps.ForNotes(v.Stack, now), steps.ForNotes(v.Stack, before), string(highlights))
	if err != nil {
		return remoteHint(err, "")
	}
	return showChangelog(t, o.output, log)
}

func showChangelog(t *terminal, output string, log *notes.Changelog) error {
	var err error
	if output == "json" {
		err = report.WriteJSON(t.out, log)
	} else {
		err = log.WriteMarkdown(t.out)
	}
	if err != nil {
		return err
	}
	for _, c := range log.Problems() {
		t.note("%s %s: what changed is not known: %s", c.Name, c.Version, c.Problem)
	}
	return pendingIf(len(log.Problems()) > 0)
}
