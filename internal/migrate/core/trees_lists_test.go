package core

// listTrees are about permissions, commands and lists that name several groups, versions or kinds.
var listTrees = []treeCase{
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
}
