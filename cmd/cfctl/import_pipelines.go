package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/operatorconfig"
	"github.com/project-codeflare/cfctl/internal/objects/pipelines"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// pipelineOptions are the flags that only this kind has.
type pipelineOptions struct {
	shared, ca, objectStore string
	namespaces              []string
}

var pipelinesKind = importKind{
	name:  "pipelines",
	short: "Kubeflow pipelines of a server or files into custom resources",
	from:  "mysql://USER@HOST:PORT/DATABASE, https://HOST of the REST API, or a compiled pipeline or a folder of them",
	example: `  cfctl import pipelines VERB --from \
    mysql://root@127.0.0.1:3306/mlpipeline --shared-namespace kubeflow
  cfctl import pipelines VERB --from \
    mysql://root@127.0.0.1:3306/mlpipeline --object-store \
    http://127.0.0.1:9000/mlpipeline
  cfctl import pipelines VERB --from https://kfp.example.com --ca-file \
    ca.pem --to manifests --shared-namespace kubeflow
  cfctl import pipelines VERB --from compiled/ --to manifests \
    --shared-namespace kubeflow`,
	flags: func(f *pflag.FlagSet, o *importOptions) {
		f.StringVar(&o.pipelines.shared, "shared-namespace", "", "where pipelines without a namespace go: shared ones, and all of a single-user server")
		f.StringSliceVar(&o.pipelines.namespaces, "namespace", nil, "only the pipelines of these namespaces, and shared ones")
		f.StringVar(&o.pipelines.ca, "ca-file", "", "certificates that sign those of the REST API and the object store (default: the system's)")
		f.StringVar(&o.pipelines.objectStore, "object-store", "", "https://HOST/BUCKET/FOLDER of MinIO or S3, for definitions that --from has not")
		bind(f, "shared-namespace", "import.shared-namespace")
	},
	open:  openPipelines,
	extra: func(t *terminal) []*cobra.Command { return []*cobra.Command{newPipelineSchedules(t)} },
}

func openPipelines(ctx context.Context, t *terminal, o *importOptions) (objects.Kind, error) {
	k := &pipelines.Kind{Shared: o.pipelines.shared, Namespaces: o.pipelines.namespaces, Meter: &o.meter}
	var err error
	switch {
	case o.from == "": // rollback needs none
	case strings.HasPrefix(o.from, "mysql://"):
		k.Store, err = pipelines.Open(o.from, t.Env["CFCTL_IMPORT_PASSWORD"])
	case strings.HasPrefix(o.from, "http://"), strings.HasPrefix(o.from, "https://"):
		k.Store, err = o.restPipelines(ctx, t)
	case strings.Contains(o.from, "://"):
		return nil, usage("--from %s: %s", o.from, "mysql, http and https are the known schemes")
	default:
		if _, err = os.Stat(o.from); err == nil {
			k.Store = &pipelines.Files{Root: o.from}
		}
	}
	if err == nil && o.pipelines.objectStore != "" {
		k.Objects, err = pipelines.OpenObjectStore(o.pipelines.objectStore, o.pipelines.ca, pipelines.Credentials{
			ID: t.Env["AWS_ACCESS_KEY_ID"], Secret: t.Env["AWS_SECRET_ACCESS_KEY"], Session: t.Env["AWS_SESSION_TOKEN"],
			Region: cmp.Or(t.Env["AWS_REGION"], "us-east-1"), // MinIO's, unless another was set
		}, t.wait)
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// restPipelines opens the REST API. In multi-user mode a list shows one
// namespace; where none is named, those of the target cluster are asked for.
func (o *importOptions) restPipelines(ctx context.Context, t *terminal) (pipelines.Store, error) {
	r, err := pipelines.Dial(o.from, t.Env["CFCTL_IMPORT_TOKEN"], o.pipelines.ca, o.pipelines.namespaces, t.wait)
	if err != nil {
		return nil, err
	}
	multi, err := r.MultiUser(ctx)
	if err != nil {
		return nil, hinted{err, "check the URL; a token is taken from CFCTL_IMPORT_TOKEN, certificates from --ca-file"}
	}
	if !multi || len(o.pipelines.namespaces) > 0 {
		return r, nil
	}
	if o.to != "cluster" {
		return nil, hinted{errorf("%s is in multi-user mode: its namespaces must be named", o.from), "--namespace NAMESPACE,NAMESPACE"}
	}
	c, err := o.connect(t)
	if err != nil {
		return nil, err
	}
	var names []string
	err = c.List(ctx, objects.Resource{APIVersion: "v1", Kind: "Namespace", Plural: "namespaces"}, func(ns objects.Object) error {
		names = append(names, objects.RefOf(ns).Name)
		return nil
	})
	r.SetNamespaces(names)
	return r, err
}

// schedulesOptions is what the user chose.
type schedulesOptions struct {
	importOptions
	patches  string
	database string
}

func newPipelineSchedules(t *terminal) *cobra.Command {
	o := &schedulesOptions{importOptions: importOptions{kind: "pipelines", to: "cluster"}}
	cmd := command(t, o, "schedules", "patches with the new ids of pipelines for recurring runs", runPipelineSchedules)
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
		if db, err = pipelines.Open(o.database, t.Env["CFCTL_IMPORT_PASSWORD"]); err != nil {
			return err
		}
		defer db.Close() //nolint:errcheck // it only read
	}
	target, err := o.connect(t)
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
	return pendingIf(lost > 0)
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
	sql := map[string]string{"recurring-runs.sql": schedules.String(), "runs.sql": statements}
	for _, file := range slices.Sorted(maps.Keys(sql)) {
		if sql[file] == "" {
			continue
		}
		if err := root.Write(file, []byte("START TRANSACTION;\n"+sql[file]+"COMMIT;\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// operatorConfigOptions are the flags that only this kind has.
type operatorConfigOptions struct {
	version, name, secret string
}

var operatorConfigKind = importKind{
	name:  "operator-config",
	short: "MCAD and InstaScale options into the operator's ConfigMap",
	from:  "\"cluster\", a manifest, a folder of manifests, or - for standard input",
	example: `  kubectl get mcads,instascales -A -o yaml | cfctl import operator-config \
    VERB --from - --to manifests
  kubectl get deployments,configmaps -A -o yaml | cfctl import operator-config \
    VERB --from - --to out --namespace operators
  cfctl import operator-config VERB --from cluster --for v1.2.0`,
	flags: func(f *pflag.FlagSet, o *importOptions) {
		f.StringVar(&o.operator.version, "for", operatorconfig.DefaultVersion, "version of the operator that reads the ConfigMap")
		f.StringVar(&o.operator.name, "name", operatorconfig.DefaultMapName, "name of the ConfigMap, the operator's --config")
		f.StringVar(&o.namespace, "namespace", "", "namespace of the operator (default: that of the resources; needed for Deployments)")
		f.StringVar(&o.operator.secret, "ocm-secret", "", "NAMESPACE/NAME of the OCM Secret, when machine pools are used")
	},
	open: func(ctx context.Context, t *terminal, o *importOptions) (objects.Kind, error) {
		src, err := o.objectSource(t, "", operatorconfig.Sources()...)
		if err != nil {
			return nil, err
		}
		k := &operatorconfig.Kind{
			Source: src, Namespace: o.namespace, MapName: o.operator.name,
			Version: o.operator.version, OCMSecret: o.operator.secret,
		}
		if o.from == "cluster" {
			k.ConfigMap = func(ref objects.Ref) (objects.Object, error) {
				return o.cluster.Get(ctx, objects.Resource{APIVersion: ref.APIVersion, Kind: ref.Kind}, ref)
			}
		}
		return k, nil
	},
	extra: func(t *terminal) []*cobra.Command { return []*cobra.Command{newOperatorConfigLint(t)} },
}

func newOperatorConfigLint(t *terminal) *cobra.Command {
	o := &importOptions{kind: "operator-config"}
	cmd := &cobra.Command{
		Use:   "lint FILE --for VERSION",
		Short: "check an existing ConfigMap for one version of the operator",
		Args:  argsOf(1, 1, "one FILE"),
		RunE:  func(_ *cobra.Command, args []string) error { return runOperatorConfigLint(t, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.operator.version, "for", "", "version of the operator")
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runOperatorConfigLint(t *terminal, o *importOptions, path string) error {
	if o.operator.version == "" {
		return usage("--for is needed: the version of the operator")
	}
	data, err := t.read(path)
	if err != nil {
		return err
	}
	if path == "-" {
		path = "stdin"
	}
	findings, err := operatorconfig.Lint(filepath.ToSlash(path), data, o.operator.version)
	if err != nil {
		return err
	}
	rep := &report.Report{Command: "import operator-config lint", Rules: operatorconfig.LintRules, Findings: findings}
	summary := fmt.Sprintf("%d errors, %d warnings", rep.Count(report.Error), rep.Count(report.Warning))
	if err := o.print(t, rep, summary); err != nil {
		return err
	}
	return pendingIf(rep.Count(report.Error) > 0)
}
