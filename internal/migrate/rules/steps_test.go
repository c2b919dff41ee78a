package rules

import (
	"strings"
	"testing"
)

// A step says what it needs, and is refused where it could never do what it says;
// what it needs is in one table, by its verb.
func TestNeedsOfSteps(t *testing.T) {
	for step, want := range map[string]string{
		"{move: spec.a, to: spec.b}":             "",
		"{move: spec.a}":                         "to:",
		"{copy: spec.a, to: 'spec.b[*].c'}":      "",
		"{copy: spec.a, to: 'spec.b[*'}":         "to:",
		"{rename: spec.a, to: b}":                "",
		"{rename: spec.a, to: b.c}":              "rename needs to: one key",
		"{rename: spec.a, to: '[*]'}":            "rename needs to: one key",
		"{wrap: spec.a, to: '[*]'}":              "",
		"{wrap: spec.a, to: 'b.c'}":              "wrap needs to: one key",
		"{drop: spec.a}":                         "",
		"{set: spec.a, value: 'true'}":           "",
		"{set: spec.a}":                          "set needs value",
		"{set: spec.a, value: \"a\\nb\"}":        "set needs value",
		"{require-input: spec.a, name: a}":       "",
		"{require-input: spec.a}":                "require-input needs name",
		"{tell: spec.a, why: it is so}":          "",
		"{tell: spec.a}":                         "tell needs why",
		"{map-values: spec.a, values: {b: c}}":   "",
		"{map-values: spec.a}":                   "map-values needs values",
		"{drop: spec.a, set: spec.b, value: c}":  "step 1",
		"{drop: ''}":                             "step 1",
		"{drop: 'spec.a[*', report: true}":       "step 1",
		"{drop: spec.a, when: {is: absent}}":     "is none of",
		"{drop: spec.a, when: {path: 'b[*].c'}}": "more [*]",
	} {
		text := "name: a\nrules: [{id: b, from: {group: a.example.dev, version: v1, kind: Pear}, to: {version: v2}}]\nconvert:\n" +
			"- {id: c, kind: Pear, from: a.example.dev/v1, to: a.example.dev/v2, steps: [" + step + "]}\n"
		_, err := Parse("a.yaml", []byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", step, err, want)
		}
	}
}
