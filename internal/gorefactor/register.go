package gorefactor

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// register adds a copy of a package where the package is added to a scheme. Rename is
// what becomes of the name that an import of the package has.
func (p *planner) register(w *twin, rename func(string) string) {
	for _, pkg := range p.t.Packages {
		for _, f := range pkg.Files {
			for _, spec := range f.AST.Imports {
				if name, _ := strconv.Unquote(spec.Path.Value); name == w.api.Package.Path {
					p.registerIn(w, f, spec, rename)
				}
			}
		}
	}
}

func (p *planner) registerIn(w *twin, f *File, spec *ast.ImportSpec, rename func(string) string) {
	data, err := p.t.read(f.Path)
	if _, program := generated(data); err != nil || program {
		return
	}
	alias := w.as
	own := importName(spec, w.api.Package)
	if fresh := rename(own); spec.Name != nil && fresh != own {
		alias = fresh
	}
	found := false
	var around []ast.Node
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		around = append(around, n)
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "AddToScheme" && calledName(sel.X) == own {
			if first, last := repeated(around); first != nil {
				p.repeat(f, data, first, last, own, alias)
				found = true
			} else {
				p.review("not-registered", "", sel.Pos(), 1, fmt.Sprintf("add %s to the scheme by hand", w.at), "%s is added to a scheme here, and its copy is not", w.api.Package.Dir)
			}
		}
		return true
	})
	if !found {
		return
	}
	end := p.at(spec.End())
	text := fmt.Sprintf("\n\t%s %q", alias, w.at)
	if !grouped(f, spec) {
		text = fmt.Sprintf("\nimport %s %q", alias, w.at)
	}
	p.edit(f.Path, end, end, "", text)
}

// repeated are the first and the last statement around a name that are written once more
// for another package: one that does nothing but use it, or one with the check of its error.
func repeated(around []ast.Node) (first, last ast.Node) {
	for i := len(around) - 1; i > 0; i-- {
		switch outer := around[i-1].(type) {
		case *ast.ExprStmt:
			return outer, outer
		case *ast.AssignStmt:
			if call, ok := outer.Rhs[0].(*ast.CallExpr); ok && calledName(call.Fun) == "append" {
				return outer, outer
			}
			switch parent := around[max(0, i-2)].(type) {
			case *ast.IfStmt:
				if parent.Init == outer {
					return parent, parent
				}
			case *ast.BlockStmt:
				return outer, checkBehind(parent.List, outer)
			}
			return nil, nil
		case *ast.KeyValueExpr, *ast.CompositeLit, ast.Stmt:
			return nil, nil
		}
	}
	return nil, nil
}

// checkBehind is the statement behind an assignment that uses what is assigned, or the
// assignment itself.
func checkBehind(list []ast.Stmt, s *ast.AssignStmt) ast.Stmt {
	i := slices.Index(list, ast.Stmt(s)) + 1
	if i == len(list) {
		return s
	}
	uses := false
	ast.Inspect(list[i], func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		uses = uses || ok && id.Name == calledName(s.Lhs[0])
		return true
	})
	if !uses {
		return s
	}
	return list[i]
}

// repeat writes some nodes once more for another package, behind them.
func (p *planner) repeat(f *File, data []byte, first, last ast.Node, own, alias string) {
	start, end := p.at(first.Pos()), p.at(last.End())
	text := strings.ReplaceAll(string(data[start:end]), own+".", alias+".")
	if s, ok := first.(*ast.AssignStmt); ok && s.Tok == token.DEFINE {
		text = strings.Replace(text, ":=", "=", 1)
	}
	line := data[bytes.LastIndexByte(data[:start], '\n')+1 : start]
	indent := string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	before := "\n" + indent
	if len(indent) < len(line) {
		before = "; "
	}
	p.edit(f.Path, end, end, "", before+text)
}

// grouped says whether an import is within parentheses.
func grouped(f *File, spec *ast.ImportSpec) bool {
	for _, d := range f.AST.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Lparen.IsValid() && g.Pos() <= spec.Pos() && spec.End() <= g.End() {
			return true
		}
	}
	return false
}
