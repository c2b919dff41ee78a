package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"
)

// reasons is what is decided of each name of a text, with the reason and the words.
func reasons(t *testing.T, path, in string, s setting) []string {
	t.Helper()
	table := rulestest.Table(t, testRules)
	facts := FactsOf(table, map[string]bool{s.off: true}, s.dual, path, []byte(in), find.FormatOf(path, []byte(in)))
	var list []string
	for d := range Decisions(NamesOf(table, Clients(table)), table, facts, path) {
		if d.Site != nil && slices.Contains([]find.Ask{find.Nothing, find.Rules, find.Tree, find.Hand, find.Unsure}, d.Site.Place.Ask) {
			list = append(list, strings.TrimSpace(said(d)+" | "+d.Reason+" | "+d.Why))
		}
	}
	return list
}

// holds compares what is decided with what should be.
func holds(t *testing.T, list []decision) {
	t.Helper()
	for _, x := range list {
		if got, want := strings.Join(reasons(t, x.path, x.in, x.setting), "\n"), strings.Trim(x.want, "\n"); got != want {
			t.Errorf("%s %+v: got\n%s\nwant\n%s\nof\n%s", x.path, x.setting, got, want, x.in)
		}
	}
}

// What cannot move alone is for a person, who is told with what it would have to
// move; what stays says why.
func TestReasons(t *testing.T) {
	holds(t, []decision{
		{"a.yaml", setting{}, "apiVersion: split.example.com/v1\nname: x\n", `
split.example.com/v1: person | splits | it depends on the kind: Apple → a.example.org, Berry → b.example.org`},
		{"a.yaml", setting{}, "apiVersion: gone.example.com/v1\nkind: Ghost\n", `
gone.example.com/v1: person | removed | nothing takes its place`},
		{"a.yaml", setting{}, "apiVersion: same.example.com/v1beta1\nkind: Fig\n", `
same.example.com/v1beta1: stay | no-rule | no rule moves kind Fig`},
		{"a.txt", setting{}, "GET /apis/same.example.com/v1beta1/${R}\n", `
same.example.com/v1beta1: person | splits | it depends on the kind: the path is that of any resource, and only Pear moves to v1`},
		{"a.yaml", setting{}, "x:\n  group: parts.example.com\n  resources: [jobs/status]\n", `
parts.example.com: move new.example.org jobs/status |  |`},
		{"a.py", setting{}, "x = {\"apiGroups\": [\"parts.example.com\"], \"resources\": [\"figs\", \"runs\"]}\n", `
parts.example.com: person | splits | the resources of this rule go to different groups: runs to runs.example.org`},
		{"a.sh", setting{}, "GROUP=parts.example.com\nMY_KIND=Job\n", `
parts.example.com: person | splits | it would move without Job beside it, which becomes Task`},
		{"a.sh", setting{}, "GROUP=parts.example.com\nMY_PLURAL=jobs\n", `
parts.example.com: person | splits | it would move without jobs beside it, which becomes tasks`},
		{"a.sh", setting{}, "GROUP=both.example.com\nMY_VERSION=v1beta1\n", `
both.example.com: person | splits | it would move without v1beta1 beside it, which becomes v1`},
		{"a.go", setting{}, "package a\n\nvar x = []string{\"parts.example.com\", \"Fig\", \"v1\"}\n", `
parts.example.com: move new.example.org/v1 |  |`},
		{"api/v1beta1/a.yaml", setting{}, "apiVersion: both.example.com/v1beta1\nkind: Plum\n", `
both.example.com/v1beta1: person version-folder | version-folder | this file belongs to v1beta1, which becomes plums.example.org/v1`},
		{"api/v1beta1/a.yaml", setting{}, "apiVersion: same.example.com/v1beta1\nkind: Pear\n", `
same.example.com/v1beta1: stay version-folder | version-folder | this file belongs to v1beta1`},
		{"crd.yaml", setting{}, "kind: CustomResourceDefinition\nmetadata:\n  name: plums.both.example.com\nspec:\n  group: both.example.com\n  names: {kind: Plum, plural: plums}\n  versions: [{name: v1beta1}, {name: v1}]\n", `
plums.both.example.com: person | splits | its versions go to different groups or kinds: plums.example.org, both.example.com
both.example.com: person | splits | its versions go to different groups or kinds: plums.example.org, both.example.com`},
		{"kept/a.yaml", setting{}, "group: old.example.com\n", `
old.example.com: stay kept-path | ruleset | on purpose`},
		{"a.yaml", setting{}, "group: kept.old.example.com\n", `
kept.old.example.com: stay kept-value | ruleset | it stays`},
		{"a.yaml", setting{dual: true}, "group: old.example.com\n", `
old.example.com: stay dual-mode | dual | stays while both groups are served; --mode replace moves it`},
		{"a.yaml", setting{}, "metadata:\n  labels: {old.example.com/x: a, new.example.org/x: b}\n", `
old.example.com/x: stay | label-key | a key is a contract with whoever reads it, not an API group`},
		{"a.yaml", setting{off: "both-names"}, "metadata:\n  labels: {old.example.com/x: a, new.example.org/x: b}\n", `
old.example.com/x: person | name-taken | its mapping has the key new.example.org/x already`},
		{"a.yaml", setting{}, "host: old.example.com\n", `
old.example.com: stay | unmarked | key host does not tell that it is a group, but of something else`},
		{"a.go", setting{}, "package a\n\nconst ImageRegistry = \"old.example.com\"\n", `
old.example.com: stay | unmarked | ImageRegistry does not tell that it is a group, but of something else`},
		{"templates/a.yaml", setting{}, "{{- if .Capabilities.APIVersions.Has \"old.example.com/v1\" }}\napiVersion: old.example.com/v1\n{{- else }}\napiVersion: new.example.org/v1\n{{- end }}\nkind: Thing\n", `
old.example.com/v1: stay template-choice | template-choice | the template chooses by what the cluster serves
old.example.com/v1: stay template-choice | template-choice | the template chooses by what the cluster serves`},
		{"templates/a.yaml", setting{}, "{{- if .Capabilities.APIVersions.Has \"same.example.com/v1beta1/Pear\" }}\napiVersion: same.example.com/v1beta1\n{{- else }}\napiVersion: same.example.com/v1alpha1\n{{- end }}\nkind: Pear\n", `
same.example.com/v1beta1/Pear: person | template-branches | the branches of this choice would become the same
same.example.com/v1beta1: person | template-branches | the branches of this choice would become the same
same.example.com/v1alpha1: person | template-branches | the branches of this choice would become the same`},
	})
}

// A name of which only the tree tells what it is waits for it; what would be a
// guess is left to a person.
func TestUnsure(t *testing.T) {
	holds(t, []decision{
		{"a.txt", setting{}, "the figs.old.example.com\n", `
figs.old.example.com: wait new.example.org figs | label-like | looks like a label or annotation key`},
		{"a.txt", setting{}, "the split.example.com/apples here\n", `
split.example.com/apples: person | unknown-place | nothing around it tells what it is`},
		{"a.txt", setting{}, "the same.example.com/pears here\n", `
same.example.com/pears: none |  |`},
		{"a.yaml", setting{}, "source: split.example.com/apples\n", `
split.example.com/apples: person | unknown-place | nothing around it tells what it is`},
		{"kept/a.txt", setting{}, "the split.example.com/apples here\n", `
split.example.com/apples: stay kept-path | ruleset | on purpose`},
		{"a.md", setting{}, "| old.example.com | x |\n", `
old.example.com: person | unknown-place | nothing around it tells what it is`},
		{"go.mod", setting{}, "module old.example.com/v1\n", `
old.example.com/v1: stay | path | part of a path: of a module or package`},
		{"a.go", setting{}, "package a\n\nimport \"old.example.com/pkg/api\"\n", `
old.example.com/pkg: person | module | an import path moves with its module`},
	})
}

// Why a site stays whatever the rules say is told without deciding about it.
func TestKept(t *testing.T) {
	table := rulestest.Table(t, testRules)
	for path, want := range map[string]string{"kept/a.yaml": "on purpose kept-path", "a.yaml": " ", "x/v1.2.3/a.yaml": "history: a folder of version v1.2.3 released-folder"} {
		in := []byte("group: old.example.com\n")
		facts := FactsOf(table, nil, false, path, in, find.FormatOf(path, in))
		for d := range Decisions(NamesOf(table, nil), table, facts, path) {
			if d.Site == nil {
				continue
			}
			if why, guard := Kept(d.Site, table, facts); why+" "+guard != want {
				t.Errorf("%s: %q by %q, want %q", path, why, guard, want)
			}
			if home := facts.IsHomeOf(d.Site, rules.GVK{Version: "v1.2.3"}); home != (path == "x/v1.2.3/a.yaml") {
				t.Errorf("%s: is of v1.2.3: %v", path, home)
			}
		}
	}
	for guard, want := range map[string]bool{"guide": true, "kept-path": false, "": false, "unknown": false} {
		if IsGuess(guard) != want {
			t.Errorf("%q: a guess: %v", guard, !want)
		}
	}
}

// A group that takes another name, and no other version, gives its clients another
// one; the longer of two that end alike comes first.
func TestClientsOfRules(t *testing.T) {
	table := rulestest.Table(t, `
name: clients
rules:
  - {id: a, from: {group: old.example.com}, to: {group: new.example.org}}
  - {id: b, from: {group: older.old.example.com}, to: {group: newer.example.org}}
  - {id: c, from: {group: same.example.com}, to: {group: same.example.org}}
  - {id: d, from: {group: steps.example.com, version: v1beta1}, to: {version: v1}}
  - {id: e, from: {group: split.example.com, kind: Apple}, to: {group: a.example.org}}
  - {id: f, from: {group: bare}, to: {group: bared}}
`)
	var got []string
	for _, c := range Clients(table) {
		got = append(got, c.Group+" "+c.Old+" "+c.New)
	}
	if want := "older.old.example.com Older Newer, split.example.com Split A, old.example.com Old New"; strings.Join(got, ", ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	names := NamesOf(table, Clients(table))
	for group, want := range map[string]bool{"old.example.com": true, "bare": true, "new.example.org": false, "example.com": false} {
		if names.Has(group) != want {
			t.Errorf("%s is looked for: %v", group, !want)
		}
	}
}

// Named templates that a choice is in, and those that a question stands before,
// are told with it.
func TestTemplatesOfChoices(t *testing.T) {
	table := rulestest.Table(t, "name: none\nrules: [{id: a, from: {group: old.example.com}, to: {group: new.example.com}}]\n")
	in := `{{- define "a.version" -}}
{{- if .Capabilities.APIVersions.Has "x/v1" }}x/v1{{ else }}old.example.com/v1{{ end -}}
{{- end }}
{{- define "b" }}{{ end }}
{{- if .Capabilities.APIVersions.Has "old.example.com/v1" }}
{{- include "c" . }} {{ template "d" }}
{{- end }}
{{- if .Capabilities.KubeVersion }}
nothing is included
{{- end }}
`
	c := ChartOf(table, nil, []byte(in))
	if len(c.Choices) != 1 || strings.Join(c.Defines, " ") != "a.version" {
		t.Errorf("%d choices in %v", len(c.Choices), c.Defines)
	}
	if len(c.Guards) != 1 || strings.Join(c.Guards[0].Includes, " ") != "c d" {
		t.Errorf("the parts that ask: %+v", c.Guards)
	}
}
