package judge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"
	"github.com/project-codeflare/cfctl/internal/source"
)

const testRules = rulestest.Kinds + `  - {id: both, from: {group: both.example.com, version: v1beta1, kind: Plum, plural: plums}, to: {group: plums.example.org, version: v1}}
  - {id: apart, from: {group: parts.example.com}, to: {group: new.example.org}}
  - {id: apart-kind, from: {group: parts.example.com, kind: Job, plural: jobs}, to: {group: new.example.org, kind: Task, plural: tasks}}
  - {id: apart-group, from: {group: parts.example.com, kind: Run, plural: runs}, to: {group: runs.example.org}}
  - {id: named, from: {group: named.example.com, version: v1, kind: Elm, plural: elms}, to: {version: v1, kind: Oak, plural: oaks}}
keys:
  - {from: old.example.com/, to: new.example.org/}
  - {from: apple.old.example.com, to: apple.new.example.org}
  - {from: same.example.com/mark, to: same.example.com/sign}
keep:
  - {value: kept.old.example.com, why: it stays}
  - {value: bare.old.example.com}
  - {path: "kept/**", why: on purpose}
  - {path: "*.orig"}
`

// said is what is decided of a site, in short.
func said(d Decided) string {
	said := string(d.Site.Word.Of(d.Site.Doc.Data)) + ": " + [...]string{"none", "stay", "move", "key", "wait", "person"}[d.Verdict]
	switch {
	case d.Verdict == Move || d.Verdict == Wait:
		said += " " + strings.TrimPrefix(d.Answer.To.String(), "/")
	case d.Verdict == MoveKey:
		said += " " + d.Key.To
	case d.Guard != "":
		said += " " + d.Guard
	}
	return said
}

// A setting is what a text is judged under.
type setting struct {
	dual bool
	off  string
}

// decide is what is decided of the names of a text, but for those about which
// more is asked than what becomes of a name.
func decide(table *rules.Table, names *find.Names, path, in string, s setting) []string {
	facts := FactsOf(table, map[string]bool{s.off: true}, s.dual, path, []byte(in), find.FormatOf(path, []byte(in)))
	var list []string
	for d := range Decisions(names, table, facts, path) {
		if d.Site != nil && slices.Contains([]find.Ask{find.Nothing, find.Rules, find.Tree, find.Hand}, d.Site.Place.Ask) {
			list = append(list, said(d))
		}
	}
	return list
}

// What is decided about the names of a text.
var decisions = []struct {
	path, in string
	setting
	want string
}{
	{"a.yaml", "apiVersion: old.example.com/v1\nkind: Thing\n", setting{},
		"old.example.com/v1: move new.example.org/v1 Thing"},
	{"a.yaml", "apiVersion: split.example.com/v1\nkind: Apple\n---\napiVersion: split.example.com/v1\nkind: Berry\n---\napiVersion: split.example.com/v1\nkind: Other\n", setting{},
		"split.example.com/v1: move a.example.org/v1 Apple; split.example.com/v1: move b.example.org/v2 Berry; split.example.com/v1: stay"},
	{"a.yaml", "apiVersion: split.example.com/v1\nname: x\n", setting{},
		"split.example.com/v1: person"},
	{"a.yaml", "apiVersion: gone.example.com/v1\nkind: Ghost\n", setting{},
		"gone.example.com/v1: person"},
	{"a.yaml", "apiVersion: same.example.com/v1beta1\nkind: Pear\n---\napiVersion: same.example.com/v1\nkind: Pear\n---\napiVersion: same.example.com/v1beta1\nkind: Fig\n", setting{},
		"same.example.com/v1beta1: move same.example.com/v1 Pear; same.example.com/v1: none; same.example.com/v1beta1: stay"},
	{"a.yaml", "apiVersion: same.example.com/v1alpha1\nkind: Quince\n---\napiVersion: same.example.com/v1\nkind: Medlar\n---\napiVersion: same.example.com/v1\nkind: Quince\n", setting{},
		"same.example.com/v1alpha1: move same.example.com/v1 Medlar; same.example.com/v1: none; same.example.com/v1: stay"},
	{"a.yaml", "metadata:\n  labels:\n    old.example.com/x: a\n    apple.old.example.com: b\n    pear.old.example.com: c\n    same.example.com/mark: d\n    kept.old.example.com: e\n", setting{},
		"old.example.com/x: key new.example.org/; apple.old.example.com: key apple.new.example.org; pear.old.example.com: stay; same.example.com/mark: key same.example.com/sign; kept.old.example.com: stay kept-value"},
	{"a.yaml", "metadata:\n  finalizers: [old.example.com/x, pear.old.example.com]\n", setting{},
		"old.example.com/x: key new.example.org/; pear.old.example.com: stay"},
	{"a.yaml", "group: kept.old.example.com\nother: bare.old.example.com\n", setting{},
		"kept.old.example.com: stay kept-value; bare.old.example.com: stay kept-value"},
	{"a.yaml", "x: someone@old.example.com\ny: https://old.example.com/x\nz: a.old.example.com.au\n", setting{},
		"old.example.com: stay; old.example.com: stay; a.old.example.com.au: stay"},
	{"a.yaml", "apiVersion: old.example.com/v1\nkind: Thing\nmetadata:\n  labels: {old.example.com/x: a}\n", setting{dual: true},
		"old.example.com/v1: stay dual-mode; old.example.com/x: stay dual-mode"},
	{"role.yaml", "kind: ClusterRole\nrules:\n- apiGroups: [old.example.com]\n  resources: [things]\n", setting{dual: true},
		""},
	{"templates/a.yaml", "{{- if .Capabilities.APIVersions.Has \"x/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: x/v1\n{{- end }}\nkind: Thing\n", setting{},
		"old.example.com/v1: stay template-choice"},
	{"templates/a.yaml", "{{- if .Capabilities.APIVersions.Has \"x/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: x/v1\n{{- end }}\nkind: Thing\n", setting{off: "template-choice"},
		"old.example.com/v1: move new.example.org/v1 Thing"},
	{"api/v1beta1/a.yaml", "apiVersion: same.example.com/v1beta1\nkind: Pear\n", setting{},
		"same.example.com/v1beta1: stay version-folder"},
	{"api/v1beta1/a.yaml", "apiVersion: same.example.com/v1beta1\nkind: Pear\n", setting{off: "version-folder"},
		"same.example.com/v1beta1: move same.example.com/v1 Pear"},
	{"api/v1beta1/a.yaml", "apiVersion: both.example.com/v1beta1\nkind: Plum\n", setting{},
		"both.example.com/v1beta1: person version-folder"},
	{"api/v1beta1/a.yaml", "apiVersion: old.example.com/v1beta1\nkind: Thing\n", setting{},
		"old.example.com/v1beta1: move new.example.org/v1beta1 Thing"},
	{"api/v1/a.yaml", "apiVersion: same.example.com/v1beta1\nkind: Pear\n", setting{},
		"same.example.com/v1beta1: move same.example.com/v1 Pear"},
	{"api/v1beta1/a.go", "package api\n\nconst G = \"both.example.com\"\n", setting{},
		"both.example.com: person version-folder"},
	{"api/v1beta1/a.go", "package api\n\nconst G = \"both.example.com\"\n", setting{off: "version-folder"},
		"both.example.com: move plums.example.org"},
	{"api/v1beta1/a.go", "package v1beta1\n\nconst G = \"both.example.com\"\nconst V = \"same.example.com/v1beta1\"\n", setting{},
		"both.example.com: person version-package; same.example.com/v1beta1: stay version-package"},
	{"api/v1beta1/a.go", "package v1beta1\n\nconst G = \"both.example.com\"\n", setting{off: "version-package"},
		"both.example.com: person version-folder"},
	{"a.go", "package v1beta1\n\nconst V = \"same.example.com/v1beta1\"\n", setting{},
		"same.example.com/v1beta1: stay version-package"},
	{"a.go", "package a\n\nconst LegacyGroup = \"old.example.com\"\nconst Group = \"old.example.com\"\n", setting{},
		"old.example.com: stay past-constant; old.example.com: move new.example.org"},
	{"a.go", "package a\n\nconst LegacyGroup = \"old.example.com\"\n", setting{off: "past-constant"},
		"old.example.com: move new.example.org"},
	{"a.yaml", "legacyGroup: old.example.com\ngroup: old.example.com\n", setting{},
		"old.example.com: move new.example.org; old.example.com: move new.example.org"},
	{"pears.v1beta1.md", "```yaml\napiVersion: same.example.com/v1beta1\nkind: Pear\n```\n", setting{},
		"same.example.com/v1beta1: stay version-document"},
	{"pears.v1beta1.md", "```yaml\napiVersion: same.example.com/v1beta1\nkind: Pear\n```\n", setting{off: "version-document"},
		"same.example.com/v1beta1: move same.example.com/v1 Pear"},
	{"pears.v1beta1.yaml", "apiVersion: same.example.com/v1beta1\nkind: Pear\n", setting{},
		"same.example.com/v1beta1: move same.example.com/v1 Pear"},
	{"proposals/a.md", "```yaml\napiVersion: same.example.com/v1beta1\nkind: Pear\n---\napiVersion: old.example.com/v1\nkind: Thing\n```\n`old.example.com/x` same.example.com/mark: a\n", setting{},
		"same.example.com/v1beta1: stay proposal; old.example.com/v1: move new.example.org/v1 Thing; old.example.com/x: key new.example.org/; same.example.com/mark: stay"},
	{"proposals/a.md", "the label `same.example.com/mark` and `old.example.com/x`\n", setting{},
		"same.example.com/mark: stay; old.example.com/x: key new.example.org/"},
	{"proposals/a.md", "the label `same.example.com/mark`\n", setting{off: "proposal"},
		"same.example.com/mark: key same.example.com/sign"},
	{"proposals/a.yaml", "apiVersion: same.example.com/v1beta1\nkind: Pear\n", setting{},
		"same.example.com/v1beta1: move same.example.com/v1 Pear"},
	{"a.yaml", "kind: APIService\nmetadata:\n  name: v1beta1.same.example.com\n", setting{},
		"v1beta1.same.example.com: stay api-service"},
	{"a.yaml", "kind: APIService\nmetadata:\n  name: v1beta1.both.example.com\n", setting{},
		"v1beta1.both.example.com: move plums.example.org/v1"},
	{"a.md", "[x](api.md#same.example.com/v1beta1.Pear) [y](https://example.net/blob/main/a.md#old.example.com/v1.Thing) [z](https://example.net/a.md#old.example.com/v1.Thing) [w](https://example.net/v1.2/a.md#old.example.com/v1.Thing)\n", setting{},
		"same.example.com/v1beta1.Pear: stay version-reference; old.example.com/v1.Thing: stay pinned-link; old.example.com/v1.Thing: move new.example.org/v1 Thing; old.example.com/v1.Thing: stay pinned-link"},
	{"a.md", "[y](https://example.net/blob/main/a.md#old.example.com/v1.Thing)\n", setting{off: "pinned-link"},
		"old.example.com/v1.Thing: move new.example.org/v1 Thing"},
	{"a.txt", "It was \"old.example.com\".\nIt is \"old.example.com\".\nThe group \"old.example.com\" is former.\nsee was.x.io: \"old.example.com\"\n", setting{},
		"old.example.com: stay past-words; old.example.com: move new.example.org; old.example.com: move new.example.org; old.example.com: move new.example.org"},
	{"a.txt", "It was \"old.example.com\".\n", setting{off: "past-words"},
		"old.example.com: move new.example.org"},
	{"a.txt", "deprecated: same.example.com/v1beta1, Pear\nuse same.example.com/v1beta1, Pear\nsame.example.com/v1beta1 Pear before Kubernetes 1.9\n", setting{},
		"same.example.com/v1beta1: stay when-words; same.example.com/v1beta1: move same.example.com/v1 Pear; same.example.com/v1beta1: stay when-words"},
	{"a.txt", "deprecated: same.example.com/v1beta1, Pear\n", setting{off: "when-words"},
		"same.example.com/v1beta1: move same.example.com/v1 Pear"},
	{"a.txt", "old.example.com/v1 became new.example.org/v1\nold.example.com/v1\nnew.example.org/v1 was old.example.com/v1\n", setting{},
		"old.example.com/v1: stay both-names; old.example.com/v1: move new.example.org/v1; old.example.com/v1: stay both-names"},
	{"a.txt", "old.example.com/v1 became new.example.org/v1\n", setting{off: "both-names"},
		"old.example.com/v1: move new.example.org/v1"},
	{"a.txt", "old.example.com/v1 became new.example.org/v1beta1\n", setting{},
		"old.example.com/v1: move new.example.org/v1"},
	{"a.sh", "kubectl get things.old.example.com,things.new.example.org\n", setting{},
		"things.old.example.com: move new.example.org things"},
	{"a.yaml", "metadata:\n  labels: {old.example.com/x: a, new.example.org/x: a}\n", setting{},
		"old.example.com/x: stay"},
	{"a.yaml", "metadata:\n  labels: {old.example.com/x: a, new.example.org/x: a}\n", setting{off: "both-names"},
		"old.example.com/x: person"},
	{"a.yaml", "metadata:\n  labels: {old.example.com/x: a, new.example.org/xy: a}\n", setting{},
		"old.example.com/x: key new.example.org/"},
	{"a.txt", "GET /apis/same.example.com/v1beta1/${R}\nGET /apis/same.example.com/v1beta1/pears\nGET /apis/same.example.com/v1beta1/namespaces/x/{r}\nGET /apis/old.example.com/v1/${R}\n", setting{},
		"same.example.com/v1beta1: person; same.example.com/v1beta1: move same.example.com/v1 pears; same.example.com/v1beta1: person; old.example.com/v1: move new.example.org/v1"},
	{"crd.yaml", "kind: CustomResourceDefinition\nmetadata:\n  name: apples.split.example.com\nspec:\n  group: split.example.com\n  names: {kind: Apple, plural: apples}\n  versions: [{name: v1}]\n", setting{},
		"apples.split.example.com: move a.example.org/v1 Apple; split.example.com: move a.example.org/v1 Apple"},
	{"crd.yaml", "kind: CustomResourceDefinition\nmetadata:\n  name: pears.same.example.com\nspec:\n  group: same.example.com\n  names: {kind: Pear, plural: pears}\n  versions: [{name: v1beta1}, {name: v1}]\n", setting{},
		"pears.same.example.com: none; same.example.com: none"},
	{"crd.yaml", "kind: CustomResourceDefinition\nmetadata:\n  name: plums.both.example.com\nspec:\n  group: both.example.com\n  names: {kind: Plum, plural: plums}\n  versions: [{name: v1beta1}, {name: v1}]\n", setting{},
		"plums.both.example.com: person; both.example.com: person"},
	{"a.go", "package a\n\nimport \"old.example.com/pkg/api\"\nimport \"example.net/old.example.com/v1\"\n", setting{},
		"old.example.com/pkg: person; old.example.com/v1: person"},
	{"a.go", "package a\n\nimport \"same.example.com/pkg/api\"\n", setting{},
		"same.example.com/pkg: none"},
	{"zz_generated.go", "// Code generated by client-gen. DO NOT EDIT.\npackage v1beta1\n\nconst V = \"same.example.com/v1beta1\"\nconst G = \"old.example.com\"\n", setting{},
		"same.example.com/v1beta1: stay; old.example.com: person"},
	{"a.yaml", "x: things.old.example.com/name\ny: pears/old.example.com/x\n", setting{},
		"things.old.example.com/name: stay; old.example.com/x: key new.example.org/"},
	{"a.txt", "old.example.com/apple-x is a word, apple.old.example.com too\n", setting{},
		"old.example.com/apple-x: key new.example.org/; apple.old.example.com: key apple.new.example.org"},
	{"kept/a.yaml", "apiVersion: old.example.com/v1\nkind: Thing\nmetadata:\n  labels: {old.example.com/x: a}\n", setting{},
		"old.example.com/v1: stay kept-path; old.example.com/x: stay"},
	{"a.yaml", "apiVersion: new.example.org/v1\nkind: Thing\n---\napiVersion: unknown.example.com/v1\nkind: Pear\n", setting{},
		""},
	{"values.yaml", "apiGroups: [split.example.com]\nresources: [apples, berries]\n", setting{},
		""},
	{"a.go", "package a\n\n// +kubebuilder:webhook:groups=old.example.com,versions=v1\nvar x = schema.GroupVersionKind{Group: \"same.example.com\", Version: \"v1beta1\", Kind: \"Pear\"}\n", setting{},
		"same.example.com: move same.example.com/v1 Pear"},
	{"a.py", "x = {\"apiGroups\": [\"parts.example.com\"], \"resources\": [\"jobs\"]}\ny = {\"apiGroups\": [\"parts.example.com\"], \"resources\": [\"runs\"]}\nz = {\"apiGroups\": [\"parts.example.com\"], \"resources\": [\"figs\"]}\n", setting{},
		"parts.example.com: move new.example.org tasks; parts.example.com: move runs.example.org runs; parts.example.com: move new.example.org"},
	{"a.yaml", "x:\n  group: parts.example.com\n  resources: [jobs/status]\ny:\n  group: parts.example.com\n  resource: jobs\n  resources: [jobs]\nz:\n  group: parts.example.com\n  resources: [figs]\n", setting{},
		"parts.example.com: person; parts.example.com: move new.example.org tasks; parts.example.com: move new.example.org figs"},
	{"audit.yaml", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: None\n  resources:\n  - group: parts.example.com\n    resources: [jobs]\n  - group: parts.example.com\n    resources: [figs, runs]\n  - group: parts.example.com\n    resources: [figs]\n", setting{},
		"parts.example.com: person; parts.example.com: person; parts.example.com: move new.example.org figs"},
	{"a.txt", "the figs.old.example.com, the pears.same.example.com and same.example.com/v1beta1/pears\n", setting{},
		"figs.old.example.com: wait new.example.org figs; pears.same.example.com: none; same.example.com/v1beta1: wait same.example.com/v1 pears"},
	{"api/v1beta1/a.txt", "the pears.v1beta1.same.example.com and a/same.example.com/v1beta1/pears\n", setting{},
		"pears.v1beta1.same.example.com: stay version-folder; same.example.com/v1beta1: stay"},
	{"kept/a.txt", "the figs.old.example.com\n", setting{},
		"figs.old.example.com: stay"},
	{"a.yaml", "kind: APIService\nmetadata:\n  name: v1.named.example.com\n", setting{},
		"v1.named.example.com: none"},
	{"a.go", "package v1\n\nconst K = \"same.example.com/mark\"\nconst L = \"old.example.com/x\"\n", setting{},
		"same.example.com/mark: key same.example.com/sign; old.example.com/x: key new.example.org/"},
	{"a.go", "package v1beta1\n\nconst K = \"same.example.com/mark\"\n", setting{},
		"same.example.com/mark: key same.example.com/sign"},
	{"a.go", "package v2\n\nconst K = \"same.example.com/mark\"\n", setting{},
		"same.example.com/mark: stay"},
	{"zz_generated.go", "// Code generated by client-gen. DO NOT EDIT.\npackage v2\n\nconst V = \"same.example.com/v1beta1\"\n", setting{},
		"same.example.com/v1beta1: person"},
	{"zz_generated.go", "// Code generated by client-gen. DO NOT EDIT.\npackage v1beta1\n\nconst V = \"both.example.com/v1beta1\"\n", setting{},
		"both.example.com/v1beta1: person"},
}

func TestDecide(t *testing.T) {
	table := rulestest.Table(t, testRules)
	names := NamesOf(table, nil)
	for _, x := range decisions {
		if got := strings.Join(decide(table, names, x.path, x.in, x.setting), "; "); got != x.want {
			t.Errorf("%s %+v: %s\n%s", x.path, x.setting, got, x.in)
		}
	}
}

// Files that stay, by the guard that says so; "" for those that do not.
var staying = []struct{ guard, why, data, paths string }{
	{"change-log", "", "", "CHANGELOG.md CHANGELOG a/changes.txt HISTORY.rst docs/News.md changelog-v1.md changelog_old.md release-notes.adoc"},
	{"", "", "", "news.yaml changes.go newsletter.md history.json renews.md pkg/history.go changelog.yaml"},
	{"", "", "#!/bin/sh\n", "bin/changes bin/history"},
	{"log-folder", "", "", "changelogs/a.yaml changelog/x.go versioned_docs/b.json _posts/a.html docs/blog/a.yaml website/blogs/a.json blog/a.md a/release-notes/b.txt"},
	{"", "", "", "deploy/blog/a.yaml blogs/a.go release-notes/a.yaml"},
	{"guide", "", "", "upgrading-0.5-0.6.md MIGRATION.md docs/upgrading/0.5-0.6.md upgrade-to-beta.txt 2024-01-02-post.md a/2024-01-02_post.html"},
	{"", "", "", "upgrading-things.md docs/upgrading/intro.md upgrade.yaml 2024-01-02-post.yaml 2024-1-2-post.md downgrade.md"},
	{"guide", "a guide from the old names to the new", "see new.example.org", "upgrading-things.md docs/upgrading/intro.md"},
	{"", "", "see new.example.org", "things.md upgrading-things.yaml docs/upgrading/more/intro.md"},
	{"", "", "see same.example.com", "upgrading-things.md"},
	{"conversion-code", "", "", "pkg/conversion/a.go conversion.go a/my_converter.py db-migration/run.sh testdata/conversion/a.yaml docs/conversions.json tests/migrator.yaml"},
	{"", "", "", "pkg/convert/a.go k8s/converter/a.yaml db-migration/job.yaml templates/converter.tpl conversion.md src/conversion.txt"},
	{"snapshot", "", "", "a.snap b/a.ambr __snapshot__/a.yaml src/__snapshots__/a.ts"},
	{"", "", "", "snap.yaml snapshots/a.yaml"},
	{"released-folder", "", "", "v1.2.3/a.yaml 0.3.0/a.go release-1.4/a.yaml version-2.0/a.json v1.0/a.md docs/v1.0/a.yaml bundle/1.0/a.yaml v1.2.3-rc1/a.yaml catalog/v2.0.x/a.yaml v1.2.3_beta.1/a.yaml"},
	{"", "", "", "v1.0/web.yaml 2.x/a.md v1/a.md k8s/1.28/a.yaml v1.2.3.yaml release-next/a.md"},
	{"released-file", "", "", "releases/app-1.2.3.yaml archive/x_v1.2.3.json a/releases/1.2.3.txt"},
	{"", "", "", "releases/app.yaml src/app-1.2.3.yaml releases/app-1.2.yaml release/app-1.2.3.yaml"},
	{"generated-document", "written by gen-crd-api-reference-docs; generate it again", "same.example.com/v1beta1 " + string(find.ReferenceMark), "api.md docs/api.html"},
	{"", "", "old.example.com/v1beta1 " + string(find.ReferenceMark), "api.md"},
	{"", "", "xsame.example.com/v1beta1 " + string(find.ReferenceMark), "api.md"},
	{"", "", "same.example.com/v1beta1 " + string(find.ReferenceMark), "api.yaml api.go"},
	{"generated-document", "written by Hugo 0.1; generate it again", `<meta name="generator" content="Hugo 0.1">`, "a.html a.txt"},
	{"generated-document", "written by a generator; generate it again", `<meta name="generator" content="Hugo`, "a.html"},
	{"", "", `<meta name="generator" content="Hugo 0.1">`, "a.md a.yaml"},
	{"", "", strings.Repeat(" ", 5000) + `<meta name="generator" content="Hugo 0.1">`, "a.html"},
	{"ruleset", "the ruleset itself", testRules, "rules.yaml a/test.yml"},
	{"", "", testRules + "# more\n", "rules.yaml"},
	{"kept-path", "on purpose", "", "kept/a.yaml kept/b/c.go"},
	{"kept-path", "kept by the ruleset", "", "a.orig b/c.orig"},
	{"", "", "", "unkept/a.yaml a/kept/b.yaml a.origin"},
}

func TestStays(t *testing.T) {
	table := rulestest.Table(t, testRules)
	for _, x := range staying {
		for _, name := range strings.Fields(x.paths) {
			format := find.FormatOf(name, []byte(x.data))
			why, guard := Stays(table, nil, name, []byte(x.data), format)
			if guard != x.guard || (why == "") != (guard == "") || x.why != "" && why != x.why {
				t.Errorf("%s: guard %q, because %q; want %q", name, guard, why, x.guard)
			}
			if _, guard := Stays(table, map[string]bool{x.guard: true}, name, []byte(x.data), format); x.guard != "" && guard == x.guard {
				t.Errorf("%s: %s, switched off, still keeps it", name, guard)
			}
			if g := slices.IndexFunc(Guards, func(g Guard) bool { return g.ID == x.guard }); g >= 0 && !slices.Contains(Guards[g].Formats(), format.Name) {
				t.Errorf("%s: %s does not speak for %s", name, x.guard, format.Name)
			}
		}
	}
	for _, g := range Guards {
		if g.file != nil && !slices.ContainsFunc(staying, func(x struct{ guard, why, data, paths string }) bool { return x.guard == g.ID }) {
			t.Errorf("%s keeps no file of the table", g.ID)
		}
	}
}

// A choice is a chain that asks what the cluster serves and has another branch.
func TestChoices(t *testing.T) {
	table := rulestest.Table(t, "name: none\nrules: [{id: a, from: {group: old.example.com}, to: {group: new.example.com}}]\n")
	const asks = "{{- if .Capabilities.APIVersions.Has \"x/v1\" }}"
	for _, x := range []struct{ in, want string }{
		{asks + "a{{ else }}b{{ end }}c", asks + "a{{ else }}b{{ end }}"},
		{"z" + asks + "a{{- else -}}b{{- end -}}c", asks + "a{{- else -}}b{{- end -}}"},
		{asks + "a{{ end }}", ""},
		{"{{ if .x }}a{{ else }}b{{ end }}", ""},
		{"{{ if .x }}a{{ else if .Capabilities.KubeVersion }}b{{ end }}", "{{ if .x }}a{{ else if .Capabilities.KubeVersion }}b{{ end }}"},
		{"{{ if semverCompare \">=1\" .kubeVersion }}a{{ else }}b{{ end }}", "{{ if semverCompare \">=1\" .kubeVersion }}a{{ else }}b{{ end }}"},
		{"{{ if .x }}" + asks + "a{{ else }}b{{ end }}{{ end }}", asks + "a{{ else }}b{{ end }}"},
		{"{{ with .Capabilities }}a{{ else }}b{{ end }}", ""},
		{"{{ range .x }}{{ end }}{{ end }}" + asks + "{{ else }}{{ end }}", asks + "{{ else }}{{ end }}"},
		{"{{ else }}" + asks + "{{/* else */}}{{ end }}", ""},
		{".Capabilities if else end", ""},
		{asks + "a{{ else }}b", ""},
	} {
		got := ""
		for _, s := range ChartOf(table, nil, []byte(x.in)).Choices {
			got += string(s.Of([]byte(x.in)))
		}
		if got != x.want {
			t.Errorf("%s: got %q", x.in, got)
		}
		if len(ChartOf(table, map[string]bool{"template-choice": true}, []byte(x.in)).Choices) > 0 {
			t.Errorf("%s: a choice that is not guessed", x.in)
		}
	}
}

// A name stands in a text as a whole.
func TestContainsName(t *testing.T) {
	for in, want := range map[string]bool{
		"a.example.com": true, "x a.example.com/v1": true, "(a.example.com)": true, "a.example.com.": true,
		"": false, "b.a.example.com": false, "xa.example.com": false, "a.example.community": false, "a.example.com-x": false, "x-a.example.com": false,
		"xa.example.com a.example.com": true, "a.example.comx, a.example.com": true,
	} {
		if ContainsName([]byte(in), "a.example.com") != want {
			t.Errorf("%q: not %v", in, want)
		}
	}
}

// Only guesses are switched off, by names that there are.
func TestOff(t *testing.T) {
	set := &rules.Ruleset{Guess: rules.Guess{Off: []string{"guide"}}}
	if off, err := Off([]string{"snapshot"}, []*rules.Ruleset{set}); err != nil || fmt.Sprint(off) != "map[guide:true snapshot:true]" {
		t.Errorf("%v, %v", off, err)
	}
	for name, hint := range map[string]string{"snapshots": `did you mean "snapshot"?`, "kept-path": "", "zzzzzzzzzzz": ""} {
		_, err := Off([]string{name}, nil)
		var e *source.Error
		if !errors.As(err, &e) || e.Error() != `guess: no guess is named "`+name+`"` || e.Hint != hint {
			t.Errorf("%s: %v, hint %q", name, err, e.Hint)
		}
	}
}

func TestMatchPath(t *testing.T) {
	for _, x := range []struct {
		glob, name string
		want       bool
	}{
		{"*.yaml", "a/b/c.yaml", true}, {"*.yaml", "a.yml", false}, {"/*.yaml", "c.yaml", true}, {"/*.yaml", "a/c.yaml", false},
		{"a/*", "a/b", true}, {"a/*", "a/b/c", true}, {"a/*.md", "a/b/c.md", false}, {"a/**", "a/b/c", true}, {"a/**", "a", false}, {"**/c", "c", true}, {"**/c", "a/b/c", true},
		{"a/**/c", "a/c", true}, {"a/**/c", "a/b/d", false}, {"a/b?", "a/bc", true}, {"a/b", "a/b/c", true}, {"a/", "b/a/c", true}, {"a/", "b/a", false}, {`/a\[1].md`, "a[1].md", true}, {"a/b/c", "a/b", false}, {"a/[", "a/b", false},
	} {
		if MatchPath(x.glob, x.name) != x.want {
			t.Errorf("%s, %s: not %v", x.glob, x.name, x.want)
		}
	}
}

// Whoever listens to decisions no more hears no more of them.
func TestDecisionsEnd(t *testing.T) {
	table := rulestest.Table(t, testRules)
	text := []byte("apiVersion: old.example.com/v1\n---\napiVersion: old.example.com/v1\n")
	n := 0
	for d := range Decisions(NamesOf(table, nil), table, FactsOf(table, nil, false, "a.yaml", text, find.FormatOf("a.yaml", text)), "a.yaml") {
		if n++; d.Site != nil {
			break
		}
	}
	if n == 0 {
		t.Error("nothing was said")
	}
}
