package migrate

import (
	"go/ast"
	gotoken "go/token"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/edit"
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
	around     []goLevel
}

// A goLevel is what stands beside a name in one expression around it.
type goLevel struct {
	names [][]string // v1.GroupVersion.String, cut at its dots
	own   bool       // it says the group: nothing farther out does
	loose bool       // nothing but the imports of the file tells of the group
}

// A goSight finds the names of a file that may stand beside a group.
type goSight struct {
	*goBuilder
	same    map[string][]string      // variables that are another name
	strings map[string]*ast.BasicLit // names of the file that are a kind or resource of the rules
	stack   []ast.Node
	list    []goBeside
}

// beside finds the names of a file.
func (b *goBuilder) beside() []goBeside {
	s := &goSight{goBuilder: b, same: map[string][]string{}, strings: map[string]*ast.BasicLit{}}
	s.known()
	ast.Inspect(b.File, func(n ast.Node) bool {
		if n == nil {
			s.stack = s.stack[:len(s.stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.BasicLit:
			s.note(n)
		case *ast.Ident:
			if lit := s.strings[n.Name]; lit != nil && !s.defines(n) {
				s.note(lit)
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
		if _, role := s.stepName(lit); role != "" {
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
	if role == "" {
		return
	}
	if around := s.around(); len(around) > 0 {
		s.list = append(s.list, goBeside{name: name, file: s.name, at: s.span(lit), role: role, around: around})
	}
}

// around are the levels around the node that is being visited, up to its statement. Of a
// kind that is compared, and of a constant for one, the imports of the file tell the group
// where nothing beside it does.
func (s *goSight) around() []goLevel {
	levels, loose := s.levels()
	if loose {
		imported := goLevel{loose: true}
		for _, alias := range slices.Sorted(maps.Keys(s.imports())) {
			imported.names = append(imported.names, []string{alias, ""})
		}
		levels = append(levels, imported)
	}
	return levels
}

// levels are the levels around the node that is being visited; it says too whether the
// node is compared with a kind, or is the value of a constant for one.
func (s *goSight) levels() (levels []goLevel, ofKind bool) {
	add := func(l goLevel) {
		if len(l.names) > 0 || l.own {
			levels = append(levels, l)
		}
	}
	for i := len(s.stack) - 1; i >= 0; i-- {
		inner := ast.Node(nil)
		if i+1 < len(s.stack) {
			inner = s.stack[i+1]
		}
		switch n := s.stack[i].(type) {
		case *ast.CompositeLit:
			add(s.fields(n, inner))
		case *ast.CallExpr:
			add(s.call(n, inner))
		case *ast.BinaryExpr:
			ofKind = ofKind || isKindField(n.X) || isKindField(n.Y)
			add(s.sides(n, inner))
		case *ast.ParenExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.KeyValueExpr, *ast.SelectorExpr, *ast.IndexExpr:
		case *ast.ValueSpec:
			if kindConstant.MatchString(n.Names[0].Name) {
				add(goLevel{names: [][]string{{}}}) // the group of the package
				ofKind = true
			}
			return levels, ofKind
		case *ast.CaseClause:
			if choice, ok := s.stack[max(0, i-2)].(*ast.SwitchStmt); ok {
				ofKind = ofKind || isKindField(choice.Tag)
			}
			return levels, ofKind
		case *ast.AssignStmt:
			if field, ok := n.Lhs[0].(*ast.SelectorExpr); ok && field.Sel.Name == "Kind" {
				add(s.siblings(i))
			}
			return levels, ofKind
		case *ast.ExprStmt:
			add(s.siblings(i))
			return levels, ofKind
		default:
			return levels, ofKind
		}
	}
	return levels, ofKind
}

// isKindField says whether an expression is the kind or the resource of something.
func isKindField(e ast.Expr) bool {
	return e != nil && slices.Contains([]string{"Kind", "GetKind", "Resource"}, lastName(e))
}

// sides are the names on the other side of a comparison, or of two of them.
func (s *goSight) sides(n *ast.BinaryExpr, inner ast.Node) goLevel {
	l := goLevel{names: slices.Concat(s.names(n.X, inner), s.names(n.Y, inner))}
	for _, side := range []ast.Expr{n.X, n.Y} {
		l.own = l.own || n.Op == gotoken.LAND && side != inner && ofGroup.Match(s.span(side).Of(s.data))
	}
	return l
}

// kindConstant is the name of a constant that is a kind or a resource.
var kindConstant = lazyregexp.New(`(Kind|Plural|Resource|ResourceName|Resources|PluralName|KindName)$|^(kind|plural|resource)[A-Z]|^(kind|plural|resource)$`)

// ofGroup is the name of a field, or a part of a call, that says a group.
var ofGroup = lazyregexp.New(`(?i)group|apiversion`)

// fields are the names in the field of a literal that says its group.
func (s *goSight) fields(n *ast.CompositeLit, inner ast.Node) goLevel {
	var l goLevel
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok || e == inner {
			continue
		}
		key, ok := stringOf(kv.Key)
		if !ok {
			key = lastName(kv.Key)
		}
		if ofGroup.MatchString(key) {
			l.own = true
			l.names = append(l.names, s.names(kv.Value, nil)...)
		}
	}
	return l
}

// call are the names that a call is made on, and those in its other arguments.
func (s *goSight) call(n *ast.CallExpr, inner ast.Node) goLevel {
	var l goLevel
	if fun, ok := n.Fun.(*ast.SelectorExpr); ok {
		l.own = builtCalls[fun.Sel.Name] != "" && inner != n.Fun
	}
	if n.Fun != inner {
		l.names = s.names(n.Fun, nil)
	}
	if l.own {
		return l
	}
	for _, arg := range n.Args {
		l.names = append(l.names, s.names(arg, inner)...)
	}
	return l
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

// tellBeside tells of the names that stand beside a group of the rules, each once.
func (r *goReader) tellBeside(dir string, list []goBeside, changes func(string, source.Span) bool, add func(string, edit.Outcome)) {
	for _, b := range list {
		group, loose := r.groupBeside(dir, b)
		base, _, _ := strings.Cut(b.name, "/")
		for _, s := range r.steps[group] {
			is, to := s.from.Kind, s.to.Kind
			if b.role == find.RoleResource {
				is, to = s.from.Plural, s.to.Plural
			}
			if is != base || to == "" || to == is || loose && find.IsBuiltInKind(s.from.Kind) {
				continue
			}
			if !changes(b.file, b.at) {
				o := edit.Outcome{Span: b.at, Role: b.role, Rule: s.rule.ID, Ruleset: s.rule.Set, Old: base, New: to}
				add(b.file, o.Leave("go-built", "it is put together with the group "+group+", where it becomes "+to, "write "+to+" here"))
			}
			break
		}
	}
}

// groupBeside is the group of the rules that stands nearest to a name, "" for none; it
// says too whether it is only one of an import.
func (r *goReader) groupBeside(dir string, b goBeside) (group string, loose bool) {
	for _, l := range b.around {
		for _, name := range l.names {
			if group := r.groupOfName(dir, b.file, name); r.steps[group] != nil {
				return group, l.loose
			}
		}
		if l.own {
			return "", false
		}
	}
	return "", false
}

// groupOfName is the group that a dotted name in a file is or has, "" where that is
// not known; that of no name is the one that the package declares.
func (r *goReader) groupOfName(dir, file string, name []string) string {
	if len(name) > 1 {
		if where := r.imports[file][name[0]]; where != "" {
			dir, name = r.packageAt(where), name[1:]
		}
	}
	p := r.packages[dir]
	switch {
	case p == nil:
		return ""
	case len(name) == 0, name[0] == "", name[0] == "Kind", name[0] == "Resource":
		return p.only()
	case p.groups[name[0]] != "":
		return p.groups[name[0]]
	case p.strings[name[0]] != "":
		return p.strings[name[0]]
	case p.apis[name[0]] != "":
		return r.group(dir, p.apis[name[0]])
	}
	return ""
}

// only is the one group that a package declares, "" where there are several.
func (p *goPackage) only() string {
	group := ""
	for _, is := range p.groups {
		if group != "" && group != is {
			return ""
		}
		group = is
	}
	return group
}

// packageAt is the folder of the package that is imported by a path, "" for one that is
// not in the tree.
func (r *goReader) packageAt(where string) string {
	if r.at == nil {
		r.at = map[string]string{}
	}
	if dir, known := r.at[where]; known {
		return dir
	}
	for _, dir := range slices.Sorted(maps.Keys(r.packages)) {
		if is := r.importPath(dir); is == where || is == "" && strings.HasSuffix(where, "/"+dir) {
			r.at[where] = dir
			return dir
		}
	}
	r.at[where] = ""
	return ""
}
