package charts

import (
	"strings"
	"testing"
)

// files are a chart with a chart below it.
var files = map[string]string{
	"chart/Chart.yaml": "name: appset\ndependencies:\n- name: gadgetset\n- {name: x}\n- alias: gizmoset\n  name: y\n",
	"chart/values.yaml": `widgetset:
  image: x
  # replicas: 1
other:
  widgetset: {}
# off:
#   on: true
`,
	"none/values.yaml": "none: 1\n",
}

func read(name string) ([]byte, error) { return []byte(files[name]), nil }

func values() *Values {
	return Read([]string{"chart/Chart.yaml", "chart/values.yaml", "none/values.yaml", "a/b/c/Chart.yaml"}, read)
}

// TestNames: the keys are those of charts, also those in comments.
func TestNames(t *testing.T) {
	v := values()
	want := "name .Chart.Name dependencies .Chart.Dependencies name .Chart.Name alias .Chart.Alias name .Chart.Name widgetset image replicas other widgetset off on"
	if got := strings.Join(v.Names(), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := strings.Join(v.Folders, " "); got != "chart b/c" {
		t.Errorf("folders: %s", got)
	}
}

// TestUses: a word between < and > is a key of values in the places of the first list, and not in those of the second one.
func TestUses(t *testing.T) {
	v := values()
	for _, x := range []struct {
		name, text string
		want       bool
	}{
		// templates
		{"chart/templates/a.yaml", `{{ index .Values "<widgetset>" "image" }}`, true},
		{"chart/templates/a.yaml", `{{ .Values | dig "<widgetset>" "image" "x" }}`, true},
		{"chart/templates/a.yaml", `{{ if hasKey $v "<widgetset>" }}`, true},
		{"chart/templates/a.yaml", `{{ include "a" (dict "<widgetset>" 1) }}`, true},
		{"chart/templates/a.yaml", `{{ with .Values }}{{ .<widgetset>.x }}`, true},
		{"chart/templates/a.yaml", `{{ (index .Values "other").<widgetset> }}`, true},
		{"chart/templates/a.yaml", `{{ $v.<widgetset> }}{{ .Values.sub.x }}`, true},
		{"chart/templates/a.yaml", `{{ .Values.sub.<widgetset> }}`, true},
		{"chart/templates/a.yaml", `{{ include "<widgetset>" . }}`, false},
		{"chart/templates/a.yaml", `{{ .x }} "<widgetset>"`, false},
		{"chart/templates/a.yaml", `{{ include "a.<widgetset>.b" . }}`, false},
		// --set
		{"run.sh", `helm install --set a=1,<widgetset>=x`, true},
		{"run.sh", `helm install --set-json '<widgetset>={}'`, true},
		{"run.sh", `helm install --set a=1 <widgetset>=x`, false},
		{"run.sh", `kubectl get -l <widgetset>=x`, false},
		{"a_test.go", `run("--set-string", "a=1,<widgetset>[0]=x")`, true},
		// a path, or an object, with a key of the values
		{"main.tf", `name = "<widgetset>.image"`, true},
		{"a.yaml", `targetPath: <widgetset>.replicas`, true},
		{"a.yaml", `targetPath: other.<widgetset>`, true},
		{"a.yaml", `host: <widgetset>.svc`, false},
		{"a.yaml", `my-<widgetset>.image: x`, false},
		{"a_test.go", `map[string]string{"<widgetset>.image": "x"}`, true},
		{"a_test.go", `map[string]any{"<widgetset>": map[string]any{"image": "x"}}`, true},
		{"main.tf", `yamlencode({ <widgetset> = { image = "x" } })`, true},
		{"main.tf", `<widgetset> = { other = "x" }`, false},
		{"a.py", `x = <widgetset>.image`, false},
		{"a.py", `x = "<widgetset>.image"`, true},
		{"a.ts", "x = `<widgetset>.image`", true},
		{"none/a.md", `<none>.x`, false},
		// documents and schemas
		{"a.md", `| <widgetset> | x |`, true},
		{"a.md", `| a | <widgetset> |`, false},
		{"a.md", "|\na <widgetset>", false},
		{"chart/Chart.yaml", "- x\na <widgetset>", false},
		{"chart/Chart.yaml", "tags: <widgetset> a\nb: c", false},
		{"a.md", "`<widgetset>.any`", true},
		{"a.md", "`<widgetset>`", false},
		{"a.json", `{"<widgetset>": 1}`, true},
		{"chart/values.schema.json", `"required": ["<widgetset>"]`, true},
		{"chart/values.schema.json", `"$ref": "#/definitions/<widgetset>"`, true},
		{"a.json", `"required": ["<widgetset>"]`, false},
		// charts
		{"chart/Chart.yaml", `  condition: a.on,<widgetset>.on`, true},
		{"chart/Chart.yaml", `  tags: [a, <widgetset>]`, true},
		{"chart/Chart.yaml", `  - <widgetset>`, true},
		{"chart/Chart.yaml", `- name: <gadgetset>`, true},
		{"chart/Chart.yaml", `  alias: "<gizmoset>"`, true},
		{"chart/Chart.yaml", `description: <widgetset>`, false},
		{"a.yaml", `tags: [a, <widgetset>]`, false},
		{"a.md", `helm install x oci://example.com/a/<gadgetset>`, true},
		{"a.md", `helm upgrade x repo/<gadgetset>`, true},
		{"a.md", `example.com/a/<gadgetset>`, false},
		{"chart/Chart.yaml", `name: <appset>`, true},
		{"a.md", `helm upgrade x repo/<appset>`, true},
		{"a.json", `{"<appset>": 1}`, false},
		{"a.sh", `"models\.<widgetset>\/x"`, false},
	} {
		before, rest, _ := strings.Cut(x.text, "<")
		word, after, _ := strings.Cut(rest, ">")
		if got := v.Uses(x.name, before+word+after, len(before), len(before)+len(word)); got != x.want {
			t.Errorf("%s: %s: %v, want %v", x.name, x.text, got, x.want)
		}
	}
}
