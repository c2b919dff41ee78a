package gorefactor

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// editCall changes the kind or resource that a call adds to the version of an API:
// v1.GroupVersion.WithKind("Widget").
func (p *planner) editCall(f *File, n *ast.CallExpr) {
	if fun, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 1 {
		p.editName(f, p.apiOf(fun.X), strings.TrimPrefix(fun.Sel.Name, "With"), n.Args[0])
	}
	for i := 0; i+1 < len(n.Args); i++ { // log.Error(err, "unable to create controller", "controller", "Widget")
		if key := p.t.text(n.Args[i]); (key == "controller" || key == "webhook") && !p.opt.Off["log-kinds"] {
			for _, tg := range p.inOrder {
				if tg.alone {
					p.editName(f, tg.owners[0], "kind", n.Args[i+1])
				}
			}
		}
	}
}

// editObject changes the kind or resource in a literal whose group or apiVersion is the
// API package's own: TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "Widget"}.
func (p *planner) editObject(f *File, n *ast.CompositeLit) {
	var api *API
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && slices.Contains([]string{"group", "apigroup", "apiversion"}, strings.ToLower(p.label(kv.Key))) {
			api = cmp.Or(p.apiOf(kv.Value), api)
		}
	}
	if api == nil {
		return
	}
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			p.editName(f, api, p.label(kv.Key), kv.Value)
		}
	}
}

// label is the name of a field, or the text of a key.
func (p *planner) label(key ast.Expr) string {
	if id, ok := key.(*ast.Ident); ok {
		return id.Name
	}
	return p.t.text(key)
}

// editName changes a literal that is a kind or a resource of an API, as what is in front of
// it says.
func (p *planner) editName(f *File, api *API, what string, e ast.Expr) {
	lit, ok := e.(*ast.BasicLit)
	what = strings.ToLower(what)
	if !ok || lit.Kind != token.STRING || api == nil || what != "kind" && what != "resource" {
		return
	}
	old := lit.Value[1 : len(lit.Value)-1] // with what is escaped in it, which no name has
	for _, tg := range p.inOrder {
		if !slices.Contains(tg.owners, api) {
			continue
		}
		from, to := tg.rule.Kind, tg.rule.ToKind
		if what == "resource" {
			from, to = tg.rule.Plural, tg.rule.ToPlural
		} else if old == from+"List" {
			from, to = from+"List", to+"List"
		}
		if old == from {
			p.edit(f.Path, p.at(lit.Pos())+1, p.at(lit.End())-1, from, to)
		}
	}
}

// apiOf is the API whose group, or version of a group, an expression is; nil for one that is
// spelled out, which is a reference like those of other files.
func (p *planner) apiOf(e ast.Expr) *API {
	switch e := e.(type) {
	case *ast.CallExpr: // GroupVersion.String()
		if fun, ok := e.Fun.(*ast.SelectorExpr); ok && len(e.Args) == 0 && fun.Sel.Name == "String" {
			return p.apiOf(fun.X)
		}
	case *ast.Ident:
		return p.declaredBy(p.t.Info.Uses[e])
	case *ast.SelectorExpr:
		if a := p.declaredBy(p.t.Info.Uses[e.Sel]); a != nil {
			return a
		}
		if e.Sel.Name == "Group" { // GroupVersion.Group
			return p.apiOf(e.X)
		}
	}
	return nil
}

// declaredBy is the API whose package gives its group, or its version of it, a name.
func (p *planner) declaredBy(obj types.Object) *API {
	for _, a := range p.apis {
		if obj == nil || obj.Pkg() != a.Package.Types {
			continue
		}
		if _, isVar := obj.(*types.Var); isVar && (obj.Name() == "GroupVersion" || obj.Name() == "SchemeGroupVersion") {
			return a
		}
		if text := constantOf(obj); text == a.Group || text == a.Group+"/"+a.Version {
			return a
		}
	}
	return nil
}
