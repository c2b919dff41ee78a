package gorefactor

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// conflict says why an entity cannot have its new name, and where. What would not compile
// in another way is found when the plan is verified.
func (p *planner) conflict(e *entity) (token.Pos, string) {
	to := e.to(e.name)
	if token.IsKeyword(to) || types.Universe.Lookup(to) != nil {
		return e.uses[0].id.Pos(), fmt.Sprintf("%q is a word of Go", to)
	}
	for _, obj := range e.objs {
		scope := obj.Parent()
		if scope == nil {
			continue
		}
		if p.broken[obj.Pkg().Path()] && scope == obj.Pkg().Scope() {
			return obj.Pos(), "a file of its package does not parse"
		}
		if other := p.claims[[2]any{scope, to}]; other != nil && other != e {
			return obj.Pos(), fmt.Sprintf("%q gets the same name", other.name)
		}
		p.claims[[2]any{scope, to}] = e
	}
	for _, o := range e.uses {
		if have := p.inTheWay(o, to); have != nil {
			at := p.t.Fset.Position(have.Pos())
			return o.id.Pos(), fmt.Sprintf("%q is declared in %s:%d", to, at.Filename, at.Line)
		}
	}
	return token.NoPos, ""
}

// inTheWay is another object that has a name where an occurrence is, nil for none.
func (p *planner) inTheWay(o *occurrence, to string) (have types.Object) {
	fn, _ := o.obj.(*types.Func)
	sel, _ := o.parent.(*ast.SelectorExpr)
	switch {
	case o.obj == nil:
	case fn != nil && fn.Signature().Recv() != nil:
		have, _, _ = types.LookupFieldOrMethod(fn.Signature().Recv().Type(), true, fn.Pkg(), to)
	case o.obj.Parent() != nil:
		have = o.obj.Parent().Lookup(to)
		if inner := o.file.Package.Types.Scope().Innermost(o.id.Pos()); have == nil && inner != nil && (sel == nil || sel.Sel != o.id) {
			_, have = inner.LookupParent(to, o.id.Pos())
		}
	}
	if p.entityOf(have) != nil {
		return nil // it gets another name itself
	}
	return have
}

// entityOf is what an object is renamed with, nil for one that is not renamed.
func (p *planner) entityOf(obj types.Object) *entity {
	if obj == nil {
		return nil
	}
	if e := p.entities[p.keyOfObject(obj, p.propose(obj.Name()))]; e != nil && e.renamed {
		return e
	}
	return nil
}
