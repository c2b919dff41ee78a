package gorefactor

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// A present is an identifier that already has the new name of another.
type present struct {
	id    *ast.Ident
	obj   types.Object
	owner ast.Node // the struct or interface around it
	free  bool     // neither selected nor a key
}

// A spot is a name in a scope.
type spot struct {
	scope *types.Scope
	name  string
}

// existing finds the identifiers that already have a new name.
func (p *planner) existing() map[string][]present {
	fresh := map[string]bool{}
	for _, e := range p.order {
		if e.verdict == Rename {
			fresh[e.to(e.name)] = true
		}
	}
	used := map[string][]present{}
	for _, pkg := range p.t.Packages {
		for _, f := range pkg.Files {
			if f.Full {
				p.existingIn(f, fresh, used)
			}
		}
	}
	return used
}

func (p *planner) existingIn(f *File, fresh map[string]bool, used map[string][]present) {
	var stack []ast.Node
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && fresh[id.Name] && id != f.AST.Name {
			e := present{id: id, obj: p.t.Info.Defs[id], owner: ownerOf(stack), free: true}
			if e.obj == nil {
				e.obj = p.t.Info.Uses[id]
			}
			switch parent := stack[len(stack)-1].(type) {
			case *ast.SelectorExpr:
				e.free = parent.Sel != id
			case *ast.KeyValueExpr:
				e.free = parent.Key != id || e.obj != nil
			}
			used[id.Name] = append(used[id.Name], e)
		}
		stack = append(stack, n)
		return true
	})
}

// ownerOf is the innermost struct or interface of a stack of nodes.
func ownerOf(stack []ast.Node) ast.Node {
	for i := len(stack) - 1; i >= 0; i-- {
		switch stack[i].(type) {
		case *ast.StructType, *ast.InterfaceType:
			return stack[i]
		case *ast.BlockStmt:
			return nil
		}
	}
	return nil
}

// conflict says why an entity cannot have its new name, and where.
func (p *planner) conflict(e *entity, used map[string][]present) (token.Pos, string) {
	to := e.to(e.name)
	at := e.uses[0].id.Pos()
	if token.IsKeyword(to) || types.Universe.Lookup(to) != nil {
		return at, fmt.Sprintf("%q is a word of Go", to)
	}
	for _, obj := range e.objs {
		if p.broken[obj.Pkg().Path()] && obj.Parent() == obj.Pkg().Scope() {
			return obj.Pos(), "a file of its package does not parse"
		}
		if why := p.memberTaken(obj, to, used[to]); why != "" {
			return obj.Pos(), why
		}
		if why := p.scopeTaken(obj, to, used[to]); why != "" {
			return obj.Pos(), why
		}
		if obj.Parent() != nil {
			if other := p.claimed(obj.Parent(), to, e); other != nil {
				return obj.Pos(), fmt.Sprintf("%q gets the same name", other.name)
			}
		}
	}
	for _, o := range e.uses {
		if why := p.shadowed(o, to); why != "" {
			return o.id.Pos(), why
		}
	}
	return token.NoPos, ""
}

// claimed is the entity that got a name in a scope before this one.
func (p *planner) claimed(scope *types.Scope, to string, e *entity) *entity {
	if other := p.claims[spot{scope, to}]; other != nil && other != e {
		return other
	}
	p.claims[spot{scope, to}] = e
	return nil
}

// leaves says whether an object that has the name gets another one itself.
func (p *planner) leaves(obj types.Object) bool {
	key := p.keyOfObject(obj, p.propose(obj.Name()))
	other := p.entities[key]
	return other != nil && other.verdict == Rename
}

// where is a position for a message.
func (p *planner) where(pos token.Pos) string {
	at := p.t.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// memberTaken says whether the type of a field or method has the new name.
func (p *planner) memberTaken(obj types.Object, to string, used []present) string {
	switch obj := obj.(type) {
	case *types.Func:
		recv := obj.Signature().Recv()
		if recv == nil {
			return ""
		}
		if have, _, _ := types.LookupFieldOrMethod(recv.Type(), true, obj.Pkg(), to); have != nil && !p.leaves(have) {
			return fmt.Sprintf("the type has %q already (%s)", to, p.where(have.Pos()))
		}
	case *types.Var:
		if !obj.IsField() {
			return ""
		}
		owner := p.owners[obj.Pos()]
		for _, u := range used {
			if u.owner != nil && u.owner == owner && p.t.Info.Defs[u.id] != nil && !p.leaves(u.obj) {
				return fmt.Sprintf("the type has %q already (%s)", to, p.where(u.id.Pos()))
			}
		}
	}
	return ""
}

// scopeTaken says whether the scope of an object has the new name, or uses one
// that the new name would hide.
func (p *planner) scopeTaken(obj types.Object, to string, used []present) string {
	scope := obj.Parent()
	if scope == nil {
		return ""
	}
	if have := scope.Lookup(to); have != nil && !p.leaves(have) {
		return fmt.Sprintf("%q is declared in %s", to, p.where(have.Pos()))
	}
	if scope == obj.Pkg().Scope() {
		for file := range scope.Children() {
			if have := file.Lookup(to); have != nil && !p.leaves(have) {
				return fmt.Sprintf("%q is an import in %s", to, p.where(have.Pos()))
			}
		}
		return ""
	}
	for _, u := range used {
		if u.free && u.obj != nil && u.obj.Parent() != nil && scope.Contains(u.id.Pos()) && !within(u.obj.Parent(), scope) && !p.leaves(u.obj) {
			return fmt.Sprintf("it would hide %q, which is used in %s", to, p.where(u.id.Pos()))
		}
	}
	return ""
}

// shadowed says whether another object has the new name where a use is.
func (p *planner) shadowed(o *occurrence, to string) string {
	if sel, ok := o.parent.(*ast.SelectorExpr); ok && sel.Sel == o.id || o.obj == nil || o.obj.Parent() == nil {
		return ""
	}
	inner := o.file.Package.Types.Scope().Innermost(o.id.Pos())
	if inner == nil {
		return ""
	}
	scope, have := inner.LookupParent(to, o.id.Pos())
	if have == nil || scope == o.obj.Parent() || !within(scope, o.obj.Parent()) || p.leaves(have) {
		return ""
	}
	return fmt.Sprintf("%q is something else in %s", to, p.where(o.id.Pos()))
}

// within says whether a scope is another one or inside of it.
func within(scope, outer *types.Scope) bool {
	for s := scope; s != nil; s = s.Parent() {
		if s == outer {
			return true
		}
	}
	return false
}
