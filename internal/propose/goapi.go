package propose

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// An apiChange is a change of what a Go module exports.
type apiChange struct {
	level Level
	text  string
}

// goAPI compares the exported names of the packages with changed files, where
// another component of the stack imports the module: what went or changed its type breaks,
// what came is new. It compares text, since types need the module's whole
// world: a name that another module's type has changed under is not seen.
// Packages that others cannot import are left out.
func (w *weight) goAPI() ([]apiChange, error) {
	if !w.imported {
		return nil, nil
	}
	var list []apiChange
	for _, dir := range packagesOf(w.paths) {
		was, err := exported(w.before, dir)
		if err != nil {
			return nil, err
		}
		is, err := exported(w.now, dir)
		if err != nil {
			return nil, err
		}
		list = append(list, compareAPI(dir, was, is)...)
	}
	return list, nil
}

// packagesOf are the folders of the Go files among paths that others can import.
func packagesOf(paths []string) []string {
	dirs := map[string]bool{}
	for _, p := range paths {
		dir := path.Dir(p)
		parts := strings.Split(dir, "/")
		hidden := slices.ContainsFunc(parts, func(s string) bool {
			return s == "internal" || s == "vendor" || s == "testdata" || s == "test" || s == "e2e" || s == "hack" || len(s) > 1 && s[0] == '.'
		})
		if path.Ext(p) == ".go" && !strings.HasSuffix(p, "_test.go") && !hidden {
			dirs[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}

// exported are the exported names of a package with their declarations as
// text; none where it is not there or is a program. A file that does not parse
// says nothing.
func exported(tree fs.FS, dir string) (map[string]string, error) {
	names := map[string]string{}
	entries, err := fs.ReadDir(tree, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") || !e.Type().IsRegular() {
			continue
		}
		data, err := fs.ReadFile(tree, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), data, parser.SkipObjectResolution)
		if err != nil || f.Name.Name == "main" {
			continue
		}
		for _, d := range f.Decls {
			declared(names, d)
		}
	}
	return names, nil
}

// declared adds the exported names of a declaration.
func declared(names map[string]string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if name := funcName(d); name != "" {
			names[name] = text(d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					typeNames(names, s)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() {
						names[n.Name] = d.Tok.String() + " " + text(s.Type)
					}
				}
			}
		}
	}
}

// funcName is "Name" or "Type.Name"; empty when others cannot call it.
func funcName(d *ast.FuncDecl) string {
	if !d.Name.IsExported() {
		return ""
	}
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	of := d.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if index, ok := of.(*ast.IndexExpr); ok {
		of = index.X
	}
	id, ok := of.(*ast.Ident)
	if !ok || !id.IsExported() {
		return ""
	}
	return id.Name + "." + d.Name.Name
}

// typeNames adds a type, and the fields of a struct one by one: a further one
// breaks nobody. An interface is one text: whoever implements it has to follow.
func typeNames(names map[string]string, s *ast.TypeSpec) {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		names[s.Name.Name] = text(s.Type)
		return
	}
	names[s.Name.Name] = "struct"
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 {
			names[s.Name.Name+"."+text(f.Type)] = "embedded"
		}
		for _, n := range f.Names {
			if n.IsExported() {
				names[s.Name.Name+"."+n.Name] = text(f.Type)
			}
		}
	}
}

// text is an expression without comments, on one line; empty for none.
func text(e ast.Expr) string {
	if e == nil {
		return ""
	}
	if f, ok := e.(*ast.FuncType); ok {
		e = unnamed(f)
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), e); err != nil {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// unnamed is a function's type without the names of its parameters, which bind
// nobody.
func unnamed(f *ast.FuncType) *ast.FuncType {
	plain := func(l *ast.FieldList) *ast.FieldList {
		if l == nil {
			return nil
		}
		out := &ast.FieldList{}
		for _, p := range l.List {
			for range max(1, len(p.Names)) {
				out.List = append(out.List, &ast.Field{Type: p.Type})
			}
		}
		return out
	}
	return &ast.FuncType{TypeParams: f.TypeParams, Params: plain(f.Params), Results: plain(f.Results)}
}

// compareAPI tells what went, changed or came in a package.
func compareAPI(dir string, was, is map[string]string) []apiChange {
	names := maps.Clone(was)
	maps.Copy(names, is)
	var list []apiChange
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, had := was[name]
		after, has := is[name]
		full := dir + "." + name
		switch {
		case !has:
			list = append(list, apiChange{Major, full + " is gone (Go API)"})
		case !had:
			list = append(list, apiChange{Minor, full + " is new (Go API)"})
		case before != after:
			list = append(list, apiChange{Major, full + " has another type (Go API)"})
		}
	}
	return list
}
