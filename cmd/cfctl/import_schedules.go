package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/objects/pipelines"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const schedulesLong = `Recurring runs name their pipeline, and the version unless they follow the
latest, by the ids of the database. After the import these are the UIDs of the
new objects. schedules finds every ScheduledWorkflow that still has an old id,
and with --patches writes what to change:

  NAMESPACE/NAME.json    a JSON patch for kubectl that tests each id it replaces
  recurring-runs.sql     the same for the rows of table jobs

cfctl changes nothing. Apply all while the API server of the pipelines is
switched to the new storage: it writes its rows back into the ScheduledWorkflows
when it starts. Exit 1 when a recurring run names what was not imported.`

// schedulesOptions is what the user chose.
type schedulesOptions struct {
	importOptions
	patches string
}

func newPipelineSchedules(t *terminal) *cobra.Command {
	o := &schedulesOptions{importOptions: importOptions{kind: "pipelines", to: "cluster"}}
	cmd := &cobra.Command{
		Use:   "schedules",
		Short: "patches that let recurring runs follow their pipelines to the new ids",
		Long:  schedulesLong,
		Example: `  cfctl import pipelines schedules --patches patches/
  kubectl get scheduledworkflows -A -o yaml | cfctl import pipelines schedules --from - --patches patches/`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPipelineSchedules(cmd.Context(), t, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "cluster", "\"cluster\", a dump of the ScheduledWorkflows, a folder of them, or - for standard input")
	f.StringVar(&o.patches, "patches", "", "folder that the patches are written to")
	f.StringVar(&o.namespace, "namespace", "", "only this namespace of the cluster")
	o.clusterFlags(f)
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runPipelineSchedules(ctx context.Context, t *terminal, o *schedulesOptions) error {
	target, err := o.connect()
	if err != nil {
		return err
	}
	src, err := o.objectSource(t, o.namespace, pipelines.ScheduledWorkflows)
	if err != nil {
		return err
	}
	imported, err := pipelines.Follow(ctx, target)
	if err != nil {
		return err
	}
	list, err := imported.Schedules(ctx, src)
	if err != nil {
		return err
	}
	rep := &report.Report{Command: "import pipelines schedules", Version: build().Version, Rules: pipelines.ScheduleRules}
	var commands []string
	for _, s := range list {
		if s.Finding != nil {
			rep.Findings = append(rep.Findings, *s.Finding)
		}
		if s.Patch != nil {
			commands = append(commands, s.Command(filepath.ToSlash(filepath.Join(o.patches, s.File()))))
		}
	}
	rep.Summary = map[string]any{"schedules": len(list), "patches": len(commands)}
	if o.patches != "" {
		if err := writePatches(o.patches, list); err != nil {
			return err
		}
		if o.output == "text" {
			for _, c := range commands {
				report.Fprintf(t.out, "%s\n", c)
			}
		}
	}
	lost := rep.Count(report.Error)
	summary := fmt.Sprintf("%d recurring runs, %d to patch, %d not imported", len(list), len(commands), lost)
	if err := o.print(t, rep, summary); err != nil {
		return err
	}
	if lost > 0 {
		return errPending
	}
	return nil
}

// writePatches writes one JSON patch for each scheduled workflow, and the
// statements for their rows in one file.
func writePatches(dir string, list []pipelines.Schedule) error {
	root, err := source.OutputRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // everything is on the disk
	var schedules strings.Builder
	for _, s := range list {
		if s.Patch == nil {
			continue
		}
		schedules.WriteString(s.SQL)
		if err := root.Write(s.File(), s.Patch, 0o644); err != nil {
			return err
		}
	}
	if schedules.Len() == 0 {
		return nil
	}
	return root.Write("recurring-runs.sql", []byte("START TRANSACTION;\n"+schedules.String()+"COMMIT;\n"), 0o644)
}
