package edit

import (
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The reason of a suppression ends with its comment.
func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		" it stays": "it stays", " ts */ const x = 1": "ts", " md -->": "md", " helm */}}": "helm", "": "", " a-b": "a-b",
	} {
		if got := reason(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// What a person keeps stays, whatever maker is about it; a mark that keeps
// nothing is told of.
func TestKept(t *testing.T) {
	b := newBench(t, moves)
	b.keeps = Keeps{{Path: "kept/**", Why: "ours"}, {Path: "a.yaml", Value: "apples.fruit.example.com"}}
	for _, tt := range []struct{ name, file, in string }{
		{"a name", "b.yaml", "apiVersion: old.example.com/v1 # cfctl:keep ours\n"},
		{"the line below", "b.yaml", "# cfctl:keep\napiVersion: old.example.com/v1\n"},
		{"a permission", "b.yaml", "rules:\n- apiGroups: [old.example.com] # cfctl:keep\n  resources: [anys]\n"},
		{"a split rule", "b.yaml", "kind: Role\nrules:\n- apiGroups: [fruit.example.com] # cfctl:keep\n  resources: [apples, pears]\n"},
		{"a marker", "b.go", "package a\n\n// +groupName=old.example.com cfctl:keep\n"},
		{"a file", "b.yaml", "resources:\n- old.example.com_anys.yaml # cfctl:keep\n"},
		{"an owned CRD", "a.yaml", "kind: ClusterServiceVersion\nspec:\n  customresourcedefinitions:\n    owned:\n    - name: apples.fruit.example.com\n"},
		{"a folder", "kept/x/b.yaml", "apiVersion: old.example.com/v1\n"},
	} {
		plan := b.planned(tt.file, tt.in)
		if got, told := written(t, tt.in, plan.Made); got != tt.in || len(told) > 0 || len(plan.Unused) > 0 || len(plan.Made) == 0 {
			t.Errorf("%s: %v %v %q", tt.name, told, plan.Unused, got)
		}
		for _, o := range plan.Made {
			if o, _ = o.Settle(tt.file, &Tree{Renames: map[string]string{o.Old: "x.yaml"}}); o.Action() != Stay {
				t.Errorf("%s: %+v", tt.name, o)
			}
		}
	}
	unused := b.planned("b.yaml", "a: b # cfctl:keep nothing\n# `cfctl:keep` is a comment\n").Unused
	if len(unused) != 1 || unused[0].Reason != "unused-suppression" {
		t.Errorf("unused: %+v", unused)
	}
	late, marks := Acknowledge([]byte("a # cfctl:keep\nb\n"), "b.yaml", nil, []Outcome{Outcome{}.Leave("link", "x", "y"), Outcome{Span: source.Span{Start: 15, End: 16}}.Leave("link", "x", "y")})
	if late[0].Action() != Stay || late[0].Hint != "" || late[1].Action() != Person || len(marks) != 1 {
		t.Errorf("%+v %v", late, marks)
	}
}
