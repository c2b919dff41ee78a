package edit

import "testing"

// A bundle owns each CRD once, and both while both are served.
func TestOwned(t *testing.T) { rows(t, ownedRows()) }

func ownedRows() []row {
	csv := func(entries string) string {
		return "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n" + entries
	}
	old, fresh := "    - name: apples.fruit.example.com\n      kind: Apple\n      version: v1\n", "    - name: apples.apple.example.org\n      kind: Apple\n      version: v1\n"
	whole, moved := "    - name: figs.old.example.com\n      kind: Fig\n      version: v1\n", "    - name: figs.new.example.org\n      kind: Fig\n      version: v1\n"
	return []row{
		{name: "one", file: "a.yaml", in: csv(old), want: csv(fresh)},
		{name: "two", file: "a.yaml", in: csv(old + fresh), want: csv(fresh)},
		{name: "two, the new one first", file: "a.yaml", in: csv(fresh + old), want: csv(fresh)},
		{name: "both", file: "a.yaml", dual: true, in: csv(old), want: csv(old + fresh)},
		{name: "both are there", file: "a.yaml", dual: true, in: csv(old + fresh)},
		{name: "of a whole group", file: "a.yaml", dual: true, in: csv(whole), want: csv(whole + moved)},
		{name: "both of a whole group are there", file: "a.yaml", dual: true, in: csv(whole + moved)},
		{name: "two of a whole group", file: "a.yaml", in: csv(whole + moved), want: csv(moved)},
		{name: "two of a whole group, in JSON", file: "a.json", dual: true, in: `{"kind": "ClusterServiceVersion", "spec": {"customresourcedefinitions": {"owned": [{"name": "figs.old.example.com"}]}}}`,
			want: `{"kind": "ClusterServiceVersion", "spec": {"customresourcedefinitions": {"owned": [{"name": "figs.old.example.com"}, {"name": "figs.new.example.org"}]}}}`},
		{name: "flow", file: "a.yaml", in: csv("    - {name: apples.fruit.example.com, kind: Apple, version: v1}\n"), want: csv("    - {name: apples.apple.example.org, kind: Apple, version: v1}\n")},
	}
}

// An entry of a bundle goes, is copied or moves with all that is said in it.
func TestOwnedEntries(t *testing.T) {
	rows(t, []row{
		{name: "another version is owned", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.fruit.example.com
      kind: Apple
      version: v1
    - name: apples.apple.example.org
      kind: Apple
      version: v2
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.apple.example.org
      kind: Apple
      version: v1
    - name: apples.apple.example.org
      kind: Apple
      version: v2
`},
		{name: "the new one says no version", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.fruit.example.com
      kind: Apple
      version: v1
    - name: apples.apple.example.org
      kind: Apple
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.apple.example.org
      kind: Apple
`},
		{name: "both in flow style", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.fruit.example.com, kind: Apple, version: v1}]
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.apple.example.org, kind: Apple, version: v1}]
`},
		{name: "both in flow style, while both are served", file: "a.yaml", dual: true, in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.fruit.example.com, kind: Apple, version: v1}]
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.fruit.example.com, kind: Apple, version: v1}, {name: apples.apple.example.org, kind: Apple, version: v1}]
`},
		{name: "two in flow style", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.fruit.example.com, kind: Apple, version: v1}, {name: apples.apple.example.org, kind: Apple, version: v1}]
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.apple.example.org, kind: Apple, version: v1}]
`},
		{name: "two in flow style, the new one first", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.apple.example.org, kind: Apple, version: v1}, {name: apples.fruit.example.com, kind: Apple, version: v1}]
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned: [{name: apples.apple.example.org, kind: Apple, version: v1}]
`},
		{name: "what is said in an entry goes with it", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.fruit.example.com
      kind: Apple
      version: v1
      resources:
      - kind: apples.fruit.example.com
      description: an apples.fruit.example.com, of old.example.com
    - name: apples.apple.example.org
      kind: Apple
      version: v1
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.apple.example.org
      kind: Apple
      version: v1
`},
		{name: "another kind in both", file: "a.yaml", dual: true, in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: plums.tree.example.com
      kind: Plum
      version: v1
      displayName: Plum
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: plums.tree.example.com
      kind: Plum
      version: v1
      displayName: Plum
    - name: prunes.wood.example.org
      kind: Prune
      version: v1
      displayName: Plum
`},
		{name: "the name last", file: "a.yaml", dual: true, in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - kind: Apple
      version: v1
      description: holds apples.fruit.example.com
      name: apples.fruit.example.com
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - kind: Apple
      version: v1
      description: holds apples.fruit.example.com
      name: apples.fruit.example.com
    - kind: Apple
      version: v1
      description: holds apples.apple.example.org
      name: apples.apple.example.org
`, stays: "dual: apples.fruit.example.com"},
		{name: "at the end of a file without a line end", file: "a.yaml", dual: true, in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.fruit.example.com`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.fruit.example.com
    - name: apples.apple.example.org`},
		{name: "a version beside others", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: steps.step.example.com
      kind: Step
      version: v1alpha1
    - name: steps.step.example.com
      kind: Step
      version: v1
`},
		{name: "a version alone", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: steps.step.example.com
      kind: Step
      version: v1alpha1
`},
		{name: "one that is gone", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: dodos.gone.example.com
      kind: Dodo
`, told: "removed: dodos.gone.example.com"},
		{name: "one that is required", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    required:
    - name: apples.fruit.example.com
      kind: Apple
      version: v1
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    required:
    - name: apples.apple.example.org
      kind: Apple
      version: v1
`},
		{name: "one that is required, while both are served", file: "a.yaml", dual: true, in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    required:
    - name: apples.fruit.example.com
      kind: Apple
      version: v1
`, stays: "dual: apples.fruit.example.com"},
		{name: "a group and a version", file: "a.yaml", dual: true, in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: nests.home.example.com
      kind: Nest
      version: v1alpha1
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: nests.home.example.com
      kind: Nest
      version: v1alpha1
    - name: nests.nest.example.org
      kind: Nest
      version: v1
`},
	})
}

// What goes is the entry alone.
func TestOwnedAmongOthers(t *testing.T) {
	rows(t, []row{
		{name: "what stands around the entry moves", file: "a.yaml", in: `
metadata:
  annotations:
    old.example.com/x: an apples.fruit.example.com
spec:
  customresourcedefinitions:
    owned:
    - name: apples.fruit.example.com
      kind: Apple
      version: v1
    - name: apples.apple.example.org
      kind: Apple
      version: v1
    required:
    - name: anys.old.example.com
      kind: Any
      version: v1
kind: ClusterServiceVersion
`, want: `
metadata:
  annotations:
    new.example.org/x: an apples.apple.example.org
spec:
  customresourcedefinitions:
    owned:
    - name: apples.apple.example.org
      kind: Apple
      version: v1
    required:
    - name: anys.new.example.org
      kind: Any
      version: v1
kind: ClusterServiceVersion
`},
		{name: "two entries go", file: "a.yaml", in: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.fruit.example.com
      version: v1
    - name: apples.apple.example.org
      version: v1
    - name: pears.fruit.example.com
      version: v1
    - name: pears.pear.example.org
      version: v1
`, want: `
kind: ClusterServiceVersion
spec:
  customresourcedefinitions:
    owned:
    - name: apples.apple.example.org
      version: v1
    - name: pears.pear.example.org
      version: v1
`},
	})
}
