package core

// listTrees are about permissions, commands and lists that name several groups, versions or kinds.
var listTrees = []treeCase{
	{
		// DataDog/datadog-operator, chaos-mesh/chaos-mesh; infinispan/infinispan-operator has descriptors
		name:  "the domain of hosts that URLs of the tree lead to, where nothing says that it is an API",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com}, to: {group: next.example.org}}\n",
		before: tree{
			"a.yaml": "site: step.example.com\nhosts: ['*.step.example.com']\nwatched: [step.example.com]\ncrds: {of: step.example.com}\nurn: urn:alm:descriptor:io.kubernetes:step.example.com:v1:Cog\nallow: ['*.step.example.com']\n",
			"a.go":   "package a\n\nvar x = send(\"api-key\", \"step.example.com\")\nvar y = slices.Contains(rule.APIGroups, \"step.example.com\")\n\nconst group = \"step.example.com\"\n",
			"a.md":   "The default is `step.example.com`.\n\nThe resources of step.example.com. See https://api.step.example.com/x.\n",
		},
		after: tree{
			"a.yaml": "site: step.example.com\nhosts: ['*.step.example.com']\nwatched: [step.example.com]\ncrds: {of: next.example.org}\nurn: urn:alm:descriptor:io.kubernetes:next.example.org:v1:Cog\nallow: ['*.step.example.com']\n",
			"a.go":   "package a\n\nvar x = send(\"api-key\", \"step.example.com\")\nvar y = slices.Contains(rule.APIGroups, \"next.example.org\")\n\nconst group = \"next.example.org\"\n",
			"a.md":   "The default is `step.example.com`.\n\nThe resources of next.example.org. See https://api.step.example.com/x.\n",
		},
		review: []string{"a.go:3: same-name", "a.md:1: same-name", "a.yaml:1: same-name", "a.yaml:3: same-name", "a.yaml:6: same-name"},
	},
	{
		name:  "a URL of the group itself, and a host on the line of the new group, ask nothing",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com}, to: {group: next.example.org}}\n",
		before: tree{
			"a.yaml": "site: step.example.com\nurl: https://step.example.com\n",
			"b.go":   "package b\n\nvar x = T{Group: \"step.example.com\", Host: \"one.two.step.example.com\"}\n",
		},
		after: tree{"a.yaml": "site: next.example.org\nurl: https://step.example.com\n", "b.go": "package b\n\nvar x = T{Group: \"next.example.org\", Host: \"one.two.step.example.com\"}\n"},
	},
	{
		name:  "code that reads the old and the new key",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com}, to: {group: next.example.org}}\nkeys: [{from: step.example.com/old, to: next.example.org/fresh}]\n",
		before: tree{
			"a.go":   "package a\n\nvar x = first(labels[\"next.example.org/fresh\"],\n\tlabels[\"step.example.com/old\"])\n",
			"b.go":   "package b\n\nvar x = labels[\"step.example.com/old\"]\n",
			"c.yaml": "metadata: {labels: {step.example.com/old: a}}\n---\nmetadata: {labels: {\"next.example.org/fresh\": b}}\n",
		},
		after: tree{
			"b.go":   "package b\n\nvar x = labels[\"next.example.org/fresh\"]\n",
			"c.yaml": "metadata: {labels: {next.example.org/fresh: a}}\n---\nmetadata: {labels: {\"next.example.org/fresh\": b}}\n",
		},
		review: []string{"a.go:4: both-names"},
	},
	{
		// openshift/cluster-logging-operator, liggitt/audit2rbac
		name:  "events of an audit log, in a log or not",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1alpha1}, to: {version: v1}}\n",
		before: tree{
			"a.log":  "{\"requestURI\":\"/apis/step.example.com/v1alpha1/cogs\"}\n",
			"a.json": "{\"kind\": \"Event\", \"auditID\": \"x\", \"objectRef\": {\"apiGroup\": \"step.example.com\", \"apiVersion\": \"v1alpha1\"}, \"requestURI\": \"/apis/step.example.com/v1alpha1/cogs\"}\n",
			"b.json": "{\"kind\": \"Event\", \"requestURI\": \"/apis/step.example.com/v1alpha1/cogs\", \"other\": {\"auditID\": \"x\"}}\n",
		},
		after: tree{"b.json": "{\"kind\": \"Event\", \"requestURI\": \"/apis/step.example.com/v1/cogs\", \"other\": {\"auditID\": \"x\"}}\n"},
	},
	{
		name:  "a resource of the tree behind a version, which no rule names",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, version: v1alpha1, kind: Cog, plural: cogs}, to: {version: v1}}\n",
		before: tree{
			"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: nuts.step.example.com}\nspec: {group: step.example.com, names: {kind: Nut, plural: nuts}, versions: [{name: v1alpha1, served: true}]}\n",
			"a.yaml":   "apiVersion: step.example.com/v1alpha1\nkind: Cog\n",
			"a.md":     "For example, `step.example.com/v1alpha1/nuts` or `step.example.com/v1alpha1/cogs`.\n\nNot `step.example.com/v1alpha1/bolts`.\n",
			"a.adoc":   ".Fields of Cog in _step.example.com/v1alpha1_\n\n.Or step.example.com/v1alpha1_fields\n",
		},
		after: tree{
			"a.adoc": ".Fields of Cog in _step.example.com/v1_\n\n.Or step.example.com/v1alpha1_fields\n",
			"a.yaml": "apiVersion: step.example.com/v1\nkind: Cog\n",
			"a.md":   "For example, `step.example.com/v1alpha1/nuts` or `step.example.com/v1/cogs`.\n\nNot `step.example.com/v1alpha1/bolts`.\n",
		},
		review: []string{"a.md:3: several-answers"},
	},
	{
		name:  "a message of code about a release of Kubernetes",
		rules: "name: s\nrules:\n- {id: s, from: {group: storage.k8s.io, version: v1beta1}, to: {version: v1}}\n",
		before: tree{
			"a.go": "package a\n\nvar x = \"Kubernetes version <1.16 needs storage.k8s.io/v1beta1. \" +\n\t\"Gone.\"\nvar y = \"a server needs storage.k8s.io/v1beta1\"\n",
		},
		after: tree{
			"a.go": "package a\n\nvar x = \"Kubernetes version <1.16 needs storage.k8s.io/v1beta1. \" +\n\t\"Gone.\"\nvar y = \"a server needs storage.k8s.io/v1\"\n",
		},
	},
	{
		name:  "permissions have the usual plural where the rule has another one",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: Widget, plural: widget}, to: {group: old.example.com, kind: Gizmo, plural: gizmos}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\n",
			"b.yaml": "rules:\n- apiGroups: [old.example.com]\n  resources: ['*', widgets, widget/status]\n  verbs: [get]\n",
		},
		after: tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: Gizmo\n", "b.yaml": "rules:\n- apiGroups: [old.example.com]\n  resources: ['*', gizmos, gizmos/status]\n  verbs: [get]\n"},
	},
	{
		name:  "the name of a webhook of which a template fills in the begin, and one that a test expects",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com}, to: {group: next.example.org}}\n",
		before: tree{
			"templates/a.yaml": "kind: MutatingWebhookConfiguration\nwebhooks:\n- name: m{{ .name }}.step.example.com\n- name: hook.step.example.com\n",
			"b.yaml":           "kind: MutatingWebhookConfiguration\nmetadata:\n  name: both.step.example.com\nwebhooks:\n- name: both.step.example.com\n",
			"b.go":             "package b\n\nvar config = \"both.step.example.com\"\n",
			"A.java":           "has(\"hook.step.example.com\");\nhas(\"no-hook.step.example.com\");\nhas(\"hook.step.example.com/key\");\nsays(\"admission webhook 'hook.step.example.com' denied\");\n",
		},
		after: tree{
			"templates/a.yaml": "kind: MutatingWebhookConfiguration\nwebhooks:\n- name: m{{ .name }}.next.example.org\n- name: hook.next.example.org\n",
			"b.yaml":           "kind: MutatingWebhookConfiguration\nmetadata:\n  name: both.step.example.com\nwebhooks:\n- name: both.next.example.org\n",
			"A.java":           "has(\"hook.next.example.org\");\nhas(\"no-hook.step.example.com\");\nhas(\"hook.step.example.com/key\");\nsays(\"admission webhook 'hook.next.example.org' denied\");\n",
		},
	},
	{
		name:  "the organization in the subject of a certificate",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com}, to: {group: next.example.org}}\n",
		before: tree{
			"A.java": "static final String CLIENT_CERT_ORGANIZATION = \"step.example.com\";\nvar a = entry(\"a@step.example.com\", \"localhost\", \"step.example.com\", null);\nvar b = entry(\"step.example.com\", null);\n",
			"a.sh":   "openssl req -subj \"/O=step.example.com/CN=a\"\ncat <<EOF\n{\"CN\": \"a\", \"O\": \"step.example.com\"}\nEOF\n",
			"a.md":   "A name such as `CN=a,OU=dev,O=step.example.com,C=US`.\n",
			"a.py":   "client(mail=\"a@step.example.com\", group=\"step.example.com\")\n",
			"a.js":   "const o = \"step.example.com\";\nconst O = \"step.example.com\";\n",
		},
		after: tree{
			"a.py":   "client(mail=\"a@step.example.com\", group=\"next.example.org\")\n",
			"a.js":   "const o = \"next.example.org\";\nconst O = \"next.example.org\";\n",
			"A.java": "static final String CLIENT_CERT_ORGANIZATION = \"step.example.com\";\nvar a = entry(\"a@step.example.com\", \"localhost\", \"step.example.com\", null);\nvar b = entry(\"next.example.org\", null);\n",
		},
	},
	{
		name:   "names that are made of a kind and its group, where only a rule knows the kind",
		rules:  "name: s\nrules:\n- {id: s, from: {group: step.example.com, kind: Cog, plural: cogs}, to: {group: next.example.org}}\n",
		before: tree{"a.yaml": "filters:\n- name: \"one.Cog.step.example.com\"\n- name: \"one.Nut.step.example.com\"\n"},
		review: []string{"a.yaml:2: object-or-key"},
	},
	{
		name:  "names of objects that are made of a kind and its group",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com}, to: {group: next.example.org}}\n",
		before: tree{
			"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: cogs.step.example.com}\nspec: {group: step.example.com, names: {kind: Cog, plural: cogs}}\n",
			"A.java":   "String a = \"spec.ref names cog.step.example.com/a in namespace b\";\nString b = \"cog.step.example.com/keep in namespaces\";\nString c = \"nut.step.example.com/a in namespace b\";\n",
			"a.yaml":   "filters:\n- name: \"one.Cog.step.example.com\"\n- name: \"one.Nut.step.example.com\"\n",
		},
		after:  tree{"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: cogs.next.example.org}\nspec: {group: next.example.org, names: {kind: Cog, plural: cogs}}\n"},
		review: []string{"A.java:1: object-or-key", "A.java:3: object-or-key", "a.yaml:2: object-or-key"},
	},
	{
		name:  "the file of a CRD that the generator for Java writes, and what names it",
		rules: "name: s\nrules:\n- {id: s, from: {group: step.example.com, kind: Cog, plural: cogs}, to: {group: next.example.org, kind: Gear, plural: gears}}\n",
		before: tree{
			"fabric8/cogs.step.example.com-v1.yml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: cogs.step.example.com}\nspec: {group: step.example.com, names: {kind: Cog, plural: cogs}}\n",
			"a.md":                                 "See [it](fabric8/cogs.step.example.com-v1.yml), and cogs.step.example.com-v1 at cogs.step.example.com-v2.example.net.\n",
			"A.java":                               "String a = DIR + \"/cogs.step.example.com-v1.yml\";\n",
		},
		after: tree{
			"fabric8/gears.next.example.org-v1.yml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: gears.next.example.org}\nspec: {group: next.example.org, names: {kind: Gear, plural: gears}}\n",
			"a.md":                                  "See [it](fabric8/gears.next.example.org-v1.yml), and cogs.step.example.com-v1 at cogs.step.example.com-v2.example.net.\n",
			"A.java":                                "String a = DIR + \"/gears.next.example.org-v1.yml\";\n",
		},
		review: []string{"a.md:1: object-or-key", "a.md:1: object-or-key"},
	},
	{
		name:  "the kind and group of a selector, and the attribute of a class",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: old.example.com, kind: Tool, plural: tools}}\n- {id: h, from: {group: one.example.com}, to: {group: two.example.com}}\n",
		before: tree{
			"skaffold.yaml": "resourceSelector:\n  allow:\n  - groupKind: \"Widget.old.example.com\"\n  - groupKind: \"Gadget.one.example.com\"\n", // GoogleContainerTools/skaffold
			"a.cs":          "[KubernetesEntity(Group = \"old.example.com\", ApiVersion = \"v1\", Kind = \"Widget\", PluralName = \"widgets\")]\npublic class A {}\n",
			"b.yaml":        "group: sub.one.example.com\n",
		},
		after: tree{
			"skaffold.yaml": "resourceSelector:\n  allow:\n  - groupKind: \"Tool.old.example.com\"\n  - groupKind: \"Gadget.two.example.com\"\n",
			"a.cs":          "[KubernetesEntity(Group = \"old.example.com\", ApiVersion = \"v1\", Kind = \"Tool\", PluralName = \"tools\")]\npublic class A {}\n",
		},
	},
	{
		name:   "a setting of Argo CD names a kind behind its group",
		rules:  "name: s\nrules:\n- {id: g, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: old.example.com, kind: Tool, plural: tools}}\n",
		before: tree{"a.yaml": "data:\n  resource.customizations.health.old.example.com_Widget: x\n  resource.customizations.actions.old.example.com_Gadget: x\n"}, // argoproj/argo-cd
		after:  tree{"a.yaml": "data:\n  resource.customizations.health.old.example.com_Tool: x\n  resource.customizations.actions.old.example.com_Gadget: x\n"},
	},
	{
		name:   "a cell of a notebook with documents of two kinds, behind a comment",
		rules:  "name: s\nrules:\n- {id: a, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: a.example.org}}\n- {id: b, from: {group: old.example.com, kind: Gizmo, plural: gizmos}, to: {group: b.example.org}}\n",
		before: tree{"a.ipynb": "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"# c\\n\", \"apiVersion: \\\"old.example.com/v1\\\"\\n\", \"kind: Widget\\n\", \"---\\n\", \"apiVersion: old.example.com/v1\\n\", \"kind: Gizmo\\n\"]}]}"},
		after:  tree{"a.ipynb": "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"# c\\n\", \"apiVersion: \\\"a.example.org/v1\\\"\\n\", \"kind: Widget\\n\", \"---\\n\", \"apiVersion: b.example.org/v1\\n\", \"kind: Gizmo\\n\"]}]}"},
	},
	{
		name:   "a kind that an object of another API takes from here by an alias",
		rules:  "name: s\nrules:\n- {id: g, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: old.example.com, kind: Tool, plural: tools}}\n",
		before: tree{"a.yaml": "a:\n  kind: &c Widget\n  apiVersion: old.example.com/v1\nb:\n  kind: *c\n  apiVersion: apps/v1\n", "b.yaml": "a:\n  kind: &c Widget\n  apiVersion: old.example.com/v1\nb:\n  kind: *c\n  apiVersion: old.example.com/v1\n"},
		after:  tree{"b.yaml": "a:\n  kind: &c Tool\n  apiVersion: old.example.com/v1\nb:\n  kind: *c\n  apiVersion: old.example.com/v1\n"},
		review: []string{"a.yaml:3: leaves-kind", "b.yaml:6: filled-kind"},
	},
	{
		name:   "the path of a page of a console names a kind behind its group and version",
		rules:  "name: s\nrules:\n- {id: g, from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}, to: {version: v2, kind: Tool, plural: tools}}\n",
		before: tree{"a.ts": "const a = `/k8s/ns/${ns}/old.example.com~v1~Widget/${name}`;\nconst b = '/k8s/cluster/old.example.com~v1~Gadget/~new';\nconst c = `old.example.com~${v}~Widget`;\n", "a.md": "See https://console.example.net/k8s/ns/x/old.example.com~v1~Widget/a.\n"}, // open-cluster-management, kuadrant, odf
		after:  tree{"a.ts": "const a = `/k8s/ns/${ns}/old.example.com~v2~Tool/${name}`;\nconst b = '/k8s/cluster/old.example.com~v1~Gadget/~new';\nconst c = `old.example.com~${v}~Widget`;\n", "a.md": "See https://console.example.net/k8s/ns/x/old.example.com~v2~Tool/a.\n"},
		review: []string{"a.ts:3: filled-in"},
	},
	{
		name:   "a generated client has the usual plural of a kind that has another one", // datashim
		rules:  "name: s\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: k, from: {group: old.example.com, kind: BigWidget, plural: widgetsbig}, to: {group: new.example.org, kind: Tool, plural: tools}}\n",
		before: tree{"a.go": "package a\n\nvar r = schema.GroupVersionResource{Group: \"old.example.com\", Version: \"v1\", Resource: \"bigwidgets\"}\nvar k = schema.GroupVersionKind{Group: \"old.example.com\", Version: \"v1\", Kind: \"BigWidget\"}\n"},
		after:  tree{"a.go": "package a\n\nvar r = schema.GroupVersionResource{Group: \"new.example.org\", Version: \"v1\", Resource: \"tools\"}\nvar k = schema.GroupVersionKind{Group: \"new.example.org\", Version: \"v1\", Kind: \"Tool\"}\n"},
	},
	{
		name:  "the name of a webhook with its kind, and what says it",
		rules: "name: s\nrules:\n- {id: k, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org, kind: Tool, plural: tools}}\n",
		before: tree{
			"a.yaml": "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: vwidget.old.example.com\n",
			"a.go":   "package a\n\nvar x = `admission webhook \"vwidget.old.example.com\" denied`\nvar y = \"mwidget.old.example.com\"\n",
		},
		after: tree{
			"a.yaml": "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: vtool.new.example.org\n",
			"a.go":   "package a\n\nvar x = `admission webhook \"vtool.new.example.org\" denied`\nvar y = \"mwidget.old.example.com\"\n",
		},
	},
	{
		name:  "a kind that ends in List is no list of another one", // eraser
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: k, from: {group: old.example.com, kind: ImageList, plural: imagelists}, to: {group: new.example.org, kind: Tool, plural: tools}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: ImageList\n---\napiVersion: old.example.com/v1\nkind: ImageListList\n---\napiVersion: old.example.com/v1\nkind: PlumList\n",
			"b.yaml": "kind: ClusterRole\nrules:\n- {apiGroups: [old.example.com], resources: [imagelists]}\n",
			"c.sh":   "kubectl get imagelists.old.example.com\n",
		},
		after: tree{
			"a.yaml": "apiVersion: new.example.org/v1\nkind: Tool\n---\napiVersion: new.example.org/v1\nkind: ToolList\n---\napiVersion: new.example.org/v1\nkind: PlumList\n",
			"b.yaml": "kind: ClusterRole\nrules:\n- {apiGroups: [new.example.org], resources: [tools]}\n",
			"c.sh":   "kubectl get tools.new.example.org\n",
		},
	},
	{
		name:  "what kubectl takes is of the one group that the tree has, whatever a template or a half move says",
		rules: "name: s\nrules:\n- {id: k, from: {group: old.example.com, kind: BigWidget}, to: {group: new.example.org, kind: Tool}}\n",
		before: tree{
			"a.yaml":           "apiVersion: old.example.com/v1\nkind: BigWidget\n",
			"b.yaml":           "apiVersion: new.example.org/v1\nkind: BigWidget\n",
			"templates/c.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  group: {{ .Values.group }}\n  names: {kind: BigWidget}\n",
			"d.sh":             "kubectl get bigwidgets\n",
		},
		after:  tree{"a.yaml": "apiVersion: new.example.org/v1\nkind: Tool\n", "d.sh": "kubectl get tools\n"},
		review: []string{},
	},
	{
		name:   "a rule for a version in front of one for a kind leaves the name that kubectl takes", // appwrapper
		rules:  "name: s\nrules:\n- {id: v, from: {group: old.example.com, version: v1}, to: {version: v2}}\n- {id: k, from: {group: old.example.com, version: v1, kind: BigWidget}, to: {group: old.example.com, version: v2, kind: Tool}}\n",
		before: tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: BigWidget\n", "PROJECT": "domain: example.com\nresources:\n- group: old\n  domain: example.com\n  kind: BigWidget\n  version: v1\n", "c.sh": "kubectl get bigwidgets\n"},
		after:  tree{"a.yaml": "apiVersion: old.example.com/v2\nkind: Tool\n", "PROJECT": "domain: example.com\nresources:\n- group: old\n  domain: example.com\n  kind: Tool\n  version: v2\n", "c.sh": "kubectl get tools\n"},
	},
	{
		name:  "a resource that is spelled like the webhook of another one is none",
		rules: "name: s\nrules:\n- {id: k, from: {group: old.example.com, kind: Cluster, plural: clusters}, to: {kind: Tool, plural: tools}}\n",
		before: tree{
			"crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: vclusters.old.example.com}\nspec: {group: old.example.com, names: {kind: VCluster, plural: vclusters}}\n",
			"a.sh":     "kubectl get vclusters.old.example.com clusters.old.example.com\n",
			"a.go":     "package a\n\nvar x = \"vclusters.old.example.com\"\n",
		},
		after: tree{"a.sh": "kubectl get vclusters.old.example.com tools.old.example.com\n"},
	},
	{
		name:   "a CRD whose names have hyphens, in a file that has none", // sriov-network-operator
		rules:  "name: s\nrules:\n- {id: k, from: {group: old.example.com, kind: BigWidget, plural: big-widgets}, to: {kind: Tool, plural: tools}}\n",
		before: tree{"old.example.com_bigwidgets_crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: big-widgets.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: BigWidget, plural: big-widgets, singular: big-widget}\n  versions: [{name: v1, served: true, storage: true}]\n", "a.yaml": "apiVersion: old.example.com/v1\nkind: BigWidget\n"},
		after:  tree{"old.example.com_bigwidgets_crd.yaml": "", "old.example.com_tools_crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: tools.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Tool, plural: tools, singular: tool}\n  versions: [{name: v1, served: true, storage: true}]\n", "a.yaml": "apiVersion: old.example.com/v1\nkind: Tool\n"},
	},
	{
		name:  "names before an operator have the values behind it, each its own", // agent-sandbox, splunk-operator
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}, to: {group: old.example.com, version: v2, kind: Tool, plural: tools}}\n",
		before: tree{
			"a.py": "GROUP, VERSION, PLURAL = \"old.example.com\", \"v1\", \"widgets\"\nx, y = \"v1\", GROUP\n",
			"b.py": "def f(x):\n    self.group, self.version, kind = \"old.example.com\", \"v1\", \"Widget\"\n",
			"a.go": "package a\n\nfunc f() (string, bool) {\n\tgroup, version, resource := \"old.example.com\", \"v1\", \"widgets\"\n\treturn group, kind == \"Widget\"\n}\n",
			"b.js": "let kind, x = \"Widget\", group = \"old.example.com\", version = \"v1\";\n",
			"b.go": "package a\n\nvar x = g(group, version, T{group, version, \"old.example.com\", v1: \"v1\"})\n",
		},
		after: tree{
			"a.py": "GROUP, VERSION, PLURAL = \"old.example.com\", \"v2\", \"tools\"\nx, y = \"v1\", GROUP\n",
			"b.py": "def f(x):\n    self.group, self.version, kind = \"old.example.com\", \"v2\", \"Tool\"\n",
			"a.go": "package a\n\nfunc f() (string, bool) {\n\tgroup, version, resource := \"old.example.com\", \"v2\", \"tools\"\n\treturn group, kind == \"Tool\"\n}\n",
		},
		review: []string{"b.js:1: leaves-kind"},
	},
	{
		name:  "a kind that gets another name is asked about where its group is a constant, or joined to its version",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: old.example.com, kind: Tool, plural: tools}}\n- {id: p, from: {group: old.example.com, version: v3, kind: Plum}, to: {version: v4}}\n",
		before: tree{
			"a.yaml":           "apiVersion: old.example.com/v1\nkind: Widget\n",
			"b/b.go":           "package b\n\nconst Group = \"old.example.com\"\n\nvar x = schema.GroupVersionKind{\n\tGroup:   Group,\n\tVersion: \"v1\",\n\tKind:    \"Widget\",\n}\nvar y = map[string]any{\"apiVersion\": Group + \"/v1\", \"kind\": \"Widget\"}\nvar z = schema.GroupKind{Group: group, Kind: \"Widget\"}\n",
			"c/c.go":           "package c\n\nconst Group = \"old.example.com\"\n\nvar r = schema.GroupResource{Group: Group, Resource: \"widgets\"}\nvar n = \"widgets.\" + Group + \"gadgets.\" + Group\nvar p = get(\"/apis/\" + Group + \"/v1/namespaces/x/widgets/\" + y)\nvar k = gv.WithKind(\"Widget\")\nvar l = x.gv.WithResource(\"widgets\")\nvar o = \"widgets.\" + other.Group\nvar q = schema.GroupKind{Group: Group, Kind: \"Plum\"}\n",
			"d.py":             "G = \"old.example.com\"\nx = {\"apiVersion\": G + \"/v1\", \"kind\": \"Widget\"}\ny = {\"apiVersion\": f\"{G}/v1\", \"kind\": \"Widget\"}\nz = {\"apiVersion\": \"apps/v1\", \"kind\": \"Widget\"}\nn = \"widgets.\" + G\n",
			"e.ts":             "const G = 'old.example.com';\nconst x = { apiVersion: `${G}/v1`, kind: 'Widget' };\n",
			"f.sh":             "GROUP=old.example.com\ncat <<EOF\napiVersion: ${GROUP}/v1\nkind: Widget\nEOF\n",
			"templates/_h.tpl": "{{- define \"c.kind\" -}}\nWidget\n{{- end -}}\n",
			"templates/b.yaml": "apiVersion: old.example.com/v1\nkind: {{ include \"c.kind\" . }}\n---\napiVersion: apps/v1\nkind: {{ .Values.kind }}\n",
			"main.tf":          "locals {\n  group = \"old.example.com\"\n}\nx = {\n  apiVersion = \"${local.group}/v1\"\n  kind       = \"Widget\"\n}\n",
		},
		after:  tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: Tool\n", "c/c.go": "package c\n\nconst Group = \"old.example.com\"\n\nvar r = schema.GroupResource{Group: Group, Resource: \"tools\"}\nvar n = \"widgets.\" + Group + \"gadgets.\" + Group\nvar p = get(\"/apis/\" + Group + \"/v1/namespaces/x/widgets/\" + y)\nvar k = gv.WithKind(\"Widget\")\nvar l = x.gv.WithResource(\"widgets\")\nvar o = \"widgets.\" + other.Group\nvar q = schema.GroupKind{Group: Group, Kind: \"Plum\"}\n"},
		review: []string{"b/b.go:8: loose-name", "b/b.go:10: loose-name", "c/c.go:6: loose-name", "c/c.go:7: loose-name", "c/c.go:8: loose-name", "c/c.go:9: loose-name", "d.py:2: loose-name", "d.py:3: loose-name", "d.py:5: loose-name", "e.ts:2: loose-name", "f.sh:4: loose-name", "main.tf:6: loose-name", "templates/b.yaml:1: filled-kind"},
	},
	{
		name:  "a version next to its group in a row, a list or an expression changes with it, or is asked about",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com, version: v1alpha1}, to: {group: new.example.org, version: v1}}\n",
		before: tree{
			"a.md":      "| Group | Version | Kind |\n|---|---|---|\n| old.example.com | v1alpha1 | Widget |\n| `old.example.com` | `v1beta1` | `Widget` |\n",
			"b.csv":     "group,version,kind\nold.example.com,v1alpha1,Widget\n",
			"c.go":      "package c\n\ntype t struct{ g, v, k string }\n\nvar c = []t{{\"old.example.com\", \"v1alpha1\", \"Widget\"}}\nvar d = [][]string{{\"old.example.com\", \"v1alpha1\", \"widgets\"}}\n",
			"d.ts":      "const x = [[\"old.example.com\", \"v1alpha1\", \"Widget\"]];\n",
			"main.tf":   "locals {\n  group = \"old.example.com\"\n}\nx = \"${local.group}/v1alpha1\"\n",
			"f/f.go":    "package f\n\nconst group = \"old.example.com\"\n\nvar x = fmt.Sprintf(\"apiVersion: %s/v1alpha1\\nkind: Widget\\n\", group)\n",
			"g.py":      "G = \"old.example.com\"\nx = {\"apiVersion\": \"{}/v1alpha1\".format(G), \"kind\": \"Widget\"}\n",
			"apart.csv": "group,version,since\nold.example.com,v1alpha1,v1\n",
		},
		after: tree{
			"a.md":    "| Group | Version | Kind |\n|---|---|---|\n| new.example.org | v1 | Widget |\n| `old.example.com` | `v1beta1` | `Widget` |\n",
			"b.csv":   "group,version,kind\nnew.example.org,v1,Widget\n",
			"c.go":    "package c\n\ntype t struct{ g, v, k string }\n\nvar c = []t{{\"new.example.org\", \"v1\", \"Widget\"}}\nvar d = [][]string{{\"new.example.org\", \"v1\", \"widgets\"}}\n",
			"d.ts":    "const x = [[\"new.example.org\", \"v1\", \"Widget\"]];\n",
			"main.tf": "locals {\n  group = \"new.example.org\"\n}\nx = \"${local.group}/v1alpha1\"\n",
			"f/f.go":  "package f\n\nconst group = \"new.example.org\"\n\nvar x = fmt.Sprintf(\"apiVersion: %s/v1alpha1\\nkind: Widget\\n\", group)\n",
			"g.py":    "G = \"new.example.org\"\nx = {\"apiVersion\": \"{}/v1alpha1\".format(G), \"kind\": \"Widget\"}\n",
		},
		review: []string{"apart.csv:2: other-versions", "f/f.go:5: built-version", "g.py:2: built-version", "main.tf:4: built-version"},
	},
	{
		name:   "a webhook of a version whose group changes, too, is of another type, whatever happens to the Go package",
		rules:  "name: s\nrules:\n- {id: g, from: {group: old.example.com, version: v1beta1}, to: {group: new.example.org, version: v1}}\n- {id: h, from: {group: some.example.com, version: v1beta1}, to: {group: some.example.com, version: v1}}\n",
		copied: true,
		before: tree{
			"a.yaml": "webhooks:\n- clientConfig:\n    service: {path: /mutate-old-example-com-v1beta1-widget}\n  rules:\n  - apiGroups: [old.example.com]\n    apiVersions: [v1beta1]\n    resources: [widgets]\n",
			"b.yaml": "webhooks:\n- clientConfig:\n    service: {path: /mutate-some-example-com-v1beta1-tool}\n  rules:\n  - apiGroups: [some.example.com]\n    apiVersions: [v1beta1]\n    resources: [tools]\n",
		},
		after: tree{
			"a.yaml": "webhooks:\n- clientConfig:\n    service: {path: /mutate-new-example-org-v1-widget}\n  rules:\n  - apiGroups: [new.example.org]\n    apiVersions: [v1]\n    resources: [widgets]\n",
		},
	},
	{
		name:  "flags stand between a command of kubectl and the resource that it takes", // stackabletech/kafka-operator, scylladb/scylla-operator, tektoncd/triggers
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\n",
		before: tree{
			"a.sh": "kubectl wait --for=condition=Ready widgets.old.example.com/x\nkubectl wait -n x widget.old.example.com/x --for condition=Ready\n" +
				"kubectl -n x wait --timeout 5m --for='condition=Available=True' widgets.old.example.com x\n",
			"b.sh": "kubectl label -f a.yaml owner.old.example.com/x=y\nkubectl get pods -n x -l owner.old.example.com/x\nkubectl annotate --overwrite -f a.yaml owner.old.example.com/x-\n",
		},
		after: tree{
			"a.sh": "kubectl wait --for=condition=Ready widgets.new.example.org/x\nkubectl wait -n x widget.new.example.org/x --for condition=Ready\n" +
				"kubectl -n x wait --timeout 5m --for='condition=Available=True' widgets.new.example.org x\n",
		},
	},
	{
		name:  "a resource that no rule names is not one of Kubernetes because a group of Kubernetes is in the same list",
		rules: "name: s\nrules:\n- {id: g, from: {group: old.example.com}, to: {group: new.example.org}}\n- {id: h, from: {group: old.example.com, kind: Gadget, plural: gadgets}, to: {group: other.example.net}}\n- {id: k, from: {group: one.example.com, kind: Tool, plural: tools}, to: {group: two.example.com}}\n",
		before: tree{
			"a.yaml": "rules:\n- apiGroups: [\"\", old.example.com]\n  resources: [pods, gadgets, widgets]\n",
			"b.yaml": "rules:\n- apiGroups: [\"\", one.example.com]\n  resources: [pods, tools, nails]\n",
			"c.yaml": "rules:\n- apiGroups: [\"\", one.example.com]\n  resources: [pods, tools]\n",
		},
		after: tree{
			"a.yaml": "rules:\n- apiGroups: [\"\"]\n  resources: [pods, gadgets, widgets]\n- apiGroups: [new.example.org]\n  resources: [pods, widgets]\n- apiGroups: [other.example.net]\n  resources: [gadgets]\n",
			"b.yaml": "rules:\n- apiGroups: [\"\", one.example.com]\n  resources: [pods, nails]\n- apiGroups: [\"\"]\n  resources: [tools]\n- apiGroups: [two.example.com]\n  resources: [tools]\n",
			"c.yaml": "rules:\n- apiGroups: [\"\", two.example.com]\n  resources: [pods, tools]\n",
		},
	},
	{
		name:  "a rule for one kind decides nothing for another word in the place of the kind",
		rules: "name: s\nrules:\n- {id: s, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2}}\n",
		before: tree{
			"a.md": "| kind | api |\n|---|---|\n| Widget | old.example.com/v1 |\n| Other | old.example.com/v1 |\n",
			"a.sh": "tool get Other old.example.com/v1\ntool get Widget old.example.com/v1\n",
			"a.py": "api.get(\"old.example.com\", \"v1\", \"ns\", \"others\", \"n\")\napi.get(\"old.example.com\", \"v1\", \"ns\", \"widgets\", \"n\")\n",
		},
		after: tree{
			"a.md": "| kind | api |\n|---|---|\n| Widget | new.example.org/v2 |\n| Other | old.example.com/v1 |\n",
			"a.sh": "tool get Other old.example.com/v1\ntool get Widget new.example.org/v2\n",
			"a.py": "api.get(\"old.example.com\", \"v1\", \"ns\", \"others\", \"n\")\napi.get(\"new.example.org\", \"v2\", \"ns\", \"widgets\", \"n\")\n",
		},
		review: []string{"a.md:4: filled-kind", "a.py:1: filled-kind", "a.sh:1: filled-kind"},
	},
	{
		name:  "calls of a file name resources with its constants",
		rules: "name: s\nrules:\n- {id: s, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gadget}}\n",
		before: tree{
			"a.py": "GROUP = \"old.example.com\"\nVERSION = \"v1\"\n\n@kopf.on.create(GROUP, VERSION, \"widgets\")\ndef a():\n    pass\n",
			"b.py": "GROUP = \"old.example.com\"\nVERSION = \"v1\"\n\n@kopf.on.create(GROUP, VERSION, \"widgets\")\ndef a():\n    pass\n\n@kopf.on.create(GROUP, VERSION, \"others\")\ndef b():\n    pass\n",
			"c.py": "GROUP = \"old.example.com\"\nVERSION = \"v1\"\n\n@kopf.on.create(GROUP, VERSION, \"others\")\ndef a():\n    pass\n",
		},
		after: tree{
			"a.py": "GROUP = \"new.example.org\"\nVERSION = \"v2\"\n\n@kopf.on.create(GROUP, VERSION, \"gadgets\")\ndef a():\n    pass\n",
		},
		review: []string{"b.py:1: several-answers", "c.py:1: filled-kind"},
	},
	{
		name:  "the annotation of a class of Java is of its kind, by a constant, too",
		rules: "name: s\nrules:\n- {id: s, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2}}\n",
		before: tree{
			"Widget.java": "@Group(Widget.GROUP)\n@Version(Widget.VERSION)\npublic class Widget extends CustomResource<A, B> {\n  static final String GROUP = \"old.example.com\";\n  static final String VERSION = \"v1\";\n}\n",
			"Other.java":  "@Group(Other.GROUP)\n@Version(Other.VERSION)\npublic class Other extends CustomResource<A, B> {\n  static final String GROUP = \"old.example.com\";\n  static final String VERSION = \"v1\";\n}\n",
			"Third.java":  "@Group(\"old.example.com\")\n@Version(\"v1\")\npublic class Third extends CustomResource<A, B> {}\n",
		},
		after: tree{
			"Widget.java": "@Group(Widget.GROUP)\n@Version(Widget.VERSION)\npublic class Widget extends CustomResource<A, B> {\n  static final String GROUP = \"new.example.org\";\n  static final String VERSION = \"v2\";\n}\n",
		},
	},
	{
		name:  "names of CRDs are all of an annotation of OLM",
		rules: "name: s\nrules:\n- {id: s, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gadget}}\n",
		before: tree{"a.clusterserviceversion.yaml": "kind: ClusterServiceVersion\nmetadata:\n  annotations:\n    operators.operatorframework.io/internal-objects: '[\"widgets.old.example.com\",\"others.old.example.com\"]'\n    example.org/owner: widgets.old.example.com\n" +
			"spec:\n  customresourcedefinitions:\n    owned:\n    - {name: widgets.old.example.com, kind: Widget, version: v1}\n    - {name: others.old.example.com, kind: Other, version: v1}\n"},
		after: tree{"a.clusterserviceversion.yaml": "kind: ClusterServiceVersion\nmetadata:\n  annotations:\n    operators.operatorframework.io/internal-objects: '[\"gadgets.new.example.org\",\"others.old.example.com\"]'\n    example.org/owner: widgets.old.example.com\n" +
			"spec:\n  customresourcedefinitions:\n    owned:\n    - {name: gadgets.new.example.org, kind: Gadget, version: v2}\n    - {name: others.old.example.com, kind: Other, version: v1}\n"},
	},
	{
		name:   "a webhook of a version names resources of that version",
		rules:  "name: s\nrules:\n- {id: w, from: {group: old.example.com, version: v1alpha1, kind: Widget}, to: {group: old.example.com, version: v1, kind: Gadget}}\n- {id: o, from: {group: old.example.com, version: v1, kind: Other}, to: {group: new.example.org, version: v1}}\n",
		before: tree{"a.yaml": "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: x\n  rules:\n  - {apiGroups: [old.example.com], apiVersions: [v1beta1], resources: [widgets, others]}\n  - {apiGroups: [old.example.com], apiVersions: [v1alpha1], resources: [widgets]}\n"},
		after:  tree{"a.yaml": "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: x\n  rules:\n  - {apiGroups: [old.example.com], apiVersions: [v1beta1], resources: [widgets, others]}\n  - {apiGroups: [old.example.com], apiVersions: [v1], resources: [gadgets]}\n"},
	},
	{
		name:   "the branches of a template have their own versions",
		rules:  "name: s\nrules:\n- {id: s, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2}}\n",
		before: tree{"templates/a.yaml": "{{- if .x }}\napiVersion: old.example.com/v1alpha1\n{{- else }}\napiVersion: old.example.com/{{ .v }}\n{{- end }}\nkind: Widget\n", "b.yaml": "apiVersion: old.example.com/v1beta1\nkind: Widget\n"},
		after:  tree{},
		review: []string{"templates/a.yaml:4: filled-in"},
	},
	{
		name:  "a Go package whose kinds do not move together is divided by hand",
		rules: "name: s\nrules: [{id: w, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org}}]\n",
		before: tree{
			"api/v1/doc.go":  "// +groupName=old.example.com\npackage v1\n",
			"client/main.go": "package main\n\nimport \"x.io/y/api/v1\"\n\nconst group = \"old.example.com\"\n",
		},
		registered: map[string][]string{"api/v1": {"Widget", "Other"}},
		review:     []string{"api/v1/doc.go:1: package-split", "client/main.go:5: several-answers"},
	},
	{
		name:  "a kind of several words that a command of kubectl takes is no other one",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}, to: {kind: GadgetGroup, plural: gadgetgroups}}\n",
		before: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: WidgetSet\n",
			"b.md":   "```sh\nkubectl get widgetset -o wide\nkubectl wait widgetset/a,widgetsets --for=x\n```\n",
			"c.sh":   "kubectl widgetry get widgetset a\nroot@a:/home/x/widgetset/y# kubectl get pods\nkubectl kustomize widgetset/a\nkubectl get pods/widgetset\nkubectl -n x get widgetset a # cfctl:keep it is the old one\n",
			"p.py":   "if obj.kind == \"WidgetSet\":\n    pass\n",
		},
		after: tree{
			"a.yaml": "apiVersion: old.example.com/v1\nkind: GadgetGroup\n",
			"b.md":   "```sh\nkubectl get gadgetgroup -o wide\nkubectl wait gadgetgroup/a,gadgetgroups --for=x\n```\n",
		},
		review: []string{"c.sh:2: loose-name", "c.sh:3: loose-name", "c.sh:4: loose-name", "p.py:1: loose-name"},
	},
	{
		name:   "a kind that gets another name with one of the versions of a template keeps its name",
		rules:  "name: s\nrules:\n- {id: s, from: {group: old.example.com, version: v1alpha1, kind: Widget}, to: {version: v1, kind: Gadget}}\n",
		before: tree{"templates/a.yaml": "{{- if .x }}\napiVersion: old.example.com/v1alpha1\n{{- else }}\napiVersion: old.example.com/{{ .v }}\n{{- end }}\nkind: Widget\n"},
		after:  tree{},
		review: []string{"templates/a.yaml:2: filled-kind", "templates/a.yaml:4: filled-in"},
	},
	{
		name:   "a kind that gets another name in every version gets it where a template chooses the version",
		rules:  "name: s\nrules:\n- {id: s, from: {group: old.example.com, kind: Widget}, to: {kind: Gadget}}\n",
		before: tree{"templates/a.yaml": "{{- if .x }}\napiVersion: old.example.com/v1alpha1\n{{- else }}\napiVersion: old.example.com/{{ .v }}\n{{- end }}\nkind: Widget\n"},
		after:  tree{"templates/a.yaml": "{{- if .x }}\napiVersion: old.example.com/v1alpha1\n{{- else }}\napiVersion: old.example.com/{{ .v }}\n{{- end }}\nkind: Gadget\n"},
	},
	{
		name:  "a kind of several words of two groups of the tree is asked about where kubectl takes it",
		rules: "name: s\nrules:\n- {id: w, from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}, to: {kind: GadgetGroup, plural: gadgetgroups}}\n- {id: b, from: {group: old.example.com, kind: WidgetBag, plural: widgetbags}, to: {kind: GadgetBag, plural: gadgetbags}}\n- {id: c, from: {group: old.example.com, kind: WidgetCup, plural: widgetcups}, to: {kind: GadgetCup, plural: gadgetcups}}\n",
		before: tree{
			"a.yaml":    "apiVersion: old.example.com/v1\nkind: WidgetSet\n---\napiVersion: old.example.com/v1\nkind: WidgetBag\n---\napiVersion: old.example.com/v1\nkind: WidgetCup\n",
			"c.sh":      "kubectl get widgetset a\nkubectl get widgetbags\nkubectl get widgetcup\n",
			"crd.yaml":  "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgetbags.third.example.net}\nspec:\n  group: third.example.net\n  names: {kind: WidgetBag, plural: widgetbags}\n",
			"role.yaml": "kind: Role\nrules:\n- apiGroups: [third.example.net]\n  resources: [widgetcups]\n",
			"z.yaml":    "apiVersion: third.example.net/v1\nkind: WidgetSet\n",
		},
		after:  tree{"a.yaml": "apiVersion: old.example.com/v1\nkind: GadgetGroup\n---\napiVersion: old.example.com/v1\nkind: GadgetBag\n---\napiVersion: old.example.com/v1\nkind: GadgetCup\n"},
		review: []string{"c.sh:1: loose-name", "c.sh:2: loose-name", "c.sh:3: loose-name"},
	},
}
