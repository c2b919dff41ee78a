package edit

import "testing"

// A marker names the new group, beside the old one or alone.
func TestMarkers(t *testing.T) { rows(t, markerRows()) }

func markerRows() []row {
	marker := func(text string) string { return "package a\n\n// +kubebuilder:" + text + "\n" }
	return []row{
		{name: "rbac", file: "a.go", in: marker("rbac:groups=old.example.com,resources=anys,verbs=get"), want: marker("rbac:groups=new.example.org,resources=anys,verbs=get")},
		{name: "list", file: "a.go", in: marker("rbac:groups=apps;old.example.com;batch,resources=anys,verbs=get"), want: marker("rbac:groups=apps;new.example.org;batch,resources=anys,verbs=get")},
		{name: "there already", file: "a.go", in: marker("rbac:groups=old.example.com;new.example.org,resources=anys,verbs=get"), want: marker("rbac:groups=new.example.org,resources=anys,verbs=get")},
		{name: "last of the list", file: "a.go", in: marker("rbac:groups=new.example.org;old.example.com,resources=anys,verbs=get"), want: marker("rbac:groups=new.example.org,resources=anys,verbs=get")},
		{name: "both", file: "a.go", dual: true, in: marker("rbac:groups=old.example.com,resources=anys,verbs=get"), want: marker("rbac:groups=old.example.com;new.example.org,resources=anys,verbs=get")},
		{name: "apart", file: "a.go", in: marker("rbac:groups=fruit.example.com,resources=apples;pears,verbs=get"), told: "splits: fruit.example.com"},
		{name: "renamed", file: "a.go", in: marker("rbac:groups=tree.example.com,resources=plums;plums/status,verbs=get"), want: marker("rbac:groups=wood.example.org,resources=prunes;prunes/status,verbs=get")},
		{name: "group name", file: "a.go", in: "package a\n\n// +groupName=old.example.com\n", want: "package a\n\n// +groupName=new.example.org\n"},
	}
}

// The lists of a marker grant what they granted.
func TestMarkerLists(t *testing.T) {
	rows(t, []row{
		{name: "groups in braces", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups={apps,old.example.com},resources={anys},verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups={apps,new.example.org},resources={anys},verbs=get
`},
		{name: "groups in quotes", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups="old.example.com",resources="anys",verbs="get"
`, want: `
package a

// +kubebuilder:rbac:groups="new.example.org",resources="anys",verbs="get"
`},
		{name: "one of two goes in braces", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups={old.example.com,new.example.org},resources=anys,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups={new.example.org},resources=anys,verbs=get
`},
		{name: "the middle one goes", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=new.example.org;old.example.com;apps,resources=anys,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=new.example.org;apps,resources=anys,verbs=get
`},
		{name: "every resource of a group that splits", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=fruit.example.com,resources=*,verbs=get
`, told: "splits: fruit.example.com"},
		{name: "every resource of a group of which one kind moves", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=tree.example.com,resources=*,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=tree.example.com;wood.example.org,resources=*,verbs=get
`},
		{name: "every resource of a whole group", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=old.example.com,resources=*,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=*,verbs=get
`},
		{name: "both with every resource", file: "a.go", dual: true, in: `
package a

// +kubebuilder:rbac:groups=old.example.com,resources=*,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=old.example.com;new.example.org,resources=*,verbs=get
`},
		{name: "both are there", file: "a.go", dual: true, in: `
package a

// +kubebuilder:rbac:groups=old.example.com;new.example.org,resources=anys,verbs=get
`, stays: "both-granted: old.example.com"},
		{name: "both names of a kind", file: "a.go", dual: true, in: `
package a

// +kubebuilder:rbac:groups=tree.example.com,resources=plums,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=tree.example.com,resources=plums,verbs=get
// +kubebuilder:rbac:groups=wood.example.org,resources=prunes,verbs=get
`},
		{name: "both names of a kind in a webhook", file: "a.go", dual: true, in: `
package a

// +kubebuilder:webhook:path=/a,groups=tree.example.com,resources=plums,versions=v1
`, told: "splits: tree.example.com"},
		{name: "renamed in one of two groups", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=tree.example.com;apps,resources=plums,verbs=get
`, told: "splits: tree.example.com"},
		{name: "renamed, with a sub-resource and quotes", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=tree.example.com,resources="plums;plums/status",verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=wood.example.org,resources="prunes;prunes/status",verbs=get
`},
		{name: "renamed in braces", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=tree.example.com,resources={plums,plums/status},verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=wood.example.org,resources={prunes,prunes/status},verbs=get
`},
		{name: "a resource of which no rule speaks", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=fruit.example.com,resources=melons,verbs=get
`, stays: "no-rule: fruit.example.com"},
		{name: "one that is gone", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=gone.example.com,resources=dodos,verbs=get
`, told: "removed: gone.example.com"},
		{name: "resources before groups", file: "a.go", in: `
package a

// +kubebuilder:rbac:resources=plums,groups=tree.example.com,verbs=get
`, want: `
package a

// +kubebuilder:rbac:resources=prunes,groups=wood.example.org,verbs=get
`},
		{name: "no resources", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=old.example.com,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=new.example.org,verbs=get
`},
		{name: "a webhook of another version", file: "a.go", in: `
package a

// +kubebuilder:webhook:path=/mutate-step-example-com-v1alpha1-step,groups=step.example.com,resources=steps,versions=v1alpha1
`, want: `
package a

// +kubebuilder:webhook:path=/mutate-step-example-com-v1-step,groups=step.example.com,resources=steps,versions=v1
`},
		{name: "a webhook with its name first", file: "a.go", in: `
package a

// +kubebuilder:webhook:verbs=create;update,path=/validate-tree-example-com-v1-plum,mutating=false,groups=tree.example.com,resources=plums,versions=v1,name=vplum.kb.io
`, want: `
package a

// +kubebuilder:webhook:verbs=create;update,path=/validate-wood-example-org-v1-prune,mutating=false,groups=wood.example.org,resources=prunes,versions=v1,name=vplum.kb.io
`},
		{name: "a webhook while both are served", file: "a.go", dual: true, in: `
package a

// +kubebuilder:webhook:path=/mutate-old-example-com-v1-any,groups=old.example.com,resources=anys,versions=v1
`, want: `
package a

// +kubebuilder:webhook:path=/mutate-old-example-com-v1-any,groups=old.example.com;new.example.org,resources=anys,versions=v1
`},
		{name: "a webhook of two groups", file: "a.go", in: `
package a

// +kubebuilder:webhook:path=/a,groups=apps;old.example.com,resources=anys,versions=v1
`, want: `
package a

// +kubebuilder:webhook:path=/a,groups=apps;new.example.org,resources=anys,versions=v1
`},
		{name: "a webhook of the package's own version", file: "api/v1alpha1/nest_webhook.go", in: `
package v1alpha1

// +kubebuilder:webhook:path=/mutate-home-example-com-v1alpha1-nest,groups=home.example.com,resources=nests,versions=v1alpha1
`, told: "version-folder: home.example.com"},
		{name: "permissions in the package of a version that becomes another one", file: "api/v1alpha1/nest_types.go", in: `
package v1alpha1

// +kubebuilder:rbac:groups=home.example.com,resources=nests,verbs=get
`, told: "version-folder: home.example.com"},
		{name: "permissions beside the package of that version", file: "internal/nest_controller.go", in: `
package internal

// +kubebuilder:rbac:groups=home.example.com,resources=nests,verbs=get
`, want: `
package internal

// +kubebuilder:rbac:groups=nest.example.org,resources=nests,verbs=get
`},
		{name: "a group's name while both are served", file: "a.go", dual: true, in: `
package a

// +groupName=old.example.com
`, stays: "dual: old.example.com"},
		{name: "in a string", file: "a.py", in: `
MARKER = "// +kubebuilder:rbac:groups=old.example.com,resources=anys,verbs=get"
`, want: `
MARKER = "// +kubebuilder:rbac:groups=new.example.org,resources=anys,verbs=get"
`},
		{name: "two groups that become one", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=fruit.example.com;apple.example.org,resources=apples,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=apple.example.org,resources=apples,verbs=get
`},
	})
}

// A word of a marker's list in quotes gets another one in quotes beside it: what stands in
// one pair of quotes is one word.
func TestMarkersInQuotes(t *testing.T) {
	marker := func(args string) string { return "package a\n\n// +kubebuilder:rbac:" + args + ",verbs=get\n" }
	rows(t, []row{
		{name: "alone", file: "a.go", dual: true, in: marker(`groups="old.example.com",resources=anys`), want: marker(`groups="old.example.com";"new.example.org",resources=anys`)},
		{name: "in braces", file: "a.go", dual: true, in: marker(`groups={"old.example.com","apps"},resources=anys`), want: marker(`groups={"old.example.com","new.example.org","apps"},resources=anys`)},
		{name: "goes", file: "a.go", in: marker(`groups="old.example.com";"new.example.org",resources=anys`), want: marker(`groups="new.example.org",resources=anys`)},
		{name: "goes at the end", file: "a.go", in: marker(`groups={"new.example.org","old.example.com"},resources=anys`), want: marker(`groups={"new.example.org"},resources=anys`)},
	})
}

// The marker of a permission to single CRDs follows these, and names both while both
// groups are served; other objects have names of their own.
func TestMarkersOfCRDs(t *testing.T) {
	marker := func(names string) string {
		return "package a\n\n// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=" + names + ",verbs=get\n"
	}
	rows(t, []row{
		{name: "one", file: "a.go", in: marker("anys.old.example.com"), want: marker("anys.new.example.org")},
		{name: "renamed", file: "a.go", in: marker("plums.tree.example.com;x.example.net"), want: marker("prunes.wood.example.org;x.example.net")},
		{name: "both", file: "a.go", dual: true, in: marker("plums.tree.example.com;x.example.net"), want: marker("plums.tree.example.com;prunes.wood.example.org;x.example.net")},
		{name: "both in braces", file: "a.go", dual: true, in: marker(`{"plums.tree.example.com"}`), want: marker(`{"plums.tree.example.com","prunes.wood.example.org"}`)},
		{name: "both are there", file: "a.go", dual: true, in: marker("plums.tree.example.com;prunes.wood.example.org"), stays: "both-granted: plums.tree.example.com"},
		{name: "the old one goes", file: "a.go", in: marker("plums.tree.example.com;prunes.wood.example.org"), want: marker("prunes.wood.example.org")},
		{name: "the old one goes in braces", file: "a.go", in: marker(`{"x","plums.tree.example.com","prunes.wood.example.org"}`), want: marker(`{"x","prunes.wood.example.org"}`)},
		{name: "no rule", file: "a.go", in: marker("figs.tree.example.com"), stays: "no-rule: figs.tree.example.com"},
		{name: "and more", file: "a.go", in: "package a\n\n// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions;secrets,resourceNames=plums.tree.example.com,verbs=get\n", told: "splits: plums.tree.example.com"},
		{name: "other objects", file: "a.go", in: "package a\n\n// +kubebuilder:rbac:groups=\"\",resources=secrets,resourceNames=plums.tree.example.com,verbs=get\n", stays: "object-name: plums.tree.example.com"},
	})
}

// Groups of a marker that become one are named once.
func TestMarkersBecomeOne(t *testing.T) {
	rows(t, []row{
		{name: "two become one", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=old.example.com;also.example.com,resources=anys,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=anys,verbs=get
`},
		{name: "in a sentence and indented as code", file: "a.md", in: `
Write ` + "`// +kubebuilder:webhook:groups=tree.example.com,resources=plums,versions=v1`, versions=v2 or" + `

    // +kubebuilder:webhook:groups=tree.example.com,resources=cones,versions=v1

or +kubebuilder:rbac:groups=tree.example.com,resources=plums or +kubebuilder:rbac:groups=apps,resources=cones.
`, want: `
Write ` + "`// +kubebuilder:webhook:groups=wood.example.org,resources=prunes,versions=v1`, versions=v2 or" + `

    // +kubebuilder:webhook:groups=tree.example.com,resources=cones,versions=v1

or +kubebuilder:rbac:groups=wood.example.org,resources=prunes or +kubebuilder:rbac:groups=apps,resources=cones.
`},
		{name: "two become one, in the middle", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=apps;old.example.com;also.example.com;batch,resources=anys,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=apps;new.example.org;batch,resources=anys,verbs=get
`},
		{name: "two become one that is there", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=old.example.com;also.example.com;new.example.org,resources=anys,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=anys,verbs=get
`},
		{name: "two become one that is there before", file: "a.go", in: `
package a

// +kubebuilder:rbac:groups=new.example.org;old.example.com;also.example.com,resources=anys,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=new.example.org,resources=anys,verbs=get
`},
		{name: "two become one, while all are served", file: "a.go", dual: true, in: `
package a

// +kubebuilder:rbac:groups=old.example.com;also.example.com,resources=anys,verbs=get
`, want: `
package a

// +kubebuilder:rbac:groups=old.example.com;new.example.org;also.example.com,resources=anys,verbs=get
`, stays: "both-granted: also.example.com"},
	})
}
