package text

import (
	"testing"
)

// Who has an alias is looked for once in a document, however often it is asked.
func TestUsersAreFoundOnce(t *testing.T) {
	data := []byte("a: &x {b: c}\nd: *x\ne: {<<: *x}\n")
	tree := ScanYAML(data, 0, len(data), false)
	tree.findUsers()
	tree.findUsers()
	if a := tree.anchors; len(a.byAlias) != 1 || len(a.mergers) != 1 {
		t.Errorf("aliases %v, merges by %v", a.byAlias, a.mergers)
	}
}
