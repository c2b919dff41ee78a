package edit

import "testing"

// Resources that a template fills in are for a person where those of the group part,
// however it fills them in.
func TestFilledResources(t *testing.T) {
	role := func(rules string) string {
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: a\nrules:\n" + rules
	}
	rows(t, []row{
		{name: "filled in, in quotes", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: [\"{{ .x }}\"]\n"), told: "splits: tree.example.com"},
		{name: "filled in as a list", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources: {{ toYaml .x }}\n"), told: "splits: tree.example.com"},
		{name: "filled in by a range", file: "a.yaml", in: role("- apiGroups: [tree.example.com]\n  resources:\n  {{- range list \"a\" \"b\" }}\n  - {{ . }}\n  {{- end }}\n"), told: "splits: tree.example.com"},
	})
}
