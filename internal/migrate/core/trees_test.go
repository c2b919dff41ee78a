package core

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A tree is the files of a tree by their paths.
type tree map[string]string

// migrated is a tree after a migration, with what needs review as
// "path:line: id".
func migrated(t *testing.T, c *Core, in tree, registered map[string][]string) (out tree, review []string) {
	t.Helper()
	var files []*File
	for _, name := range slices.Sorted(maps.Keys(in)) {
		files = append(files, c.Read(name, []byte(in[name])))
	}
	if loose := c.LooseOf(files); loose != nil {
		for _, f := range files {
			loose.Read(f, []byte(in[f.Path]))
		}
		loose.Settle()
	}
	c.Resolve(files, registered, func(f *File, base string) ([]byte, string, bool) {
		name := path.Join(path.Dir(f.Path), base)
		text, ok := in[name]
		for other := range in {
			ok = ok || strings.HasPrefix(other, name+"/") // a folder
		}
		return []byte(text), name, ok
	})
	prover, single := prove.New(c.table, prove.Options{Dual: c.opts.Dual}), prove.New(c.table, prove.Options{})
	out = tree{}
	for _, f := range files {
		var edits []source.Edit
		for _, s := range f.Sites {
			edits = append(edits, s.Edits...)
			if s.Action() == judge.Review {
				review = append(review, fmt.Sprintf("%s:%d: %s", f.Path, s.Pos.Line, s.ID()))
			}
		}
		b, err := source.Apply([]byte(in[f.Path]), edits)
		if err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		if err := prover.File(f.Path, f.To, []byte(in[f.Path]), b); err != nil {
			t.Errorf("not verified: %v", err)
		}
		if f.Twin != nil {
			name := path.Join(path.Dir(f.Path), f.Twin.Base)
			if err := single.File(f.Path, name, []byte(in[f.Path]), f.Twin.Data); err != nil {
				t.Errorf("not verified: %v", err)
			}
			out[name] = string(f.Twin.Data)
		}
		if !f.Drop {
			out[f.To] = string(b)
		}
	}
	return out, review
}

// trees are small trees before and after. What is not in after is as before.
var trees = slices.Concat(someTrees, moreTrees, reasonTrees, textTrees, projectTrees, listTrees)

// A treeCase is a small tree before and after.
type treeCase struct {
	name          string
	rules         string // testRules where it is empty
	dual, copied  bool
	registered    map[string][]string
	before, after tree
	review        []string
}

var someTrees = []treeCase{
	{
		name:  "a line that names a kind by a word is about this kind",
		rules: kindRules,
		before: tree{
			"a.go":   "package a\n\nvar a = `cannot list resource \"gadgets\" in API group \"old.example.com\"`\nvar b = \"no matches for kind \\\"Widget\\\" in version \\\"old.example.com/v1\\\"\"\n",
			"a.csv":  "new,Widget,old.example.com,v1\n",
			"a.yaml": "expr: a{resource=\"gadgets\",group=\"old.example.com\"} / a{resource=\"widgets\",group=\"old.example.com\"}\n",
			"t.yaml": "{{- $w := dict \"apiVersion\" \"old.example.com/v1\" \"kind\" \"Widget\" }}\nx: {{ $w }}\n",
		},
		after: tree{
			"a.go":   "package a\n\nvar a = `cannot list resource \"gadgets\" in API group \"old.example.com\"`\nvar b = \"no matches for kind \\\"Tool\\\" in version \\\"new.example.org/v1\\\"\"\n",
			"a.csv":  "new,Tool,new.example.org,v1\n",
			"a.yaml": "expr: a{resource=\"gadgets\",group=\"old.example.com\"} / a{resource=\"tools\",group=\"new.example.org\"}\n",
			"t.yaml": "{{- $w := dict \"apiVersion\" \"new.example.org/v1\" \"kind\" \"Tool\" }}\nx: {{ $w }}\n",
		},
	},
	{
		name:  "calls behind and around a group name its kind",
		rules: kindRules,
		before: tree{
			"a.go":   "package a\n\nvar (\n\ta = schema.GroupVersionResource{\"old.example.com\", \"v1\", \"gadgets\"}\n\tb = schema.GroupVersion{Group: \"old.example.com\", Version: \"v1\"}.WithKind(\"Gadget\")\n\tc = T{APIGroup: ptr.To(\"old.example.com\"), Kind: \"Gadget\"}\n\td = c.Get().AbsPath(\"/apis/old.example.com/v1\").\n\t\tNamespace(ns).Resource(\"widgets\")\n\te = get(\"/apis/old.example.com/v1/namespaces/\" + ns + \"/widgets/x\")\n)\n",
			"a.yaml": "a: /apis/old.example.com/v1/namespaces/{{ ns }}/gadgets\nb: /apis/old.example.com/v1/watch/widgets.*\n",
		},
		after: tree{
			"a.go":   "package a\n\nvar (\n\ta = schema.GroupVersionResource{\"old.example.com\", \"v1\", \"gadgets\"}\n\tb = schema.GroupVersion{Group: \"old.example.com\", Version: \"v1\"}.WithKind(\"Gadget\")\n\tc = T{APIGroup: ptr.To(\"old.example.com\"), Kind: \"Gadget\"}\n\td = c.Get().AbsPath(\"/apis/new.example.org/v1\").\n\t\tNamespace(ns).Resource(\"tools\")\n\te = get(\"/apis/new.example.org/v1/namespaces/\" + ns + \"/tools/x\")\n)\n",
			"a.yaml": "a: /apis/old.example.com/v1/namespaces/{{ ns }}/gadgets\nb: /apis/new.example.org/v1/watch/tools.*\n",
		},
	},
	{
		name:   "an object that has a field for a group keeps its own version and kind",
		rules:  "name: one\nrules: [{id: one, from: {group: old.example.com, version: v1}, to: {group: new.example.org, version: v2}}]\n",
		before: tree{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ngroup: old.example.com\n"},
		after:  tree{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ngroup: new.example.org\n"},
	},
	{
		name:  "a kind that gets another name needs review where it has no group",
		rules: kindRules,
		before: tree{
			"w.yaml":             "apiVersion: old.example.com/v1\nkind: Widget\n",
			"kustomization.yaml": "resources: [widgets]\npatches:\n- target: {kind: Widget}\n- target: {group: apps, kind: Widget}\n",
			"a.sh":               "kubectl get widgets,pods\nkubectl get pod widget\n",
			"p.yaml":             "rule: object.kind == 'Widget'\n",
		},
		after:  tree{"w.yaml": "apiVersion: new.example.org/v1\nkind: Tool\n"},
		review: []string{"a.sh:1: loose-name", "kustomization.yaml:3: loose-name", "p.yaml:1: loose-name"},
	},
	{
		name:   "a permission on every resource keeps the group of the kinds that no rule moves",
		rules:  "name: one\nrules:\n- {id: step, from: {group: old.example.com, version: v1}, to: {version: v2}}\n- {id: fig, from: {group: old.example.com, version: v1, kind: Fig, plural: figs}, to: {group: new.example.org, version: v2}}\n",
		before: tree{"a.yaml": "rules:\n- {apiGroups: [old.example.com], resources: [\"*/*\"], verbs: [get]}\n"},
		after:  tree{"a.yaml": "rules:\n- {apiGroups: [old.example.com, new.example.org], resources: [\"*/*\"], verbs: [get]}\n"},
	},
	{
		name: "the name of a file follows the file that its path leads to",
		before: tree{
			"crds/old.example.com_widgets.yaml":    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Widget, plural: widgets}\n",
			"patches/old.example.com_widgets.yaml": "- {op: remove, path: /spec}\n",
			"crds/kustomization.yaml":              "resources:\n- old.example.com_widgets.yaml\npatches:\n- path: ../patches/old.example.com_widgets.yaml\n",
			"Makefile":                             "clean:\n\trm -f crds/old.example.com_*.yaml\n",
		},
		after: tree{
			"crds/new.example.org_widgets.yaml":    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec:\n  group: new.example.org\n  names: {kind: Widget, plural: widgets}\n",
			"patches/old.example.com_widgets.yaml": "- {op: remove, path: /spec}\n",
			"crds/kustomization.yaml":              "resources:\n- new.example.org_widgets.yaml\npatches:\n- path: ../patches/old.example.com_widgets.yaml\n",
			"Makefile":                             "clean:\n\trm -f crds/new.example.org_*.yaml\n",
		},
	},
	{
		name:   "a rule of permissions is split beside one that its first part equals",
		rules:  "name: two\nrules:\n- {id: j, from: {group: old.example.com, kind: Job, plural: jobs}, to: {group: jobs.example.org}}\n- {id: p, from: {group: old.example.com, kind: Pool, plural: pools}, to: {group: pools.example.org}}\n- {id: f, from: {group: older.example.com}, to: {group: jobs.example.org}}\n",
		before: tree{"a.yaml": "rules:\n- apiGroups: [old.example.com]\n  resources: [jobs, pools]\n  verbs: [get]\n- apiGroups: [jobs.example.org]\n  resources: [jobs]\n  verbs: [get]\n- apiGroups: [old.example.com, older.example.com]\n  resources: [jobs, pools]\n  verbs: [list]\n"},
		after:  tree{"a.yaml": "rules:\n- apiGroups: [jobs.example.org]\n  resources: [jobs]\n  verbs: [get]\n- apiGroups: [pools.example.org]\n  resources: [pools]\n  verbs: [get]\n- apiGroups: [jobs.example.org]\n  resources: [jobs]\n  verbs: [get]\n- apiGroups: [old.example.com, older.example.com]\n  resources: [jobs, pools]\n  verbs: [list]\n"},
		review: []string{"a.yaml:8: split-rule", "a.yaml:8: split-rule"},
	},
	{
		name:   "a rule of webhooks whose versions do not become one needs review",
		rules:  "name: step\nrules: [{id: s, from: {group: old.example.com, version: v1}, to: {version: v2}}]\n",
		before: tree{"a.yaml": "webhooks:\n- name: a\n  rules:\n  - {apiGroups: [old.example.com, other.example.com], apiVersions: [v1], resources: [widgets]}\n"},
		after:  tree{"a.yaml": "webhooks:\n- name: a\n  rules:\n  - {apiGroups: [old.example.com, other.example.com], apiVersions: [v1], resources: [widgets]}\n"},
		review: []string{"a.yaml:4: split-rule"},
	},
	{
		name:  "keys of a literal do not become one, and an object in source does not change its version without its shape",
		rules: "name: two\nrules:\n- {id: a, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: b, from: {group: older.example.com}, to: {group: new.example.org}}\n- {id: s, from: {group: step.example.com, version: v1, kind: Fig, plural: figs}, to: {version: v2}}\nconvert:\n- {id: c, kind: Fig, from: step.example.com/v1, to: step.example.com/v2, steps: [{rename: spec.a, to: b}]}\n",
		before: tree{
			"a.py": "x = {\"old.example.com\": 1, \"older.example.com\": 2}\n",
			"a.ts": "const x = {apiVersion: 'step.example.com/v1', kind: 'Fig', spec: {a: 'x'}};\n",
		},
		review: []string{"a.py:1: both-names", "a.py:1: both-names", "a.ts:1: unconverted"},
	},
	{
		name:  "a version next to a constant for its group, and the client of a version that changes, need review",
		rules: "name: step\nrules: [{id: s, from: {group: old.example.com, version: v1, kind: Fig, plural: figs}, to: {version: v2}}]\n",
		before: tree{
			"a.py": "GROUP = \"old.example.com\"\nx = api.list(GROUP, \"v1\", \"figs\")\ny = {\"apiVersion\": GROUP + \"/v1\", \"kind\": \"Fig\"}\nz = api.list(GROUP, \"v1\", \"nuts\")\n",
			"a.go": "package a\n\nfunc f() { c.OldV1().Figs(\"x\").List(); c.OldV1().Nuts(\"x\").List() }\n",
		},
		review: []string{"a.go:3: client-name", "a.py:2: built-version", "a.py:3: built-version", "a.py:4: built-version"},
	},
	{
		name: "a rule of permissions in braces is split, and one with a renamed resource and all of another sort is not",
		before: tree{
			"a.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n- {\"apiGroups\": [\"some.example.com\"], \"resources\": [\"nuts\", \"tools\"], \"verbs\": [\"get\"]}\n",
			"b.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n- apiGroups: [some.example.com]\n  resources: [tools, \"*/status\"]\n  verbs: [get]\n",
		},
		after: tree{
			"a.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n- {\"apiGroups\": [\"some.example.com\"], \"resources\": [\"nuts\"], \"verbs\": [\"get\"]}\n- {\"apiGroups\": [\"other.example.org\"], \"resources\": [\"gadgets\"], \"verbs\": [\"get\"]}\n",
		},
		review: []string{"b.yaml:4: split-rule"},
	}, {
		name: "a permission on all resources keeps the old group if only some kinds change",
		before: tree{
			"a.yaml": "rules:\n- apiGroups: [old.example.com]\n  resources: [\"*\"]\n  verbs: [get]\n",
			"b.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
		},
		rules: "name: one\nrules: [{id: one, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org}}]\n",
		after: tree{
			"a.yaml": "rules:\n- apiGroups: [old.example.com, new.example.org]\n  resources: [\"*\"]\n  verbs: [get]\n",
			"b.yaml": "apiVersion: new.example.org/v1\nkind: Widget\n",
		},
	},
	{
		name: "an object with a field that its new version lacks needs review",
		before: tree{
			"crd.yaml":  "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: figs.step.example.com}\nspec:\n  group: step.example.com\n  names: {kind: Fig, plural: figs}\n  versions:\n  - name: v1alpha1\n    schema: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: string}, parts: {items: {properties: {old: {type: string}, name: {type: string}}}}}}}}}\n  - name: v1\n    schema: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: string}, parts: {items: {properties: {name: {type: string}}}}}}}}}\n",
			"good.yaml": "apiVersion: step.example.com/v1alpha1\nkind: Fig\nspec:\n  size: a\n  parts:\n  - name: x\n",
			"old.yaml":  "apiVersion: step.example.com/v1alpha1\nkind: Fig\nspec:\n  parts:\n  - old: x\n",
		},
		after: tree{
			"crd.yaml":  "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: figs.step.example.com}\nspec:\n  group: step.example.com\n  names: {kind: Fig, plural: figs}\n  versions:\n  - name: v1alpha1\n    schema: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: string}, parts: {items: {properties: {old: {type: string}, name: {type: string}}}}}}}}}\n  - name: v1\n    schema: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: string}, parts: {items: {properties: {name: {type: string}}}}}}}}}\n",
			"good.yaml": "apiVersion: step.example.com/v1\nkind: Fig\nspec:\n  size: a\n  parts:\n  - name: x\n",
			"old.yaml":  "apiVersion: step.example.com/v1alpha1\nkind: Fig\nspec:\n  parts:\n  - old: x\n",
		},
		review: []string{"old.yaml:1: field-missing"},
	},
	{
		name: "a key that is an ordinary word is no group",
		before: tree{
			"a.json": "{\"extensions\": [\"golang.go\"], \"apiVersion\": \"extensions/v1beta1\", \"kind\": \"Ingress\"}\n",
		},
		rules: "name: one\nrules: [{id: one, from: {group: extensions, version: v1beta1, kind: Ingress, plural: ingresses}, to: {group: networking.k8s.io, version: v1}}]\n",
		after: tree{
			"a.json": "{\"extensions\": [\"golang.go\"], \"apiVersion\": \"networking.k8s.io/v1\", \"kind\": \"Ingress\"}\n",
		},
	},
	{
		name: "names of resources in paths and commands of code",
		before: tree{
			"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: gadgets.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Gadget, plural: gadgets, singular: gadget}\n",
			"a.go":     "package a\n\nvar (\n\ta = \"/resources/gadgets.old.example.com/v1/\"\n\tb = \"/resources/gadgets.old.example.com/\"\n\tc = run(\"-n\", ns, \"gadget.old.example.com\", x)\n\td = \"gadget.old.example.com\"\n)\n",
		},
		after: tree{
			"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: gadgets.new.example.org\nspec:\n  group: new.example.org\n  names: {kind: Gadget, plural: gadgets, singular: gadget}\n",
			"a.go":     "package a\n\nvar (\n\ta = \"/resources/gadgets.new.example.org/v1/\"\n\tb = \"/resources/gadgets.new.example.org/\"\n\tc = run(\"-n\", ns, \"gadget.new.example.org\", x)\n\td = \"gadget.old.example.com\"\n)\n",
		},
	},
	{
		name: "a literal of a type of the old version needs review where the type is of another module",
		before: tree{
			"a/a.go":            "package a\n\nimport stepV1alpha1 \"example.net/api/step/v1alpha1\"\n\nvar x = stepV1alpha1.Fig{TypeMeta: metav1.TypeMeta{Kind: \"Fig\", APIVersion: \"step.example.com/v1alpha1\"}}\n",
			"b/b.go":            "package b\n\nimport \"example.com/p/api/v1alpha1\"\n\nvar x = v1alpha1.Fig{TypeMeta: metav1.TypeMeta{Kind: \"Fig\", APIVersion: \"step.example.com/v1alpha1\"}}\n",
			"api/v1alpha1/g.go": "// +groupName=step.example.com\npackage v1alpha1\n",
		},
		after: tree{
			"a/a.go":            "package a\n\nimport stepV1alpha1 \"example.net/api/step/v1alpha1\"\n\nvar x = stepV1alpha1.Fig{TypeMeta: metav1.TypeMeta{Kind: \"Fig\", APIVersion: \"step.example.com/v1alpha1\"}}\n",
			"b/b.go":            "package b\n\nimport \"example.com/p/api/v1alpha1\"\n\nvar x = v1alpha1.Fig{TypeMeta: metav1.TypeMeta{Kind: \"Fig\", APIVersion: \"step.example.com/v1\"}}\n",
			"api/v1alpha1/g.go": "// +groupName=step.example.com\npackage v1alpha1\n",
		},
		review: []string{"a/a.go:5: typed-literal"},
	},
	{
		name: "text with a version that neither the rules nor the tree know is kept",
		before: tree{
			"a.yaml": "# see step.example.com/v1beta10 and step.example.com/v1alpha1\napiVersion: step.example.com/v1alpha1\nkind: Fig\n",
		},
		after: tree{
			"a.yaml": "# see step.example.com/v1beta10 and step.example.com/v1\napiVersion: step.example.com/v1\nkind: Fig\n",
		},
	},
	{
		name: "what is built of a constant is told",
		before: tree{
			"a.py":    "GROUP = \"old.example.com\"\nOWNER = GROUP + \"/owner\"\nVERSION = GROUP + \"/v1\"\n",
			"A.java":  "class A {\n  static final String GROUP = \"old.example.com\";\n  static final String NAME = \"a.internal.\" + GROUP;\n}\n",
			"b.ts":    "const GROUP = 'old.example.com';\nconst a = `${GROUP}/owner`;\n",
			"c/c.go":  "package c\n\nconst Group = \"old.example.com\"\n\nvar key = fmt.Sprintf(\"%s/owner\", Group)\n",
			"d/d.go":  "package d\n\nconst (\n\tGroup    string = \"old.example.com\"\n\tPlural   string = \"widgets\"\n\tFullName string = Plural + \".\" + Group\n\tKeyPhase string = FullName + \"/phase\"\n)\n\nfunc KeyOf(kind string) string { return fmt.Sprintf(\"%s/%s\", Group, kind) }\n",
			"e.py":    "GROUP: str = \"old.example.com\"\nNAME: str = \"widgets.\" + GROUP\nKEY: str = NAME + \"/phase\"\n",
			"kept.py": "GROUP = \"old.example.com\"\nJOBS = \"jobs.\" + GROUP + \"/x\"\n",
		},
		after: tree{
			"a.py":    "GROUP = \"new.example.org\"\nOWNER = GROUP + \"/owner\"\nVERSION = GROUP + \"/v1\"\n",
			"A.java":  "class A {\n  static final String GROUP = \"new.example.org\";\n  static final String NAME = \"a.internal.\" + GROUP;\n}\n",
			"b.ts":    "const GROUP = 'new.example.org';\nconst a = `${GROUP}/owner`;\n",
			"c/c.go":  "package c\n\nconst Group = \"new.example.org\"\n\nvar key = fmt.Sprintf(\"%s/owner\", Group)\n",
			"d/d.go":  "package d\n\nconst (\n\tGroup    string = \"new.example.org\"\n\tPlural   string = \"widgets\"\n\tFullName string = Plural + \".\" + Group\n\tKeyPhase string = FullName + \"/phase\"\n)\n\nfunc KeyOf(kind string) string { return fmt.Sprintf(\"%s/%s\", Group, kind) }\n",
			"e.py":    "GROUP: str = \"new.example.org\"\nNAME: str = \"widgets.\" + GROUP\nKEY: str = NAME + \"/phase\"\n",
			"kept.py": "GROUP = \"new.example.org\"\nJOBS = \"jobs.\" + GROUP + \"/x\"\n",
		},
		review: []string{"A.java:3: built-key", "a.py:2: built-key", "b.ts:2: built-key", "c/c.go:5: built-key", "d/d.go:7: built-key", "d/d.go:10: built-key", "e.py:3: built-key"},
	},
	{
		name: "what several objects take from one place changes if it does for all",
		before: tree{
			"a.yaml": "base: &b\n  apiVersion: old.example.com/v1\nitems:\n- <<: *b\n  kind: Widget\n- <<: *b\n  kind: Gadget\n",
			"b.yaml": "base: &b\n  apiVersion: old.example.com/v1\nitems:\n- <<: *b\n  kind: Widget\n- <<: *b\n  kind: Widget\n",
			"r.yaml": "rules:\n- apiGroups: &g [old.example.com]\n  resources: [widgets]\n- apiGroups: *g\n  resources: [gadgets]\n",
		},
		rules: "name: one\nrules: [{id: one, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org}}]\n",
		after: tree{
			"a.yaml": "base: &b\n  apiVersion: old.example.com/v1\nitems:\n- <<: *b\n  kind: Widget\n- <<: *b\n  kind: Gadget\n",
			"b.yaml": "base: &b\n  apiVersion: new.example.org/v1\nitems:\n- <<: *b\n  kind: Widget\n- <<: *b\n  kind: Widget\n",
			"r.yaml": "rules:\n- apiGroups: &g [old.example.com]\n  resources: [widgets]\n- apiGroups: *g\n  resources: [gadgets]\n",
		},
		review: []string{"a.yaml:2: several-answers", "r.yaml:2: shared"},
	},
	{
		name: "a CRD is one reference, and its file follows it",
		before: tree{
			"crd/old.example.com_widgets.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Widget, plural: widgets}\n",
			"crd/kustomization.yaml":           "resources:\n- old.example.com_widgets.yaml\n",
		},
		after: tree{
			"crd/new.example.org_widgets.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.new.example.org\nspec:\n  group: new.example.org\n  names: {kind: Widget, plural: widgets}\n",
			"crd/kustomization.yaml":           "resources:\n- new.example.org_widgets.yaml\n",
		},
	},
	{
		name: "a CRD whose new file says something else needs review, once",
		before: tree{
			"old.example.com_widgets.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec: {group: old.example.com, names: {kind: Widget, plural: widgets}}\n",
			"new.example.org_widgets.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec: {scope: Cluster, group: new.example.org, names: {kind: Widget, plural: widgets}}\n",
		},
		review: []string{"old.example.com_widgets.yaml:2: name-taken"},
	},
	{
		name:   "the kind of an object decides about its group, version and kind",
		before: tree{"a.yaml": "apiVersion: some.example.com/v1\nkind: Tool\n---\napiVersion: some.example.com/v1\nkind: Other\n"},
		after:  tree{"a.yaml": "apiVersion: other.example.org/v1\nkind: Gadget\n---\napiVersion: some.example.com/v1\nkind: Other\n"},
	},
	{
		name:   "a document in a string at any depth is an object",
		before: tree{"cm.yaml": "kind: ConfigMap\ndata:\n  a.yaml: |\n    kind: ConfigMap\n    data:\n      b.json: |\n        {\"apiVersion\": \"some.example.com/v1\", \"kind\": \"Tool\"}\n"},
		after:  tree{"cm.yaml": "kind: ConfigMap\ndata:\n  a.yaml: |\n    kind: ConfigMap\n    data:\n      b.json: |\n        {\"apiVersion\": \"other.example.org/v1\", \"kind\": \"Gadget\"}\n"},
	},
	{
		name:   "JSON with escapes in a string of Go",
		before: tree{"a.go": "package a\n\nconst x = \"{\\\"apiVersion\\\": \\\"some.example.com/v1\\\", \\\"kind\\\": \\\"Tool\\\"}\"\n"},
		after:  tree{"a.go": "package a\n\nconst x = \"{\\\"apiVersion\\\": \\\"other.example.org/v1\\\", \\\"kind\\\": \\\"Gadget\\\"}\"\n"},
	},
	{
		name:   "a composite literal is an object",
		before: tree{"a.go": "package a\n\nvar gvk = schema.GroupVersionKind{Group: \"some.example.com\", Version: \"v1\", Kind: \"Tool\"}\n"},
		after:  tree{"a.go": "package a\n\nvar gvk = schema.GroupVersionKind{Group: \"other.example.org\", Version: \"v1\", Kind: \"Gadget\"}\n"},
	},
	{
		name:   "arguments of a call by name and by place",
		before: tree{"a.py": "api.list(group=\"some.example.com\", version=\"v1\", plural=\"tools\")\napi.get(\"some.example.com\", \"v1\", \"tools\")\n"},
		after:  tree{"a.py": "api.list(group=\"other.example.org\", version=\"v1\", plural=\"gadgets\")\napi.get(\"other.example.org\", \"v1\", \"gadgets\")\n"},
	},
	{
		name:   "a group without a kind needs review where the kinds of the tree part",
		before: tree{"a.yaml": "apiVersion: some.example.com/v1\nkind: Other\n", "b.py": "g = \"some.example.com\"\nh = {\"apiVersion\": \"some.example.com/v1\", \"kind\": \"Tool\"}\n"},
		after:  tree{"b.py": "g = \"some.example.com\"\nh = {\"apiVersion\": \"other.example.org/v1\", \"kind\": \"Gadget\"}\n"},
		review: []string{"b.py:1: several-answers"},
	},
	{
		name:       "a Go package is about the kinds that it registers",
		before:     tree{"api/v1/register.go": "package v1\n\nconst GroupName = \"some.example.com\"\n", "a.yaml": "apiVersion: some.example.com/v1\nkind: Tool\n"},
		after:      tree{"a.yaml": "apiVersion: other.example.org/v1\nkind: Gadget\n"},
		registered: map[string][]string{"api/v1": {"Other"}},
	},
	{
		name:   "permissions are split by resource",
		rules:  "name: s\nrules:\n- {id: tool, from: {group: some.example.com, kind: Tool, plural: tools}, to: {group: other.example.org}}\n",
		before: tree{"role.yaml": "rules:\n- apiGroups: [some.example.com]\n  resources: [tools, others]\n  verbs: [get]\n"},
		after:  tree{"role.yaml": "rules:\n- apiGroups: [some.example.com]\n  resources: [others]\n  verbs: [get]\n- apiGroups: [other.example.org]\n  resources: [tools]\n  verbs: [get]\n"},
	},
	{
		name:   "permissions on the group of Kubernetes itself stay where a rule is split",
		rules:  "name: s\nrules:\n- {id: tool, from: {group: some.example.com, kind: Tool, plural: tools}, to: {group: other.example.org}}\n- {id: nut, from: {group: some.example.com, kind: Nut, plural: nuts}, to: {group: nuts.example.org}}\n",
		before: tree{"role.yaml": "rules:\n- apiGroups:\n  - some.example.com\n  - ''\n  resources:\n  - tools\n  - nuts\n  - pods\n  verbs: [get]\n"},
		after:  tree{"role.yaml": "rules:\n- apiGroups:\n  - some.example.com\n  - ''\n  resources:\n  - pods\n  verbs: [get]\n- apiGroups:\n  - ''\n  resources:\n  - tools\n  - nuts\n  verbs: [get]\n- apiGroups:\n  - other.example.org\n  resources:\n  - tools\n  verbs: [get]\n- apiGroups:\n  - nuts.example.org\n  resources:\n  - nuts\n  verbs: [get]\n"},
	},
	{
		name:   "a group that becomes one of its list goes",
		before: tree{"role.yaml": "rules:\n- apiGroups:\n  - old.example.com\n  - new.example.org\n  resources: [widgets]\n"},
		after:  tree{"role.yaml": "rules:\n- apiGroups:\n  - new.example.org\n  resources: [widgets]\n"},
	},
	{
		name:   "markers of permissions",
		before: tree{"a.go": "package a\n\n// +kubebuilder:rbac:groups=old.example.com;apps,resources=widgets;deployments,verbs=get\nvar x int\n"},
		after:  tree{"a.go": "package a\n\n// +kubebuilder:rbac:groups=new.example.org;apps,resources=widgets;deployments,verbs=get\nvar x int\n"},
	},
	{
		name:   "in dual mode permissions have both groups",
		dual:   true,
		before: tree{"role.yaml": "rules:\n- apiGroups: [\"old.example.com\"]\n  resources: [widgets]\n"},
		after:  tree{"role.yaml": "rules:\n- apiGroups: [\"old.example.com\", \"new.example.org\"]\n  resources: [widgets]\n"},
	},
	{
		name: "a version alone does not change in a file about this version",
		before: tree{"api/v1alpha1/doc.go": "package v1alpha1\n\nvar gv = schema.GroupVersion{Group: \"step.example.com\", Version: \"v1alpha1\"}\n",
			"samples/a.yaml": "apiVersion: step.example.com/v1alpha1\nkind: Thing\n"},
		after: tree{"samples/a.yaml": "apiVersion: step.example.com/v1\nkind: Thing\n"},
	},
	{
		name:   "a reference without a version changes nothing where only versions do",
		before: tree{"a.yaml": "rules: [{apiGroups: [step.example.com], resources: [things]}]\n", "b.yaml": "apiVersion: step.example.com/v1beta1\nkind: Thing\n"},
	},
	{
		name:   "a version that is filled in at run time needs review where rules depend on it",
		before: tree{"a.yaml": "apiVersion: some.example.com/{{ .Values.version }}\nkind: Tool\n"},
		review: nil,
		after:  tree{"a.yaml": "apiVersion: other.example.org/{{ .Values.version }}\nkind: Gadget\n"},
	},
	{
		name:   "history is kept by its path",
		before: tree{"CHANGELOG.md": "old.example.com/v1\n", "docs/release-notes/a.md": "old.example.com/v1\n", "deploy/v1.2.3/a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n", "install/v2_0_0_full.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n"},
	},
	{
		name:   "the CSV of a bundle is no record by its name, that of a package is",
		before: tree{"bundle/manifests/op.v0.2.4.clusterserviceversion.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n", "olm/op.v0.2.4.clusterserviceversion.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n", "olm/0.2.4/manifests/op.v0.2.4.clusterserviceversion.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n"},
		after:  tree{"bundle/manifests/op.v0.2.4.clusterserviceversion.yaml": "apiVersion: new.example.org/v1\nkind: Widget\n"},
	},
	{
		name:   "PROJECT: the domain changes if all resources agree",
		rules:  "name: p\nrules:\n- {id: all, from: {group: a.old.example.com}, to: {group: b.example.org}}\n",
		before: tree{"PROJECT": "domain: old.example.com\nresources:\n- {group: a, kind: Widget, version: v1}\n"},
		after:  tree{"PROJECT": "domain: example.org\nresources:\n- {group: b, kind: Widget, version: v1}\n"},
	},
	{ // awx-operator, eda-server-operator
		name:   "PROJECT: the version changes where no Go package has it",
		rules:  "name: p\nrules:\n- {id: all, from: {group: a.old.example.com, version: v1}, to: {version: v2}}\n",
		before: tree{"PROJECT": "domain: old.example.com\nlayout:\n- ansible.sdk.operatorframework.io/v1\nresources:\n- {group: a, kind: Widget, version: v1}\n", "x/PROJECT": "domain: old.example.com\nlayout:\n- go.kubebuilder.io/v4\nresources:\n- {group: a, kind: Widget, version: v1}\n"},
		after:  tree{"PROJECT": "domain: old.example.com\nlayout:\n- ansible.sdk.operatorframework.io/v1\nresources:\n- {group: a, kind: Widget, version: v2}\n"},
	},
	{
		name:   "PROJECT: a resource gets a domain of its own where that of the project is of others too",
		rules:  "name: p\nrules:\n- {id: all, from: {group: a.old.example.com}, to: {group: b.example.org}}\n",
		before: tree{"PROJECT": "domain: old.example.com\nresources:\n- api: {}\n  group: a\n  kind: Widget\n  version: v1\n- group: a.old.example.com\n  kind: Other\n- {group: c, kind: Other, version: v1}\n", "x/PROJECT": "resources:\n- group: a.old.example.com\n  kind: Widget\n- group: c\n"},
		after:  tree{"PROJECT": "domain: old.example.com\nresources:\n- api: {}\n  group: b\n  domain: example.org\n  kind: Widget\n  version: v1\n- group: b.example.org\n  kind: Other\n- {group: c, kind: Other, version: v1}\n", "x/PROJECT": "resources:\n- group: b.example.org\n  kind: Widget\n- group: c\n"},
	},
	{
		name:  "PROJECT: the domain of other resources is kept where a line for another cannot be written",
		rules: "name: p\nrules:\n- {id: all, from: {group: a.old.example.com}, to: {group: b.example.org}}\n",
		before: tree{
			"PROJECT":   "domain: old.example.com\nresources:\n- {group: a, kind: Widget, version: v1}\n- {group: c, kind: Other, version: v1}\n",
			"x/PROJECT": "domain: old.example.com\nresources:\n- group: \"a\"\n  kind: Widget\n- group: a # one\n  kind: Tool\n- group: c\n",
			"y/PROJECT": "domain: old.example.com\r\nresources:\r\n- group: a\r\n  kind: Widget\r\n- group: c\r\n",
		},
		after:  tree{"y/PROJECT": "domain: old.example.com\r\nresources:\r\n- group: b\r\n  domain: example.org\r\n  kind: Widget\r\n- group: c\r\n"},
		review: []string{"PROJECT:3: project-half", "x/PROJECT:3: project-half", "x/PROJECT:5: project-half"},
	},
	{
		name:   "comments that keep, and values that the ruleset keeps",
		before: tree{"a.yaml": "group: old.example.com # cfctl:keep for now\nx: kept.old.example.com\n"},
	},
	{
		name:   "an object that is commented out",
		before: tree{"a.yaml": "# apiVersion: some.example.com/v1\n# kind: Tool\na: b\n"},
		after:  tree{"a.yaml": "# apiVersion: other.example.org/v1\n# kind: Gadget\na: b\n"},
	},
	{
		name:   "fenced blocks, and objects in documents without a fence",
		before: tree{"a.md": "```yaml\napiVersion: some.example.com/v1\nkind: Tool\n```\n", "b.rst": "Apply::\n\n   apiVersion: some.example.com/v1\n   kind: Tool\n\nDone.\n"},
		after:  tree{"a.md": "```yaml\napiVersion: other.example.org/v1\nkind: Gadget\n```\n", "b.rst": "Apply::\n\n   apiVersion: other.example.org/v1\n   kind: Gadget\n\nDone.\n"},
	},
	{
		name:   "a script with a document",
		before: tree{"a.sh": "kubectl get widgets.v1.old.example.com\ncat <<EOF | kubectl apply -f -\napiVersion: some.example.com/v1\nkind: Tool\nEOF\n"},
		after:  tree{"a.sh": "kubectl get widgets.v1.new.example.org\ncat <<EOF | kubectl apply -f -\napiVersion: other.example.org/v1\nkind: Gadget\nEOF\n"},
	},
	{
		name:   "a notebook",
		before: tree{"a.ipynb": "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"x = \\\"old.example.com\\\"\\n\", \"y = {\\\"apiVersion\\\": \\\"some.example.com/v1\\\", \\\"kind\\\": \\\"Tool\\\"}\"]}]}"},
		after:  tree{"a.ipynb": "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"x = \\\"new.example.org\\\"\\n\", \"y = {\\\"apiVersion\\\": \\\"other.example.org/v1\\\", \\\"kind\\\": \\\"Gadget\\\"}\"]}]}"},
	},
}

func TestTrees(t *testing.T) {
	for _, x := range trees {
		t.Run(x.name, func(t *testing.T) {
			if x.rules == "" {
				x.rules = testRules
			}
			c := testCore(t, x.rules, Options{Dual: x.dual, Copied: x.copied})
			out, review := migrated(t, c, x.before, x.registered)
			want := maps.Clone(x.after)
			if want == nil {
				want = tree{}
			}
			for name, text := range x.before {
				if _, ok := out[name]; ok && want[name] == "" {
					want[name] = text
				}
			}
			for name, text := range want {
				if out[name] != text {
					t.Errorf("%s is\n%s\nwant\n%s", name, out[name], text)
				}
			}
			if !slices.Equal(review, x.review) {
				t.Errorf("review %q, want %q", review, x.review)
			}
			again, _ := migrated(t, c, out, x.registered)
			if !maps.Equal(again, out) {
				t.Errorf("a second run changes %v", again)
			}
		})
	}
}
