package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules/rulestest"
)

const splitRules = `name: splits
rules:
  - {id: one, from: {group: one.example.com, kind: Fig, plural: figs}, to: {group: two.example.org}}
  - {id: only, from: {group: only.example.com, version: v1beta1, kind: Yew, plural: yews}, to: {version: v1}}
  - {id: named, from: {group: named.example.com, version: v1, kind: Elm, plural: elms}, to: {group: trees.example.org, kind: Oak, plural: oaks}}
  - {id: climbs, from: {group: vine.example.com, version: v1beta1, kind: Ivy, plural: ivies}, to: {group: wall.example.org}}
`

// splitting are, for each row of splits, what it hands to a person and what is near to
// that and moves.
var splitting = map[string][2]struct{ path, in string }{
	"every-kind":      {{"a.yaml", "kinds: [only.example.com/v1beta1/*]\n"}, {"a.yaml", "kinds: [only.example.com/v1beta1/Yew]\n"}},
	"another-version": {{"a.sh", "kubectl get ivies.vine.example.com\n"}, {"a.sh", "kubectl get ivies.v1beta1.vine.example.com\n"}},
	"another-kind":    {{"a.txt", "/apis/one.example.com/v7\n"}, {"a.txt", "/apis/one.example.com/v7/figs\n"}},
	"filled-kind":     {{"templates/a.yaml", "apiVersion: one.example.com/v1\nkind: {{ .k }}\n"}, {"templates/a.yaml", "apiVersion: one.example.com/v1\nkind: Fig\n"}},
	"any-resource":    {{"a.sh", "curl $x/apis/only.example.com/v1beta1/$plural\n"}, {"a.sh", "curl $x/apis/only.example.com/v1beta1/yews\n"}},
	"resources-apart": {{"a.go", "package a\n\nvar x = r.PolicyRule{APIGroups: []string{\"one.example.com\"}, Resources: []string{\"figs\", \"pears\"}}\n"}, {"a.go", "package a\n\nvar x = r.PolicyRule{APIGroups: []string{\"one.example.com\"}, Resources: []string{\"figs\"}}\n"}},
	"part-left":       {{"a.go", "package a\n\nvar x = map[string]string{\"named.example.com\": \"Elm\", \"x\": \"y\"}\n"}, {"a.go", "package a\n\nvar x = map[string]string{\"one.example.com\": \"Fig\", \"x\": \"y\"}\n"}},
}

// Each row of splits hands its example to a person, and nothing else does: without the
// row the name moves.
func TestEverySplit(t *testing.T) {
	table := rulestest.Table(t, splitRules)
	names := NamesOf(table, nil)
	verdicts := func(path, in string) []Verdict {
		facts := FactsOf(table, nil, false, path, []byte(in), find.FormatOf(path, []byte(in)))
		facts.Mixed = Mixed{Stays: map[string]string{"one.example.com/v7": "Pear", "vine.example.com Ivy": "Ivy"}}
		var list []Verdict
		for d := range Decisions(names, table, facts, path) {
			if d.Site != nil && strings.Contains(d.Site.Known.Group, ".example.com") && d.Verdict != None {
				list = append(list, d.Verdict)
			}
		}
		return list
	}
	for i, row := range splits {
		x, ok := splitting[row.id]
		if !ok || len(strings.Fields(row.doc)) < 5 {
			t.Errorf("%s: no example, or no reason", row.id)
			continue
		}
		if got := verdicts(x[0].path, x[0].in); !slices.Equal(got, []Verdict{Person}) {
			t.Errorf("%s: %q is %v", row.id, x[0].in, got)
		}
		if got := verdicts(x[1].path, x[1].in); !slices.Contains(got, Move) || slices.Contains(got, Person) {
			t.Errorf("%s: %q is %v", row.id, x[1].in, got)
		}
		was := splits
		splits = slices.Delete(slices.Clone(was), i, i+1)
		if got := verdicts(x[0].path, x[0].in); !slices.Equal(got, []Verdict{Move}) {
			t.Errorf("%s: without the row %q is %v", row.id, x[0].in, got)
		}
		splits = was
	}
}
