package pipelines

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/objects"
)

// schemaVersion is the one version of the intermediate representation that
// the server takes.
const schemaVersion = "2.1.0"

var infoName = lazyregexp.New(`[a-z0-9]([-a-z0-9]*[a-z0-9])?`)

// parse reads a compiled pipeline (the intermediate representation, IR) and
// its platform spec; platform is nil when there is none. The rules are those
// of the server: one document with schemaVersion 2.1.0, pipelineInfo.name and
// root. What they refuse is a *objects.Refusal.
func parse(text []byte) (pipeline, platform any, err error) {
	docs, err := objects.ParseCore(text) // as the server does
	if err != nil {
		return nil, nil, unparsable(err)
	}
	if len(docs) == 1 {
		docs = unfold(docs[0])
	}
	for _, d := range docs {
		o, ok := d.(map[string]any)
		switch {
		case !ok:
			return nil, nil, refuse("unparsable", "it holds no mapping: it is no pipeline")
		case o["kind"] == "Workflow" || objects.Text(o, "apiVersion") == "argoproj.io/v1alpha1":
			return nil, nil, &objects.Refusal{Reason: "v1-workflow", Message: "it is a Workflow of the v1 API, which the new API does not take", Hint: "compile the pipeline with version 2 of the SDK and upload it again"}
		case o["platforms"] != nil:
			if platform != nil {
				return nil, nil, refuse("unparsable", "it has two platform specs")
			}
			platform = o
		default:
			if pipeline != nil {
				return nil, nil, refuse("unparsable", "it has two pipeline specs")
			}
			pipeline = o
		}
	}
	if pipeline == nil {
		return nil, nil, refuse("empty-spec", "it has no pipeline spec")
	}
	return pipeline, platform, check(pipeline.(map[string]any))
}

func unparsable(err error) error {
	if refusal, ok := errors.AsType[*objects.Refusal](err); ok {
		return refusal
	}
	return refuse("unparsable", "its pipeline spec cannot be read: "+err.Error())
}

func refuse(reason, message string) *objects.Refusal {
	return &objects.Refusal{Reason: reason, Message: message}
}

// unfold takes the two specs out of the form in which REST gives both.
func unfold(doc any) []any {
	o, ok := doc.(map[string]any)
	if !ok || o["pipeline_spec"] == nil {
		return []any{doc}
	}
	docs := []any{o["pipeline_spec"]}
	if o["platform_spec"] != nil {
		docs = append(docs, o["platform_spec"])
	}
	return docs
}

// check holds a pipeline spec to the rules of the server.
func check(o objects.Object) error {
	version, name := o["schemaVersion"], objects.Text(o, "pipelineInfo", "name")
	switch {
	case len(o) == 0:
		return refuse("empty-spec", "its pipeline spec is empty")
	case version == nil:
		return refuse("no-ir", "it has no schemaVersion: it is no compiled pipeline")
	case version != schemaVersion:
		return refuse("schema-version", fmt.Sprintf("its schemaVersion is %v; the server takes %s", version, schemaVersion))
	case name == "":
		return refuse("no-name", "its pipelineInfo.name is empty")
	case !infoName.MatchString(name):
		return refuse("no-name", fmt.Sprintf("its pipelineInfo.name %q has no lower-case letter or digit", name))
	case objects.Map(o, "root") == nil:
		return refuse("no-root", "it has no root component")
	}
	unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(o)), func(key string) bool { return slices.Contains(irKeys, key) })
	switch n := len(unknown); {
	case n == 1:
		return refuse("unknown-field", fmt.Sprintf("%q is no field of a pipeline spec: the server does not take it", unknown[0]))
	case n > 1:
		return refuse("unknown-field", fmt.Sprintf("%q are no fields of a pipeline spec: the server does not take them", unknown[:min(n, 5)]))
	}
	return references(o)
}

// irKeys are the fields of a PipelineSpec, in both of the spellings that
// protobuf takes (kubeflow/pipelines, api/v2alpha1/pipeline_spec.proto).
var irKeys = []string{
	"pipelineInfo", "deploymentSpec", "schemaVersion", "sdkVersion", "components", "root", "defaultPipelineRoot",
	"pipeline_info", "deployment_spec", "schema_version", "sdk_version", "default_pipeline_root",
}

// references holds that every task names a component that is there.
func references(o objects.Object) error {
	components := objects.Map(o, "components")
	dags := map[string]objects.Object{"root": objects.Map(o, "root")}
	for name, c := range components {
		if m, ok := c.(map[string]any); ok {
			dags["components."+name] = m
		}
	}
	for _, at := range slices.Sorted(maps.Keys(dags)) {
		tasks := objects.Map(dags[at], "dag", "tasks")
		for _, task := range slices.Sorted(maps.Keys(tasks)) {
			m, ok := tasks[task].(map[string]any)
			name := objects.Text(m, "componentRef", "name")
			if _, there := components[name]; ok && name != "" && !there {
				return refuse("no-component", fmt.Sprintf("task %s of %s names the component %s, which is not there", task, at, name))
			}
		}
	}
	return nil
}
