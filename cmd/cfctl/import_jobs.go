package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/jobs"
	"github.com/project-codeflare/cfctl/internal/objects/resources"
)

const importJobsLong = `The Deployments, CronJobs and Jobs of Toolforge tools become ContinuousJob and
ScheduledJob objects of jobs-api.toolforge.org/v1; one-off jobs with --one-off.

Running jobs are not changed: on the cluster, only get, list and create of the
stored jobs are used. Objects that the jobs API did not create are refused with
a class (hand-made, containers, unknown-version, ...). drift reports in-sync,
status-only, cosmetic, drifted with its fields, recreated, only-in-source,
only-in-target; --metrics counts them by tool.

announce prints a text for each tool with refused jobs. role prints a
ClusterRole for users; with --writer, verify and cutover check that no other
account may write.`

const importResourcesLong = `Objects of old groups, versions and kinds become the same objects under the new
ones, by the rulesets of cfctl migrate: their renames and changes of shape.

Status, finalizers and fields that the server sets are not copied, and are
reported; an owner that is imported too is referenced by its new UID. The old
objects are not changed: delete them when cutover reports that it is safe.`

// objectsFrom says what --from may be.
const objectsFrom = "\"cluster\", a dump (kubectl get -o yaml or json), a folder of them, or - for standard input"

// objectOptions are the flags of jobs and resources.
type objectOptions struct {
	oneOff   bool
	cpu      string
	rulesets []string
	set      []string
	writers  []string
}

var jobsKind = importKind{
	name:  "jobs",
	short: "Toolforge jobs that run in a cluster into stored jobs",
	long:  importJobsLong,
	from:  objectsFrom,
	example: `  cfctl import jobs VERB --from cluster
  kubectl get deployments,cronjobs -A -o yaml | cfctl import jobs VERB \
    --from - --to stored/`,
	flags: func(f *pflag.FlagSet, o *importOptions) {
		f.BoolVar(&o.objects.oneOff, "one-off", false, "import one-off jobs, too")
		f.StringVar(&o.objects.cpu, "default-cpu-limit", "500m", "CPU limit of a job that asked for none")
		f.StringVar(&o.namespace, "namespace", "", "only this namespace of the clusters, of source and target")
		f.StringSliceVar(&o.objects.rulesets, "ruleset", nil, "move the stored jobs to another version of their shape by these rulesets")
	},
	checks: func(f *pflag.FlagSet, o *importOptions) {
		f.StringSliceVar(&o.objects.writers, "writer", nil, "check that no other account may write the stored jobs: NAMESPACE/NAME, user or group; repeatable")
	},
	extra: func(t *terminal) []*cobra.Command { return []*cobra.Command{newJobsAnnounce(t), newJobsRole(t)} },
	open: func(ctx context.Context, t *terminal, o *importOptions) (objects.Kind, error) {
		k := &jobs.Kind{Namespace: o.namespace, OneOff: o.objects.oneOff, DefaultCPU: o.objects.cpu}
		var err error
		if k.Writers = o.objects.writers; len(k.Writers) > 0 {
			if o.to != "cluster" {
				return nil, usage("--writer checks the roles of a cluster: it needs --to cluster")
			}
			k.Cluster = o.cluster
		}
		if k.Source, err = o.objectSource(t, o.namespace, jobs.Sources()...); err != nil || len(o.objects.rulesets) == 0 {
			return k, err
		}
		rulesets, m, err := o.migration(ctx, t)
		k.Convert = func(job objects.Object) (objects.Object, error) {
			out, _, err := resources.Migrate(m, rulesets, job)
			return out, err
		}
		return k, err
	},
}

var resourcesKind = importKind{
	name:  "resources",
	short: "objects of old groups and versions into the new ones",
	long:  importResourcesLong,
	from:  objectsFrom,
	example: `  cfctl import resources VERB --from cluster --ruleset codeflare-groups
  kubectl get appwrappers.mcad.ibm.com -A -o yaml | cfctl import resources \
    VERB --from - --to new/ --ruleset codeflare-groups`,
	flags: func(f *pflag.FlagSet, o *importOptions) {
		f.StringSliceVar(&o.objects.rulesets, "ruleset", []string{"codeflare-groups"}, "names of built-in rulesets, files, or addresses")
		f.StringArrayVar(&o.objects.set, "set", nil, "NAME=VALUE that a ruleset asks for")
		f.StringVar(&o.namespace, "namespace", "", "only this namespace of the clusters, of source and target")
	},
	open: func(ctx context.Context, t *terminal, o *importOptions) (objects.Kind, error) {
		rulesets, m, err := o.migration(ctx, t)
		if err != nil {
			return nil, err
		}
		var kinds []objects.Resource
		if o.from == "cluster" {
			c, err := o.connect()
			if err != nil {
				return nil, err
			}
			if kinds, err = resources.Sources(ctx, c, rulesets); err != nil {
				return nil, err
			}
			if len(kinds) == 0 {
				t.note("the cluster serves no kind that the rulesets move")
			}
		}
		src, err := o.objectSource(t, o.namespace, kinds...)
		return &resources.Kind{Source: src, Rulesets: rulesets, Migration: m, Namespace: o.namespace}, err
	},
}

// migration compiles the rulesets.
func (o *importOptions) migration(ctx context.Context, t *terminal) ([]*migrate.Ruleset, *migrate.Migration, error) {
	set := map[string]string{}
	for _, s := range o.objects.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, nil, usage("--set takes NAME=VALUE, got %q", s)
		}
		set[name] = value
	}
	var list []*migrate.Ruleset
	for _, name := range o.objects.rulesets {
		rs, err := t.ruleset(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, rs)
	}
	m, err := migrate.New(migrate.Options{Rulesets: list, Set: set})
	return list, m, err
}
