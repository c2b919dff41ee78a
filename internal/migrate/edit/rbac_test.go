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
		{name: "all resources", file: "a.yaml", in: role("- apiGroups: [fruit.example.com]\n  resources: ['*']\n"), want: role("- apiGroups: [apple.example.org, pear.example.org, fruit.example.com]\n  resources: ['*']\n")},
		{name: "renamed", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [plums, plums/status]\n"), want: role("- apiGroups: [wood.example.org]\n  resources: [prunes, prunes/status]\n")},
		{name: "renamed in one", file: "a.yaml", in: role("- apiGroups: [tree.example.com, old.example.com]\n  resources: [plums]\n"), told: "splits: tree.example.com; splits: old.example.com"},
		{name: "split in block style", file: "a.yaml", in: role("- apiGroups:\n  # ours\n  - \"fruit.example.com\"\n  resources:\n  - apples # red\n  - pears\n  verbs: [get]\n"),
			want: role("- apiGroups:\n  # ours\n  - \"apple.example.org\"\n  resources:\n  - apples # red\n  verbs: [get]\n- apiGroups:\n  # ours\n  - \"pear.example.org\"\n  resources:\n  - pears\n  verbs: [get]\n")},
		{name: "split beside comments", file: "a.yaml", in: role("- apiGroups:\n  - \"\"\n  - fruit.example.com # ours\n  resources:\n  - apples # red\n  - pears\n"),
			want: role("- apiGroups:\n  - \"\"\n  - \"apple.example.org\" # ours\n  resources:\n  - apples # red\n- apiGroups:\n  - \"\"\n  - \"pear.example.org\" # ours\n  resources:\n  - pears\n")},
		{name: "split in flow style", file: "a.yaml", in: "kind: Role\nrules: [{apiGroups: [fruit.example.com], resources: [apples, pears]}]\n",
			want: "kind: Role\nrules: [{apiGroups: [apple.example.org], resources: [apples]}, {apiGroups: [pear.example.org], resources: [pears]}]\n"},
		{name: "goes from a block", file: "a.yaml", in: role("- apiGroups:\n  - new.example.org\n  - old.example.com\n  resources: [anys]\n"), want: role("- apiGroups:\n  - new.example.org\n  resources: [anys]\n")},
		{name: "new name in the old group", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [prunes, plums]\n"), want: role("- apiGroups: [tree.example.com]\n  resources: [prunes]\n- apiGroups: [wood.example.org]\n  resources: [prunes]\n")},
		{name: "both in a block", file: "a.yaml", dual: true, in: role("- apiGroups:\n  - 'old.example.com' # ours\n  resources: [anys]\n"), want: role("- apiGroups:\n  - 'old.example.com' # ours\n  - 'new.example.org' # ours\n  resources: [anys]\n")},
		{name: "gone", file: "a.yaml", in: role("- apiGroups: [gone.example.com]\n  resources: [dodos, emus]\n"), told: "removed: gone.example.com"},
		{name: "both names", file: "a.yaml", dual: true, in: role("- apiGroups: [old.example.com]\n  resources: [anys]\n"), want: role("- apiGroups: [old.example.com, new.example.org]\n  resources: [anys]\n")},
		{name: "both names of a kind", file: "a.yaml", dual: true, in: role("- apiGroups: [tree.example.com]\n  resources: [plums]\n"), told: "splits: tree.example.com"},
		{name: "not a list", file: "a.yaml", in: "x: {apiGroups: [fruit.example.com], resources: [apples, pears]}\n", told: "splits: fruit.example.com"},
	}
}
