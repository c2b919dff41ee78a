package release

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// Whatever step a gate is before, and whatever two: each step comes after
// all that it needs, in every era of the built-in recipe, with and without the
// parts that a pre-release leaves out.
func TestStepsComeAfterWhatTheyNeed(t *testing.T) {
	s, made := stack.Default(), recipe.Default()
	for _, era := range steps.Eras(made, s) {
		for _, r := range []*recipe.Recipe{made, made.ForPreRelease()} {
			train := &steps.Train{Stack: s, Recipe: r, Version: era, Versions: map[string]string{}}
			for i := range s.Components {
				train.Versions[s.Components[i].Name] = era
			}
			gated := *r
			gated.Approvals = nil
			train.Recipe = &gated
			plain := steps.MakeSteps(train).Steps
			for _, a := range plain {
				for _, b := range plain {
					gated.Approvals = []recipe.Approval{{Name: "gate", Before: []string{a.Name, b.Name}}}
					ordered(t, era, steps.MakeSteps(train).Steps, len(plain))
				}
			}
		}
	}
}

// ordered wants one gate among the steps, and each step behind what it needs.
func ordered(t *testing.T, era string, steps []*steps.Step, plain int) {
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

// What each step waits for is written down, in every era of the built-in recipe:
// a need that is forgotten, or one more, is a change of that page. That nothing
// else is read than what is needed is held when a step looks or acts. UPDATE=1
// writes it.
func TestNeedsAreWrittenDown(t *testing.T) {
	s, made := stack.Default(), recipe.Default()
	var page strings.Builder
	last := ""
	for _, era := range steps.Eras(made, s) {
		tr := &steps.Train{Stack: s, Recipe: made, Version: era, Versions: map[string]string{}}
		for i := range s.Components {
			tr.Versions[s.Components[i].Name] = era
		}
		steps := steps.MakeSteps(tr).Steps
		now := needsOf(steps)
		if now == last {
			now = "as before\n"
		} else {
			last = now
		}
		page.WriteString("# " + era + "\n" + now)
		for _, step := range steps { // each need is seen on that page
			for i := range step.Needs {
				all := step.Needs
				step.Needs = slices.Delete(slices.Clone(all), i, i+1)
				if needsOf(steps) == last {
					t.Errorf("%s: %s does without %s unseen", era, step.Name, all[i].Name)
				}
				step.Needs = all
			}
		}
	}
	name := filepath.Join("testdata", "needs.txt")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(name, []byte(page.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(name); err != nil || string(want) != page.String() {
		t.Errorf("%s is not what the steps need (%v):\n%s", name, err, page.String())
	}
}

// needsOf lists steps, each with what it waits for.
func needsOf(steps []*steps.Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(strings.TrimSuffix(s.Name+": "+strings.Join(s.After(), ", "), ": ") + "\n")
	}
	return b.String()
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
		r := *recipe.Default()
		r.Approvals = []recipe.Approval{{Name: "gate", Before: []string{before}}}
		for _, version := range []string{"v1.2.0", "v1.2.0-rc.1"} {
			versions[s.Root] = version
			train, err := steps.Compile(s, &r, version, versions, nil)
			if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
				t.Errorf("%s, a gate before %q: %v", version, before, err)
			}
			if err == nil && len(train.Steps()) == 0 {
				t.Error("no steps")
			}
		}
	}
}
