package chain

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A tree is files by path.
type tree map[string]string

func (t tree) fs() fs.FS {
	m := fstest.MapFS{}
	for name, text := range t {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// with is the tree with one text replaced in a file.
func (t tree) with(name, old, fresh string) tree {
	c := maps.Clone(t)
	if !strings.Contains(c[name], old) {
		panic(name + " has no " + old)
	}
	c[name] = strings.Replace(c[name], old, fresh, 1)
	return c
}

func (t tree) without(name string) tree {
	c := maps.Clone(t)
	delete(c, name)
	return c
}

// heads are trees by the address of their repository.
type heads map[string]tree

func (h heads) Head(_ context.Context, url string) (fs.FS, error) { return h[url].fs(), nil }

func fans(t *testing.T) (*stack.Stack, *matrix.Config) {
	t.Helper()
	var doc struct {
		Stack  stack.Stack   `yaml:"stack"`
		Matrix matrix.Config `yaml:"matrix"`
	}
	err := strict.Decode("x", []byte(`
stack:
  name: Fans
  root: operator
  components:
  - {name: blade, title: Blade, repository: acme/blade, module: {path: example.com/blade}}
  - {name: motor, title: Motor, repository: acme/motor, needs: [blade], until: v0.5.0}
  - {name: sdk, title: SDK, repository: acme/sdk, needs: [blade]}
  - {name: operator, title: Operator, repository: acme/operator, module: {path: example.com/operator}, needs: [blade, sdk]}
  - {name: apart, title: Apart, repository: acme/apart}
matrix:
  rules:
  - {kind: module, modules: "k8s.io/*", minors: 1, reason: "one minor apart"}
`), &doc)
	if err == nil {
		err = doc.Stack.Complete("x")
	}
	if err == nil {
		err = doc.Matrix.Complete("x", &doc.Stack)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &doc.Stack, &doc.Matrix
}

var blade = tree{
	"go.mod": "module example.com/blade\n\ngo 1.22\n\nrequire (\n\tk8s.io/api v0.29.0\n\tk8s.io/client-go v0.29.0\n)\n",
	"api/v1/types.go": `package v1

type Blade struct {
	Angle int
}

func New() *Blade { return nil }

func NotNamed() {}

type Turner interface{ Turn() }
`,
	"other/other.go": "package other\n\nfunc Unused() {}\n",
	"config/crd/bases/blades.yaml": `kind: CustomResourceDefinition
metadata: {name: blades.fans.example.com}
spec:
  group: fans.example.com
  names: {kind: Blade, plural: blades}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {angle: {type: integer}, side: {type: string, enum: [left, right]}}}}}
  - name: v1beta1
    served: true
`,
}

var below = heads{
	"https://github.com/acme/sdk": {
		"src/sdk/blade.py": "body = {\n  \"apiVersion\": \"fans.example.com/v1\", \"kind\": \"Blade\",\n}\n",
		"README.md":        "fans.example.com/v1beta1 Blade\n",
	},
	"https://github.com/acme/operator": {
		"go.mod":      "module example.com/operator\n\ngo 1.23\n\nrequire (\n\texample.com/blade v1.0.0\n\tk8s.io/api v0.29.1\n\tk8s.io/client-go v0.31.0\n)\n\nreplace k8s.io/client-go => k8s.io/client-go v0.29.0\n",
		"main.go":     "package main\n\nimport (\n\tv1 \"example.com/blade/api/v1\"\n\t_ \"example.com/blade/v2/other\"\n\t_ \"example.com/bladed\"\n)\n\nvar angle = v1.New().Angle\n\ntype mine struct{ v1.Turner }\n",
		"crd/b.yaml":  "kind: CustomResourceDefinition\nmetadata: {name: blades.fans.example.com}\n",
		"role.yaml":   "apiGroups: [other-fans.example.com]\nresources: [blades]\n",
		"vendor/a.go": "package a\n\nimport \"example.com/blade/other\"\n",
	},
	"https://github.com/acme/motor": {"x.py": "fans.example.com/v1beta1 Blade"},
}

func TestImpact(t *testing.T) {
	const crd, types = "config/crd/bases/blades.yaml", "api/v1/types.go"
	seen := map[string]bool{}
	for name, c := range map[string]struct {
		now  tree
		want []string
	}{
		"nothing":         {blade, nil},
		"new field":       {blade.with(crd, "angle:", "tip: {type: string}, angle:"), nil},
		"removed field":   {blade.with(crd, "angle: {type: integer}, ", ""), []string{crd + ": error impact-crd sdk: blades.fans.example.com v1 spec.angle: removed, and SDK uses it (src/sdk/blade.py:2)"}},
		"required field":  {blade.with(crd, "{type: object, properties: {angle", "{type: object, required: [angle], properties: {angle"), []string{crd + ": error impact-crd sdk: blades.fans.example.com v1 spec.angle: is required now, and SDK uses it (src/sdk/blade.py:2)"}},
		"narrowed enum":   {blade.with(crd, "[left, right]", "[left]"), []string{crd + ": error impact-crd sdk: blades.fans.example.com v1 spec.side: no longer takes right, and SDK uses it (src/sdk/blade.py:2)"}},
		"another version": {blade.with(crd, "v1beta1\n    served: true", "v1beta1\n    served: false"), nil},
		"served version":  {blade.with(crd, "served: true", "served: false"), []string{crd + ": error impact-crd sdk: blades.fans.example.com v1: removed, and SDK uses it (src/sdk/blade.py:2)"}},
		"removed CRD":     {blade.without(crd), []string{crd + ": error impact-crd sdk: blades.fans.example.com removed, and SDK uses it (src/sdk/blade.py:2)"}},

		"new function":     {blade.with(types, "func New", "func Old() {}\n\nfunc New"), nil},
		"changed field":    {blade.with(types, "Angle int", "Angle int64"), []string{types + ":3: error impact-go-api operator: api/v1.Blade.Angle: changed from int to int64, and Operator imports example.com/blade/api/v1 (main.go:4)"}},
		"removed function": {blade.with(types, "func New", "func newBlade"), []string{types + ": error impact-go-api operator: api/v1.New: removed, and Operator imports example.com/blade/api/v1 (main.go:4)"}},
		"not named":        {blade.with(types, "func NotNamed() {}", ""), nil},
		"larger interface": {blade.with(types, "{ Turn() }", "{ Turn(); Stop() }"), []string{types + ":11: error impact-go-api operator: api/v1.Turner.Stop: added, and Operator imports example.com/blade/api/v1 (main.go:4)"}},
		"not imported":     {blade.with("other/other.go", "Unused", "Used"), nil},

		"major version": {blade.with("go.mod", "module example.com/blade", "module example.com/blade/v2"), []string{"go.mod:1: error impact-module-path operator: the module is example.com/blade/v2 now, and Operator imports example.com/blade/api/v1 (main.go:4)"}},
		"no module":     {blade.without("go.mod"), []string{"go.mod: error impact-module-path operator: there is no module any more, and Operator imports example.com/blade/api/v1 (main.go:4)"}},
		"Go version":    {blade.with("go.mod", "go 1.22", "go 1.24"), []string{"go.mod:3: warning impact-go-version operator: the module needs Go 1.24 now, and Operator has Go 1.23"}},
		"older Go":      {blade.with("go.mod", "go 1.22", "go 1.23"), nil},
		"one minor":     {blade.with("go.mod", "k8s.io/api v0.29.0", "k8s.io/api v0.30.0"), nil},
		"two minors":    {blade.with("go.mod", "k8s.io/api v0.29.0", "k8s.io/api v0.31.0"), []string{"go.mod:6: warning impact-module operator: the module requires k8s.io/api v0.31.0 now, and Operator has v0.29.1: 2 minors apart, allowed are 1 (one minor apart)"}},
		"replaced":      {blade.with("go.mod", "k8s.io/client-go v0.29.0", "k8s.io/client-go v0.30.0"), []string{"go.mod:7: warning impact-module operator: the module requires k8s.io/client-go v0.30.0 now, and Operator builds v0.29.0 by a replace directive"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, config := fans(t)
			component, err := ComponentOf(s, blade.fs(), "")
			if err != nil {
				t.Fatal(err)
			}
			findings, err := Impact(t.Context(), &Input{Stack: s, Config: config, Component: component, Before: blade.fs(), Now: c.now.fs(), Head: below.Head})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				seen[f.Rule] = true
				got = append(got, f.Place()+": "+f.Severity.String()+" "+f.Rule+" "+f.Component+": "+f.Message)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
	for _, r := range matrix.ImpactRules {
		if !seen[r.ID] {
			t.Errorf("no case in which %s has a finding", r.ID)
		}
	}
}

func TestComponentOf(t *testing.T) {
	s, _ := fans(t)
	for remote, want := range map[string]string{
		"https://github.com/acme/sdk.git": "sdk", "git@github.com:Acme/SDK": "sdk", "https://github.com/acme/else": "", "": "",
	} {
		c, err := ComponentOf(s, tree{}.fs(), remote)
		if (err == nil) != (want != "") || err == nil && c.Name != want {
			t.Errorf("%s: %v, %v, want %s", remote, c, err, want)
		}
	}
}

// Components of old releases count for a change of one of these only.
func TestBelow(t *testing.T) {
	s, _ := fans(t)
	for name, want := range map[string]string{"blade": "sdk operator", "sdk": "operator", "operator": ""} {
		c, _ := s.Component(name)
		var got []string
		for _, d := range Below(s, c) {
			got = append(got, d.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
}
