package core

import (
	"strings"
	"testing"
)

// textTrees are about objects in texts that no reader of a format parses.
var textTrees = []treeCase{
	{
		name:  "a CRD of another project in test data may serve the old version alone",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1beta1}, to: {version: v1}}\n- {id: o, from: {group: own.example.com, version: v1beta1}, to: {version: v1}}\n",
		before: tree{
			"tests/files/step.yaml": stepCRD("step"),
			"crd/own.yaml":          stepCRD("own"),
			"tests/files/own.yaml":  stepCRD("own"),
		},
		review: []string{"crd/own.yaml:3: crd-version", "tests/files/own.yaml:3: crd-version"},
	},
	{
		name:  "a word of a loop is a resource where kubectl takes the variable of the loop",
		rules: kindRules,
		before: tree{
			"a.sh": "for r in \"ns/$N\" \"widgets.old.example.com/one\"; do\n  kubectl delete -n $N $r\n  kubectl -n $N get ${r} -o name\ndone\n",
			"b.sh": "for r in widgets.old.example.com/one; do\n  kubectl get $rest\ndone\nkubectl get $r\n",
			"c.sh": "for r in widgets.old.example.com/one; do\n  kubectl label node a $r=b\ndone\n",
		},
		after:  tree{"a.sh": "for r in \"ns/$N\" \"tools.new.example.org/one\"; do\n  kubectl delete -n $N $r\n  kubectl -n $N get ${r} -o name\ndone\n"},
		review: []string{"b.sh:1: object-or-key", "c.sh:1: object-or-key"},
	},
	{
		name:  "a URL whose parts are filled in is one; a resource is named by name:, by a subresource; a webhook is known by its fields",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org}}\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{
			"crd.yaml":         "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Widget, plural: widgets}\n  versions: [{name: v1, served: true}]\n",
			"templates/a.yaml": "url: \"https://id.{{ .Values.region }}.example.com/v3\"\nx: https://{{ .Values.id }}.old.example.com/v1\n",
			"a.md":             "Use `https://<ID>.live.old.example.com/api`, `https://${ID}.example.com/v3` or `https://$(ID).old.example.com`.\n\n| widgets.old.example.com/finalizers | for the finalizer |\n\nThe label widgets.old.example.com/of is one.\n",
			"a.sh":             "# labels are put before 'name: widgets.old.example.com'\nsed -i '/name: widgets.old.example.com/d' $crds # labels\n",
			"test.yaml":        "asserts:\n- equal: {path: webhooks, value: [{name: hook.widgets.old.example.com, clientConfig: {}, sideEffects: None}]}\n",
			"a.go":             "package a\n\nconst (\n\tgroup   = \"GROUP.old.example.com\"\n\tversion = \"VERSION\"\n)\n",
		},
		after: tree{
			"crd.yaml":         "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec:\n  group: new.example.org\n  names: {kind: Widget, plural: widgets}\n  versions: [{name: v1, served: true}]\n",
			"templates/a.yaml": "url: \"https://id.{{ .Values.region }}.example.com/v3\"\nx: https://{{ .Values.id }}.old.example.com/v1\n",
			"a.md":             "Use `https://<ID>.live.old.example.com/api`, `https://${ID}.example.com/v3` or `https://$(ID).old.example.com`.\n\n| widgets.new.example.org/finalizers | for the finalizer |\n\nThe label widgets.old.example.com/of is one.\n",
			"a.sh":             "# labels are put before 'name: widgets.new.example.org'\nsed -i '/name: widgets.new.example.org/d' $crds # labels\n",
			"test.yaml":        "asserts:\n- equal: {path: webhooks, value: [{name: hook.widgets.new.example.org, clientConfig: {}, sideEffects: None}]}\n",
			"a.go":             "package a\n\nconst (\n\tgroup   = \"GROUP.new.example.org\"\n\tversion = \"VERSION\"\n)\n",
		},
	},
	{
		name:   "an apiVersion as code in a list of Markdown",
		rules:  "name: s\nrules:\n- {id: w, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{"a.md": "- Widget:\n    - apiVersion: `old.example.com/v1`\n    - replicas: 1\n"},
		after:  tree{"a.md": "- Widget:\n    - apiVersion: `new.example.org/v1`\n    - replicas: 1\n"},
	},
	{
		name:  "a resource that a CRD defines, in Go too, needs review where a group is",
		rules: "name: r\nrules: [{id: all, from: {group: old.example.com}, to: {group: new.example.org}}]\n",
		before: tree{
			"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: tools.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Tool, plural: tools}\n  versions: [{name: v1, served: true}]\n",
			"a.go":     "package a\n\nvar a = T{APIVersion: \"tools.old.example.com/v1\"}\nvar b = []k8s.CustomResourceDefinition{{ObjectMeta: k8s.ObjectMeta{Name: \"saws.old.example.com\"}, Spec: k8s.Spec{Group: g, Names: k8s.Names{Plural: \"saws\", Kind: \"Saw\"}}}}\n",
			"a.md":     "See `tools.old.example.com`.\n",
		},
		after: tree{
			"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: tools.new.example.org}\nspec:\n  group: new.example.org\n  names: {kind: Tool, plural: tools}\n  versions: [{name: v1, served: true}]\n",
			"a.go":     "package a\n\nvar a = T{APIVersion: \"tools.old.example.com/v1\"}\nvar b = []k8s.CustomResourceDefinition{{ObjectMeta: k8s.ObjectMeta{Name: \"saws.new.example.org\"}, Spec: k8s.Spec{Group: g, Names: k8s.Names{Plural: \"saws\", Kind: \"Saw\"}}}}\n", "a.md": "See `tools.new.example.org`.\n",
		},
		review: []string{"a.go:3: object-or-key"},
	},
	{
		name:  "a sentence or row of text is about a kind of the tree that no rule names, too",
		rules: "name: s\nrules:\n- {id: w, from: {group: a.example.com, version: v1alpha1, kind: Widget, plural: widgets}, to: {version: v1}}\n- {id: g, from: {group: a.example.com, version: v1alpha1, kind: Gadget, plural: gadgets}, to: {version: v1}}\n",
		before: tree{
			"a.yaml": "apiVersion: a.example.com/v1alpha1\nkind: Trial\n", "b.yaml": "apiVersion: a.example.com/v1alpha1\nkind: WidgetTrial\n",
			"a.md": "A Trial (`a.example.com/v1alpha1`) is for trying a Widget.\n\n| `Trial` | `a.example.com/v1alpha1` |\n| `Widget` | `a.example.com/v1alpha1` |\n\nMany Trials of a.example.com/v1alpha1 are short.\n\nThe Other Widget of `a.example.com/v1alpha1` is fine.\n\nThe `WidgetTrial` (`a.example.com/v1alpha1`) is for a Widget and a `Secret`.\n",
		},
		after: tree{
			"a.yaml": "apiVersion: a.example.com/v1alpha1\nkind: Trial\n", "b.yaml": "apiVersion: a.example.com/v1alpha1\nkind: WidgetTrial\n",
			"a.md": "A Trial (`a.example.com/v1alpha1`) is for trying a Widget.\n\n| `Trial` | `a.example.com/v1alpha1` |\n| `Widget` | `a.example.com/v1` |\n\nMany Trials of a.example.com/v1alpha1 are short.\n\nThe Other Widget of `a.example.com/v1` is fine.\n\nThe `WidgetTrial` (`a.example.com/v1alpha1`) is for a Widget and a `Secret`.\n",
		},
		review: []string{"a.md:1: several-answers"},
	},
	{
		name:  "a resource that permissions name with its group is one in text, and an author is no group",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{
			"a.yaml":     "kind: ClusterRole\nrules:\n- apiGroups: [old.example.com]\n  resources: [tenants, tenants/status]\n",
			"b.md":       "Delete neither `tenants.old.example.com` nor `others.old.example.com`.\n",
			"Cargo.toml": "[package]\nauthors = [\"old.example.com\"]\n",
		},
		after: tree{
			"a.yaml": "kind: ClusterRole\nrules:\n- apiGroups: [new.example.org]\n  resources: [tenants, tenants/status]\n",
			"b.md":   "Delete neither `tenants.new.example.org` nor `others.old.example.com`.\n",
		},
	},
	{
		name:   "words next to a group and version in a text name its kind as a part of it",
		rules:  "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, kind: Gadget}}\n",
		before: tree{"a.txt": "call(api_version=\"old.example.com/v1\", kind=\"Widget\")\nno matches for kind \"Widget\" in version \"old.example.com/v1\"\n"},
		after:  tree{"a.txt": "call(api_version=\"new.example.org/v1\", kind=\"Gadget\")\nno matches for kind \"Gadget\" in version \"new.example.org/v1\"\n"},
	},
	{
		name:  "a version in a row, a query or a flag beside a kind, and an expression of versions",
		rules: "name: s\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget, plural: widgets}, to: {group: new.example.org, version: v2}}\n",
		before: tree{
			"a.txt":              "old.example.com|v1alpha1|Widget\nold.example.com\tv1alpha1\tWidget\nSee groups=old.example.com,resources=widgets,versions=v1alpha1.\n",
			"c.sh":               "kustomize edit add patch --group old.example.com --version v1alpha1 --kind Widget --patch x\n",
			"b.yaml":             "y: group=old.example.com&version=v1alpha1&kind=Widget\n",
			"kustomization.yaml": "patches:\n- target: {group: old.example.com, version: v1alpha1|v1, kind: Widget}\n  patch: x\n- target: {group: old.example.com, version: v1.*, kind: Gadget}\n  patch: x\n",
		},
		after: tree{
			"a.txt":              "new.example.org|v2|Widget\nnew.example.org\tv2\tWidget\nSee groups=new.example.org,resources=widgets,versions=v2.\n",
			"c.sh":               "kustomize edit add patch --group new.example.org --version v2 --kind Widget --patch x\n",
			"b.yaml":             "y: group=new.example.org&version=v2&kind=Widget\n",
			"kustomization.yaml": "patches:\n- target: {group: old.example.com, version: v1alpha1|v1, kind: Widget}\n  patch: x\n- target: {group: new.example.org, version: v1.*, kind: Gadget}\n  patch: x\n",
		},
		review: []string{"kustomization.yaml:2: filled-in"},
	},
	{
		name:  "rules lead on from one group to the next, kind by kind",
		rules: "name: s\nrules:\n- {id: ab, from: {group: old.example.com}, to: {group: mid.example.com}}\n- {id: foo, from: {group: mid.example.com, kind: Foo, plural: foos}, to: {group: new.example.org, kind: Baz, plural: bazes}}\n- {id: bar, from: {group: mid.example.com, kind: Bar, version: v1, plural: bars}, to: {version: v5}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Foo\n---\napiVersion: old.example.com/v1\nkind: Bar\n---\napiVersion: old.example.com/v1\nkind: Qux\n",
			"b.sh":   "kubectl get foos.old.example.com bars.v1.old.example.com\n",
		},
		after: tree{
			"a.yaml": "apiVersion: new.example.org/v1\nkind: Baz\n---\napiVersion: mid.example.com/v5\nkind: Bar\n---\napiVersion: mid.example.com/v1\nkind: Qux\n",
			"b.sh":   "kubectl get bazes.new.example.org bars.v5.mid.example.com\n",
		},
	},
	{
		name:   "an API that Crossplane defines",
		before: tree{"x.yaml": "apiVersion: apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition\nmetadata:\n  name: xwidgets.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: XWidget, plural: xwidgets}\n  claimNames: {kind: Widget, plural: widgets}\n  versions: [{name: v1, served: true}]\n"},
		after:  tree{"x.yaml": "apiVersion: apiextensions.crossplane.io/v1\nkind: CompositeResourceDefinition\nmetadata:\n  name: xwidgets.new.example.org\nspec:\n  group: new.example.org\n  names: {kind: XWidget, plural: xwidgets}\n  claimNames: {kind: Widget, plural: widgets}\n  versions: [{name: v1, served: true}]\n"},
	},
	{
		name:   "a group and version without a kind need review where rules for several kinds match, one of them closer",
		rules:  "name: s\nrules:\n- {id: foo, from: {group: old.example.com, kind: Foo}, to: {group: new.example.org}}\n- {id: bar, from: {group: old.example.com, kind: Bar, version: v1}, to: {version: v5}}\n",
		before: tree{"a.yaml": "x: old.example.com/v1\n", "b.yaml": "x: old.example.com/v2\n"},
		after:  tree{"b.yaml": "x: new.example.org/v2\n"},
		review: []string{"a.yaml:1: several-answers"},
	},
	{
		name:  "a version that is filled in needs review by every rule for a version, in any order, and whatever versions the tree shows",
		rules: "name: s\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: w, from: {group: old.example.com, version: v1alpha1}, to: {group: new.example.org, version: v2}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/{{ .v }}\nkind: Widget\n---\napiVersion: old.example.com/${V:-v1alpha1}\nkind: Widget\n---\napiVersion: old.example.com/v1{{ .s }}\nkind: Widget\n---\napiVersion: ${G:-old.example.com}/v1alpha1\nkind: Widget\n",
			"b.yaml": "apiVersion: old.example.com/v1beta1\nkind: Widget\n",
		},
		after:  tree{"b.yaml": "apiVersion: new.example.org/v1beta1\nkind: Widget\n"},
		review: []string{"a.yaml:1: filled-in", "a.yaml:4: filled-in", "a.yaml:7: filled-in", "a.yaml:10: filled-in"},
	},
	{
		name:   "a version that is filled in needs review where a rule changes it alone, and no template asks what the cluster serves",
		rules:  "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget}, to: {version: v2}}\n",
		before: tree{"templates/b.yaml": "{{- $v := \"v1alpha1\" }}\n{{- if .Capabilities.APIVersions.Has \"old.example.com/v2\" }}\n{{- $v = \"v2\" }}\n{{- end }}\napiVersion: old.example.com/{{ $v }}\nkind: Widget\n", "a.yaml": "apiVersion: old.example.com/{{ .v }}\nkind: Widget\n---\napiVersion: old.example.com/{{ .v }}\nkind: Other\n---\ngroup: old.example.com\nkind: Widget\n"},
		review: []string{"a.yaml:1: filled-in"},
	},
	{
		name: "the name of a constant with a type is what is before the colon",
		before: tree{
			"a.rs": "pub const TOOL_OPERATOR_NAME: &'static str = \"old.example.com\";\npub const GROUP: &str = \"old.example.com\";\n",
			"a.kt": "class A(val driver: String = \"old.example.com\", val group: String = \"old.example.com\")\n",
		},
		after: tree{
			"a.rs": "pub const TOOL_OPERATOR_NAME: &'static str = \"old.example.com\";\npub const GROUP: &str = \"new.example.org\";\n",
			"a.kt": "class A(val driver: String = \"old.example.com\", val group: String = \"new.example.org\")\n",
		},
	},
	{
		name:   "the version alone changes, and its object is not read as one",
		rules:  "name: one\nrules: [{id: one, from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}, to: {version: v2}}]\n",
		before: tree{"a.sql": "INSERT INTO m VALUES ('\n  group: ''old.example.com''\n  version: v1\n  kind: Widget\n');\n", "b.sql": "INSERT INTO m VALUES ('\n  group: ''old.example.com''\n  version: v3\n');\n"},
		review: []string{"a.sql:2: filled-kind"},
	},
	{
		name:   "a kind that is filled in where no rule is about the version",
		rules:  "name: s\nrules:\n- {id: a, from: {group: step.example.com, version: v1beta1, kind: Nut}, to: {version: v1}}\n- {id: b, from: {group: step.example.com, version: v1alpha1, kind: Bus}, to: {version: v1, kind: Gizmo}}\n",
		before: tree{"a.yaml": "apiVersion: step.example.com/v1\nkind: $KIND\n", "b.yaml": "apiVersion: step.example.com/v1beta1\nkind: $KIND\n", "templates/c.yaml": "apiVersion: step.example.com/v1\nkind: {{ .Values.kind }}\n"},
		review: []string{"b.yaml:1: filled-kind"},
	},
	{
		name:  "the kind alone gets another name, and its object is not read as one",
		rules: "name: one\nrules: [{id: one, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {kind: Tool, plural: tools}}]\n",
		before: tree{
			"a.bat":   "echo apiVersion: old.example.com/v1>> x.yaml\necho kind: Widget>> x.yaml\n",
			"b.patch": "--- a/x.yaml\n+++ b/x.yaml\n@@ -0,0 +1,3 @@\n+target:\n+  group: old.example.com\n+  kind: Widget\n",
			"c.sh":    "{\n  echo 'roleRef:'\n  echo '  apiGroup: old.example.com'\n  echo '  kind: Widget'\n} > x\n",
		},
		after:  tree{"b.patch": "--- a/x.yaml\n+++ b/x.yaml\n@@ -0,0 +1,3 @@\n+target:\n+  group: old.example.com\n+  kind: Tool\n"},
		review: []string{"a.bat:1: leaves-kind", "c.sh:3: leaves-kind"},
	},
	{
		name:  "objects of two groups in a diff, in lines and in braces",
		rules: "name: two\nrules:\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}, to: {group: new.example.org, version: v2}}\n- {id: p, from: {group: old.example.com, version: v1, kind: Part, plural: parts}, to: {group: parts.example.org, version: v1}}\n",
		before: tree{
			"a.patch": "--- a/x\n+++ b/x\n@@ -0,0 +1,4 @@\n+items:\n+- apiVersion: old.example.com/v1\n+  kind: Widget\n+- {apiVersion: old.example.com/v1, kind: Part}\n",
			"b.sql":   "INSERT INTO m VALUES ('target:\n  group: ''old.example.com''\n  version: v1\n  kind: Widget\n');\n",
		},
		after:  tree{"a.patch": "--- a/x\n+++ b/x\n@@ -0,0 +1,4 @@\n+items:\n+- apiVersion: new.example.org/v2\n+  kind: Widget\n+- {apiVersion: parts.example.org/v1, kind: Part}\n"},
		review: []string{"b.sql:2: several-answers"},
	},
	{
		name:  "the new version of a webhook and the new group of a role that a template adds on a condition only",
		rules: "name: s\nrules:\n- {id: a, from: {group: step.example.com, version: v1alpha1}, to: {version: v1}}\n- {id: b, from: {group: step.example.com, version: v1beta1}, to: {version: v1}}\n- {id: c, from: {group: old.example.com}, to: {group: new.example.com}}\n",
		before: tree{
			"templates/w.yaml": "webhooks:\n- rules:\n  - apiGroups:\n    - step.example.com\n    apiVersions:\n    - v1alpha1\n    - v1beta1\n{{- if .Values.x }}\n    - v1\n{{- end }}\n    resources: [steps]\n",
			"templates/r.yaml": "kind: Role\nrules:\n- apiGroups:\n  - old.example.com\n{{- if .Values.x }}\n  - new.example.com\n{{- end }}\n  resources: [steps]\n",
		},
		after: tree{
			"templates/w.yaml": "webhooks:\n- rules:\n  - apiGroups:\n    - step.example.com\n    apiVersions:\n    - v1\n{{- if .Values.x }}\n    - v1\n{{- end }}\n    resources: [steps]\n",
			"templates/r.yaml": "kind: Role\nrules:\n- apiGroups:\n  - new.example.com\n{{- if .Values.x }}\n  - new.example.com\n{{- end }}\n  resources: [steps]\n",
		},
	},
	{
		name:  "a CRD in code that does not serve the new version needs review where the file of the CRD has it",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1beta1, kind: Step}, to: {version: v1}}\n",
		before: tree{
			"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: steps.step.example.com}\nspec:\n  group: step.example.com\n  names: {kind: Step, plural: steps}\n  versions: [{name: v1, served: true}]\n",
			"a.go":     "package a\n\nvar a = `\nkind: CustomResourceDefinition\nmetadata: {name: steps.step.example.com}\nspec:\n  group: step.example.com\n  names: {kind: Step, plural: steps}\n  versions: [{name: v1beta1, served: true}]\n`\n",
		},
		review: []string{"a.go:5: crd-version"},
	},
	{
		name:  "APIs that are named in pieces need review where the tree names a group of theirs, and the file does not give its name another one",
		rules: "name: step\nrules: [{id: s, from: {group: old.example.com, version: v1}, to: {version: v2}}, {id: t, from: {group: absent.example.com, version: v3}, to: {version: v4}}, {id: c, from: {group: config.absent.example.com}, to: {group: config.example.com}}]\n",
		before: tree{
			"a.sh": "echo ${api}/v1 ${api}/v3\n",
			"b.sh": "api=\"apps.example.org\"\necho ${api}/v1\n",
			"e.sh": "the_api=\"apps.example.org\"\necho ${api}/v1\n",
			"c.sh": "api=\"$1\"\necho ${api}/v1\necho config.$api\n",
			"d.md": "old.example.com\n",
		},
		review: []string{"a.sh:1: built-version", "c.sh:2: built-version", "e.sh:2: built-version"},
	},
	{
		name:  "a word is a group under the name of one, or with a version beside it",
		rules: "name: s\nrules: [{id: s, from: {group: batch, version: v1beta1}, to: {group: new.example.org, version: v1}}]\n",
		before: tree{
			"a.py":   "api.list(\"batch\", \"v1beta1\", \"jobs\")\nnames = [\"apps\", \"batch\"]\npath(\"spec\", \"batch\")\n",
			"b.yaml": "kind: Service\nspec: {ports: [{name: batch, targetPort: batch}]}\n---\ngroup: batch\nversion: v1beta1\n",
		},
		after: tree{
			"a.py":   "api.list(\"new.example.org\", \"v1\", \"jobs\")\nnames = [\"apps\", \"batch\"]\npath(\"spec\", \"batch\")\n",
			"b.yaml": "kind: Service\nspec: {ports: [{name: batch, targetPort: batch}]}\n---\ngroup: new.example.org\nversion: v1\n",
		},
	},
	{
		name:   "a rule of permissions that another one of a helper of a template says already",
		before: tree{"templates/_helpers.tpl": "{{- define \"a\" }}\n- apiGroups:\n  - old.example.com\n  resources:\n  - widgets\n  verbs: [get]\n- apiGroups:\n  - new.example.org\n  resources:\n  - widgets\n  verbs: [get]\n{{- end }}\n"},
		after:  tree{"templates/_helpers.tpl": "{{- define \"a\" }}\n- apiGroups:\n  - new.example.org\n  resources:\n  - widgets\n  verbs: [get]\n- apiGroups:\n  - new.example.org\n  resources:\n  - widgets\n  verbs: [get]\n{{- end }}\n"},
	},
	{
		name:  "the files of all kinds of a group, of which one gets another name",
		rules: "name: s\nrules: [{id: s, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {kind: Tool, plural: tools}}]\n",
		before: tree{
			"old.example.com_widgets.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec: {group: old.example.com, names: {kind: Widget, plural: widgets}}\n",
			"a.md":                         "See old.example.com_*.yaml and old.example.com_widgets.yaml.\n",
		},
		after: tree{
			"old.example.com_tools.yaml": "kind: CustomResourceDefinition\nmetadata: {name: tools.old.example.com}\nspec: {group: old.example.com, names: {kind: Tool, plural: tools}}\n",
			"a.md":                       "See old.example.com_*.yaml and old.example.com_tools.yaml.\n",
		},
	},
	{
		name:   "PROJECT: the resource of a kind that gets another name",
		rules:  "name: s\nrules: [{id: s, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {kind: Tool, plural: tools}}]\n",
		before: tree{"PROJECT": "resources:\n- domain: old.example.com\n  kind: Widget\n  plural: widgets\n  version: v1\n"},
		after:  tree{"PROJECT": "resources:\n- domain: old.example.com\n  kind: Tool\n  plural: tools\n  version: v1\n"},
	},
	{
		name:   "what a CRD says of versions is no part of its name",
		before: tree{"a.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Widget, plural: widgets}\n  versions:\n  - name: v1\n    deprecationWarning: use old.example.com/v2 Widget\n"},
		after:  tree{"a.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec:\n  group: new.example.org\n  names: {kind: Widget, plural: widgets}\n  versions:\n  - name: v1\n    deprecationWarning: use new.example.org/v2 Widget\n"},
	},
	{
		name:   "a line that names a group and the one that a chain of rules makes of it",
		rules:  "name: s\nrules: [{id: a, from: {group: old.example.com}, to: {group: mid.example.com}}, {id: b, from: {group: mid.example.com}, to: {group: new.example.org}}]\n",
		before: tree{"a.md": "It was old.example.com, and is new.example.org.\n\nUse old.example.com.\n"},
		after:  tree{"a.md": "It was old.example.com, and is new.example.org.\n\nUse new.example.org.\n"},
	},
	{
		name:  "a client that the tree generates for its own group is not that of Kubernetes, which a file without the others imports",
		rules: "name: step\nrules: [{id: s, from: {group: apps, version: v1beta1, kind: Fig, plural: figs}, to: {version: v1}}]\n",
		before: tree{
			"client/versioned/clientset.go": "package versioned\n\nfunc (c *Clientset) AppsV1beta1() I { return nil }\n",
			"a.go":                          "package a\n\nfunc f() { c.AppsV1beta1().Figs(\"x\"); g.Apps().V1beta1().Figs() }\n",
			"b.go":                          "package a\n\nimport \"k8s.io/client-go/kubernetes\"\n\nfunc f() { c.AppsV1beta1().Figs(\"x\") }\n",
		},
		review: []string{"b.go:5: client-name"},
	},
	{
		name:  "what a version says of its end, and a policy that refuses it, keep it",
		rules: "name: step\nrules: [{id: s, from: {group: old.example.com, version: v1, kind: Fig, plural: figs}, to: {version: v2}}]\n",
		before: tree{
			"crd.yaml":                            "kind: CustomResourceDefinition\nmetadata: {name: figs.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Fig, plural: figs}\n  versions:\n  - name: v1\n    deprecationWarning: old.example.com/v1 Fig is deprecated; use old.example.com/v2 Fig\n  - name: v2\n",
			"a.rego":                              "deny { apis := [\"old.example.com/v1\", \"x/v1\"]; input.apiVersion == apis[_]; input.kind == \"Fig\" }\n",
			"docs/releases/NOTES_1.2.0.md":        "Use old.example.com/v1 Fig.\n",
			"docs/releases/v1.2.0_HEAD.md.tpl":    "Use old.example.com/v1 Fig.\n",
			"docs/releases/a/fig-crds-1.2/x.md":   "Use old.example.com/v1 Fig.\n",
			"e2e/fig-operator-1.1.0-chart/x.yaml": "apiVersion: old.example.com/v1\nkind: Fig\n",
		},
		review: []string{"a.rego:1: policy"},
	},
	{
		name:  "a kind that no rule names is that of a reference as an argument behind it",
		rules: kindRules,
		before: tree{
			"o.yaml":           "apiVersion: old.example.com/v1\nkind: Widget\n",
			"templates/a.yaml": "{{- $x := lookup \"old.example.com/v1\" \"BigThing\" \"\" \"a\" }}\n",
			"b.py":             "x = client.resources.get(\"old.example.com/v1\", \"BigThing\")\n",
			"c.go":             "package c\n\nvar gv = schema.GroupVersion{Group: \"old.example.com\", Version: \"v1\"}\nvar k = gv.WithKind(\"BigThing\")\n",
		},
		after:  tree{"o.yaml": "apiVersion: new.example.org/v1\nkind: Tool\n"},
		review: []string{"c.go:3: several-answers"},
	},
	{
		name:  "a name with a version is a resource, and so is what kubectl takes in a line of text",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{
			"a.go":   "package a\n\nvar a, _ = schema.ParseResourceArg(\"figs.v1.old.example.com\")\n",
			"b.md":   "Run `kubectl get figs.old.example.com` now.\n",
			"c.yaml": "script:\n- kubectl create role a --verb=get --resource=figs.old.example.com\n- echo figs.old.example.com\n",
		},
		after: tree{
			"a.go":   "package a\n\nvar a, _ = schema.ParseResourceArg(\"figs.v1.new.example.org\")\n",
			"b.md":   "Run `kubectl get figs.new.example.org` now.\n",
			"c.yaml": "script:\n- kubectl create role a --verb=get --resource=figs.new.example.org\n- echo figs.old.example.com\n",
		},
	},
	{
		name:  "a kind that the field of an object is compared with needs review",
		rules: kindRules,
		before: tree{
			"o.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
			"a.py":   "if o[\"kind\"] == \"Widget\" or o.get('kind') in ('Widget', 'Pod'):\n    pass\nif o[\"name\"] == \"Widget\":\n    pass\n",
			"b.ts":   "if (o['kind'] === 'Widget') {}\n",
			"c.go":   "package c\n\nfunc is(x T) bool {\n\tswitch x.GetKind() {\n\tcase \"Pod\", \"Widget\":\n\t\treturn true\n\t}\n\treturn \"Widget\" == x.Kind || x.Name == \"Widget\" || x.Sort == \"Widget\"\n}\n\nfunc of(kind string) bool { return kind != \"Widget\" }\n",
		},
		after:  tree{"o.yaml": "apiVersion: new.example.org/v1\nkind: Tool\n"},
		review: []string{"a.py:1: loose-name", "a.py:1: loose-name", "b.ts:1: loose-name", "c.go:5: loose-name", "c.go:8: loose-name", "c.go:11: loose-name"},
	},
	{
		name:  "an apiVersion needs review where something stands behind its kind",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: w, from: {group: old.example.com, kind: Widget}, to: {group: new.example.org, kind: Gizmo}}\n",
		before: tree{
			"a.adoc":    "[source,yaml]\n----\napiVersion: old.example.com/v1 <1>\nkind: Widget <2>\n----\n",
			"b.yaml.j2": "apiVersion: old.example.com/v1\nkind: Widget {# it is one #}\n",
		},
		review: []string{"a.adoc:3: leaves-kind", "b.yaml.j2:1: leaves-kind"},
	},
	{
		name:  "a group needs review where a resource that gets another name is joined to it",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gizmo}}\n",
		before: tree{
			"Makefile": "G := old.example.com\na:\n\tkubectl get widgets.$(G)\n",
			"a.py":     "G = \"old.example.com\"\nname = \"widgets.\" + G\n",
			"b.ts":     "const G = 'old.example.com';\nconst p = `/apis/${G}/v1alpha1/widgets`;\n",
			"c.sh":     "G=old.example.com\necho \"$G/v1alpha1\"\n",
		},
		after:  tree{"c.sh": "G=new.example.org\necho \"$G/v1alpha1\"\n"},
		review: []string{"Makefile:1: leaves-kind", "a.py:1: leaves-kind", "b.ts:1: leaves-kind", "b.ts:2: built-version", "c.sh:2: built-version"},
	},
}

// projectTrees are about files of projects, and names that are longer than a group.
var projectTrees = []treeCase{
	{
		// apache/solr-operator, kubernetes-sigs/scheduler-plugins
		name:  "PROJECT: a group that is the domain",
		rules: "name: p\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{"PROJECT": "domain: old.example.com\nresources:\n- group: old\n  kind: Widget\n  version: v1\n- group: other\n  kind: Gadget\n  version: v1\n- {group: old, kind: Widget, version: v1}\n- {domain: old.example.com, group: old, kind: Widget, version: v1}\n",
			"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec: {group: old.example.com, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
		after: tree{"PROJECT": "domain: old.example.com\nresources:\n- group: old\n  domain: new.example.org\n  kind: Widget\n  version: v1\n- group: other\n  kind: Gadget\n  version: v1\n- {group: old, kind: Widget, version: v1}\n- {domain: new.example.org, group: old, kind: Widget, version: v1}\n",
			"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec: {group: new.example.org, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
		review: []string{"PROJECT:9: project-half"},
	},
	{
		// fluxcd/kustomize-controller, Azure/azure-service-operator
		name:   "versions of Azure's API",
		rules:  "name: p\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{"a.yaml": "apiVersion: old.example.com/v1beta20210101preview\nkind: Widget\n---\napiVersion: old.example.com/v1api20240301\nkind: Widget\n---\napiVersion: old.example.com/latest\nkind: Widget\n"},
		after:  tree{"a.yaml": "apiVersion: new.example.org/v1beta20210101preview\nkind: Widget\n---\napiVersion: new.example.org/v1api20240301\nkind: Widget\n---\napiVersion: old.example.com/latest\nkind: Widget\n"},
		review: []string{"a.yaml:7: open-version"},
	},
	{
		name:   "a pattern of the files of a group whose kinds go to two groups",
		rules:  "name: p\nrules:\n- {id: a, from: {group: old.example.com, kind: Fig, plural: figs}, to: {group: a.example.org}}\n- {id: b, from: {group: old.example.com, kind: Pear, plural: pears}, to: {group: b.example.org}}\n",
		before: tree{"Makefile": "clean:\n\trm -f crds/old.example.com_*.yaml\n", "crds/old.example.com_figs.yaml": "kind: CustomResourceDefinition\nmetadata: {name: figs.old.example.com}\nspec: {group: old.example.com, names: {kind: Fig, plural: figs}, versions: [{name: v1, served: true}]}\n", "crds/old.example.com_pears.yaml": "kind: CustomResourceDefinition\nmetadata: {name: pears.old.example.com}\nspec: {group: old.example.com, names: {kind: Pear, plural: pears}, versions: [{name: v1, served: true}]}\n"},
		after:  tree{"crds/a.example.org_figs.yaml": "kind: CustomResourceDefinition\nmetadata: {name: figs.a.example.org}\nspec: {group: a.example.org, names: {kind: Fig, plural: figs}, versions: [{name: v1, served: true}]}\n", "crds/b.example.org_pears.yaml": "kind: CustomResourceDefinition\nmetadata: {name: pears.b.example.org}\nspec: {group: b.example.org, names: {kind: Pear, plural: pears}, versions: [{name: v1, served: true}]}\n"},
		review: []string{"Makefile:2: file-name"},
	},
	{
		// rabbitmq/cluster-operator: rules new makes a rule for the longer group of it, too
		name:   "PROJECT: a group that is both the group and the domain",
		rules:  "name: p\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: long, from: {group: old.example.com.old.example.com}, to: {group: new.example.org.new.example.org}}\n",
		before: tree{"PROJECT": "domain: old.example.com\nresources:\n- domain: old.example.com\n  group: old.example.com\n  kind: Widget\n  version: v1\n", "crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec: {group: old.example.com, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
		after:  tree{"PROJECT": "domain: new.example.org\nresources:\n- domain: new.example.org\n  group: new.example.org\n  kind: Widget\n  version: v1\n", "crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec: {group: new.example.org, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
	},
	{
		// fluent/fluent-operator has kinds of one name in two groups
		name:   "PROJECT: a kind of one name in a group that no rule has",
		rules:  "name: p\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{"PROJECT": "domain: example.com\nresources:\n- {group: other, kind: Widget, version: v1}\n", "crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec: {group: old.example.com, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
		after:  tree{"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec: {group: new.example.org, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
	},
	{
		// kcp-dev/kcp, kcp-dev/api-syncagent: the names of APIResourceSchemas
		name:   "a longer name that ends with a resource of the tree",
		rules:  "name: p\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{"a.yaml": "kind: Schema\nmetadata:\n  name: today.widgets.old.example.com\n  other: today.gadgets.old.example.com\n  webhook: today.widget.old.example.com\n", "crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec: {group: old.example.com, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
		after:  tree{"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec: {group: new.example.org, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true}]}\n"},
		review: []string{"a.yaml:3: object-or-key"},
	},
}

// TestAnyInputIsRead reads damaged files of every format: none makes it panic.
func TestAnyInputIsRead(t *testing.T) {
	c := testCore(t, testRules, Options{})
	for _, x := range trees {
		for name, text := range x.before {
			for i := 0; i <= len(text); i += 3 {
				for _, damaged := range []string{text[:i], text[i:], text[:i] + "\x00\"'`{[(" + text[i:], strings.ReplaceAll(text, "\n", "\r\n")} {
					f := c.Read(name, []byte(damaged))
					c.Resolve([]*File{f}, nil, nil)
				}
			}
		}
	}
}

// stepCRD is a CRD that serves v1beta1.
func stepCRD(group string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: steps." + group + ".example.com}\nspec:\n  group: " + group + ".example.com\n  names: {kind: Step, plural: steps}\n  versions: [{name: v1beta1}]\n"
}
