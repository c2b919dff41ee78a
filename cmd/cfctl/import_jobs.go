package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/project-codeflare/cfctl/internal/migrate"
	"github.com/project-codeflare/cfctl/internal/migration"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/jobs"
	"github.com/project-codeflare/cfctl/internal/objects/resources"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

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
			c, err := o.connect(t)
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
		rs, err := migration.Ruleset(ctx, &t.User, name)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, rs)
	}
	m, err := migrate.New(migrate.Options{Rulesets: list, Set: set})
	return list, m, err
}

// announceOptions is what the user chose.
type announceOptions struct {
	importOptions
	deadline, texts string
}

func newJobsAnnounce(t *terminal) *cobra.Command {
	o := &announceOptions{importOptions: importOptions{kind: "jobs"}}
	cmd := command(t, o, "announce", "a text for each tool about its jobs that cannot be stored", runJobsAnnounce)
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", objectsFrom)
	f.StringVar(&o.deadline, "deadline", "", "last day on which the jobs API shows these jobs, YYYY-MM-DD")
	f.StringVar(&o.texts, "texts", "", "folder that the texts are written to, instead of standard output")
	f.BoolVar(&o.objects.oneOff, "one-off", false, "include one-off jobs")
	f.StringVar(&o.namespace, "namespace", "", "only this namespace of the cluster")
	o.clusterFlags(f)
	findingsFlags(t, cmd, &o.output)
	return cmd
}

func runJobsAnnounce(ctx context.Context, t *terminal, o *announceOptions) error {
	if o.from == "" {
		return usage("--from is needed: %s", objectsFrom)
	}
	deadline, err := time.Parse(time.DateOnly, o.deadline)
	if err != nil {
		return usage("--deadline needs a day such as 2027-03-01, got %q", o.deadline)
	}
	src, err := o.objectSource(t, o.namespace, jobs.Sources()...)
	if err != nil {
		return err
	}
	list, err := jobs.Announcements(ctx, &jobs.Kind{Source: src, Namespace: o.namespace, OneOff: o.objects.oneOff})
	if err != nil {
		return err
	}
	rep := &report.Report{Command: "import jobs announce", Rules: objects.Reasons}
	tools, refused := map[string]int{}, 0
	for _, a := range list {
		if a.Tool != "" {
			refused += len(a.Jobs)
			tools[a.Tool] = len(a.Jobs)
		}
		if a.Tool == "" || o.output != "text" {
			rep.Findings = append(rep.Findings, a.Jobs...)
		}
	}
	if err := o.writeTexts(t, list, deadline); err != nil {
		return err
	}
	rep.Summary = map[string]any{"tools": tools, "deadline": o.deadline}
	return o.print(t, rep, fmt.Sprintf("%s of %s cannot be stored", report.Plural(refused, "job"), report.Plural(len(tools), "tool")))
}

// writeTexts writes the text of each tool where it was asked for.
func (o *announceOptions) writeTexts(t *terminal, list []*jobs.Announcement, deadline time.Time) error {
	var root *source.Root
	if o.texts != "" {
		var err error
		if root, err = source.OutputRoot(o.texts); err != nil {
			return err
		}
		defer root.Close() //nolint:errcheck // everything is on the disk
	}
	for _, a := range list {
		var err error
		switch {
		case a.Tool == "":
		case root != nil:
			err = root.Write(a.Tool+".txt", []byte(a.Text(deadline)), 0o644)
		case o.output == "text":
			_, err = fmt.Fprintln(t.out, a.Text(deadline)) // the names in it are made visible
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newJobsRole(t *terminal) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:   "role",
		Short: "print a ClusterRole that makes the stored jobs read-only for users",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if !objects.ValidName(name) {
				return usage("--name %q is no DNS-1123 name", name)
			}
			text, err := objects.Manifest(jobs.Role(name))
			if err != nil {
				return err
			}
			_, err = t.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&name, "name", "stored-jobs-viewer", "name of the ClusterRole")
	return cmd
}
