package release

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// The built-in recipe makes a train in every era of the built-in stack.
func TestDefaultRecipe(t *testing.T) {
	for version, test := range map[string]struct{ versions, has, hasNot string }{
		"v0.2.0":  {"mcad=v1.31.0 instascale=v0.0.5 codeflare-sdk=v0.5.0 kuberay=v0.5.0", "tag:mcad built:mcad tag:instascale built:instascale tag:codeflare-sdk built:codeflare-sdk distributed-workloads-merged", "tag:appwrapper tag:kuberay"},
		"v1.2.0":  {"mcad=v1.40.0 instascale=v0.4.0 codeflare-sdk=v0.14.0 kuberay=v1.0.0", "tag:mcad tag:instascale built:codeflare-sdk distributed-workloads-merged", "built:mcad built:instascale stable:mcad"},
		"v1.4.2":  {"appwrapper=v0.12.0 codeflare-sdk=v0.16.0 kuberay=v1.1.0 kueue=v0.6.2", "tag:codeflare-sdk built:codeflare-sdk", "tag:mcad tag:instascale tag:kueue tag:appwrapper distributed-workloads-pr"},
		"v1.17.0": {"appwrapper=v1.1.2 codeflare-sdk=v0.39.0 kuberay=v1.4.0 kueue=v0.11.6", "tag:codeflare-sdk built:codeflare-operator", "built:codeflare-sdk stable:codeflare-sdk tag:appwrapper"},
	} {
		versions := map[string]string{}
		for pin := range strings.FieldsSeq(test.versions) {
			name, v, _ := strings.Cut(pin, "=")
			versions[name] = v
		}
		train, err := steps.Compile(stack.Default(), recipe.Default(), version, versions, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, step := range train.Steps() {
			names = append(names, step.Name)
		}
		always := "operator-merged approve:publish tag:codeflare-operator catalog-merged stable:codeflare-operator announce:slack "
		for want := range strings.FieldsSeq(always + test.has) {
			if !slices.Contains(names, want) {
				t.Errorf("%s has no step %s", version, want)
			}
		}
		for never := range strings.FieldsSeq(test.hasNot) {
			if slices.Contains(names, never) {
				t.Errorf("%s has the step %s", version, never)
			}
		}
	}
}

func TestRecipeMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"components: [{name: mcat}]":               `unknown component "mcat", did you mean mcad?`,
		"components: [{name: mcad}]":               "the root codeflare-operator is missing",
		"components: [{name: mcad, by: magic}]":    `by "magic"`,
		"components: [{name: mcad, by: workflow}]": "no workflow is named",
		"sign: maybe": "known: auto, always, never",
		"components: [{name: codeflare-operator}]\ncatalog: {path: x}":      "repository and path are needed",
		"components: [{name: codeflare-operator}]\nannounce: {smtp: 'h:1'}": "announce: from",
		"prefix: 'release '": "cannot begin the name of a branch",
		"prefix: --force":    "cannot begin the name of a branch",
		"prefix: a..b":       "cannot begin the name of a branch",
		"prefix: .x/":        "cannot begin the name of a branch",
		"stable: ../x":       "cannot be the tag of an image",
		"freeze: [{from: 2027-01-02T00:00:00Z, until: 2027-01-01T00:00:00Z}]": "before it begins",
		"freeze: [{from: 2027-01-02T00:00:00Z}]":                              "before it begins",
		"downstream: [{repository: a/b, days: -5}]":                           "days: -5 (1 to 366)",
		"announce: {slak: true}":                                              `unknown key "slak"`,
	} {
		var r recipe.Recipe
		err := strict.Decode(".cfctl.yaml", []byte(text), &r)
		if err == nil {
			err = steps.Complete(&r, ".cfctl.yaml", stack.Default())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The root is released from a repository, too.
func TestRecipeNamesRepositories(t *testing.T) {
	s := *stack.Default()
	s.Components = slices.Clone(s.Components)
	for i := range s.Components {
		s.Components[i].Repository = ""
	}
	r := recipe.Recipe{Components: []recipe.Build{{Name: "mcad"}, {Name: "codeflare-operator"}}}
	want := "no repository is named of mcad, codeflare-operator: add repository: OWNER/NAME to each in stack.components"
	if err := steps.Complete(&r, ".cfctl.yaml", &s); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// What is updated downstream: custom resources, the version of KubeRay, and the
// versions in instructions (ADR-0003, step 8), each by a place of its kind.
func TestDocumentsOfEachKind(t *testing.T) {
	var recipe recipe.Recipe
	err := strict.Decode(".cfctl.yaml", []byte(`
components: [{name: codeflare-operator}]
downstream:
- repository: acme/workloads
  places:
  - {component: codeflare-sdk, kind: yaml, path: stack/notebook.yaml, key: spec.image, image: true}
  - {component: kuberay, kind: kustomize-ref, path: ray/kustomization.yaml, key: github.com/ray-project/kuberay}
  - {component: codeflare-sdk, kind: pattern, path: README.md, key: 'pip install codeflare-sdk==([0-9.]+)', forms: ["{version}"]}
`), &recipe)
	if err == nil {
		err = steps.Complete(&recipe, ".cfctl.yaml", stack.Default())
	}
	if err != nil {
		t.Fatal(err)
	}
	train, err := steps.Compile(stack.Default(), &recipe, "v1.17.0", map[string]string{"codeflare-sdk": "v0.39.0", "kuberay": "v1.4.0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := train.SetDocument(&recipe.Downstream[0], fstest.MapFS{
		"stack/notebook.yaml":    {Data: []byte("kind: Notebook\nspec:\n  image: quay.io/project-codeflare/notebook:v0.38.0\n")},
		"ray/kustomization.yaml": {Data: []byte("resources:\n- https://github.com/ray-project/kuberay/ray-operator/config/default?ref=v1.3.0\n")},
		"README.md":              {Data: []byte("Run `pip install codeflare-sdk==0.38.0` first.\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, c := range changes {
		all += string(c.Data)
	}
	for _, want := range []string{"notebook:v0.39.0", "?ref=v1.4.0", "`pip install codeflare-sdk==0.39.0`"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
}
