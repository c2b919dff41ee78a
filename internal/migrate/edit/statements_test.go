package edit

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// The statement of a string goes to what ends it: a body or a literal around it, the
// next statement, the end of a line that does not go on. @ stands for the string.
func TestStatements(t *testing.T) {
	for _, x := range []struct{ file, in, want string }{
		{"a.go", "a(); f(@); b()\n", ` f(@)`},
		{"a.go", "a()\nf(@)\nb()\n", `f(@)`},
		{"a.go", "a{b}; f(g[1], @, {c}).h()\nb()\n", ` f(g[1], @, {c}).h()`},
		{"a.go", "x := A{\n\tK: \"v\",\n\tG: @,\n}\n", "\tK: \"\"\",\n\tG: @,\n"},
		{"a.go", "f(\n\t@,\n\tb)\ng()\n", "f(\n\t@,\n\tb)"},
		{"a.go", "f().\n\tG(@).\n\tK(b)\ng()\n", "f().\n\tG(@).\n\tK(b)"},
		{"a.java", "f()\n\t.g(@)\n\t.k(b);\nc();\n", "f()\n\t.g(@)\n\t.k(b)"},
		{"a.java", "g(); f() // x; y\n\t.g(@) /* a; */ .k(b);\n", " f()        \n\t.g(@)          .k(b)"},
		{"a.java", "x = a +\n  @ +\n  b;\nc\n", "x = a +\n  @ +\n  b"},
		{"a.go", "if a == @ && b ||\n\tc {\n\td()\n}\ne()\n", "if a == @ && b ||\n\tc {\n\td()\n}"},
		{"a.go", "if a == @ {\n\tb(\"}\")\n}\nc()\n", "if a == @ {\n\tb(\"\"\")\n}"},
		{"a.py", "a()\nif g == @:\n  b()\n\n  c()\nd()\n", "if g == @:\n  b()\n\n  c()"},
		{"a.py", "x = [1,\n @]\nb = 2\n", "x = [1,\n @]"},
		{"a.py", "x = \\\n  @\nb = 2\n", "x = \\\n  @"},
		{"a.go", "case @:\n\tb()\ncase c:\n", "case @:\n\tb()"},
		{"a.py", "x: @\n  b()\n", "x: @"},
		{"a.rego", "a {\n  b == @\n  c == 1\n}\nd\n", "\n  b == @\n  c == 1\n"},
		{"a.rego", "a { b; c == @ }\nd\n", " b; c == @ "},
		{"a.rego", "a = {b}\nc = @\nd = 1\n", "c = @"},
	} {
		data := strings.ReplaceAll(x.in, "@", `"name"`)
		lang := find.FormatOf(x.file, []byte(data)).Language()
		c := readStatements([]byte(data), lang.Lex([]byte(data)), lang == text.Languages["hash"])
		at := strings.Index(data, "name")
		in, ok := c.around(source.Span{Start: at, End: at + 4})
		if got := strings.ReplaceAll(string(in.Of(c.plain)), `""""""`, "@"); !ok || got != x.want {
			t.Errorf("%s: %q: got %q, want %q", x.file, x.in, got, x.want)
		}
	}
}

// A name in a longer string, or in none, has no statement.
func TestNoStatement(t *testing.T) {
	data := []byte(`f("a name in a sentence", name)`)
	c := readStatements(data, text.Languages["go"].Lex(data), false)
	for _, at := range []int{5, 26} {
		if in, ok := c.around(source.Span{Start: at, End: at + 4}); ok {
			t.Errorf("%d: %q", at, in.Of(data))
		}
	}
	far := "f(" + strings.Repeat(" ", 2*statementReach) + `"name"` + strings.Repeat(" ", 2*statementReach) + ")"
	c = readStatements([]byte(far), text.Languages["go"].Lex([]byte(far)), false)
	at := strings.Index(far, "name")
	if in, _ := c.around(source.Span{Start: at, End: at + 4}); in.Len() != 2*statementReach+len(`"name"`) {
		t.Errorf("a statement of %d bytes", in.Len())
	}
}

// What a statement says of the kind of the group @ in it: by a constant, by a name that
// is alike, by the type of the object, by the statement beside it.
func TestKindsOfStatements(t *testing.T) {
	type asks = func(c *statements, i int) string
	constant := func(c *statements, i int) string { kind, _ := c.constantBeside(i); return kind }
	alike, typed, next := (*statements).namedAlike, (*statements).typeAround, (*statements).nextTo
	for _, x := range []struct {
		name string
		asks asks
		in   string
		want string
	}{
		{"a constant beside it", constant, "x := A{Group: @, Kind: api.FigKind}\n", "Fig"},
		{"a constant in the brackets around it", constant, "x := A{B: f(@), Kind: KindFig}\n", "Fig"},
		{"of another entry", constant, "x := A{{Group: @}, {Kind: FigKind}}\n", ""},
		{"of no kind", constant, "x := A{Group: @, Kind: figs}\n", ""},
		{"behind the list", constant, "x := A{Group: @}\ny := B{Kind: FigKind}\n", ""},
		{"a name that is alike", alike, "x := A{FigGroup: @, FigKind: \"Fig\"}\n", "Fig"},
		{"a name that is alike, before it", alike, "x := A{FigKind: \"Fig\", FigGroup: @}\n", "Fig"},
		{"two variables", alike, "FigGroup := @\nFigKind := \"Fig\"\n", "Fig"},
		{"another name", alike, "x := A{FigGroup: @, PearKind: \"Pear\"}\n", ""},
		{"no name", alike, "f(@, \"Fig\")\n", ""},
		{"the name of something else", alike, "x := A{FigHost: @, FigKind: \"Fig\"}\n", ""},
		{"in other brackets", alike, "x := A{FigGroup: @, B: {FigKind: \"Fig\"}}\n", ""},
		{"the only one", alike, "x := A{FigGroup: @}\n", ""},
		{"the type of an object", typed, "x := &api.Fig{APIVersion: @}\n", "Fig"},
		{"the type around its head", typed, "x := &api.Fig{TypeMeta: metav1.TypeMeta{APIVersion: @}}\n", "Fig"},
		{"a call", typed, "x := api.Fig(@)\n", ""},
		{"a type of its own package", typed, "x := &Fig{APIVersion: @}\n", ""},
		{"nothing around it", typed, "x := @\n", ""},
		{"the line behind it", next, "x.APIVersion = @\nx.Kind = \"Fig\"\n", "Fig"},
		{"the line before it", next, "x.SetKind(\"Fig\")\nx.SetAPIVersion(@)\n", "Fig"},
		{"a constant on the line behind it", next, "x.APIVersion = @\nx.Kind = api.FigKind", "Fig"},
		{"another object", next, "x.APIVersion = @\ny.Kind = \"Fig\"\n", ""},
		{"the only line", next, "x.APIVersion = @", ""},
		{"no version", next, "x.Group = @\nx.Kind = \"Fig\"\n", ""},
	} {
		data := []byte(strings.ReplaceAll(x.in, "@", `"name"`))
		c := readStatements(data, text.Languages["go"].Lex(data), false)
		at := strings.Index(string(data), "name")
		i, ok := c.literal(source.Span{Start: at, End: at + 4})
		if got := x.asks(c, i); !ok || got != x.want {
			t.Errorf("%s: %q: %q, want %q", x.name, x.in, got, x.want)
		}
	}
}
