package migrate

import (
	"slices"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What a file declares is found, whatever its functions and strings hold.
func TestOwnsWithoutFunctions(t *testing.T) {
	old := source.NewFinder([]string{"a.example.com"})
	for name, data := range map[string]string{
		"plain":        "package a\n\nfunc f() {\n\treturn\n}\n\nconst Group = \"a.example.com\"\n",
		"not gofmt'ed": "package a\n\nfunc f() {\n\tif x {\n}\n}\n\nconst Group = \"a.example.com\"\n",
		"in strings":   "package a\n\nconst a = `\nfunc x() {\n`\n\nconst Group = \"a.example.com\"\n\nconst b = `\n}\n`\n",
		"a comment":    "package a\n\nfunc f() {\n\t/*\n}\n\t*/\n}\n\nvar Group = \"a.example.com\"\n",
		"the body too": "package a\n\nfunc f() {\n\tx := \"a.example.com\"\n}\n\nvar Group = \"a.example.com\"\n",
		"on one line":  "package a\n\nfunc f() { return }\n\nvar Group = \"a.example.com\"\n\nfunc (x T) g() struct {\n\ta int\n} {\n\tfor {\n\t}\n}\n",
	} {
		k := &goKeys{place: func(name string) string { return name }}
		k.owns("api/a.go", []byte(data), old)
		var got []string
		for _, g := range k.groups {
			got = append(got, g.name+"="+data[g.at.Start:g.at.End])
		}
		if want := `Group="a.example.com"`; !slices.Contains(got, want) {
			t.Errorf("%s: got %q, want %s", name, got, want)
		}
	}
}
