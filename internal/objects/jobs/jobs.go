// Package jobs turns the Deployments, CronJobs and Jobs of Toolforge tools into
// ContinuousJob and ScheduledJob objects (and one-off ones, on request) of
// jobs-api.toolforge.org/v1.
//
// The user's own words lie in labels and annotations: e-mails, file logging,
// mounts, the cron text. What is a default is not frozen into the stored job,
// and the source object is not embedded: its UID, resourceVersion and digests
// are, as annotations. The import reads, and creates custom resources; it
// does nothing else.
package jobs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// The API of the stored jobs.
const apiVersion = "jobs-api.toolforge.org/v1"

// The labels and annotations of jobs that the API created.
const (
	managedBy  = "app.kubernetes.io/managed-by"
	createdBy  = "app.kubernetes.io/created-by"
	component  = "app.kubernetes.io/component"
	jobVersion = "app.kubernetes.io/version"
	framework  = "toolforge-jobs-framework"
	filelogKey = "jobs.toolforge.org/filelog"
	emailsKey  = "jobs.toolforge.org/emails"
	mountKey   = "toolforge.org/mount-storage"
	formatKey  = "jobs.toolforge.org/command-new-format"
	cronKey    = "jobs.toolforge.org/cron-expression"
)

// A shape is what one kind of Kubernetes object means as a job.
type shape struct {
	kind, api, plural string // of the source
	component         string // the value of its component label
	jobType           string
	target            string // kind of the stored job
	resource          string // plural of the stored job
}

var shapes = []shape{
	{"Deployment", "apps/v1", "deployments", "deployments", "continuous", "ContinuousJob", "continuous-jobs"},
	{"CronJob", "batch/v1", "cronjobs", "cronjobs", "scheduled", "ScheduledJob", "scheduled-jobs"},
	{"Job", "batch/v1", "jobs", "jobs", "one-off", "OneOffJob", "one-off-jobs"},
}

// Sources are the kinds of objects that are read from a cluster.
func Sources() []objects.Resource {
	return lists.Of(shapes, func(s shape) objects.Resource {
		return objects.Resource{APIVersion: s.api, Kind: s.kind, Plural: s.plural}
	})
}

// A Kind is `cfctl import jobs`.
type Kind struct {
	Source     objects.Source
	Namespace  string                                       // where the target is checked; empty = everywhere
	OneOff     bool                                         // import one-off jobs, too
	DefaultCPU string                                       // limit of a job that asked for the default CPU; empty = 500m
	Convert    func(objects.Object) (objects.Object, error) // moves a stored job to another version of its shape; nil = none

	Cluster *objects.Cluster // where Check reads the roles; nil = nothing is checked
	Writers []string         // who may write the stored jobs, see objects.Writers

	passed objects.Passed
}

// Name implements objects.Kind.
func (k *Kind) Name() string { return "jobs" }

// Resources implements objects.Kind.
func (k *Kind) Resources() []objects.Resource {
	var list []objects.Resource
	for _, s := range shapes {
		if s.jobType != "one-off" || k.OneOff {
			list = append(list, objects.Resource{APIVersion: apiVersion, Kind: s.target, Plural: s.resource, Namespace: k.Namespace})
		}
	}
	return list
}

// Items implements objects.Kind.
func (k *Kind) Items(ctx context.Context, emit func(*objects.Item) error) error {
	k.passed = objects.Passed{}
	return k.Source.Objects(ctx, func(r objects.Record) error {
		if r.Err != nil {
			return emit(objects.UnreadableItem(r))
		}
		i := slices.IndexFunc(shapes, func(s shape) bool { return s.kind == objects.RefOf(r.Object).Kind })
		if i < 0 && r.Object["kind"] == nil {
			return emit(objects.UnreadableItem(objects.Typed(r)))
		}
		if why := k.passes(i, r.Object); why != "" {
			k.passed.Add(cmp.Or(objects.Text(r.Object, "kind"), "object"), why)
			return nil
		}
		return emit(k.item(shapes[i], r))
	})
}

// passes says why an object is none of the jobs that are stored: no job at all,
// what a CronJob started, and one-off jobs that were not asked for. Empty = it
// is one.
func (k *Kind) passes(i int, o objects.Object) string {
	switch {
	case i < 0:
		return "no kind of a job"
	case shapes[i].jobType != "one-off":
		return ""
	case ownedByCronJob(o):
		return "started by a CronJob"
	case !k.OneOff:
		return "one-off jobs are imported with --one-off"
	}
	return ""
}

// PassedOver tells what of the source is no job.
func (k *Kind) PassedOver() []report.Finding { return k.passed.Findings() }

func ownedByCronJob(o objects.Object) bool {
	return slices.ContainsFunc(objects.List(o, "metadata", "ownerReferences"), func(ref any) bool {
		m, ok := ref.(map[string]any)
		return ok && m["kind"] == "CronJob"
	})
}

// item reads one job. Nothing in an object can make it panic: every field is
// looked for, none is expected.
func (k *Kind) item(s shape, r objects.Record) *objects.Item {
	o := r.Object
	it := &objects.Item{Origin: objects.OriginOf(r)}
	it.Origin.Kind = cmp.Or(it.Origin.Kind, s.kind)
	if it.Refused = refuse(s, o); it.Refused != nil {
		return it
	}
	j := &job{shape: s, object: o, it: it, defaultCPU: k.DefaultCPU}
	spec, refusal := j.read()
	if it.Refused = refusal; refusal != nil {
		return it
	}
	it.Want = objects.Object{
		"apiVersion": apiVersion, "kind": s.target,
		"metadata": objects.Object{"name": it.Origin.Name, "namespace": it.Origin.Namespace},
		"spec":     spec,
	}
	it.Mark = mark(o)
	it.Raw = objects.Digest(objects.Normal(o))
	if k.Convert == nil {
		return it
	}
	converted, err := k.Convert(it.Want)
	if err != nil {
		it.Want, it.Refused = nil, &objects.Refusal{Reason: "not-converted", Message: err.Error()}
		return it
	}
	it.Want = converted
	return it
}

// refuse classifies what the API did not make.
func refuse(s shape, o objects.Object) *objects.Refusal {
	labels := objects.Map(o, "metadata", "labels")
	hint := "create the job through the API, or delete the object"
	containers := objects.List(template(s, o), "spec", "containers")
	switch by, version := labels[managedBy], labels[jobVersion]; {
	case objects.Text(o, "metadata", "name") == "" || objects.Text(o, "metadata", "namespace") == "":
		return &objects.Refusal{Reason: "no-identity", Message: "it has no name or no namespace"}
	case by == nil:
		return &objects.Refusal{Reason: "hand-made", Message: "it has no label " + managedBy + ": it was made by hand", Hint: hint}
	case by != framework:
		return &objects.Refusal{Reason: "other-manager", Message: fmt.Sprintf("%v manages it, not the jobs API", by), Hint: hint}
	case labels[component] != nil && labels[component] != s.component:
		return &objects.Refusal{Reason: "other-component", Message: fmt.Sprintf("its label says %v, and it is a %s", labels[component], s.kind), Hint: hint}
	case version != nil && version != "1" && version != "2":
		return &objects.Refusal{Reason: "unknown-version", Message: fmt.Sprintf("its label %s is %v; 1 and 2 are known", jobVersion, version), Hint: "use a later cfctl"}
	case len(containers) != 1:
		return &objects.Refusal{Reason: "containers", Message: fmt.Sprintf("it has %d containers; a job has one", len(containers)), Hint: hint}
	case !strings.HasPrefix(objects.Text(o, "metadata", "namespace"), "tool-"):
		return &objects.Refusal{Reason: "no-tool", Message: "its namespace is not tool-NAME", Hint: hint}
	}
	return nil
}

// template is the pod template of an object.
func template(s shape, o objects.Object) objects.Object {
	if s.jobType == "scheduled" {
		return objects.Map(o, "spec", "jobTemplate", "spec", "template")
	}
	return objects.Map(o, "spec", "template")
}

// cosmetic are annotations that tools write next to what they do.
var cosmetic = []string{
	"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision", "kubectl.kubernetes.io/restartedAt",
	"kubernetes.io/change-cause", "batch.kubernetes.io/cronjob-scheduled-timestamp",
}

// mark is what of an object means something: without status, the server's own
// fields, and the annotations of tools; quantities in one spelling.
func mark(o objects.Object) objects.Object {
	n := objects.Copy(objects.Normal(o))
	meta := objects.Map(n, "metadata")
	for _, at := range []objects.Object{meta, objects.Map(n, "spec", "template", "metadata"), objects.Map(n, "spec", "jobTemplate", "spec", "template", "metadata")} {
		notes := objects.Map(at, "annotations")
		for _, key := range cosmetic {
			delete(notes, key)
		}
		delete(at, "creationTimestamp")
		for key, value := range at {
			if m, ok := value.(map[string]any); ok && len(m) == 0 || value == nil {
				delete(at, key)
			}
		}
	}
	quantities(n)
	return n
}

// quantities spells every amount under resources in its canonical form.
func quantities(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, part := range []string{"limits", "requests"} {
			amounts := objects.Map(v, "resources", part)
			for name, amount := range amounts {
				amounts[name] = canonical(amount)
			}
		}
		for _, x := range v {
			quantities(x)
		}
	case []any:
		for _, x := range v {
			quantities(x)
		}
	}
}

// note adds what a user should know about a job.
func (j *job) note(rule string, severity report.Severity, format string, args ...any) {
	j.it.Notes = append(j.it.Notes, j.it.Origin.Finding(rule, severity, fmt.Sprintf(format, args...)))
}

// Tool is the tool that a namespace belongs to, or "".
func (k *Kind) Tool(namespace string) string {
	tool, found := strings.CutPrefix(namespace, "tool-")
	if !found || !objects.ValidName(tool) {
		return ""
	}
	return tool
}

// Check implements objects.Checker: only Writers may write the stored jobs.
// Without Cluster nothing is checked.
func (k *Kind) Check(ctx context.Context) ([]report.Finding, error) {
	if k.Cluster == nil {
		return nil, nil
	}
	return objects.Writers(ctx, k.Cluster, stored(), k.Writers)
}

// Role is the ClusterRole with which users only read the stored jobs.
func Role(name string) objects.Object { return objects.ReadOnlyRole(name, stored()) }

// stored are all kinds of stored jobs.
func stored() []objects.Resource { return (&Kind{OneOff: true}).Resources() }

// An Announcement tells the maintainers of one tool which of its jobs cannot
// be stored. Those that belong to no tool are under the empty name.
type Announcement struct {
	Tool string
	Jobs []report.Finding // why each is refused
	list []*objects.Item
}

// Announcements are the refused jobs of a source, sorted by tool.
func Announcements(ctx context.Context, k *Kind) ([]*Announcement, error) {
	tools := map[string]*Announcement{}
	err := k.Items(ctx, func(it *objects.Item) error {
		if it.Refused == nil {
			return nil
		}
		tool := k.Tool(it.Origin.Namespace)
		if tools[tool] == nil {
			tools[tool] = &Announcement{Tool: tool}
		}
		f := it.Origin.Finding(it.Refused.Reason, report.Error, it.Refused.Message)
		f.Hint = it.Refused.Hint
		tools[tool].Jobs = append(tools[tool].Jobs, f)
		tools[tool].list = append(tools[tool].list, it)
		return nil
	})
	all := lists.Of(slices.Sorted(maps.Keys(tools)), func(tool string) *Announcement { return tools[tool] })
	return all, err
}

// Text is the announcement as a letter, with the day after which the jobs API
// does not show these jobs any more.
func (a *Announcement) Text(deadline time.Time) string {
	day := deadline.Format("2 January 2006")
	var b bytes.Buffer // takes all
	line := func(format string, args ...any) { _, _ = report.Fprintf(&b, format, args...) }
	line("Subject: %s: %s of your tool must be created again by %s\n\n", a.Tool, report.Plural(len(a.list), "job"), day)
	line("The jobs API will keep jobs in its own storage. It cannot store these objects of\ntool %s. After %s neither the API nor `toolforge jobs list` shows them.\n\n", a.Tool, day)
	for _, it := range a.list {
		line("  %s %s (%s)\n    %s\n", it.Origin.Kind, it.Origin.Name, it.Refused.Reason, it.Refused.Message)
		if it.Refused.Hint != "" {
			line("    what to do: %s\n", it.Refused.Hint)
		}
	}
	return b.String()
}
