package gorefactor

import (
	"context"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A world is a tree as a txtar archive.
func world(archive string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return tree
}

// paths are the files of a tree.
func paths(tree fs.FS) []string {
	var list []string
	_ = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error { // no error in memory
		if !d.IsDir() {
			list = append(list, name)
		}
		return err
	})
	return list
}

// past are the files that describe the past.
func past(name string) bool {
	return slices.Contains([]string{"CHANGELOG.md", "docs/release-notes/1.md", "install/v1.2.0-rc1/all.yaml"}, name)
}

// plan loads a tree, plans and verifies.
func plan(t *testing.T, tree fs.FS, rules []Rule) (*Tree, *Plan) {
	t.Helper()
	loaded, err := Load(context.Background(), tree, paths(tree), LoadOptions{Bodies: Needed(rules)})
	if err != nil {
		t.Fatal(err)
	}

	p, err := loaded.Plan(context.Background(), rules, Options{History: past})
	if err != nil {
		t.Fatal(err)
	}
	_, added, err := loaded.Verify(context.Background(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range added {
		t.Errorf("the plan adds %s:%d:%d: %s", problem.Path, problem.Line, problem.Column, problem.Msg)
	}
	return loaded, p
}

// apply makes a plan's edits, moves and new files.
func apply(t *testing.T, tree fstest.MapFS, p *Plan) fstest.MapFS {
	t.Helper()
	after := fstest.MapFS{}
	for name, f := range tree {
		data, err := source.Apply(f.Data, p.Edits[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if strings.HasSuffix(name, ".go") {
			before, _ := format.Source(f.Data)
			if after, err := format.Source(data); err == nil && string(before) == string(f.Data) {
				data = after
			}
		}
		if to := p.Moves[name]; to != "" {
			name = to
		}
		after[name] = &fstest.MapFile{Data: data}
	}
	for name, data := range p.Create {
		after[name] = &fstest.MapFile{Data: data}
	}
	return after
}

// changed is the archive of the files of a tree that another one lacks or has
// with other content, in the order of their names.
func changed(before, after fstest.MapFS) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if old := before[name]; old == nil || string(old.Data) != string(after[name].Data) {
			fmt.Fprintf(&b, "-- %s --\n%s", name, after[name].Data)
		}
	}
	return b.String()
}

// A treeCase is a tree, rules, and what becomes of the tree.
type treeCase struct {
	name   string
	in     string
	rules  []Rule
	want   string   // files that change
	review []string // "ID path"
	extra  bool     // want lists only some of the files that change
}

func runTrees(t *testing.T, base string, cases []treeCase) {
	t.Helper()
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			before := world(base)
			maps.Copy(before, world(x.in))
			_, p := plan(t, before, x.rules)
			after := apply(t, before, p)
			checkFiles(t, x, before, after)
			var review []string
			for _, e := range p.Review {
				review = append(review, e.ID+" "+e.Path)
				if e.Why == "" || e.Hint == "" || e.N < 1 {
					t.Errorf("entry without a reason, a hint or a count: %+v", e)
				}
			}
			if strings.Join(review, "\n") != strings.Join(x.review, "\n") {
				t.Errorf("review is %q, want %q\n%v", review, x.review, p.Review)
			}
			if len(x.review) == 0 {
				checkSecondRun(t, after, x)
			}
		})
	}
}

func checkFiles(t *testing.T, x treeCase, before, after fstest.MapFS) {
	t.Helper()
	if !x.extra {
		if got := changed(before, after); got != x.want {
			t.Errorf("the tree becomes\n%s\nwant\n%s", got, x.want)
		}
		return
	}
	for name, f := range world(x.want) {
		got := after[name]
		if got == nil {
			t.Errorf("no file %s; the tree changes to\n%s", name, changed(before, after))
		} else if string(got.Data) != string(f.Data) {
			t.Errorf("%s becomes\n%s\nwant\n%s", name, got.Data, f.Data)
		}
	}
}

// checkSecondRun says that a plan of the result is empty.
func checkSecondRun(t *testing.T, after fstest.MapFS, x treeCase) {
	t.Helper()
	_, again := plan(t, after, x.rules)
	if len(again.Edits)+len(again.Moves)+len(again.Create) > 0 {
		t.Errorf("a second run changes %v, moves %v", again.Edits, again.Moves)
	}
}

// group is a tree with one API group of one version.
const group = `-- go.mod --
module example.com/widgets

go 1.24
-- api/v1alpha1/register.go --
// Package v1alpha1 is the API.
// +groupName=widgets.example.com
package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	GroupVersion  = schema.GroupVersion{Group: "widgets.example.com", Version: "v1alpha1"}
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}
	AddToScheme   = SchemeBuilder.AddToScheme
)
-- api/v1alpha1/widgetset_types.go --
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WidgetSetSpec is what a WidgetSet wants.
type WidgetSetSpec struct {
	Size int ` + "`json:\"size\"`" + `
}

// WidgetSet is the Schema for the widgetsets API.
type WidgetSet struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec WidgetSetSpec
}

// WidgetSetList lists WidgetSets.
type WidgetSetList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []WidgetSet
}

func init() { SchemeBuilder.Register(&WidgetSet{}, &WidgetSetList{}) }
`

// gadget renames WidgetSet.
var gadget = []Rule{{Group: "widgets.example.com", Kind: "WidgetSet", ToKind: "GadgetGroup"}}
