package find

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What gives a group a name is read in every language by the line that it stands on; a
// field, an argument and a longer value give it none.
func TestConstants(t *testing.T) {
	const group = "a.example.com"
	for _, c := range []struct{ file, text, want string }{
		{"a.py", "GROUP = \"a.example.com\"\n", "GROUP"},
		{"a.py", "GROUP: str = 'a.example.com'  # of the API\n", "GROUP"},
		{"a.py", "API = \"a.example.com/v1\"\n", "API"},
		{"A.java", "  static final String GROUP = \"a.example.com\";\n", "GROUP"},
		{"a.rs", "pub const GROUP: &'static str = \"a.example.com\";\n", "GROUP"},
		{"a.ts", "export const group: string = `a.example.com`;\n", "group"},
		{"a.sh", "export GROUP=a.example.com\n", "GROUP"},
		{"a.sh", "GROUP=${GROUP:-a.example.com}\n", "GROUP"},
		{"Makefile", "GROUP ?= a.example.com\nOTHER := a.example.com\n", "GROUP OTHER"},
		{"x.tpl", "{{- $group := \"a.example.com\" -}}\n", "$group"},
		{"values.yaml", "api:\n  # of the API\n  of:\n    group: a.example.com\n", ".Values.api.of.group"},
		{"values-test.yaml", "group: a.example.com\n", ".Values.group"},
		{"a.yaml", "GROUP: a.example.com\n", "GROUP"},

		{"a.yaml", "group: a.example.com\n", ""},
		{"a.yaml", "apiVersion: a.example.com/v1\n", ""},
		{"a.py", "list(group=\"a.example.com\", version=\"v1\")\n", ""},
		{"a.py", "make(\n    group=\"a.example.com\",\n)\n", ""},
		{"a.py", "GROUP = \"a.example.com\" + x\n", ""},
		{"a.py", "GROUP = \"a.example.com/widgets\"\n", ""},
		{"a.py", "if GROUP == \"a.example.com\":\n", ""},
	} {
		var names []string
		for _, x := range Constants(c.file, []byte(c.text), group) {
			names = append(names, x.Name)
			if got := string(x.At.Of([]byte(c.text))); got != group {
				t.Errorf("%q: %s stands at %q", c.text, x.Name, got)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s %q: constants %q, want %q", c.file, c.text, got, c.want)
		}
	}
}

// A constant with a capital, and a value of a chart, may be used by other files.
func TestSharedConstants(t *testing.T) {
	for name, want := range map[string]bool{"GROUP": true, "Group": true, ".Values.group": true, "group": false, "$group": false, "_GROUP": false} {
		if got := (Constant{Name: name}).Shared(); got != want {
			t.Errorf("%s: shared %v", name, got)
		}
	}
}

// A name is made of another one where it is given that with a version and signs alone.
func TestDerived(t *testing.T) {
	const text = `API = GROUP + "/v1"
F = f"{GROUP}/v1"
string java = GROUP + "/" + VERSION;
call = f(GROUP, "x y")
GROUP = GROUP
none = 3
`
	got := Derived([]byte(text), func(name string) bool { return name == "GROUP" })
	var list []string
	for _, name := range slices.Sorted(maps.Keys(got)) {
		list = append(list, name+" of "+got[name])
	}
	if got, want := strings.Join(list, ", "), "API of GROUP, F of GROUP, java of GROUP"; got != want {
		t.Errorf("derived: %s, want %s", got, want)
	}
}

// Names are identifiers, those of a shell and a template with their sign too, and values
// of charts.
func TestEachName(t *testing.T) {
	var got []string
	text := []byte("$a + b_1.c .Values.x.y")
	EachName(text, func(name string, at source.Span) {
		got = append(got, fmt.Sprintf("%s@%d", name, at.Start))
		if string(at.Of(text)) != name {
			t.Errorf("%s stands at %q", name, at.Of(text))
		}
	})
	if want := "a@1 $a@0 b_1@5 c@9 .Values.x.y@11"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

// Kinds of Kubernetes are known by name, and formats by the language of their files.
func TestKnownKindsAndLanguages(t *testing.T) {
	if !IsBuiltInKind("Deployment") || IsBuiltInKind("Deploy") || IsBuiltInKind("AppWrapper") {
		t.Error("Deployment alone is a kind of Kubernetes")
	}
	if LowerFirst("AppWrapper") != "appWrapper" || LowerFirst("") != "" {
		t.Error("the first letter alone becomes small")
	}
	for _, c := range []struct {
		file string
		code bool
	}{{"a.py", true}, {"a.ts", true}, {"a.sh", true}, {"a.yaml", false}, {"a.md", false}} {
		if got := FormatOf(c.file, nil).Language() != nil; got != c.code {
			t.Errorf("%s is source: %v", c.file, got)
		}
	}
}
