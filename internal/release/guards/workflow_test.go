package guards

import (
	"testing"
)

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
