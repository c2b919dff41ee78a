package migrate

import (
	"path"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A constant that is a kind or a resource is for a person where it is defined, if a file
// of another package or of its own uses it beside a group of the rules; one that is used
// beside another group, or beside none, is not.
func TestGoWordsOfPackages(t *testing.T) {
	m := parsedMigration(t, goRuleset, false)
	api := strings.Split(treeTypes, "// +kubebuilder")[0]
	const head = "package a\n\nimport (\n\tv1 \"example.net/m/api/v1\"\n\tbatchv1 \"k8s.io/api/batch/v1\"\n\t\"example.net/m/names\"\n)\n\n"
	const names = "package names\n\nconst (\n\tKindPlum = \"Plum\"\n\tPlumList = \"PlumList\"\n\tPlural   = \"plums\"\n\tPlumDocs = \"A Plum\"\n)\n"
	for _, tt := range []struct{ name, code, want string }{
		{"fields", "var x = metav1.OwnerReference{APIVersion: v1.GroupVersion.String(), Kind: names.KindPlum}", "4 Plum"},
		{"a literal of schema", "var x = schema.GroupVersionKind{Group: v1.Group, Kind: names.PlumList}", "5 PlumList"},
		{"a call", "var x, y = v1.GroupVersion.WithKind(names.KindPlum), v1.GroupVersion.WithResource(names.Plural)", "4 Plum\n6 plums"},
		{"a comparison in a file of the API", "var x = ref.Kind == names.KindPlum", "4 Plum"},
		{"another group", "var x = batchv1.SchemeGroupVersion.WithKind(names.KindPlum)", ""},
		{"no group", "var x = log(names.KindPlum)", ""},
		{"another name", "var x = v1.GroupVersion.WithKind(names.PlumDocs)", ""},
		{"a name that is not there", "var x = v1.GroupVersion.WithKind(names.KindOther)", ""},
		{"a field of the same name", "var x = v1.GroupVersion.WithKind(o.KindPlum)", ""},
		{"a name of its own package in another file", "var x = v1.GroupVersion.WithKind(ownKind)", "a/own.go:3 Plum"},
		{"a function that is given a kind", "var x = reference(owner, \"Plum\")", "a/a.go:9 Plum"},
		{"another argument of it", "var x = reference(\"Plum\", kind)", ""},
		{"one that is given the group, too", "var x = grouped(other, \"Plum\")", ""},
		{"a method that is given a kind", "var x = r.method(\"Plum\")", "a/a.go:9 Plum"},
		{"a group by another name in another package", "var x = names.GV.WithKind(\"Plum\")", "a/a.go:9 Plum"},
		{"what is made of the group", "var x = Owner{APIVersion: names.APIVersion, Kind: \"Plum\"}\n\nvar y = Owner{APIVersion: names.Printed, Kind: \"Plum\"}", "a/a.go:9 Plum\na/a.go:11 Plum"},
		{"a manifest in a text beside the group", "var x = fmt.Sprintf(\"apiVersion: %s\\nkind: Plum\\n\", names.GV)\n\nvar y = `{\"apiVersion\":\"` + names.APIVersion + `\",\"kind\":\"Plum\"}`\n\nvar z = fmt.Sprintf(\"kind: PlumCake\", names.GV)", "a/a.go:9 Plum\na/a.go:11 Plum"},
		{"names in a circle", "var x = names.GVa.WithKind(\"Plum\")", ""},
		{"another thing by another name", "var x = names.Fruit.WithKind(\"Plum\")", ""},
		{"a function of another package", "var x = names.Of(\"plums\")", "a/a.go:9 plums"},
	} {
		tree := memory{
			"go.mod": "module example.net/m\n", "api/v1/types.go": api, "a/a.go": head + tt.code + "\n",
			"a/own.go":       "package a\n\nconst ownKind = \"Plum\"\n\nfunc reference(owner, kind string) {}\n\nfunc grouped(group, kind string) {}\n\nfunc (x X) method(kind string) {}\n",
			"names/group.go": "package names\n\nimport v1 \"example.net/m/api/v1\"\n\nvar GV = v1.GroupVersion\n\nvar Fruit = v1.Apple\n\nvar GVa = GVb\n\nvar GVb = GVa\n\nvar APIVersion = v1.Group + \"/\" + Version\n\nvar Printed = fmt.Sprintf(\"%s/%s\", v1.Group, Version)\n",
			"names/names.go": names + "\nfunc Of(plural string) string { return \"plums\" }\n",
		}
		var want []string
		for line := range strings.Lines(tt.want) {
			at, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			if !strings.Contains(at, ":") {
				at = "names/names.go:" + at
			}
			want = append(want, at+" go-built "+name+" → "+strings.NewReplacer("Plum", "Prune", "plum", "prune").Replace(name))
		}
		if got := outcomesIn(t, m, tree); got != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, strings.Join(want, "\n"))
		}
	}
}

// Code that uses an API whose packages are in another module puts its kinds together with
// the group there: the module is one of the ruleset, or its path says the group.
func TestGoWordsOfOtherModules(t *testing.T) {
	const modules = "modules:\n  - {from: example.org/fruit, to: TO, run: go get example.org/fruit@v2.0.0}\n"
	const mod = "module example.net/user\n\nrequire example.org/fruit v2.0.0\n"
	code := func(where string) string {
		return "package a\n\nimport v1 \"" + where + "\"\n\nvar x = v1.GroupVersion.WithKind(\"Plum\")\n\nvar y = Owner{APIVersion: v1.SchemeGroupVersion.String(), Kind: \"Plum\"}\n\nvar z = v1.Other.WithKind(\"Plum\")\n"
	}
	const told = "a.go:5 go-built Plum → Prune\na.go:7 go-built Plum → Prune"
	for _, tt := range []struct{ name, to, where, more, want string }{
		{"the module as it was", "example.org/fruit", "example.org/fruit/api/v1", "", told},
		{"the module where it is now", "example.org/apple", "example.org/apple/api/v1", "", told},
		{"another module", "example.org/fruit", "example.org/fruits/api/v1", "", ""},
		{"a path with the group", "", "example.com/x/apis/tree.example.com/v1", "var g = \"tree.example.com\"\n", told},
		{"a path with its first label", "", "example.com/x/apis/tree/v1", "var g = \"tree.example.com\"\n", told},
		{"a path without a version", "", "example.com/x/tree/set", "var g = \"tree.example.com\"\n", ""},
	} {
		set := goRuleset
		if tt.to != "" {
			set += strings.Replace(modules, "TO", tt.to, 1)
		}
		if got := outcomesIn(t, parsedMigration(t, set, false), memory{"go.mod": mod, "a.go": code(tt.where), "g.go": "package a\n\n" + tt.more}); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// A module whose packages stay where they are is told of by its version alone: no import
// moves, and nothing says that it did.
func TestModuleThatStays(t *testing.T) {
	m := parsedMigration(t, goRuleset+"modules:\n  - {from: example.org/fruit, to: example.org/fruit, run: go get example.org/fruit@v2.0.0}\n", false)
	code := "package a\n\nimport v1 \"example.org/fruit/api/v1\"\n\nvar x v1.Pear\n"
	for version, want := range map[string]string{"v1.0.0": "go.mod:3 module example.org/fruit v1.0.0 → ", "v2.0.0": ""} {
		if got := outcomesIn(t, m, memory{"go.mod": "module example.net/user\n\nrequire example.org/fruit " + version + "\n", "a.go": code}); got != want {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
	}
}

// A module tells of the groups of its own ruleset alone, and a path of no kind that
// Kubernetes has as well.
func TestGroupsOutside(t *testing.T) {
	step := func(kind, set string) []goStep {
		return []goStep{{rules.GVK{Kind: kind}, rules.GVK{Kind: "New" + kind}, rules.Rule{Set: set}}}
	}
	r := &goReader{
		place:   path.Clean,
		goRules: &goRules{sorted: []string{"batch.example.com", "fruit.example.com"}, steps: map[string][]goStep{"batch.example.com": step("Job", "a"), "fruit.example.com": step("Fig", "a")}},
		modules: []rules.Module{{From: "example.org/a", Set: "a"}, {From: "example.org/b", Set: "b"}},
	}
	for _, tt := range []struct{ where, kind, want string }{
		{"example.org/a/api", "Fig", "fruit.example.com"}, {"example.org/a/api", "Job", "batch.example.com"}, {"example.org/b/api", "Fig", ""}, {"example.org/a/api", "Pear", ""},
		{"example.com/apis/fruit/v1", "Fig", "fruit.example.com"}, {"example.com/apis/batch/v1", "Job", ""}, {"example.com/apis/fruit.example.com/v1", "Fig", "fruit.example.com"},
	} {
		if got := r.outside(tt.where, goWord{name: tt.kind, role: find.RoleKind}); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.kind, tt.where, got, tt.want)
		}
	}
}
