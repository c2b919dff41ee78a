// Command maporder reports loops over maps whose outcome is that of the order in
// which the map happens to be read. It is a tool of go vet: see `make lint`.
package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() { unitchecker.Main(analyzer) }

// analyzer reports what a loop over a map hands on although another order would
// hand on something else: a value that it returns, the last value of a variable, a
// list or text that is not sorted afterwards, something written. It does not look
// into the functions that the loop calls. Tests may read in any order.
var analyzer = &analysis.Analyzer{
	Name: "maporder",
	Doc:  "report loops over maps whose outcome depends on the order of the map",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			if strings.HasSuffix(pass.Fset.File(file.FileStart).Name(), "_test.go") {
				continue
			}
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
					check(pass, fn)
				}
			}
		}
		return nil, nil
	},
}

// check checks the loops of a function.
func check(pass *analysis.Pass, fn *ast.FuncDecl) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && unordered(pass.TypesInfo, r.X) {
			l := &loop{pass: pass, info: pass.TypesInfo, fn: fn, stmt: r, set: map[types.Object]bool{}, same: map[string]string{}}
			l.check()
		}
		return true
	})
}

// unordered says whether an expression is a map, or an iterator over one.
func unordered(info *types.Info, x ast.Expr) bool {
	if call, ok := x.(*ast.CallExpr); ok {
		return isCall(info, call, "maps", "All", "Keys", "Values")
	}
	_, ok := info.TypeOf(x).Underlying().(*types.Map)
	return ok
}

// A loop is one over a map.
type loop struct {
	pass *analysis.Pass
	info *types.Info
	fn   *ast.FuncDecl
	stmt *ast.RangeStmt
	set  map[types.Object]bool // variables from outside of it that it sets to a value of a round
	same map[string]string     // what it sets or returns that is the same in each round
}

// check reports what depends on the order.
func (l *loop) check() {
	ast.Inspect(l.stmt.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.AssignStmt); ok && s.Tok != token.DEFINE {
			for i, to := range s.Lhs {
				l.assign(s, to, s.Rhs[min(i, len(s.Rhs)-1)])
			}
		}
		return true
	})
	l.leave(l.stmt.Body, true)
	ast.Inspect(l.stmt.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && l.writes(call) {
			l.pass.Reportf(call.Pos(), "this is written in the order of a map")
		}
		return true
	})
}

// leave looks for ways out of the loop: returns, and breaks that are of this loop.
func (l *loop) leave(body ast.Node, own bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if own && n != body {
				l.leave(n, false)
				return false
			}
		case *ast.ReturnStmt:
			for i, x := range n.Results {
				l.once("result "+strconv.Itoa(i), x, n.Pos(), "the first of a map in any order is returned")
			}
		}
		return true
	})
}

// assign looks at what is assigned to a variable from outside of the loop.
func (l *loop) assign(s *ast.AssignStmt, to, value ast.Expr) {
	root := rootOf(to)
	if root == nil || root.Name == "_" {
		return
	}
	obj := l.info.ObjectOf(root)
	if obj == nil || l.inside(obj) || l.mentions(to, l.isKey) { // each round has a place of its own
		return
	}
	name := types.ExprString(to)
	call, isCallOf := value.(*ast.CallExpr)
	switch s.Tok {
	case token.ASSIGN:
	case token.ADD_ASSIGN:
		if isText(l.info.TypeOf(to)) {
			l.pass.Reportf(s.Pos(), "%s is put together in the order of a map", name)
		}
		return
	default: // numbers do not tell in which order they were counted
		return
	}
	switch {
	case isCallOf && (l.builtin(call, "min") || l.builtin(call, "max")) && has(call.Args, name):
	case isCallOf && l.builtin(call, "append"):
		if !l.sorted(name) {
			l.pass.Reportf(s.Pos(), "%s is put together in the order of a map", name)
		}
	case isBoolean(value, name):
	default:
		if obj, ok := to.(*ast.Ident); ok && l.mentions(value, l.inside) {
			l.set[l.info.ObjectOf(obj)] = true
		}
		l.once(name, value, s.Pos(), name+" is of the last of a map in any order")
	}
}

// once reports a value that is not the same in each round.
func (l *loop) once(what string, value ast.Expr, pos token.Pos, message string) {
	text := types.ExprString(value)
	if before, seen := l.same[what]; l.mentions(value, l.inside) || seen && before != text {
		l.pass.Reportf(pos, "%s", message)
	}
	l.same[what] = text
}

// inside says whether a variable is of a round of the loop.
func (l *loop) inside(obj types.Object) bool {
	return l.set[obj] || obj.Pos() >= l.stmt.Pos() && obj.Pos() < l.stmt.End()
}

// isKey says whether a variable is the key of the map.
func (l *loop) isKey(obj types.Object) bool {
	key, ok := l.stmt.Key.(*ast.Ident)
	return ok && l.info.ObjectOf(key) == obj
}

// mentions says whether an expression has a variable that is like that.
func (l *loop) mentions(x ast.Expr, like func(types.Object) bool) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := l.info.ObjectOf(id).(*types.Var); ok && !v.IsField() && like(v) {
				found = true
			}
		}
		return !found
	})
	return found
}

// sorted says whether the function sorts a list after the loop.
func (l *loop) sorted(list string) bool {
	found := false
	ast.Inspect(l.fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && call.Pos() > l.stmt.End() && len(call.Args) > 0 && types.ExprString(call.Args[0]) == list {
			found = found || isSort(types.ExprString(call.Fun))
		}
		return !found
	})
	return found
}

// isSort says whether a function sorts, by its name.
func isSort(name string) bool {
	pkg, name, qualified := strings.Cut(name, ".")
	return pkg == "sort" || strings.HasPrefix(name, "Sort") || !qualified && strings.HasPrefix(pkg, "sort")
}

// writes says whether a call writes to what is from outside of the loop.
func (l *loop) writes(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if isCall(l.info, call, "fmt", "Print", "Printf", "Println") {
		return true
	}
	var to ast.Expr
	switch {
	case isCall(l.info, call, "fmt", "Fprint", "Fprintf", "Fprintln"):
		to = call.Args[0]
	case strings.HasPrefix(sel.Sel.Name, "Write"):
		to = sel.X
	default:
		return false
	}
	if u, ok := to.(*ast.UnaryExpr); ok {
		to = u.X
	}
	root := rootOf(to)
	return root != nil && l.info.ObjectOf(root) != nil && !l.inside(l.info.ObjectOf(root))
}

// builtin says whether a call is of a builtin function.
func (l *loop) builtin(call *ast.CallExpr, name string) bool {
	id, ok := call.Fun.(*ast.Ident)
	if !ok || id.Name != name {
		return false
	}
	_, ok = l.info.ObjectOf(id).(*types.Builtin)
	return ok
}

// isCall says whether a call is of one of the functions of a package.
func isCall(info *types.Info, call *ast.CallExpr, pkg string, names ...string) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := info.ObjectOf(sel.Sel).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != pkg {
		return false
	}
	for _, name := range names {
		if fn.Name() == name {
			return true
		}
	}
	return false
}

// isBoolean says whether a value is `name || …` or `name && …`.
func isBoolean(value ast.Expr, name string) bool {
	b, ok := value.(*ast.BinaryExpr)
	return ok && (b.Op == token.LOR || b.Op == token.LAND) && types.ExprString(b.X) == name
}

// isText says whether values of a type are text.
func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// has says whether one of some expressions is spelled so.
func has(list []ast.Expr, text string) bool {
	for _, x := range list {
		if types.ExprString(x) == text {
			return true
		}
	}
	return false
}

// rootOf is the variable that an expression is a part of, or nil.
func rootOf(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return nil
		}
	}
}
