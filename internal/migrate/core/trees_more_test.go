package core

// kindRules move one kind of a group, which gets another name.
const kindRules = `name: kind
rules:
- {id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org, kind: Tool, plural: tools}}
`

// moreTrees are about parts of references that stand apart.
var moreTrees = []treeCase{
	{
		name:  "an object whose version is filled in at run time needs review where the rule steps its version",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gizmo}}\n",
		before: tree{
			"a.yaml":           "apiVersion: old.example.com/{{ .Values.version }}\nkind: Widget\n",
			"templates/b.yaml": "apiVersion: {{ printf \"%s/%s\" \"old.example.com\" \"v1alpha1\" }}\nkind: Widget\n",
			"c.py":             "v = \"v1alpha1\"\ny = f\"\"\"apiVersion: old.example.com/{v}\nkind: Widget\n\"\"\"\n",
			"d.go":             "package a\n\nvar v = \"v1alpha1\"\nvar s = \"apiVersion: old.example.com/\" + v + \"\\nkind: Widget\\n\"\n",
			"e.kt":             "val v = \"v1alpha1\"\nval y = \"\"\"\napiVersion: old.example.com/$v\nkind: Widget\n\"\"\"\n",
		},
		review: []string{"a.yaml:1: filled-in", "c.py:2: filled-in", "d.go:4: leaves-kind", "e.kt:3: filled-in", "templates/b.yaml:1: filled-in"},
	},
	{
		name:  "a kind that gets another name needs review where its apiVersion comes from somewhere else",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gizmo}}\n",
		before: tree{
			"a.yaml":           "apiVersion: old.example.com/v1alpha1\nkind: Widget\n",
			"templates/b.yaml": "apiVersion: {{ .Values.api }}\nkind: Widget\n",
			"templates/c.yaml": "apiVersion: {{ include \"x.api\" . }}\nkind: Widget\n---\napiVersion: v1\nkind: Widget\n",
			"templates/d.yaml": "rules:\n- apiGroups: [\"{{ include \"x.group\" . }}\"]\n  kinds: [\"Widget\"]\n- apiGroups: [{{ include \"x.group\" . }}]\n  kinds: [Widget]\n- apiGroups: [apps]\n  kinds: [Widget]\n", // topolvm/topolvm
		},
		after:  tree{"a.yaml": "apiVersion: new.example.org/v2\nkind: Gizmo\n"},
		review: []string{"templates/b.yaml:2: loose-name", "templates/c.yaml:2: loose-name", "templates/d.yaml:3: loose-name", "templates/d.yaml:5: loose-name"},
	},
	{
		name:  "a kind whose apiVersion a value supplies needs review where nothing else of the tree names a kind of the group",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gizmo}}\n",
		before: tree{
			"values.yaml":      "api: old.example.com/v1alpha1\n",
			"templates/b.yaml": "apiVersion: {{ .Values.api }}\nkind: Widget\n",
			"a.sh":             "sed -i 's#apiVersion: old.example.com/v1alpha1#apiVersion: x/v1#; s#kind: Widget#kind: X#' a.yaml\n",
		},
		after:  tree{"values.yaml": "api: new.example.org/v2\n"},
		review: []string{"a.sh:1: filled-kind", "templates/b.yaml:2: loose-name"},
	},
	{
		name:  "what a session enters is read up to its last word, and what kubectl describes is an object",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: Widget}, to: {group: old.example.com, kind: Gizmo}}\n",
		before: tree{
			"a.md": "```sh\n$ cat << EOF\napiVersion: old.example.com/v1\nkind: Widget\n  metadata:\n    name: x\n  EOF\n$ cat << NONE\n```\n",
			"b.md": "```\nAPI Version:  old.example.com/v1\nKind:         Widget\n```\n",
			"c.md": "```\nAPI Version:  old.example.com/v1\nKind:         Other\n```\n",
		},
		after: tree{"a.md": "```sh\n$ cat << EOF\napiVersion: old.example.com/v1\nkind: Gizmo\n  metadata:\n    name: x\n  EOF\n$ cat << NONE\n```\n", "b.md": "```\nAPI Version:  old.example.com/v1\nKind:         Gizmo\n```\n"},
	},
	{
		name:  "a regular expression needs review",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: Widget}, to: {group: old.example.com, kind: Gizmo}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
			"b.yaml": "x: metadata.annotations.secret\\.old\\.example\\.com/id\ny: old\\.example\\.com.*\nz: widgets\\.old\\.example\\.com\na: ['gets\\.old\\.example\\.com', '.*gets\\.old\\.example\\.com', 'ad\\.old\\.example\\.com/']\n",
			"c.go":   "package c\n\nvar c = \"widget.old.example.com:a/b\"\n",
		},
		after:  tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: Gizmo\n"},
		review: []string{"b.yaml:2: pattern", "b.yaml:3: pattern", "b.yaml:4: pattern", "c.go:3: leaves-kind"},
	},
	{
		name:  "a regular expression of which the end of a word is known may be of any resource",
		rules: "name: s\nrules: [{id: all, from: {group: old.example.com}, to: {group: new.example.org}}]\n",
		before: tree{
			"a.yaml": "x: \\bwidgets\\.old\\.example\\.com\n",
			"b.yaml": "x: .*s\\.old\\.example\\.com\n",
			"c.yaml": "x: a.secret\\\\.old\\\\.example\\\\.com/id\n",
			"d.go":   "package d\n\nvar d = \"a.secret\\\\.old\\\\.example\\\\.com/id\"\n",
		},
		review: []string{"a.yaml:1: pattern", "b.yaml:1: pattern", "c.yaml:1: pattern", "d.go:3: pattern"},
	},
	{
		name:  "a kind without a group is another one where text alone names the group, or objects tell of its kinds",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gizmo}}\n- {id: x, from: {group: x.example.com, kind: Part}, to: {group: y.example.org, kind: Piece}}\n",
		before: tree{
			"README.md":          "Objects of `old.example.com/v1` are ours.\n",
			"a.yaml":             "apiVersion: x.example.com/v1\nkind: Other\n",
			"values.yaml":        "group: x.example.com\n",
			"kustomization.yaml": "patches:\n- target: {kind: Widget}\n- target: {kind: Part}\n",
		},
		after: tree{"README.md": "Objects of `new.example.org/v2` are ours.\n"},
	},
	{
		name:   "the kinds that kustomize adds labels to are no labels",
		before: tree{"labels.yaml": "commonLabels:\n- path: metadata/labels\n  group: old.example.com\n  kind: Widget\n  create: true\n"},
		after:  tree{"labels.yaml": "commonLabels:\n- path: metadata/labels\n  group: new.example.org\n  kind: Widget\n  create: true\n"},
	},
	{
		name:  "an apiVersion whose kind is in another string needs review",
		rules: kindRules,
		before: tree{
			"Makefile": "x:\n\techo \"apiVersion: old.example.com/v1\" > a\n\techo \"kind: Widget\" >> a\n",
			"a.py":     "x = [\"apiVersion: old.example.com/v1\\n\", \"kind: Widget\\n\"]\n",
			"a.bat":    "echo \tvar m = `apiVersion:   old.example.com/v1\t# x>> x.yaml\necho \t# y>> x.yaml\necho \tkind:   Widget\t# x>> x.yaml\necho \t`>> x.yaml\n",
			"b.sh":     "{\n  echo 'apiVersion: &v old.example.com/v1'\n  echo 'kind: &k Widget'\n} > x\n",
			"c.go":     "package c\n\nvar c = []string{\n\t\"apiVersion: &v old.example.com/v1\",\n\t\"kind: &k Widget\",\n}\n",
		},
		review: []string{"Makefile:2: leaves-kind", "a.bat:1: leaves-kind", "a.py:1: leaves-kind", "b.sh:2: leaves-kind", "c.go:4: leaves-kind"},
	},
	{
		name: "a kustomization names files that are not there", // VictoriaMetrics/operator
		before: tree{
			"crd/kustomization.yaml":                   "resources:\n- bases/old.example.com_widgets.yaml\npatches:\n- path: patches/old.example.com_widgets.yaml\n",
			"crd/patches/old.example.com_widgets.yaml": "- {op: add, path: /spec/x, value: true}\n",
			"build.sh": "cat crd/bases/old.example.com_widgets.yaml\n",
		},
		review: []string{"build.sh:1: generated-file", "crd/kustomization.yaml:2: generated-file"},
	},
	{
		name:  "the new group begins with the old one, and is not another group",
		rules: "name: r\nrules: [{id: all, from: {group: old.example.com}, to: {group: old.example.com.dev}}]\n",
		before: tree{
			"a.md":   "Objects of `old.example.com/v1` and widgets.old.example.com.\n",
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n---\nkind: Role\nrules:\n- apiGroups: [old.example.com, x.example.com]\n  resources: [widgets]\n",
		},
		after: tree{
			"a.md":   "Objects of `old.example.com.dev/v1` and widgets.old.example.com.dev.\n",
			"a.yaml": "apiVersion: old.example.com.dev/v1\nkind: Widget\n---\nkind: Role\nrules:\n- apiGroups: [old.example.com.dev, x.example.com]\n  resources: [widgets]\n",
		},
	},
	{
		name: "a kind and its group are a reference wherever a key cannot be",
		before: tree{
			"a.json": "{\"metadata\": {\"annotations\": {\"old.example.com/owner-ref\": \"Widget.old.example.com/ns/name\"}}}\n",
			"a.go":   "package a\n\nvar _ = HaveKeyWithValue(OwnerAnnotation, \"Widget.old.example.com/ns/name\")\n",
		},
		after: tree{
			"a.json": "{\"metadata\": {\"annotations\": {\"old.example.com/owner-ref\": \"Widget.new.example.org/ns/name\"}}}\n",
			"a.go":   "package a\n\nvar _ = HaveKeyWithValue(OwnerAnnotation, \"Widget.new.example.org/ns/name\")\n",
		},
	},
	{
		name:  "the new group is a domain below the old one, and is not the old one with a resource",
		rules: "name: r\nrules: [{id: all, from: {group: old.example.com}, to: {group: apps.old.example.com}}]\n",
		before: tree{
			"kustomization.yaml":                    "resources:\n- crd/apps.old.example.com_gadgets.yaml\n",
			"crd/apps.old.example.com_gadgets.yaml": "kind: CustomResourceDefinition\nmetadata: {name: gadgets.apps.old.example.com}\nspec:\n  group: apps.old.example.com\n  names: {kind: Gadget, plural: gadgets}\n",
			"a.md":                                  "The group is `old.example.com`.\n\nSoon `apps.old.example.com`.\n",
			"a.go":                                  "package a\n\n// groups=apps.old.example.com\nvar (\n\ta = schema.GroupVersion{Group: \"old.example.com\", Version: \"v1\"}\n\tb = regexp.MustCompile(`^apps\\.old\\.example\\.com$`)\n)\n",
		},
		after: tree{
			"a.md": "The group is `apps.old.example.com`.\n\nSoon `apps.old.example.com`.\n",
			"a.go": "package a\n\n// groups=apps.old.example.com\nvar (\n\ta = schema.GroupVersion{Group: \"apps.old.example.com\", Version: \"v1\"}\n\tb = regexp.MustCompile(`^apps\\.old\\.example\\.com$`)\n)\n",
		},
	},
	{
		name: "a path that leads to a folder with the name of the group is kept",
		before: tree{
			"pkg/apis/old.example.com/v1/doc.go": "// +groupName=old.example.com\npackage v1\n",
			"a.sh":                               "gen --dir=${R}/pkg/apis/old.example.com/v1 $R/old.example.com/v1\ncurl ${HOST}/apis/old.example.com/v1/widgets\necho apis of old.example.com/v1\n",
		},
		after: tree{
			"pkg/apis/old.example.com/v1/doc.go": "// +groupName=new.example.org\npackage v1\n",
			"a.sh":                               "gen --dir=${R}/pkg/apis/old.example.com/v1 $R/old.example.com/v1\ncurl ${HOST}/apis/new.example.org/v1/widgets\necho apis of new.example.org/v1\n",
		},
	},
	{
		name: "a group of the tree with a longer name is no resource, wherever it stands",
		before: tree{
			"a.yaml": "apiVersion: apps.old.example.com/v2\nkind: Gadget\n---\napiVersion: old.example.com/v1\nkind: Widget\n---\nkind: Role\nrules:\n- apiGroups: [old.example.com]\n  resources: [apps]\n",
			"a.md":   "Objects of `apps.old.example.com/v2`, and of `old.example.com/v1`.\n",
		},
		after: tree{
			"a.yaml": "apiVersion: apps.old.example.com/v2\nkind: Gadget\n---\napiVersion: new.example.org/v1\nkind: Widget\n---\nkind: Role\nrules:\n- apiGroups: [new.example.org]\n  resources: [apps]\n",
			"a.md":   "Objects of `apps.old.example.com/v2`, and of `new.example.org/v1`.\n",
		},
	},
	{
		name: "the text of a link to a host of this name is the host",
		before: tree{
			"a.md": "See [old.example.com](https://old.example.com/docs), [`old.example.com`](https://www.old.example.com) and [old.example.com](api.md).\n",
		},
		after: tree{
			"a.md": "See [old.example.com](https://old.example.com/docs), [`old.example.com`](https://www.old.example.com) and [new.example.org](api.md).\n",
		},
	},
	{
		name: "a kind that a format fills in",
		before: tree{
			"a.kt": "val b = \"apiVersion: some.example.com/v1\\nkind: %s\\n\".format(\"Tool\")\n",
			"b.py": "a = \"apiVersion: some.example.com/v1\\nkind: {}\\n\".format(kind)\n",
		},
		review: []string{"a.kt:1: filled-kind", "b.py:1: filled-kind"},
	},
	{
		name: "a CRD that does not serve the version which its own becomes needs review",
		before: tree{
			"a.yaml": "kind: CustomResourceDefinition\nmetadata: {name: figs.step.example.com}\nspec: {group: step.example.com, names: {kind: Fig, plural: figs}, versions: [{name: v1alpha1}]}\n",
			"b.yaml": "kind: CustomResourceDefinition\nmetadata: {name: nuts.step.example.com}\nspec: {group: step.example.com, names: {kind: Nut, plural: nuts}, versions: [{name: v1alpha1}, {name: v1}]}\n",
		},
		review: []string{"a.yaml:2: crd-version"},
	},
	{
		name: "permissions in code, subresources next to a group, and keys that a Makefile builds",
		before: tree{
			"a.go":     "package a\n\nvar x = rbacv1.PolicyRule{\n\tAPIGroups: []string{\"some.example.com\"},\n\tResources: []string{\"tools\", \"tools/status\"},\n}\nvar y = map[string]any{\"resources\": []any{\"tools\"}, \"apiGroups\": []any{\"some.example.com\"}}\n",
			"a.py":     "a = {\"apiGroups\": [\"some.example.com\"], \"resources\": [\"tools\"]}\n",
			"a.yaml":   "resources:\n- {group: some.example.com, resources: [tools, tools/status]}\n",
			"b.sh":     "GROUP=${GROUP:-old.example.com}\nAPI=${API:-old.example.com/v1}\n",
			"Makefile": "GROUP := old.example.com\nx:\n\tkubectl label node x $(GROUP)/owner=y\n",
		},
		after: tree{
			"a.go":     "package a\n\nvar x = rbacv1.PolicyRule{\n\tAPIGroups: []string{\"other.example.org\"},\n\tResources: []string{\"gadgets\", \"gadgets/status\"},\n}\nvar y = map[string]any{\"resources\": []any{\"gadgets\"}, \"apiGroups\": []any{\"other.example.org\"}}\n",
			"a.py":     "a = {\"apiGroups\": [\"other.example.org\"], \"resources\": [\"gadgets\"]}\n",
			"a.yaml":   "resources:\n- {group: other.example.org, resources: [gadgets, gadgets/status]}\n",
			"b.sh":     "GROUP=${GROUP:-new.example.org}\nAPI=${API:-new.example.org/v1}\n",
			"Makefile": "GROUP := new.example.org\nx:\n\tkubectl label node x $(GROUP)/owner=y\n",
		},
		review: []string{"Makefile:3: built-key"},
	},
	{
		name: "kinds and rules that merges take",
		before: tree{
			"a.yaml": "- &w {kind: Tool, spec: {}}\n- <<: *w\n  apiVersion: some.example.com/v1\n",
			"b.yaml": "rules:\n- &r\n  apiGroups: [some.example.com]\n  resources: [tools]\n  verbs: [get]\n- <<: *r\n  verbs: [list]\n",
			"d.yaml": "rules:\n- apiGroups: [some.example.com]\n  resources: &all [tools]\n  verbs: [get]\n- apiGroups: [some.example.com]\n  resources: *all\n  verbs: [list]\n",
			"c.yaml": "rules:\n- &r\n  apiGroups: [some.example.com]\n  resources: [tools]\n  verbs: [get]\n- <<: *r\n  resources: [others]\n",
		},
		after: tree{
			"a.yaml": "- &w {kind: Gadget, spec: {}}\n- <<: *w\n  apiVersion: other.example.org/v1\n",
			"d.yaml": "rules:\n- apiGroups: [other.example.org]\n  resources: &all [gadgets]\n  verbs: [get]\n- apiGroups: [other.example.org]\n  resources: *all\n  verbs: [list]\n",
			"b.yaml": "rules:\n- &r\n  apiGroups: [other.example.org]\n  resources: [gadgets]\n  verbs: [get]\n- <<: *r\n  verbs: [list]\n",
		},
		review: []string{"c.yaml:3: shared"},
	},
	{
		name: "a list of groups of which none has a kind that changes stays",
		before: tree{
			"a.yaml": "rules:\n- apiGroups: [some.example.com, other.example.org]\n  resources: [gadgets, others]\n  verbs: [get]\n",
			"b.yaml": "apiVersion: some.example.com/v1\nkind: Tool\n",
		},
		after: tree{
			"b.yaml": "apiVersion: other.example.org/v1\nkind: Gadget\n",
		},
	},
	{
		name: "flags of one list belong together, and so do the parts of a policy's kind",
		before: tree{
			"a.yaml": "args: [--group=some.example.com, --version=v1, --kind=Tool]\n---\nkinds: [some.example.com/*/Tool]\n",
		},
		after: tree{
			"a.yaml": "args: [--group=other.example.org, --version=v1, --kind=Gadget]\n---\nkinds: [other.example.org/*/Gadget]\n",
		},
	},
	{
		name: "a sentence that names a kind is about its rule, and one that names none needs review",
		before: tree{
			"a.md":   "The Fig of old.example.com/v1alpha1.\nThe Nut of old.example.com/v1alpha1.\nUse old.example.com/v1alpha1.\n",
			"b.yaml": "apiVersion: old.example.com/v1alpha1\nkind: Nut\n",
		},
		rules: "name: steps\nrules:\n- {id: fig, from: {group: old.example.com, version: v1alpha1, kind: Fig, plural: figs}, to: {version: v1}}\n- {id: nut, from: {group: old.example.com, version: v1alpha1, kind: Nut, plural: nuts}, to: {version: v1beta1}}\n",
		after: tree{
			"a.md":   "The Fig of old.example.com/v1.\nThe Nut of old.example.com/v1beta1.\nUse old.example.com/v1beta1.\n",
			"b.yaml": "apiVersion: old.example.com/v1beta1\nkind: Nut\n",
		},
	},
	{
		name: "a version without a kind needs review where one kind has a rule of its own",
		before: tree{
			"templates/_helpers.tpl": "{{- define \"api\" -}}\nold.example.com/v1alpha1\n{{- end -}}\n",
			"values.yaml":            "api: old.example.com/v1\n",
		},
		rules: "name: steps\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: fig, from: {group: old.example.com, version: v1alpha1, kind: Fig, plural: figs}, to: {group: new.example.org, version: v1}}\n",
		after: tree{
			"templates/_helpers.tpl": "{{- define \"api\" -}}\nold.example.com/v1alpha1\n{{- end -}}\n",
			"values.yaml":            "api: new.example.org/v1\n",
		},
		review: []string{"templates/_helpers.tpl:2: several-answers"},
	},
	{
		name: "an object in a template is compared with itself, not with the next one",
		before: tree{
			"templates/a.yaml": "apiVersion: {{ .Values.group | default \"some.example.com\" }}/v1\nkind: Tool\n---\napiVersion: some.example.com/v1\nkind: {{ if .Values.g }}Nut{{ else }}Tool{{ end }}\n",
		},
		after: tree{
			"templates/a.yaml": "apiVersion: {{ .Values.group | default \"other.example.org\" }}/v1\nkind: Gadget\n---\napiVersion: some.example.com/v1\nkind: {{ if .Values.g }}Nut{{ else }}Tool{{ end }}\n",
		},
		review: []string{"templates/a.yaml:4: filled-kind"},
	},
	{
		name: "code that names parts apart: conditions, calls on values, slashes behind which something is filled in",
		before: tree{
			"a.go":      "package a\n\nfunc f() {\n\tif gk.Kind == \"Tool\" && gk.Group == \"some.example.com\" {\n\t}\n\tif gk.Kind == \"Nut\" && gk.Group == \"some.example.com\" {\n\t}\n}\n\nvar x = schema.GroupVersion{Group: \"some.example.com\", Version: \"v1\"}.WithKind(\"Tool\")\n",
			"b.go":      "package a\n\nvar a, b = fmt.Sprintf(\"old.example.com/%s\", version), 1\nvar c = fmt.Sprintf(\"old.example.com/%s\", owner)\n",
			"Tool.java": "package x;\n\n@Group(\"some.example.com\")\n@Version(\"v1\")\npublic class Tool extends CustomResource<Spec, Status> {}\n",
			"A.java":    "package x;\n\n@Group(\"some.example.com\")\n@Version(\"v1\")\n@Kind(\"Tool\")\n@Singular(\"tool\")\n@Plural(\"tools\")\npublic class A extends CustomResource<Spec, Status> {}\n",
			"p.mk":      "GROUP := some.example.com\n\ndefine x\napiVersion: $(GROUP)/v1\nkind: Tool\nendef\n",
		},
		after: tree{
			"a.go":   "package a\n\nfunc f() {\n\tif gk.Kind == \"Gadget\" && gk.Group == \"other.example.org\" {\n\t}\n\tif gk.Kind == \"Nut\" && gk.Group == \"some.example.com\" {\n\t}\n}\n\nvar x = schema.GroupVersion{Group: \"other.example.org\", Version: \"v1\"}.WithKind(\"Gadget\")\n",
			"b.go":   "package a\n\nvar a, b = fmt.Sprintf(\"new.example.org/%s\", version), 1\nvar c = fmt.Sprintf(\"old.example.com/%s\", owner)\n",
			"A.java": "package x;\n\n@Group(\"other.example.org\")\n@Version(\"v1\")\n@Kind(\"Gadget\")\n@Singular(\"gadget\")\n@Plural(\"gadgets\")\npublic class A extends CustomResource<Spec, Status> {}\n",
		},
		review: []string{"Tool.java:3: leaves-kind", "b.go:4: joined", "p.mk:1: leaves-kind", "p.mk:5: loose-name"},
	},
	{
		name: "folders, names of CRDs in targets, counted resources and keys in JSON pointers",
		before: tree{
			"kustomization.yaml": "resources: [./figs.old.example.com, figs.old.example.com]\npatches:\n- target: {kind: CustomResourceDefinition, name: figs.old.example.com}\n",
			"a.sh":               "kubectl apply -f deploy/figs.old.example.com\nkubectl get crd/figs.old.example.com\nkubectl label crd a.old.example.com b.old.example.com x=y\nCRDS=\"figs.old.example.com nuts.old.example.com\"\n",
			"a.yaml":             "hard: {count/nuts.old.example.com: 1, limits.old.example.com: 2}\n",
			"patch.yaml":         "- {op: remove, path: /metadata/labels/jobs.old.example.com~1owner}\n",
		},
		after: tree{
			"kustomization.yaml": "resources: [./figs.old.example.com, figs.old.example.com]\npatches:\n- target: {kind: CustomResourceDefinition, name: figs.new.example.org}\n",
			"a.sh":               "kubectl apply -f deploy/figs.old.example.com\nkubectl get crd/figs.new.example.org\nkubectl label crd a.new.example.org b.new.example.org x=y\nCRDS=\"figs.new.example.org nuts.new.example.org\"\n",
			"a.yaml":             "hard: {count/nuts.new.example.org: 1, limits.old.example.com: 2}\n",
			"patch.yaml":         "- {op: remove, path: /metadata/labels/jobs.new.example.org~1owner}\n",
		},
	},
	{
		name: "keys and longer names that code builds of a constant that changes",
		before: tree{
			"a.go": "package a\n\nconst Group = \"old.example.com\"\n\nvar a = fmt.Sprintf(\"%s/%s\", Group, owner)\nvar b = fmt.Sprintf(\"%s/%s\", Group, api.Version)\nvar d = fmt.Sprintf(\"%s/%s\", Group, api.Kind)\nvar c = fmt.Sprintf(\"%s.svc\", Group)\n",
		},
		after: tree{
			"a.go": "package a\n\nconst Group = \"new.example.org\"\n\nvar a = fmt.Sprintf(\"%s/%s\", Group, owner)\nvar b = fmt.Sprintf(\"%s/%s\", Group, api.Version)\nvar d = fmt.Sprintf(\"%s/%s\", Group, api.Kind)\nvar c = fmt.Sprintf(\"%s.svc\", Group)\n",
		},
		review: []string{"a.go:5: built-key", "a.go:8: built-key"},
	},
	{
		name: "a choice by what the cluster serves, with the group in each branch, and in one of them",
		before: tree{
			"templates/a.yaml": "{{- if .Capabilities.APIVersions.Has \"old.example.com/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: old.example.com/v2\n{{- end }}\nkind: Pear\n",
			"templates/b.yaml": "{{- if .Capabilities.APIVersions.Has \"old.example.com/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: pears.example.net/v2\n{{- end }}\nkind: Pear\n",
		},
		after: tree{
			"templates/a.yaml": "{{- if .Capabilities.APIVersions.Has \"new.example.org/v1\" }}\napiVersion: new.example.org/v1\n{{- else }}\napiVersion: new.example.org/v2\n{{- end }}\nkind: Pear\n",
		},
		review: []string{"templates/b.yaml:1: template-choice", "templates/b.yaml:2: template-choice"},
	},
	{
		name: "a document behind <<WORD moves with its kind",
		before: tree{
			"a.tf": "resource \"kubectl_manifest\" \"x\" {\n  yaml_body = <<-YAML\n    apiVersion: some.example.com/v1\n    kind: Tool\n  YAML\n  name      = \"x\"\n}\n",
			"b.rb": "x = <<~EOS\n  apiVersion: some.example.com/v1\n  kind: Tool\nEOS\n",
		},
		after: tree{
			"a.tf": "resource \"kubectl_manifest\" \"x\" {\n  yaml_body = <<-YAML\n    apiVersion: other.example.org/v1\n    kind: Gadget\n  YAML\n  name      = \"x\"\n}\n",
			"b.rb": "x = <<~EOS\n  apiVersion: other.example.org/v1\n  kind: Gadget\nEOS\n",
		},
	}, {
		name: "objects in text: Gherkin", // redhat-developer/service-binding-operator, redhat-developer/odo
		before: tree{
			"a.feature": "Scenario: it's bound\n  Given x\n    \"\"\"\n    apiVersion: some.example.com/v1\n    kind: Tool\n    spec:\n      kind: Backend\n    \"\"\"\n  Then y \"is\" done\n",
		},
		after: tree{
			"a.feature": "Scenario: it's bound\n  Given x\n    \"\"\"\n    apiVersion: other.example.org/v1\n    kind: Gadget\n    spec:\n      kind: Backend\n    \"\"\"\n  Then y \"is\" done\n",
		},
	}, {
		name: "a table of what was removed is history, one of what is served is not", // antrea-io/antrea, traefik/traefik
		before: tree{
			"a.md": "| API group | Introduced in | Removed in |\n|---|---|---|\n| `old.example.com` | v0.1 | v0.2 |\n| old.example.com | v0.2 | v0.3 |\n\n| API group | Kind |\n|---|---|\n| `old.example.com` | `Pear` |\n",
		},
		after: tree{
			"a.md": "| API group | Introduced in | Removed in |\n|---|---|---|\n| `old.example.com` | v0.1 | v0.2 |\n| old.example.com | v0.2 | v0.3 |\n\n| API group | Kind |\n|---|---|\n| `new.example.org` | `Pear` |\n",
		},
	},
	{
		name: "strings that are joined are one object, as is one in a string of a string",
		before: tree{
			"a.go":      "package a\n\nconst x = \"apiVersion: some.example.com/v1\\n\" +\n\t\"kind: Tool\\n\"\n",
			"a.py":      "x = (\"apiVersion: some.example.com/v1\\n\"\n     \"kind: Tool\\n\")\n",
			"A.java":    "class A { String x = \"apiVersion: some.example.com/v1\\n\"\n  + \"kind: Other\\n\"; }\n",
			"a.toml":    "x = '''\ny = \"apiVersion: some.example.com/v1\\nkind: Tool\\n\"\n'''\n",
			"a.jsonnet": "{x: |||\n  apiVersion: some.example.com/v1\n  kind: Tool\n|||}\n",
			"a.md":      "> ```\n> apiVersion: some.example.com/v1\n> # that\n> kind: Tool\n> ```\n",
			"a.rs":      "// {\"apiVersion\": \"some.example.com/v1\", \"kind\": \"Tool\"}\n",
			"b.md":      "x = \"apiVersion: some.example.com/v1\\nkind: Other\\n\"\n",
			"Makefile":  "define X\napiVersion: some.example.com/v1\n# that\nkind: Tool\nendef\n",
		},
		after: tree{
			"a.go":      "package a\n\nconst x = \"apiVersion: other.example.org/v1\\n\" +\n\t\"kind: Gadget\\n\"\n",
			"a.py":      "x = (\"apiVersion: other.example.org/v1\\n\"\n     \"kind: Gadget\\n\")\n",
			"a.toml":    "x = '''\ny = \"apiVersion: other.example.org/v1\\nkind: Gadget\\n\"\n'''\n",
			"a.jsonnet": "{x: |||\n  apiVersion: other.example.org/v1\n  kind: Gadget\n|||}\n",
			"a.md":      "> ```\n> apiVersion: other.example.org/v1\n> # that\n> kind: Gadget\n> ```\n",
			"a.rs":      "// {\"apiVersion\": \"other.example.org/v1\", \"kind\": \"Gadget\"}\n",
			"Makefile":  "define X\napiVersion: other.example.org/v1\n# that\nkind: Gadget\nendef\n",
		},
	},
	{
		// kubernetes-sigs/secrets-store-csi-driver, topolvm/topolvm, kubernetes-sigs/kro
		name: "a text with a name that an object has, too, needs review, unless it is about an API group",
		before: tree{
			"driver.yaml": "kind: CSIDriver\nmetadata: {name: old.example.com}\n---\napiVersion: old.example.com/v1\nkind: Widget\nmetadata: {name: web.old.example.com}\n",
			"a.go":        "package a\n\nvar x = run(\"old.example.com\", GroupVersion{Group: \"old.example.com\"})\n",
			"a.md":        "The driver `old.example.com` serves old.example.com/v1.\n\nIt has the API group old.example.com.\n\n```\nNAME                  AGE\nweb.old.example.com   1m\n```\n",
		},
		after: tree{
			"driver.yaml": "kind: CSIDriver\nmetadata: {name: old.example.com}\n---\napiVersion: new.example.org/v1\nkind: Widget\nmetadata: {name: web.old.example.com}\n",
			"a.go":        "package a\n\nvar x = run(\"old.example.com\", GroupVersion{Group: \"new.example.org\"})\n",
			"a.md":        "The driver `old.example.com` serves new.example.org/v1.\n\nIt has the API group new.example.org.\n\n```\nNAME                  AGE\nweb.old.example.com   1m\n```\n",
		},
		review: []string{"a.go:3: same-name", "a.md:1: same-name"},
	},
	{
		name: "a constant that is the prefix of keys by its name, and the group of an API by its use",
		before: tree{
			"a.py": "PREFIX = \"old.example.com\"\nAPI = PREFIX + \"/v1\"\nc.list(group=LABEL_OF, version=\"v1\")\nLABEL_OF = 'old.example.com'\nLABEL_IN = 'old.example.com'\nget(LABEL_IN, VERSION)\n",
			"b.py": "PREFIX = \"old.example.com\"\nKEY = PREFIX + \"/name\"\nc.list(PREFIX, 'v')\n",
			"a.go": "package a\n\nconst prefix = \"old.example.com\"\n\nconst keyPrefix = \"old.example.com\"\n\nvar x = schema.GroupVersion{Group: keyPrefix, Version: \"v1\"}\n",
			"a.ts": "const labelPrefix = 'old.example.com';\nconst v = `${labelPrefix}/v1`;\n",
		},
		review: []string{"a.go:5: built-key", "a.py:1: built-key", "a.py:4: built-key", "a.py:5: built-key", "a.ts:1: built-key"},
	},
	{
		name:  "a rule of permissions with actions of a template in it is not split, as is none in a string of Go",
		rules: "name: s\nrules:\n- {id: tool, from: {group: some.example.com, kind: Tool, plural: tools}, to: {group: other.example.org}}\n",
		before: tree{
			"templates/role.yaml": "rules:\n- apiGroups:\n  - some.example.com\n  resources:\n  - tools\n  {{- if .Values.x }}\n  - others\n  {{- end }}\n  verbs: [get]\n",
			"a.go":                "package a\n\nconst x = \"rules:\\n- apiGroups: [some.example.com]\\n  resources: [tools, others]\\n\"\n",
		},
		review: []string{"a.go:3: split-rule", "templates/role.yaml:3: split-rule"},
	},
	{
		name:  "a path of a label with escaped dots is no regular expression of the group, and a text with two slashes is no apiVersion",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: old.example.com, version: v2}}\n",
		before: tree{
			"a.go": "package a\n\n// +kubebuilder:printcolumn:name=x,JSONPath=`.metadata.labels.old\\.example\\.com\\/kit\\.type`\nvar a = T{APIVersion: \"old.example.com/v1/tool\", Kind: \"Widget\"}\nvar b = `widgets\\.old\\.example\\.com/x old\\.example\\.com/v1`\n",
		},
		after: tree{
			"a.go": "package a\n\n// +kubebuilder:printcolumn:name=x,JSONPath=`.metadata.labels.old\\.example\\.com\\/kit\\.type`\nvar a = T{APIVersion: \"old.example.com/v2/tool\", Kind: \"Widget\"}\nvar b = `widgets\\.old\\.example\\.com/x old\\.example\\.com/v1`\n",
		},
		review: []string{"a.go:5: pattern", "a.go:5: pattern"},
	},
	{
		name:  "a part of a template for clusters that do not serve the new version is a choice without an else",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1beta1}, to: {version: v1}}\n",
		before: tree{
			"templates/a.yaml": "{{- $v := \"step.example.com/v1\" }}\n{{- if not (.Capabilities.APIVersions.Has \"step.example.com/v1\") }}\n{{- $v = \"step.example.com/v1beta1\" }}\n{{- end }}\napiVersion: {{ $v }}\nkind: Step\n",
			"templates/b.yaml": "{{- if .Capabilities.APIVersions.Has \"step.example.com/v1beta1\" }}\napiVersion: step.example.com/v1beta1\nkind: Step\n{{- end }}\n",
			"templates/c.tpl":  "{{- if semverCompare \">=1.19-0\" .Capabilities.KubeVersion.Version -}}\n{{- print \"step.example.com/v1\" -}}\n{{- else -}}\n{{- print \"step.example.com/v1beta1\" -}}\n{{- end -}}\n",
			"templates/d.yaml": "{{- if semverCompare \">=1.19-0\" .Capabilities.KubeVersion.Version }}\napiVersion: step.example.com/v1beta1\nkind: Step\n{{- else }}\n# none\n{{- end }}\n",
			"templates/e.tpl":  "{{- if semverCompare \"<1.19-0\" (include \"x.kubeVersion\" $) -}}\n{{- print \"step.example.com/v1beta1\" -}}\n{{- else -}}\n{{- print \"step.example.com/v1\" -}}\n{{- end -}}\n",
		},
		after: tree{
			"templates/b.yaml": "{{- if .Capabilities.APIVersions.Has \"step.example.com/v1\" }}\napiVersion: step.example.com/v1\nkind: Step\n{{- end }}\n",
			"templates/d.yaml": "{{- if semverCompare \">=1.19-0\" .Capabilities.KubeVersion.Version }}\napiVersion: step.example.com/v1\nkind: Step\n{{- else }}\n# none\n{{- end }}\n",
		},
		review: []string{"templates/a.yaml:3: template-choice", "templates/c.tpl:4: template-choice", "templates/e.tpl:2: template-choice"},
	},
	{
		name:  "a word that is a group which is not renamed",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1alpha1, kind: Step}, removed: gone}\n- {id: t, from: {group: step.example.com, version: v1beta1}, to: {version: v1}}\n- {id: w, from: {group: policy, version: v1beta1, kind: Budget}, to: {version: v1}}\n- {id: x, from: {group: policy, kind: Security}, removed: gone}\n",
		before: tree{
			"a.md":   "| app | `step.example.com` |\n|---|---|\n| 1.0 | `v1alpha1` |\n",
			"b.sh":   "# 1.17 switched step.example.com/v1alpha1 -> v1beta1\nkubectl get steps.v1alpha1.step.example.com\n",
			"c.yaml": "required:\n- policy\ntype: object\n",
			"d.go":   "package d\n\nfunc f(b B) {\n\tb.WriteString(\"policy\")\n}\n",
			"e.yaml": "apiVersion: step.example.com/v1beta1\nkind: Step\n---\napiVersion: policy/v1beta1\nkind: Budget\n",
			"f.yaml": "apiVersion: step.example.com/v1alpha1\nkind: Stair\n",
		},
		after: tree{
			"e.yaml": "apiVersion: step.example.com/v1\nkind: Step\n---\napiVersion: policy/v1\nkind: Budget\n",
		},
		review: []string{"a.md:1: several-answers", "b.sh:2: removed"},
	},
	{
		name: "a rule of permissions in a branch of a template is no double of one in another",
		before: tree{
			"templates/a.yaml": "kind: Role\nrules:\n{{- if .Values.a }}\n- apiGroups: [old.example.com, new.example.org]\n  resources: [widgets]\n  verbs: [get]\n{{- end }}\n{{- if .Values.b }}\n- apiGroups: [new.example.org]\n  resources: [widgets]\n  verbs: [get]\n- apiGroups: [old.example.com]\n  resources: [widgets]\n  verbs: [get]\n{{- end }}\n",
		},
		after: tree{
			"templates/a.yaml": "kind: Role\nrules:\n{{- if .Values.a }}\n- apiGroups: [new.example.org]\n  resources: [widgets]\n  verbs: [get]\n{{- end }}\n{{- if .Values.b }}\n- apiGroups: [new.example.org]\n  resources: [widgets]\n  verbs: [get]\n{{- end }}\n",
		},
	},
	{
		name:  "a line that names both versions serves both",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1beta1}, to: {version: v1}}\n",
		before: tree{
			"a.go": "package a\n\n// By step.example.com/v1 or step.example.com/v1beta1.\nvar x = []GVR{{Group: \"step.example.com\", Version: \"v1\", Resource: \"steps\"}, {Group: \"step.example.com\", Version: \"v1beta1\", Resource: \"steps\"}}\nvar y = GVR{Group: \"step.example.com\", Version: \"v1beta1\", Resource: \"stairs\"}\n",
			"a.md": "It reads step.example.com/v1beta1 and `step.example.com/v1`.\nIt writes step.example.com/v1beta1.\n",
		},
		after: tree{
			"a.go": "package a\n\n// By step.example.com/v1 or step.example.com/v1beta1.\nvar x = []GVR{{Group: \"step.example.com\", Version: \"v1\", Resource: \"steps\"}, {Group: \"step.example.com\", Version: \"v1beta1\", Resource: \"steps\"}}\nvar y = GVR{Group: \"step.example.com\", Version: \"v1\", Resource: \"stairs\"}\n",
			"a.md": "It reads step.example.com/v1beta1 and `step.example.com/v1`.\nIt writes step.example.com/v1.\n",
		},
		review: []string{"a.go:4: both-names"},
	},
	{
		name: "what kubectl prints of a CRD that it labels is no key",
		before: tree{
			"a.md": "```console\n$ kubectl label crd/widgets.old.example.com x=y\ncustomresourcedefinition.apiextensions.k8s.io/widgets.old.example.com labeled\n```\n",
		},
		after: tree{
			"a.md": "```console\n$ kubectl label crd/widgets.new.example.org x=y\ncustomresourcedefinition.apiextensions.k8s.io/widgets.new.example.org labeled\n```\n",
		},
	},
}
