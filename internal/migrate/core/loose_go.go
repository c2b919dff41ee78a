package core

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
)

// goFile notes the strings with which Go code compares the kind of an object,
// x.Kind == "Widget", switch x.GetKind() { case "Widget": }, and those of which it makes one with
// a group and version, gv.WithKind("Widget"). Code that does not parse has none.
func (l *Loose) goFile(f *File, data []byte) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", data, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	all := &syntax.Node{View: &syntax.View{B: data}, End: len(data)}
	note := func(list ...ast.Expr) {
		for _, e := range list {
			if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
				l.note(f, all, files.Position(text.Pos()).Offset+1, files.Position(text.End()).Offset-1, data, false)
			}
		}
	}
	compare := func(of ast.Expr, with ...ast.Expr) {
		if isKindOf(of) {
			note(with...)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "WithKind" || s.Sel.Name == "WithResource") {
				note(n.Args...)
			}
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				compare(n.X, n.Y)
				compare(n.Y, n.X)
			}
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if c, ok := s.(*ast.CaseClause); ok {
					compare(n.Tag, c.List...)
				}
			}
		}
		return true
	})
}

// isKindOf says whether an expression is the kind of an object, by its name.
func isKindOf(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "kind"
	case *ast.SelectorExpr:
		return e.Sel.Name == "Kind"
	case *ast.CallExpr:
		s, ok := e.Fun.(*ast.SelectorExpr)
		return ok && s.Sel.Name == "GetKind"
	}
	return false
}
