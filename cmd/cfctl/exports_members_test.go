package main

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// foreignMethods are called by the standard library and by libraries, through
// interfaces that they declare: errors, text and JSON, files, HTTP, flags.
var foreignMethods = strings.Fields("Error Unwrap Is As String GoString Format Read Write Close Seek ReadAt WriteTo ReadFrom Open Stat ReadDir ReadFile Sub " +
	"Name Size Mode ModTime IsDir Sys Type Info Set Len Less Swap RoundTrip ServeHTTP Timeout Temporary Token Value Scan " +
	"MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalYAML UnmarshalYAML Int63 Seed")

// A member is an exported method, or an exported field without a tag, of an
// exported type.
type member struct{ pkg, of, name string }

// TestExportedMembersAreUsed wants each exported method and field of the packages of
// the release named by another package, in a selector or as a key of a literal.
// Methods of interfaces are called through these, and fields with a tag are read by
// what decodes them. Names alone are compared, without their types.
func TestExportedMembersAreUsed(t *testing.T) {
	packages := strings.Fields("train release forge git registry wire ledger notes olm objects stack")
	members, named, promised := map[member]bool{}, map[string]map[string]bool{}, map[string]bool{}
	for _, name := range foreignMethods {
		promised[name] = true
	}
	eachGoFile(t, func(pkg, file string, f *ast.File) {
		pack, _, _ := strings.Cut(strings.TrimPrefix(pkg, "internal/"), "/")
		if slices.Contains(packages, pack) && !strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(pkg, "test") {
			maps.Copy(members, membersOf(f, pkg))
		}
		mentions(f, pkg, named, promised)
	})
	for m := range members {
		others := maps.Clone(named[m.name])
		delete(others, m.pkg)
		if len(others) == 0 && !promised[m.name] {
			t.Errorf("%s: %s.%s is exported, and nobody outside of its package names it", m.pkg, m.of, m.name)
		}
	}
	if len(members) < 300 {
		t.Errorf("%d members: they are not found any more", len(members))
	}
}

// membersOf are the members that a file declares.
func membersOf(f *ast.File, pkg string) map[member]bool {
	found := map[member]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && d.Name.IsExported() && ast.IsExported(receiver(d.Recv.List[0].Type)) {
				found[member{pkg, receiver(d.Recv.List[0].Type), d.Name.Name}] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
					if body, ok := s.Type.(*ast.StructType); ok {
						fieldsOf(body, func(name string) { found[member{pkg, s.Name.Name, name}] = true })
					}
				}
			}
		}
	}
	return found
}

// fieldsOf hands out the exported fields of a struct that have no tag.
func fieldsOf(body *ast.StructType, each func(name string)) {
	for _, field := range body.Fields.List {
		for _, id := range field.Names {
			if id.IsExported() && field.Tag == nil {
				each(id.Name)
			}
		}
	}
}

// mentions notes which package names what: a selector, the key of a literal; and
// the methods of interfaces.
func mentions(f *ast.File, pkg string, named map[string]map[string]bool, promised map[string]bool) {
	note := func(name string) {
		if named[name] == nil {
			named[name] = map[string]bool{}
		}
		named[name][pkg] = true
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			note(n.Sel.Name)
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				note(id.Name)
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, id := range m.Names {
					promised[id.Name] = true
				}
			}
		}
		return true
	})
}
