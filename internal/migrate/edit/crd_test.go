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

// A CRD moves with all of its names.
func TestCRDNames(t *testing.T) {
	rows(t, []row{
		{name: "a group", file: "a.yaml", in: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: anys.old.example.com
spec:
  group: old.example.com
  names: {kind: Any, plural: anys}
`, want: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: anys.new.example.org
spec:
  group: new.example.org
  names: {kind: Any, plural: anys}
`},
		{name: "another kind, whose names are its own", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: elms.elm.example.com
spec:
  group: elm.example.com
  names: {kind: Elm, plural: elms, singular: bigelm, listKind: Elms, shortNames: [em]}
`, want: `
kind: CustomResourceDefinition
metadata:
  name: oaks.elm.example.com
spec:
  group: elm.example.com
  names: {kind: Oak, plural: oaks, singular: bigelm, listKind: Elms, shortNames: [em]}
`},
		{name: "another kind in lines", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: plums.tree.example.com
spec:
  group: tree.example.com
  names:
    kind: Plum
    listKind: PlumList
    plural: plums
    singular: plum
`, want: `
kind: CustomResourceDefinition
metadata:
  name: prunes.wood.example.org
spec:
  group: wood.example.org
  names:
    kind: Prune
    listKind: PruneList
    plural: prunes
    singular: prune
`},
		{name: "it serves the version that goes", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: nests.home.example.com
spec:
  group: home.example.com
  names: {kind: Nest, plural: nests}
  versions:
  - name: v1alpha1
    served: true
`, want: `
kind: CustomResourceDefinition
metadata:
  name: nests.nest.example.org
spec:
  group: nest.example.org
  names: {kind: Nest, plural: nests}
  versions:
  - name: v1
    served: true
`},
		{name: "it serves a version that stays as well", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: nests.home.example.com
spec:
  group: home.example.com
  names: {kind: Nest, plural: nests}
  versions:
  - name: v1alpha1
    served: true
  - name: v1
    served: true
`, told: "splits: nests.home.example.com; splits: home.example.com"},
		{name: "served, while both are", file: "a.yaml", dual: true, in: `
kind: CustomResourceDefinition
metadata:
  name: steps.step.example.com
spec:
  group: step.example.com
  names: {kind: Step, plural: steps}
  versions: [{name: v1alpha1, served: true}]
`, stays: "dual: steps.step.example.com; dual: step.example.com"},
		{name: "kept by a mark and not served", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: steps.step.example.com
spec:
  group: step.example.com # cfctl:keep
  names: {kind: Step, plural: steps}
  versions: [{name: v1alpha1, served: true}]
`, stays: "by-hand: steps.step.example.com; by-hand: step.example.com"},
		{name: "one that is gone", file: "a.yaml", in: `
kind: CustomResourceDefinition
metadata:
  name: dodos.gone.example.com
spec:
  group: gone.example.com
  names: {kind: Dodo, plural: dodos}
`, told: "removed: dodos.gone.example.com; removed: gone.example.com"},
		{name: "in a list", file: "a.yaml", in: `
kind: List
items:
- kind: CustomResourceDefinition
  metadata:
    name: plums.tree.example.com
  spec:
    group: tree.example.com
    names: {kind: Plum, plural: plums}
- kind: CustomResourceDefinition
  metadata:
    name: anys.old.example.com
  spec:
    group: old.example.com # cfctl:keep
    names: {kind: Any, plural: anys}

`, want: `
kind: List
items:
- kind: CustomResourceDefinition
  metadata:
    name: prunes.wood.example.org
  spec:
    group: wood.example.org
    names: {kind: Prune, plural: prunes}
- kind: CustomResourceDefinition
  metadata:
    name: anys.old.example.com
  spec:
    group: old.example.com # cfctl:keep
    names: {kind: Any, plural: anys}

`, stays: "by-hand: anys.old.example.com; by-hand: old.example.com"},
	})
}
