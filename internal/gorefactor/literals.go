package gorefactor

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// editLiterals changes the literals of a call or a composite literal that are a kind or a
// resource, where a name of the package of its API is next to it: v1.GroupVersion.WithKind("Widget"),
// TypeMeta{APIVersion: v1.GroupVersion.String(), Kind: "Widget"}. The value of controller or
// webhook in a log is a kind, too: log.Error(err, "unable to create", "controller", "Widget").
func (p *planner) editLiterals(f *File, n ast.Node) {
	list, what := []ast.Expr{}, ""
	switch n := n.(type) {
	case *ast.CallExpr:
		list, what = n.Args, calledName(n.Fun)
	case *ast.CompositeLit:
		list = n.Elts
	}
	var near map[*types.Package]bool
	for i, e := range list {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e, what = kv.Value, calledName(kv.Key)+p.t.text(kv.Key)
		}
		lit, ok := e.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			continue
		}
		old, kinds, resources := lit.Value[1:len(lit.Value)-1], strings.HasSuffix(strings.ToLower(what), "kind"), strings.HasSuffix(strings.ToLower(what), "resource")
		for _, tg := range p.inOrder {
			from, to := tg.rule.Kind, tg.rule.ToKind
			logged := i > 0 && tg.alone && !p.opt.Off["log-kinds"] && slices.Contains([]string{"controller", "webhook"}, p.t.text(list[i-1]))
			switch {
			case kinds && old == from+"List":
				from, to = from+"List", to+"List"
			case resources && old == tg.rule.Plural:
				from, to = tg.rule.Plural, tg.rule.ToPlural
			case !kinds && !logged || old != from:
				continue
			}
			if near == nil {
				near = p.named(n)
			}
			if logged || slices.ContainsFunc(tg.owners, func(a *API) bool { return near[a.Package.Types] }) {
				p.edit(f.Path, p.at(lit.Pos())+1, p.at(lit.End())-1, from, to)
			}
		}
	}
}

// named are the packages of which an expression names something, without what is in functions
// and composite literals in it.
func (p *planner) named(root ast.Node) map[*types.Package]bool {
	near := map[*types.Package]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit, *ast.FuncLit:
			return n == root
		case *ast.Ident:
			if obj := p.t.Info.Uses[n]; obj != nil && obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
				near[obj.Pkg()] = true
			}
		}
		return true
	})
	return near
}
