package migrate

import (
	"go/ast"
	"maps"
	"slices"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
)

// What stands around a kind or a resource in Go code: the levels on which a group may
// stand beside it, and what else tells that it is one.

// around are the levels around the node that is being visited, up to its statement. Of a
// kind that is compared, set or the value of a constant, and of one that a function of the
// tree is given, the imports of the file and its package tell the group where nothing
// beside it does.
func (s *goSight) around() []goLevel {
	levels, near := s.levels()
	if !near.ofKind && near.fun == nil {
		return levels
	}
	imported := goLevel{loose: true, names: [][]string{{}}}
	for _, alias := range slices.Sorted(maps.Keys(s.imported)) {
		imported.names = append(imported.names, []string{alias, ""})
	}
	if !near.ofKind {
		imported.fun, imported.arg = near.fun, near.arg
	}
	return append(levels, imported)
}

// A goNear is what stands around a node that is being visited, but no group.
type goNear struct {
	ofKind bool     // it is compared with a kind, set to one, or the value of a constant for one
	fun    []string // the function whose argument it is, nil for none
	arg    int
}

// levels are the levels around the node that is being visited, and what else is near.
func (s *goSight) levels() (levels []goLevel, near goNear) {
	add := func(l goLevel) {
		if len(l.names)+len(l.types)+len(l.texts) > 0 || l.own {
			levels = append(levels, l)
		}
	}
	for i := len(s.stack) - 1; i >= 0; i-- {
		inner := s.at
		if i+1 < len(s.stack) {
			inner = s.stack[i+1]
		}
		if l, ok := s.expression(s.stack[i], inner, &near); ok {
			add(l)
			continue
		}
		for _, l := range s.statement(i, inner, &near) {
			add(l)
		}
		break
	}
	return levels, near
}

// expression is the level that an expression is; false for what is none, which ends them.
func (s *goSight) expression(n, inner ast.Node, near *goNear) (goLevel, bool) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		return s.fields(n, inner), true
	case *ast.CallExpr:
		near.ofKind = near.ofKind || ofKindIn(n, inner)
		if at := slices.IndexFunc(n.Args, func(arg ast.Expr) bool { return arg == inner }); at >= 0 && inner == s.at {
			near.fun, near.arg = chain(n.Fun), at
		}
		return s.call(n, inner), true
	case *ast.BinaryExpr:
		near.ofKind = near.ofKind || isKindField(n.X) || isKindField(n.Y)
		return s.sides(n, inner), true
	case *ast.KeyValueExpr:
		near.ofKind = near.ofKind || inner == s.at && inner != n.Key && slices.Contains(kindFields, fieldName(n.Key))
		if n.Key == inner {
			return goLevel{types: objects(n.Value)}, true
		}
		return goLevel{}, true
	case *ast.ParenExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr:
		return goLevel{}, true
	}
	return goLevel{}, false
}

// statement is what a statement or a declaration adds, the i-th around the node.
func (s *goSight) statement(i int, inner ast.Node, near *goNear) []goLevel {
	switch n := s.stack[i].(type) {
	case *ast.ValueSpec:
		return s.value(n, near)
	case *ast.RangeStmt:
		near.ofKind = near.ofKind || inner == n.X && kindConstant.MatchString(lastName(n.Value))
	case *ast.ReturnStmt:
		return []goLevel{s.returned(i, near)}
	case *ast.CaseClause:
		if choice, ok := s.stack[max(0, i-2)].(*ast.SwitchStmt); ok {
			near.ofKind = near.ofKind || isKindField(choice.Tag)
		}
	case *ast.AssignStmt:
		return s.assigned(n, i, inner, near)
	case *ast.ExprStmt:
		return []goLevel{s.siblings(i)}
	}
	return nil
}

// value is what a constant or variable adds: the group of its package.
func (s *goSight) value(n *ast.ValueSpec, near *goNear) (levels []goLevel) {
	if s.isPlural() && len(n.Values) > 0 && n.Values[0] == s.at {
		levels = append(levels, goLevel{names: [][]string{{}}})
	}
	if kindConstant.MatchString(n.Names[0].Name) || n.Type != nil && kindConstant.MatchString(lastName(n.Type)) {
		levels = append(levels, goLevel{names: [][]string{{}}})
		near.ofKind = true
	}
	return levels
}

// assigned is what an assignment adds.
func (s *goSight) assigned(n *ast.AssignStmt, i int, inner ast.Node, near *goNear) []goLevel {
	switch name := fieldName(n.Lhs[0]); {
	case inner == n.Lhs[0]:
		return []goLevel{{types: objects(n.Rhs[0])}}
	case slices.Contains(kindFields, name):
		near.ofKind = near.ofKind || inner == s.at
		return []goLevel{s.siblings(i)}
	case name == "Version":
		return []goLevel{s.siblings(i)}
	default:
		near.ofKind = near.ofKind || s.listed(i) && kindConstant.MatchString(name)
	}
	return nil
}

// isPlural says whether the node that is being visited is a string that is a resource: a
// constant for one in the package of its group is no other word.
func (s *goSight) isPlural() bool {
	e, ok := s.at.(ast.Expr)
	if !ok {
		return false
	}
	_, role := s.stepName(e)
	return role == find.RoleResource
}

// returned are the types that a case chooses by in which the node that is being visited
// is returned; it notes whether the function around it is one for a kind.
func (s *goSight) returned(i int, near *goNear) goLevel {
	var l goLevel
	for i--; i >= 0; i-- {
		switch n := s.stack[i].(type) {
		case *ast.CaseClause:
			for _, e := range n.List {
				if star, ok := e.(*ast.StarExpr); ok {
					e = star.X
				}
				if is := chain(e); is != nil {
					l.types = append(l.types, is)
				}
			}
		case *ast.FuncDecl:
			near.ofKind = near.ofKind || kindConstant.MatchString(n.Name.Name)
		case *ast.FuncLit:
			return l
		}
	}
	return l
}

// listed says whether the node that is being visited is an element of a list of strings
// that is the value in a statement.
func (s *goSight) listed(i int) bool {
	if i+2 != len(s.stack) {
		return false
	}
	lit, ok := s.stack[i+1].(*ast.CompositeLit)
	return ok && slices.Contains(lit.Elts, s.at.(ast.Expr))
}

// kindFields are the names of fields and keys that are a kind or a resource.
var kindFields = []string{"Kind", "kind", "Resource", "resource"}

// isKindField says whether an expression is the kind or the resource of something.
func isKindField(e ast.Expr) bool {
	return e != nil && slices.Contains([]string{"Kind", "GetKind", "Resource", "kind"}, lastName(e))
}

// ofKindIn says whether an argument of a call is held against a kind in another one or in
// what the call is made on, is called one by the argument beside it, or is what a verb of
// an API is for: Equal(t, "Widget", x.Kind), Expect(x.Kind).To(Equal("Widget")),
// (o, "Widget", "kind"), ("create", "widgets").
func ofKindIn(n *ast.CallExpr, inner ast.Node) bool {
	at := slices.IndexFunc(n.Args, func(arg ast.Expr) bool { return arg == inner })
	if at < 0 {
		return false
	}
	if fun, ok := n.Fun.(*ast.SelectorExpr); ok {
		if kindCall.MatchString(fun.Sel.Name) {
			return true
		}
		if on, ok := fun.X.(*ast.CallExpr); ok && slices.ContainsFunc(on.Args, isKindOf) {
			return true
		}
	}
	if at > 0 {
		if before, ok := stringOf(n.Args[at-1]); ok && (slices.Contains(verbs, before) || slices.Contains(kindFields, before)) {
			return true
		}
	}
	if at+1 < len(n.Args) {
		if behind, ok := stringOf(n.Args[at+1]); ok && slices.Contains(kindFields, behind) {
			return true
		}
	}
	return slices.ContainsFunc(n.Args, func(arg ast.Expr) bool { return arg != inner && isKindOf(arg) })
}

// isKindOf says whether an expression is the kind or the resource of an object.
func isKindOf(e ast.Expr) bool { return !isName(e) && isKindField(e) }

// kindCall is the name of a method, or of a function of another package, that is given a
// kind or a resource.
// Source: k8s.io/client-go, rest.Request.Resource and tools/cache.NewListWatchFromClient;
// k8s.io/apimachinery, unstructured.Unstructured.SetKind.
var kindCall = lazyregexp.New(`^((Set|With|For|Is|Owner)?(Kind|Resource)|New(Filtered)?ListWatchFromClient)$`)

// verbs are those of an API.
// Source: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
