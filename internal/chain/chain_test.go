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

func fans(t *testing.T) *stack.Stack {
	t.Helper()
	var doc struct {
		Stack stack.Stack `yaml:"stack"`
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
`), &doc)
	if err == nil {
		err = doc.Stack.Complete("x")
	}
	if err != nil {
		t.Fatal(err)
	}
	return &doc.Stack
}

var blade = tree{
	"go.mod": "module example.com/blade\n\ngo 1.22\n",
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
		"crd/b.yaml": "kind: CustomResourceDefinition\nmetadata: {name: blades.fans.example.com}\n",
		"role.yaml":  "apiGroups: [other-fans.example.com]\nresources: [blades]\n",
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
	} {
		t.Run(name, func(t *testing.T) {
			s := fans(t)
			component, err := ComponentOf(s, blade.fs(), "")
			if err != nil {
				t.Fatal(err)
			}
			findings, err := Impact(t.Context(), &Input{Stack: s, Component: component, Before: blade.fs(), Now: c.now.fs(), Heads: below})
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
	s := fans(t)
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
	s := fans(t)
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
