package core

import "strings"

// reasonTrees are trees in which less needs review than it seems.
var reasonTrees = []treeCase{
	{
		name: "a plural that is the singular, too, is a resource where a CRD has that name",
		before: tree{
			"a.txt":    "for x in seed.old.example.com bus.old.example.com\n",
			"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bus.old.example.com}\nspec: {group: old.example.com, names: {kind: Bus, plural: bus}}\n",
		},
		after: tree{
			"a.txt":    "for x in seed.old.example.com bus.new.example.org\n",
			"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: bus.new.example.org}\nspec: {group: new.example.org, names: {kind: Bus, plural: bus}}\n",
		},
	},
	{
		name: "the kind of an object with a choice of apiVersions of which one does not change",
		before: tree{
			"templates/a.yaml": "{{- if .Values.x }}\napiVersion: tools.example.net/v1\n{{- else }}\napiVersion: some.example.com/v1\n{{- end }}\nkind: Tool\n",
			"templates/b.yaml": "apiVersion: {{ if .Values.x }}some.example.com/v1{{ else }}tools.example.net/v1{{ end }}\nkind: Tool\n",
			"templates/c.yaml": "{{- if .Values.x }}\napiVersion: tools.example.net/v1\nkind: Tool\n{{- else }}\napiVersion: some.example.com/v1\nkind: Tool\n{{- end }}\n",
			"a.ts":             "const o = { apiVersion: x ? \"some.example.com/v1\" : \"tools.example.net/v1\", kind: \"Tool\" };\n",
		},
		after: tree{
			"templates/c.yaml": "{{- if .Values.x }}\napiVersion: tools.example.net/v1\nkind: Tool\n{{- else }}\napiVersion: other.example.org/v1\nkind: Gadget\n{{- end }}\n",
		},
		review: []string{"a.ts:1: filled-kind", "templates/a.yaml:4: filled-kind", "templates/b.yaml:1: filled-kind", "templates/b.yaml:2: loose-name"},
	},
	{
		name:   "the notes about an upgrade to one version say what was then",
		rules:  "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1beta1}, to: {version: v1}}\n",
		before: tree{"a.md": "### To 4.0.0\n\nIt is immutable since `Step step.example.com/v1beta1`, and step.example.com/v1beta1.\n\n### To use it\n\nWrite step.example.com/v1beta1.\n", "NOTES.txt": "### The step.example.com/v1beta1 of Step is ###\n### no longer served. ###\nWith step.example.com/v1beta1.\nDeprecated is the rest.\n"},
		after:  tree{"a.md": "### To 4.0.0\n\nIt is immutable since `Step step.example.com/v1beta1`, and step.example.com/v1beta1.\n\n### To use it\n\nWrite step.example.com/v1.\n", "NOTES.txt": "### The step.example.com/v1beta1 of Step is ###\n### no longer served. ###\nWith step.example.com/v1.\nDeprecated is the rest.\n"},
	},
	{
		name:  "the names that kubebuilder gives the webhooks of a kind, and a CRD in a list by its singular",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: Vote}, to: {group: old.example.com, kind: Gizmo}}\n- {id: o, from: {group: old.example.com, kind: Note}, to: {group: old.example.com, kind: Memo}}\n",
		before: tree{
			"w.yaml":     "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: vvote.old.example.com\n- name: mnote.old.example.com\n- name: vote.old.example.com\n- name: knote.old.example.com\n- name: validate.vote.old.example.com\n",
			"Chart.yaml": "annotations:\n  artifacthub.io/crds: |\n    - kind: Vote\n      version: v1\n      name: vote.old.example.com\n    - kind: Note\n      version: v1\n      name: vote.old.example.com\n",
		},
		after: tree{
			"w.yaml":     "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: vgizmo.old.example.com\n- name: mmemo.old.example.com\n- name: gizmo.old.example.com\n- name: knote.old.example.com\n- name: validate.gizmo.old.example.com\n",
			"Chart.yaml": "annotations:\n  artifacthub.io/crds: |\n    - kind: Gizmo\n      version: v1\n      name: gizmo.old.example.com\n    - kind: Note\n      version: v1\n      name: vote.old.example.com\n",
		},
		review: []string{"Chart.yaml:8: leaves-kind"},
	},
	{
		name:   "the path of a webhook whose version is filled in",
		before: tree{"templates/a.yaml": "path: /validate-old-example-com-{{ $v.name }}-{{ $kind }}\nname: an-old-example-com-{{ $v.name }}\n", "a.go": "package a\n\nvar p = fmt.Sprintf(\"/mutate-old-example-com-%s-widget\", v)\n"},
		after:  tree{"templates/a.yaml": "path: /validate-new-example-org-{{ $v.name }}-{{ $kind }}\nname: an-old-example-com-{{ $v.name }}\n", "a.go": "package a\n\nvar p = fmt.Sprintf(\"/mutate-new-example-org-%s-widget\", v)\n"},
	},
	{
		name: "names of hosts that are spelled like the group",
		before: tree{
			"cm.yaml":    "data:\n  nginx.conf: |\n    server { listen 80; server_name a.old.example.com old.example.com; }\n  Corefile: |\n    old.example.com {\n      forward . 10.0.0.1\n    }\n  no_proxy: \"localhost,old.example.com\"\n  group: old.example.com\n",
			"dns.yaml":   "spec: {endpoints: [{dnsName: old.example.com, targets: [old.example.com]}], env: [{name: CERT_CN, value: old.example.com}], bucket: old.example.com}\n",
			"net.yaml":   "spec: {egress: [{toFQDNs: [{matchName: old.example.com}]}], http: [{match: [{authority: {exact: old.example.com}}]}]}\n",
			"a.sh":       "export NO_PROXY=localhost,old.example.com\nping -c1 old.example.com\ndig old.example.com\ncurl -H \"Host: old.example.com\" http://1.2.3.4\ncurl --resolve old.example.com:443:1.2.3.4 x --sni=old.example.com\nscp x old.example.com:/srv\nssh x kubectl get y --group=old.example.com\nssh old.example.com\nexport GROUPS=other,old.example.com\n",
			"a.tf":       "resource \"aws_acm_certificate\" \"a\" {\n  subject_alternative_names = [\"old.example.com\"]\n}\n",
			"a.go":       "package a\n\nvar a, _ = net.LookupHost(\"old.example.com\")\n",
			"Dockerfile": "FROM x\nENV NO_PROXY=old.example.com\n",
		},
		after: tree{
			"cm.yaml": "data:\n  nginx.conf: |\n    server { listen 80; server_name a.old.example.com old.example.com; }\n  Corefile: |\n    old.example.com {\n      forward . 10.0.0.1\n    }\n  no_proxy: \"localhost,old.example.com\"\n  group: new.example.org\n",
			"a.sh":    "export NO_PROXY=localhost,old.example.com\nping -c1 old.example.com\ndig old.example.com\ncurl -H \"Host: old.example.com\" http://1.2.3.4\ncurl --resolve old.example.com:443:1.2.3.4 x --sni=old.example.com\nscp x old.example.com:/srv\nssh x kubectl get y --group=new.example.org\nssh old.example.com\nexport GROUPS=other,new.example.org\n",
		},
	},
	{
		name: "paths of the tree that are spelled like a version of a group",
		before: tree{
			"a.go":                            "package a\n\nvar x = \"old.example.com/v1\"\n",
			"a.md":                            "It is `old.example.com/v1`, in ./old.example.com/v1 here.\n",
			"old.example.com/v1/x.txt":        "x\n",
			"a.json":                          "{\"paths\": {\"@a/*\": [\"old.example.com/v1/*\"]}, \"apiVersion\": \"old.example.com/v1\", \"kind\": \"Widget\"}\n",
			"sub/a.mk":                        "all:\n\tprotoc -I old.example.com/v1 x.proto\n\tgit switch old.example.com/v2\n",
			"a.py":                            "x = \"old.example.com/v1\"\ny = \"old.example.com/v2\"\nz = \"old.example.com/v2/data.csv\"\n",
			"CODEOWNERS":                      "old.example.com/v2 @a\n",
			"x/apis/old.example.com/v2/a.txt": "x\n",
			"x/gen.sh":                        "gen ${ROOT}/apis/old.example.com/v2\ncurl $HOST/apis/old.example.com/v1\n",
			".github/workflows/ci.yaml":       "on: {push: {paths: [\"old.example.com/v2/**\"], branches: [old.example.com/v2]}}\n",
		},
		after: tree{
			"a.go":     "package a\n\nvar x = \"new.example.org/v1\"\n",
			"a.md":     "It is `new.example.org/v1`, in ./old.example.com/v1 here.\n",
			"a.json":   "{\"paths\": {\"@a/*\": [\"old.example.com/v1/*\"]}, \"apiVersion\": \"new.example.org/v1\", \"kind\": \"Widget\"}\n",
			"x/gen.sh": "gen ${ROOT}/apis/old.example.com/v2\ncurl $HOST/apis/new.example.org/v1\n",
			"a.py":     "x = \"old.example.com/v1\"\ny = \"new.example.org/v2\"\nz = \"old.example.com/v2/data.csv\"\n",
		},
		review: []string{"a.json:1: maybe-path", "a.py:1: maybe-path", "sub/a.mk:2: maybe-path"},
	},
	{
		name: "a variable of a script that is the name of a folder as well",
		before: tree{
			"pkg/apis/old.example.com/v1/doc.go": "package v1\n",
			"gen.sh":                             "GROUP=\"old.example.com\"\ndeepcopy-gen \"${APIS}/${GROUP}/v1\"\n",
			"get.sh":                             "GROUP=\"old.example.com\"\nkubectl get \"widgets.${GROUP}\"\n",
		},
		after:  tree{"get.sh": "GROUP=\"new.example.org\"\nkubectl get \"widgets.${GROUP}\"\n"},
		review: []string{"gen.sh:1: folder-value"},
	},
	{
		name:   "a version in a list of groups",
		before: tree{"a.yaml": "kind: Role\nrules:\n- apiGroups: [old.example.com/v1, old.example.com/v2]\n  resources: [widgets]\n  verbs: [get]\n"},
		review: []string{"a.yaml:3: versioned-group", "a.yaml:3: versioned-group"},
	},
	{
		name: "the name of a file that a generator of this tree writes",
		before: tree{
			"kustomization.yaml": "resources:\n- bases/old.example.com_widgets.yaml\n",
			"api/doc.go":         "// +groupName=old.example.com\npackage api\n",
		},
		after: tree{
			"kustomization.yaml": "resources:\n- bases/new.example.org_widgets.yaml\n",
			"api/doc.go":         "// +groupName=new.example.org\npackage api\n",
		},
	},
	{
		name: "the name of a file that only a generator writes",
		before: tree{
			"Makefile":                             "\tmv out/old.example.com_widgets.yaml crd.yaml\n\tcp config/old.example.com_widgets.yaml other.yaml\n",
			"config/old.example.com_widgets.yaml":  "a: b\n",
			"a.yaml":                               "apiVersion: old.example.com/v1\nkind: Widget\n",
			"docs/a.md":                            "See out/old.example.com_widgets.yaml.\n",
			"other/x/old.example.com_gadgets.yaml": "a: b\n",
		},
		after:  tree{"a.yaml": "apiVersion: new.example.org/v1\nkind: Widget\n"},
		review: []string{"Makefile:1: generated-file"},
	},
	{
		name:   "the name of a file that a generator writes, where its version alone changes",
		rules:  "name: s\nrules: [{id: s, from: {group: old.example.com, version: v1}, to: {version: v2}}]\n",
		before: tree{"Makefile": "\tmv out/old.example.com_widgets.yaml crd.yaml\n", "a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n"},
		after:  tree{"a.yaml": "apiVersion: old.example.com/v2\nkind: Widget\n"},
	},
	{
		name:   "the subject of a certificate",
		before: tree{"a.sh": "openssl req -subj \"/CN=old.example.com\"\n"},
	},
	{
		name:   "a row of a table about the key of a group",
		before: tree{"README.md": "| Key | Default | Description |\n|---|---|---|\n| rbac.widgetGroup | `\"old.example.com\"` | The group, for its finalizers |\n| labelPrefix | `\"old.example.com\"` | The prefix of labels |\n"},
		after:  tree{"README.md": "| Key | Default | Description |\n|---|---|---|\n| rbac.widgetGroup | `\"new.example.org\"` | The group, for its finalizers |\n| labelPrefix | `\"old.example.com\"` | The prefix of labels |\n"},
	},
	{
		name: "Go code beside an import of the old package of Kubernetes needs review",
		before: tree{
			"a/a.go":      "package a\n\nimport extapi \"k8s.io/api/extensions/v1beta1\"\n\nvar m = mapper(extapi.SchemeGroupVersion)\n",
			"a/a_test.go": "package a\n\nvar r = schema.GroupResource{Group: \"extensions\", Resource: \"ingresses\"} // of extensions/v1beta1 Ingress\n",
			"b/b.go":      "package b\n\nvar r = schema.GroupResource{Group: \"extensions\", Resource: \"ingresses\"}\n",
		},
		rules: "name: one\nrules: [{id: one, from: {group: extensions, version: v1beta1, kind: Ingress, plural: ingresses}, to: {group: networking.k8s.io, version: v1}}]\n",
		after: tree{
			"a/a.go":      "package a\n\nimport extapi \"k8s.io/api/extensions/v1beta1\"\n\nvar m = mapper(extapi.SchemeGroupVersion)\n",
			"a/a_test.go": "package a\n\nvar r = schema.GroupResource{Group: \"extensions\", Resource: \"ingresses\"} // of networking.k8s.io/v1 Ingress\n",
			"b/b.go":      "package b\n\nvar r = schema.GroupResource{Group: \"networking.k8s.io\", Resource: \"ingresses\"}\n",
		},
		review: []string{"a/a_test.go:3: typed-literal"},
	},
	{
		name:  "the kind of a document that leaves out lines is the first line of what is behind it",
		rules: kindRules,
		before: tree{
			"a.md":   "```yaml\napiVersion: old.example.com/v1\nkind: Widget\n  ...\n    condition: a(b) || c >= 0.9\nstatus: {}\n```\n",
			"b.yaml": "apiVersion: old.example.com/v1\nkind: Other\n  ...\n---\nkind: Widget\n",
		},
		after:  tree{"a.md": "```yaml\napiVersion: new.example.org/v1\nkind: Tool\n  ...\n    condition: a(b) || c >= 0.9\nstatus: {}\n```\n"},
		review: []string{"b.yaml:5: loose-name"},
	},
	{
		name:  "commands of plugins of kubectl have words of their own",
		rules: kindRules,
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
			"b.sh":   "kubectl widgetry get widget a\nkubectl -n x widgetry get widget a\nkubectl-widgetry get widget a\n",
			"c.sh":   "kubectl -n x get widget a\nkubectl auth can-i get widgets\nkubectl $ARGS get widget a\n",
		},
		after:  tree{"a.yaml": "apiVersion: new.example.org/v1\nkind: Tool\n"},
		review: []string{"c.sh:1: loose-name", "c.sh:2: loose-name", "c.sh:3: loose-name"},
	},
	{
		name:   "the name of a kind that every cluster has means that one where no group is named",
		rules:  "name: s\nrules:\n- {id: job, from: {group: old.example.com, kind: Service, plural: services}, to: {kind: Gate, plural: gates}}\n",
		before: tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: Service\n", "b.yaml": "nameReference:\n- kind: Service\n", "c.sh": "kubectl port-forward service/x\n"},
		after:  tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: Gate\n"},
	},
	{
		name:  "a table of the fields of an object names its kind behind its apiVersion",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: old.example.com, version: v2}}\n",
		before: tree{
			"a.md":     "| Field | Value |\n|---|---|\n| `apiVersion` _string_ | `old.example.com/v1` | |\n| `kind` _string_ | `Other` | |\n\n| apiVersion | old.example.com/v1 |\n| **kind** | Widget |\n\n| apiVersion | old.example.com/v1 |\n| name | Widget |\n",
			"b.yaml":   "apiVersion: old.example.com/v1\nkind: Widget\n---\napiVersion: old.example.com/v1\nkind: Other\n",
			"c/d.json": "{}\n",
		},
		after: tree{
			"a.md":   "| Field | Value |\n|---|---|\n| `apiVersion` _string_ | `old.example.com/v1` | |\n| `kind` _string_ | `Other` | |\n\n| apiVersion | old.example.com/v2 |\n| **kind** | Widget |\n\n| apiVersion | old.example.com/v1 |\n| name | Widget |\n",
			"b.yaml": "apiVersion: old.example.com/v2\nkind: Widget\n---\napiVersion: old.example.com/v1\nkind: Other\n",
		},
		review: []string{"a.md:9: several-answers"},
	},
	{
		name: "a manifest in a folder of releases that is named after a version is of that release",
		before: tree{
			"releases/widgets-1.2.3.yaml": "apiVersion: old.example.com/v1\n",
			"release/1.2.3-rc1.json":      "{\"apiVersion\": \"old.example.com/v1\"}\n",
			"releases/latest.yaml":        "apiVersion: old.example.com/v1\n",
			"config/widgets-1.2.3.yaml":   "apiVersion: old.example.com/v1\n",
		},
		after: tree{"releases/latest.yaml": "apiVersion: new.example.org/v1\n", "config/widgets-1.2.3.yaml": "apiVersion: new.example.org/v1\n"},
	},
	{
		name:   "a resource that keeps its name while the kind is spelled otherwise is as it was",
		rules:  "name: s\nrules:\n- {id: job, from: {group: old.example.com, kind: SqlJob, plural: sqljobs}, to: {kind: SQLJob}}\n",
		before: tree{"w.yaml": "apiVersion: old.example.com/v1\nkind: SqlJob\n", "a.sh": "kubectl get sqljobs\n", "p.yaml": "rule: object.kind == 'SqlJob'\n"},
		after:  tree{"w.yaml": "apiVersion: old.example.com/v1\nkind: SQLJob\n"},
		review: []string{"p.yaml:1: loose-name"},
	},
	{
		name:   "two rules that make different things of the same name",
		rules:  "name: s\nrules:\n- {id: a, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: b, from: {group: old.example.com}, to: {group: next.example.org}}\n",
		before: tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n"},
		review: []string{"a.yaml:1: several-answers"},
	},
	{
		name:   "a resource of a project gets the version of its kind, within one group too",
		rules:  "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: old.example.com, version: v2, kind: Tool}}\n",
		before: tree{"PROJECT": "domain: example.com\nresources:\n- {group: old, version: v1, kind: Widget}\n- {group: old, version: v1, kind: Other}\n"},
		after:  tree{"PROJECT": "domain: example.com\nresources:\n- {group: old, version: v2, kind: Tool}\n- {group: old, version: v1, kind: Other}\n"},
	},
	{
		name: "a group alone that is a folder of GOPATH, or gone",
		before: tree{"a.sh": "mkdir -p $GOPATH/src/old.example.com\n",
			"a.md": "Version 3 removes old.example.com. Use old.example.com/v1 with 2.\n"},
		after: tree{"a.md": "Version 3 removes old.example.com. Use new.example.org/v1 with 2.\n"},
	},
	{
		// nolar/kopf: @kopf.on.field('zalando.org', 'v1', 'ephemeralvolumeclaims', field='metadata.labels')
		name:   "a line about labels that says of the group that it has objects or versions",
		before: tree{"a.md": "## Annotations to add to all old.example.com custom resources\n\n@on.field('old.example.com', 'v1', 'widgets', field='metadata.labels')\nThe label old.example.com is theirs.\n"},
		after:  tree{"a.md": "## Annotations to add to all new.example.org custom resources\n\n@on.field('new.example.org', 'v1', 'widgets', field='metadata.labels')\nThe label old.example.com is theirs.\n"},
	},
	{
		name:   "the schema of an object, in the comment for editors",
		before: tree{"a.yaml": "# yaml-language-server: $schema=https://schemas.example.net/some.example.com/tool_v1.json\napiVersion: some.example.com/v1\nkind: Tool\n", "b.yaml": "# yaml-language-server: $schema=https://schemas.example.net/step.example.com/any_v1alpha1.json\napiVersion: step.example.com/v1alpha1\nkind: Any\n", "c.yaml": "# https://schemas.example.net/some.example.com/tool_v2.json\n", "d.yaml": "# yaml-language-server: $schema=../old.example.com/widget_v1.json\n"},
		after:  tree{"a.yaml": "# yaml-language-server: $schema=https://schemas.example.net/other.example.org/gadget_v1.json\napiVersion: other.example.org/v1\nkind: Gadget\n", "b.yaml": "# yaml-language-server: $schema=https://schemas.example.net/step.example.com/any_v1.json\napiVersion: step.example.com/v1\nkind: Any\n"},
	},
	{
		// vmware-tanzu/velero, kubernetes-sigs/gateway-api-inference-extension: docs/proposals/002-api-proposal/README.md
		name:   "a kind in a design document, unless its group changes",
		rules:  "name: k\nrules:\n- {id: k, from: {group: a.example.com, kind: Widget, plural: widgets}, to: {kind: Tool, plural: tools}}\n- {id: g, from: {group: b.example.com, kind: Widget, plural: widgets}, to: {group: c.example.com, kind: Tool, plural: tools}}\n",
		before: tree{"docs/proposals/a.md": "```yaml\napiVersion: a.example.com/v1\nkind: Widget\n---\napiVersion: b.example.com/v1\nkind: Widget\n```\n"},
		after:  tree{"docs/proposals/a.md": "```yaml\napiVersion: a.example.com/v1\nkind: Widget\n---\napiVersion: c.example.com/v1\nkind: Tool\n```\n"},
	},
	{
		// zalando-incubator/stackset-controller: pkg/core/generated.conversion.go
		name:   "a link to a file of a repository, and to a server",
		before: tree{"a.go": "package a\n\n// from: https://git.example/x/y/blob/v1.2.3/pkg/apis/step.example.com/v1alpha1/conversion.go\n// see https://git.example/x/y/tree/main/pkg/apis/old.example.com/v1\n// at https://server.example/apis/step.example.com/v1alpha1/things\n"},
		after:  tree{"a.go": "package a\n\n// from: https://git.example/x/y/blob/v1.2.3/pkg/apis/step.example.com/v1alpha1/conversion.go\n// see https://git.example/x/y/tree/main/pkg/apis/old.example.com/v1\n// at https://server.example/apis/step.example.com/v1/things\n"},
	},
	{
		// sigstore/policy-controller: the name of the configurations of webhooks is the group
		name:   "the name of a configuration of webhooks in a flag and in a manifest",
		before: tree{"a.go": "package a\n\nvar name = flag.String(\"webhook-name\", \"old.example.com\", \"the name\")\n", "a.yaml": "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata:\n  name: old.example.com\n"},
	},
	{
		// googleforgames/agones: workerqueue.NewWorkerQueue(c.sync, log, key, stable.GroupName+".FleetController")
		name:   "the name of a queue that is made of a group",
		before: tree{"a.go": "package a\n\nconst Group = \"old.example.com\"\n\nvar q, l = Queue(Group+\".WidgetController\"), Group + \".owner\"\n"},
		after:  tree{"a.go": "package a\n\nconst Group = \"new.example.org\"\n\nvar q, l = Queue(Group+\".WidgetController\"), Group + \".owner\"\n"},
		review: []string{"a.go:5: built-key"},
	},
	{
		// argoproj-labs/argocd-operator: docs/reference/api.html.md
		name:   "a generated reference page of kinds of which one gets another version",
		rules:  "name: k\nrules:\n- {id: k, from: {group: a.example.com, version: v1alpha1, kind: Widget, plural: widgets}, to: {version: v1}}\n",
		before: tree{"a.md": "<a href=\"#a.example.com%2fv1alpha1\">a.example.com/v1alpha1</a>\n<h2 id=\"a.example.com/v1alpha1\">a.example.com/v1alpha1</h2>\n<em>Generated with gen-crd-api-reference-docs</em>\n", "crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: tools.a.example.com}\nspec: {group: a.example.com, names: {kind: Tool, plural: tools}, versions: [{name: v1alpha1}]}\n", "w.yaml": "apiVersion: a.example.com/v1alpha1\nkind: Widget\n"},
		after:  tree{"w.yaml": "apiVersion: a.example.com/v1\nkind: Widget\n"},
	},
	{
		// kubernetes-sigs/aws-load-balancer-controller: controllers/ingress/group_controller.go
		name:       "a group in code that imports the package of another API",
		rules:      "name: k\nrules:\n- {id: k, from: {group: a.example.com, version: v1beta1, kind: Widget, plural: widgets}, to: {version: v1}}\n",
		registered: map[string][]string{"apis/b/v1": {"Gadget"}},
		before:     tree{"c/c.go": "package c\n\nimport b \"x.example/m/apis/b/v1\"\n\nconst version = \"a.example.com/v1beta1\"\n\nvar _ b.Gadget\n"},
		after:      tree{"c/c.go": "package c\n\nimport b \"x.example/m/apis/b/v1\"\n\nconst version = \"a.example.com/v1\"\n\nvar _ b.Gadget\n"},
	},
	{
		name: "two kinds of one group move to two groups, and each object has its own, at every depth",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com, version: v1, kind: Gadget}, to: {group: one.example.org}}\n" +
			"- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: two.example.org}}\n",
		before: tree{
			"a.yaml":       "data:\n  x.yaml: |\n    package p\n\n    var x = \"{\\\"kind\\\": \\\"Gadget\\\", \\\"spec\\\": {\\\"x\\\": {\\\"kind\\\": \\\"Widget\\\", \\\"apiVersion\\\": \\\"old.example.com/v1\\\"}}, \\\"apiVersion\\\": \\\"old.example.com/v1\\\"}\\n\"\n",
			"b.ipynb":      "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n\"kind: Gadget\\n\",\n\"spec:\\n\",\n\"  kind: Widget\\n\",\n\"  apiVersion: old.example.com/v1\\n\",\n\"apiVersion: old.example.com/v1\\n\"]}]}\n",
			"c.json":       "{\"metadata\": {\"annotations\": {\"x\": \"{apiVersion: old.example.com/v1, kind: Widget}\"}}}\n",
			"d.yaml":       "metadata:\n  annotations:\n    x: '{kind: Gadget, apiVersion: old.example.com/v1}'\n",
			"e.rst":        "x = \"{'kind': 'Gadget', 'spec': {'kind': 'Widget', 'apiVersion': 'old.example.com/v1'}, 'apiVersion': 'old.example.com/v1'}\"\n",
			"f.md":         "> \"  kind: Widget\n> \"  y: z\n> \"  apiVersion: old.example.com/v1\n> \"kind: Gadget\n",
			"h.Dockerfile": "FROM x\nRUN cat > /m.yaml <<EOF\nx = \"\"\"\n{\n \\\"cells\\\": [\n  {\n   \\\"cell_type\\\": \\\"code\\\",\n   \\\"metadata\\\": {},\n   \\\"outputs\\\": [],\n   \\\"execution_count\\\": null,\n   \\\"source\\\": [\n    \\\"apiVersion: old.example.com/v1\\\\n\\\",\n    \\\"spec:\\\\n\\\",\n    \\\"  a:\\\\n\\\",\n    \\\"  - kind: Widget\\\\n\\\",\n    \\\"    apiVersion: old.example.com/v1\\\\n\\\",\n    \\\"kind: Gadget\\\\n\\\"\n   ]\n  }\n ],\n \\\"metadata\\\": {},\n \\\"nbformat\\\": 4,\n \\\"nbformat_minor\\\": 5\n}\n\"\"\"\nEOF\n",
			"g.ipynb":      "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n\"x = `\\n\",\n\"apiVersion: old.example.com/v1\\n\",\n\"spec:\\n\",\n\"- kind: Widget\\n\",\n" + strings.Repeat("\"  f: v\\n\",\n", 60) + "\"kind: Gadget\\n\",\n\"`\\n\"]}]}\n",
		},
		after: tree{
			"a.yaml":  "data:\n  x.yaml: |\n    package p\n\n    var x = \"{\\\"kind\\\": \\\"Gadget\\\", \\\"spec\\\": {\\\"x\\\": {\\\"kind\\\": \\\"Widget\\\", \\\"apiVersion\\\": \\\"two.example.org/v1\\\"}}, \\\"apiVersion\\\": \\\"one.example.org/v1\\\"}\\n\"\n",
			"b.ipynb": "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n\"kind: Gadget\\n\",\n\"spec:\\n\",\n\"  kind: Widget\\n\",\n\"  apiVersion: two.example.org/v1\\n\",\n\"apiVersion: one.example.org/v1\\n\"]}]}\n",
			"c.json":  "{\"metadata\": {\"annotations\": {\"x\": \"{apiVersion: two.example.org/v1, kind: Widget}\"}}}\n",
			"d.yaml":  "metadata:\n  annotations:\n    x: '{kind: Gadget, apiVersion: one.example.org/v1}'\n",
			"e.rst":   "x = \"{'kind': 'Gadget', 'spec': {'kind': 'Widget', 'apiVersion': 'two.example.org/v1'}, 'apiVersion': 'one.example.org/v1'}\"\n",
			"g.ipynb": "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n\"x = `\\n\",\n\"apiVersion: one.example.org/v1\\n\",\n\"spec:\\n\",\n\"- kind: Widget\\n\",\n" + strings.Repeat("\"  f: v\\n\",\n", 60) + "\"kind: Gadget\\n\",\n\"`\\n\"]}]}\n",
		},
		review: []string{"f.md:3: several-answers", "h.Dockerfile:12: several-answers", "h.Dockerfile:16: several-answers"},
	},
	{
		name:  "an object that code builds in pieces, beside a whole one that changes or has changed",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com, version: v1, kind: Gadget}, to: {group: new.example.org, version: v2, kind: Tool}}\n",
		before: tree{
			"a.py":   "c = {\"apiVersion\": \"old.example.com/v1\"}\nc[\"kind\"] = \"Gadget\"\nj = \"\\n\".join([\"apiVersion: old.example.com/v1\", \"kind: Gadget\"])\na = {\"apiVersion\": \"old.example.com/v1\", \"kind\": \"Gadget\"}\n",
			"b.py":   "c = {**{\"apiVersion\": \"old.example.com/v1\"}, \"kind\": \"Gadget\"}\na = {\"apiVersion\": \"new.example.org/v2\", \"kind\": \"Tool\"}\n",
			"w.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
		},
		after: tree{
			"a.py": "c = {\"apiVersion\": \"old.example.com/v1\"}\nc[\"kind\"] = \"Gadget\"\nj = \"\\n\".join([\"apiVersion: old.example.com/v1\", \"kind: Gadget\"])\na = {\"apiVersion\": \"new.example.org/v2\", \"kind\": \"Tool\"}\n",
		},
		review: []string{"a.py:1: several-answers", "a.py:3: several-answers", "b.py:1: several-answers", "b.py:1: loose-name"},
	},
	{
		name:  "a key that moves as a whole, and that code builds of a prefix which stays",
		rules: "name: k\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\nkeys:\n- {from: old.example.com/owner, to: new.example.org/owner}\n",
		before: tree{
			"a.go":   "package a\n\nconst Prefix = \"old.example.com/\"\n\nvar k, l = Prefix + \"owner\", Prefix + \"ownership\"\nvar m = fmt.Sprintf(\"%sowner\", Prefix)\nvar n = other.Prefix + \"owner\"\n",
			"a.py":   "LABEL_DOMAIN = \"old.example.com\"\nK = f\"{LABEL_DOMAIN}/owner\"\n",
			"a.yaml": "metadata: {labels: {old.example.com/owner: x}}\n",
		},
		after:  tree{"a.yaml": "metadata: {labels: {new.example.org/owner: x}}\n"},
		review: []string{"a.go:3: built-key", "a.py:1: built-key"},
	},
	{
		// crossplane/crossplane: design/design-doc-stacks.md
		name:   "the owner of a CRD is an object of its own",
		before: tree{"a.yaml": "kind: CustomResourceDefinition\nmetadata:\n  name: other.example.net\n  ownerReferences:\n  - apiVersion: some.example.com/v1\n    kind: Tool\nspec: {group: example.net, names: {kind: Other, plural: other}}\n"},
		after:  tree{"a.yaml": "kind: CustomResourceDefinition\nmetadata:\n  name: other.example.net\n  ownerReferences:\n  - apiVersion: other.example.org/v1\n    kind: Gadget\nspec: {group: example.net, names: {kind: Other, plural: other}}\n"},
	},
	{
		// k8gb-io/k8gb: deploy/gslb; kubearmor/KubeArmor: core/k8sHandler.go
		name:  "the file of an object is named after its group with several words, and the name of an APIGroup is a group",
		rules: "name: p\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{
			"x/old.example.com_v1_widget_cr_large.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
			"Makefile": "all:\n\tkubectl apply -f x/old.example.com_v1_widget_cr_large.yaml\n",
			"a.go":     "package a\n\nvar b = group.Name == \"old.example.com\" && node.Name == \"old.example.com\"\n",
		},
		after: tree{
			"x/new.example.org_v1_widget_cr_large.yaml": "apiVersion: new.example.org/v1\nkind: Widget\n",
			"Makefile": "all:\n\tkubectl apply -f x/new.example.org_v1_widget_cr_large.yaml\n",
			"a.go":     "package a\n\nvar b = group.Name == \"new.example.org\" && node.Name == \"old.example.com\"\n",
		},
	},
	{
		// open-cluster-management-io: content/en/concepts/placement.md; Kuadrant/kuadrant-operator: examples/toystore;
		// aws/karpenter-provider-aws: designs, pkg/apis/crds
		name:  "an object that kubectl describes, the path of a key, a kind in a design document, and PROJECT beside a step of a version",
		rules: "name: p\nrules:\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: old.example.com, version: v2, kind: Gizmo}}\n- {id: c, from: {group: old.example.com, version: v1, kind: Cog}, to: {version: v2}}\nkeys: [{from: old.example.com/size, to: old.example.com/width}]\n",
		before: tree{
			"a.md":         "```bash\n$ kubectl describe gadget x\nAPI Version:  old.example.com/v1\nKind:         Gadget\n```\n",
			"a.yaml":       "a: .metadata.labels.old\\.example\\.com/kit\nb: metadata.annotations.x\\.old\\.example\\.com/id\nc: .metadata.labels.old\\.example\\.com/size\n",
			"designs/a.md": "```yaml\nkind: Widget\nspec: {}\n```\n",
			"PROJECT":      "domain: old.example.com\nresources:\n- {group: old, kind: Cog, version: v1}\n",
			"crd.yaml":     "kind: CustomResourceDefinition\nmetadata: {name: cogs.old.example.com}\nspec: {group: old.example.com, names: {kind: Cog, plural: cogs}, versions: [{name: v1, served: true}]}\n",
		},
		review: []string{"a.yaml:3: pattern", "crd.yaml:2: crd-version"},
	},
	{
		// kro-run/kro: api/v1alpha1/groupversion_info.go
		name:  "a group that code builds of its first label and a constant",
		rules: "name: p\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{
			"a.go":   "package a\n\nvar g = schema.GroupVersion{Group: fmt.Sprintf(\"old.%s\", Domain), Version: \"v1\"}\nvar host = fmt.Sprintf(\"old.%s\", Domain)\nvar GroupName = \"old.\" + Domain\n",
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
		},
		after:  tree{"a.yaml": "apiVersion: new.example.org/v1\nkind: Widget\n"},
		review: []string{"a.go:3: built-key", "a.go:5: built-key"},
	},
	{
		name:   "a table with a column about what is deprecated lists what is",
		before: tree{"a.md": "| API group | Deprecated |\n|---|---|\n| `old.example.com` | no |\n"},
		after:  tree{"a.md": "| API group | Deprecated |\n|---|---|\n| `new.example.org` | no |\n"},
	},
	{
		name: "a kind that has its new name already, with its old group or version",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: w, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gizmo}}\n" +
			"- {id: x, from: {group: old.example.com, version: v1, kind: Foo}, to: {group: new.example.org, version: v2, kind: Bar}}\n- {id: y, from: {group: old.example.com, version: v3, kind: Bar}, to: {group: new.example.org, version: v4, kind: Baz}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Gizmo\n",
			"b.yaml": "apiVersion: old.example.com/v3\nkind: Gizmo\n---\napiVersion: old.example.com/v3\nkind: Bar\n",
		},
		after:  tree{"b.yaml": "apiVersion: new.example.org/v3\nkind: Gizmo\n---\napiVersion: new.example.org/v4\nkind: Baz\n"},
		review: []string{"a.yaml:1: leaves-kind"},
	},
	{
		name:  "an object in a text of whatever kind is read from one of its fields",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com, version: v1, kind: Gadget, plural: gadgets}, to: {group: new.example.org, version: v2, kind: Tool, plural: tools}}\n",
		before: tree{
			"a.ps1":  "$m = @'\napiVersion: &v old.example.com/v1\nkind: &k Gadget\n'@\n",
			"b.html": "<pre>\n{\n\t\"kind\": \"Widget\",\n\t\"items\": [\n\t\t{\"apiVersion\": \"old.example.com/v1\", \"kind\": \"Gadget\"}\n\t],\n\t\"apiVersion\": \"old.example.com/v1\"\n}\n</pre>\n",
			"c.csv":  "x,\"[{\"\"apiVersion\"\": \"\"old.example.com/v1\"\", \"\"kind\"\": \"\"Gadget\"\"}, {\"\"kind\"\": \"\"Widget\"\", \"\"apiVersion\"\": \"\"old.example.com/v1\"\"}]\"\n",
			"d.py":   "M = '\\n'.join([\n    'target:',\n    '  group: old.example.com',\n    '  version: v1',\n    '  kind: Gadget',\n])\n",
			"e.nix":  "{ m = ''\n    kind: CustomResourceDefinition\n    metadata:\n      name: gadgets.old.example.com\n    spec:\n      group: old.example.com\n      names: {kind: Gadget, plural: gadgets}\n  ''; }\n",
			"f.lua":  "m = [[\nrules:\n- apiGroups:\n  - old.example.com\n  resources: [gadgets, widgets]\n]]\n",
			"g.ps1":  "@'\nkind: Gadget\napiVersion: old.example.com/v1\nkind: Widget\n'@\n",
			"q.exs":  "create(\n  apiVersion: \"old.example.com/v1\",\n  kind: \"Widget\"\n)\n",
			"n.nix":  "m = ''x {\"a\": \"}\", \"apiVersion\": \"old.example.com/v1\", \"kind\": \"Gadget\"} y'';\n",
			"o.ps1":  "@'\n\tkind: Gadget\n\tmetadata:\n\t\tname: a\n\tapiVersion: old.example.com/v1\n'@\n",
			"p.py":   "M = '\\n'.join([\n    'target:',\n    '  group: old.example.com',\n    '  version: v1',\n    \"  kind: 'Gadget'\",\n])\n",
			"h.nix":  "# > apiVersion: old.example.com/v1\n# > kind: Gadget\n",
			"i.lua":  "m = \"kind: Gadget\\napiVersion: old.example.com/v1\\nspec: {}\\n\"\n",
			"j.nix":  "m = \"kind: Gadget\n  metadata: {name: a}\n  apiVersion: old.example.com/v1\n\";\n",
			"k.nix":  "m = \"metadata:\n  name: a\nkind: Gadget\napiVersion: old.example.com/v1\n\";\n",
			"l.lua":  "m = {\n  apiVersion: \"old.example.com/v1\",\n  kind: \"Gadget\",\n}\n",
			"m.lua":  "m = \"{a: \\\"}\\\", apiVersion: \\\"old.example.com/v1\\\", kind: \\\"Gadget\\\"}\"\n",
		},
		after: tree{
			"a.ps1":  "$m = @'\napiVersion: &v new.example.org/v2\nkind: &k Tool\n'@\n",
			"b.html": "<pre>\n{\n\t\"kind\": \"Widget\",\n\t\"items\": [\n\t\t{\"apiVersion\": \"new.example.org/v2\", \"kind\": \"Tool\"}\n\t],\n\t\"apiVersion\": \"old.example.com/v1\"\n}\n</pre>\n",
			"c.csv":  "x,\"[{\"\"apiVersion\"\": \"\"new.example.org/v2\"\", \"\"kind\"\": \"\"Tool\"\"}, {\"\"kind\"\": \"\"Widget\"\", \"\"apiVersion\"\": \"\"old.example.com/v1\"\"}]\"\n",
			"d.py":   "M = '\\n'.join([\n    'target:',\n    '  group: new.example.org',\n    '  version: v2',\n    '  kind: Tool',\n])\n",
			"e.nix":  "{ m = ''\n    kind: CustomResourceDefinition\n    metadata:\n      name: tools.new.example.org\n    spec:\n      group: new.example.org\n      names: {kind: Tool, plural: tools}\n  ''; }\n",
			"n.nix":  "m = ''x {\"a\": \"}\", \"apiVersion\": \"new.example.org/v2\", \"kind\": \"Tool\"} y'';\n",
			"o.ps1":  "@'\n\tkind: Tool\n\tmetadata:\n\t\tname: a\n\tapiVersion: new.example.org/v2\n'@\n",
			"p.py":   "M = '\\n'.join([\n    'target:',\n    '  group: new.example.org',\n    '  version: v2',\n    \"  kind: 'Tool'\",\n])\n",
			"h.nix":  "# > apiVersion: new.example.org/v2\n# > kind: Tool\n",
			"i.lua":  "m = \"kind: Tool\\napiVersion: new.example.org/v2\\nspec: {}\\n\"\n",
			"j.nix":  "m = \"kind: Tool\n  metadata: {name: a}\n  apiVersion: new.example.org/v2\n\";\n",
			"k.nix":  "m = \"metadata:\n  name: a\nkind: Tool\napiVersion: new.example.org/v2\n\";\n",
			"l.lua":  "m = {\n  apiVersion: \"new.example.org/v2\",\n  kind: \"Tool\",\n}\n",
			"m.lua":  "m = \"{a: \\\"}\\\", apiVersion: \\\"new.example.org/v2\\\", kind: \\\"Tool\\\"}\"\n",
		},
		review: []string{"f.lua:4: split-rule", "g.ps1:3: several-answers"},
	},
	{
		name: "the filter of a handler of kopf names a resource by its singular, too",
		before: tree{
			"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Widget, plural: widgets}\n",
			"a.py":     "@kopf.on.create(\"widget.old.example.com\")\ndef a():\n    pass\n\n@kopf.on.field(\n    'widget.old.example.com', field='status.x'\n)\ndef b():\n    pass\n\nKEY = \"widget.old.example.com\"\n",
		},
		after: tree{
			"crd.yaml": "kind: CustomResourceDefinition\nmetadata: {name: widgets.new.example.org}\nspec:\n  group: new.example.org\n  names: {kind: Widget, plural: widgets}\n",
			"a.py":     "@kopf.on.create(\"widget.new.example.org\")\ndef a():\n    pass\n\n@kopf.on.field(\n    'widget.new.example.org', field='status.x'\n)\ndef b():\n    pass\n\nKEY = \"widget.old.example.com\"\n",
		},
	},
	{
		name: "a group with its version and a kind is no key of an annotation and no type of a condition",
		before: tree{
			"a.yaml": "metadata:\n  annotations:\n    example.org/owner: old.example.com/v1.Widget.a\nstatus:\n  conditions:\n  - type: old.example.com/v1.Widget.a\n  - type: old.example.com/Ready\n",
			"a.go":   "package a\n\nvar p = f(\"/apis/old.example.com/namespaces/%s/widgets/%s/exec\")\n",
		},
		after: tree{
			"a.yaml": "metadata:\n  annotations:\n    example.org/owner: new.example.org/v1.Widget.a\nstatus:\n  conditions:\n  - type: new.example.org/v1.Widget.a\n  - type: old.example.com/Ready\n",
			"a.go":   "package a\n\nvar p = f(\"/apis/new.example.org/namespaces/%s/widgets/%s/exec\")\n",
		},
	},
	{
		name:  "a macro that takes the kind from the type below it needs review where that is renamed",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: Widget}, to: {group: new.example.org, kind: Gizmo}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
			"a.rs":   "#[versioned(crd(\n    group = \"old.example.com\",\n    plural = \"widgets\",\n))]\npub struct WidgetSpec {}\n",
			"b.rs":   "#[kube(group = \"old.example.com\", version = \"v1\", kind = \"Widget\", plural = \"widgets\")]\npub struct WidgetSpec {}\n",
		},
		after: tree{
			"a.yaml": "apiVersion: new.example.org/v1\nkind: Gizmo\n",
			"b.rs":   "#[kube(group = \"new.example.org\", version = \"v1\", kind = \"Gizmo\", plural = \"gizmos\")]\npub struct WidgetSpec {}\n",
		},
		review: []string{"a.rs:2: leaves-kind"},
	},
	{
		name:  "what begins with a small letter is no kind",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: Widget}, to: {group: new.example.org}}\n",
		before: tree{
			"a.yaml":    "apiVersion: old.example.com/v1\nkind: Widget\n",
			"a_test.go": "package a\n\nvar want = schema.GroupKind{\n\tGroup: \"old.example.com\",\n\tKind:  \"kind\",\n}\n",
		},
		after: tree{
			"a.yaml":    "apiVersion: new.example.org/v1\nkind: Widget\n",
			"a_test.go": "package a\n\nvar want = schema.GroupKind{\n\tGroup: \"new.example.org\",\n\tKind:  \"kind\",\n}\n",
		},
	},
	{
		name:  "a link to the page of a version stays whole, and what is deprecated, as code too",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1beta1}, to: {version: v1}}\n",
		before: tree{
			"a.sh": "kube-apiserver --runtime-config=step.example.com/v1beta1=true,step.example.com/v1beta1/steps=true\n",
			"a.md": "[a](/api/v1beta1#step.example.com/v1beta1.Step) and\n[b](/api/#step.example.com/v1beta1.Step)\n- Deprecate `step.example.com/v1beta1`\n- Use `step.example.com/v1beta1`\n",
		},
		after: tree{
			"a.md": "[a](/api/v1beta1#step.example.com/v1beta1.Step) and\n[b](/api/#step.example.com/v1.Step)\n- Deprecate `step.example.com/v1beta1`\n- Use `step.example.com/v1`\n",
		},
	},
}
