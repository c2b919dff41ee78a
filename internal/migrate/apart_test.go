package migrate

import (
	"slices"
	"strings"
	"testing"
)

// TestKindApartIsAskedOnce: an apiVersion whose kind is named apart from it needs review
// only where the kind itself is neither rewritten nor needs review.
func TestKindApartIsAskedOnce(t *testing.T) {
	const list, regroup = "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: GadgetGroup, plural: gadgetgroups}\n",
		"  - id: group\n    from: {group: old.example.com}\n    to: {group: fresh.example.org}\n"
	text := strings.NewReplacer("WidgetSpec", "WidgetSetSpec", "Widget", "WidgetSet", "widgets", "widgetsets").Replace(goOwner) + `-- a/a_test.go --
package a

func a() {
	equal("old.example.com/v1", x.APIVersion)
	equal("WidgetSet", x.Kind)
}
-- b.yaml --
api: old.example.com/v1
---
kind: WidgetSet
-- c.php --
<?php f('old.example.com/v1'); g('widgetsets');
`
	for _, c := range []struct {
		off   bool
		rules string
		want  []string
	}{
		{false, list, nil}, // each place of the kind is renamed with the Go code
		{true, list, []string{"a/a_test.go:4: leaves-kind", "b.yaml:3: loose-name", "c.php:1: leaves-kind"}},
		{false, regroup + strings.ReplaceAll(list, "to: {kind", "to: {group: fresh.example.org, kind"), nil},
		{true, regroup + strings.ReplaceAll(list, "to: {kind", "to: {group: fresh.example.org, kind"),
			[]string{"a/a_test.go:4: leaves-kind", "b.yaml:1: leaves-kind", "b.yaml:3: loose-name", "c.php:1: leaves-kind"}},
	} {
		m := goMigration(t, c.rules, Options{GoOff: c.off})
		_, after, review := nextPlan(t, m, goTree(text))
		if !slices.Equal(review, c.want) {
			t.Errorf("without Go code %t: review is %q, want %q", c.off, review, c.want)
		}
		if again, _, _ := nextPlan(t, m, after); again.Count(Change) != 0 {
			t.Errorf("without Go code %t: a second run changes %d", c.off, again.Count(Change))
		}
	}
}

// TestObjectIsLeftWhole: where a reference needs review, the words of its kind stay as well,
// although they change elsewhere in the tree.
func TestObjectIsLeftWhole(t *testing.T) {
	const list = "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {group: fresh.example.org, kind: GadgetGroup, plural: gadgetgroups}\n" +
		"  - id: kind-v1\n    from: {group: old.example.com, version: v1, kind: WidgetSet, plural: widgetsets}\n    to: {group: fresh.example.org, version: v2, kind: GadgetGroup, plural: gadgetgroups}\n"
	rule := "kind: Role\nrules:\n- apiGroups:\n  - apps.example.net\n  - old.example.com\n  resources:\n  - widgetsets\n  - widgetsets/status\n  - nuts\n"
	object := "apiVersion: old.example.com/{{ .Values.version }}\nkind: WidgetSet\n"
	text := strings.NewReplacer("WidgetSpec", "WidgetSetSpec", "Widget", "WidgetSet", "widgets", "widgetsets").Replace(goOwner) +
		"-- a/role.yaml --\n" + rule + "-- templates/b.yaml --\n" + object + "-- c.md --\nA WidgetSet.\n"
	_, after, review := nextPlan(t, goMigration(t, list, Options{}), goTree(text))
	if want := []string{"a/role.yaml:5: split-rule", "templates/b.yaml:1: filled-in"}; !slices.Equal(review, want) {
		t.Errorf("review is %q, want %q", review, want)
	}
	if got := string(after["a/role.yaml"].Data) + string(after["templates/b.yaml"].Data); got != rule+object {
		t.Errorf("it is\n%s", got)
	}
	if got := string(after["c.md"].Data); got != "A GadgetGroup.\n" {
		t.Error(got)
	}
}

// TestChainGoesOnByVersion: where another rule goes on from one version of what a rule makes, each
// object becomes what its own version becomes, and what names no version needs review.
func TestChainGoesOnByVersion(t *testing.T) {
	const list = "  - {id: ab, from: {group: a.example.com, kind: Foo}, to: {group: b.example.com, kind: Bar}}\n" +
		"  - {id: bc, from: {group: b.example.com, kind: Bar, version: v1}, to: {group: c.example.com, kind: Baz, version: v2}}\n"
	m := goMigration(t, list, Options{})
	_, after, review := nextPlan(t, m, goTree(`-- a.yaml --
apiVersion: a.example.com/v1
kind: Foo
-- b.py --
x = {
    'apiVersion': 'a.example.com/v1beta1',
    'kind': 'Foo',
}
-- c.go --
package c

var k = schema.GroupKind{Group: "a.example.com", Kind: "Foo"}
-- d.sh --
kubectl get foos.a.example.com
kubectl get foos.v1.a.example.com
`))
	if want := []string{"c.go:3: other-versions", "d.sh:1: other-versions"}; !slices.Equal(review, want) {
		t.Errorf("review is %q, want %q", review, want)
	}
	for name, want := range map[string]string{
		"a.yaml": "apiVersion: c.example.com/v2\nkind: Baz\n",
		"b.py":   "x = {\n    'apiVersion': 'b.example.com/v1beta1',\n    'kind': 'Bar',\n}\n",
		"d.sh":   "kubectl get foos.a.example.com\nkubectl get bazes.v2.c.example.com\n",
	} {
		if got := string(after[name].Data); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
