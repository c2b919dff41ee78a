package prove

import (
	"errors"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// testRules have every kind of move, and one conversion with every verb.
func testRules() *Rules {
	return Compile([]Move{
		{GVK{Group: "old.example.com"}, GVK{Group: "new.example.org"}},
		{GVK{Group: "split.example.com", Kind: "Apple", Plural: "apples"}, GVK{Group: "a.example.org"}},
		{GVK{Group: "split.example.com", Kind: "Berry", Plural: "berries"}, GVK{Group: "b.example.org", Version: "v2"}},
		{GVK{Group: "same.example.com", Version: "v1beta1", Kind: "Pear"}, GVK{Version: "v1"}},
		{GVK{Group: "same.example.com", Version: "v1alpha1", Kind: "Quince", Plural: "quinces"}, GVK{Version: "v1", Kind: "Medlar", Plural: "medlars"}},
	}, [][2]string{{"old.example.com/", "new.example.org/"}}, []Conversion{{Kind: "Pear", From: "same.example.com/v1beta1", To: "same.example.com/v1", Steps: []Step{
		{Verb: "rename", Path: []string{"spec", "colour"}, Key: "color"},
		{Verb: "move", Path: []string{"spec", "size"}, To: []string{"spec", "dimensions", "size"}, Quote: true},
		{Verb: "move", Path: []string{"spec", "seeds", "[*]", "kind"}, To: []string{"spec", "seeds", "[*]", "of", "kind"}},
		{Verb: "move", Path: []string{"spec", "soil"}, To: []string{"spec", "seeds", "[*]", "soil"}},
		{Verb: "copy", Path: []string{"spec", "name"}, To: []string{"spec", "title"}},
		{Verb: "wrap", Path: []string{"spec", "tree"}, Key: "[*]"},
		{Verb: "wrap", Path: []string{"spec", "bark"}, Key: "layers"},
		{Verb: "map-values", Path: []string{"spec", "ripe"}, Values: map[string]string{"Yes": "Ripe", "Perhaps": ""}},
		{Verb: "drop", Path: []string{"spec", "worm"}},
		{Verb: "set", Path: []string{"spec", "kept"}, Value: "{cool: true}"},
		{Verb: "tell", Path: []string{"spec", "x"}},
	}}})
}

// caseOf makes a file of two texts: one edit from the first to the last byte
// that differ, as a change of shape has them, or one decision for each name.
func caseOf(name, before, after string) *File {
	f := &File{Path: name, Format: formatOf(name), Before: []byte(before), After: []byte(after)}
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	start := len(strings.Join(a[:head], ""))
	old, fresh := strings.Join(a[head:len(a)-tail], ""), strings.Join(b[head:len(b)-tail], "")
	e := source.Edit{Span: source.Span{Start: start, End: start + len(old)}, New: fresh}
	f.Edits = []source.Edit{e}
	f.Decisions = []Decision{{Span: source.Span{Start: start, End: start}, Old: "x", New: "x", Rule: "test", Edits: []source.Edit{e}}}
	return f
}

func splitLines(text string) []string { return strings.SplitAfter(text, "\n") }

func formatOf(name string) string {
	_, ext, _ := strings.Cut(name, ".")
	return map[string]string{"yaml": "yaml", "json": "json", "tpl": "helm", "go": "go", "md": "markdown", "ipynb": "notebook", "py": "python", "toml": "config", "clusterserviceversion.yaml": "yaml", "sh": "shell", "tf": "config", "rst": "text"}[ext]
}

const (
	apple = "apiVersion: split.example.com/v1\nkind: Apple\n"
	pear  = "apiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n"
	fresh = "apiVersion: same.example.com/v1\nkind: Pear\nspec:\n"
	role  = "rules:\n- apiGroups: [split.example.com]\n  resources: [apples, berries]\n  verbs: [get, list]\n"
)

// What differs between two texts is permitted, or the answer says why not.
// Modes: s for a change of shape, d for dual.
var cases = []struct{ name, file, mode, before, after, why string }{
	{"a group", "a.yaml", "", "apiVersion: old.example.com/v1\nkind: X\n", "apiVersion: new.example.org/v1\nkind: X\n", ""},
	{"a kind's own group", "a.yaml", "", apple, "apiVersion: a.example.org/v1\nkind: Apple\n", ""},
	{"another kind's group", "a.yaml", "", apple, "apiVersion: b.example.org/v1\nkind: Apple\n", "no rule makes b.example.org/v1"},
	{"a group without its version", "a.yaml", "", "apiVersion: split.example.com/v1\nkind: Berry\n", "apiVersion: b.example.org/v1\nkind: Berry\n", "no rule makes b.example.org/v1"},
	{"a kind with its version", "a.yaml", "", "apiVersion: same.example.com/v1alpha1\nkind: QuinceList\n", "apiVersion: same.example.com/v1\nkind: MedlarList\n", ""},
	{"a version without its kind", "a.yaml", "", "apiVersion: same.example.com/v1alpha1\nkind: Quince\n", "apiVersion: same.example.com/v1\nkind: Quince\n", "no rule makes"},
	{"a reference by itself", "a.yaml", "", "a: same.example.com/v1alpha1\n", "a: same.example.com/v1beta1\n", "comes from nowhere"},
	{"a version of another rule", "a.yaml", "", "a: same.example.com/v1alpha1\nb: v1beta1\n", "a: a.example.org/v1\nb: v1\n", "no rule"},
	{"a word that grows", "a.yaml", "", "a: old.example.com\n", "a: new.example.orgs\n", "comes from nowhere"},
	{"a key of a prefix", "a.yaml", "", "{old.example.com/a: 1}\n", "{new.example.org/a: 1}\n", ""},
	{"a type", "a.yaml", "", "a: old.example.com\nb: 1\n", "a: new.example.org\nb: \"1\"\n", "the int \"1\" would become"},
	{"an anchor", "a.yaml", "", "a: &x old.example.com\n", "a: new.example.org\n", "would"},
	{"an alias", "a.yaml", "", "a: &a 1\nb: &b 2\nc: old.example.com\nd: *a\n", "a: &a 1\nb: &b 2\nc: new.example.org\nd: *b\n", "the alias a would become b"},
	{"an order", "a.yaml", "", "a: old.example.com\nb: 2\nc: 3\n", "a: new.example.org\nc: 3\nb: 2\n", "key"},
	{"a document less", "a.yaml", "", "a: old.example.com\n---\nb: 1\n", "a: new.example.org\n", "would vanish"},
	{"a comment less", "a.yaml", "", "# note\na: old.example.com\n", "a: new.example.org\n", "would be lost"},
	{"no YAML", "a.yaml", "", "a: old.example.com\n", "a: new.example.org: [\n", "would not parse"},
	{"a blank line", "a.yaml", "", "a: old.example.com\n", "\na: new.example.org\n", "blank lines"},
	{"the last line", "a.yaml", "", "a: old.example.com\n", "a: new.example.org", "end of the last line"},
	{"ends of lines", "a.yaml", "", "a: old.example.com\r\nb: 1\r\n", "a: new.example.org\nb: 1\r\n", "ends of lines"},
	{"JSON in a string", "a.yaml", "", "a: '{\"apiVersion\": \"split.example.com/v1\", \"kind\": \"Apple\"}'\n", "a: '{\"apiVersion\": \"b.example.org/v1\", \"kind\": \"Apple\"}'\n", "no rule makes"},
	{"broken JSON in a string", "a.yaml", "", "a: '{\"g\": \"old.example.com\"}'\n", "a: '{\"g\": \"new.example.org}'\n", "would"},
	{"YAML in a string", "a.yaml", "", "a: |\n  g: old.example.com\n  # c\n  b: 1\n", "a: |\n  g: new.example.org\n  # c\n  b: 1\n", ""},
	{"a document in a list", "a.yaml", "", "a: |\n  - b: old.example.com\n    kind: |\n      - x: 1\n", "a: |\n  - b: new.example.org\n    kind: |\n      - x: b\n", "would become"},
	{"an item of a list less", "a.yaml", "", "a: [old.example.com, new.example.org]\n", "a: [new.example.org]\n", ""},
	{"an item that was there once", "a.yaml", "", "a: [old.example.com, x]\n", "a: [new.example.org]\n", "would vanish"},
	{"an item more", "a.yaml", "", "a: [old.example.com]\n", "a: [old.example.com, new.example.org]\n", "items would become"},
	{"an item more in dual mode", "a.yaml", "d", "a: [old.example.com]\n", "a: [old.example.com, new.example.org]\n", ""},
	{"a strange item in dual mode", "a.yaml", "d", "a: [old.example.com]\nx: y\n", "a: [old.example.com, x]\nx: y\n", "come from nowhere"},
	{"an item twice in dual mode", "a.yaml", "d", "a: [old.example.com]\n", "a: [old.example.com, new.example.org, new.example.org]\n", "there twice"},
	{"an entry by name", "a.yaml", "", "a:\n- name: x.old.example.com\n  b: 1\n- name: x.new.example.org\n  b: 2\n", "a:\n- name: x.new.example.org\n  b: 2\n", ""},
	{"a rule that is split", "a.yaml", "", role, "rules:\n- apiGroups: [a.example.org]\n  resources: [apples]\n  verbs: [get, list]\n- apiGroups: [b.example.org]\n  resources: [berries]\n  verbs: [get, list]\n", ""},
	{"a CRD by its name", "a.yaml", "", "rules:\n- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [x.old.example.com], verbs: [get]}\n", "rules:\n- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [x.new.example.org], verbs: [get]}\n", ""},
	{"another CRD by its name", "a.yaml", "", "rules:\n- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [x.old.example.com], verbs: [get]}\n", "rules:\n- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [y.new.example.org], verbs: [get]}\n", "comes from nowhere|would be lost"},
	{"the name of something else", "a.yaml", "", "rules:\n- {apiGroups: [''], resources: [secrets], resourceNames: [x.old.example.com], verbs: [get]}\n", "rules:\n- {apiGroups: [''], resources: [secrets], resourceNames: [x.new.example.org], verbs: [get]}\n", "would be lost"},
	{"a verb less", "a.yaml", "", role, "rules:\n- apiGroups: [a.example.org]\n  resources: [apples]\n  verbs: [get]\n- apiGroups: [b.example.org]\n  resources: [berries]\n  verbs: [get, list]\n", "list apples.split.example.com would be lost"},
	{"a permission more", "a.yaml", "", role, "rules:\n- apiGroups: [a.example.org, b.example.org]\n  resources: [apples, berries]\n  verbs: [get, list]\n", "from nowhere"},
	{"an old permission that stays", "a.yaml", "", "rules:\n- {apiGroups: [old.example.com], resources: [x], verbs: [get], resourceNames: [n]}\n", "rules:\n- {apiGroups: [old.example.com, new.example.org], resources: [x], verbs: [get], resourceNames: [n]}\n", "beside the old one"},
	{"both permissions in dual mode", "a.yaml", "d", "rules:\n- {apiGroups: [old.example.com], resources: [x], verbs: [get]}\n", "rules:\n- {apiGroups: [old.example.com, new.example.org], resources: [x], verbs: [get]}\n", ""},
	{"a group twice", "a.yaml", "d", "rules:\n- {apiGroups: [old.example.com], resources: [x], verbs: [get]}\n", "rules:\n- {apiGroups: [old.example.com, new.example.org, new.example.org], resources: [x], verbs: [get]}\n", "there twice"},
	{"every resource", "a.yaml", "", "rules:\n- {apiGroups: [split.example.com], resources: ['*'], verbs: [get]}\n", "rules:\n- {apiGroups: [split.example.com, a.example.org, b.example.org], resources: ['*'], verbs: [get]}\n", ""},
	{"a rule of its own", "a.yaml", "", "apiGroups: [split.example.com]\n", "apiGroups: [split.example.com, a.example.org, b.example.org]\n", ""},
	{"a resource that is filled in", "a.tpl", "", "rules:\n- apiGroups: [split.example.com]\n  resources: [apples, {{ . }}]\n", "rules:\n- apiGroups: [split.example.com, a.example.org]\n  resources: [apples, {{ . }}]\n", ""},
	{"a subresource", "a.yaml", "", "rules:\n- {apiGroups: [same.example.com], resources: [quinces/status], verbs: [get]}\n", "rules:\n- {apiGroups: [same.example.com], resources: [medlars/status], verbs: [get]}\n", ""},
	{"a URL of a role", "a.yaml", "", "rules:\n- {apiGroups: [old.example.com], resources: [x], verbs: [get]}\n- {nonResourceURLs: [/a], verbs: [get]}\n", "rules:\n- {apiGroups: [new.example.org], resources: [x], verbs: [get]}\n", "rules without groups"},
	{"a URL that changes", "a.yaml", "", "rules:\n- {apiGroups: [old.example.com], resources: [x], verbs: [get]}\n- {nonResourceURLs: [/get], verbs: [get]}\n", "rules:\n- {apiGroups: [new.example.org], resources: [x], verbs: [get]}\n- {nonResourceURLs: [/x], verbs: [get]}\n", "would become"},
	{"versions of a webhook", "a.yaml", "", "rules:\n- {apiGroups: [split.example.com], apiVersions: [v1], resources: [berries], operations: [CREATE]}\n", "rules:\n- {apiGroups: [b.example.org], apiVersions: [v2], resources: [berries], operations: [CREATE]}\n", ""},
	{"a rule's other fields", "a.yaml", "", "rules:\n- {apiGroups: [old.example.com], resources: [x], scope: CREATE}\n", "rules:\n- {apiGroups: [new.example.org], resources: [x], scope: x}\n", "would be lost"},
	{"a CRD", "a.yaml", "", "kind: CustomResourceDefinition\nmetadata: {name: apples.old.example.com}\nspec: {group: old.example.com, names: {plural: apples}, versions: [{name: v1, storage: true}]}\n", "kind: CustomResourceDefinition\nmetadata: {name: apples.new.example.org}\nspec: {group: new.example.org, names: {plural: apples}, versions: [{name: v1, storage: true}]}\n", ""},
	{"a CRD's name alone", "a.yaml", "", "kind: CustomResourceDefinition\nmetadata: {name: apples.old.example.com}\nspec: {group: old.example.com, names: {plural: apples}}\n", "kind: CustomResourceDefinition\nmetadata: {name: apples.new.example.org}\nspec: {group: old.example.com, names: {plural: apples}}\n", "the name should be"},
	{"a CRD that was wrong", "a.yaml", "", "kind: CustomResourceDefinition\nmetadata: {name: x.old.example.com}\nspec: {group: old.example.com, names: {plural: apples}}\n", "kind: CustomResourceDefinition\nmetadata: {name: x.new.example.org}\nspec: {group: new.example.org, names: {plural: apples}}\n", ""},

	{"a renamed field", "a.yaml", "s", pear + "  colour: red\n", fresh + "  color: red\n", ""},
	{"a renamed field's value", "a.yaml", "s", pear + "  colour: red\n  x: kind\n", fresh + "  color: kind\n  x: kind\n", "would be lost"},
	{"a moved field", "a.yaml", "s", pear + "  size: 3\n", fresh + "  dimensions:\n    size: \"3\"\n", ""},
	{"a moved field twice", "a.yaml", "s", pear + "  size: 3\n", fresh + "  size: 3\n  dimensions: {size: 3}\n", "from nowhere"},
	{"items", "a.yaml", "s", pear + "  seeds: [{kind: a}, {kind: b}]\n", fresh + "  seeds: [{of: {kind: a}}, {of: {kind: b}}]\n", ""},
	{"items that change places", "a.yaml", "s", pear + "  seeds: [{kind: a}, {kind: b}]\n", fresh + "  seeds: [{of: {kind: b}}, {of: {kind: a}}]\n", "would be lost"},
	{"a field for every item", "a.yaml", "s", pear + "  soil: wet\n  seeds: [{a: 1}, {a: 2}]\n", fresh + "  seeds: [{a: 1, soil: wet}, {a: 2, soil: wet}]\n", ""},
	{"a copy", "a.yaml", "s", pear + "  name: n\n", fresh + "  name: n\n  title: n\n", ""},
	{"a list of one", "a.yaml", "s", pear + "  tree: {a: b}\n  bark: c\n", fresh + "  tree: [{a: b}]\n  bark: {layers: c}\n", ""},
	{"mapped values", "a.yaml", "s", pear + "  ripe: Yes\n", fresh + "  ripe: Ripe\n", ""},
	{"a mapped value that goes", "a.yaml", "s", pear + "  x: 1\n  ripe: Perhaps\n", fresh + "  x: 1\n", ""},
	{"a dropped field", "a.yaml", "s", pear + "  # about it\n  worm: x\n", fresh + "  {}\n", ""},
	{"a field that nothing drops", "a.yaml", "s", pear + "  worm: x\n  apple: y\n", fresh + "  worm: x\n", "spec.apple: the str \"y\" would be lost"},
	{"a written value", "a.yaml", "s", pear + "  x: 1\n", fresh + "  x: 1\n  kept: {cool: true}\n", ""},
	{"another written value", "a.yaml", "s", pear + "  x: 1\n", fresh + "  x: 1\n  kept: {cool: x}\n", "from nowhere"},
	{"a shape without its version", "a.yaml", "s", pear + "  colour: red\n", "apiVersion: new.example.org/v1\nkind: Pear\nspec:\n  color: red\n", "would"},
	{"a shape in a list", "a.yaml", "s", "items:\n- apiVersion: same.example.com/v1beta1\n  kind: Pear\n  spec: {colour: red}\n", "items:\n- apiVersion: same.example.com/v1\n  kind: Pear\n  spec: {color: red}\n", ""},
	{"a key of a moved label", "a.yaml", "s", pear + "  old.example.com/x: 1\n  colour: red\n", fresh + "  new.example.org/x: 1\n  color: red\n", ""},
	{"a shape in a comment", "a.yaml", "s", "a: 1\n# apiVersion: same.example.com/v1beta1\n# kind: Pear\n# spec: {colour: red}\n", "a: 1\n# apiVersion: same.example.com/v1\n# kind: Pear\n# spec: {color: red}\n", ""},

	{"JSON", "a.json", "", `{"a": "old.example.com", "b": [1, true, null]}`, `{"a": "new.example.org", "b": [1, true, null]}`, ""},
	{"JSON that breaks", "a.json", "", `{"a": "old.example.com"}`, `{"a": "new.example.org"`, "would not be JSON"},
	{"JSON with comments", "a.json", "", "{\"a\": \"old.example.com\", // c, \"x\"\n/* d */ \"b\": [1,],\n# e\n}", "{\"a\": \"new.example.org\", // c, \"x\"\n/* d */ \"b\": [1,],\n# e\n}", ""},
	{"no JSON", "a.json", "", `{"a": old.example.com}`, `{"a": new.example.org}`, ""},

	{"a slash that JSON escapes", "a.json", "", "{\"0\" \"old.example.com\\/x", "{\"0\" \"new.example.org/x", ""},
	{"a template", "a.tpl", "", "{{- if .x }}\na: old.example.com {{ .y }}\n{{- end }}\n", "{{- if .x }}\na: new.example.org {{ .y }}\n{{- end }}\n", ""},
	{"an action that changes", "a.tpl", "", "a: {{ \"old.example.com\" }}\n", "a: {{ \"new.example.org\" }}\n", ""},
	{"an action less", "a.tpl", "", "{{- if .x }}\na: old.example.com\n{{- end }}\n", "{{- if .x }}\na: new.example.org\n", "would be lost"},
	{"an action more", "a.tpl", "", "a: old.example.com\n# x\n", "a: new.example.org\n# {{ x }}\n", "from nowhere"},
	{"a template that breaks", "a.tpl", "", "a: old.example.com\nb: {{ .x }}\n", "a: new.example.org\n  b: {{ .x }}\n", "would"},
	{"a template that is no YAML", "a.tpl", "", "a: [old.example.com {{ if x }}\nb: \"\n", "a: [new.example.org {{ if x }}\nb: \"\n", ""},
	{"a bracket less", "a.tpl", "", "a: [old.example.com {{ if x }}\nb: \"\n", "a: new.example.org {{ if x }}\nb: \"\n", "bracket"},
	{"a word less", "a.tpl", "", "a: [old.example.com, x {{ if x }}\nb: \"\n", "a: [new.example.org, {{ if x }}\nb: \"\n", "\"x\" would be lost"},
	{"a flow list with actions", "a.tpl", "", "a: [\"old.example.com\"{{ if .x }}, {{ .x }}{{ end }}]\n", "a: [\"new.example.org\"{{ if .x }}, {{ .x }}{{ end }}]\n", ""},
	{"a shape in a template", "a.tpl", "s", pear + "  colour: {{ .red }}\n", fresh + "  color: {{ .red }}\n", ""},

	{"Go", "a.go", "", "package a\n\nvar x = \"old.example.com\" // old.example.com\n", "package a\n\nvar x = \"new.example.org\" // new.example.org\n", ""},
	{"no Go", "a.go", "", "package a\n\nvar x = \"old.example.com\n", "package a\n\nvar x = \"new.example.org\n", ""},
	{"words in Go", "a.go", "", "old.example.com/v1 Apple\n", "new.example.org/v1 Apple\n", ""},
	{"Go that breaks", "a.go", "", "package a\n\nvar x = \"old.example.com\"\n", "package a\n\nvar x = \"new.example.org\n", "would not be Go"},
	{"a token", "a.go", "", "package a\n\nvar x = \"old.example.com\"\n", "package a\n\nconst x = \"new.example.org\"\n", "comes from nowhere"},
	{"another token", "a.go", "", "package a\n\nvar x = \"old.example.com\" + x\n", "package a\n\nvar x = \"new.example.org\" - x\n", "+ would become -"},
	{"tokens", "a.go", "", "package a\n\nvar x = \"old.example.com\" + x\n", "package a\n\nvar x = \"new.example.org\"\n", "tokens would become"},
	{"a raw string", "a.go", "", "package a\n\nvar x = \"old.example.com\"\n", "package a\n\nvar x = `new.example.org`\n", "the string"},
	{"a document in Go", "a.go", "s", "package a\n\nvar x = `\n" + pear + "  colour: red\n`\n", "package a\n\nvar x = `\n" + fresh + "  color: red\n`\n", ""},
	{"a wrong document in Go", "a.go", "", "package a\n\nvar x = `\n" + apple + "`\n", "package a\n\nvar x = `\napiVersion: b.example.org/v1\nkind: Apple\n`\n", "no rule makes"},
	{"markers", "a.go", "", "package a\n\n// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get;list\n", "package a\n\n// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get;list\n", ""},
	{"a marker's verb", "a.go", "", "package a\n\n// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get;list\n", "package a\n\n// +kubebuilder:rbac:groups=new.example.org,resources=x,verbs=get\n", "list x.old.example.com would be lost"},
	{"markers in dual mode", "a.go", "d", "package a\n\n// +kubebuilder:rbac:groups=old.example.com,resources=x,verbs=get,namespace=n\n", "package a\n\n// +kubebuilder:rbac:groups=old.example.com;new.example.org,resources=x,verbs=get,namespace=n\n", ""},

	{"a fence", "a.md", "", "x\n\n> ```yaml\n> " + strings.ReplaceAll(strings.TrimSpace(apple), "\n", "\n> ") + "\n> ```\ny\n", "x\n\n> ```yaml\n> apiVersion: a.example.org/v1\n> kind: Apple\n> ```\ny\n", ""},
	{"a wrong fence", "a.md", "", "```yaml\n" + apple + "```\n", "```yaml\napiVersion: b.example.org/v1\nkind: Apple\n```\n", "no rule makes"},
	{"a fence that does not close", "a.md", "", "~~~\na: old.example.com\n", "~~~\na: new.example.org\n", ""},
	{"a fence more", "a.md", "", "```\nx: old.example.com\n```\n", "```\nx: new.example.org\n```\n~~~\n", "blocks"},
	{"a here document", "a.py", "", "cat <<E\n" + apple + "E\nx <<F\n", "cat <<E\napiVersion: a.example.org/v1\nkind: Apple\nE\nx <<F\n", ""},
	{"a long string", "a.py", "s", "x = '''\n" + pear + "  colour: red\n'''\ny = \"\"\"\n", "x = '''\n" + fresh + "  color: red\n'''\ny = \"\"\"\n", ""},
	{"a string that loses a word", "a.py", "s", "x = \"colour: red, a: b\"\n", "x = \"color: red\"\n", "\"a\" would be lost|would be lost"},
	{"a string that drops", "a.py", "s", "x = \"worm: red, a: b\"\n", "x = \"a: b\"\n", ""},
	{"TOML", "a.toml", "", "x = \"old.example.com\"\n", "x = \"new.example.org\"\n", ""},
	{"TOML that breaks", "a.toml", "", "x = \"old.example.com\"\n", "x = \"new.example.org\n", "would not be TOML"},
	{"a cell", "a.ipynb", "s", `{"source": ["x = '''\n", "` + strings.ReplaceAll(pear, "\n", `\n", "`) + `  size: 1\n", "'''\n"], "n": [1]}`, `{"source": ["x = '''\n", "` + strings.ReplaceAll(fresh, "\n", `\n", "`) + `  dimensions:\n", "    size: 1\n", "'''\n"], "n": [1]}`, ""},
}

func TestCheck(t *testing.T) {
	rules := testRules()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := caseOf(c.file, c.before, c.after)
			f.Shaped, f.Dual = strings.Contains(c.mode, "s"), strings.Contains(c.mode, "d")
			err := rules.Check(f)
			if err == nil || c.why == "" {
				if err != nil || c.why != "" {
					t.Errorf("got %v, want %q", err, c.why)
				}
				return
			}
			for _, why := range strings.Split(c.why, "|") {
				if strings.Contains(err.Error(), why) {
					return
				}
			}
			t.Errorf("got %v, want %q", err, c.why)
		})
	}
}

// A decision's edits are what it says, in its place, and nobody else's.
func TestDecisions(t *testing.T) {
	before := "a: old.example.com # old.example.com\n"
	span := func(from, to int) source.Span { return source.Span{Start: from, End: to} }
	name := Decision{Span: span(3, 18), Old: "old.example.com", New: "new.example.org", Rule: "r", Edits: []source.Edit{{Span: span(3, 18), New: "new.example.org", Old: "old.example.com"}}}
	with := func(change func(*Decision)) Decision {
		d := name
		d.Edits = []source.Edit{name.Edits[0]}
		change(&d)
		return d
	}
	for what, c := range map[string]struct {
		d    Decision
		kept []source.Span
		why  string
	}{
		"right":            {d: name},
		"outside":          {d: with(func(d *Decision) { d.Span = span(3, 99) }), why: "outside of the file"},
		"kept":             {d: name, kept: []source.Span{span(10, 12)}, why: "must stay"},
		"another spelling": {d: with(func(d *Decision) { d.New = "new.example.net" }), why: "no rule makes"},
		"another edit":     {d: with(func(d *Decision) { d.Edits[0].New = "new.example" }), why: "would become \"new.example\""},
		"another text":     {d: with(func(d *Decision) { d.Edits[0].Old = "x" }), why: "not \"x\""},
		"not the spelling": {d: with(func(d *Decision) { d.Old, d.New = "x.old.example.com", "x.new.example.org" }), why: "where \"x.old"},
		"layout":           {d: with(func(d *Decision) { d.New = ""; d.Edits[0].New = "old.example.com " }), why: "no word"},
	} {
		f := &File{Path: "a.yaml", Format: "yaml", Before: []byte(before), Edits: c.d.Edits, Decisions: []Decision{c.d}, Kept: c.kept}
		f.After, _ = source.Apply(f.Before, f.Edits)
		err := testRules().Check(f)
		if c.why == "" && err != nil || c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)) {
			t.Errorf("%s: got %v, want %q", what, err, c.why)
		}
	}
	f := &File{Path: "a.yaml", Format: "yaml", Before: []byte(before), After: []byte(before), Edits: name.Edits}
	if err := testRules().Check(f); err == nil || !strings.Contains(err.Error(), "do not give the result") {
		t.Errorf("another result: %v", err)
	}
	f.After, _ = source.Apply(f.Before, f.Edits)
	if err := testRules().Check(f); err == nil || !strings.Contains(err.Error(), "which no decision says") || !strings.HasPrefix(err.Error(), "a.yaml:1:4:") {
		t.Errorf("an edit of nobody: %v", err)
	}
	f.Edits = append(f.Edits, f.Edits[0])
	if err := testRules().Check(f); err == nil || !strings.Contains(err.Error(), "do not fit") {
		t.Errorf("overlapping edits: %v", err)
	}
}

// Go may be laid out again around a name, and not otherwise.
func TestLayoutOfGo(t *testing.T) {
	before, after := "package a\n\nvar a   = \"old.example.com\" // c\n", "package a\n\nvar a = \"new.example.org\"    // c\n"
	f := caseOf("a.go", before, after)
	at := strings.Index(before, "old.")
	f.Decisions = []Decision{{Span: source.Span{Start: at, End: at + 15}, Old: "old.example.com", New: "new.example.org",
		Edits: []source.Edit{{Span: source.Span{Start: at, End: at + 15}, New: "new.example.org"}}}}
	if err := testRules().Check(f); err != nil {
		t.Error(err)
	}
	f.Edits[0].New = strings.Replace(f.Edits[0].New, "// c", "// d", 1)
	f.After, _ = source.Apply(f.Before, f.Edits)
	if err := testRules().Check(f); err == nil {
		t.Error("another comment is taken")
	}
}

// What did not parse before cannot be proven, and says where.
func TestUnread(t *testing.T) {
	err := testRules().Check(caseOf("a.yaml", "a: 1\n---\nb: old.example.com\n c: [\n", "a: 1\n---\nb: new.example.org\n c: [\n"))
	var u *Unread
	if !errors.As(err, &u) || u.Err.Pos.Line < 3 || !strings.HasPrefix(u.Error(), "a.yaml:") || u.Unwrap() == nil {
		t.Errorf("got %v", err)
	}
}

// The halves of a group are names in a PROJECT file alone.
func TestProject(t *testing.T) {
	for name, want := range map[string]bool{"PROJECT": true, "a.yaml": false} {
		f := caseOf(name, "domain: example.com\nresources: [{group: old}]\n", "domain: example.org\nresources: [{group: new}]\n")
		f.Format = "yaml"
		if err := testRules().Check(f); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Only the documents that edits touch are parsed.
func TestChunks(t *testing.T) {
	text := []byte("---\na: 1\n--- # x\nb: 2\n---\nc: 3\n")
	at := func(s string) source.Edit {
		i := strings.Index(string(text), s)
		return source.Edit{Span: source.Span{Start: i, End: i + len(s)}, New: "longer"}
	}
	for _, c := range []struct {
		text  []byte
		edits []source.Edit
		want  []string
	}{
		{text, []source.Edit{at("2")}, []string{"--- # x\nb: 2\n"}},
		{text, []source.Edit{at("1"), at("3")}, []string{"---\na: 1\n", "---\nc: 3\n"}},
		{text, []source.Edit{at("c: 3\n---"), at("a")}, nil},
		{append([]byte("%YAML 1.2\n"), text...), []source.Edit{at("2")}, []string{"%YAML 1.2\n" + string(text)}},
		{text, []source.Edit{{Span: source.Span{Start: 9, End: 9}, New: "---\nx: 1\n"}}, []string{string(text)}},
		{text, []source.Edit{{Span: source.Span{Start: 22, End: 31}}}, []string{string(text)}},
	} {
		var got []string
		for _, k := range chunks(c.text, c.edits) {
			got = append(got, string(k.before.Of(c.text)))
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A proof of a template or of a document that is nested without end does not panic.
func TestDeep(t *testing.T) {
	deep := strings.Repeat("[", 20_000)
	f := caseOf("a.json", `{"a": "old.example.com", "b": `+deep, `{"a": "new.example.org", "b": `+deep)
	if err := testRules().Check(f); err != nil {
		t.Error(err)
	}
}
