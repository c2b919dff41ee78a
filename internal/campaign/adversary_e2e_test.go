//go:build e2e

package campaign

import (
	"fmt"
	"testing"
)

// A repository of 12,000 files is migrated like others.
func TestTwelveThousandFiles(t *testing.T) {
	w := newWorld(t)
	var all []string
	for i := range 12_000 {
		text := fmt.Sprintf("a: %d\n", i)
		if i%400 == 0 {
			text = oldManifest
		}
		all = append(all, file("100644", fmt.Sprintf("d%02d/f%05d.yaml", i%97, i), text))
	}
	w.imports("acme/large", all...)
	p := w.plan(only("acme/large"))
	w.work(p)
	if r := w.result(p, "acme/large"); r.State != Changed || len(r.Paths) != 30 {
		t.Errorf("%s %s: %d files %s", r.State, r.Class, len(r.Paths), r.Text)
	}
	w.run(p)
	if got := w.git(w.bare("acme/large"), "diff", "--shortstat", "main", p.Branch()); got != "30 files changed, 30 insertions(+), 30 deletions(-)" {
		t.Errorf("the commit has %s", got)
	}
}
