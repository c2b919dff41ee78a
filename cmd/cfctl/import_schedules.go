package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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
  runs.sql               with --database: the same for the rows of runs,
                         resource references and ML metadata that have an old id

cfctl changes nothing. Apply all while the API server of the pipelines is
switched to the new storage: it writes its rows back into the ScheduledWorkflows
when it starts. Exit 1 when a recurring run names what was not imported. The
password of the database is taken from CFCTL_IMPORT_PASSWORD.`

// schedulesOptions is what the user chose.
type schedulesOptions struct {
	importOptions
	patches  string
	database string
}

func newPipelineSchedules(t *terminal) *cobra.Command {
	o := &schedulesOptions{importOptions: importOptions{kind: "pipelines", to: "cluster"}}
	cmd := &cobra.Command{
		Use:   "schedules",
		Short: "patches with the new ids of pipelines for recurring runs",
		Long:  schedulesLong,
		Example: `  cfctl import pipelines schedules --patches patches/
  cfctl import pipelines schedules --patches patches/ --database \
    mysql://root@127.0.0.1:3306/mlpipeline
  kubectl get scheduledworkflows -A -o yaml | cfctl import pipelines schedules \
    --from - --patches patches/`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runPipelineSchedules(cmd.Context(), t, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "cluster", "\"cluster\", a dump of the ScheduledWorkflows, a folder of them, or - for standard input")
	f.StringVar(&o.patches, "patches", "", "folder that the patches are written to")
	f.StringVar(&o.database, "database", "", "mysql://USER@HOST:PORT/DATABASE, whose rows of runs and ML metadata are read, too")
	f.StringVar(&o.namespace, "namespace", "", "only this namespace of the cluster")
	o.clusterFlags(f)
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runPipelineSchedules(ctx context.Context, t *terminal, o *schedulesOptions) error {
	var db *pipelines.Database
	if o.database != "" {
		var err error
		if db, err = pipelines.Open(o.database, t.env["CFCTL_IMPORT_PASSWORD"]); err != nil {
			return err
		}
		defer db.Close() //nolint:errcheck // it only read
	}
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
	var statements string
	var rows map[string]int64
	if db != nil {
		if statements, rows, err = imported.Rows(ctx, db); err != nil {
			return err
		}
	}
	rep := &report.Report{Command: "import pipelines schedules", Rules: pipelines.ScheduleRules}
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
	if db != nil {
		rep.Summary["rows"] = rows
	}
	if o.patches != "" {
		if err := writePatches(o.patches, list, statements); err != nil {
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
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		summary += fmt.Sprintf("; rows of %s to patch: %d", table, rows[table])
	}
	if err := o.print(t, rep, summary); err != nil {
		return err
	}
	if lost > 0 {
		return errPending
	}
	return nil
}

// writePatches writes one JSON patch for each scheduled workflow, and the
// statements for their rows and for all others in one file each.
func writePatches(dir string, list []pipelines.Schedule, statements string) error {
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
	for file, sql := range map[string]string{"recurring-runs.sql": schedules.String(), "runs.sql": statements} {
		if sql == "" {
			continue
		}
		if err := root.Write(file, []byte("START TRANSACTION;\n"+sql+"COMMIT;\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
