package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestActionTakesInputsByEnvironment holds action.yml to its word: no text of a
// step is made of an expression, every input reaches the script, and the script
// reads nothing that the action does not give it.
func TestActionTakesInputsByEnvironment(t *testing.T) {
	data, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct{ Description string }
		Runs   struct {
			Steps []struct {
				Run, Uses string
				Env       map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(data, &action); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../../.ci/action/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]bool{}
	var values []string
	for _, step := range action.Runs.Steps {
		if strings.Contains(step.Run+step.Uses, "${{") {
			t.Errorf("a step is made of an expression: %s", step.Run)
		}
		for name, value := range step.Env {
			given[name] = true
			values = append(values, value)
		}
	}
	for name, in := range action.Inputs {
		if in.Description == "" || !strings.Contains(strings.Join(values, " "), "${{ inputs."+name+" }}") {
			t.Errorf("the input %s reaches no script, or is not described", name)
		}
	}
	for _, m := range regexp.MustCompile(`\$\{?(INPUT_[A-Z]+|PULL_REQUEST_BASE|ACTION_REF)`).FindAllStringSubmatch(string(script), -1) {
		if !given[m[1]] {
			t.Errorf("the script reads %s, which the action does not give it", m[1])
		}
	}
}
