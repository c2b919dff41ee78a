package prove

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/racetest"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A vessel is a file that holds documents in its own way.
type vessel struct {
	name string
	json bool // it holds JSON
	wrap func(docs []string) string
}

// vessels are all the ways in which a file of some format holds documents.
var vessels = []vessel{
	{name: "stream.yaml", wrap: func(docs []string) string { return "# about it\n---\n" + strings.Join(docs, "---\n") }},
	{name: "list.yaml", wrap: func(docs []string) string {
		text := "# about it\nkind: List\nitems:\n"
		for _, d := range docs {
			text += "-\n" + deeper(d, "  ")
		}
		return text
	}},
	{name: "configmap.yaml", wrap: func(docs []string) string {
		text := "# about it\nkind: ConfigMap\ndata:\n"
		for i, d := range docs {
			text += fmt.Sprintf("  f%d.yaml: |\n", i) + deeper(d, "    ")
		}
		return text
	}},
	{name: "annotation.yaml", json: true, wrap: func(docs []string) string {
		text := "# about it\n"
		for _, d := range docs {
			text += "---\nkind: Service\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n" + deeper(d, "      ")
		}
		return text
	}},
	{name: "quoted.yaml", json: true, wrap: func(docs []string) string {
		text := "# about it\n"
		for i, d := range docs {
			text += fmt.Sprintf("s%d: %s\n", i, quoted(d))
		}
		return text
	}},
	{name: "x.clusterserviceversion.yaml", json: true, wrap: func(docs []string) string {
		return "# about it\nkind: ClusterServiceVersion\nmetadata:\n  annotations:\n    alm-examples: |-\n      [\n" + deeper(strings.Join(docs, ",\n"), "        ") + "      ]\n  name: x.v1\n"
	}},
	{name: "chart.tpl", wrap: func(docs []string) string {
		text := "# about it\n"
		for i, d := range docs {
			text += fmt.Sprintf("{{- if .Values.x%d }}\n---\n%sfilled: {{ .Release.Name }}\n{{- end }}\n", i, d)
		}
		return text
	}},
	{name: "flow.tpl", wrap: func(docs []string) string {
		text := "{{- define \"about\" }}\n{{- end }}\n"
		for _, d := range docs {
			text += "---\n" + strings.Replace(d, "[get, list]", "[get, list{{ if .Values.more }}, {{ .Values.more }}{{ end }}]", 1)
		}
		return text
	}},
	{name: "readme.md", wrap: func(docs []string) string {
		text := "# about it\n"
		for _, d := range docs {
			text += "\n```yaml\n" + d + "```\n"
		}
		return text + "\nAnd so on.\n"
	}},
	{name: "nested.md", wrap: func(docs []string) string {
		text := "# about it\n"
		for _, d := range docs {
			text += "\n- item\n\n  ~~~yaml\n" + deeper(d, "  ") + "  ~~~\n"
		}
		return text
	}},
	{name: "book.ipynb", wrap: func(docs []string) string {
		var cells []string
		for _, d := range docs {
			var lines []string
			for line := range strings.Lines("# about it\nx = '''\n" + d + "'''\n") {
				lines = append(lines, quoted(line))
			}
			cells = append(cells, "  {\n   \"cell_type\": \"code\",\n   \"source\": [\n    "+strings.Join(lines, ",\n    ")+"\n   ]\n  }")
		}
		return "{\n \"cells\": [\n" + strings.Join(cells, ",\n") + "\n ]\n}\n"
	}},
	{name: "list.json", json: true, wrap: func(docs []string) string {
		return "{\n\"kind\": \"List\",\n\"about\": \"it\",\n\"items\": [\n" + strings.Join(docs, ",\n") + "]\n}\n"
	}},
	{name: "raw.go", wrap: func(docs []string) string {
		text := "package a\n\n// about it\n"
		for i, d := range docs {
			text += fmt.Sprintf("\nvar x%d = `\n%s`\n", i, d)
		}
		return text
	}},
	{name: "quoted.go", wrap: func(docs []string) string {
		text := "package a\n\n// about it\n"
		for i, d := range docs {
			text += fmt.Sprintf("\nvar x%d = %s\n", i, quoted(d))
		}
		return text
	}},
	{name: "long.py", wrap: func(docs []string) string {
		text := "# about it\n"
		for i, d := range docs {
			text += fmt.Sprintf("x%d = \"\"\"\n%s\"\"\"\n", i, d)
		}
		return text
	}},
	{name: "run.sh", wrap: func(docs []string) string {
		text := "#!/bin/sh\n# about it\n"
		for _, d := range docs {
			text += "kubectl apply -f - <<EOF\n" + d + "EOF\n"
		}
		return text
	}},
	{name: "main.tf", wrap: func(docs []string) string {
		text := "# about it\n"
		for i, d := range docs {
			text += fmt.Sprintf("resource \"x\" \"x%d\" {\n  body = <<-EOT\n%s  EOT\n}\n", i, deeper(d, "    "))
		}
		return text
	}},
	{name: "tables.toml", wrap: func(docs []string) string {
		text := "# about it\n"
		for i, d := range docs {
			text += fmt.Sprintf("x%d = '''\n%s'''\n", i, d)
		}
		return text
	}},
	{name: "guide.rst", wrap: func(docs []string) string {
		text := "about it::\n\n"
		for _, d := range docs {
			text += deeper(d, "   ") + "\nnext::\n\n"
		}
		return text
	}},
}

func deeper(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// The documents of every vessel: an object of a group that is split by kinds,
// one of the other kind, and a role.
const (
	appleYAML = "apiVersion: split.example.com/v1\nkind: Apple\nmetadata:\n  name: x # a note\n  labels:\n    old.example.com/a: \"1\"\nspec:\n  group: old.example.com\n  size: 3\n  color: red\n  text: it is old.example.com/v1\n"
	berryYAML = "apiVersion: split.example.com/v1\nkind: Berry\nspec:\n  size: 4\n"
	roleYAML  = "kind: Role\nrules:\n- apiGroups: [old.example.com]\n  resources: [x]\n  verbs: [get, list]\n"

	appleJSON = "{\n\"apiVersion\": \"split.example.com/v1\",\n\"kind\": \"Apple\",\n\"labels\": {\n\"old.example.com/a\": \"1\"\n},\n\"group\": \"old.example.com\",\n\"size\": 3,\n\"color\": \"red\",\n\"text\": \"it is old.example.com/v1\"\n}\n"
	berryJSON = "{\n\"apiVersion\": \"split.example.com/v1\",\n\"kind\": \"Berry\",\n\"size\": 4\n}\n"
	roleJSON  = "{\n\"kind\": \"Role\",\n\"rules\": [{\n\"apiGroups\": [\"old.example.com\"],\n\"resources\": [\"x\"],\n\"verbs\": [\"get\", \"list\"]\n}]\n}\n"
)

// right is what testRules make of a document.
func right(doc string, dual bool) string {
	switch {
	case strings.Contains(doc, "apiGroups") && dual:
		doc = strings.Replace(doc, "old.example.com", "old.example.com, new.example.org", 1)
		return strings.Replace(doc, `"old.example.com, new.example.org"`, `"old.example.com", "new.example.org"`, 1)
	case strings.Contains(doc, "Berry"):
		return strings.Replace(doc, "split.example.com/v1", "b.example.org/v2", 1)
	}
	doc = strings.Replace(doc, "split.example.com", "a.example.org", 1)
	return strings.ReplaceAll(doc, "old.example.com", "new.example.org")
}

// A mistake makes a wrong document of the right one. Where it finds no place in
// it, the document stays as it is.
type mistake struct {
	name string
	make func(doc string) string
}

func put(old, fresh string) func(string) string {
	re := regexp.MustCompile(old)
	return func(doc string) string {
		at := re.FindStringSubmatchIndex(doc)
		if at == nil {
			return doc
		}
		return doc[:at[0]] + string(re.ExpandString(nil, fresh, doc, at)) + doc[at[1]:]
	}
}

var mistakes = []mistake{
	{"shifted by one", put(`a\.example\.org/v1`, "sa.example.orgv1")},
	{"shifted back by one", put(`( "?)a\.example\.org/v1`, "a.example.org$1/v1")},
	{"the old name cut short", put(`a\.example\.org/v1`, "a.example.orgm/v1")},
	{"the new name cut short", put(`a\.example\.org/v1`, "a.example.or/v1")},
	{"the new name doubled", put(`a\.example\.org/v1`, "a.example.orga.example.org/v1")},
	{"the new name before the old one", put(`a\.example\.org/v1`, "a.example.orgsplit.example.com/v1")},
	{"another kind's group", put(`a\.example\.org/v1`, "b.example.org/v1")},
	{"another kind's group and version", put(`a\.example\.org/v1`, "b.example.org/v2")},
	{"the version of another rule", put(`a\.example\.org/v1`, "a.example.org/v2")},
	{"the group alone of a kind with a version", put(`b\.example\.org/v2`, "b.example.org/v1")},
	{"the version alone", put(`b\.example\.org/v2`, "split.example.com/v2")},
	{"the name of nobody", put(`new\.example\.org`, "new.example.net")},
	{"the kind of another document", put(`Apple`, "Berry")},
	{"a kind that is lower case", put(`Apple`, "apple")},
	{"a line lost", put(`(?m)^.*size.*\n`, "")},
	{"a changed line lost", put(`(?m)^.*"?group.*\n`, "")},
	{"a key doubled", put(`(?m)^(.*"?color.*\n)`, "$1$1")},
	{"a key renamed", put(`color`, "kind")},
	{"a changed key doubled", put(`(?m)^(.*"?group.*\n)`, "$1$1")},
	{"a value changed", put(`red`, "x")},
	{"a number changed", put(`(size"?: )3`, "${1}1")},
	{"a number quoted", put(`(size"?: )3`, `${1}"3"`)},
	{"two values swapped", put(`(size"?: )3(,?\n *"?color"?: "?)red`, "${1}red${2}3")},
	{"a note changed", put(`# a note`, "# a name")},
	{"a note lost", put(` # a note`, "")},
	{"an entry becomes a note", put(`(?m)^( *)(size.*)$`, "$1# $2")},
	{"a blank in a value", put(`it is`, "it  is")},
	{"a word in a value lost", put(`it is new`, "it new")},
	{"a line deeper", put(`(?m)^( *color:.*)$`, "  $1")},
	{"a verb lost", put(`(get"?), "?list"?`, "$1")},
	{"a verb changed", put(`(get"?, "?)list`, "${1}get")},
	{"a resource changed", put(`(resources"?: \["?)x`, "${1}kind")},
	{"a permission for nobody", put(`(apiGroups"?: \[).*\]`, "$1]")},
	{"a permission more", put(`(resources"?: \["?)(x"?)`, `${1}${2}, "kind"`)},
	{"a rule without groups", put(`(?m)^.*apiGroups.*\n`, "")},
	{"a bracket lost", put(`(verbs.*)\]`, "$1")},
	{"a quote more", put(`red`, `re"d`)},
	{"another end of a line", put(`(?m)^(.*color.*)\n`, "$1\r\n")},
}

// dualMistakes are those of the mode that keeps the old beside the new.
var dualMistakes = []mistake{
	{"the old permission lost", put(`"?old\.example\.com"?, ("?new)`, "$1")},
	{"the new permission twice", put(`("?new\.example\.org"?)\]`, "$1, $1]")},
	{"a permission for another group", put(`("?)new\.example\.org("?)\]`, "${1}a.example.org${2}]")},
	{"a permission for all", put(`("?)new\.example\.org("?)\]`, `"*"]`)},
	{"a verb lost", put(`(get"?), "?list"?`, "$1")},
	{"an object beside", put(`(?s)^(.*Apple.*)$`, "$1---\n$1")},
}

// byName makes a file of two texts: a decision for each word that differs.
func byName(name, before, after string) *File {
	a, b := splitLines(before), splitLines(after)
	if len(a) != len(b) {
		return caseOf(name, before, after)
	}
	f := &File{Path: name, Format: formatOf(name), Before: []byte(before), After: []byte(after)}
	at := 0
	for i := range a {
		n := 0
		for n < len(a[i]) && n < len(b[i]) && a[i][n] == b[i][n] {
			n++
		}
		for n > 0 && !edge(a[i][n-1]) {
			n--
		}
		j, k := len(a[i]), len(b[i])
		for j > n && k > n && a[i][j-1] == b[i][k-1] {
			j, k = j-1, k-1
		}
		for j < len(a[i]) && !edge(a[i][j]) {
			j, k = j+1, k+1
		}
		if a[i] != b[i] {
			e := source.Edit{Span: source.Span{Start: at + n, End: at + j}, New: b[i][n:k]}
			f.Edits = append(f.Edits, e)
			f.Decisions = append(f.Decisions, Decision{Span: e.Span, Old: a[i][n:j], New: e.New, Rule: "test", Edits: []source.Edit{e}})
		}
		at += len(a[i])
	}
	return f
}

// In every vessel the right edits are taken, and no wrong one is: neither as
// names, each for itself, nor as lines in which it may be about more than names.
func TestMistakesAreRefused(t *testing.T) {
	racetest.OneGoroutine(t)
	rules := testRules()
	for _, v := range vessels {
		docs := []string{appleYAML, berryYAML, roleYAML}
		if v.json {
			docs = []string{appleJSON, berryJSON, roleJSON}
		}
		before := v.wrap(docs)
		for _, dual := range []bool{false, true} {
			good := make([]string, len(docs))
			for i, d := range docs {
				good[i] = right(d, dual)
			}
			list := mistakes
			if dual {
				list = dualMistakes
			}
			taken := func(after string) (why []string) {
				for how, f := range map[string]*File{"names": byName(v.name, before, after), "lines": caseOf(v.name, before, after)} {
					f.Dual = dual
					if err := rules.Check(f); err == nil {
						why = append(why, how)
					} else if after == v.wrap(good) {
						t.Errorf("%s, dual %v: the right %s are refused: %v", v.name, dual, how, err)
					}
				}
				return why
			}
			taken(v.wrap(good))
			try := func(what, after string) {
				if after == v.wrap(good) {
					return
				}
				if why := taken(after); len(why) > 0 {
					t.Errorf("%s, dual %v: %s is taken, as %v", v.name, dual, what, why)
				}
			}
			for _, m := range list {
				for i := range good {
					wrong := append([]string(nil), good...)
					wrong[i] = m.make(good[i])
					try(m.name, v.wrap(wrong))
				}
			}
			try("a document lost", v.wrap(good[1:]))
			try("the last document lost", v.wrap(good[:2]))
			try("documents in another order", v.wrap([]string{good[1], good[0], good[2]}))
			try("a document in place of another", v.wrap([]string{good[0], good[0], good[2]}))
			try("what is around them", strings.Replace(v.wrap(good), "about", "kind", 1))
			try("the line around them", strings.Replace(v.wrap(good), "about", "abo ut", 1))
			try("the last byte lost", strings.TrimSuffix(v.wrap(good), "\n"))
			try("a byte more", v.wrap(good)+"\n")
			if !dual {
				try("a document twice", v.wrap(append(good[:3:3], good[0])))
				try("the old document beside", v.wrap(append(good[:3:3], docs[0])))
			}
		}
	}
}

// The documents of objects whose shape changes, and what testRules make of them.
const (
	pearYAML   = "apiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  # of the pear\n  colour: red # a note\n  size: 3\n  seeds:\n  - kind: a\n  - kind: b\n  apple: [1, 2]\n  ripe: Yes\n"
	ripeYAML   = "apiVersion: same.example.com/v1\nkind: Pear\nspec:\n  # of the pear\n  color: red # a note\n  dimensions:\n    size: 3\n  seeds:\n  - of:\n      kind: a\n  - of:\n      kind: b\n  apple: [1, 2]\n  ripe: Ripe\n"
	pearJSON   = "{\n\"apiVersion\": \"same.example.com/v1beta1\",\n\"kind\": \"Pear\",\n\"spec\": {\n\"colour\": \"red\",\n\"size\": 3,\n\"seeds\": [{\"kind\": \"a\"}, {\"kind\": \"b\"}],\n\"apple\": [1, 2],\n\"ripe\": \"Yes\"\n}\n}\n"
	ripeJSON   = "{\n\"apiVersion\": \"same.example.com/v1\",\n\"kind\": \"Pear\",\n\"spec\": {\n\"color\": \"red\",\n\"dimensions\": {\"size\": 3},\n\"seeds\": [{\"of\": {\"kind\": \"a\"}}, {\"of\": {\"kind\": \"b\"}}],\n\"apple\": [1, 2],\n\"ripe\": \"Ripe\"\n}\n}\n"
	otherYAML  = "kind: Other\nspec:\n  colour: red\n  size: 4\n"
	otherJSON  = "{\n\"kind\": \"Other\",\n\"spec\": {\n\"colour\": \"red\",\n\"size\": 4\n}\n}\n"
	appleInOne = "(apple\"?: \\[)1, 2"
)

// shapeMistakes are those of a change of shape.
var shapeMistakes = []mistake{
	{"a moved value lost", put(`(?m)^ *dimensions:\n *size.*\n|^"dimensions.*\n`, "")},
	{"a moved value at the place of another", put(`"?dimensions"?`, "kept")},
	{"a renamed value lost", put(`(?m)^ *"?color.*\n`, "")},
	{"a value that stays lost", put(`(?m)^.*"?apple"?.*\n`, "")},
	{"an item of a value lost", put(appleInOne, "${1}1")},
	{"items in another order", put(appleInOne, "${1}2, 1")},
	{"an item more", put(appleInOne, "${1}1, 2, 2")},
	{"items of objects in another order", put(`(?s)(kind"?: "?)a(.*kind"?: "?)b`, "${1}b${2}a")},
	{"an item of objects lost", put(`(?m)^ *- of:\n *kind: b\n|, \{"of": \{"kind": "b"\}\}`, "")},
	{"the old key beside the new one", put(`(?m)^( *"?)color(.*\n)`, "${1}color${2}${1}colour${2}")},
	{"the new key twice", put(`(?m)^( *"?color.*\n)`, "$1$1")},
	{"a value of another field", put(`red`, "Ripe")},
	{"a value that nothing maps", put(`Ripe`, "Yes of")},
	{"a number quoted", put(`(apple"?: \[)1`, `${1}"1"`)},
	{"a field from nowhere", put(`(?m)^( *)("?)(color.*\n)`, "${1}${2}tree$2: ${2}red$2,\n${1}${2}${3}")},
	{"the version of nobody", put(`same\.example\.com/v1`, "a.example.org/v1")},
	{"another kind", put(`Pear`, "Apple")},
	{"a note lost", put(` # a note`, "")},
	{"a note changed", put(`# of the pear`, "# of the apple")},
	{"a bracket lost", put(`\[1, 2\]`, "[1, 2")},
}

// A change of shape takes no value away that no step drops, in no vessel, and
// leaves the other documents alone.
func TestMistakesOfShapeAreRefused(t *testing.T) {
	rules := testRules()
	for _, v := range vessels {
		old, fresh, other := pearYAML, ripeYAML, otherYAML
		if v.json {
			old, fresh, other = pearJSON, ripeJSON, otherJSON
		}
		before := v.wrap([]string{old, other})
		check := func(after string) error {
			f := caseOf(v.name, before, after)
			f.Shaped = true
			return rules.Check(f)
		}
		if err := check(v.wrap([]string{fresh, other})); err != nil {
			t.Errorf("%s: the right one is refused: %v", v.name, err)
		}
		for _, m := range shapeMistakes {
			if wrong := m.make(fresh); wrong != fresh && check(v.wrap([]string{wrong, other})) == nil {
				t.Errorf("%s: %s is taken", v.name, m.name)
			}
		}
		for what, wrong := range map[string][]string{
			"another object converted": {fresh, strings.Replace(strings.Replace(other, "colour", "color", 1), "Other", "Pear", 1)},
			"the field of another one": {fresh, strings.Replace(other, "colour", "color", 1)},
			"the value of another one": {strings.Replace(fresh, "size: 3", "size: 4", 1), strings.Replace(other, "4", "3", 1)},
			"an object lost":           {fresh}, "the other left": {other}, "an object twice": {fresh, fresh, other}, "in another order": {other, fresh},
		} {
			if after := v.wrap(wrong); after != v.wrap([]string{fresh, other}) && check(after) == nil {
				t.Errorf("%s: %s is taken", v.name, what)
			}
		}
	}
}

// What is there in both groups ends in the new one: nothing that is there once
// may go with it.
func TestEndOfTheWindow(t *testing.T) {
	crd := func(group, rest string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: apples." + group + "\nspec:\n  group: " + group + "\n  names: {plural: apples}\n" + rest
	}
	old, fresh := crd("old.example.com", "  scope: x\n"), crd("new.example.org", "  scope: x\n")
	role := func(groups string) string {
		return "rules:\n- apiGroups: [" + groups + "]\n  resources: [x]\n  verbs: [get, list]\n"
	}
	entry := func(group, rest string) string { return "- name: apples." + group + "\n  version: v1\n" + rest }
	owned := func(entries ...string) string { return "owned:\n" + strings.Join(entries, "") }
	for _, c := range []struct{ name, mode, before, after, why string }{
		{"a twin ends", "", old + "---\n" + fresh, fresh, ""},
		{"a twin lost", "", old + "---\n" + fresh, old, "vanish"},
		{"both lost", "", "a: 1\n---\n" + old + "---\n" + fresh, "a: 1\n", "vanish"},
		{"another one lost", "", old + "---\n" + fresh + "---\na: 1\n", fresh, "vanish"},
		{"a twin comes", "d", old, old + "---\n" + fresh, ""},
		{"a twin instead", "d", old + "---\na: 1\n", fresh + "---\na: 1\n", ""},
		{"a twin of nobody", "d", old, old + "---\n" + strings.ReplaceAll(fresh, "new.", "a."), "from nowhere"},
		{"a twin with less", "d", old, old + "---\n" + strings.Replace(fresh, "  scope: x\n", "", 1), "from nowhere"},
		{"a twin with more", "d", old, old + "---\n" + fresh + "  group: x\n", "from nowhere"},
		{"a twin by half", "d", old, old + "---\n" + strings.Replace(fresh, "group: new.example.org", "group: old.example.com", 1), "name should be"},
		{"two twins", "d", old, old + "---\n" + fresh + "---\n" + fresh, "twice"},
		{"a twin in replace mode", "", old, old + "---\n" + fresh, "items would become"},
		{"permissions end", "", role("old.example.com, new.example.org"), role("new.example.org"), ""},
		{"permissions end in the old group", "", role("old.example.com, new.example.org"), role("old.example.com"), "lost"},
		{"permissions end in none", "", role("old.example.com, new.example.org"), role(""), "lost"},
		{"permissions stay", "", role("old.example.com"), role("old.example.com, new.example.org"), "beside the old one"},
		{"an entry ends", "", owned(entry("old.example.com", "  kind: A\n"), entry("new.example.org", "  kind: A\n  x: 1\n")), owned(entry("new.example.org", "  kind: A\n  x: 1\n")), ""},
		{"the new entry ends", "", owned(entry("old.example.com", ""), entry("new.example.org", "  kind: A\n")), owned(entry("old.example.com", "")), "vanish"},
		{"an entry of another version", "", owned(entry("old.example.com", ""), strings.Replace(entry("new.example.org", ""), "v1", "v2", 1)), owned(strings.Replace(entry("new.example.org", ""), "v1", "v2", 1)), "vanish"},
		{"an entry comes", "d", owned(entry("old.example.com", "")), owned(entry("old.example.com", ""), entry("new.example.org", "")), ""},
		{"a comment beside an item", "", "apiGroups:\n- old.example.com # a\n- new.example.org # b\n", "apiGroups:\n- new.example.org # b\n", ""},
		{"the comment of the item that stays", "", "apiGroups:\n- old.example.com # a\n- new.example.org # b\n", "apiGroups:\n- new.example.org # a\n", "comment"},
		{"a comment beside the only item", "", "apiGroups:\n- old.example.com # a\n", "apiGroups:\n- new.example.org\n", "comment"},
	} {
		f := caseOf("a.yaml", c.before, c.after)
		f.Dual = c.mode == "d"
		if err := testRules().Check(f); (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.why)
		}
	}
}
