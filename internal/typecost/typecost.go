// Package typecost estimates from the syntax of Go code what it costs to
// type-check it. A few lines of Go make go/types use all memory, or never end:
//
//	const s1 = s0 + s0        // and s2 = s1 + s1, and so on
//	type A1 = struct{ x, y A0 }
//	type A1 = Pair[A0, A0]
//	type A0 A1                // two thousand times
//
// The weight of an expression is about the size of its constant string, or of its
// type with all aliases and type arguments written out. A declared type is a name
// and has the weight 1, but the types that it contains by value are counted.
package typecost

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
)

// A Package is the files of one package, and the path by which others import it.
type Package struct {
	Path  string
	Files []*ast.File
}

// Limits are what is not exceeded.
type Limits struct {
	Weight int // of an expression; that of all expressions of a file may be four times as large
	Total  int // of all files
	Depth  int // of types that contain each other by value, or are each other
}

// Default are the limits for code that is not trusted: a tree that is at one of them is
// checked in a few seconds. Of 1,300 public modules and the standard library, the one that
// is closest to a limit has 16% of it.
var Default = Limits{Weight: 1 << 20, Total: 1 << 25, Depth: 200}

// An Excess is a file that exceeds a limit.
type Excess struct {
	File *ast.File
	Pos  token.Pos
	Why  string
}

// Exceeding are the files that exceed a limit, in the order of the packages. Without
// them the others do not.
func Exceeding(pkgs []Package, limits Limits) []Excess {
	m := &meter{limits: limits, pkgs: map[string]map[string]*decl{}, names: map[string]string{}, methods: map[string]int{}}
	var files []*file
	for _, p := range pkgs {
		decls := map[string]*decl{}
		for _, f := range p.Files {
			in := &file{ast: f, pkg: decls}
			files = append(files, in)
			m.declare(in)
		}
		if len(p.Files) > 0 {
			m.pkgs[p.Path], m.names[p.Path] = decls, p.Files[0].Name.Name
		}
	}
	for _, f := range files {
		m.readImports(f)
	}
	m.readMethods(files)
	total := 0
	var list []Excess
	for _, f := range files {
		m.file(f)
		if f.why == "" && f.cost > 4*limits.Weight {
			f.exceed(f.ast.Name.Pos(), "the types and constants in it are too large together")
		}
		if f.why == "" && total+f.cost > limits.Total {
			f.exceed(f.ast.Name.Pos(), "the types and constants of the tree are too large together")
		}
		if f.why != "" {
			list = append(list, Excess{f.ast, f.pos, f.why})
			continue
		}
		total += f.cost
	}
	return list
}

// A file is measured once.
type file struct {
	ast     *ast.File
	pkg     map[string]*decl
	imports map[string]map[string]*decl // by the name in the file
	cost    int
	pos     token.Pos
	why     string
}

func (f *file) exceed(pos token.Pos, why string) {
	if f.why == "" {
		f.pos, f.why = pos, why
	}
}

// A decl is a declaration of a package: one of spec, value and fn is set.
type decl struct {
	in    *file
	pos   token.Pos
	spec  *ast.TypeSpec
	value ast.Expr // of a constant or a variable: its type or its value
	konst bool
	fn    *ast.FuncDecl

	state         int // 0 not measured, 1 under way, 2 done
	weight, times int
	nest          nest
}

// A meter measures packages that import each other.
type meter struct {
	limits  Limits
	pkgs    map[string]map[string]*decl
	names   map[string]string // of packages, by path
	methods map[string]int    // how much larger the result of a generic method is than its receiver, at most
	nested  int
}

// deepest is how many declarations are measured within each other.
const deepest = 5000

// declare reads the declarations of a file.
func (m *meter) declare(f *file) {
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				f.pkg[d.Name.Name] = &decl{in: f, pos: d.Pos(), fn: d}
			}
		case *ast.GenDecl:
			for _, x := range specs(f, d) {
				f.pkg[x.name] = x.decl
			}
		}
	}
}

// A named is a declaration with its name.
type named struct {
	name string
	*decl
}

// specs are the types, constants and variables of a declaration. Constants without a
// value have the previous one.
func specs(f *file, d *ast.GenDecl) []named {
	var list []named
	var last []ast.Expr
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			list = append(list, named{s.Name.Name, &decl{in: f, pos: s.Pos(), spec: s}})
		case *ast.ValueSpec:
			if len(s.Values) > 0 || d.Tok == token.VAR {
				last = s.Values
			}
			for i, id := range s.Names {
				x := &decl{in: f, pos: id.Pos(), konst: d.Tok == token.CONST}
				switch {
				case s.Type != nil && !x.konst:
					x.value = s.Type
				case i < len(last):
					x.value = last[i]
				case len(last) == 1:
					x.value = last[0]
				}
				list = append(list, named{id.Name, x})
			}
		}
	}
	return list
}

// readImports finds the packages of a file by the names that it has for them.
func (m *meter) readImports(f *file) {
	f.imports = map[string]map[string]*decl{}
	for _, spec := range f.ast.Imports {
		at, _ := strconv.Unquote(spec.Path.Value)
		name := m.names[at]
		if name == "" {
			name = path.Base(at)
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		f.imports[name] = m.pkgs[at]
	}
}

// readMethods measures the methods of generic types.
func (m *meter) readMethods(files []*file) {
	for _, f := range files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || len(fn.Recv.List) == 0 {
				continue
			}
			recv := fn.Recv.List[0].Type
			if params := typeArgs(recv); len(params) > 0 {
				var names []string
				for _, p := range params {
					if id, ok := p.(*ast.Ident); ok {
						names = append(names, id.Name)
					}
				}
				m.methods[fn.Name.Name] = max(m.methods[fn.Name.Name], m.growth(f, names, fieldTypes(fn.Type.Results), []ast.Expr{recv}))
			}
		}
	}
}

// typeArgs are the type arguments of a type.
func typeArgs(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeArgs(e.X)
	case *ast.ParenExpr:
		return typeArgs(e.X)
	case *ast.IndexExpr:
		return []ast.Expr{e.Index}
	case *ast.IndexListExpr:
		return e.Indices
	}
	return nil
}

func fieldTypes(list *ast.FieldList) []ast.Expr {
	var types []ast.Expr
	if list != nil {
		for _, f := range list.List {
			for range max(1, len(f.Names)) {
				types = append(types, f.Type)
			}
		}
	}
	return types
}

func fieldNames(list *ast.FieldList) []string {
	var names []string
	if list != nil {
		for _, f := range list.List {
			for _, id := range f.Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// growth is how often what type parameters stand for is in some types, for each time
// that it is in others.
func (m *meter) growth(f *file, params []string, of, in []ast.Expr) int {
	n, least := 0, 0
	for _, e := range of {
		n = add(n, m.share(f, params, e))
	}
	for _, e := range in {
		if k := m.share(f, params, e); k > 0 && (least == 0 || k < least) {
			least = k
		}
	}
	least = max(1, least)
	return max(1, (n+least-1)/least)
}

// share is how often type parameters are in a type that is written out.
func (m *meter) share(f *file, params []string, e ast.Expr) int {
	var w [2]int
	for i := range w {
		x := &walk{m: m, f: &file{ast: f.ast, pkg: f.pkg, imports: f.imports}, local: map[string]local{}}
		for _, p := range params {
			x.local[p] = local{weight: i}
		}
		w[i], _ = x.expr(e)
	}
	return w[1] - w[0]
}

const huge = 1 << 40

func add(a, b int) int { return min(a+b, huge) }

func times(a, b int) int {
	if b > 0 && a > huge/b {
		return huge
	}
	return a * b
}

// measure is the weight of a declaration.
func (m *meter) measure(d *decl) int {
	if d.state != 0 || m.nested > deepest {
		if m.nested > deepest {
			d.in.exceed(d.pos, "declarations in it refer to each other too deeply")
		}
		return max(1, d.weight)
	}
	d.state = 1
	m.nested++
	w := &walk{m: m, f: d.in, local: map[string]local{}}
	switch {
	case d.fn != nil:
		d.weight, d.times = 1, 1
		if params := fieldNames(d.fn.Type.TypeParams); len(params) > 0 {
			d.times = m.growth(d.in, params, fieldTypes(d.fn.Type.Results), fieldTypes(d.fn.Type.Params))
		} else {
			quiet := &walk{m: m, f: &file{ast: d.in.ast, pkg: d.in.pkg, imports: d.in.imports}, local: w.local}
			for _, e := range fieldTypes(d.fn.Type.Results) {
				n, _ := quiet.expr(e)
				d.weight = max(d.weight, n)
			}
		}
	case d.spec != nil:
		params := fieldNames(d.spec.TypeParams)
		d.times = 1
		if len(params) > 0 {
			d.times = max(1, m.share(d.in, params, d.spec.Type))
		}
		for _, p := range params {
			w.local[p] = local{weight: 1}
		}
		n, _ := w.expr(d.spec.Type)
		d.nest = m.nestOf(d.in, d.spec.Type).with(nest{types: 1})
		d.nest.depth++
		d.in.cost = add(d.in.cost, times(d.nest.types, visit))
		if d.nest.depth > m.limits.Depth || times(d.nest.types, visit) > m.limits.Weight {
			d.in.exceed(d.pos, d.spec.Name.Name+" contains too many types by value")
		}
		if d.weight = 1; d.spec.Assign.IsValid() {
			d.weight = n
		}
	case d.value != nil:
		d.weight = w.value(d)
	}
	m.nested--
	d.state = 2
	if d.in.why != "" { // it is left out
		d.weight = 1
	}
	return max(1, d.weight)
}

// visit is the weight of a type that another one contains by value: go/types visits it again
// for each of those, and compares it with those that contain it.
const visit = 16

// A nest is what a type contains by value: how many types, each as often as it is there,
// and the length of the longest chain.
type nest struct{ types, depth int }

func (n nest) with(other nest) nest {
	return nest{add(n.types, other.types), max(n.depth, other.depth)}
}

// nestOf is what a type expression contains by value.
func (m *meter) nestOf(f *file, e ast.Expr) (n nest) {
	switch e := e.(type) {
	case *ast.Ident:
		if d := f.pkg[e.Name]; d != nil && d.spec != nil {
			m.measure(d)
			return d.nest
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if d := f.imports[x.Name][e.Sel.Name]; d != nil && d.spec != nil {
				m.measure(d)
				return d.nest
			}
		}
	case *ast.ParenExpr:
		return m.nestOf(f, e.X)
	case *ast.ArrayType:
		if e.Len != nil {
			return m.nestOf(f, e.Elt)
		}
	case *ast.StructType:
		for _, t := range fieldTypes(e.Fields) {
			n = n.with(m.nestOf(f, t))
		}
	case *ast.InterfaceType:
		for _, x := range e.Methods.List {
			if len(x.Names) == 0 {
				n = n.with(m.nestOf(f, x.Type))
			}
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		if d := (&walk{f: f}).of(e); d != nil {
			m.measure(d)
			n = d.nest
		}
		for _, t := range typeArgs(e) {
			n = n.with(m.nestOf(f, t))
		}
	case *ast.BinaryExpr:
		return m.nestOf(f, e.X).with(m.nestOf(f, e.Y))
	}
	return n
}

// file measures all of a file.
func (m *meter) file(f *file) {
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			w := &walk{m: m, f: f, local: map[string]local{}}
			for _, list := range []*ast.FieldList{d.Recv, d.Type.TypeParams, d.Type.Params, d.Type.Results} {
				w.params(list)
			}
			if d.Body != nil {
				w.block(d.Body)
			}
		case *ast.GenDecl:
			for _, x := range specs(f, d) {
				if own := f.pkg[x.name]; own != nil && own.pos == x.pos {
					x.decl = own
				}
				m.measure(x.decl) // a name may be declared again, with other build constraints
			}
		}
	}
}
