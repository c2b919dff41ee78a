package pipelines

import (
	"context"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/objects"
	"github.com/project-codeflare/cfctl/internal/report"
)

// imported is a target that has some objects.
type imported struct {
	objects.Target
	list []objects.Object
}

func (i imported) List(_ context.Context, r objects.Resource, each func(objects.Object) error) error {
	for _, o := range i.list {
		if o["kind"] == r.Kind {
			if err := each(o); err != nil {
				return err
			}
		}
	}
	return nil
}

func object(kind, name, uid, old string) objects.Object {
	return objects.Object{"apiVersion": apiVersion, "kind": kind, "metadata": objects.Object{
		"name": name, "namespace": "kubeflow", "uid": uid, "annotations": objects.Object{originalID: old},
	}}
}

const schedules = `apiVersion: v1
kind: List
items:
- {apiVersion: kubeflow.org/v1beta1, kind: ScheduledWorkflow, metadata: {name: pinned, namespace: a, uid: s1}, spec: {pipelineId: p-old, pipelineVersionId: v-old, pipelineName: pipelines/p-old/versions/v-old}}
- {apiVersion: kubeflow.org/v1beta1, kind: ScheduledWorkflow, metadata: {name: latest, namespace: a, uid: "it's"}, spec: {pipelineId: p-old}}
- {apiVersion: kubeflow.org/v1beta1, kind: ScheduledWorkflow, metadata: {name: lost, namespace: a}, spec: {pipelineId: p-old, pipelineVersionId: v-refused}}
- {apiVersion: kubeflow.org/v1beta1, kind: ScheduledWorkflow, metadata: {name: done, namespace: a}, spec: {pipelineId: p-new}}
- {apiVersion: kubeflow.org/v1beta1, kind: ScheduledWorkflow, metadata: {name: named, namespace: a, uid: s2}, spec: {pipelineName: pipelines/p-old}}
- {apiVersion: kubeflow.org/v1beta1, kind: ScheduledWorkflow, metadata: {name: inline, namespace: a}, spec: {workflow: {spec: x}}}
- {apiVersion: other.org/v1, kind: ScheduledWorkflow, metadata: {name: foreign}, spec: {pipelineId: p-old}}
- [broken]
`

func TestSchedules(t *testing.T) {
	target := imported{list: []objects.Object{object("Pipeline", "p", "p-new", "p-old"), object("PipelineVersion", "p-v", "v-new", "v-old")}}
	f, err := Follow(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	list, err := f.Schedules(context.Background(), &objects.Files{Path: "-", Stdin: strings.NewReader(schedules)})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct{ rule, patch, sql string }{
		"": {"unreadable", "", ""},
		"pinned": {
			"pinned",
			`[{"op":"test","path":"/spec/pipelineId","value":"p-old"},{"op":"replace","path":"/spec/pipelineId","value":"p-new"},` +
				`{"op":"test","path":"/spec/pipelineVersionId","value":"v-old"},{"op":"replace","path":"/spec/pipelineVersionId","value":"v-new"},` +
				`{"op":"test","path":"/spec/pipelineName","value":"pipelines/p-old/versions/v-old"},{"op":"replace","path":"/spec/pipelineName","value":"pipelines/p-new/versions/v-new"}]` + "\n",
			"UPDATE jobs SET PipelineId = 'p-new', PipelineVersionId = 'v-new', PipelineName = 'pipelines/p-new/versions/v-new' WHERE UUID = 's1' AND PipelineId = 'p-old' AND PipelineVersionId = 'v-old' AND PipelineName = 'pipelines/p-old/versions/v-old';\n",
		},
		"latest": {
			"follows-latest",
			`[{"op":"test","path":"/spec/pipelineId","value":"p-old"},{"op":"replace","path":"/spec/pipelineId","value":"p-new"}]` + "\n",
			"UPDATE jobs SET PipelineId = 'p-new' WHERE UUID = x'69742773' AND PipelineId = 'p-old';\n",
		},
		"named": {
			"pinned", `[{"op":"test","path":"/spec/pipelineName","value":"pipelines/p-old"},{"op":"replace","path":"/spec/pipelineName","value":"pipelines/p-new"}]` + "\n",
			"UPDATE jobs SET PipelineName = 'pipelines/p-new' WHERE UUID = 's2' AND PipelineName = 'pipelines/p-old';\n",
		},
		"lost": {"not-imported", "", ""},
		"done": {"follows-latest", "", ""},
	}
	if len(list) != len(want) {
		t.Errorf("got %d schedules, want %d", len(list), len(want))
	}
	for _, s := range list {
		w := want[s.ref.Name]
		if s.Finding.Rule != w.rule || string(s.Patch) != w.patch || s.SQL != w.sql {
			t.Errorf("%s: %s\n%s%s", s.ref.Name, s.Finding.Message, s.Patch, s.SQL)
		}
		if s.Finding.Severity == report.Error && s.Patch != nil {
			t.Errorf("%s has a patch and an error", s.ref.Name)
		}
	}
}
