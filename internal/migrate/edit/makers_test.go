package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// Without its maker, what one says of its places is said no more.
func TestEveryMaker(t *testing.T) {
	kustomization := []row{{file: "kustomization.yaml", in: "resources:\n- old.example.com_anys.yaml\n"}}
	identifier := []row{{file: "a.go", in: "package a\n\nvar c = client.OldV1().Anys(ns)\n"}}
	half := []row{{file: "PROJECT", in: "domain: example.com\nresources:\n- group: other.example.com\n  kind: Any\n  domain: old.example.com\n"}}
	examples := map[find.Ask][]row{
		find.Permission: permissionRows(), find.Marker: markerRows(), find.Owned: ownedRows(), find.Project: projectRows(),
		find.Typed: clientRows(), find.File: kustomization, find.Client: identifier, find.Half: half,
	}
	b := newBench(t, moves)
	said := func(r row) string {
		b := *b
		b.dual = r.dual
		var all strings.Builder
		for _, o := range b.plan(r.file, r.in) {
			all.WriteString(string(o.Action()) + " " + o.Old + " " + o.New + " " + o.Reason + "\n")
		}
		return all.String()
	}
	for _, ask := range slices.Sorted(maps.Keys(makers)) {
		is := makers[ask]
		matters := slices.ContainsFunc(examples[ask], func(r row) bool {
			with := said(r)
			makers[ask] = func(*maker, *find.Site) {}
			without := said(r)
			makers[ask] = is
			return with != without
		})
		if !matters {
			t.Errorf("nothing tells that the maker of %d is missing", ask)
		}
	}
}

// Without a way of a rule of permissions, or a net behind all makers, something comes
// out otherwise.
func TestEveryWay(t *testing.T) {
	crd := func(group string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: anys." + group + "\nspec:\n  group: " + group + "\n  names: {kind: Any, plural: anys}\n"
	}
	list := slices.Concat(permissionRows(), ownedRows(), projectRows(), []row{
		{file: "a.go", in: "package a\n\nvar x = A{\"plums.tree.example.com\": \"Other\"}\n\nvar y = A{Kind: \"Other\", Group: \"tree.example.com\"}\n"},
		{file: "a.go", in: "package a\n\nfunc f(group string) {\n\tswitch group {\n\tcase \"old.example.com\":\n\tcase \"new.example.org\":\n\t}\n}\n"},
		{file: "a.py", in: "if group == \"tree.example.com\":\n    names = [\"plums\"]\n"},
		{file: "a.yaml", in: "kind: Role\nrules:\n- apiGroups: &groups [fruit.example.com]\n  resources: [apples]\n- apiGroups: *groups\n  resources: [pears]\n"},
		{file: "a.yaml", dual: true, in: "kind: Role\nrules:\n- apiGroups: [tree.example.com]\n  resources: &list [plums]\n- apiGroups: [tree.example.com]\n  resources: *list\n"},
		{file: "a.yaml", in: "kind: ValidatingWebhookConfiguration\nwebhooks:\n- name: a.fruit.example.com\n  rules:\n  - &r {apiGroups: [fruit.example.com], resources: [apples]}\n  - {<<: *r, resources: [pears]}\n- name: b.fruit.example.com\n  rules:\n  - *r\n"},
		{file: "a.yaml", in: "kind: ValidatingWebhookConfiguration\nwebhooks:\n- rules:\n  - apiGroups: [home.example.com, other.example.com]\n    apiVersions: [v1alpha1]\n    resources: [nests]\n"},
		{file: "a.yaml", in: "kind: Role\nrules:\n- apiGroups: [home.example.com]\n  resources: [nests, birds]\n"},
		{file: "a.yaml", in: "kind: Role\nrules:\n- apiGroups: [fruit.example.com]\n  resources: [\"\\u0061pples\", pears]\n"},
		{file: "a.ts", in: "switch (g) {\ncase \"old.example.com\":\ncase \"new.example.org\":\n}\n"},
		{file: "a.py", in: "groups = [\"old.example.com\", \"new.example.org\"]\n"},
		{file: "a.sh", in: "grep '\\bold\\.example\\.com\\b' file\n"},
		{file: "a.yaml", in: crd("old.example.com") + "---\n" + crd("new.example.org")},
		{file: "a.yaml", in: "apiVersion: else.example.com/v1\nkind: Thing\n"},
		{file: "a.yaml", in: "kind: Role\nrules:\n- apiGroups: [apiextensions.k8s.io, old.example.com]\n  resources: [customresourcedefinitions, anys]\n  resourceNames: [anys.old.example.com]\n"},
		{file: "a.yaml", in: "kind: Role\nrules:\n- apiGroups: [fruit.example.com]\n  resources: &list [apples, pears]\n"},
		{file: "a.clusterserviceversion.yaml", in: "spec:\n  customresourcedefinitions:\n    owned:\n    - {name: anys.old.example.com, kind: Any, description: of old.example.com/v1}\n    - {name: anys.new.example.org, kind: Any}\n"},
	})
	b := newBench(t, moves)
	b.mixed = judge.Mixed{Stays: map[string]string{"home.example.com Nest": "Nest"}}
	said := func(r row) string {
		b := *b
		b.dual = r.dual
		var all strings.Builder
		for _, o := range b.plan(r.file, r.in) {
			fmt.Fprintln(&all, o.Span, o.Action(), o.Old, o.New, o.Reason, o.Edits())
		}
		return all.String()
	}
	matters := func(off func() (back func())) bool {
		return slices.ContainsFunc(list, func(r row) bool {
			with := said(r)
			back := off()
			without := said(r)
			back()
			return with != without
		})
	}
	for i, w := range ways {
		if !matters(func() func() {
			ways[i].goes = func(*permissionMaker, permission) bool { return false }
			return func() { ways[i] = w }
		}) {
			t.Errorf("nothing tells that rules go no way %s", w.id)
		}
	}
	for i, n := range nets {
		if !matters(func() func() { nets[i].cast = func(*maker) {}; return func() { nets[i] = n } }) {
			t.Errorf("nothing tells that the net %s is not cast", n.id)
		}
	}
}
