package migrate

import (
	"strings"
	"testing"
)

// An object changes its shape with its version wherever a script or source holds
// it as a document: what moves alone would be refused by its server.
func TestShapeInScripts(t *testing.T) {
	object := "apiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  colour: red\n  ripe: \"true\"\n"
	quoted := `{"apiVersion":"same.example.com/v1beta1","kind":"Pear","spec":{"colour":"red","ripe":"true"}}`
	for _, c := range []struct{ file, in string }{
		{"a.sh", "kubectl apply -f - <<EOF\n" + object + "EOF\n"},
		{"a.sh", "kubectl patch pear x -p '" + quoted + "'\n"},
		{"Makefile", "x:\n\tkubectl patch pear x -p '" + quoted + "'\n"},
		{"a.tf", "x = <<-EOT\n" + object + "EOT\n"},
		{"a.tf", "x = yamldecode(<<EOT\n" + object + "EOT\n)\ny = \"same.example.com\"\n"},
		{"a.tf", "x = jsondecode(<<EOT\n" + quoted + "\nEOT\n)\n"},
		{"a.rb", "x = <<~EOS\n" + object + "EOS\n"},
		{"a.py", "x = \"\"\"\n" + object + "\"\"\"\n"},
		{"a.py", "x = '" + quoted + "'\n"},
		{"a.go", "package a\n\nvar x = `" + quoted + "`\n"},
		{"a.md", "~~~yaml\n" + object + "~~~\n"},
		{"a.md", "~~~sh\nkubectl patch pear x -p '" + quoted + "'\n~~~\n"},
		{"a.rst", "::\n\n" + object + "\n"},
	} {
		want := strings.NewReplacer("v1beta1", "v1", "colour", "color").Replace(c.in)
		if got := onceOf(t, fuzzMigration(t), c.file, c.in); got != want {
			t.Errorf("%s: got\n%swant\n%s", c.file, indent(got), indent(want))
		}
		lawsOf(t, fuzzMigration(t), c.file, []byte(c.in))
	}
}

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
