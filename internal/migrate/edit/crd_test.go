package edit

import "testing"

// A CRD gets the names of its new kind, and says so when it does not serve what
// its version becomes.
func TestCRDs(t *testing.T) {
	crd := func(name, group, names, versions string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: " + name + "\nspec:\n  group: " + group + "\n  names: " + names + "\n  versions:" + versions + "\n"
	}
	v1 := "\n  - {name: v1, served: true}"
	rows(t, []row{
		{name: "kind", file: "a.yaml", in: crd("plums.tree.example.com", "tree.example.com", "{kind: Plum, listKind: PlumList, plural: plums, singular: plum, shortNames: [pl]}", v1),
			want: crd("prunes.wood.example.org", "wood.example.org", "{kind: Prune, listKind: PruneList, plural: prunes, singular: prune, shortNames: [pl]}", v1)},
		{name: "not served", file: "a.yaml", in: crd("steps.step.example.com", "step.example.com", "{kind: Step, plural: steps}", "\n  - {name: v1alpha1, served: true}"), told: "crd-version: step.example.com"},
		{name: "served", file: "a.yaml", in: crd("steps.step.example.com", "step.example.com", "{kind: Step, plural: steps}", "\n  - {name: v1alpha1, served: true}"+v1)},
	})
}
