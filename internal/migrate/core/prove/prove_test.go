package prove

import (
	"errors"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// widgets moves one kind with a new name to another group, one version of
// another kind, and the rest of a third group.
const widgets = `name: widgets
rules:
  - {id: widget, from: {group: old.example.com, version: v1beta1, kind: Widget, plural: widgets}, to: {group: new.example.dev, version: v1, kind: Gadget, plural: gadgets}}
  - {id: queue, from: {group: batch.example.com, version: v1beta1, kind: Queue, plural: queues}, to: {version: v1}}
  - {id: every, from: {group: all.example.com}, to: {group: all.example.dev}}
  - {id: hyphens, from: {group: net.example.com, kind: NetDefinition, plural: net-definitions}, to: {kind: NetPlan, plural: netplans}}
keys:
  - {from: all.example.com/, to: all.example.dev/}
`

// shapes changes the shape of one kind.
const shapes = `name: shapes
rules:
  - {id: job, from: {group: all.example.com, version: v1, kind: Job, plural: jobs}, to: {version: v2}}
convert:
  - {id: job-v2, kind: Job, from: all.example.com/v1, to: all.example.com/v2, steps: [{drop: spec.old}]}
`

func prover(t testing.TB, ruleset string, o Options) *Prover {
	t.Helper()
	set, err := rules.Parse("rules.yaml", []byte(ruleset))
	if err != nil {
		t.Fatal(err)
	}
	table, err := rules.Compile([]*rules.Ruleset{set})
	if err != nil {
		t.Fatal(err)
	}
	return New(table, o)
}

// A pair is a file before and after.
type pair struct {
	name, path, before, after string
	line                      int // of the fault, 0 where the result is right
}

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.old.example.com
spec:
  group: old.example.com
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions: [{name: v1beta1}]
`

const crdAfter = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gadgets.new.example.dev
spec:
  group: new.example.dev
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  versions: [{name: v1}]
`

const role = `kind: ClusterRole
rules:
- apiGroups: [old.example.com, apps]
  resources: [widgets, widgets/status]
  verbs: [get]
- apiGroups: [""]
  resources: [pods]
  verbs: [get]
`

const widget = "apiVersion: old.example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\n"
const gadget = "apiVersion: new.example.dev/v1\nkind: Gadget\nmetadata: {name: a}\n"

const code = `package x

// +kubebuilder:rbac:groups=all.example.com,resources=things,verbs=get;list
var kind = schema.GroupVersionKind{Group: "old.example.com", Version: "v1beta1", Kind: "Widget"}
var rule = rbacv1.PolicyRule{APIGroups: []string{"all.example.com"}, Resources: []string{"things"}, Verbs: []string{"get"}}
`

const codeAfter = `package x

// +kubebuilder:rbac:groups=all.example.dev,resources=things,verbs=get;list
var kind = schema.GroupVersionKind{Group: "new.example.dev", Version: "v1", Kind: "Gadget"}
var rule = rbacv1.PolicyRule{APIGroups: []string{"all.example.dev"}, Resources: []string{"things"}, Verbs: []string{"get"}}
`

var pairs = []pair{
	{"object", "a.yaml", widget, gadget, 0},
	{"object in JSON", "a.json", `{"apiVersion": "old.example.com/v1beta1", "kind": "Widget"}`, `{"apiVersion": "new.example.dev/v1", "kind": "Gadget"}`, 0},
	{"object in a string", "a.yaml", "data:\n  a: |\n    apiVersion: all.example.com/v1\n    kind: Thing\n", "data:\n  a: |\n    apiVersion: all.example.dev/v1\n    kind: Thing\n", 0},
	{"JSON in a string", "a.yaml", `a: '{"apiVersion":"old.example.com/v1beta1","kind":"Widget"}'`, `a: '{"apiVersion":"new.example.dev/v1","kind":"Gadget"}'`, 0},
	{"CRLF and byte order mark", "a.yaml", "\ufeffapiVersion: all.example.com/v1\r\nkind: Thing\r\n", "\ufeffapiVersion: all.example.dev/v1\r\nkind: Thing\r\n", 0},
	{"second document", "a.yaml", "a: 1\n---\n" + widget, "a: 1\n---\n" + gadget, 0},
	{"key of the ruleset", "a.yaml", "metadata: {labels: {all.example.com/name: x}}\n", "metadata: {labels: {all.example.dev/name: x}}\n", 0},
	{"CRD", "a.yaml", crd, crdAfter, 0},
	{"reference without a version", "a.yaml", "target: {group: old.example.com, kind: Widget}\n", "target: {group: new.example.dev, kind: Gadget}\n", 0},
	{"path of a webhook", "a.yaml", "path: /mutate-old-example-com-v1beta1-widget\n", "path: /mutate-new-example-dev-v1-gadget\n", 0},
	{"resource with hyphens", "a.yaml", "- net-definitions\n- net-definitions.net.example.com\n", "- netplans\n- netplans.net.example.com\n", 0},
	{"part of a resource with hyphens", "a.yaml", "- my-net-definitions\n", "- my-netplans\n", 1},
	{"path of a schema", "a.yaml", "# https://a.example/batch.example.com/queue_v1beta1.json\n", "# https://a.example/batch.example.com/queue_v1.json\n", 0},
	{"path of the schema of another version", "a.yaml", "# https://a.example/batch.example.com/queue_v1beta1.json\n", "# https://a.example/batch.example.com/queue_v3.json\n", 1},
	{"REST path", "a.sh", "curl /apis/batch.example.com/v1beta1/queues\n", "curl /apis/batch.example.com/v1/queues\n", 0},
	{"resource name", "a.sh", "kubectl get widgets.v1beta1.old.example.com\n", "kubectl get gadgets.v1.new.example.dev\n", 0},
	{"link to a heading", "a.md", "[x](#allexamplecomv1)\n", "[x](#allexampledevv1)\n", 0},
	{"template", "a.yaml", "{{ if .x }}\napiVersion: old.example.com/v1beta1\nkind: Widget\n{{ end }}\n", "{{ if .x }}\napiVersion: new.example.dev/v1\nkind: Gadget\n{{ end }}\n", 0},
	{"item in a template", "a.yaml", "{{ x }}\napiGroups:\n  - all.example.com\nresources: [a]\n", "{{ x }}\napiGroups:\n  - all.example.com\n  - all.example.dev\nresources: [a]\n", 0},
	{"Go", "a.go", code, codeAfter, 0},
	{"YAML in Go", "a.go", "package x\n\nconst y = `\n" + widget + "`\n", "package x\n\nconst y = `\n" + gadget + "`\n", 0},
	{"PROJECT", "PROJECT", "domain: example.com\nresources:\n- {group: all, kind: Thing, version: v1}\n", "domain: example.dev\nresources:\n- {group: all, kind: Thing, version: v1}\n", 0},

	{"group to fill in", "a.md", "```go\nconst (\n\tgroup   = \"GROUP.all.example.com\"\n\tversion = \"VERSION\"\n)\n```\n", "```go\nconst (\n\tgroup   = \"GROUP.all.example.dev\"\n\tversion = \"VERSION\"\n)\n```\n", 0},

	{"half object", "a.yaml", widget, strings.Replace(gadget, "Gadget", "Widget", 1), 1},
	{"half object in JSON", "a.json", `{"apiVersion": "old.example.com/v1beta1", "kind": "Widget"}`, `{"apiVersion": "new.example.dev/v1", "kind": "Widget"}`, 1},
	{"half object in a string", "a.yaml", "data:\n  a: |\n    apiVersion: old.example.com/v1beta1\n    kind: Widget\n", "data:\n  a: |\n    apiVersion: new.example.dev/v1\n    kind: Widget\n", 2},
	{"half object in a template", "a.yaml", "{{ if .x }}\nkind: Widget\napiVersion: old.example.com/v1beta1\n{{ end }}\n", "{{ if .x }}\nkind: Widget\napiVersion: new.example.dev/v1\n{{ end }}\n", 3},
	{"half object in Python", "a.py", "x = {\n  'apiVersion': 'old.example.com/v1beta1',\n  'kind': 'Widget',\n}\n", "x = {\n  'apiVersion': 'new.example.dev/v1',\n  'kind': 'Widget',\n}\n", 2},
	{"half literal", "a.go", code, strings.Replace(codeAfter, `"Gadget"`, `"Widget"`, 1), 4},
	{"half text", "a.md", "The API old.example.com/v1beta1\n", "The API new.example.dev/v1beta1\n", 1},
	{"half path", "a.sh", "get widgets.old.example.com\n", "get widgets.new.example.dev\n", 1},
	{"version that no rule moves", "a.yaml", "apiVersion: old.example.com/v1alpha1\nkind: Widget\n", "apiVersion: new.example.dev/v1alpha1\nkind: Gadget\n", 1},
	{"kind that no rule moves", "a.yaml", "apiVersion: old.example.com/v1beta1\nkind: Other\n", "apiVersion: new.example.dev/v1\nkind: Other\n", 1},
	{"wrong version", "a.yaml", widget, strings.Replace(gadget, "/v1", "/v2", 1), 1},
	{"label of another owner", "a.yaml", "labels: {old.example.com/name: x}\n", "labels: {new.example.dev/name: x}\n", 1},
	{"longer name", "a.txt", "all.example.com.au\n", "all.example.dev.au\n", 1},
	{"longer word", "a.txt", "my-all.example.com\n", "my-all.example.dev\n", 1},
	{"e-mail address", "a.txt", "x@all.example.com\n", "x@all.example.dev\n", 1},
	{"host", "a.txt", "https://all.example.com\n", "https://all.example.dev\n", 1},
	{"two names in one line", "a.txt", "all.example.com b\n", "all.example.dev\n", 1},
	{"lost end of the last line", "a.txt", "all.example.com\n", "all.example.dev", 1},
	{"lost line", "a.txt", "all.example.com\nx\n", "all.example.dev\n", 2},
	{"comment in YAML", "a.yaml", "# one\ngroup: all.example.com\n", "# two\ngroup: all.example.dev\n", 1},
	{"swapped keys", "a.yaml", "a: 1\nb: 2\ng: all.example.com\n", "b: 2\na: 1\ng: all.example.dev\n", 1},
	{"YAML that no longer parses", "a.yaml", "a: all.example.com\n", "a: [all.example.dev\n", 1},
	{"JSON that no longer parses", "a.json", `{"a": "all.example.com"}`, `{"a": "all.example.dev}`, 1},
	{"number", "a.json", `{"a": 1.0, "g": "all.example.com"}`, `{"a": 1, "g": "all.example.dev"}`, 1},
	{"identifier in Go", "a.go", "package x\n\nvar a, Widget = \"all.example.com\", 1\n", "package x\n\nvar a, Gadget = \"all.example.dev\", 1\n", 3},
	{"name of a CRD", "a.yaml", crd, strings.Replace(crdAfter, "name: gadgets.new.example.dev", "name: widgets.old.example.com", 1), 6},
	{"list kind of a CRD", "a.yaml", crd, strings.Replace(crdAfter, "GadgetList", "WidgetList", 1), 6},
	{"plural of a CRD in the singular", "a.yaml", crd, strings.NewReplacer("gadgets", "gadget").Replace(crdAfter), 6},
	{"version of a CRD", "a.yaml", strings.ReplaceAll(strings.Replace(crd, "old.", "batch.", 2), "Widget", "Queue"), strings.ReplaceAll(strings.NewReplacer("old.", "batch.", "v1beta1", "v1").Replace(crd), "Widget", "Queue"), 6},
	{"owned CRD", "a.yaml", "owned:\n- {name: widgets.old.example.com, version: v1beta1, kind: Widget}\n", "owned:\n- {name: gadgets.new.example.dev, version: v1beta1, kind: Gadget}\n", 2},
	{"domain of PROJECT", "PROJECT", "domain: my.org\nresources:\n- {group: all, domain: example.com, kind: Thing}\n", "domain: example.dev\nresources:\n- {group: all, domain: example.dev, kind: Thing}\n", 1},
}

// permissionPairs are rules of permissions before and after.
var permissionPairs = []pair{
	{"another group keeps its resources", "a.yaml", role, strings.NewReplacer("[old.example.com, apps]", "[old.example.com, new.example.dev, apps]").Replace(role), 0},
	{"a group beside the old one, below a rule with the same lines", "a.yaml", "rules:\n- apiGroups:\n  - apps\n  resources:\n  - a\n- apiGroups:\n  - old.example.com\n  resources:\n  - '*'\n", "rules:\n- apiGroups:\n  - apps\n  resources:\n  - a\n- apiGroups:\n  - old.example.com\n  - new.example.dev\n  resources:\n  - '*'\n", 0},
	{"split rule", "a.yaml", role, strings.Replace(role, "- apiGroups: [\"\"]", "- apiGroups: [new.example.dev]\n  resources: [gadgets, gadgets/status]\n  verbs: [get]\n- apiGroups: [\"\"]", 1), 0},
	{"the new group in the list", "a.yaml", "rules:\n- apiGroups:\n  - all.example.com\n  - all.example.dev\n  resources: [a]\n", "rules:\n- apiGroups:\n  - all.example.dev\n  resources: [a]\n", 0},
	{"marker", "a.go", "// +kubebuilder:rbac:groups=all.example.com;apps,resources=a,verbs=get\npackage x\n", "// +kubebuilder:rbac:groups=all.example.dev;apps,resources=a,verbs=get\npackage x\n", 0},
	{"the new group in the list, with a comment", "a.yaml", "rules:\n- apiGroups:\n  - all.example.com\n  - \"all.example.dev\" # it\n  resources: [a]\n", "rules:\n- apiGroups:\n  - \"all.example.dev\" # it\n  resources: [a]\n", 0},
	{"a comment that is lost", "a.yaml", "rules:\n- apiGroups:\n  - all.example.com # it\n  - all.example.dev\n  resources: [a]\n", "rules:\n- apiGroups:\n  - all.example.dev\n  resources: [a]\n", 3},
	{"unknown resources beside a group of Kubernetes", "a.yaml", "rules:\n- {apiGroups: [\"\", old.example.com], resources: [pods, widgets, others]}\n", "rules:\n- {apiGroups: [\"\", new.example.dev], resources: [pods, gadgets, others]}\n", 2},
	{"webhook", "a.yaml", "rules:\n- {apiGroups: [batch.example.com], apiVersions: [v1beta1], resources: [queues]}\n", "rules:\n- {apiGroups: [batch.example.com], apiVersions: [v1], resources: [queues]}\n", 0},

	{"lost group", "a.yaml", role, strings.Replace(role, "old.example.com, apps", "new.example.dev", 1), 3},
	{"another group", "a.yaml", role, strings.Replace(role, "old.example.com, apps", "old.example.com, apps, batch", 1), 3},
	{"every group", "a.yaml", role, strings.Replace(role, "old.example.com, apps", "'*'", 1), 3},
	{"another verb", "a.yaml", role, strings.Replace(strings.Replace(role, "old.example.com", "new.example.dev, old.example.com", 1), "[get]", "[get, list]", 1), 5},
	{"another rule", "a.yaml", role, role + "- apiGroups: [batch]\n  resources: [jobs]\n  verbs: [get]\n", 3},
	{"lost rule", "a.yaml", role, role[:strings.Index(role, "- apiGroups: [\"\"]")], 6},
	{"a resource that no rule moves", "a.yaml", "rules:\n- {apiGroups: [old.example.com], resources: [widgets, others]}\n", "rules:\n- {apiGroups: [new.example.dev], resources: [gadgets, others]}\n", 2},
	{"resource in the singular", "a.yaml", "rules:\n- {apiGroups: [old.example.com], resources: [widgets]}\n", "rules:\n- {apiGroups: [new.example.dev], resources: [gadget]}\n", 2},
	{"lost group in a marker", "a.go", "// +kubebuilder:rbac:groups=all.example.com;apps,resources=a,verbs=get\npackage x\n", "// +kubebuilder:rbac:groups=all.example.dev,resources=a,verbs=get\npackage x\n", 1},
	{"lost group in Go", "a.go", code, strings.Replace(codeAfter, `[]string{"all.example.dev"}`, `[]string{}`, 1), 5},
}

func TestResultsAreCheckedAgainstTheRules(t *testing.T) {
	p := prover(t, widgets, Options{})
	for _, x := range append(pairs, permissionPairs...) {
		t.Run(x.name, func(t *testing.T) { check(t, p, x) })
	}
}

// A group may be the first label of another one.
func TestGroupThatIsTheFirstLabelOfAnother(t *testing.T) {
	p := prover(t, "name: a\nrules:\n- {id: a, from: {group: apps, version: v1beta1}, to: {group: apps, version: v1}}\n- {id: b, from: {group: apps.example.com}, to: {group: apps.example.dev}}\n", Options{})
	for _, x := range []pair{
		{"webhook", "a.yaml", "path: /mutate-apps-example-com-v1beta4-broker\n", "path: /mutate-apps-example-dev-v1beta4-broker\n", 0},
		{"link", "a.md", "[x](#appsexamplecomv1beta4)\n", "[x](#appsexampledevv1beta4)\n", 0},
		{"the short group", "a.yaml", "apiVersion: apps/v1beta1\n", "apiVersion: apps/v1\n", 0},
		{"another label", "a.yaml", "path: /mutate-apps-example-com-v1beta4-broker\n", "path: /mutate-apps-sample-dev-v1beta4-broker\n", 1},
	} {
		t.Run(x.name, func(t *testing.T) { check(t, p, x) })
	}
}

func check(t *testing.T, p *Prover, x pair) {
	t.Helper()
	err := p.File(x.path, x.path, []byte(x.before), []byte(x.after))
	var e *source.Error
	switch {
	case x.line == 0 && err != nil:
		t.Errorf("refused: %v", err)
	case x.line > 0 && err == nil:
		t.Error("not refused")
	case x.line > 0 && (!errors.As(err, &e) || e.Pos.Line != x.line || e.Path != x.path):
		t.Errorf("reported at another line than %d: %v", x.line, err)
	}
}

// In dual mode a list gets the new group also where another rule above it has that.
func TestDualModeAddsToAListBelowItself(t *testing.T) {
	rule := func(groups string) string {
		return "- apiGroups:\n" + groups + "  resources:\n  - a\n  verbs:\n  - get\n"
	}
	const old, fresh = "  - all.example.com\n", "  - all.example.dev\n"
	check(t, prover(t, widgets, Options{Dual: true}), pair{"below", "a.yaml", "rules:\n" + rule(fresh) + rule(old), "rules:\n" + rule(fresh) + rule(old+fresh), 0})
}

func TestDualModeAddsOneTwinOfAResourceThatNoRuleNames(t *testing.T) {
	const apart = "name: a\nrules:\n- {id: a, from: {group: all.example.com}, to: {group: all.example.dev}}\n- {id: b, from: {group: all.example.com, kind: Job, plural: jobs}, to: {group: jobs.example.dev}}\n"
	rules := func(all, some string) string {
		return "rules:\n- {apiGroups: [all.example.com" + all + "], resources: ['*']}\n- {apiGroups: [all.example.com" + some + "], resources: [things]}\n"
	}
	p := prover(t, apart, Options{Dual: true})
	check(t, p, pair{"one", "a.yaml", rules("", ""), rules(", jobs.example.dev, all.example.dev", ", all.example.dev"), 0})
	check(t, p, pair{"none of all", "a.yaml", rules("", ""), rules(", jobs.example.dev", ", all.example.dev"), 2})
}

func TestDualModeAddsDocuments(t *testing.T) {
	x := pair{"twin", "a.yaml", widget, widget + "---\n" + gadget, 0}
	check(t, prover(t, widgets, Options{Dual: true}), x)
	x.line = 5
	check(t, prover(t, widgets, Options{}), x)
	x.after, x.line = widget+"---\n"+strings.Replace(gadget, "Gadget", "Widget", 1), 5
	check(t, prover(t, widgets, Options{Dual: true}), x)
}

func TestObjectsThatChangeTheirShape(t *testing.T) {
	p := prover(t, shapes, Options{})
	job := "apiVersion: all.example.com/v1\nkind: Job\nspec: {old: 1, a: 2}\n"
	fresh := "apiVersion: all.example.com/v2\nkind: Job\nspec: {a: 2}\n"
	check(t, p, pair{"shape", "a.yaml", job, fresh, 0})
	check(t, p, pair{"version", "a.yaml", job, strings.Replace(fresh, "v2", "v3", 1), 1})
	long := strings.NewReplacer("{old: 1, a: 2}", "\n  old: 1\n  a: 2", "{a: 2}", "\n  a: 2")
	fenced := func(s string) string { return "x\n```yaml\n" + long.Replace(s) + "```\ny\n" }
	for _, name := range []string{"a.md", "a.sh"} {
		check(t, p, pair{"fenced", name, fenced(job), fenced(fresh), 0})
		check(t, p, pair{"version in a fenced block", name, fenced(job), fenced(strings.Replace(fresh, "v2", "v3", 1)), 3})
		check(t, p, pair{"what is left out", name, fenced(job + "  ...\n"), fenced(fresh + "  ...\n"), 0})
		check(t, p, pair{"behind a fenced block", name, fenced(job), strings.Replace(fenced(fresh), "\ny\n", "\nz\n", 1), 9})
		check(t, p, pair{"fenced block that no longer parses", name, fenced(job), fenced(strings.Replace(fresh, "{a: 2}", "[", 1)), 3})
		check(t, p, pair{"an object of another API", name, fenced(strings.Replace(job, "all.", "other.", 1)), fenced(strings.Replace(fresh, "all.", "other.", 1)), 6})
	}
	check(t, p, pair{"next document", "a.yaml", job + "---\na: 1\n", fresh + "---\na: 2\n", 5})
}

func TestRenamedFiles(t *testing.T) {
	p := prover(t, widgets, Options{})
	for _, x := range []struct {
		to string
		ok bool
	}{
		{"a/new.example.dev_gadgets.yaml", true},
		{"a/new.example.dev_widgets.yaml", false},
		{"a/all.example.dev_gadgets.yaml", false},
		{"b/new.example.dev_gadgets.yaml", false},
	} {
		if err := p.File("a/old.example.com_widgets.yaml", x.to, nil, nil); (err == nil) != x.ok {
			t.Errorf("%s: %v", x.to, err)
		}
	}
}

// FuzzFile checks that no text makes the Prover panic, and that a text is
// always a right result of itself.
func FuzzFile(f *testing.F) {
	for _, x := range append(pairs, permissionPairs...) {
		f.Add(x.path, x.before, x.after)
	}
	p, dual := prover(f, widgets, Options{}), prover(f, shapes, Options{Dual: true})
	f.Fuzz(func(t *testing.T, path, before, after string) {
		_ = p.File(path, path, []byte(before), []byte(after))
		_ = dual.File(path, path, []byte(before), []byte(after))
		if err := p.File(path, path, []byte(after), []byte(after)); err != nil {
			t.Error(err)
		}
	})
}
