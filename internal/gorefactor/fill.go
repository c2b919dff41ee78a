package gorefactor

import (
	"go/ast"
	"go/types"
	"path"
	"strconv"
)

// fill resolves names that the type checker gave up on, because an expression
// around them is of another module: qualified names by the imports of the file
// and the scope of a package of the tree, others by the scopes around them.
func (t *Tree) fill() {
	for f := range t.each {
		t.fillNode(f, f.AST)
	}
}

func (t *Tree) fillNode(f *File, root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			t.fillNode(f, n.X)
			if x, ok := n.X.(*ast.Ident); ok && t.Info.Uses[n.Sel] == nil {
				if imp, ok := t.Info.Uses[x].(*types.PkgName); ok {
					if obj := imp.Imported().Scope().Lookup(n.Sel.Name); obj != nil {
						t.Info.Uses[n.Sel] = obj
					}
				}
			}
			return false
		case *ast.KeyValueExpr:
			if _, ok := n.Key.(*ast.Ident); ok { // a field or a variable: its type decides, and is not known
				t.fillNode(f, n.Value)
				return false
			}
		case *ast.Ident:
			t.fillIdent(f, n)
		}
		return true
	})
}

// fillIdent resolves a name by the scopes around it.
func (t *Tree) fillIdent(f *File, n *ast.Ident) {
	if _, ok := t.Info.Defs[n]; ok || t.Info.Uses[n] != nil || n.Name == "_" {
		return
	}
	scope := f.Package.Types.Scope().Innermost(n.Pos())
	if scope == nil {
		return
	}
	if _, obj := scope.LookupParent(n.Name, n.Pos()); obj != nil && obj.Pkg() == f.Package.Types {
		t.Info.Uses[n] = obj
	}
}

// importName is the name by which a file knows a package.
func importName(spec *ast.ImportSpec, p *Package) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if p != nil {
		return p.Name
	}
	name, _ := strconv.Unquote(spec.Path.Value)
	return path.Base(name)
}
