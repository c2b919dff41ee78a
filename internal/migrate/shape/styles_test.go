package shape

import (
	"strings"
	"testing"
)

// stylesOf are the steps that every style of the same object goes through.
const stylesOf = `
{rename: spec.colour, to: color}
{move: spec.size, to: spec.dimensions.size}
{drop: spec.worm}
{set: spec.kept, value: "{cool: true}"}
{wrap: spec.tree, to: "[*]"}
{rename: "spec.seeds[*].kind", to: sort}
{copy: "spec.seeds[*].sort", to: "spec.seeds[*].also.sort"}
{map-values: spec.ripe, values: {Yes: Ripe, No: ""}}
`

// An object that says the same in another style changes alike, in its style; a
// part that is elsewhere stays as it is, byte for byte.
func TestStyles(t *testing.T) {
	table := pears(t, stylesOf)
	for _, c := range []struct {
		name     string
		o        Options
		in, want string
	}{
		{"block style", Options{}, `
apiVersion: a.example.dev/v1
kind: Pear
spec:
  # of the colour
  colour: red # as it is
  size: 3
  worm: x
  tree: oak
  seeds:
  - kind: a
  - kind: b
  ripe: Yes
`, `
apiVersion: a.example.dev/v2
kind: Pear
spec:
  # of the colour
  color: red # as it is
  tree:
    - oak
  seeds:
  - sort: a
    also:
      sort: a
  - sort: b
    also:
      sort: b
  ripe: Ripe
  dimensions:
    size: 3
  kept: {cool: true}
`},
		{"flow style", Options{}, `
{apiVersion: a.example.dev/v1, kind: Pear, spec: {colour: red, size: 3, worm: x, tree: oak, seeds: [{kind: a}], ripe: No, last: 1}}
`, `
{apiVersion: a.example.dev/v2, kind: Pear, spec: {color: red, tree: [oak], seeds: [{sort: a, also: {sort: a}}], last: 1, dimensions: {size: 3}, kept: {cool: true}}}
`},
		{"JSON", Options{JSON: true}, `
{"apiVersion": "a.example.dev/v1", "kind": "Pear", "spec": {"colour": "red", "size": 3, "tree": "oak", "seeds": [{"kind": "a"}], "ripe": "Yes", "kept": {}}}
`, `
{"apiVersion": "a.example.dev/v2", "kind": "Pear", "spec": {"color": "red", "tree": ["oak"], "seeds": [{"sort": "a", "also": {"sort": "a"}}], "ripe": "Ripe", "kept": {}, "dimensions": {"size": 3}}}
`},
		{"a template", Options{Templated: true}, `
apiVersion: a.example.dev/v1
kind: Pear
spec:
  colour: {{ .Values.colour }}
  size: {{ .Values.size }}
`, `
apiVersion: a.example.dev/v2
kind: Pear
spec:
  color: {{ .Values.colour }}
  dimensions:
    size: {{ .Values.size }}
  kept: {cool: true}
`},
		{"a template that fills in a value with no new one known", Options{Templated: true}, `
apiVersion: a.example.dev/v1
kind: Pear
spec:
  ripe: {{ .Values.ripe }}
`, `
apiVersion: a.example.dev/v1
kind: Pear
spec:
  ripe: {{ .Values.ripe }}
`},
	} {
		got, _ := converted(table, strings.TrimPrefix(c.in, "\n"), c.o)
		if want := strings.TrimPrefix(c.want, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// A value is written as JSON wants it where the object is JSON.
func TestScalarText(t *testing.T) {
	for value, want := range map[string]string{
		"true": "true", "false": "false", "null": "null", "1.5": "1.5", "-3": "-3", "{a: b}": `{"a":"b"}`, "[a]": `["a"]`, `"a"`: `"a"`, "a": `"a"`, "trues": `"trues"`, "": `""`,
	} {
		if got := (&converter{target: target{Options: Options{JSON: true}}}).scalarText(value); got != want {
			t.Errorf("%q becomes %s, want %s", value, got, want)
		}
		if got := (&converter{}).scalarText(value); got != value {
			t.Errorf("%q becomes %s in YAML", value, got)
		}
	}
}
