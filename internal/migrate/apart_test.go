package migrate

import (
	"slices"
	"strings"
	"testing"
)

// TestKindApartIsAskedOnce: an apiVersion whose kind is named apart from it needs review
// only where the kind itself is neither rewritten nor needs review.
func TestKindApartIsAskedOnce(t *testing.T) {
	const list = "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: GadgetGroup, plural: gadgetgroups}\n"
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
		off  bool
		want []string
	}{
		{false, nil}, // each place of the kind is renamed with the Go code
		{true, []string{"a/a_test.go:4: leaves-kind", "b.yaml:3: loose-name", "c.php:1: leaves-kind"}},
	} {
		if _, _, review := nextPlan(t, goMigration(t, list, Options{GoOff: c.off}), goTree(text)); !slices.Equal(review, c.want) {
			t.Errorf("without Go code %t: review is %q, want %q", c.off, review, c.want)
		}
	}
}
