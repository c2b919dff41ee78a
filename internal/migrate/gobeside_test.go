package migrate

import (
	"strings"
	"testing"
)

// A kind or resource that Go code says beside the constant of a group, or a variable
// that is one, is for a person at each place; one beside another group is not.
func TestGoNamesBesideGroups(t *testing.T) {
	m := parsedMigration(t, goRuleset, false)
	const head = "package a\n\nimport (\n\tv1 \"example.net/m/api/v1\"\n\tbatchv1 \"k8s.io/api/batch/v1\"\n)\n\n"
	api := strings.Split(treeTypes, "// +kubebuilder")[0] + "\nconst Whole = \"tree.example.com/v1\"\n"
	for _, tt := range []struct{ name, code, want string }{
		{"a call on the variable of another package", `var x = v1.GroupVersion.WithResource("plums")`, "8 plums"},
		{"on a local name of it", "func f() {\n\tgv := v1.GroupVersion\n\t_ = gv.WithKind(\"Plum\")\n}", "10 Plum"},
		{"an argument of a call", `var x = f(owner, v1.GroupVersion.WithKind("Plum"))`, "8 Plum"},
		{"lists in fields", `var x = rbac.PolicyRule{APIGroups: []string{v1.GroupVersion.Group}, Resources: []string{"plums", "plums/status", "pears"}}`, "8 plums\n8 plums"},
		{"fields of a manifest", `var x = metav1.TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "Plum"}`, "8 Plum"},
		{"keys of a map", `var x = map[string]any{"apiVersion": v1.GroupVersion.String(), "kind": "Plum"}`, "8 Plum"},
		{"a field that is set", "func f() {\n\to.APIVersion = v1.GroupVersion.String()\n\to.Kind = \"Plum\"\n}", "10 Plum"},
		{"a setter", "func f() { u.SetAPIVersion(v1.GroupVersion.String()); u.SetKind(\"Plum\") }", "8 Plum"},
		{"a comparison", `var x = ref.APIVersion == v1.GroupVersion.String() && ref.Kind == "Plum"`, "8 Plum"},
		{"a constant for the kind", "const plum = \"Plum\"\n\nvar x = v1.GroupVersion.WithKind(plum)", "8 Plum"},
		{"a function of the package", `var x = v1.Resource("plums")`, "8 plums"},
		{"the list of a kind", `var x = v1.GroupVersion.WithKind("PlumList")`, "8 PlumList"},
		{"the builder of a scheme", `var x = v1.SchemeBuilder.GroupVersion.WithKind("Plum")`, "8 Plum"},
		{"names of CRDs", "var x = \"plums.\" + v1.GroupVersion.Group\n\nvar y = fmt.Sprintf(\"plums.%s\", v1.GroupVersion.Group)", "8 plums\n10 plums"},
		{"a path", `var x = fmt.Sprintf("/apis/%s/%s/namespaces/%s/plums/%s", v1.GroupVersion.Group, a, b, c)`, "8 plums"},
		{"a key that is set", "func f() {\n\to[\"apiVersion\"] = v1.GroupVersion.String()\n\to[\"kind\"] = \"Plum\"\n}", "10 Plum"},
		{"a resource that is set", "func f() {\n\tgvr := schema.Resource{Group: v1.Group}\n\tgvr.Resource = \"plums\"\n}", "10 plums"},
		{"fields in their order", `var x = []row{{v1.GroupVersion, "Plum"}}`, "8 Plum"},
		{"the name of a resource", `var x = admission.Resource{Name: "plums", APIGroup: v1.GroupVersion.Group}`, "8 plums"},
		{"the name of an object", `var x = Ref{Name: "plums", Kind: "Pear", APIVersion: v1.GroupVersion.String()}`, ""},
		{"what is said to people, and a path of files", "var x = log.Info(\"a\", v1.GroupVersion.String(), \"plums\")\n\nvar y = filepath.Join(\"plums\", v1.GroupVersion.String())\n\nvar z = f(\"plums\", v1.GroupVersion.Version)", ""},
		{"a kind that is compared, in a file of the API", "var _ v1.Pear\n\nvar x = ref.Kind != \"Plum\"", "10 Plum"},
		{"a case of a choice by kind", "var _ v1.Pear\n\nfunc f() {\n\tswitch ref.Kind {\n\tcase \"Plum\":\n\t}\n}", "12 Plum"},
		{"a constant for the resource", "var _ v1.Pear\n\nconst resourcePluralName = \"plums\"", "10 plums"},
		{"a constant that is a group with its version", "var x = metav1.TypeMeta{APIVersion: v1.Whole, Kind: \"Plum\"}", "8 Plum"},
		{"a kind alone", "var _ v1.Pear\n\nvar x = Ref{Kind: \"Plum\", Name: \"a\"}", "10 Plum"},
		{"a kind alone that is set", "var _ v1.Pear\n\nfunc f() {\n\tkind = \"Plum\"\n}", "11 Plum"},
		{"a kind in a list of what an object has", "var _ v1.Pear\n\nvar x = list{GroupVersion: \"foo/v1\", Items: []item{{Kind: \"Plum\"}}}", ""},
		{"a kind that a test expects", "var _ v1.Pear\n\nvar x = Expect(ref.Kind).To(Equal(\"Plum\"))\n\nvar y = assert.Equal(t, \"Plum\", o.GetKind())", "10 Plum\n12 Plum"},
		{"a kind by its name beside it", "var _ v1.Pear\n\nvar x = set(o, \"Plum\", \"kind\")\n\nvar y = HaveField(\"Kind\", \"Plum\")", "10 Plum\n12 Plum"},
		{"a resource behind a verb", "var _ v1.Pear\n\nvar x = c.PrependReactor(\"create\", \"plums\", react)\n\nvar y = get(\"plums\")", "10 plums"},
		{"a group that a function is given", "var _ v1.Pear\n\nfunc f(group string) {\n\t_ = schema.GroupKind{Group: group, Kind: \"Plum\"}\n}", "11 Plum"},
		{"a field that is a group", "var _ v1.Pear\n\nvar x = schema.GroupKind{Group: opts.Group, Kind: \"Plum\"}", "10 Plum"},
		{"a variable that is another group", "var _ v1.Pear\n\nfunc f() {\n\tg := batchv1.GroupName\n\t_ = schema.GroupKind{Group: g, Kind: \"Plum\"}\n}", ""},
		{"a variable that has another group", "var _ v1.Pear\n\nfunc f() {\n\tg := schema.GroupVersion{Group: \"batch\", Version: \"v1\"}\n\t_ = schema.GroupKind{Group: g.Group, Kind: \"Plum\"}\n}", ""},
		{"a key that is set beside its Go type", "func f() {\n\tknown[\"Plum\"] = &v1.Plum{}\n\tknown[\"Plum\"] = &v1.Pear{}\n}", ""},
		{"an argument of what a kind is set to", "var _ v1.Pear\n\nfunc f() {\n\tkind = title(\"Plum\")\n\t_ = Ref{Kind: title(\"Plum\")}\n}", ""},
		{"a group that is spelled out, and what is given to it", "const plural = \"plums\"\n\nvar x = schema.GroupVersionResource{Group: \"tree.example.com\", Version: \"v1\", Resource: plural}\n\nvar y = fmt.Sprintf(`{\"apiVersion\":\"tree.example.com/v1\",\"kind\":%q}`, \"Plum\")\n\nvar z = f(\"sub.tree.example.com\", \"Plum\")", "8 plums\n12 Plum"},
		{"other words beside the group", "var x = f(v1.GroupVersion, \"Plum/x\", \"a/plums\")", ""},
		{"a constant of the file that is another group", "var _ v1.Pear\n\nconst group = \"batch\"\n\nvar x = schema.GroupKind{Group: group, Kind: \"Plum\"}", ""},
		{"what a function for a kind returns", "var _ v1.Pear\n\nfunc GetKind() string { return \"Plum\" }\n\nfunc Name() string { return \"Plum\" }", "10 Plum"},
		{"a list of kinds", "var _ v1.Pear\n\nfunc f() {\n\tresources := []string{\"plums\", \"pears\"}\n\tnames := []string{\"plums\"}\n\tfor _, kind := range []string{\"Plum\"} {\n\t}\n}", "11 plums\n13 Plum"},
		{"a constant whose type is a kind", "var _ v1.Pear\n\nconst Fruit FruitKind = \"Plum\"", "10 Plum"},
		{"a request for a resource", "var _ v1.Pear\n\nvar x = c.Get().Resource(\"plums\").Name(\"plums\")", "10 plums"},
		{"paths in parts", "var x = \"/apis/\" + v1.GroupVersion.String() + \"/plums/\" + name\n\nvar y = path.Join(\"/apis\", v1.Group, \"v1\", \"plums\")\n\nvar z = fmt.Sprintf(\"Plum.%s\", v1.Group)", "8 plums\n10 plums\n12 Plum"},
		{"a kind that is compared beside another group", "var x = ref.APIVersion == \"batch/v1\" && ref.Kind == \"Plum\"", ""},
		{"a call on the variable of a package that is not there", `var x = batchv1.SchemeGroupVersion.WithKind("Plum")`, ""},
		{"fields of another group", `var x = f(v1.GroupVersion.String(), metav1.TypeMeta{APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Plum"})`, ""},
		{"fields of a group that is spelled out", `var x = f(v1.GroupVersion.String(), metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Plum"})`, ""},
		{"a case of a choice", "func f() {\n\tswitch name {\n\tcase \"Plum\":\n\t\t_ = v1.GroupVersion\n\t}\n}", ""},
		{"a body within the call", "func f() {\n\tdo(v1.GroupVersion, func() { log(\"Plum\") })\n}", ""},
		{"a word beside nothing", "const plum = \"Plum\"\n\nvar x = log(plum)", ""},
	} {
		var want []string
		for line := range strings.Lines(tt.want) {
			at, name, _ := strings.Cut(strings.TrimSpace(line), " ")
			want = append(want, "a/a.go:"+at+" go-built "+name+" → "+strings.NewReplacer("Plum", "Prune", "plum", "prune").Replace(name))
		}
		got := outcomesIn(t, m, memory{"go.mod": "module example.net/m\n", "api/v1/types.go": api, "a/a.go": head + tt.code + "\n"})
		if got != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, strings.Join(want, "\n"))
		}
	}
	known := "package v1\n\ntype Plum struct{}\n\nfunc f() {\n\tknown[\"Plum\"] = &Plum{}\n\tknown[\"Plum\"] = &Pear{}\n}\n"
	if got := outcomesIn(t, m, memory{"api/v1/types.go": api, "api/v1/a.go": known}); !strings.HasSuffix(got, "go-type Plum → Prune\napi/v1/a.go:6 go-built Plum → Prune") {
		t.Errorf("a key that is set beside its Go type, which is there: got %q", got)
	}
	cases := "package v1\n\ntype Plum struct{}\n\nfunc of(o any) string {\n\tswitch o.(type) {\n\tcase *Plum:\n\t\treturn \"Plum\"\n\tcase *Pear:\n\t\treturn \"Plum\"\n\t}\n\treturn \"Plum\"\n}\n"
	if got := outcomesIn(t, m, memory{"api/v1/types.go": api, "api/v1/a.go": cases}); !strings.HasSuffix(got, "\napi/v1/a.go:8 go-built Plum → Prune") {
		t.Errorf("what a case for the Go type returns: got %q", got)
	}
	if got := outcomesIn(t, m, memory{"api/v1/types.go": api, "api/v1/a.go": "package v1\n\nconst Plums = \"plums\"\n"}); got != "api/v1/a.go:3 go-built plums → prunes" {
		t.Errorf("a constant for a resource in the package of the API: got %q", got)
	}
	if got := outcomesIn(t, m, memory{"api/v1/types.go": api, "api/v1/a.go": "package v1\n\nconst PlumsKey = Group + \"/plums\"\n"}); got != "" {
		t.Errorf("a key of objects: got %q", got)
	}
	for name, code := range map[string]string{"a constant for a kind": `const PlumKind = "Plum"`, "its own variable": `var x = GroupVersion.WithKind("Plum")`} {
		if got := outcomesIn(t, m, memory{"api/v1/types.go": api, "api/v1/a.go": "package v1\n\n" + code + "\n"}); got != "api/v1/a.go:3 go-built Plum → Prune" {
			t.Errorf("%s in the package of the API: got %q", name, got)
		}
	}
	types := "package v1\n\nvar known = map[string]info{\"Plum\": newInfo(\"plums\", &Plum{}), \"Pear\": newInfo(\"plums\", &Pear{})}\n"
	if got := outcomesIn(t, m, memory{"api/v1/types.go": api, "api/v1/plum.go": "package v1\n\ntype Plum struct{}\n", "api/v1/use.go": types}); !strings.HasSuffix(got, "use.go:3 go-built Plum → Prune\napi/v1/use.go:3 go-built plums → prunes") {
		t.Errorf("beside the Go type: got %q", got)
	}
	if got := outcomesIn(t, m, memory{"api/v1/types.go": api, "api/v1/a.go": "package v1\n\nconst log = \"Plum\"\n"}); got != "" {
		t.Errorf("a constant of another name: got %q", got)
	}
}

// A kind that Kubernetes has as well is told of beside its group alone, and no name beside
// another group of the rules.
func TestGoNamesOfSeveralAPIs(t *testing.T) {
	m := parsedMigration(t, `name: x
rules:
  - {id: job, from: {group: a.example.com, kind: Job, plural: jobs}, to: {group: a.example.com, kind: Run, plural: runs}}
  - {id: fig, from: {group: b.example.com, kind: Fig, plural: figs}, to: {group: b.example.com, kind: Date, plural: dates}}
`, false)
	api := func(pkg, group string) string {
		return "package " + pkg + "\n\nconst Group = \"" + group + "\"\n\nvar GroupVersion = schema.GroupVersion{Group: Group, Version: \"v1\"}\n"
	}
	for code, want := range map[string]string{
		"var x = ref.Kind == \"Job\"":                               "",
		"var x = ref.Kind == \"Fig\"":                               "a.go:8 go-built Fig → Date",
		"var x = a.GroupVersion.WithKind(\"Job\")":                  "a.go:8 go-built Job → Run",
		"var x = f(b.GroupVersion, g(a.GroupVersion, \"Fig\"))":     "",
		"var x = f(b.GroupVersion, g(other.GroupVersion, \"Fig\"))": "a.go:8 go-built Fig → Date",
	} {
		tree := memory{"go.mod": "module m\n", "a/a.go": api("a", "a.example.com"), "b/b.go": api("b", "b.example.com"), "a.go": "package m\n\nimport (\n\t\"m/a\"\n\t\"m/b\"\n)\n\n" + code + "\n"}
		if got := outcomesIn(t, m, tree); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", code, got, want)
		}
	}
}

// A name that is given to a group which is spelled out moves with it, or is for a person;
// it stays with one that stays.
func TestGoNamesBesideSpelledGroups(t *testing.T) {
	m := parsedMigration(t, constantRules, false)
	for code, want := range map[string]string{
		"const plural = \"plums\"\n\nvar x = schema.GroupVersionResource{Group: \"old.example.com\", Version: \"v1\", Resource: plural}": "a.go:3 go-built plums → prunes\na.go:5 old.example.com → new.example.org",
		"const plural = \"plums\"\n\nvar x = schema.GroupVersionResource{Group: \"new.example.org\", Version: \"v1\", Resource: plural}": "a.go:3 go-built plums → prunes",
		"var x = of(\n\t\"old.example.com\", // cfctl:keep it\n\t\"Plum\",\n)":                                                           "",
	} {
		if got := outcomesIn(t, m, memory{"a.go": "package a\n\n" + code + "\n"}); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", code, got, want)
		}
	}
}
