package edit

import (
	"strings"
	"testing"
)

// A rule has a copy while both groups are served where its resources are renamed, and goes
// where the one that it becomes is in the list: both say the same, and stand in one part of
// a template.
func TestCopiedRules(t *testing.T) {
	role := func(rules ...string) string { return "kind: Role\nrules:\n" + strings.Join(rules, "") }
	old := "- apiGroups: [tree.example.com]\n  resources: [plums, plums/status]\n  verbs: [get, list]\n"
	fresh := "- apiGroups: [wood.example.org]\n  resources: [prunes, prunes/status]\n  verbs: [get, list]\n"
	other := "- apiGroups: [wood.example.org]\n  resources: [prunes/status, prunes]\n  verbs: [list, get]\n"
	const begin, end = "{{- if .Values.x }}\n", "{{- end }}\n"
	rows(t, []row{
		{name: "a copy", file: "a.yaml", dual: true, in: role(old), want: role(old, fresh)},
		{name: "granted in another order", file: "a.yaml", dual: true, in: role(old, other), stays: "both-granted: tree.example.com"},
		{name: "in a part of a template", file: "a.yaml", dual: true, in: role(begin, old, end), want: role(begin, old, fresh, end)},
		{name: "granted in another part", file: "a.yaml", dual: true, in: role(old, begin, fresh, end), want: role(old, fresh, begin, fresh, end)},
		{name: "with other groups", file: "a.yaml", dual: true, in: role("- apiGroups: [tree.example.com, apps]\n  resources: [plums]\n"), told: "splits: tree.example.com"},
		{name: "with a resource that stays", file: "a.yaml", dual: true, in: role("- apiGroups: [tree.example.com]\n  resources: [plums, figs]\n"), told: "splits: tree.example.com"},
		{name: "that others take", file: "a.yaml", dual: true, in: role("- &x\n  apiGroups: [tree.example.com]\n  resources: [plums]\n- *x\n"), told: "splits: tree.example.com"},
		{name: "with actions", file: "a.yaml", dual: true, in: role("- apiGroups: [tree.example.com]\n  resources: [plums, '{{ .x }}']\n"), told: "splits: tree.example.com"},
		{name: "goes", file: "a.yaml", in: role(old, other), want: role(other)},
		{name: "goes behind it", file: "a.yaml", in: role(fresh, old), want: role(fresh)},
		{name: "goes in flow style", file: "a.yaml", in: "kind: Role\nrules: [{apiGroups: [tree.example.com], resources: [plums]}, {apiGroups: [wood.example.org], resources: [prunes]}]\n",
			want: "kind: Role\nrules: [{apiGroups: [wood.example.org], resources: [prunes]}]\n"},
		{name: "other verbs", file: "a.yaml", in: role(old, strings.ReplaceAll(fresh, ", list", "")), want: role(fresh, strings.ReplaceAll(fresh, ", list", ""))},
		{name: "in another part", file: "a.yaml", in: role(old, begin, fresh, end), want: role(fresh, begin, fresh, end)},
		{name: "a comment of its own", file: "a.yaml", in: role(strings.Replace(old, "[get, list]", "[get, list] # ours", 1), fresh), want: role(strings.Replace(fresh, "[get, list]", "[get, list] # ours", 1), fresh)},
		{name: "kept", file: "a.yaml", in: role(strings.Replace(old, "[get, list]", "[get, list] # cfctl:keep x", 1), fresh), want: role(strings.Replace(fresh, "[get, list]", "[get, list] # cfctl:keep x", 1), fresh)},
	})
}
