package gorefactor

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// A spot is a name in a scope.
type spot struct {
	scope *types.Scope
	name  string
}

// conflict says why an entity cannot have its new name, and where. What would not compile
// in another way is found when the plan is verified.
func (p *planner) conflict(e *entity) (token.Pos, string) {
	to := e.to(e.name)
	if token.IsKeyword(to) || types.Universe.Lookup(to) != nil {
		return e.uses[0].id.Pos(), fmt.Sprintf("%q is a word of Go", to)
	}
	for _, obj := range e.objs {
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
			if have, _, _ := types.LookupFieldOrMethod(fn.Signature().Recv().Type(), true, obj.Pkg(), to); have != nil && !p.leaves(have) {
				return obj.Pos(), fmt.Sprintf("the type has %q already (%s)", to, p.where(have.Pos()))
			}
		}
		scope := obj.Parent()
		if scope == nil {
			continue
		}
		if p.broken[obj.Pkg().Path()] && scope == obj.Pkg().Scope() {
			return obj.Pos(), "a file of its package does not parse"
		}
		if have := scope.Lookup(to); have != nil && !p.leaves(have) {
			return obj.Pos(), fmt.Sprintf("%q is declared in %s", to, p.where(have.Pos()))
		}
		if other := p.claims[spot{scope, to}]; other != nil && other != e {
			return obj.Pos(), fmt.Sprintf("%q gets the same name", other.name)
		}
		p.claims[spot{scope, to}] = e
	}
	for _, o := range e.uses {
		if p.hasAround(o, to) {
			return o.id.Pos(), fmt.Sprintf("%q is something else in %s", to, p.where(o.id.Pos()))
		}
	}
	return token.NoPos, ""
}

// leaves says whether an object that has the name gets another one itself.
func (p *planner) leaves(obj types.Object) bool {
	key := p.keyOfObject(obj, p.propose(obj.Name()))
	other := p.entities[key]
	return other != nil && other.renamed
}

// where is a position for a message.
func (p *planner) where(pos token.Pos) string {
	at := p.t.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// hasAround says whether another object has a name where an occurrence is.
func (p *planner) hasAround(o *occurrence, to string) bool {
	if sel, ok := o.parent.(*ast.SelectorExpr); ok && sel.Sel == o.id || o.obj == nil || o.obj.Parent() == nil {
		return false
	}
	inner := o.file.Package.Types.Scope().Innermost(o.id.Pos())
	if inner == nil {
		return false
	}
	_, have := inner.LookupParent(to, o.id.Pos())
	return have != nil && !p.leaves(have)
}
