package prove

// changesOfPermissions are of rules of roles, webhooks and markers.
var changesOfPermissions = []change{
	{name: "a rule that is split", file: "a.yaml", before: `
rules:
- apiGroups: [split.example.com]
  resources: [apples, berries]
  verbs: [get, list]
`, after: `
rules:
- apiGroups: [a.example.org]
  resources: [apples]
  verbs: [get, list]
- apiGroups: [b.example.org]
  resources: [berries]
  verbs: [get, list]
`},
	{name: "the versions of a webhook when both groups were served", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com, b.example.org], apiVersions: [v1, v2], resources: [berries], operations: [CREATE]}
`, after: `
rules:
- {apiGroups: [b.example.org], apiVersions: [v2], resources: [berries], operations: [CREATE]}
`},
	{name: "a version of a webhook of the new group", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com, b.example.org], apiVersions: [v1], resources: [berries], operations: [CREATE]}
`, after: `
rules:
- {apiGroups: [b.example.org], apiVersions: [v2], resources: [berries], operations: [CREATE]}
`, why: "would be lost"},
	{name: "a CRD by its name", file: "a.yaml", before: `
rules:
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [x.old.example.com], verbs: [get]}
`, after: `
rules:
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [x.new.example.org], verbs: [get]}
`},
	{name: "an APIService by its name", file: "a.yaml", before: `
rules:
- {apiGroups: [apiregistration.k8s.io], resources: [apiservices], resourceNames: [v1.old.example.com], verbs: [get]}
`, after: `
rules:
- {apiGroups: [apiregistration.k8s.io], resources: [apiservices], resourceNames: [v1.new.example.org], verbs: [get]}
`},
	{name: "a rule that goes", file: "a.yaml", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get]}
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
`, after: `
rules:
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
`},
	{name: "a rule that goes beside a weaker one", file: "a.yaml", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get, list]}
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
`, after: `
rules:
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
`, why: "would be lost"},
	{name: "the name of a CRD less in a marker", file: "a.go", before: `
package a

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=x.old.example.com;x.new.example.org;y.old.example.com,verbs=get
`, after: `
package a

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=x.new.example.org,verbs=get
`, why: "y.old.example.com would be lost"},
	{name: "a marker that goes", file: "a.go", before: `
package a

// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get
// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get
`, after: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get
`},
	{name: "a marker that goes alone", file: "a.go", before: `
package a

// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get;list
// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get
`, after: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get
`, why: "would be lost"},
	{name: "the URL of a marker", file: "a.go", before: `
package a

// +kubebuilder:rbac:urls=/apis/old.example.com/*,verbs=get
`, after: `
package a

// +kubebuilder:rbac:urls=/apis/new.example.org/*,verbs=get
`},
	{name: "another URL of a marker", file: "a.go", before: `
package a

// +kubebuilder:rbac:urls=/apis/old.example.com/*,verbs=get
`, after: `
package a

// +kubebuilder:rbac:urls=/apis/new.example.org,verbs=get
`, why: "which no rule says"},
	{name: "another CRD by its name", file: "a.yaml", before: `
rules:
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [x.old.example.com], verbs: [get]}
`, after: `
rules:
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [y.new.example.org], verbs: [get]}
`, why: "comes from nowhere|would be lost"},
	{name: "another version of an APIService", file: "a.yaml", before: `
rules:
- {apiGroups: [apiregistration.k8s.io], resources: [apiservices], resourceNames: [v1.old.example.com], verbs: [get]}
`, after: `
rules:
- {apiGroups: [apiregistration.k8s.io], resources: [apiservices], resourceNames: [v2.new.example.org], verbs: [get]}
`, why: "would be lost"},
	{name: "the name of something else", file: "a.yaml", before: `
rules:
- {apiGroups: [''], resources: [secrets], resourceNames: [x.old.example.com], verbs: [get]}
`, after: `
rules:
- {apiGroups: [''], resources: [secrets], resourceNames: [x.new.example.org], verbs: [get]}
`, why: "would be lost"},
	{name: "all kinds of a group that is split", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com], kinds: ['*'], verbs: [get]}
`, after: `
rules:
- {apiGroups: [split.example.com, a.example.org, b.example.org], kinds: ['*'], verbs: [get]}
`},
	{name: "a kind in its old group as well", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com], kinds: [Apple], verbs: [get]}
`, after: `
rules:
- {apiGroups: [split.example.com, a.example.org], kinds: [Apple], verbs: [get]}
`, why: "beside the old one"},
	{name: "a verb less", file: "a.yaml", before: `
rules:
- apiGroups: [split.example.com]
  resources: [apples, berries]
  verbs: [get, list]
`, after: `
rules:
- apiGroups: [a.example.org]
  resources: [apples]
  verbs: [get]
- apiGroups: [b.example.org]
  resources: [berries]
  verbs: [get, list]
`, why: "list apples.split.example.com would be lost"},
	{name: "a permission more", file: "a.yaml", before: `
rules:
- apiGroups: [split.example.com]
  resources: [apples, berries]
  verbs: [get, list]
`, after: `
rules:
- apiGroups: [a.example.org, b.example.org]
  resources: [apples, berries]
  verbs: [get, list]
`, why: "from nowhere"},
	{name: "an old permission that stays", file: "a.yaml", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get], resourceNames: [n]}
`, after: `
rules:
- {apiGroups: [old.example.com, new.example.org], resources: [x], verbs: [get], resourceNames: [n]}
`, why: "beside the old one"},
	{name: "both permissions in dual mode", file: "a.yaml", mode: "d", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get]}
`, after: `
rules:
- {apiGroups: [old.example.com, new.example.org], resources: [x], verbs: [get]}
`},
	{name: "a group twice", file: "a.yaml", mode: "d", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get]}
`, after: `
rules:
- {apiGroups: [old.example.com, new.example.org, new.example.org], resources: [x], verbs: [get]}
`, why: "there twice"},
	{name: "every resource", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com], resources: ['*'], verbs: [get]}
`, after: `
rules:
- {apiGroups: [split.example.com, a.example.org, b.example.org], resources: ['*'], verbs: [get]}
`},
	{name: "a rule of its own", file: "a.yaml", before: `
apiGroups: [split.example.com]
`, after: `
apiGroups: [split.example.com, a.example.org, b.example.org]
`},
	{name: "values that permit nothing", file: "a.yaml", before: `
crds: [x.old.example.com]
apiGroups: [old.example.com]
`, after: `
crds: [x.new.example.org]
apiGroups: [new.example.org]
`},
	{name: "a resource that is filled in", file: "a.tpl", before: `
rules:
- apiGroups: [split.example.com]
  resources: [apples, {{ . }}]
`, after: `
rules:
- apiGroups: [split.example.com, a.example.org]
  resources: [apples, {{ . }}]
`},
	{name: "a subresource", file: "a.yaml", before: `
rules:
- {apiGroups: [same.example.com], resources: [quinces/status], verbs: [get]}
`, after: `
rules:
- {apiGroups: [same.example.com], resources: [medlars/status], verbs: [get]}
`},
	{name: "a URL of a role", file: "a.yaml", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get]}
- {nonResourceURLs: [/a], verbs: [get]}
`, after: `
rules:
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
`, why: "rules without groups"},
	{name: "a URL that changes", file: "a.yaml", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get]}
- {nonResourceURLs: [/get], verbs: [get]}
`, after: `
rules:
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
- {nonResourceURLs: [/x], verbs: [get]}
`, why: "would become"},
	{name: "versions of a webhook", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com], apiVersions: [v1], resources: [berries], operations: [CREATE]}
`, after: `
rules:
- {apiGroups: [b.example.org], apiVersions: [v2], resources: [berries], operations: [CREATE]}
`},
	{name: "a webhook that is called for several versions and groups", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com], apiVersions: [v1, v1beta1], resources: [berries], operations: [CREATE]}
`, after: `
rules:
- {apiGroups: [b.example.org], apiVersions: [v2, v1beta1], resources: [berries], operations: [CREATE]}
`},
	{name: "a rule twice", file: "a.yaml", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], verbs: [get]}
- {apiGroups: [apps], resources: [x], verbs: [get]}
`, after: `
rules:
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
- {apiGroups: [new.example.org], resources: [x], verbs: [get]}
- {apiGroups: [apps], resources: [x], verbs: [get]}
`, why: "would be there twice"},
	{name: "two rules that become the same", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com], resources: [apples, berries], verbs: [get]}
- {apiGroups: [split.example.com], resources: [berries, apples], verbs: [get]}
`, after: `
rules:
- {apiGroups: [a.example.org], resources: [apples], verbs: [get]}
- {apiGroups: [b.example.org], resources: [berries], verbs: [get]}
- {apiGroups: [a.example.org], resources: [apples], verbs: [get]}
- {apiGroups: [b.example.org], resources: [berries], verbs: [get]}
`},
	{name: "a rule more than there were", file: "a.yaml", before: `
rules:
- {apiGroups: [split.example.com], resources: [apples, berries], verbs: [get]}
- {apiGroups: [split.example.com], resources: [berries, apples], verbs: [get]}
`, after: `
rules:
- {apiGroups: [a.example.org], resources: [apples], verbs: [get]}
- {apiGroups: [b.example.org], resources: [berries], verbs: [get]}
- {apiGroups: [a.example.org], resources: [apples], verbs: [get]}
- {apiGroups: [a.example.org], resources: [apples], verbs: [get]}
`, why: "would be there twice"},
	{name: "a rule's other fields", file: "a.yaml", before: `
rules:
- {apiGroups: [old.example.com], resources: [x], scope: CREATE}
`, after: `
rules:
- {apiGroups: [new.example.org], resources: [x], scope: x}
`, why: "would be lost"},
	{name: "markers", file: "a.go", before: `
package a

// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get;list
`, after: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get;list
`},
	{name: "a marker's verb", file: "a.go", before: `
package a

// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get;list
`, after: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get
`, why: "list x.old.example.com would be lost"},
	{name: "the marker of a webhook", file: "a.go", before: `
package a

// +kubebuilder:webhook:path=/mutate-split-example-com-v1-berry,groups=split.example.com,resources=berries;berries/status,versions=v1,verbs=create,name=b.split.example.com
`, after: `
package a

// +kubebuilder:webhook:path=/mutate-b-example-org-v2-berry,groups=b.example.org,resources=berries;berries/status,versions=v2,verbs=create,name=b.b.example.org
`},
	{name: "the marker of a webhook without its version", file: "a.go", before: `
package a

// +kubebuilder:webhook:path=/x,groups={split.example.com},resources={berries},versions={v1},verbs=create
`, after: `
package a

// +kubebuilder:webhook:path=/x,groups={b.example.org},resources={berries},versions={v1},verbs=create
`, why: "create berries.split.example.com would be lost"},
	{name: "the marker of a webhook with a resource of another group", file: "a.md", before: "As `+kubebuilder:webhook:path=/x,groups=split.example.com,resources=berries;apples,versions=v2` says.\n",
		after: "As `+kubebuilder:webhook:path=/x,groups=b.example.org,resources=berries;apples,versions=v2` says.\n", why: "apples.split.example.com would be lost"},
	{name: "the path of the marker of a webhook", file: "a.go", before: `
package a

// +kubebuilder:webhook:path=/old-example-com,groups=old.example.com,resources=x,versions=v1,failurePolicy=ignore
`, after: `
package a

// +kubebuilder:webhook:path=/old-example-com-v1,groups=new.example.org,resources=x,versions=v1,failurePolicy=ignore
`, why: "which no rule says"},
	{name: "the marker of a webhook more", file: "a.go", mode: "d", before: `
package a

// +kubebuilder:webhook:path=/x,groups=old.example.com,resources=x,versions=v1
`, after: `
package a

// +kubebuilder:webhook:path=/x,groups=old.example.com,resources=x,versions=v1
// +kubebuilder:webhook:path=/x,groups=new.example.org,resources=x,versions=v1
`, why: "1 markers of webhooks would become 2"},
	{name: "the marker of a webhook in dual mode", file: "a.go", mode: "d", before: `
package a

// +kubebuilder:webhook:path=/x,groups=split.example.com,resources=berries,versions=v1
`, after: `
package a

// +kubebuilder:webhook:path=/x,groups=split.example.com;b.example.org,resources=berries,versions=v1;v2
`},
	{name: "a marker that a sentence quotes", file: "a.md", before: "the comment `// +kubebuilder:rbac:groups=old.example.com...` (or +kubebuilder:rbac:groups=old.example.com) permits it\n",
		after: "the comment `// +kubebuilder:rbac:groups=new.example.org...` (or +kubebuilder:rbac:groups=new.example.org) permits it\n"},
	{name: "markers in dual mode", file: "a.go", mode: "d", before: `
package a

// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get,namespace=n
`, after: `
package a

// +kubebuilder:rbac:groups=old.example.com;new.example.org,resources=x,verbs=get,namespace=n
`},
}
