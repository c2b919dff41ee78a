package release

import (
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// Whatever step a gate stands before, and whatever two: each step comes after
// all that it needs, in every era of the built-in recipe, with and without the
// parts that a pre-release leaves out.
func TestStepsComeAfterWhatTheyNeed(t *testing.T) {
	s, recipe := stack.Default(), DefaultRecipe()
	for _, era := range recipe.eras(s) {
		for _, r := range []*Recipe{recipe, recipe.forPreRelease()} {
			train := &Train{Stack: s, Recipe: r, Version: era, Versions: map[string]string{}}
			for i := range s.Components {
				train.Versions[s.Components[i].Name] = era
			}
			gated := *r
			gated.Approvals = nil
			train.Recipe = &gated
			plain := makeSteps(train).steps
			for _, a := range plain {
				for _, b := range plain {
					gated.Approvals = []Approval{{Name: "gate", Before: []string{a.Name, b.Name}}}
					ordered(t, era, makeSteps(train).steps, len(plain))
				}
			}
		}
	}
}

// ordered wants one gate among the steps, and each step behind what it needs.
func ordered(t *testing.T, era string, steps []*Step, plain int) {
	t.Helper()
	gates := 0
	for i, s := range steps {
		if s.Approval() && s.Name == "approve:gate" {
			gates++
		}
		for _, n := range s.Needs {
			if !slices.Contains(steps[:i], n) {
				t.Fatalf("%s: %s needs %s, which does not come before it", era, s.Name, n.Name)
			}
		}
	}
	if gates != 1 || len(steps) < plain {
		t.Fatalf("%s: %d gates in %d steps", era, gates, len(steps))
	}
}

// Compile refuses what cannot be driven, with words, and takes a gate before a
// step that another era has.
func TestCompile(t *testing.T) {
	s := stack.Default()
	versions := map[string]string{}
	for i := range s.Components {
		versions[s.Components[i].Name] = "v1.2.0"
	}
	for before, says := range map[string]string{
		"tag:codeflare-operator": "", "catalog-pr": "", "approve:gate": `no release has a step "approve:gate"`, "tag:codflare": `no release has a step "tag:codflare"`, "": `no release has a step ""`,
	} {
		r := *DefaultRecipe()
		r.Approvals = []Approval{{Name: "gate", Before: []string{before}}}
		for _, version := range []string{"v1.2.0", "v1.2.0-rc.1"} {
			versions[s.Root] = version
			train, err := Compile(s, &r, version, versions, nil)
			if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
				t.Errorf("%s, a gate before %q: %v", version, before, err)
			}
			if err == nil && len(train.Steps()) == 0 {
				t.Error("no steps")
			}
		}
	}
}
