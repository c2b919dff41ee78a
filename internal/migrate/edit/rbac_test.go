package edit

import "testing"

// A rule of permissions grants what it granted, in the new groups.
func TestPermissions(t *testing.T) { rows(t, permissionRows()) }

func permissionRows() []row {
	role := func(rule string) string { return "kind: Role\nrules:\n" + rule }
	return []row{
		{name: "one group", file: "a.yaml", in: role("- apiGroups: [old.example.com]\n  resources: [anys]\n"), want: role("- apiGroups: [new.example.org]\n  resources: [anys]\n")},
		{name: "block style", file: "a.yaml", in: role("- apiGroups:\n  - \"\"\n  - old.example.com # ours\n  resources: [anys]\n"), want: role("- apiGroups:\n  - \"\"\n  - new.example.org # ours\n  resources: [anys]\n")},
		{name: "there already", file: "a.yaml", in: role("- apiGroups: [new.example.org, old.example.com]\n  resources: [anys]\n"), want: role("- apiGroups: [new.example.org]\n  resources: [anys]\n")},
		{name: "split", file: "a.yaml", in: role("- apiGroups: [fruit.example.com]\n  resources: [apples, pears]\n  verbs: [get]\n"),
			want: role("- apiGroups: [apple.example.org]\n  resources: [apples]\n  verbs: [get]\n- apiGroups: [pear.example.org]\n  resources: [pears]\n  verbs: [get]\n")},
		{name: "all resources", file: "a.yaml", in: role("- apiGroups: [fruit.example.com]\n  resources: ['*']\n"), told: "splits: fruit.example.com"},
		{name: "renamed", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [plums, plums/status]\n"), want: role("- apiGroups: [wood.example.org]\n  resources: [prunes, prunes/status]\n")},
		{name: "renamed in one", file: "a.yaml", in: role("- apiGroups: [tree.example.com, old.example.com]\n  resources: [plums]\n"), told: "splits: tree.example.com; splits: old.example.com"},
		{name: "split in block style", file: "a.yaml", in: role("- apiGroups:\n  # ours\n  - \"fruit.example.com\"\n  resources:\n  - apples # red\n  - pears\n  verbs: [get]\n"),
			want: role("- apiGroups:\n  # ours\n  - \"apple.example.org\"\n  resources:\n  - apples # red\n  verbs: [get]\n- apiGroups:\n  # ours\n  - \"pear.example.org\"\n  resources:\n  - pears\n  verbs: [get]\n")},
		{name: "split beside comments", file: "a.yaml", in: role("- apiGroups:\n  - \"\"\n  - fruit.example.com # ours\n  resources:\n  - apples # red\n  - pears\n"),
			want: role("- apiGroups:\n  - \"\"\n  - apple.example.org # ours\n  resources:\n  - apples # red\n- apiGroups:\n  - \"\"\n  - pear.example.org # ours\n  resources:\n  - pears\n")},
		{name: "split in flow style", file: "a.yaml", in: "kind: Role\nrules: [{apiGroups: [fruit.example.com], resources: [apples, pears]}]\n",
			want: "kind: Role\nrules: [{apiGroups: [apple.example.org], resources: [apples]}, {apiGroups: [pear.example.org], resources: [pears]}]\n"},
		{name: "goes from a block", file: "a.yaml", in: role("- apiGroups:\n  - new.example.org\n  - old.example.com\n  resources: [anys]\n"), want: role("- apiGroups:\n  - new.example.org\n  resources: [anys]\n")},
		{name: "new name in the old group", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [prunes, plums]\n"), want: role("- apiGroups: [tree.example.com]\n  resources: [prunes]\n- apiGroups: [wood.example.org]\n  resources: [prunes]\n")},
		{name: "both in a block", file: "a.yaml", dual: true, in: role("- apiGroups:\n  - 'old.example.com' # ours\n  resources: [anys]\n"), want: role("- apiGroups:\n  - 'old.example.com' # ours\n  - 'new.example.org' # ours\n  resources: [anys]\n")},
		{name: "gone", file: "a.yaml", in: role("- apiGroups: [gone.example.com]\n  resources: [dodos, emus]\n"), told: "removed: gone.example.com"},
		{name: "both names", file: "a.yaml", dual: true, in: role("- apiGroups: [old.example.com]\n  resources: [anys]\n"), want: role("- apiGroups: [old.example.com, new.example.org]\n  resources: [anys]\n")},
		{name: "both names of a kind", file: "a.yaml", dual: true, in: role("- apiGroups: [tree.example.com]\n  resources: [plums]\n"),
			want: role("- apiGroups: [tree.example.com]\n  resources: [plums]\n- apiGroups: [wood.example.org]\n  resources: [prunes]\n")},
		{name: "what it becomes is in the list", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [plums]\n- resources: [prunes]\n  apiGroups: [wood.example.org]\n"),
			want: role("- resources: [prunes]\n  apiGroups: [wood.example.org]\n")},
		{name: "filled in", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [plums, {{ .x }}]\n"), told: "splits: tree.example.com"},
		{name: "filled in, of a whole group", file: "a.yaml", in: role("- apiGroups: [old.example.com]\n  resources: [anys, {{ .x }}]\n"), want: role("- apiGroups: [new.example.org]\n  resources: [anys, {{ .x }}]\n")},
		{name: "beside a group that is filled in", file: "a.yaml", in: role("- apiGroups: [tree.example.com, {{ .x }}]\n  resources: [plums]\n"), told: "splits: tree.example.com"},
		{name: "both beside a group that is filled in", file: "a.yaml", dual: true, in: role("- apiGroups: [old.example.com, {{ .x }}]\n  resources: [anys]\n"), want: role("- apiGroups: [old.example.com, new.example.org, {{ .x }}]\n  resources: [anys]\n")},
		{name: "goes where a template puts the other", file: "a.yaml", in: role("- apiGroups:\n  - old.example.com\n  {{- if .x }}\n  - new.example.org\n  {{- end }}\n  resources: [anys]\n"), told: "splits: old.example.com"},
		{name: "a name goes where a template puts the other", file: "a.yaml", in: role("- apiGroups: [tree.example.com, wood.example.org]\n  resources:\n  {{- if .x }}\n  - plums\n  {{- end }}\n  - prunes\n"), told: "splits: tree.example.com"},
		{name: "not a list", file: "a.yaml", in: "x: {apiGroups: [fruit.example.com], resources: [apples, pears]}\n", told: "splits: fruit.example.com"},
	}
}

// What a list of a rule grants is granted in the new groups, each once.
func TestPermissionLists(t *testing.T) {
	rows(t, []row{
		{name: "two groups become one", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [old.example.com, new.example.org]
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups: [new.example.org]
  resources: [anys]
`},
		{name: "one of three goes", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: ["", "new.example.org", "old.example.com"]
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups: ["", "new.example.org"]
  resources: [anys]
`},
		{name: "the first of a list goes", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: ['old.example.com', 'new.example.org', apps]
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups: ['new.example.org', apps]
  resources: [anys]
`},
		{name: "one line of a block goes, its comment stays", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups:
  - new.example.org
  # the old one
  - old.example.com # soon gone
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups:
  - new.example.org
  # the old one
  # soon gone
  resources: [anys]
`},
		{name: "a resource of it is gone", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [gone.example.com]
  resources: [dodos, emus]
`, told: "removed: gone.example.com"},
		{name: "a resource of which no rule speaks", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources: [melons]
`, stays: "no-rule: fruit.example.com"},
		{name: "a resource stays in the group", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources: [apples, melons]
  verbs: [get]
`, want: `
kind: Role
rules:
- apiGroups: [apple.example.org]
  resources: [apples]
  verbs: [get]
- apiGroups: [fruit.example.com]
  resources: [melons]
  verbs: [get]
`},
		{name: "no resources", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [old.example.com]
  verbs: [get]
`, want: `
kind: Role
rules:
- apiGroups: [new.example.org]
  verbs: [get]
`},
		{name: "no resources, of a group that splits", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  verbs: [get]
`, want: `
kind: Role
rules:
- apiGroups: [apple.example.org, pear.example.org, fruit.example.com]
  verbs: [get]
`},
		{name: "every resource of a whole group", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [old.example.com]
  resources: ['*']
`, want: `
kind: Role
rules:
- apiGroups: [new.example.org]
  resources: ['*']
`},
		{name: "every sub-resource", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources: ['*/status']
`, told: "splits: fruit.example.com"},
		{name: "every resource while both are served", file: "a.yaml", dual: true, in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources: ['*']
`, told: "splits: fruit.example.com"},
		{name: "sub-resources go with theirs", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources: [apples, apples/status, pears/finalizers]
  verbs: [update]
`, want: `
kind: Role
rules:
- apiGroups: [apple.example.org]
  resources: [apples, apples/status]
  verbs: [update]
- apiGroups: [pear.example.org]
  resources: [pears/finalizers]
  verbs: [update]
`},
		{name: "names of kinds, as policies have them", file: "a.yaml", in: `
kind: Constraint
spec:
  match:
    kinds:
    - apiGroups: [tree.example.com]
      kinds: [Plum]
`, want: `
kind: Constraint
spec:
  match:
    kinds:
    - apiGroups: [wood.example.org]
      kinds: [Prune]
`},
		{name: "kinds that go apart", file: "a.yaml", in: `
kind: Constraint
spec:
  match:
    kinds:
    - apiGroups: [fruit.example.com]
      kinds: [Apple, Pear]
`, want: `
kind: Constraint
spec:
  match:
    kinds:
    - apiGroups: [apple.example.org]
      kinds: [Apple]
    - apiGroups: [pear.example.org]
      kinds: [Pear]
`},
		{name: "a name that stays in its group", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [elm.example.com]
  resources: [elms, elms/status]
`, want: `
kind: Role
rules:
- apiGroups: [elm.example.com]
  resources: [oaks, oaks/status]
`},
		{name: "its new name is there already", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [elm.example.com]
  resources: [oaks, elms, leaves]
`, want: `
kind: Role
rules:
- apiGroups: [elm.example.com]
  resources: [oaks, leaves]
`, stays: "no-rule: elm.example.com"},
		{name: "its new name is there already, in lines", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [elm.example.com]
  resources:
  - elms # the old name
  - oaks
`, want: `
kind: Role
rules:
- apiGroups: [elm.example.com]
  resources:
  # the old name
  - oaks
`, stays: "no-rule: elm.example.com"},
		{name: "both names of a kind in one group", file: "a.yaml", dual: true, in: `
kind: Role
rules:
- apiGroups: [elm.example.com]
  resources: [elms]
`, told: "splits: elm.example.com"},
		{name: "two groups of ours that go apart", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com, old.example.com]
  resources: [apples, pears]
  verbs: [get]
`, want: `
kind: Role
rules:
- apiGroups: [apple.example.org, new.example.org]
  resources: [apples]
  verbs: [get]
- apiGroups: [pear.example.org, new.example.org]
  resources: [pears]
  verbs: [get]
`},
		{name: "both in a list with quotes", file: "a.yaml", dual: true, in: `
kind: Role
rules:
- apiGroups: ["old.example.com", ""]
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups: ["old.example.com", "new.example.org", ""]
  resources: [anys]
`},
		{name: "both at the end of a file without a line end", file: "a.yaml", dual: true, in: `
kind: Role
rules:
- resources: [anys]
  apiGroups:
  - old.example.com`, want: `
kind: Role
rules:
- resources: [anys]
  apiGroups:
  - old.example.com
  - new.example.org`},
		{name: "both are there", file: "a.yaml", dual: true, in: `
kind: Role
rules:
- apiGroups: [new.example.org, old.example.com]
  resources: [anys]
`, stays: "both-granted: old.example.com"},
		{name: "what it belongs to has not moved", file: "config/v1alpha1/role.yaml", in: `
kind: Role
rules:
- apiGroups: [home.example.com, old.example.com]
  resources: [nests]
`, told: "version-folder: home.example.com; version-folder: old.example.com"},
		{name: "what it belongs to is another version", file: "config/v1/role.yaml", in: `
kind: Role
rules:
- apiGroups: [home.example.com]
  resources: [nests]
`, want: `
kind: Role
rules:
- apiGroups: [nest.example.org]
  resources: [nests]
`},
		{name: "of a bundle", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  install:
    spec:
      clusterPermissions:
      - rules:
        - apiGroups: [fruit.example.com]
          resources: [apples, pears]
          verbs: [get]
        serviceAccountName: a
`, want: `
kind: ClusterServiceVersion
spec:
  install:
    spec:
      clusterPermissions:
      - rules:
        - apiGroups: [apple.example.org]
          resources: [apples]
          verbs: [get]
        - apiGroups: [pear.example.org]
          resources: [pears]
          verbs: [get]
        serviceAccountName: a
`},
		{name: "in a template", file: "templates/role.yaml", in: `
kind: Role
rules:
{{- if .Values.fruit }}
- apiGroups: [fruit.example.com]
  resources: [apples, pears]
  verbs: {{ .Values.verbs }}
{{- end }}
`, want: `
kind: Role
rules:
{{- if .Values.fruit }}
- apiGroups: [apple.example.org]
  resources: [apples]
  verbs: {{ .Values.verbs }}
- apiGroups: [pear.example.org]
  resources: [pears]
  verbs: {{ .Values.verbs }}
{{- end }}
`},
		{name: "a template in the list", file: "templates/role.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com]
  resources:
  - apples
  {{- if .Values.pears }}
  - pears
  {{- end }}
`, told: "splits: fruit.example.com"},
		{name: "named by an alias", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: &groups [fruit.example.com]
  resources: [apples]
- apiGroups: *groups
  resources: [pears]
`, told: "shared: fruit.example.com"},
		{name: "something else than names", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [old.example.com]
  resources: [{name: anys}]
`, want: `
kind: Role
rules:
- apiGroups: [new.example.org]
  resources: [{name: anys}]
`},
	})
}

// A permission that goes, since the new one is in its list, is left to a person
// when the tree still uses the old API.
func TestGranted(t *testing.T) {
	b := newBench(t, moves)
	for name, in := range map[string]string{
		"a.yaml": "kind: Role\nrules:\n- apiGroups: [new.example.org, old.example.com]\n  resources: [anys]\n",
		"a.go":   "package a\n\n// +kubebuilder:rbac:groups=new.example.org;old.example.com,resources=anys,verbs=get\n",
	} {
		made := b.plan(name, in)
		free, _ := made[0].Settle(name, &Tree{})
		used, _ := made[0].Settle(name, &Tree{Used: map[string]bool{"old.example.com": true}})
		if free.Action() != Change || free.Granted() || used.Action() != Person || !used.Granted() {
			t.Errorf("%s: %+v, %+v", name, free, used)
		}
	}
	both := "kind: Role\nrules:\n- apiGroups: [old.example.com, also.example.com]\n  resources: [anys]\n"
	for _, o := range b.plan("a.yaml", both) { // neither was granted before: what both become is
		if o, _ = o.Settle("a.yaml", &Tree{Used: map[string]bool{"old.example.com": true, "also.example.com": true}}); o.Action() != Change {
			t.Errorf("%+v", o)
		}
	}
}

// Groups of a rule that become one are granted once.
func TestGroupsBecomeOne(t *testing.T) {
	rows(t, []row{
		{name: "two become one", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [old.example.com, also.example.com]
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups: [new.example.org]
  resources: [anys]
`},
		{name: "two become one that is there", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [old.example.com, also.example.com, new.example.org]
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups: [new.example.org]
  resources: [anys]
`},
		{name: "two become one in lines", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups:
  - apps
  - also.example.com
  - old.example.com
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups:
  - apps
  - new.example.org
  resources: [anys]
`},
		{name: "two become one, while all are served", file: "a.yaml", dual: true, in: `
kind: Role
rules:
- apiGroups: [old.example.com, also.example.com]
  resources: [anys]
`, want: `
kind: Role
rules:
- apiGroups: [old.example.com, new.example.org, also.example.com]
  resources: [anys]
`, stays: "both-granted: also.example.com"},
		{name: "apart, with two that become one", file: "a.yaml", in: `
kind: Role
rules:
- apiGroups: [fruit.example.com, old.example.com, also.example.com]
  resources: [apples, pears]
`, want: `
kind: Role
rules:
- apiGroups: [apple.example.org, new.example.org]
  resources: [apples]
- apiGroups: [pear.example.org, new.example.org]
  resources: [pears]
`},
	})
}
