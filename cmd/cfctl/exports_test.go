package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A face is what a package exports: for each name of its top level the names of
// the same package that who uses it gets to see, its types and their methods'.
type face map[string][]string

// A goFile is a file of the module, with its package by the folder.
type goFile struct {
	pkg, path string
	file      *ast.File
}

// goFiles are those of the module.
var goFiles = sync.OnceValues(func() ([]goFile, error) {
	var list []goFile
	files := token.NewFileSet()
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() != "../.." && d.Name() != ".." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		f, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("../..", file)
		list = append(list, goFile{path.Dir(filepath.ToSlash(rel)), file, f})
		return nil
	})
	return list, err
})

// eachGoFile visits the source of the module: the package by its folder, the file by its path.
func eachGoFile(t *testing.T, visit func(pkg, file string, f *ast.File)) {
	t.Helper()
	list, err := goFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		visit(f.pkg, f.path, f.file)
	}
}

// TestExportedNamesAreUsed wants each exported name used by another package, or
// seen by who uses another one: in a signature, as a field, as a value of a type.
func TestExportedNamesAreUsed(t *testing.T) {
	faces, used, methods := map[string]face{}, map[string][]string{}, map[string]map[string]bool{}
	capabilities := map[string][]string{} // interfaces, with their methods
	eachGoFile(t, func(pkg, file string, f *ast.File) {
		if !strings.HasSuffix(file, "_test.go") {
			if faces[pkg] == nil {
				faces[pkg] = face{}
			}
			faces[pkg].add(f)
			abilities(f, pkg, methods, capabilities)
		}
		uses(f, pkg, used)
	})
	for _, pkg := range slices.Sorted(maps.Keys(faces)) {
		if strings.HasSuffix(pkg, "test") {
			continue // servers and worlds for tests, which have words that no test needs yet
		}
		seen := faces[pkg].behind(used[pkg])
		for _, name := range slices.Sorted(maps.Keys(faces[pkg])) {
			if ast.IsExported(name) && !seen[name] && !elsewhere(pkg, capabilities[pkg+"."+name], methods) {
				t.Errorf("%s.%s is exported, and nobody outside of its package uses it", pkg, name)
			}
		}
	}
}

// abilities notes the methods that a file declares, and its interfaces.
func abilities(f *ast.File, pkg string, methods map[string]map[string]bool, capabilities map[string][]string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil && methods[n.Name.Name] == nil {
				methods[n.Name.Name] = map[string]bool{}
			}
			if n.Recv != nil {
				methods[n.Name.Name][pkg] = true
			}
		case *ast.TypeSpec:
			if i, ok := n.Type.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					if len(m.Names) > 0 {
						capabilities[pkg+"."+n.Name.Name] = append(capabilities[pkg+"."+n.Name.Name], m.Names[0].Name)
					}
				}
			}
		}
		return true
	})
}

// elsewhere says whether another package has all methods of an interface: a
// capability that is asked for by type.
func elsewhere(pkg string, wanted []string, methods map[string]map[string]bool) bool {
	for other := range methods[slices.Concat(wanted, []string{""})[0]] {
		if other != pkg && !slices.ContainsFunc(wanted, func(m string) bool { return !methods[m][other] }) {
			return true
		}
	}
	return false
}

// uses notes which names of other packages of this module a file uses.
func uses(f *ast.File, pkg string, used map[string][]string) {
	names := map[string]string{}
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		own, ok := strings.CutPrefix(imp, module)
		if !ok || own == pkg {
			continue
		}
		name := path.Base(own)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = own
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && names[x.Name] != "" {
				used[names[x.Name]] = append(used[names[x.Name]], sel.Sel.Name)
			}
		}
		return true
	})
}

// add adds what a file declares.
func (f face) add(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				f.show(d.Name.Name, d.Type)
			} else if ast.IsExported(d.Name.Name) {
				f.show(receiver(d.Recv.List[0].Type), d.Type)
			}
		case *ast.GenDecl:
			var of ast.Expr // the type of constants that are counted on
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					f.show(s.Name.Name, s.Type)
				case *ast.ValueSpec:
					if s.Type != nil || len(s.Values) > 0 {
						of = typeOf(s)
					}
					for _, name := range s.Names {
						f.value(name.Name, of)
						if d.Tok == token.CONST { // the words of one thing
							f.show(d.Specs[0].(*ast.ValueSpec).Names[0].Name, name)
							f.show(name.Name, d.Specs[0].(*ast.ValueSpec).Names[0])
						}
					}
				}
			}
		}
	}
}

// typeOf is the type that a declaration of values says; nil = it says none.
func typeOf(s *ast.ValueSpec) ast.Expr {
	if s.Type != nil {
		return s.Type
	}
	value := s.Values[0]
	if addressed, ok := value.(*ast.UnaryExpr); ok {
		value = addressed.X
	}
	if literal, ok := value.(*ast.CompositeLit); ok {
		return literal.Type
	}
	return nil
}

// value notes a constant or a variable, which shows its type, as its type shows
// what values there are.
func (f face) value(name string, of ast.Expr) {
	if of == nil {
		f[name] = append(f[name], "")
		return
	}
	f.show(name, of)
	if id, ok := of.(*ast.Ident); ok {
		f[id.Name] = append(f[id.Name], name)
	}
}

// receiver is the name of a method's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// show notes what a name shows of its package: types in signatures, in exported
// fields and in methods of interfaces.
func (f face) show(name string, shown ast.Node) {
	f[name] = append(f[name], "")
	ast.Inspect(shown, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, field := range n.Fields.List {
				if len(field.Names) == 0 || slices.ContainsFunc(field.Names, func(id *ast.Ident) bool { return ast.IsExported(id.Name) }) {
					f.show(name, field.Type)
				}
			}
			return false
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			f[name] = append(f[name], n.Name)
		}
		return true
	})
}

// behind are the names that who uses some of them sees.
func (f face) behind(used []string) map[string]bool {
	seen := map[string]bool{}
	for todo := used; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		if !seen[name] {
			seen[name] = true
			todo = append(slices.Clip(todo), f[name]...)
		}
	}
	return seen
}
