package migrate

import (
	"go/ast"
	gotoken "go/token"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A kind or a resource of the rules that Go code says beside a group which is a
// constant or variable of this package or another one: in the fields of one literal, the
// arguments of one call, the sides of one comparison. The group moves where it is
// defined, so that the name beside each use is for a person, until it is done.

// A goBeside is such a name, with what stands around it, from the inside out.
type goBeside struct {
	name, file string
	at         source.Span
	role       find.Role
	word       []string // not nil: a dotted name stands there, and nothing of the above is known but the file
	used       int      // the line of that
	around     []goLevel
}

// A goLevel is what stands beside a name in one expression around it.
type goLevel struct {
	names [][]string // v1.GroupVersion.String, cut at its dots
	types [][]string // objects without fields, &v1.Widget{}
	texts []goText   // strings that hold a group
	own   bool       // it says the group: nothing farther out does
	loose bool       // nothing but the imports of the file tells of the group
	fun   []string   // not nil: where this function is given a kind or a resource at arg
	arg   int
}

// A goText is a string that holds a group of the rules.
type goText struct {
	group string
	at    source.Span
}

// A goSight finds the names of a file that may stand beside a group.
type goSight struct {
	*goBuilder
	same     map[string][]string      // variables that are another name
	strings  map[string]*ast.BasicLit // names of the file that are a kind or resource of the rules
	imported map[string]string
	declared map[string]bool // the constants and variables of the file outside of functions
	stack    []ast.Node
	at       ast.Node // that is visited
	list     []goBeside
}

// beside finds the names of a file.
func (b *goBuilder) beside() []goBeside {
	s := &goSight{goBuilder: b, same: map[string][]string{}, strings: map[string]*ast.BasicLit{}, imported: b.imports(), declared: map[string]bool{}}
	b.eachValue(func(of string, _ ast.Expr) { s.declared[of] = true })
	s.known()
	ast.Inspect(b.File, func(n ast.Node) bool {
		if n == nil {
			s.stack = s.stack[:len(s.stack)-1]
			return true
		}
		s.at = n
		switch n := n.(type) {
		case *ast.BasicLit:
			s.note(n)
		case *ast.Ident:
			switch lit := s.strings[n.Name]; {
			case s.defines(n):
			case lit != nil:
				s.note(lit)
			default:
				s.noteWord([]string{n.Name}, n)
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && s.imported[x.Name] != "" {
				s.noteWord([]string{x.Name, n.Sel.Name}, n)
			}
		}
		s.stack = append(s.stack, n)
		return true
	})
	return s.list
}

// known notes which names of the file stand for a string of the rules, or for another name.
func (s *goSight) known() {
	ast.Inspect(s.File, func(n ast.Node) bool {
		var names, values []ast.Expr
		switch n := n.(type) {
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names = append(names, name)
			}
			values = n.Values
		case *ast.AssignStmt:
			names, values = n.Lhs, n.Rhs
		}
		for i, name := range names {
			if ident, ok := name.(*ast.Ident); ok && len(values) == len(names) {
				s.know(ident.Name, values[i])
			}
		}
		return true
	})
}

func (s *goSight) know(name string, value ast.Expr) {
	if lit, ok := value.(*ast.BasicLit); ok {
		if _, role := s.stepName(lit); role != "" && role != find.RoleVersion {
			s.strings[name] = lit
		}
	}
	if is := chain(value); len(is) > 1 {
		s.same[name] = is
	}
}

// defines says whether a name is the one that is being defined, or that of a field.
func (s *goSight) defines(name *ast.Ident) bool {
	switch in := s.stack[len(s.stack)-1].(type) {
	case *ast.ValueSpec:
		return slices.Contains(in.Names, name)
	case *ast.AssignStmt:
		return slices.Contains(in.Lhs, ast.Expr(name))
	case *ast.KeyValueExpr:
		return in.Key == name
	case *ast.SelectorExpr:
		return in.Sel == name
	case *ast.Field:
		return true
	}
	return false
}

// note notes a string that is a name of the rules, with what is around it.
func (s *goSight) note(lit *ast.BasicLit) {
	name, role := s.stepName(lit)
	if role == "" || role == find.RoleVersion && !s.isVersionAlone() || s.isKey(lit) {
		return
	}
	if around := s.around(); len(around) > 0 {
		s.list = append(s.list, goBeside{name: name, file: s.name, at: s.span(lit), role: role, around: around})
	}
}

// isKey says whether the string that is being visited makes a key of a group, Group +
// "/plums", which stays on objects (see gokeys.go); behind a version it is a path.
func (s *goSight) isKey(lit *ast.BasicLit) bool {
	in, ok := s.stack[len(s.stack)-1].(*ast.BinaryExpr)
	if !ok || in.Y != lit || !isGroupName(in.X) {
		return false
	}
	text, _ := stringOf(lit)
	return strings.LastIndexByte(text, '/') == 0
}

// isVersionAlone says whether the version that is being visited is an argument, or is set,
// by itself: built tells of those in literals and calls of schema.
func (s *goSight) isVersionAlone() bool {
	switch in := s.stack[len(s.stack)-1].(type) {
	case *ast.CallExpr:
		return builtCalls[lastName(in.Fun)] == "" && !strings.HasPrefix(lastName(in.Fun), "RESTMapping")
	case *ast.AssignStmt:
		return fieldName(in.Lhs[0]) == "Version"
	}
	return false
}

// sides are the names on the other side of a comparison, or of two of them.
func (s *goSight) sides(n *ast.BinaryExpr, inner ast.Node) goLevel {
	l := goLevel{names: slices.Concat(s.names(n.X, inner), s.names(n.Y, inner)), texts: slices.Concat(s.texts(n.X, inner), s.texts(n.Y, inner))}
	for _, side := range []ast.Expr{n.X, n.Y} {
		l.own = l.own || n.Op == gotoken.LAND && side != inner && ofGroup.Match(s.span(side).Of(s.data))
	}
	return l
}

// ofGroup is the name of a field, or a part of a call, that says a group.
var ofGroup = lazyregexp.New(`(?i)group|apiversion`)

// fields are the names in the field of a literal that says its group.
func (s *goSight) fields(n *ast.CompositeLit, inner ast.Node) goLevel {
	var l goLevel
	called, kinds := "", false
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			if _, nested := e.(*ast.CompositeLit); !nested && e != inner {
				l.names, l.texts = append(l.names, s.names(e, nil)...), append(l.texts, s.texts(e, nil)...) // fields in their order
			}
			continue
		}
		key := fieldName(kv.Key)
		kinds = kinds || key == "Kind" || key == "Resource"
		switch {
		case e == inner:
			called = key
		case ofGroup.MatchString(key):
			l.own = !s.isGiven(kv.Value)
			l.names, l.texts = append(l.names, s.names(kv.Value, nil)...), append(l.texts, s.texts(kv.Value, nil)...)
		}
	}
	if called == "Name" && kinds {
		return goLevel{own: true} // the name of an object
	}
	return l
}

// fieldName is the name of a field, or of a key of a map: Kind of x.Kind and Kind,
// kind of x["kind"] and "kind".
func fieldName(e ast.Expr) string {
	if index, ok := e.(*ast.IndexExpr); ok {
		e = index.Index
	}
	if text, ok := stringOf(e); ok {
		return text
	}
	return lastName(e)
}

// objects are the types of which an expression, or the call that it is, has an object
// without fields: &v1.Widget{}.
func objects(e ast.Expr) [][]string {
	if call, ok := e.(*ast.CallExpr); ok {
		var list [][]string
		for _, arg := range call.Args {
			list = append(list, object(arg)...)
		}
		return list
	}
	return object(e)
}

func object(e ast.Expr) [][]string {
	if of, ok := e.(*ast.UnaryExpr); ok {
		e = of.X
	}
	if lit, ok := e.(*ast.CompositeLit); ok && len(lit.Elts) == 0 && lit.Type != nil && chain(lit.Type) != nil {
		return [][]string{chain(lit.Type)}
	}
	return nil
}

// call are the names that a call is made on, and those in its other arguments.
func (s *goSight) call(n *ast.CallExpr, inner ast.Node) goLevel {
	var l goLevel
	if fun, ok := n.Fun.(*ast.SelectorExpr); ok {
		l.own = builtCalls[fun.Sel.Name] != "" && inner != n.Fun
		if inner != n.Fun && spoken.MatchString(fun.Sel.Name) && !makesPath(n) {
			return goLevel{own: true}
		}
	}
	if n.Fun != inner {
		l.names = s.names(n.Fun, nil)
	}
	if l.own {
		return l
	}
	for _, arg := range n.Args {
		l.texts = append(l.texts, s.texts(arg, inner)...)
		for _, name := range s.names(arg, inner) {
			if name[len(name)-1] != "Version" {
				l.names = append(l.names, name)
			}
		}
	}
	if inner != n.Fun {
		l.types = objects(n)
	}
	return l
}

// spoken are calls that say something to people, name something else, or make paths of
// files.
var spoken = lazyregexp.New(`^(Log[fS]?|Info[fS]?|Errorf?|ErrorS|Debugf?|Warn(ing)?f?|Eventf?|Printf?|Println|Fatalf?|Panicf?|Join|WithName|WithValues|Named|Skipf?|By|Describe|It|Context|When|Run)$`)

// makesPath says whether a call makes a path of an API.
func makesPath(n *ast.CallExpr) bool {
	return slices.ContainsFunc(n.Args, func(arg ast.Expr) bool {
		text, _ := stringOf(arg)
		return strings.Trim(text, "/") == "apis"
	})
}

// isGiven says whether a group is a variable of the function, or a field of one: nothing
// of the file tells which.
func (s *goSight) isGiven(group ast.Expr) bool {
	is := chain(group)
	return is != nil && s.imported[is[0]] == "" && s.same[is[0]] == nil && s.vars[is[0]].parts == nil && !s.declared[is[0]]
}

// siblings are the names in the statements beside one that set the group of its object.
func (s *goSight) siblings(i int) goLevel {
	var l goLevel
	block, ok := s.stack[max(0, i-1)].(*ast.BlockStmt)
	if !ok || !settles(s.stack[i]) {
		return l
	}
	at := slices.IndexFunc(block.List, func(x ast.Stmt) bool { return x == s.stack[i] })
	for _, j := range []int{at - 1, at + 1} {
		if j >= 0 && j < len(block.List) && ofGroup.Match(s.span(block.List[j]).Of(s.data)) {
			l.names, l.own = append(l.names, s.names(block.List[j], nil)...), true
			l.texts = append(l.texts, s.texts(block.List[j], nil)...)
		}
	}
	return l
}

// settles says whether a statement sets the kind of an object.
func settles(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return true
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		return ok && fun.Sel.Name == "SetKind"
	}
	return false
}

// names are the dotted names in a part of the source, without one part of it and
// without the bodies of functions.
func (s *goSight) names(in, without ast.Node) [][]string {
	var list [][]string
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr:
			list = append(list, s.names(n.Value, without)...)
			return n == without
		case ast.Expr:
			if n == without {
				return false
			}
			if is := chain(n); len(is) > 0 {
				if was := s.same[is[0]]; was != nil {
					is = slices.Concat(was, is[1:])
				}
				list = append(list, is)
				return false
			}
		}
		return true
	})
	return list
}

// chain is a dotted name, cut at its dots; nil for any other expression.
func chain(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}
	case *ast.SelectorExpr:
		if of := chain(e.X); of != nil {
			return append(of, e.Sel.Name)
		}
	}
	return nil
}
