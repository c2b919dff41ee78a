package migrate

import (
	"strings"
	"testing"
)

func TestImportsOf(t *testing.T) {
	for _, tt := range []struct{ head, want, not string }{

		{"package a\nimport \"x.io/y/v1\"\nfunc f() {}\n", "v1", "y v2 f"},
		{"\ufeff// import \"no\"\r\n/* package x\n*/\r\npackage a // why\r\nimport\tz \"q\"; import . `x/r`\r\nvar V = 1\r\n", "q r", "no V z"},
		{"package a\n\nimport (\n\t\"fmt\"\n\n\t// (\"commented\")\n\t_ \"x/y/blank\"\n\t. \"x/dot\" // \")\n\tnamed \"x/other\"; `raw`\n)\nimport \"last\"\n\nconst C = \"no\"\n", "fmt blank dot other raw last", "commented named no y"},
	} {
		set := importsOf([]byte(tt.head + "type T int\n"))
		for _, name := range strings.Fields(tt.want) {
			if !set.has(importBitsOf([]byte(name))) {
				t.Errorf("%q: %s is not seen", tt.head, name)
			}
		}
		for _, name := range strings.Fields(tt.not) {
			if set.has(importBitsOf([]byte(name))) {
				t.Errorf("%q: has %s", tt.head, name)
			}
		}
	}
	for _, head := range []string{"", "package", "package a\nimport (\n\t\"x\"\n", "package a\nimport \"x", "package a\nimport 1\n", "package a\n// all of it", "func f() {}\n"} {
		if importsOf([]byte(head)) != allImports {
			t.Errorf("%q: it is known", head)
		}
	}
}
