package pipelines

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// ScheduledWorkflows is the kind of object behind every recurring run. Its
// spec names a pipeline, and a version unless it follows the latest one, by
// the ids of the database; so does the row of table jobs whose UUID is the
// object's UID. The new pipelines have new ids: their UIDs.
var ScheduledWorkflows = objects.Resource{APIVersion: "kubeflow.org/v1beta1", Kind: "ScheduledWorkflow", Plural: "scheduledworkflows"}

// A Schedule is a scheduled workflow and what makes it follow its pipeline.
type Schedule struct {
	ref      objects.Ref
	uid      string
	pipeline objects.Ref // as it is now; empty = not imported
	version  objects.Ref // empty = it follows the latest version
	Patch    []byte      // a JSON patch (RFC 6902) that tests what it replaces; nil = nothing to do
	SQL      string      // the same for its row of table jobs; empty = nothing to do
	Finding  *report.Finding
}

// ScheduleRules are the rules of the findings of Schedules.
var ScheduleRules = []report.Rule{
	{ID: "follows-latest", Doc: "the recurring run follows the latest version of its pipeline", Severity: report.Note},
	{ID: "pinned", Doc: "the recurring run is pinned to a version", Severity: report.Note},
	{ID: "not-imported", Doc: "what a recurring run names was imported", Severity: report.Error},
	{ID: "bad-name", Doc: "the name of a recurring run is one that a server takes", Severity: report.Error},
	{ID: "bad-namespace", Doc: "a recurring run has a namespace that a server takes", Severity: report.Error},
	{ID: "unreadable", Doc: "every scheduled workflow can be read", Severity: report.Error},
}

// File is the path of its patch in a folder of patches, with slashes.
func (s Schedule) File() string { return s.ref.Namespace + "/" + s.ref.Name + ".json" }

// Command is how kubectl makes the change of the patch in a file.
func (s Schedule) Command(file string) string {
	return report.Shell("kubectl", "patch", "scheduledworkflows.kubeflow.org", s.ref.Name, "-n", s.ref.Namespace, "--type", "json", "--patch-file", file)
}

// A Follower knows the imported pipelines by their old and new ids.
type Follower struct {
	ids  map[string]objects.Stored // by the old id
	news map[string]objects.Ref    // by UID
}

// Follow reads the imported pipelines of a target; nothing is written there.
// Old and new ids are tied by the annotation original-id, so that pipelines
// which were applied from manifests count, too.
func Follow(ctx context.Context, target objects.Target) (*Follower, error) {
	f := &Follower{ids: map[string]objects.Stored{}, news: map[string]objects.Ref{}}
	for _, r := range (&Kind{}).Resources() {
		if err := target.List(ctx, r, f.learn); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Schedules reads scheduled workflows and says for each that names a pipeline
// of the database which imported one it must name.
func (f *Follower) Schedules(ctx context.Context, src objects.Source) ([]Schedule, error) {
	var list []Schedule
	err := src.Objects(ctx, func(r objects.Record) error {
		if r = objects.Typed(r); r.Err != nil {
			list = append(list, unreadable(r))
			return nil //nolint:nilerr // one that cannot be read is a finding
		}
		if objects.RefOf(r.Object).Kind != ScheduledWorkflows.Kind || !strings.HasPrefix(objects.Text(r.Object, "apiVersion"), "kubeflow.org/") {
			return nil
		}
		if s, ok := f.follow(r); ok {
			list = append(list, s)
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b Schedule) int {
		return cmp.Or(strings.Compare(a.ref.Namespace, b.ref.Namespace), strings.Compare(a.ref.Name, b.ref.Name))
	})
	return list, err
}

func unreadable(r objects.Record) Schedule {
	it := objects.UnreadableItem(r)
	found := it.Origin.Finding(it.Refused.Reason, report.Error, it.Refused.Message)
	return Schedule{Finding: &found}
}

func (f *Follower) learn(o objects.Object) error {
	s := objects.StoredOf(o)
	f.news[s.UID] = s.Ref
	if old := objects.Text(o, "metadata", "annotations", originalID); old != "" && s.UID != "" {
		f.ids[old] = s
	}
	return nil
}

// follow makes the patch of one scheduled workflow; ok is false for one that
// names no pipeline: it carries its workflow in itself.
func (f *Follower) follow(r objects.Record) (s Schedule, ok bool) {
	s = Schedule{ref: objects.RefOf(r.Object), uid: objects.Text(r.Object, "metadata", "uid")}
	origin := objects.OriginOf(r)
	say := func(rule string, severity report.Severity, format string, args ...any) {
		found := origin.Finding(rule, severity, fmt.Sprintf(format, args...))
		s.Finding = &found
	}
	if bad := badName(s.ref); bad != nil {
		say(bad.Reason, report.Error, "%s", bad.Message)
		return s, true
	}
	var c change
	pipeline, version := objects.Text(r.Object, "spec", "pipelineId"), objects.Text(r.Object, "spec", "pipelineVersionId")
	for _, id := range []struct {
		field, column, old string
		ref                *objects.Ref
	}{{"pipelineId", "PipelineId", pipeline, &s.pipeline}, {"pipelineVersionId", "PipelineVersionId", version, &s.version}} {
		switch now, imported := f.ids[id.old]; {
		case id.old == "":
		case imported:
			*id.ref = now.Ref
			c.replace(id.field, id.column, id.old, now.UID)
		case f.news[id.old] != objects.Ref{}:
			*id.ref = f.news[id.old]
		default:
			say("not-imported", report.Error, "its spec.%s %s is not among the imported pipelines: it would not run any more", id.field, id.old)
			s.Finding.Hint = "import what it names, or delete the recurring run"
			return s, true
		}
	}
	if name := objects.Text(r.Object, "spec", "pipelineName"); name != "" {
		if now := f.rename(name); now != name {
			c.replace("pipelineName", "PipelineName", name, now)
		}
	}
	switch {
	case pipeline == "" && version == "" && len(c.ops) == 0:
		return s, false
	case pipeline == "" && version == "":
		say("pinned", report.Note, "names its pipeline as %s", objects.Text(r.Object, "spec", "pipelineName"))
	case version == "":
		say("follows-latest", report.Note, "follows the latest version of %s", s.pipeline)
	default:
		say("pinned", report.Note, "is pinned to %s", s.version)
	}
	if len(c.ops) > 0 {
		s.Patch, s.SQL = c.patch(), c.sql(s.uid)
	}
	return s, true
}

// badName is why nothing is written for a recurring run, or nil: its name and
// namespace become a path and a command.
func badName(ref objects.Ref) *objects.Refusal {
	if ref.Namespace == "" {
		return &objects.Refusal{Reason: "bad-namespace", Message: "it has no namespace"}
	}
	return objects.BadRef(ref)
}

// rename replaces old ids in a full name: pipelines/ID/versions/ID, which the
// server takes in place of the ids.
func (f *Follower) rename(name string) string {
	words := strings.Split(name, "/")
	for i, w := range words {
		if now, imported := f.ids[w]; imported && i > 0 {
			words[i] = now.UID
		}
	}
	return strings.Join(words, "/")
}

// A change collects what is replaced in one scheduled workflow and its row.
type change struct {
	ops        []any
	sets, when []string
}

func (c *change) replace(field, column, old, now string) {
	c.ops = append(c.ops,
		objects.Object{"op": "test", "path": "/spec/" + field, "value": old},
		objects.Object{"op": "replace", "path": "/spec/" + field, "value": now})
	c.sets = append(c.sets, column+" = "+literal(now))
	c.when = append(c.when, column+" = "+literal(old))
}

func (c *change) patch() []byte {
	data, err := json.Marshal(c.ops)
	if err != nil {
		panic(err) // texts alone
	}
	return append(data, '\n')
}

func (c *change) sql(uid string) string {
	if uid == "" {
		return ""
	}
	return fmt.Sprintf("UPDATE jobs SET %s WHERE UUID = %s AND %s;\n", strings.Join(c.sets, ", "), literal(uid), strings.Join(c.when, " AND "))
}

// literal spells a text in SQL, whatever the mode of the server.
func literal(s string) string {
	for _, r := range s {
		if r < ' ' || r == '\'' || r == '\\' || r > '~' {
			return fmt.Sprintf("x'%x'", s)
		}
	}
	return "'" + s + "'"
}
