package shape

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// pears are the rules for a kind whose shape changes by some steps.
func pears(t *testing.T, steps string) *rules.Table {
	t.Helper()
	set, err := rules.Parse("r.yaml", []byte("name: pears\nrules:\n- {id: v2, from: {group: a.example.dev, version: v1, kind: Pear}, to: {version: v2}}\n"+
		"convert:\n- id: pear\n  kind: Pear\n  from: a.example.dev/v1\n  to: a.example.dev/v2\n  steps:\n  - "+strings.ReplaceAll(strings.TrimSpace(steps), "\n", "\n  - ")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	table, err := rules.Compile([]*rules.Ruleset{set})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// converted changes the shapes of a text.
func converted(table *rules.Table, in string, o Options) (string, []Note) {
	data := []byte(in)
	tree := syntax.Scan(data, source.Span{End: len(data)}, o.JSON, o.Templated)
	due, _ := Find(table, tree)
	out, notes, err := Convert(data, data, 0, due, o)
	if err != nil {
		notes = []Note{{Review: true, Why: err.Error()}}
	}
	return string(out), notes
}

// told are the notes for a person.
func told(notes []Note) []string {
	var list []string
	for _, n := range notes {
		if n.Review {
			list = append(list, n.Why)
		}
	}
	return list
}

const (
	head  = "apiVersion: a.example.dev/v1\nkind: Pear\nmetadata: {name: x}\n"
	after = "apiVersion: a.example.dev/v2\nkind: Pear\nmetadata: {name: x}\n"
)

// Each step does to a text what it says, and nothing else; in and want are what
// is below the metadata of an object. Without a want, it keeps its shape.
var steps = []struct {
	name, steps, in, want string
	says                  []string // to a person
}{
	{"drop", "{drop: spec.worm}", "spec:\n  a: 1\n  # of the worm\n  worm: x # gone\n  b: 2\n",
		"spec:\n  a: 1\n  b: 2\n", nil},
	{"drop a mapping", "{drop: spec.worm}", "spec:\n  worm:\n    a: 1\n\n    b: 2\n  c: 3\n",
		"spec:\n  c: 3\n", nil},
	{"drop in flow", "{drop: spec.worm}", "spec: {a: 1, worm: x, b: 2}\n",
		"spec: {a: 1, b: 2}\n", nil},
	{"drop the first in flow", "{drop: spec.worm}", "spec: {worm: [1, 2], b: 2}\n",
		"spec: {b: 2}\n", nil},
	{"drop the only one in flow", "{drop: spec.worm}", "spec: {worm: x}\n",
		"spec: {}\n", nil},
	{"drop what heads an item", `{drop: "spec.list[*].worm"}`, "spec:\n  list:\n  - worm: x\n    # about b\n    b: 2\n  - b: 3\n    worm: y\n",
		"spec:\n  list:\n  # about b\n  - b: 2\n  - b: 3\n", nil},
	{"drop all of an item", `{drop: "spec.list[*].worm"}`, "spec:\n  list:\n  - worm: x\n  - a: 1\n",
		"spec:\n  list:\n  - {}\n  - a: 1\n", nil},
	{"drop a quoted key that heads an item", `{drop: "spec.list[*].worm"}`, "spec:\n  list:\n  - \"worm\": x\n    b: 2\n",
		"spec:\n  list:\n  - b: 2\n", nil},
	{"drop nothing", "{drop: spec.worm.x}", "spec:\n  worm: 1\n",
		"spec:\n  worm: 1\n", nil},
	{"drop and tell", "{drop: spec.worm, report: true, why: no worms}", "spec:\n  worm: x\n  b: 1\n",
		"spec:\n  b: 1\n", []string{"spec.worm: x has no place in a.example.dev/v2: no worms"}},
	{"drop and tell a block", "{drop: spec.worm, report: true}", "spec:\n  worm:\n    long: and then some words that go on and on until nobody reads them\n  b: 1\n",
		"spec:\n  b: 1\n", []string{"spec.worm: long: and then some words that go on and on until nobody ... has no place in a.example.dev/v2"}},
	{"drop and prune", "{drop: spec.a.b.c, prune: true}", "spec:\n  a:\n    b:\n      c: 1\n  d: 2\n",
		"spec:\n  d: 2\n", nil},
	{"drop and prune up to what has more", "{drop: spec.a.b.c, prune: true}", "spec:\n  a:\n    b:\n      c: 1\n    d: 2\n",
		"spec:\n  a:\n    d: 2\n", nil},
	{"drop and prune in an item", `{drop: "spec.list[*].a.b", prune: true}`, "spec:\n  list:\n  - a: {b: 1}\n    c: 2\n  - a:\n      b: 1\n",
		"spec:\n  list:\n  - c: 2\n  - {}\n", nil},
	{"drop without prune", "{drop: spec.a.c}", "spec:\n  a:\n    c: 1\n  d: 2\n",
		"spec:\n  a:\n  d: 2\n", nil},
	{"rename", "{rename: spec.colour, to: color}", "spec:\n  \"colour\": red # text\n",
		"spec:\n  \"color\": red # text\n", nil},
	{"rename in items", `{rename: "spec.list[*].colour", to: color}`, "spec:\n  list:\n  - colour: red\n  - {colour: blue}\n  - size: 1\n",
		"spec:\n  list:\n  - color: red\n  - {color: blue}\n  - size: 1\n", nil},
	{"move", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  # of size\n  size: 3 # three\n  b: 1\n",
		"spec:\n  b: 1\n  dimensions:\n    # of size\n    size: 3 # three\n", nil},
	{"move to what is there", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 3\n  dimensions:\n    width: 2\n  b: 1\n",
		"spec:\n  dimensions:\n    width: 2\n    size: 3\n  b: 1\n", nil},
	{"move to what is taken", "{move: spec.size, to: spec.dimensions}", "spec:\n  size: 3\n  dimensions: 2\n",
		"", []string{"spec.dimensions exists already, and spec.size would move there"}},
	{"move to items that are all taken", `{move: spec.size, to: "spec.list[*].size"}`, "spec:\n  size: 3\n  list:\n  - size: 1\n  - size: 2\n",
		"", []string{"spec.list[*].size exists already, and spec.size would move there"}},
	{"move under a scalar", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 3\n  dimensions: wide\n",
		"", []string{"spec.dimensions.size has no mapping to hold it, and spec.size would move there"}},
	{"move a mapping up", "{move: spec.a.b, to: spec.b}", "spec:\n  a:\n    b:\n      c: |\n        text\n\n        more\n      d: [1,\n        2]\n",
		"spec:\n  a:\n  b:\n    c: |\n      text\n\n      more\n    d: [1,\n      2]\n", nil},
	{"move a mapping up and prune", "{move: spec.a.b, to: spec.b, prune: true}", "spec:\n  a:\n    b:\n      c: 1\n",
		"spec:\n  b:\n    c: 1\n", nil},
	{"move in flow", "{move: spec.size, to: spec.dimensions.size}", "spec: {size: 3, b: 1}\n",
		"spec: {b: 1, dimensions: {size: 3}}\n", nil},
	{"move in flow to what is there", "{move: spec.size, to: spec.dimensions.size}", "spec: {size: 3, dimensions: {}, b: 1}\n",
		"spec: {dimensions: {size: 3}, b: 1}\n", nil},
	{"move a block into flow", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size:\n    a: 1\n  dimensions: {w: 1}\n",
		"", []string{"spec.size is written in another style than its new place"}},
	{"move a scalar into flow", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 4\n  dimensions: {w: 1}\n",
		"spec:\n  dimensions: {w: 1, size: 4}\n", nil},
	{"move into quotes", "{move: spec.size, to: spec.label, quote: true}", "spec:\n  size: 3 # three\n  b: \"x\"\n",
		"spec:\n  b: \"x\"\n  label: \"3\" # three\n", nil},
	{"move what is quoted", "{move: spec.size, to: spec.label, quote: true}", "spec:\n  size: \"3\"\n",
		"spec:\n  label: \"3\"\n", nil},
	{"move in items", `{move: "spec.list[*].kind", to: "spec.list[*].of.kind"}`, "spec:\n  list:\n  - kind: a\n    b: 1\n  - kind: c\n",
		"spec:\n  list:\n  - b: 1\n    of:\n      kind: a\n  - of:\n      kind: c\n", nil},
	{"move out of items", `{move: "spec.list[*].kind", to: spec.kind}`, "spec:\n  list:\n  - kind: a\n    b: 1\n",
		"spec:\n  list:\n  - b: 1\n  kind: a\n", nil},
	{"move to every item", `{move: spec.kind, to: "spec.list[*].kind"}`, "spec:\n  kind: a\n  list:\n  - b: 1\n  - b: 2\n",
		"spec:\n  list:\n  - b: 1\n    kind: a\n  - b: 2\n    kind: a\n", nil},
	{"move to every item where one has it", `{move: spec.kind, to: "spec.list[*].kind"}`, "spec:\n  kind: a\n  list:\n  - kind: b\n  - b: 2\n",
		"spec:\n  list:\n  - kind: b\n  - b: 2\n    kind: a\n", nil},
	{"move to no item", `{move: spec.kind, to: "spec.list[*].kind"}`, "spec:\n  kind: a\n",
		"", []string{"spec.kind has nowhere to go: spec.list[*].kind has no item"}},
	{"move to every item and prune", `{move: spec.x.kind, to: "spec.list[*].kind", prune: true}`, "spec:\n  x:\n    kind: a\n  list:\n  - b: 1\n",
		"spec:\n  list:\n  - b: 1\n    kind: a\n", nil},
	{"move to the end of a text without a line end", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 3\n  b: 1",
		"spec:\n  b: 1\n  dimensions:\n    size: 3\n", nil},
	{"copy", "{copy: spec.size, to: spec.width}", "spec:\n  size: 3\n",
		"spec:\n  size: 3\n  width: 3\n", nil},
	{"copy to what is there", "{copy: spec.size, to: spec.width}", "spec:\n  size: 3\n  width: 4\n",
		"spec:\n  size: 3\n  width: 4\n", nil},
	{"copy to every item", `{copy: spec.kind, to: "spec.list[*].kind"}`, "spec:\n  kind: a\n  list:\n  - b: 1\n",
		"spec:\n  kind: a\n  list:\n  - b: 1\n    kind: a\n", nil},
	{"wrap", "{wrap: spec.tree, to: name}", "spec:\n  tree: oak # old\n  b: 1\n",
		"spec:\n  tree:\n    name: oak # old\n  b: 1\n", nil},
	{"wrap a mapping", "{wrap: spec.tree, to: spec}", "spec:\n  tree:\n    age: 3\n    # more\n    kind: oak\n  b: 1\n",
		"spec:\n  tree:\n    spec:\n      age: 3\n      # more\n      kind: oak\n  b: 1\n", nil},
	{"wrap in flow", "{wrap: spec.tree, to: name}", "spec: {tree: oak, b: 1}\n",
		"spec: {tree: {name: oak}, b: 1}\n", nil},
	{"wrap quoted in flow", "{wrap: spec.tree, to: name}", "spec: {\"tree\": \"oak\", b: 1}\n",
		"spec: {\"tree\": {name: \"oak\"}, b: 1}\n", nil},
	{"wrap as a list", `{wrap: spec.tree, to: "[*]"}`, "spec:\n  tree: oak # old\n",
		"spec:\n  tree:\n    - oak # old\n", nil},
	{"wrap a mapping as a list", `{wrap: spec.tree, to: "[*]"}`, "spec:\n  tree: # the tree\n    # its age\n    age: 3\n    kind: oak\n  b: 1\n",
		"spec:\n  tree: # the tree\n      # its age\n    - age: 3\n      kind: oak\n  b: 1\n", nil},
	{"wrap as a list in flow", `{wrap: spec.tree, to: "[*]"}`, "spec: {tree: {age: 3}, b: 1}\n",
		"spec: {tree: [{age: 3}], b: 1}\n", nil},
	{"wrap the items of a list", `{wrap: "spec.trees[*]", to: name}`, "spec:\n  trees:\n  - oak # old\n  - \"elm\"\n",
		"spec:\n  trees:\n  - name: oak # old\n  - name: \"elm\"\n", nil},
	{"wrap the items of a list in flow", `{wrap: "spec.trees[*]", to: name}`, "spec: {trees: [oak, elm]}\n",
		"spec: {trees: [{name: oak}, {name: elm}]}\n", nil},
	{"set", `{set: spec.ripe, value: "true"}`, "spec:\n  b: 1\n",
		"spec:\n  b: 1\n  ripe: true\n", nil},
	{"set a list", `{set: spec.ripe, value: "[v1, 2]"}`, "spec:\n  b: 1\n",
		"spec:\n  b: 1\n  ripe: [v1, 2]\n", nil},
	{"set what is there", `{set: spec.ripe, value: "true"}`, "spec:\n  ripe: false\n",
		"spec:\n  ripe: false\n", nil},
	{"set deep", "{set: spec.a.b.c, value: x}", "spec:\n  b: 1\n",
		"spec:\n  b: 1\n  a:\n    b:\n      c: x\n", nil},
	{"set where there is no spec", `{set: spec.ripe, value: "true"}`, "status: {}\n",
		"status: {}\nspec:\n  ripe: true\n", nil},
	{"set in flow", `{set: spec.ripe, value: "true"}`, "spec: {b: 1}\n",
		"spec: {b: 1, ripe: true}\n", nil},
	{"set in an empty mapping", `{set: spec.ripe, value: "true"}`, "spec: {}\n",
		"spec: {ripe: true}\n", nil},
	{"set in items", `{set: "spec.list[*].ripe", value: "true", report: true, why: they are}`, "spec:\n  list:\n  - a: 1\n  - ripe: false\n",
		"spec:\n  list:\n  - a: 1\n    ripe: true\n  - ripe: false\n", []string{"spec.list[0].ripe is true now: they are"}},
	{"set when", `{set: spec.ripe, value: "true", when: {path: spec.a, is: present}}`, "spec:\n  a: 1\n",
		"spec:\n  a: 1\n  ripe: true\n", nil},
	{"set when not", `{set: spec.ripe, value: "true", when: {path: spec.a, is: present}}`, "spec:\n  b: 1\n",
		"spec:\n  b: 1\n", nil},
	{"map values", `{map-values: spec.mode, values: {Old: New, Gone: ""}}`, "spec:\n  mode: Old\n",
		"spec:\n  mode: New\n", nil},
	{"map values to nothing", `{map-values: spec.mode, values: {Old: New, Gone: ""}}`, "spec:\n  mode: Gone\n  b: 1\n",
		"spec:\n  b: 1\n", nil},
	{"map values that are not known", "{map-values: spec.mode, values: {Old: New}}", "spec:\n  mode: Other\n",
		"", []string{`spec.mode: no new value is known for "Other"`}},
	{"map quoted values in items", `{map-values: "spec.list[*].mode", values: {Old: New}}`, "spec:\n  list:\n  - mode: \"Old\"\n  - mode: Odd\n",
		"", []string{`spec.list[1].mode: no new value is known for "Odd"`}},
	{"map a value that is new already", "{map-values: spec.mode, values: {Old: New}}", "spec:\n  mode: New\n",
		"spec:\n  mode: New\n", nil},
	{"input", "{require-input: spec.queue, name: given}", "spec:\n  b: 1\n",
		"spec:\n  b: 1\n  queue: 7\n", nil},
	{"input that is there", "{require-input: spec.queue, name: given}", "spec:\n  queue: b\n",
		"spec:\n  queue: b\n", nil},
	{"input that is not given", "{require-input: spec.queue, name: other, why: Kueue wants it}", "spec:\n  b: 1\n",
		"", []string{"spec.queue needs a value: Kueue wants it"}},
	{"input that is not given and needs no reason", "{require-input: spec.queue, name: other}", "spec:\n  b: 1\n",
		"", []string{"spec.queue needs a value"}},
	{"tell", "{tell: spec.a, why: look at it}", "spec:\n  a: 1\n",
		"spec:\n  a: 1\n", []string{"spec.a: look at it"}},
	{"tell of nothing", "{tell: spec.a, why: look at it}", "spec:\n  b: 1\n",
		"spec:\n  b: 1\n", nil},
	{"tell of what is missing", "{tell: spec.a, why: it is missing, when: {is: missing}}", "spec:\n  b: 1\n",
		"spec:\n  b: 1\n", []string{"spec.a: it is missing"}},
	{"tell of items", `{tell: "spec.list[*].a", why: look at it, when: {in: [x]}}`, "spec:\n  list:\n  - a: x\n  - a: y\n  - b: x\n",
		"spec:\n  list:\n  - a: x\n  - a: y\n  - b: x\n", []string{"spec.list[0].a: look at it"}},
	{"when a number", "{drop: spec.a, when: {is: number}}\n{drop: spec.b, when: {is: number}}\n{drop: spec.c, when: {is: number}}", "spec:\n  a: 1\n  b: \"2\"\n  c: x\n  d: 1\n",
		"spec:\n  b: \"2\"\n  c: x\n  d: 1\n", nil},
	{"when a string", "{drop: spec.a, when: {is: string}}\n{drop: spec.b, when: {is: string}}\n{drop: spec.c, when: {is: string}}\n{drop: spec.d, when: {is: string}}\n{drop: spec.e, when: {is: string}}", "spec:\n  a: 1\n  b: \"2\"\n  c: {}\n  d: $(D)\n  e:\n    f: 1\n",
		"spec:\n  a: 1\n  c: {}\n  d: $(D)\n  e:\n    f: 1\n", nil},
	{"when a template", "{drop: spec.a, when: {is: template}}\n{drop: spec.b, when: {is: template}}\n{drop: spec.c, when: {is: template}}", "spec:\n  a: ${A}\n  b: \"%s\"\n  c: 5%\n",
		"spec:\n  c: 5%\n", nil},
	{"when empty", "{drop: spec.a, when: {is: empty}}\n{drop: spec.b, when: {is: empty}}\n{drop: spec.c, when: {is: empty}}", "spec:\n  a: \"\"\n  b:\n    c: 1\n  c:\n  d: 1\n",
		"spec:\n  b:\n    c: 1\n  d: 1\n", nil},
	{"when one of", "{drop: spec.a, when: {in: [x, z]}}\n{drop: spec.b, when: {in: [x]}}", "spec:\n  a: z\n  b: z\n",
		"spec:\n  b: z\n", nil},
	{"when none of", "{drop: spec.a, when: {not: [x]}}\n{drop: spec.b, when: {not: [x]}}", "spec:\n  a: y\n  b: x\n",
		"spec:\n  b: x\n", nil},
	{"when another field", "{drop: spec.a, when: {path: spec.b, in: [\"1\"]}}\n{drop: spec.b, when: {path: spec.c, is: missing}}", "spec:\n  a: y\n  b: 1\n  d: 1\n",
		"spec:\n  d: 1\n", nil},
	{"when a field of the item", `{drop: "spec.list[*].a", when: {path: "spec.list[*].b", is: present}}`, "spec:\n  list:\n  - a: 1\n    b: 1\n  - a: 1\n    c: 1\n",
		"spec:\n  list:\n  - b: 1\n  - a: 1\n    c: 1\n", nil},
	{"when a field beside the items", `{drop: "spec.list[*].a", when: {path: spec.b, is: present}}`, "spec:\n  b: 1\n  list:\n  - a: 1\n    b: 1\n  - c: 1\n",
		"spec:\n  b: 1\n  list:\n  - b: 1\n  - c: 1\n", nil},
	{"items in items", `{rename: "spec.list[*].parts[*].old", to: new}`, "spec:\n  list:\n  - parts:\n    - old: 1\n    - new: 2\n  - parts: [{old: 3}]\n",
		"spec:\n  list:\n  - parts:\n    - new: 1\n    - new: 2\n  - parts: [{new: 3}]\n", nil},
	{"items that are lists", `{rename: "spec.rows[*][*].old", to: new}`, "spec:\n  rows:\n  - [{old: 1}]\n  - - old: 2\n",
		"spec:\n  rows:\n  - [{new: 1}]\n  - - new: 2\n", nil},
	{"map the items themselves", `{map-values: "spec.list[*]", values: {Old: New}}`, "spec:\n  list:\n  - Old\n  - \"Old\" # it\n",
		"spec:\n  list:\n  - New\n  - \"New\" # it\n", nil},
	{"drop some items", `{drop: "spec.list[*]", when: {in: [x]}}`, "spec:\n  list:\n  - x\n  - y\n",
		"spec:\n  list:\n  - y\n", nil},
	{"items that are scalars", `{drop: "spec.list[*].a"}`, "spec:\n  list:\n  - x\n  - a: 1\n    b: 2\n",
		"spec:\n  list:\n  - x\n  - b: 2\n", nil},
	{"steps one after the other", "{rename: spec.a, to: b}\n{move: spec.b, to: spec.c.d}\n{set: spec.c.e, value: \"1\"}", "spec:\n  a: 5\n  z: 1\n",
		"spec:\n  z: 1\n  c:\n    d: 5\n    e: 1\n", nil},
	{"report without a reason", "{move: spec.a, to: spec.b, report: true}", "spec:\n  a: 5\n",
		"spec:\n  b: 5\n", []string{"spec.a: 5"}},
	{"report with a command", `{drop: spec.a, report: true, run: "cfctl x {file}"}`, "spec:\n  a: 5\n  b: 1\n",
		"spec:\n  b: 1\n", []string{"spec.a: 5 has no place in a.example.dev/v2"}},
	{"move below itself", "{move: spec.size, to: spec.size.value}", "spec:\n  size: 3\n  b: 1\n",
		"spec:\n  b: 1\n  size:\n    value: 3\n", nil},
	{"move below itself in an item of one entry", `{move: "spec.list[*].size", to: "spec.list[*].size.value"}`, "spec:\n  list:\n  - size: 3\n",
		"spec:\n  list:\n  - {size: {value: 3}}\n", nil},
	{"move a mapping below itself in an item of one entry", `{move: "spec.list[*].size", to: "spec.list[*].size.value"}`, "spec:\n  list:\n  - size:\n      a: 1\n",
		"", []string{"spec.list[0].size is written in another style than its new place"}},
	{"move into a list", "{move: spec.size, to: spec.list.size}", "spec:\n  size: 3\n  list: [1, 2]\n  block:\n  - 1\n",
		"", []string{"spec.list.size has no mapping to hold it, and spec.size would move there"}},
	{"move into a block list", "{move: spec.size, to: spec.list.size}", "spec:\n  size: 3\n  list:\n  - a: 1\n",
		"", []string{"spec.list.size has no mapping to hold it, and spec.size would move there"}},
	{"move under a quoted scalar", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 3\n  dimensions: \"wide\"\n",
		"", []string{"spec.dimensions.size has no mapping to hold it, and spec.size would move there"}},
	{"move under an empty list", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 3\n  dimensions: []\n",
		"", []string{"spec.dimensions.size has no mapping to hold it, and spec.size would move there"}},
	{"move to an empty mapping with an anchor", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 3\n  dimensions: &d {}\n",
		"spec:\n  dimensions: &d {size: 3}\n", nil},
	{"move to what is null", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size: 3\n  dimensions:\n  b: 1\n",
		"spec:\n  dimensions:\n    size: 3\n  b: 1\n", nil},
	{"move a block to an empty mapping", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  size:\n    a: 1\n  dimensions: {}\n",
		"", []string{"spec.size is written in another style than its new place"}},
	{"set under a scalar", "{set: spec.a.b, value: x}", "spec:\n  a: 1\n",
		"", []string{"spec.a.b has no mapping to hold it"}},
	{"when a field of another list", `{drop: "spec.list[*].a", when: {path: "spec.other[*].b", is: present}}`, "spec:\n  list:\n  - a: 1\n    c: 1\n  - a: 2\n    b: 1\n  other:\n  - b: 1\n  - c: 1\n",
		"spec:\n  list:\n  - c: 1\n  - a: 2\n    b: 1\n  other:\n  - b: 1\n  - c: 1\n", nil},
	{"move the last entry of a text without a line end", "{move: spec.size, to: spec.dimensions.size}", "spec:\n  b: 1\n  size: 3",
		"spec:\n  b: 1\n  dimensions:\n    size: 3\n", nil},
}

func TestSteps(t *testing.T) {
	for _, x := range steps {
		t.Run(x.name, func(t *testing.T) {
			table := pears(t, x.steps)
			got, notes := converted(table, head+x.in, Options{Set: map[string]string{"given": "7"}})
			want := after + x.want
			if x.want == "" {
				want = head + x.in
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if says := told(notes); !slices.Equal(says, x.says) {
				t.Errorf("says %q", says)
			}
		})
	}
}

// What holds for every step: the result is read as YAML, a second run changes
// nothing, and the same object written as JSON becomes the same.
func TestStepsInEveryStyle(t *testing.T) {
	for _, x := range steps {
		table := pears(t, x.steps)
		o := Options{Set: map[string]string{"given": "7"}}
		block, notes := converted(table, head+x.in, o)
		if again, more := converted(table, block, o); again != block || len(more) > 0 && x.want != "" {
			t.Errorf("%s: a second run makes\n%s\nand tells %v", x.name, again, more)
		}
		in, err := yaml.YAMLToJSON([]byte(head + x.in))
		if err != nil {
			t.Fatal(x.name, err)
		}
		if strings.Contains(string(in), ":null") {
			continue // in JSON, nothing is not left out
		}
		o.JSON = true
		flow, says := converted(table, string(in), o)
		if want := object(t, block); !reflect.DeepEqual(object(t, flow), want) && !slices.ContainsFunc(told(notes), inAnotherStyle) {
			t.Errorf("%s: in JSON it becomes\n%s\nnot\n%v", x.name, flow, want)
		}
		if len(told(says)) != len(x.says) && !slices.ContainsFunc(told(notes), inAnotherStyle) {
			t.Errorf("%s: in JSON, %q", x.name, told(says))
		}
	}
}

func inAnotherStyle(why string) bool { return strings.Contains(why, "another style") }

// object is a text as a server reads it, without what is null or empty.
func object(t *testing.T, content string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(content), &v); err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	return withoutEmpty(v)
}

func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if v[k] = withoutEmpty(x); v[k] == nil {
				delete(v, k)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
	}
	return v
}

// Templates and text that other programs fill in are values like any other, and
// stay as they are written.
func TestStepsInTemplates(t *testing.T) {
	for _, x := range []struct{ steps, in, want string }{
		{"{rename: spec.colour, to: color}", "spec:\n  colour: {{ .y }} # {{ .z }}\n", "spec:\n  color: {{ .y }} # {{ .z }}\n"},
		{"{drop: spec.a, when: {is: template}}", "spec:\n  a: {{ .a }}\n  b: {{ .b }}\n", "spec:\n  b: {{ .b }}\n"},
	} {
		if got, _ := converted(pears(t, x.steps), head+x.in, Options{Templated: true}); got != after+x.want {
			t.Errorf("%s: got\n%s", x.steps, got)
		}
	}
}

// An object changes its shape when it is one of the kind and version, or a rule
// makes it one, and neither its version nor its kind stays.
func TestFind(t *testing.T) {
	table := pears(t, "{drop: spec.worm}")
	in := "apiVersion: a.example.dev/v1\nkind: Pear\nspec: {worm: 1}\n"
	for _, x := range []struct {
		name, in string
		want     int
	}{
		{"an object", in, 1},
		{"with metadata alone", "kind: Pear\napiVersion: a.example.dev/v1\nmetadata: {name: x}\n", 1},
		{"a reference", "kind: Pear\napiVersion: a.example.dev/v1\nname: x\n", 0},
		{"without a version", "kind: Pear\nspec: {worm: 1}\n", 0},
		{"of another version", strings.Replace(in, "v1", "v2", 1), 0},
		{"of another kind", strings.Replace(in, "Pear", "Plum", 1), 0},
		{"with a version in a block", "kind: Pear\napiVersion: |\n  a.example.dev/v1\nspec: {worm: 1}\n", 0},
		{"with a kind in a block", "kind: |\n  Pear\napiVersion: a.example.dev/v1\nspec: {worm: 1}\n", 0},
		{"two in a list", "kind: List\nitems:\n- kind: Pear\n  apiVersion: a.example.dev/v1\n  spec: {}\n- {apiVersion: a.example.dev/v1, kind: Pear, metadata: {}}\n", 2},
	} {
		data := []byte(x.in)
		if due, _ := Find(table, syntax.Scan(data, source.Span{End: len(data)}, false, false)); len(due) != x.want {
			t.Errorf("%s: %d objects", x.name, len(due))
		}
	}
}

// Several objects of one text change each for itself: in a list, and one inside
// of another.
func TestObjectsOfOneText(t *testing.T) {
	table := pears(t, "{rename: spec.colour, to: color}\n{drop: spec.worm, report: true}")
	pear := func(indent, version, colour, rest string) string {
		return indent + "apiVersion: a.example.dev/" + version + "\n" + indent + "kind: Pear\n" + indent + "spec:\n" + indent + "  " + colour + ": red\n" + rest
	}
	worm := "  worm: x\n"
	item := func(s string) string { return "- " + strings.TrimPrefix(s, "  ") }
	for _, x := range []struct{ in, want string }{
		{"items:\n" + item(pear("  ", "v1", "colour", "  "+worm)) + item(pear("  ", "v1", "colour", "")) + "after: 1\n",
			"items:\n" + item(pear("  ", "v2", "color", "")) + item(pear("  ", "v2", "color", "")) + "after: 1\n"},
		{pear("", "v1", "colour", worm+"  template:\n"+pear("    ", "v1", "colour", "    "+worm)) + "z: 1\n",
			pear("", "v2", "color", "  template:\n"+pear("    ", "v2", "color", "")) + "z: 1\n"},
	} {
		got, notes := converted(table, x.in, Options{})
		if got != x.want {
			t.Errorf("got\n%s\nwant\n%s", got, x.want)
		}
		worms := strings.Count(x.in, "worm")
		if says := told(notes); len(says) != worms || len(notes) != worms+strings.Count(x.in, "Pear") {
			t.Errorf("%d notes, to a person %q", len(notes), says)
		}
		for _, n := range notes {
			if !strings.HasPrefix(x.in[n.At:], "kind: Pear") {
				t.Errorf("%q is told at %q", n.Why, x.in[n.At:min(len(x.in), n.At+20)])
			}
		}
	}
}

// What a person can do about a step that cannot be done is said with it.
func TestRefusals(t *testing.T) {
	for _, x := range []struct{ steps, in, want string }{
		{"{move: spec.a, to: spec.b}", "spec: {a: 1, b: 2}\n", "merge the two, or convert the object by hand"},
		{"{move: spec.a, to: spec.b.c}", "spec: {a: 1, b: 2}\n", "convert the object by hand"},
		{"{move: spec.a, to: spec.b.c}", "spec:\n  a:\n    x: 1\n  b: {}\n", "write both in one style, or convert the object by hand"},
		{"{set: spec.a.b, value: x}", "spec: {a: 1}\n", "convert the object by hand"},
		{"{require-input: spec.queue, name: queue}", "spec: {a: 1}\n", "run again with --set queue=VALUE"},
	} {
		data := []byte(head + x.in)
		due, _ := Find(pears(t, x.steps), syntax.Scan(data, source.Span{End: len(data)}, false, false))
		_, _, err := Convert(data, data, 0, due, Options{})
		if refusal, ok := errors.AsType[*Refusal](err); !ok || refusal.Hint != x.want {
			t.Errorf("%s: %+v", x.steps, err)
		}
	}
}

// What a person is to do is said with what is told.
func TestHints(t *testing.T) {
	for _, x := range []struct{ steps, in, want string }{
		{"{drop: spec.a, report: true}", "spec: {a: 1}\n", "look whether the value is needed elsewhere"},
		{"{drop: spec.a, report: true, run: cfctl x}", "spec: {a: 1}\n", "cfctl x"},
		{"{move: spec.a, to: spec.b, report: true}", "spec: {a: 1}\n", ""},
		{"{tell: spec.a, why: look, run: cfctl y}", "spec: {a: 1}\n", "cfctl y"},
	} {
		_, notes := converted(pears(t, x.steps), head+x.in, Options{})
		i := slices.IndexFunc(notes, func(n Note) bool { return n.Review })
		if i < 0 || notes[i].Hint != x.want || notes[i].Rule != "pear" || notes[i].Ruleset != "pears" {
			t.Errorf("%s: %+v", x.steps, notes)
		}
	}
}
