//go:build linux

package migrate

import (
	"fmt"
	"strings"
)

// Inputs of which each byte may cost what all bytes before it cost.
var growing = []struct {
	file string
	text func(n int) string
}{
	{"keys.yaml", numbered("", "k%d: old.example.com/v1\n", "")},
	{"anchors.yaml", numbered("apiVersion: old.example.com/v1\nkind: Thing\n", "a%[1]d: &a%[1]d b\nb%[1]d: *a%[1]d\n", "")},
	{"built.go", numbered("package a\n\nconst Group = \"old.example.com\"\n\n", "var v%d = Group + \"/ready\"\n", "")},
	{"compared.go", numbered("package a\n\nvar gvk = GVK{Group: \"old.example.com\", Version: \"v1\", Kind: \"Thing\"}\n\n", "func f%d(x T) bool { return x.Kind == \"Thing\" }\n", "")},
	{"compared.yaml", repeated("apiVersion: old.example.com/v1\nkind: Thing\n---\nselect:\n", "- kind: Thing\n", "")},
	{"crds.yaml", numbered("", "kind: CustomResourceDefinition\nmetadata:\n  name: t%d.old.example.com\nspec:\n  group: old.example.com\n---\n", "")},
	{"a.properties", repeated("", "group=old.example.com\n", "")},
	{"dots.txt", repeated("", "a.old.example.com.", "\n")},
	{"paths.txt", repeated("", "/apis/old.example.com/v1", "\n")},
	{"colons.txt", repeated("", "old.example.com:", "\n")},
	{"quotes.py", repeated("", "\\\"old.example.com\\\"", "\n")},
	{"escapes.yaml", repeated("a: \"", "old.e\\x78ample.com/v1 ", "\"\n")},
	{"flags.txt", repeated("helm install --set ", "a.apiGroup=old.example.com,", "\n")},
	{"comments.yaml", repeated("", "# apiVersion: old.example.com/v1\n", "")},
	{"flow.yaml", repeated("x: [", "old.example.com/v1, ", "a]\n")},
	{"dashes.yaml", repeated("", "- ", "old.example.com\n")},
	{"kustomization.yaml", numbered("resources:\n", "- old.example.com_a%d.yaml\n", "")},
	{"resources.yaml", numbered("rules:\n- apiGroups: [old.example.com, split.example.com]\n  resources:\n", "  - r%d\n", "")},
	{"role.yaml", repeated("kind: Role\nrules:\n", "- {apiGroups: [old.example.com], resources: [things], verbs: [get]}\n", "")},
	{"roles.yaml", numbered("kind: Role\nrules:\n", "- apiGroups: [old.example.com]\n  resources: [things]\n  resourceNames: [r%d]\n", "")},
	{"owned.yaml", numbered("spec:\n  customresourcedefinitions:\n    owned:\n", "    - {name: t%d.old.example.com}\n", "")},
	{"pears.yaml", repeated("", "---\napiVersion: same.example.com/v1beta1\nkind: Pear\nmetadata: {name: x}\nspec: {colour: green, worm: 1}\n", "")},
	{"twice.yaml", repeated("", "apiVersion: same.example.com/v1beta1\nkind: Pear\n", "")},
	{"marked.yaml", repeated("", "# apiVersion: same.example.com/v1beta1\n# kind: Pear\n# spec: {colour: green}\n", "")},
	{"folded.yaml", repeated("a: >\n", "  apiVersion: same.example.com/v1beta1\n  kind: Pear\n", "")},
	{"broken.yaml", repeated("a: \"x\n", "  apiVersion: same.example.com/v1beta1\\n\\\n  kind: Pear\\n\\\n", "  \"\n")},
	{"joined.ipynb", repeated(`{"cells": [{"cell_type": "code", "source": [`, "\"apiVersion: same.example.com/v1beta1\\n\", \"kind: Pear\\n\",\n", `"x"]}]}`)},
	{"open.sh", numbered("", "cat <<E%d\napiVersion: same.example.com/v1beta1\nkind: Pear\n", "")},
	{"templates/chosen.yaml", repeated("apiVersion: ", "{{ if .a }}old.example.com/v1{{ end }}", "\nkind: Gadget\n")},
	{"items.yaml", repeated("apiVersion: same.example.com/v1beta1\nkind: Pear\nmetadata: {name: x}\nspec:\n  seeds:\n", "  - kind: a\n", "")},
	{"list.yaml", repeated("kind: List\nitems:\n", "- apiVersion: same.example.com/v1beta1\n  kind: Pear\n  spec: {colour: green, size: 1}\n", "")},
	{"string.yaml", repeated("data:\n  x: |\n", "    ---\n    apiVersion: same.example.com/v1beta1\n    kind: Pear\n    spec: {colour: green}\n", "")},
	{"list.json", repeated(`{"items": [`, `{"apiVersion": "same.example.com/v1beta1", "kind": "Pear", "spec": {"colour": "green"}},`+"\n", `{}]}`)},
	{"PROJECT", repeated("domain: example.com\nresources:\n", "- group: old\n  kind: Thing\n", "")},
	{"plain.tpl", repeated("{{ x }}\ny: old.example.com ", "{{ ", "\n")},
	{"keys.json", numbered("{", `"k%d":"old.example.com/v1",`, `"z":1}`)},
	{"comments.json", repeated(`{"a":"old.example.com", `, "/*old.example.com*/", `"b":1}`)},
	{"fences.md", repeated("", "```yaml\napiVersion: old.example.com/v1\n", "")},
	{"heredocs.sh", numbered("", "cat <<EOF%d\nold.example.com\n", "")},
	{"heredocs2.sh", repeated("# old.example.com\n", "<<x ", "\n")},
	{"sessions.txt", numbered("", "$ cat <<W%d old.example.com\n", "")},
	{"comments.go", repeated("package a\n", "/*old.example.com*/", "\n")},
	{"concat.go", repeated("package a\nvar x = \"\"", "+ \"old.example.com\"", "\n")},
	{"texts.kt", numbered("", "val x%d = \"\"\"old.example.com\n", "")},
	{"joined.js", repeated("x = \"\"", "+ \"a: old.example.com\\n\"", "\n")},
	{"escaped.md", repeated("", "\\\"old.example.com\\\" ", "\n")},
	{"escaped.yaml", repeated("a: '", "\\\"old.example.com\\\" ", "'\n")},
	{"strings.md", repeated("", "\"a: old.example.com\\n\" {\"old.example.com ", "\n")},
	{"quotes.sh", repeated("", "echo 'old.example.com \"\n", "")},
	{"joined.sh", repeated("x", "+ \"a: old.example.com\\n\"", "\n")},
	{"objects.txt", repeated("", "x 'apiVersion: old.example.com/v1\n", "")},
	{"raw.rs", numbered("", "r%[1]d r##\"old.example.com\n", "")},
	{"quotes.py", numbered("", "x%d = \"\"\"old.example.com\n", "")},
	{"literals.ts", repeated("x = [", "`old.example.com`, ", "]\n")},
	{"Comments.java", repeated("", "/* old.example.com */ '", "\n")},
	{"comments.groovy", repeated("", "/* old.example.com */ '", "\n")},
	{"comments.lua", repeated("", "x = 'old.example.com' -- \"\n", "")},
	{"quotes.toml", repeated("x = ", "'old.example.com' \"", "\n")},
	{"names.txt", repeated("", "old.example.com-", "")},
	{"files.txt", repeated("", "old.example.com_", "")},
	{"metadata.ipynb", numbered(`{"metadata":{`, `"k%d":"old.example.com",`, `"z":1},"cells":[]}`)},
	{"objects.yaml", numbered("", "---\napiVersion: old.example.com/v1\nkind: Thing\nmetadata:\n  name: a%d\n", "")},
	{"named.yaml", numbered("", "---\napiVersion: same.example.com/v1beta1\nkind: Pear\nmetadata: {name: a%d}\n", "")},
	{"anchors.yaml", numbered("", "a%[1]d: &a%[1]d old.example.com/v1\nb%[1]d: *a%[1]d\n", "")},
	{"merges.yaml", numbered("x: &x {apiVersion: old.example.com/v1}\n", "y%d: {<<: *x, kind: Thing}\n", "")},
	{"brackets.yaml", nested("x: ", "[", "old.example.com/v1", "]")},
	{"levels.json", nested("", `{"a":`, `"old.example.com/v1"`, "}")},
	{"objects.yaml", nested("x: ", "{apiVersion: old.example.com/v1, kind: Widget, b: [", "a", "]}")},
	{"schema.yaml", numbered("kind: CustomResourceDefinition\nmetadata:\n  name: things.old.example.com\nspec:\n  group: old.example.com\n  versions:\n", "  - {name: v%d, schema: {description: old.example.com}}\n", "")},
	{"product.yaml", product("kind: ClusterRole\nrules:\n- apiGroups: [old.example.com, split.example.com]\n", "  resources: [", "r%d, ", "apples]\n  verbs: [", "v%d, ", "get]\n")},
	{"groups.yaml", product("kind: ClusterRole\nrules:\n", "- apiGroups: [", "g%d.old.example.com, ", "old.example.com]\n  resources: [", "r%d, ", "things]\n  verbs: [get]\n")},
	{"bindings.yaml", numbered("", "---\nkind: ClusterRole\nmetadata: {name: a%[1]d}\nrules: [{apiGroups: [split.example.com], resources: [apples, berries], verbs: [v%[1]d]}]\n", "")},
	{"webhooks.yaml", numbered("kind: ValidatingWebhookConfiguration\nwebhooks:\n", "- {name: a%d.old.example.com, rules: [{apiGroups: [old.example.com], apiVersions: [v1], resources: [things]}]}\n", "")},
	{"x.clusterserviceversion.yaml", repeated("kind: ClusterServiceVersion\nmetadata:\n  annotations:\n    alm-examples: '[", `{"apiVersion": "old.example.com/v1", "kind": "Thing"}, `, "{}]'\n")},
	{"PROJECT", numbered("domain: example.com\nversion: \"3\"\nresources:\n", "- {domain: example.com, group: old, kind: K%d, version: v1}\n", "")},
	{"kustomization.yaml", numbered("patches:\n", "- {target: {group: old.example.com, version: v1, kind: Thing, name: a%d}, path: a.yaml}\n", "")},
	{"values.yaml", numbered("", "k%d:\n  group: old.example.com\n  version: v1\n", "")},
	{"templates/a.yaml", repeated("", "{{- if .x }}\n---\napiVersion: old.example.com/v1\nkind: {{ .y }}\n{{- end }}\n", "")},
	{"templates/nested.yaml", repeated("", "{{ if .x }}\napiVersion: old.example.com/v1\n", "")},
	{"templates/choices.yaml", repeated("", "{{ if .Capabilities.APIVersions.Has \"old.example.com/v1\" }}\napiVersion: old.example.com/v1\n", "{{ end }}\n")},
	{"templates/open.yaml", repeated("", "{{ if not (.Capabilities.APIVersions.Has \"old.example.com/v1\") }}\napiVersion: old.example.com/v1\n", "")},
	{"templates/_helpers.tpl", numbered("", "{{- define \"x.a%d\" }}\napiVersion: old.example.com/v1\n{{- end }}\n", "")},
	{"headings.md", numbered("", "## old.example.com/v1 Thing %d\n\n", "")},
	{"table.md", repeated("| a | b |\n|---|---|\n", "| `things.old.example.com` | Thing |\n", "")},
	{"code.md", repeated("", "`old.example.com/v1` Thing ", "\n")},
	{"rows.csv", repeated("", "old.example.com,v1,Thing\n", "")},
	{"resources.py", repeated("x = [\"get\", ", "\"things.old.example.com\", ", "]\n")},
	{"args.yaml", repeated("args: [get, ", "things.old.example.com, ", "x]\n")},
	{"names.yaml", product("rules:\n- apiGroups: [x]\n  resources: [", "r%d, ", "x]\n", "  resourceNames: [", "n%d.old.example.com, ", "x]\n")},
	{"format.go", repeated("package a\n\nvar x = fmt.Sprintf(", "\"old.example.com\", ", "1)\n")},
	{"items.py", repeated("x = [", "\"old.example.com/v1\", ", "]\n")},
	{"lines.py", repeated("x = [\n", "    \"old.example.com/v1\",\n", "]\n")},
	{"calls.py", repeated("", "api.list(group=\"old.example.com\", version=\"v1\", plural=\"things\")\n", "")},
	{"continued.sh", repeated("kubectl get", " \\\n  things.old.example.com", "\n")},
	{"words.sh", repeated("kubectl get", " things.old.example.com", "\n")},
	{"commands.sh", repeated("", "kubectl get things.old.example.com | grep x &&\n", "true\n")},
	{"unclosed.sh", repeated("", "x=\"old.example.com\n", "")},
	{"Makefile", numbered("", "x%d:\n\tkubectl get things.old.example.com\n", "")},
	{"Dockerfile", repeated("FROM x\nRUN true", " && \\\n  kubectl get things.old.example.com", "\n")},
	{"main.tf", numbered("", "resource \"kubernetes_manifest\" \"a%d\" {\n  manifest = {\n    apiVersion = \"old.example.com/v1\"\n    kind = \"Thing\"\n  }\n}\n", "")},
	{"heredocs.tf", numbered("", "x%d = <<EOF\napiVersion: old.example.com/v1\nkind: Thing\nEOF\n", "")},
	{"constants.go", numbered("package a\n", "const X%d = \"old.example.com/v1\"\n", "")},
	{"functions.go", numbered("package a\n", "func F%d() string { return \"old.example.com/v1\" }\n", "")},
	{"markers.go", numbered("package a\n", "// +kubebuilder:rbac:groups=old.example.com,resources=things%d,verbs=get\n", "")},
	{"groups.go", repeated("package a\n// +kubebuilder:rbac:groups=", "old.example.com;", "x,resources=things,verbs=get\n")},
	{"literals.go", repeated("package a\n\nvar x = []any{\n", "\tschema.GroupVersionKind{Group: \"old.example.com\", Version: \"v1\", Kind: \"Thing\"},\n", "}\n")},
	{"calls.go", repeated("package a\n\nvar x = f", "(\"old.example.com\")", "\n")},
	{"sums.py", repeated("x = \"\"", " + \"old.example.com\"", "\n")},
	{"source.ipynb", repeated(`{"cells": [{"cell_type": "code", "source": [`, `"x = \"old.example.com/v1\"\n",`+"\n", `""]}]}`)},
	{"cells.ipynb", repeated(`{"cells": [`, `{"cell_type": "code", "source": ["x = \"old.example.com/v1\"\n"]},`+"\n", `{}]}`)},
	{"Sums.java", repeated("class Sums { String x = \"\"", " + \"apiVersion: old.example.com/v1\\nkind: Thing\\n\"", "; }\n")},
	{"Groups.java", numbered("", "@Group(\"old.example.com\") @Version(\"v1\") class X%d {}\n", "")},
	{"attributes.rs", numbered("", "#[kube(group = \"old.example.com\", version = \"v1\", kind = \"Thing\")]\nstruct X%d;\n", "")},
	{"a.xml", repeated("<x>\n", "<group>old.example.com</group>\n", "</x>\n")},
	{"calls.ts", repeated("const x = ", "f({apiVersion: 'old.example.com/v1', kind: g(", "\n")},
	{"versions.yaml", func(n int) string {
		return numbered("kind: CustomResourceDefinition\nmetadata: {name: pears.same.example.com}\nspec:\n  group: same.example.com\n  names: {kind: Pear, plural: pears}\n  versions:\n", "  - {name: v%dalpha1}\n", "")(n/2) +
			numbered("", "---\napiVersion: same.example.com/v%dbeta1\nkind: Pear\n", "")(n/2)
	}},
	{"kept.yaml", numbered("", "# cfctl:keep r%d\n- old.example.com/v1\n", "")},
	{"fields.txt", repeated("", "apiVersion: old.example.com/v1 ", "\n")},
	{"braces.txt", repeated("", "{ x: {apiVersion: old.example.com/v1, ", "\n")},
	{"quoted.md", repeated("", "\"apiVersion\": \"old.example.com/v1', '\n", "\n")},
	{"groups.txt", repeated("apiGroups:\n", "  - old.example.com\n", "\n")},
	{"quotations.txt", repeated("", "> apiVersion: old.example.com/v1\n", "")},
	{"unread.txt", repeated("", "apiVersion: old.example.com/v1\n- : : {[\n", "")},
	{"marks.yaml", numbered("", "k%d: old.example.com/v1 # cfctl:keep it stays\n", "")},
}

func repeated(head, part, tail string) func(int) string {
	return func(n int) string { return head + strings.Repeat(part, n/len(part)+1) + tail }
}

func numbered(head, part, tail string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, part, i)
		}
		return b.String() + tail
	}
}

// nested is a text within as many brackets.
func nested(head, open, text, shut string) func(int) string {
	return func(n int) string {
		depth := n/(len(open)+len(shut)) + 1
		return head + strings.Repeat(open, depth) + text + strings.Repeat(shut, depth) + "\n"
	}
}

// product is a rule of two lists that are as long.
func product(head, open, one, between, other, tail string) func(int) string {
	return func(n int) string {
		return head + numbered(open, one, between)(n/2) + numbered("", other, tail)(n/2)
	}
}
