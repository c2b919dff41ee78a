package edit

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// withNeighbours are forms in which source has a kind or a resource beside a group. KIND
// and KINDS are one that the rules name, and one that they do not.
var withNeighbours = []struct {
	name, file, in string
	told           bool // a person is told of a kind that stays; else it is kept with its reason
}{
	{name: "builder", file: "a.java", in: `new A().withApiVersion("old.example.com/v1").withKind("KIND").build();`},
	{name: "builder, kind first", file: "a.java", in: `new A().withKind("KIND").withApiVersion("old.example.com/v1").build();`},
	{name: "builder over lines", file: "a.java", in: "new A()\n    .withGroup(\"old.example.com\")\n    .withKind(\"KIND\")\n    .withPlural(\"KINDS\");"},
	{name: "setters of a model", file: "a.java", in: `new A().apiVersion("old.example.com/v1").kind("KIND");`},
	{name: "keys and values in turn", file: "a.java", in: `Map.of("apiVersion", "old.example.com/v1", "kind", "KIND");`},
	{name: "annotations", file: "a.java", in: "@Group(\"old.example.com\")\n@Version(\"v1\")\n@Kind(\"KIND\")\nclass A {}"},
	{name: "annotation of a class", file: "a.java", in: `@Version("v1") @Group("old.example.com") class KIND extends B {}`},
	{name: "lists of a builder", file: "a.java", in: `b.withApiGroups(List.of("old.example.com")).withResources(List.of("KINDS"));`},
	{name: "lists that are added to", file: "a.java", in: `b.addToApiGroups("old.example.com").addToResources("KINDS");`},
	{name: "apply configuration", file: "a.go", in: `var x = a.OwnerReference().WithAPIVersion("old.example.com/v1").WithKind("KIND")`},
	{name: "apply configuration, a call each", file: "a.go", in: "func f() {\n\tb.WithKind(\"KIND\")\n\tb.WithAPIVersion(\"old.example.com/v1\")\n}"},
	{name: "fields", file: "a.go", in: `var x = A{APIVersion: "old.example.com/v1", Kind: "KIND"}`},
	{name: "fields that point", file: "a.go", in: `var x = A{Group: new("old.example.com"), Kind: new("KIND")}`},
	{name: "fields of their own types", file: "a.go", in: `var x = A{Group: ptr.To(b.Group("old.example.com")), Kind: ptr.To(b.Kind("KIND"))}`},
	{name: "resource and subresource", file: "a.go", in: `var x = A{Group: "old.example.com", Resource: "KINDS", Subresource: "status"}`},
	{name: "object of a type", file: "a.go", in: `var x = []A{{"old.example.com/v1", &v1.KIND{}}}`, told: true},
	{name: "key of a version", file: "a.go", in: `var x = map[string]string{"old.example.com/v1": "KIND"}`},
	{name: "labels of a series", file: "a.promql", in: `x{customresource_group="old.example.com", customresource_kind="KIND"}`},
	{name: "expression of a schema", file: "a.yaml", in: "rule: self.apiGroup == 'old.example.com' && self.kind == 'KIND'"},
	{name: "constants of a schema", file: "a.yaml", in: "apiVersion: {type: string, const: old.example.com/v1}\nkind: {const: KIND}"},
	{name: "array", file: "a.go", in: `var x = [3]string{"old.example.com", "v1", "KINDS"}`, told: true},
	{name: "key of a map", file: "a.go", in: `var x = map[string][]string{"old.example.com": {"KINDS"}}`, told: true},
	{name: "value of a map", file: "a.go", in: `var x = map[string]string{"KIND": "old.example.com/v1"}`},
	{name: "entry beside another", file: "a.go", in: `var x = map[string]string{"Other": "other.example.com/v1", "KIND": "old.example.com/v1"}`},
	{name: "condition", file: "a.go", in: "func f() {\n\tif g.Group == \"old.example.com\" && g.Kind == \"KIND\" {\n\t}\n}"},
	{name: "condition, kind first", file: "a.go", in: "func f() {\n\tif g.Kind == \"KIND\" && g.Group == \"old.example.com\" {\n\t}\n}"},
	{name: "condition of its own below another", file: "a.go", in: "func f() {\n\tif g.Kind == \"Other\" {\n\t}\n\tif g.Kind == \"KIND\" && g.Group == \"old.example.com\" {\n\t}\n}"},
	{name: "alternative", file: "a.go", in: "func f() {\n\tif g.Group == \"other.example.com\" && g.Kind == \"Other\" || g.Group == \"old.example.com\" && g.Kind == \"KIND\" {\n\t}\n}"},
	{name: "switch", file: "a.go", in: "func f() {\n\tswitch g.Group {\n\tcase \"old.example.com\":\n\t\tif g.Kind == \"KIND\" {\n\t\t}\n\t}\n}"},
	{name: "named arguments", file: "a.py", in: `f(group="old.example.com", plural="KINDS")`},
	{name: "dictionary", file: "a.py", in: `X = {"apiVersion": "old.example.com/v1", "kind": "KIND"}`},
	{name: "dictionary of kinds", file: "a.py", in: `X = {"KIND": "old.example.com"}`},
	{name: "decorators", file: "a.py", in: "@on(\"figs.old.example.com\")\n@on(group=\"old.example.com\", plural=\"KINDS\")\ndef f(): pass"},
	{name: "rule of a policy", file: "a.rego", in: "deny {\n  startswith(input.apiVersion, \"old.example.com/\")\n  input.kind == \"KIND\"\n}"},
	{name: "set of a policy", file: "a.rego", in: `kinds := {"old.example.com": ["KIND"]}`, told: true},
	{name: "object in TypeScript", file: "a.ts", in: `const x = { apiVersion: "old.example.com/v1", kind: "KIND" };`},
}

// Whatever the form: a group does not move by the rule of another kind than that
// beside it, and not without what has to move with it.
func TestNeighbours(t *testing.T) {
	benches := map[string]*bench{}
	for name, list := range map[string]string{
		"one":     "{id: fig, from: {group: old.example.com, kind: Fig, plural: figs}, to: {group: new.example.org}}",
		"whole":   "{id: all, from: {group: old.example.com}, to: {group: new.example.org}}",
		"kind":    "{id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n  - {id: fig, from: {group: old.example.com, kind: Fig, plural: figs}, to: {group: new.example.org, kind: Plum, plural: plums}}",
		"version": "{id: fig, from: {group: old.example.com, version: v1, kind: Fig, plural: figs}, to: {group: old.example.com, version: v2}}",
	} {
		table := rulestest.Table(t, "name: "+name+"\nrules:\n  - "+list+"\n")
		benches[name] = &bench{table: table, names: judge.NamesOf(table, nil)}
	}
	for _, x := range withNeighbours {
		for set, b := range benches {
			for kind, plural := range map[string]string{"Fig": "figs", "Pear": "pears"} {
				in := strings.NewReplacer("KINDS", plural, "KIND", kind).Replace(x.in) + "\n"
				if strings.HasSuffix(x.file, ".go") {
					in = "package a\n\n" + in
				}
				t.Run(x.name+"/"+set+"/"+kind, func(t *testing.T) {
					made := b.plan(x.file, in)
					got, told := written(t, in, made)
					switch stays := kind == "Pear" && (set == "one" || set == "version"); {
					case stays && strings.ReplaceAll(got, "figs.new.example.org", "figs.old.example.com") != in:
						t.Errorf("it moves by the rule of another kind: %s", got)
					case stays && set == "one" && len(told) > 0 != x.told:
						t.Errorf("a person is told %q, and what stays %q", told, staying(made))
					case stays || len(told) > 0:
					case set == "version":
						if strings.Contains(in, `"v1"`) && got == in {
							t.Error("nothing is said of the version")
						}
					case strings.Contains(got, `"old.example.com`):
						t.Errorf("it does not move: %s", got)
					case set == "kind" && kind == "Fig" && (strings.Contains(strings.ReplaceAll(got, "&v1.Fig{}", ""), "Fig") || strings.Contains(got, `"figs`)):
						t.Errorf("it moves by half: %s", got)
					}
				})
			}
		}
	}
}
