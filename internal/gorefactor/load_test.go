package gorefactor

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func load(t *testing.T, archive string) *Tree {
	t.Helper()
	loaded, err := Load(context.Background(), world(archive), paths(world(archive)), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func TestLoadResolvesImportPaths(t *testing.T) {
	for _, x := range []struct {
		name, archive string
		want          []string
	}{
		{"a module", "-- go.mod --\nmodule example.com/a\n-- a.go --\npackage a\n-- b/b.go --\npackage b\n", []string{"example.com/a", "example.com/a/b"}},
		{"a module in a folder", "-- go.mod --\nmodule example.com/a\n-- api/go.mod --\nmodule example.com/a/api/v2\n-- api/x/x.go --\npackage x\n-- m.go --\npackage m\n", []string{"example.com/a", "example.com/a/api/v2/x"}},
		{"a GOPATH tree, by vote", "-- pkg/a/a.go --\npackage a\nimport _ \"example.com/r/pkg/b\"\nimport _ \"example.com/other/b\"\n-- pkg/b/b.go --\npackage b\nimport _ \"example.com/r/pkg/a\"\n", []string{"example.com/r/pkg/a", "example.com/r/pkg/b"}},
		{"no module and no import", "-- a/a.go --\npackage a\n", []string{"a"}},
		{"tests of other names, ignored programs", "-- go.mod --\nmodule m.example\n-- a.go --\npackage a\n-- b.go --\npackage a\n-- a_test.go --\npackage a\n-- x_test.go --\npackage a_test\n-- gen.go --\n//go:build ignore\n\npackage main\n", []string{"m.example", "m.example#main", "m.example_test"}},
		{"vendor is not read", "-- go.mod --\nmodule m.example\n-- vendor/x/x.go --\npackage x\n-- a.go --\npackage a\n", []string{"m.example"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			var got []string
			for _, p := range load(t, x.archive).Packages {
				got = append(got, p.Path)
			}
			if !reflect.DeepEqual(got, x.want) {
				t.Errorf("got %q, want %q", got, x.want)
			}
		})
	}
}

// Conversions by way of unsafe, as generators write them, have their types.
func TestLoadKnowsUnsafe(t *testing.T) {
	loaded := load(t, "-- go.mod --\nmodule m.example\n-- a.go --\npackage a\n\nimport \"unsafe\"\n\ntype Widget struct{ Size int }\n\nfunc size(x *int) int {\n\ty := (*Widget)(unsafe.Pointer(x))\n\treturn y.Size\n}\n")
	uses := 0
	for id, obj := range loaded.Info.Uses {
		if id.Name == "Size" && obj.Pkg() != nil && obj.Pkg().Path() == "m.example" {
			uses++
		}
	}
	if uses != 1 || len(loaded.Problems) > 0 {
		t.Errorf("the field is used %d times; %v", uses, loaded.Problems)
	}
}

// Names within expressions of other modules are resolved all the same.
func TestLoadFillsNames(t *testing.T) {
	loaded := load(t, `-- go.mod --
module m.example
-- api/api.go --
package api

type Widget struct{ Size int }

const Name = "w"
-- a.go --
package a

import (
	"example.com/other"
	"m.example/api"
)

var list = other.List{
	{Key: api.Widget{Size: 1}, local: 2},
	other.Make[api.Widget](api.Name, func(w *api.Widget) int { return w.Size }).Do(api.Widget{}, local),
}

var local = 1
`)
	open := map[string]int{}
	for _, p := range loaded.Packages {
		for _, f := range p.Files {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && loaded.Info.Uses[id] == nil {
					if _, ok := loaded.Info.Defs[id]; !ok {
						open[id.Name]++
					}
				}
				return true
			})
		}
	}
	want := map[string]int{"List": 1, "Make": 1, "Do": 1, "Key": 1, "local": 1}
	if !reflect.DeepEqual(open, want) {
		t.Errorf("names without an object are %v, want %v", open, want)
	}
}

func TestLoadBadInput(t *testing.T) {
	loaded := load(t, "-- go.mod --\nmodule m.example\n-- a/a.go --\npackage a\nimport \"m.example/b\"\nvar A = b.B\n-- b/b.go --\npackage b\nimport \"m.example/a\"\nvar B = a.A\n"+
		"-- c/c.go --\npackage c\n\n// #include <stdio.h>\nimport \"C\"\n\nvar x = C.puts\n-- d/d.go --\npackage d\n\nfunc {\n-- e.go --\n\x00\xff\n")
	var broken []string
	for _, e := range loaded.Broken {
		broken = append(broken, fmt.Sprintf("%s:%d %s", e.Path, e.Pos.Line, e.ID))
	}
	if want := []string{"d/d.go:3 go-syntax", "e.go:1 go-syntax"}; !reflect.DeepEqual(broken, want) {
		t.Errorf("broken files are %q, want %q", broken, want)
	}
}

func TestLoadErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(ctx, world(group), paths(world(group)), LoadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := Load(context.Background(), world(group), []string{"gone.go"}, LoadOptions{}); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "gone.go: ") {
		t.Errorf("got %v", err)
	}
}

// Files whose bodies no one needs still declare.
func TestLoadWithoutBodies(t *testing.T) {
	tree := fstest.MapFS{"go.mod": {Data: []byte("module m.example\n")}, "a.go": {Data: []byte("package a\n\nfunc F() int { return g() }\n")}, "b.go": {Data: []byte("package a\n\nfunc g() int { return F() }\n")}}
	loaded, err := Load(context.Background(), tree, paths(tree), LoadOptions{Bodies: func(name string, _ []byte) bool { return name == "b.go" }})
	if err != nil {
		t.Fatal(err)
	}
	if f := loaded.files["a.go"]; f.Full || f.AST.Decls[0].(*ast.FuncDecl).Body != nil {
		t.Error("a.go has bodies")
	}
	if f := loaded.files["b.go"]; !f.Full || f.AST.Decls[0].(*ast.FuncDecl).Body == nil {
		t.Error("b.go has no bodies")
	}
	if loaded.Packages[0].Types.Scope().Lookup("F") == nil {
		t.Error("F is not declared")
	}
}

// Packages that import each other, as those of a copy beside the original may, are read all the same.
func TestPackagesInACycle(t *testing.T) {
	before := world(group + `-- a/a.go --
package a

type Set map[string]A
-- a/b.go --
package a

import "example.com/widgets/b"

type A struct{ B b.B }
-- b/b.go --
package b

import (
	"example.com/widgets/a"
	"example.com/widgets/api/v1alpha1"
)

type B struct {
	Sets []a.Set
	One  v1alpha1.WidgetSet
}
`)
	_, p := plan(t, before, gadget)
	if got := string(apply(t, before, p)["b/b.go"].Data); strings.Contains(got, "WidgetSet") {
		t.Errorf("b.go becomes\n%s", got)
	}
}

// Modules that require each other are read as one tree.
func TestModulesInACycle(t *testing.T) {
	before := world(group + `-- go.mod --
module example.com/widgets

require example.com/widgets/client v0.0.0
-- main.go --
package main

import "example.com/widgets/client"

func main() { client.NewWidgetSet() }
-- client/go.mod --
module example.com/widgets/client

require example.com/widgets v0.0.0
-- client/client.go --
package client

import "example.com/widgets/api/v1alpha1"

func NewWidgetSet() *v1alpha1.WidgetSet { return nil }
`)
	_, p := plan(t, before, gadget)
	after := apply(t, before, p)
	if got := string(after["main.go"].Data) + string(after["client/client.go"].Data); strings.Contains(got, "WidgetSet") || len(p.Review) > 0 {
		t.Errorf("review is %v, and the tree becomes\n%s", p.Review, got)
	}
}

func TestManyIdentifiers(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n\nimport \"example.com/widgets/api/v1alpha1\"\n\n")
	for i := range 100_000 {
		fmt.Fprintf(&b, "var widgetSet%d v1alpha1.WidgetSet\n", i)
	}
	before := world(group)
	before["a/a.go"] = &fstest.MapFile{Data: []byte(b.String())}
	_, p := plan(t, before, gadget)
	if got := string(apply(t, before, p)["a/a.go"].Data); !strings.Contains(got, "var gadgetGroup99999 v1alpha1.GadgetGroup\n") {
		t.Error("the last of many names is not renamed")
	}
}

func TestAPIs(t *testing.T) {
	for _, x := range []struct {
		name, archive string
		want          string
	}{
		{"registered and scaffolded", group, "example.com/widgets/api/v1alpha1 widgets.example.com v1alpha1 [WidgetSet]"},
		{"constants of another package, AddKnownTypes", `-- go.mod --
module m.example
-- apis/a/register.go --
package a

const GroupName = "a.example.com"
-- apis/a/v1/register.go --
package v1

import "m.example/apis/a"

const Version = "v1"

var SchemeGroupVersion = schema.GroupVersion{Group: a.GroupName, Version: Version}

type Foo struct{}

func addKnownTypes(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(SchemeGroupVersion, &Foo{}, &FooList{}, &metav1.Status{})
}
`, "m.example/apis/a/v1 a.example.com v1 [Foo]"},
		{"a list of types", `-- go.mod --
module m.example
-- api/v1beta1/register.go --
// +groupName=b.example.com
package v1beta1

var objectTypes = []runtime.Object{}

type Bar struct{}

func init() { objectTypes = append(objectTypes, &Bar{}, &BarList{}) }
`, "m.example/api/v1beta1 b.example.com v1beta1 [Bar]"},
		{"nothing", "-- go.mod --\nmodule m.example\n-- a.go --\npackage a\n\ntype T struct{}\n", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			var got []string
			for _, a := range load(t, x.archive).APIs(nil) {
				got = append(got, fmt.Sprint(a.Package.Path, " ", a.Group, " ", a.Version, " ", a.Kinds))
			}
			if strings.Join(got, "\n") != x.want {
				t.Errorf("got %q, want %q", got, x.want)
			}
		})
	}
}

// The type checker is not waited for without end: each alias has twice the size of the one before.
func TestLoadDoesNotWaitForEver(t *testing.T) {
	bomb := "package a\n\ntype A0 = struct{ x int }\n\ntype B0 = struct{ x int }\n\nvar _ A20 = B20{}\n"
	for i := range 20 {
		bomb += fmt.Sprintf("type A%d = struct{ x, y A%[2]d }\ntype B%[1]d = struct{ x, y B%[2]d }\n", i+1, i)
	}
	files := fstest.MapFS{"go.mod": {Data: []byte("module m.example\n")}, "a/a.go": {Data: []byte(bomb)}}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, x := range []struct {
		ctx  context.Context
		most time.Duration
		want string
	}{
		{context.Background(), time.Millisecond, "a: type-checking this Go package took longer than 1ms"},
		{stopped, time.Hour, context.Canceled.Error()},
	} {
		tree := &Tree{Fset: token.NewFileSet(), fsys: files, opt: LoadOptions{bare: true}, files: map[string]*File{}, byPkg: map[string]*Package{}, Paths: paths(files)}
		list, err := tree.parse(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		tree.group(list)
		err = tree.checkWithin(x.ctx, x.most)
		if err == nil || err.Error() != x.want {
			t.Errorf("got %v, want %s", err, x.want)
		}
	}
}
