package migrate

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// treePieces are files that depend on others, or in which one thing stands for several.
func treePieces() memory {
	crd := func(group, more string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets." + group + "\nspec:\n  group: " + group + "\n" + more +
			"  names: {kind: Widget, plural: widgets}\n  versions:\n  - {name: v1, served: true, storage: true}\n"
	}
	object := func(group, name string) string {
		return "apiVersion: " + group + "/v1\nkind: Widget\nmetadata: {name: " + name + "}\n"
	}
	a, b, c := "a.example.dev", "b.example.dev", "x.example.dev"
	return memory{
		"crd/a.example.dev_widgets.yaml": crd(a, ""),
		"crd/b.example.dev_widgets.yaml": crd(b, ""),
		"crd/x.example.dev_widgets.yaml": crd(c, "  scope: Namespaced\n"),
		"crd/kustomization.yaml":         "resources:\n- a.example.dev_widgets.yaml\n- b.example.dev_widgets.yaml\n",
		"chart/templates/crd.yaml":       "{{- if .Values.crds }}\n" + crd(a, "") + "{{- end }}\n",
		"chart/templates/crds.yaml":      "{{- if .Values.crds }}\n" + crd(a, "") + "---\n" + object(a, "one") + "{{- end }}\n",
		"merged.yaml":                    "- &w {apiVersion: a.example.dev/v1, kind: Widget}\n- <<: *w\n  kind: Gadget\n",
		"objects.yaml":                   object(a, "one") + "---\n" + object(b, "one"),
		"other.yaml":                     object(b, "one"),
		"kept.yaml":                      "apiVersion: a.example.dev/v1 # cfctl:keep a test\nkind: Widget\nmetadata: {name: one}\n",
		"said.yaml":                      "a: {apiVersion: a.example.dev/v1, kind: \"# cfctl:keep x\"}\n",
		"list.json":                      "[{\"apiVersion\":\"a.example.dev/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"x\"}},\n {\"apiVersion\":\"b.example.dev/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"x\"}}]\n",
		"rbac.yaml":                      "rules:\n- &r\n  apiGroups: [a.example.dev]\n  resources: [widgets]\n  verbs: [get]\n- <<: *r\n  resources: [gadgets]\n",
		"a_test.go":                      "package p\n\nvar x = PathForCRD(\"a.example.dev_widgets\")\n\nvar m = map[string]int{\"a.example.dev\": 1}\n",
		"Makefile":                       "crds:\n\tcat crd/a.example.dev_widgets.yaml crd/x.example.dev_widgets.yaml\n",
	}
}

// planned is the plan of a tree in memory.
func (t memory) planned(m *Migration) *Plan {
	files := fstest.MapFS{}
	for name, text := range t {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := m.planFS(context.Background(), files)
	if err != nil {
		panic(err) // nothing is read
	}
	return p
}

// fileOf is what becomes of one file alone, nil where nothing is found in it.
func fileOf(m *Migration, name string, data []byte) *File {
	if p := m.One(name, data); len(p.Files) > 0 {
		return p.Files[0]
	}
	return nil
}

// written is a tree after a plan.
func (t memory) written(test *testing.T, p *Plan) memory {
	test.Helper()
	after := maps.Clone(t)
	for _, f := range p.Files {
		if f.Skip != nil {
			test.Fatalf("%s: %v", f.Path, f.Skip)
		}
		old := []byte(t[f.Path])
		fresh, err := source.Apply(old, f.Edits(old))
		if err != nil {
			test.Fatal(err)
		}
		if delete(after, f.Path); !f.Drop {
			after[f.To] = string(fresh)
		}
		if f.Twin != nil {
			after[f.Twin.Path] = string(f.Twin.Data)
		}
	}
	return after
}

// answers are what a plan tells a person, without the places.
func answers(p *Plan) string {
	var b strings.Builder
	for _, f := range p.Files {
		for _, s := range f.Sites {
			fmt.Fprintln(&b, f.Path, f.After(), s.Action(), s.Old, s.New, s.ID())
		}
	}
	return b.String()
}

// Trees of files that depend on one another: the gate says what the preview says,
// what is written is final, in both modes and one after the other, and what is left
// to a person is still left.
func TestComposeTrees(t *testing.T) {
	racetest.OneGoroutine(t)
	only := strings.NewReplacer("group: a.example.dev}", "group: a.example.dev, kind: Widget, plural: widgets}").Replace(mergeRules)
	all, r := treePieces(), rand.New(rand.NewPCG(7, 8))
	for i := range 40 {
		tree := memory{}
		for _, name := range sortedNames(all) {
			if r.IntN(3) == 0 {
				tree[name] = all[name]
			}
		}
		set := []string{mergeRules, only}[i%2]
		for _, dual := range [][]bool{{false}, {true, false}} {
			at := tree
			for _, mode := range dual {
				m := parsedMigration(t, set, mode)
				p := at.planned(m)
				if again := at.planned(gateOf(t, set, mode)); answers(again) != answers(p) {
					t.Fatalf("%v: the gate says\n%s\nthe preview\n%s", sortedNames(tree), answers(again), answers(p))
				}
				persons := p.Count(NeedsReview)
				at = at.written(t, p)
				second := at.planned(m)
				if slices.ContainsFunc(second.Files, (*File).Changes) || persons > 0 && second.Count(NeedsReview) == 0 {
					t.Fatalf("%v, dual %v: a second run says\n%s\nafter\n%s", sortedNames(tree), mode, answers(second), answers(p))
				}
			}
		}
	}
}

// gateOf is the migration of a gate.
func gateOf(t *testing.T, set string, dual bool) *Migration {
	t.Helper()
	parsed, err := rules.Parse("r.yaml", []byte(set))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{parsed}, Dual: dual, Glance: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
