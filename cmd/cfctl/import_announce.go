package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/objects/jobs"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

const announceLong = `Print a text for each tool that has jobs which cannot be stored: the jobs, why
each is refused, what to do, and the day after which the jobs API does not show
them any more. --texts writes one file for each tool, named after it.

The texts name no recipients, and nothing is sent. Jobs of namespaces that
belong to no tool are reported as findings. Exit 0 also with refused jobs.`

// announceOptions is what the user chose.
type announceOptions struct {
	importOptions
	deadline, texts string
}

func newJobsAnnounce(t *terminal) *cobra.Command {
	o := &announceOptions{importOptions: importOptions{kind: "jobs"}}
	cmd := &cobra.Command{
		Use:   "announce",
		Short: "a text for each tool about its jobs that cannot be stored",
		Long:  announceLong,
		Example: `  cfctl import jobs announce --from cluster --deadline 2027-03-01 --texts \
    announcements/
  kubectl get deployments,cronjobs -A -o yaml | cfctl import jobs announce \
    --from - --deadline 2027-03-01`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runJobsAnnounce(cmd.Context(), t, o) },
	}
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
	rep := &report.Report{Command: "import jobs announce", Rules: importReasons}
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

const jobsRoleLong = `Print a ClusterRole with which users read the stored jobs and do not write them.
It is aggregated to the role view, and so to edit and admin.

Roles only add rights: the stored jobs are read-only for users if no other role
permits to write them. verify and cutover check that with --writer.`

func newJobsRole(t *terminal) *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:   "role",
		Short: "print a ClusterRole that makes the stored jobs read-only for users",
		Long:  jobsRoleLong,
		Example: `  cfctl import jobs role | kubectl apply -f -
  cfctl import jobs verify --from cluster --writer jobs-api/jobs-api`,
		Args: noArgs,
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
