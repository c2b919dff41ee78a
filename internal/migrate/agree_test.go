package migrate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What files of a tree say of each other holds, or a person is told.
func TestTreeAgrees(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	crd := func(version string) string {
		return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.new.example.org\nspec:\n  group: new.example.org\n  names: {kind: Thing, plural: things}\n  versions:\n  - {name: " + version + ", served: true}\n"
	}
	old := func(crd string) string { return strings.ReplaceAll(crd, "new.example.org", "old.example.com") }
	const object = "apiVersion: new.example.org/v1\nkind: Thing\n"
	for _, tt := range []struct {
		name string
		tree memory
		want string // path and what is there
	}{
		{"a version that is served", memory{"crd.yaml": crd("v1"), "a.yaml": object}, ""},
		{"a version that is not served", memory{"crd.yaml": crd("v2"), "a.yaml": object}, "a.yaml:new.example.org/v1"},
		{"no CRD", memory{"a.yaml": object}, ""},
		{"kept by a mark", memory{"crd.yaml": crd("v2"), "a.yaml": "apiVersion: new.example.org/v1 # cfctl:keep\nkind: Thing\n"}, ""},
		{"two files that define a CRD", memory{"a.yaml": crd("v1"), "b.yaml": crd("v1")}, "b.yaml:things.new.example.org"},
		{"two that do and change", memory{"a.yaml": old(crd("v1")), "b.yaml": old(crd("v1"))}, "b.yaml:things.old.example.com"},
		{"two that serve other versions", memory{"a.yaml": crd("v1"), "b.yaml": crd("v2")}, ""},
		{"two bundles that do", memory{"a.yaml": crd("v1") + "---\n" + strings.ReplaceAll(crd("v1"), "thing", "item"), "b.yaml": crd("v1") + "---\n" + strings.ReplaceAll(crd("v1"), "thing", "item")}, ""},
		{"two folders that do", memory{"a/a.yaml": crd("v1"), "b/b.yaml": crd("v1")}, ""},
		{"a file that is there", memory{"new.example.org_things.yaml": crd("v1"), "kustomization.yaml": "resources:\n- new.example.org_things.yaml\n"}, ""},
		{"a file that is not there", memory{"kustomization.yaml": "resources:\n- new.example.org_things.yaml\n"}, "kustomization.yaml:new.example.org_things.yaml"},
		{"one that is not there and changes", memory{"kustomization.yaml": "resources:\n- old.example.com_things.yaml\n", "crd.yaml": old(crd("v1"))}, "kustomization.yaml:old.example.com_things.yaml"},
		{"the name of a file", memory{"old.example.com_others.yaml": strings.ReplaceAll(crd("v1"), "new.example.org", "a.example.org")}, "old.example.com_others.yaml:old.example.com_others.yaml"},
	} {
		var got []string
		for _, f := range tt.tree.planned(m).Files {
			for _, s := range f.Sites {
				if s.Rule.ID == findingDisagrees && s.Action() == NeedsReview {
					got = append(got, fmt.Sprintf("%s:%s", f.Path, s.Old))
				}
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	one := parsedMigration(t, "name: x\nrules: [{id: a, from: {group: old.example.com, kind: Thing, plural: things}, to: {group: new.example.org}}]\n", false)
	for kind, want := range map[string]bool{"Thing": true, "Other": false} {
		tree := memory{"crd.yaml": strings.ReplaceAll(old(crd("v2")), "Thing", kind), "a.yaml": "apiVersion: old.example.com/v1\nkind: " + kind + "\n"}
		got := slices.ContainsFunc(tree.planned(one).Files, func(f *File) bool {
			return slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Rule.ID == findingDisagrees })
		})
		if got != want {
			t.Errorf("an object of kind %s whose version no CRD serves is reported: %v, want %v", kind, got, want)
		}
	}
}

// A record of a release is none where a kustomization outside of it installs it.
func TestRecordsInUse(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	const object = "apiVersion: old.example.com/v1\nkind: Thing\n"
	for user, want := range map[string]bool{
		"__snapshots__/kustomization.yaml:resources: [b.yaml]\n":                                 true,
		"apps/kustomization.yaml:resources: [../overlays/v1.0.0]\n":                              true,
		"apps/kustomization.yaml:resources:\n- ../overlays/v1.0.0/a.yaml\n":                      true,
		"apps/kustomization.yaml:resources: [../overlays/v1.0.1]\n":                              false,
		"overlays/v1.0.0/kustomization.yaml:resources: [a.yaml]\n":                               false,
		"overlays/v1.0.0/Chart.yaml:name: a\n":                                                   true,
		"overlays/Chart.yaml:name: a\n":                                                          false,
		"app.yaml:apiVersion: argoproj.io/v1alpha1\nspec: {source: {path: overlays/v1.0.0}}\n":   true,
		"a/b.yaml:apiVersion: kustomize.toolkit.fluxcd.io/v1\nspec: {path: ./overlays/v1.0.0}\n": true,
		"a/b.yaml:apiVersion: kustomize.toolkit.fluxcd.io/v1\nspec: {note: overlays/v1.0.0}\n":   false,
		"a/b.yaml:apiVersion: example.com/v1\nspec: {path: ./overlays/v1.0.0}\n":                 false,
		"apps/kustomization.yaml:resources: [https://example.com/v1.0.0/a]\n":                    false,
		"apps/kustomization.yaml:resources: [../../overlays/v1.0.0/a.yaml]\n":                    false,
	} {
		path, text, _ := strings.Cut(user, ":")
		got := false
		for _, f := range (memory{"overlays/v1.0.0/a.yaml": object, "__snapshots__/b.yaml": object, path: text}).planned(m).Files {
			got = got || slices.ContainsFunc(f.Sites, func(s Site) bool { return s.ID() == "record-in-use" && s.Action() == NeedsReview })
		}
		if got != want {
			t.Errorf("%s: %v", user, got)
		}
	}
}

// Names of files that are named after a group are found wherever they stand, each
// from its longest group on, and what only looks like one is not.
func TestNamedAfterAGroup(t *testing.T) {
	m := parsedMigration(t, "name: x\nrules: [{id: a, from: {group: b.example.com}, to: {group: a.b.example.com}}]\n", false)
	for in, want := range map[string][]string{
		"x/a.b.example.com_as.yaml b.example.com_bs.yml":      {"a.b.example.com_as.yaml", "b.example.com_bs.yml"},
		"b.example.com_b.example.com_bs.yaml":                 {"b.example.com_bs.yaml"},
		"b.example.com_bs.yamlb.example.com_cs.yml":           {"b.example.com_bs.yaml", "b.example.com_cs.yml"},
		"a_b.example.com b.example.com_ b.example.com_B.yaml": nil,
		"c.example.com_as.yaml _ b.example.com_as.json":       nil,
		"a_b_b.example.com_c-1.yaml":                          {"b.example.com_c-1.yaml"},
	} {
		if got := m.concord.file.FindAllString(in, -1); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}
