package edit

import "testing"

// The halves of a group in PROJECT move where they become the same for all that
// share them.
func TestProject(t *testing.T) { rows(t, projectRows()) }

func projectRows() []row {
	return []row{
		{name: "domain", file: "PROJECT", in: "domain: example.com\nresources:\n- group: old\n  kind: Any\n  version: v1\n", want: "domain: example.org\nresources:\n- group: new\n  kind: Any\n  version: v1\n"},
		{name: "own domain", file: "PROJECT", in: "domain: example.net\nresources:\n- domain: example.com\n  group: old\n  kind: Any\n", want: "domain: example.net\nresources:\n- domain: example.org\n  group: new\n  kind: Any\n"},
		{name: "shared with one that stays", file: "PROJECT", in: "domain: example.com\nresources:\n- group: old\n  kind: Any\n- group: other\n  kind: Any\n", told: "splits: old"},
		{name: "kind", file: "PROJECT", in: "domain: example.com\nresources:\n- group: tree\n  kind: Plum\n", want: "domain: example.org\nresources:\n- group: wood\n  kind: Prune\n"},
		{name: "a group as a whole", file: "PROJECT", in: "domain: example.com\nresources:\n- group: old.example.com\n  kind: Any\n", want: "domain: example.com\nresources:\n- group: new.example.org\n  kind: Any\n"},
	}
}

// Halves move when all that share them agree, and are told of otherwise.
func TestProjectHalves(t *testing.T) {
	rows(t, []row{
		{name: "while both are served", file: "PROJECT", dual: true, in: `
domain: example.com
resources:
- group: old
  kind: Any
`},
		{name: "a resource whose group is the domain", file: "PROJECT", in: `
domain: old.example.com
resources:
- kind: Any
  version: v1
`, want: `
domain: new.example.org
resources:
- kind: Any
  version: v1
`},
		{name: "no resources", file: "PROJECT", in: `
domain: old.example.com
projectName: a
`, want: `
domain: new.example.org
projectName: a
`},
		{name: "no resources, of a domain above a group that moves", file: "PROJECT", in: `
domain: of.example.com
projectName: a
`, told: "splits: of.example.com"},
		{name: "no resources, of a domain above groups that go apart", file: "PROJECT", in: `
domain: example.com
projectName: a
`},
		{name: "resources of other domains alone", file: "PROJECT", in: `
domain: example.com
resources:
- group: apps
  kind: Deployment
  domain: k8s.io
`},
		{name: "all resources with domains of their own", file: "PROJECT", in: `
domain: example.com
resources:
- group: old
  domain: example.com
  kind: Any
- group: tree
  domain: example.com
  kind: Plum
`, want: `
domain: example.org
resources:
- group: new
  domain: example.org
  kind: Any
- group: wood
  domain: example.org
  kind: Prune
`},
		{name: "domains that come to differ", file: "PROJECT", in: `
domain: example.com
resources:
- group: tree
  kind: Plum
- group: step
  kind: Step
  version: v1alpha1
`, told: "splits: tree"},
		{name: "a version that another resource has", file: "PROJECT", in: `
domain: example.com
resources:
- group: step
  kind: Step
  version: v1
- group: step
  kind: Step
  version: v1alpha1
`},
		{name: "a domain that is the whole group as well", file: "PROJECT", in: `
domain: example.net
resources:
- group: old.example.com
  domain: old.example.com
  kind: Any
- group: old.example.com
  domain: example.net
  kind: Any
`, want: `
domain: example.net
resources:
- group: new.example.org
  domain: new.example.org
  kind: Any
- group: new.example.org
  domain: example.net
  kind: Any
`},
		{name: "something that is no resource", file: "PROJECT", in: `
domain: example.com
resources:
- controller: true
  domain: old.example.com
`, stays: "project-half: old.example.com"},
		{name: "one that is gone", file: "PROJECT", in: `
domain: example.com
resources:
- group: gone
  kind: Dodo
`, told: "removed: gone"},
		{name: "of a kind that goes apart", file: "PROJECT", in: `
domain: example.com
resources:
- group: fruit
  kind: Apple
- group: fruit
  kind: Pear
`, want: `
domain: example.org
resources:
- group: apple
  kind: Apple
- group: pear
  kind: Pear
`},
		{name: "the group with quotes", file: "PROJECT", in: `
domain: "example.com"
resources:
- group: "old"
  kind: Any
`, want: `
domain: "example.org"
resources:
- group: "new"
  kind: Any
`},
		{name: "no domain", file: "PROJECT", in: `
resources:
- group: old.example.com
  kind: Any
`, want: `
resources:
- group: new.example.org
  kind: Any
`},
		{name: "a core group beside it", file: "PROJECT", in: `
domain: example.com
resources:
- group: old
  kind: Any
- core: true
  group: core
  kind: Pod
  domain: ""

`, want: `
domain: example.org
resources:
- group: new
  kind: Any
- core: true
  group: core
  kind: Pod
  domain: ""

`},
	})
}
