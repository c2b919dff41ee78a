package edit

import "testing"

// A bundle owns each CRD once, and both while both are served.
func TestOwned(t *testing.T) { rows(t, ownedRows()) }

func ownedRows() []row {
	csv := func(entries string) string {
		return "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n" + entries
	}
	old, fresh := "    - name: apples.fruit.example.com\n      kind: Apple\n      version: v1\n", "    - name: apples.apple.example.org\n      kind: Apple\n      version: v1\n"
	return []row{
		{name: "one", file: "a.yaml", in: csv(old), want: csv(fresh)},
		{name: "two", file: "a.yaml", in: csv(old + fresh), want: csv(fresh)},
		{name: "two, the new one first", file: "a.yaml", in: csv(fresh + old), want: csv(fresh)},
		{name: "both", file: "a.yaml", dual: true, in: csv(old), want: csv(old + fresh)},
		{name: "both are there", file: "a.yaml", dual: true, in: csv(old + fresh)},
		{name: "flow", file: "a.yaml", in: csv("    - {name: apples.fruit.example.com, kind: Apple, version: v1}\n"), want: csv("    - {name: apples.apple.example.org, kind: Apple, version: v1}\n")},
	}
}
