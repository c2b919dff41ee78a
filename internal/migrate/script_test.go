package migrate

import (
	"testing"
)

// A mark of the byte order is no part of the first line.
func TestByteOrderMark(t *testing.T) {
	for file, in := range map[string]string{
		"a.md": "```yaml\napiVersion: old.example.com/v1\nkind: X\n```\n", "a.yaml": "# apiVersion: split.example.com/v1\n# kind: Apple\n", "Makefile": "GROUP ?= old.example.com\n",
		"a.json": `{"apiVersion": "split.example.com/v1", "kind": "Apple"}`, "a.go": "package v1beta1\n\nconst V = \"same.example.com/v1beta1\"\n", "a.txt": "apiVersion: split.example.com/v1\nkind: Berry\n",
	} {
		const mark = "\ufeff"
		if got, want := onceOf(t, fuzzMigration(t), file, mark+in), mark+onceOf(t, fuzzMigration(t), file, in); got != want {
			t.Errorf("%s: got\n%swant\n%s", file, indent(got), indent(want))
		}
	}
}
