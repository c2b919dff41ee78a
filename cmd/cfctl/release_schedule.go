package main

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/project"
	"github.com/project-codeflare/cfctl/internal/release/schedule"
	"github.com/project-codeflare/cfctl/internal/report"
)

type scheduleOptions struct {
	project.Target
	date, output string
	count        int
	offline      bool
}

func newReleaseSchedule(t *terminal) *cobra.Command {
	o := &scheduleOptions{}
	cmd := onTree(t, o, "schedule", "show sprints, freeze windows and due dates", noArgs, runSchedule)
	targetFlags(cmd, &o.Target)
	f := cmd.Flags()
	f.IntVar(&o.count, "sprints", 4, "number of sprints to show, from the current one")
	f.StringVar(&o.date, "date", "", "the present day, YYYY-MM-DD (default: today)")
	f.BoolVar(&o.offline, "offline", false, "do not look up new releases of components")
	outputFlag(cmd, &o.output, "text", "text", "json", "ics")
	cmd.AddCommand(newScheduleDue(t))
	return cmd
}

func newScheduleDue(t *terminal) *cobra.Command {
	o := &scheduleOptions{}
	cmd := onTree(t, o, "due", "exit 0 on a release day, 1 on others", noArgs, runScheduleDue)
	targetFlags(cmd, &o.Target)
	cmd.Flags().StringVar(&o.date, "date", "", "the present day, YYYY-MM-DD (default: today)")
	outputFlag(cmd, &o.output, "text", "text", "json")
	return cmd
}

func runScheduleDue(_ context.Context, t *terminal, o *scheduleOptions, v *project.View, _ []string) error {
	now, err := day(o.date)
	if err != nil {
		return err
	}
	due, err := schedule.ReleaseDue(v.Config.Sprint, v.Freezes(), now)
	if err != nil {
		return hinted{err, calendarHint}
	}
	if o.output == "json" {
		err = report.WriteJSON(t.out, struct {
			Schema int `json:"schema"`
			schedule.Due
		}{1, due})
	} else {
		_, err = report.Fprintf(t.out, "%s\n", due.Line())
	}
	return cmp.Or(err, pendingIf(!due.Today))
}

const calendarHint = "declare matrix.sprint in .cfctl.yaml: {start: YYYY-MM-DD, weeks: 3}"

func runSchedule(ctx context.Context, t *terminal, o *scheduleOptions, v *project.View, _ []string) error {
	if o.count < 1 || o.count > 200 {
		return usage("--sprints must be from 1 to 200")
	}
	now, err := day(o.date)
	if err != nil {
		return err
	}
	sprints, err := schedule.Sprints(v.Config.Sprint, now, o.count)
	if err != nil {
		return hinted{err, calendarHint}
	}
	freezes := schedule.Freezes(v.Freezes(), sprints)
	var deadlines []schedule.Deadline
	if !o.offline {
		cache, err := v.Sources(ctx)
		if err == nil {
			deadlines, err = schedule.Deadlines(ctx, v.Stack, v.Config, v.Tree, cache, func(repository string) { t.status("%s", repository) })
		}
		if err != nil {
			return remoteHint(err, "leave new releases out with --offline")
		}
	}
	switch o.output {
	default: // text
		return schedule.WriteSchedule(t.out, sprints, freezes, deadlines)
	case "json":
		return report.WriteJSON(t.out, map[string]any{"schema": 1, "sprints": sprints, "freezes": append([]schedule.Freeze{}, freezes...), "deadlines": append([]schedule.Deadline{}, deadlines...)})
	case "ics":
		return schedule.WriteICS(t.out, v.Stack.Name, sprints, freezes, deadlines)
	}
}
