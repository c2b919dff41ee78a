package release

import (
	"slices"
	"strings"
	"testing"
)

func TestWorkflowInputs(t *testing.T) {
	const typed = "on:\n  workflow_dispatch:\n    inputs:\n      version: {required: true, type: string}\n      stable: {required: true, type: boolean}\n" +
		"      level: {type: choice, options: [debug, info], default: info}\n      count: {type: number, required: true, default: 3}\n"
	for name, test := range map[string]struct {
		file  string
		given map[string]string
		wrong []string
	}{
		"all there":          {typed, map[string]string{"version": "1.0.0", "stable": "true"}, nil},
		"of another type":    {typed, map[string]string{"version": "1.0.0", "stable": "yes", "level": "all", "count": "many"}, []string{`"count" is a number`, `"level" is one of debug, info`, `"stable" is a boolean`}},
		"one missing":        {typed, map[string]string{"stable": "false"}, []string{`wants the input "version"`}},
		"one too many":       {typed, map[string]string{"version": "1", "stable": "true", "tag": "v1"}, []string{`takes no input "tag" (it takes: count, level, stable, version)`}},
		"no inputs":          {"on:\n  workflow_dispatch:\n", nil, nil},
		"events as a list":   {"on: [push, workflow_dispatch]\n", nil, nil},
		"one event":          {"on: workflow_dispatch\n", nil, nil},
		"quoted on":          {"\"on\":\n  workflow_dispatch: {}\n", nil, nil},
		"input without body": {"on:\n  workflow_dispatch:\n    inputs:\n      tag:\n", map[string]string{"tag": "v1"}, nil},
		"not dispatched":     {"on:\n  workflow_call:\n    inputs:\n      tag: {type: string}\n", map[string]string{"tag": "v1"}, []string{"cannot be dispatched"}},
		"an anchor":          {"x: &in {tag: {required: true}}\non:\n  workflow_dispatch:\n    inputs: *in\n", nil, []string{`wants the input "tag"`}},
	} {
		w, err := parseWorkflow([]byte(test.file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := w.refuses(test.given)
		if !slices.EqualFunc(got, test.wrong, strings.Contains) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, broken := range []string{"", "jobs: {}\n", "on: [\n", "- on\n"} {
		if _, err := parseWorkflow([]byte(broken)); err == nil {
			t.Errorf("%q is taken", broken)
		}
	}
}

func TestWorkflowTags(t *testing.T) {
	for on, want := range map[string]bool{
		"push":                                          true,
		"[pull_request, create]":                        true,
		"pull_request":                                  false,
		"{push: }":                                      true,
		"{push: {branches: [main]}}":                    false,
		"{push: {branches-ignore: [x]}}":                false,
		"{push: {paths: [a]}}":                          true,
		"{push: {tags: ['v*']}}":                        true,
		"{push: {tags: v1.2.0}}":                        true,
		"{push: {tags: ['v*', '!v1.*']}}":               false,
		"{push: {tags: ['!v1.*', 'v*']}}":               true,
		"{push: {tags: ['v[0-9]+.[0-9]+.[0-9]+']}}":     true,
		"{push: {tags: ['release-*']}}":                 false,
		"{push: {branches: [main], tags: ['**']}}":      true,
		"{push: {tags-ignore: ['v1*']}}":                false,
		"{push: {tags-ignore: ['dev*']}}":               true,
		"{release: {types: [published]}}":               false,
		"{push: {tags: ['v?1.2.0']}}":                   true,
		"{push: {tags: ['v1\\.2\\.0']}}":                true,
		"{push: {tags: ['v1x2x0', 'ray-operator/v*']}}": false,
	} {
		w, err := parseWorkflow([]byte("on: " + on + "\n"))
		if err != nil {
			t.Errorf("%s: %v", on, err)
		} else if got := w.startedBy("v1.2.0"); got != want {
			t.Errorf("%s: %v", on, got)
		}
	}
}
