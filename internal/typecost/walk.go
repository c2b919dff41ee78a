package typecost

import (
	"go/ast"
	"go/token"
)

// A local is what is known of a local name, or of a type parameter.
type local struct {
	weight int
	konst  bool
}

// A walk measures the expressions of a function, or of a declaration.
type walk struct {
	m     *meter
	f     *file
	local map[string]local
}

// sum is the weight of the types of several expressions together.
func (w *walk) sum(list ...ast.Expr) int {
	n := 0
	for _, e := range list {
		x, konst := w.expr(e)
		if konst { // of a basic type
			x = 1
		}
		n = add(n, x)
	}
	return n
}

// expr is the weight of an expression, and whether it may be constant.
func (w *walk) expr(e ast.Expr) (weight int, konst bool) {
	weight, konst = w.weigh(e)
	if weight > w.m.limits.Weight {
		w.f.exceed(e.Pos(), "a type or constant is too large when it is written out")
	}
	switch e.(type) { // the parts of others are counted
	case *ast.BinaryExpr:
		if konst { // a constant that is only named costs nothing
			w.f.cost = add(w.f.cost, weight-1)
		}
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.CallExpr:
		if !konst {
			w.f.cost = add(w.f.cost, weight-1)
		}
	}
	return weight, konst
}

func (w *walk) weigh(e ast.Expr) (weight int, konst bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return 1 + len(e.Value)/16, true
	case *ast.Ident:
		return w.ident(e)
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.SelectorExpr:
		if d := w.of(e); d != nil {
			return w.m.measure(d), d.konst
		}
		return w.expr(e.X)
	case *ast.CallExpr:
		return w.call(e)
	case *ast.BinaryExpr:
		x, a := w.operand(e.X)
		y, b := w.operand(e.Y)
		if a && b && e.Op == token.ADD {
			return add(x, y), true
		}
		return max(x, y), a && b
	case *ast.IndexExpr, *ast.IndexListExpr:
		return w.index(e), false
	case *ast.FuncLit:
		inner := &walk{m: w.m, f: w.f, local: w.local}
		n, _ := inner.weigh(e.Type)
		inner.block(e.Body)
		return n, false
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				w.sum(kv.Key, kv.Value)
			} else {
				w.sum(x)
			}
		}
		if e.Type == nil {
			return 1, false
		}
		return w.expr(e.Type)
	case *ast.StructType:
		return add(1, w.sum(fieldTypes(e.Fields)...)), false
	case *ast.InterfaceType:
		return add(1, w.sum(fieldTypes(e.Methods)...)), false
	case *ast.FuncType:
		w.params(e.Params)
		return add(1, add(w.sum(fieldTypes(e.Params)...), w.sum(fieldTypes(e.Results)...))), false
	case *ast.MapType:
		return add(1, w.sum(e.Key, e.Value)), false
	case *ast.ArrayType:
		if e.Len != nil {
			w.sum(e.Len)
		}
		return add(1, w.sum(e.Elt)), false
	case *ast.StarExpr:
		return add(1, w.sum(e.X)), false
	case *ast.ChanType:
		return add(1, w.sum(e.Value)), false
	case *ast.Ellipsis:
		return add(1, w.sum(e.Elt)), false
	case *ast.UnaryExpr:
		return w.expr(e.X)
	case *ast.SliceExpr:
		return w.sum(e.X), false
	case *ast.TypeAssertExpr:
		if e.Type != nil {
			w.sum(e.X)
			return w.expr(e.Type)
		}
		return w.expr(e.X)
	}
	return 1, false
}

// operand is the weight of a part of an expression with operators.
func (w *walk) operand(e ast.Expr) (weight int, konst bool) {
	if b, ok := e.(*ast.BinaryExpr); ok {
		return w.weigh(b)
	}
	return w.expr(e)
}

func (w *walk) ident(id *ast.Ident) (weight int, konst bool) {
	if x, ok := w.local[id.Name]; ok {
		return x.weight, x.konst
	}
	if d := w.f.pkg[id.Name]; d != nil {
		return w.m.measure(d), d.konst
	}
	return 1, false
}

// of is the declaration that a name is of, as far as the syntax tells; nil for none.
func (w *walk) of(e ast.Expr) *decl {
	switch e := e.(type) {
	case *ast.Ident:
		if _, ok := w.local[e.Name]; !ok {
			return w.f.pkg[e.Name]
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if _, ok := w.local[x.Name]; !ok {
				return w.f.imports[x.Name][e.Sel.Name]
			}
		}
	case *ast.IndexExpr:
		return w.of(e.X)
	case *ast.IndexListExpr:
		return w.of(e.X)
	case *ast.ParenExpr:
		return w.of(e.X)
	}
	return nil
}

// index is the weight of an instance of a generic type, or of an element.
func (w *walk) index(e ast.Expr) int {
	d := w.of(e)
	args := w.sum(typeArgs(e)...)
	if d == nil || d.spec == nil || d.spec.TypeParams == nil {
		switch e := e.(type) {
		case *ast.IndexExpr:
			return max(1, w.sum(e.X))
		case *ast.IndexListExpr:
			return add(args, w.sum(e.X))
		}
	}
	w.m.measure(d)
	return add(instance, times(args, d.times))
}

// instance is the weight of an instance of a generic type alone: to make one costs more
// than to name a type.
const instance = 8

// call is the weight of a result.
func (w *walk) call(e *ast.CallExpr) (weight int, konst bool) {
	d := w.of(e.Fun)
	if fun, ok := e.Fun.(*ast.Ident); len(e.Args) == 1 && (d != nil && d.spec != nil || d == nil && ok && fun.Name == "string") { // a conversion
		n, konst := w.expr(e.Args[0])
		return max(n, w.sum(e.Fun)), konst
	}
	args := w.sum(e.Args...)
	if fun, ok := e.Fun.(*ast.SelectorExpr); ok && d == nil {
		return times(w.sum(fun.X), max(1, w.m.methods[fun.Sel.Name])), false
	}
	if d == nil || d.fn == nil {
		return max(1, w.sum(e.Fun)), false
	}
	w.m.measure(d)
	if d.fn.Type.TypeParams == nil {
		return d.weight, false
	}
	return times(add(1, add(args, w.sum(typeArgs(e.Fun)...))), d.times), false
}

// params are parameters, whose names are local.
func (w *walk) params(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		n, _ := w.expr(f.Type)
		for _, id := range f.Names {
			w.set(id, n, false)
		}
	}
}

// set notes the weight of a name. The scopes of a function are not told apart: a name
// has the largest weight.
func (w *walk) set(e ast.Expr, weight int, konst bool) {
	if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
		w.local[id.Name] = local{max(weight, w.local[id.Name].weight), konst}
	}
}

// block measures the statements of a function.
func (w *walk) block(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case ast.Expr:
			w.expr(n)
			return false
		case *ast.AssignStmt:
			w.assign(n)
			return false
		case *ast.RangeStmt:
			x := w.sum(n.X)
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if e != nil {
					w.set(e, x, false)
				}
			}
			w.block(n.Body)
			return false
		case *ast.GenDecl:
			w.declare(n)
			return false
		}
		return true
	})
}

// value is the weight of a constant, or of the type of a variable.
func (w *walk) value(d *decl) int {
	if d.konst {
		n, _ := w.expr(d.value)
		return n
	}
	return w.sum(d.value)
}

func (w *walk) assign(n *ast.AssignStmt) {
	var last int
	for i, e := range n.Lhs {
		if i < len(n.Rhs) {
			last = w.sum(n.Rhs[i])
		}
		if n.Tok == token.DEFINE {
			w.set(e, last, false)
		} else {
			w.expr(e)
		}
	}
}

// declare measures local declarations.
func (w *walk) declare(d *ast.GenDecl) {
	for _, x := range specs(w.f, d) {
		switch {
		case x.spec != nil:
			n, _ := w.expr(x.spec.Type)
			if !x.spec.Assign.IsValid() {
				n = 1
			}
			w.local[x.name] = local{weight: max(n, w.local[x.name].weight)}
		case x.value != nil:
			n := w.value(x.decl)
			w.local[x.name] = local{max(n, w.local[x.name].weight), x.konst}
		}
	}
}
