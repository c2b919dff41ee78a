package core

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// dualRules move a group, and give one kind of it another name.
const dualRules = `name: dual
rules:
- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}
- {id: gadget, from: {group: old.example.com, kind: Gadget, plural: gadgets}, to: {group: new.example.org, kind: Tool, plural: tools}}
- {id: hook, from: {group: hook.example.com}, to: {group: hook.example.org}}
- {id: step, from: {group: hook.example.com, version: v1alpha1, kind: Hook, plural: hooks}, to: {group: hook.example.org, version: v1}}
`

const (
	oldCRD     = "kind: CustomResourceDefinition\nmetadata:\n  name: widgets.old.example.com # the name\nspec:\n  group: old.example.com\n  names: {kind: Widget, plural: widgets}\n"
	newCRD     = "kind: CustomResourceDefinition\nmetadata:\n  name: widgets.new.example.org # the name\nspec:\n  group: new.example.org\n  names: {kind: Widget, plural: widgets}\n"
	oldService = "kind: APIService\nmetadata: {name: v1.old.example.com}\nspec: {group: old.example.com, version: v1}\n"
	newService = "kind: APIService\nmetadata: {name: v1.new.example.org}\nspec: {group: new.example.org, version: v1}\n"
)

// windows are trees before a window and in it. At its end they are what a
// migration without one makes. What is not in both is as before.
var windows = []struct {
	name         string
	before, both tree
	review       []string // in the window
}{
	{
		name:   "a definition gets a twin behind it",
		before: tree{"a.yaml": "# of the project\nkind: Namespace\n---\n" + oldCRD + "---\nkind: Service\n---\n" + oldService},
		both:   tree{"a.yaml": "# of the project\nkind: Namespace\n---\n" + oldCRD + "---\n" + newCRD + "---\nkind: Service\n---\n" + oldService + "---\n" + newService},
	},
	{
		name:   "a definition at the beginning of a file",
		before: tree{"a.yaml": oldCRD, "b.yaml": "# a comment\n\n" + strings.TrimSuffix(oldCRD, "\n"), "c.yaml": "---\n" + oldCRD},
		both:   tree{"a.yaml": oldCRD + "---\n" + newCRD, "b.yaml": "# a comment\n\n" + oldCRD + "---\n# a comment\n\n" + strings.TrimSuffix(newCRD, "\n"), "c.yaml": "---\n" + oldCRD + "---\n" + newCRD},
	},
	{
		name: "a copy is no document of its own where the actions at the ends trim line breaks",
		before: tree{
			"a.yaml": "{{- if .x }}\n" + oldCRD + "{{- end -}}\n",
			"b.yaml": "{{- if .x -}}\n" + oldCRD + "{{- end }}\n",
			"c.yaml": "{{- if .x }}\n" + oldCRD + "{{- end }}\n",
		},
		both:   tree{"c.yaml": "{{- if .x }}\n" + oldCRD + "{{- end }}\n---\n{{- if .x }}\n" + newCRD + "{{- end }}\n"},
		review: []string{"a.yaml:4: twin", "b.yaml:4: twin"},
	},
	{
		name: "a file that is named after its definition gets a twin, and lists name both",
		before: tree{
			"crd/old.example.com_widgets.yaml": oldCRD,
			"crd/kustomization.yaml":           "resources:\n- old.example.com_widgets.yaml\n- other.yaml\n",
			"flow/kustomization.yaml":          "resources: [../crd/old.example.com_widgets.yaml, other.yaml]\n",
		},
		both: tree{
			"crd/old.example.com_widgets.yaml": oldCRD,
			"crd/new.example.org_widgets.yaml": newCRD,
			"crd/kustomization.yaml":           "resources:\n- old.example.com_widgets.yaml\n- new.example.org_widgets.yaml\n- other.yaml\n",
		},
		review: []string{"flow/kustomization.yaml:1: twin"},
	},
	{
		name: "a patch of a definition needs one of the twin",
		before: tree{
			"a.yaml":              oldCRD,
			"kustomization.yaml":  "resources: [a.yaml]\npatches: [{path: patches/a.yaml}]\n#- patches/unused.yaml\n",
			"patches/a.yaml":      "kind: CustomResourceDefinition\nmetadata:\n  name: widgets.old.example.com\nspec:\n  conversion: {strategy: None}\n",
			"patches/unused.yaml": "kind: CustomResourceDefinition\nmetadata:\n  name: widgets.old.example.com\nspec:\n  conversion: {strategy: None}\n",
		},
		both:   tree{"a.yaml": oldCRD + "---\n" + newCRD},
		review: []string{"patches/a.yaml:3: twin-patch", "patches/unused.yaml:3: twin-patch"},
	},
	{
		name: "a file that names both definitions is done",
		before: tree{
			"a.yaml":             oldCRD + "---\n" + newCRD,
			"kustomization.yaml": "resources: [a.yaml, csv.yaml]\n",
			"csv.yaml":           "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n    - name: widgets.old.example.com\n      kind: Widget\n      version: v1\n    - name: widgets.new.example.org\n      kind: Widget\n      version: v1\n",
		},
		both: tree{"a.yaml": oldCRD + "---\n" + newCRD},
	},
	{
		name:   "a definition in a list has no place for a twin",
		before: tree{"a.yaml": "kind: List\nitems:\n- kind: CustomResourceDefinition\n  metadata: {name: widgets.old.example.com}\n  spec: {group: old.example.com, names: {kind: Widget, plural: widgets}}\n"},
		review: []string{"a.yaml:4: twin"},
	},
	{
		name:   "a part of a template that begins in a definition has no copy",
		before: tree{"a.yaml": "{{ if .x }}\n" + oldCRD + "---\nkind: Service\n{{ end }}\n"},
		review: []string{"a.yaml:4: twin"},
	},
	{
		name:   "the owned definitions of a ClusterServiceVersion",
		before: tree{"csv.yaml": "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n    - name: things.old.example.com\n      version: v1\n      kind: Thing\n    - {name: widgets.old.example.com, version: v1, kind: Widget}\n", "csv.json": "{\"customresourcedefinitions\": {\"owned\": [{\"name\": \"things.old.example.com\", \"version\": \"v1\", \"kind\": \"Thing\"}]}}\n"},
		both:   tree{"csv.yaml": "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n    - name: things.old.example.com\n      version: v1\n      kind: Thing\n    - name: things.new.example.org\n      version: v1\n      kind: Thing\n    - {name: widgets.old.example.com, version: v1, kind: Widget}\n    - {name: widgets.new.example.org, version: v1, kind: Widget}\n"},
		review: []string{"csv.json:1: twin"},
	},
	{
		name:   "permissions: both groups, a copy where resources get other names",
		before: tree{"role.yaml": "rules:\n- apiGroups: [old.example.com]\n  resources: [gadgets, gadgets/status]\n  verbs: [get]\n- apiGroups:\n  - old.example.com # ours\n  resources: [widgets]\n  verbs: [get]\n"},
		both:   tree{"role.yaml": "rules:\n- apiGroups: [old.example.com]\n  resources: [gadgets, gadgets/status]\n  verbs: [get]\n- apiGroups: [new.example.org]\n  resources: [tools, tools/status]\n  verbs: [get]\n- apiGroups:\n  - old.example.com # ours\n  - new.example.org # ours\n  resources: [widgets]\n  verbs: [get]\n"},
	},
	{
		name:   "names of definitions in permissions",
		before: tree{"role.yaml": "rules:\n- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions]\n  resourceNames: [widgets.old.example.com, \"gadgets.old.example.com\"]\n- resources: [secrets]\n  resourceNames: [widgets.old.example.com]\n"},
		review: []string{"role.yaml:4: twin", "role.yaml:4: twin"},
	},
	{
		name:   "markers",
		before: tree{"a.go": "package a\n\n// +kubebuilder:rbac:groups=old.example.com,resources=gadgets,verbs=get\n// +kubebuilder:rbac:groups=\"old.example.com\",resources=widgets,verbs=get\n// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=widgets.old.example.com,verbs=get\nvar x int\n"},
		both:   tree{"a.go": "package a\n\n// +kubebuilder:rbac:groups=old.example.com,resources=gadgets,verbs=get\n// +kubebuilder:rbac:groups=new.example.org,resources=tools,verbs=get\n// +kubebuilder:rbac:groups=\"old.example.com\";\"new.example.org\",resources=widgets,verbs=get\n// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=widgets.old.example.com,verbs=get\nvar x int\n"},
		review: []string{"a.go:5: twin"},
	},
	{
		name:   "the versions of a webhook",
		before: tree{"a.yaml": "kind: ValidatingWebhookConfiguration\nwebhooks:\n- rules:\n  - apiGroups: [hook.example.com]\n    apiVersions: [v1alpha1]\n    resources: [hooks]\n"},
		both:   tree{"a.yaml": "kind: ValidatingWebhookConfiguration\nwebhooks:\n- rules:\n  - apiGroups: [hook.example.com, hook.example.org]\n    apiVersions: [v1alpha1, v1]\n    resources: [hooks]\n"},
	},
	{
		name:   "the marker of a webhook",
		before: tree{"a.go": "package a\n\n// +kubebuilder:webhook:path=/validate-old-example-com-v1-widget,groups=old.example.com,resources=widgets,verbs=create,versions=v1,name=v.kb.io\nvar x int\n"},
		both:   tree{"a.go": "package a\n\n// +kubebuilder:webhook:path=/validate-old-example-com-v1-widget,groups=old.example.com;new.example.org,resources=widgets,verbs=create,versions=v1,name=v.kb.io\nvar x int\n"},
	},
	{
		name: "permissions in documents and in templates",
		before: tree{
			"a.md":  "```yaml\nrules:\n- apiGroups: [\"old.example.com\"]\n  resources: [widgets]\n```\n",
			"b.tpl": "{{- define \"rules\" }}\n- apiGroups:\n  - old.example.com\n  resources:\n  - widgets\n{{- end }}\n",
		},
		both: tree{
			"a.md":  "```yaml\nrules:\n- apiGroups: [\"old.example.com\", \"new.example.org\"]\n  resources: [widgets]\n```\n",
			"b.tpl": "{{- define \"rules\" }}\n- apiGroups:\n  - old.example.com\n  - new.example.org\n  resources:\n  - widgets\n{{- end }}\n",
		},
	},
	{
		name:   "everything else is kept",
		before: tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: Gadget\n", "a.py": "g = \"old.example.com\"\n", "a.sh": "kubectl get widgets.old.example.com\n", "PROJECT": "domain: example.com\nresources:\n- {group: old, kind: Widget, version: v1}\n"},
	},
}

func TestWindows(t *testing.T) {
	for _, x := range windows {
		t.Run(x.name, func(t *testing.T) {
			dual, single := testCore(t, dualRules, Options{Dual: true}), testCore(t, dualRules, Options{})
			both, review := migrated(t, dual, x.before, nil)
			want := maps.Clone(x.before)
			maps.Copy(want, x.both)
			sameTree(t, "in the window", both, want)
			if !slices.Equal(review, x.review) {
				t.Errorf("review %q, want %q", review, x.review)
			}
			again, second := migrated(t, dual, both, nil)
			sameTree(t, "after a second run", again, both)
			if len(second) != len(review) {
				t.Errorf("a second run needs review of %q", second)
			}
			straight, _ := migrated(t, single, x.before, nil)
			end, _ := migrated(t, single, both, nil)
			sameTree(t, "at the end of the window", end, straight)
		})
	}
}

func sameTree(t *testing.T, when string, got, want tree) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s %s is\n%s\nwant\n%s", when, name, got[name], want[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s there is %s", when, name)
		}
	}
}

// TestEndsOfWindows are trees that were changed while both groups were served.
func TestEndsOfWindows(t *testing.T) {
	for _, x := range []struct {
		name          string
		before, after tree
		review        []string
	}{
		{
			name:   "the new definition comes first",
			before: tree{"a.yaml": newCRD + "---\n" + oldCRD},
			after:  tree{"a.yaml": newCRD},
		},
		{
			name:   "a definition that says something else needs review",
			before: tree{"a.yaml": oldCRD + "---\n" + newCRD + "  scope: Cluster\n"},
			review: []string{"a.yaml:3: name-taken"},
		},
		{
			name:   "so does one with a comment of its own",
			before: tree{"a.yaml": oldCRD + "# only here\n---\n" + newCRD},
			review: []string{"a.yaml:3: name-taken"},
		},
		{
			name:   "so does a file",
			before: tree{"old.example.com_widgets.yaml": oldCRD, "new.example.org_widgets.yaml": newCRD + "  scope: Cluster\n"},
			review: []string{"old.example.com_widgets.yaml:3: name-taken"},
		},
		{
			name:   "a resource that is renamed in one of two groups needs review",
			before: tree{"a.yaml": "rules:\n- apiGroups: [old.example.com, apps]\n  resources: [gadgets]\n"},
			review: []string{"a.yaml:2: split-rule"},
		},
		{
			name:   "rules that begin alike",
			before: tree{"a.yaml": "rules:\n- verbs: [get]\n  apiGroups: [old.example.com]\n  resources: [gadgets]\n- verbs: [get]\n  apiGroups: [new.example.org]\n  resources: [tools]\n- verbs: [get]\n  apiGroups: [apps]\n  resources: [a]\n"},
			after:  tree{"a.yaml": "rules:\n- verbs: [get]\n  apiGroups: [new.example.org]\n  resources: [tools]\n- verbs: [get]\n  apiGroups: [apps]\n  resources: [a]\n"},
		},
		{
			name:   "items of a list in one line need review",
			before: tree{"a.yaml": "rules:\n- apiGroups: [apiextensions.k8s.io]\n  resources: [customresourcedefinitions]\n  resourceNames: [widgets.new.example.org, widgets.old.example.com, gadgets.old.example.com, tools.new.example.org, things.old.example.com, things.new.example.org]\n"},
			review: []string{"a.yaml:4: name-taken", "a.yaml:4: name-taken", "a.yaml:4: name-taken"},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, review := migrated(t, testCore(t, dualRules, Options{}), x.before, nil)
			want := maps.Clone(x.before)
			maps.Copy(want, x.after)
			sameTree(t, "at the end", got, want)
			if !slices.Equal(review, x.review) {
				t.Errorf("review %q, want %q", review, x.review)
			}
		})
	}
}
