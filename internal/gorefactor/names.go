package gorefactor

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
)

// An occurrence is an identifier whose name would change.
type occurrence struct {
	id     *ast.Ident
	file   *File
	parent ast.Node
	obj    types.Object // nil: not known
	decl   bool         // it declares
	entity *entity
}

// An entity is what is renamed as one: a local or package-level object, all
// fields and methods of one name, or a package.
type entity struct {
	*proposal
	name string
	key  any

	objs    []types.Object
	fn      *ast.FuncDecl // of a function
	uses    []*occurrence
	to      func(string) string // the new spelling
	renamed bool
	ofType  bool     // a field of a declared type
	gets    ast.Expr // the type that a variable gets by an assertion: what another module gives has none that is known
}

// The keys of entities. An object is known by its position: the variables of
// a type switch are one, and so are a method and that of its instances.
type (
	memberKey  struct{ name, pkg string } // fields and methods
	packageKey struct{ path string }
	imported   struct { // a package in a file
		f    *File
		path string
	}
)

// A proposal is what a name may be of.
type proposal struct {
	words []*kindwords.Kind // kinds whose spelling is in the name
	parts []part
}

// A part of a name that may change: the abbreviation of a kind, a version, a group.
type part interface {
	rename(name string) string
	owns(p *decider, e *entity) bool // whether an entity with the part in its name is named after it
	is(name string) bool             // whether a name is nothing else
}

// An alias is a kind whose abbreviations are parts of names.
type alias struct{ *kindwords.Kind }

func (a alias) rename(name string) string { return a.RenameAlias(name) }
func (a alias) owns(p *decider, e *entity) bool {
	return p.related(e, p.targets[a.Kind]) || !e.isLocal() && e.name == strings.ToLower(a.Old)+"log"
}
func (a alias) is(string) bool { return false }

// propose looks at a name alone, once.
func (p *identifiers) propose(name string) *proposal {
	if pr := p.proposals[name]; pr != nil {
		return pr
	}
	pr := &proposal{}
	p.proposals[name] = pr
	_, pr.words = p.set.Rename(name)
	for _, x := range p.parts {
		if x.rename(name) != name {
			pr.parts = append(pr.parts, x)
		}
	}
	return pr
}

// collect finds the identifiers whose names may change, and their entities.
func (p *identifiers) collect() {
	for f := range p.t.each {
		ast.PreorderStack(f.AST, nil, func(n ast.Node, stack []ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if pr := p.propose(n.Name); len(pr.words)+len(pr.parts) > 0 {
					p.occur(f, n, stack, pr)
				}
			case *ast.FuncDecl:
				p.funcs[n.Name.Pos()] = n
			}
			return f.Full
		})
	}
}

// occur adds an occurrence to its entity.
func (p *identifiers) occur(f *File, id *ast.Ident, stack []ast.Node, pr *proposal) {
	o := &occurrence{id: id, file: f, parent: stack[len(stack)-1]}
	key := p.keyOf(o, pr)
	if key == nil || p.gates[o.obj] != "" {
		return
	}
	e := p.entities[key]
	if e == nil {
		e = &entity{proposal: pr, name: id.Name, key: key}
		p.entities[key], p.order = e, append(p.order, e)
	}
	if o.obj != nil {
		e.objs = append(e.objs, o.obj)
	}
	if fn, ok := o.parent.(*ast.FuncDecl); ok && fn.Name == id {
		e.fn = fn
	}
	if as, ok := o.parent.(*ast.AssignStmt); ok && o.decl && as.Lhs[0] == id {
		if asserted, ok := as.Rhs[0].(*ast.TypeAssertExpr); ok {
			e.gets = asserted.Type
		}
	}
	if _, field := o.parent.(*ast.Field); field && o.decl {
		e.ofType = slices.ContainsFunc(stack, func(n ast.Node) bool { _, ok := n.(*ast.TypeSpec); return ok })
	}
	o.entity, e.uses, p.uses = e, append(e.uses, o), append(p.uses, o)
}

// keyOf is the key of an identifier, nil for what belongs to other modules.
func (p *identifiers) keyOf(o *occurrence, pr *proposal) any {
	def, defined := p.t.Info.Defs[o.id]
	use := p.t.Info.Uses[o.id]
	if _, embedded := use.(*types.TypeName); use != nil && (embedded || !defined) {
		o.obj = use
		return p.keyOfObject(use, pr)
	}
	if def != nil {
		o.obj, o.decl = def, true
		return p.keyOfObject(def, pr)
	}
	if o.id == o.file.AST.Name {
		o.decl = true
		return packageKey{strings.TrimSuffix(o.file.Package.Path, "_test")}
	}
	if defined { // the variable of a type switch
		o.decl = true
		return o.id.Pos()
	}
	return p.keyOfUnknown(o)
}

// keyOfObject is the key of an object of the tree.
func (p *identifiers) keyOfObject(obj types.Object, pr *proposal) any {
	if obj.Pkg() == nil { // of the language
		return nil
	}
	switch obj := obj.(type) {
	case *types.PkgName:
		if obj.Name() == obj.Imported().Name() && !p.aliased(obj) {
			return packageKey{obj.Imported().Path()}
		}
	case *types.Var:
		obj = obj.Origin()
		if obj.Embedded() {
			if named := namedOf(obj.Type()); named != nil {
				return named.Pos()
			}
			return nil
		}
		if obj.IsField() {
			return p.member(obj, pr)
		}
	case *types.Func:
		if obj = obj.Origin(); obj.Signature().Recv() != nil {
			return p.member(obj, pr)
		}
	}
	return obj.Pos()
}

// member is the key of a field or method. Methods of one name are one thing in
// the tree, because interfaces join them. A field of a kind that is not unique
// is decided alone, and so is a name that is only a version or a group, by its package.
func (p *identifiers) member(obj types.Object, pr *proposal) any {
	if len(pr.words) == 0 && obj.Pkg() != nil && slices.ContainsFunc(pr.parts, func(x part) bool { return x.is(obj.Name()) }) {
		return memberKey{obj.Name(), obj.Pkg().Path()}
	}
	if _, ok := obj.(*types.Var); ok && (len(pr.words) == 0 || slices.ContainsFunc(pr.words, func(k *kindwords.Kind) bool { return !k.Unique })) {
		return obj.Pos()
	}
	return memberKey{name: obj.Name()}
}

// aliased says whether an import has a name of its own in its file.
func (p *identifiers) aliased(obj *types.PkgName) bool {
	f := p.t.files[p.t.Fset.PositionFor(obj.Pos(), false).Filename]
	return slices.ContainsFunc(f.AST.Imports, func(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Pos() == obj.Pos() })
}

// keyOfUnknown is the key of an identifier that the type checker could not resolve, nil when it is of another module.
func (p *identifiers) keyOfUnknown(o *occurrence) any {
	switch parent := o.parent.(type) {
	case *ast.SelectorExpr:
		if parent.Sel == o.id {
			v, _ := p.t.Info.Uses[called(parent.X)].(*types.Var)
			if _, isPackage := p.t.Info.Uses[called(parent.X)].(*types.PkgName); isPackage || v != nil && v.IsField() && strings.Contains(v.Type().String(), "invalid type") {
				return nil
			}
			return memberKey{name: o.id.Name}
		}
	case *ast.KeyValueExpr:
		if parent.Key == o.id { // of a type of another module
			return nil
		}
	case *ast.FuncDecl: // declared again, with other build constraints
		o.decl = true
		if parent.Recv != nil {
			return memberKey{name: o.id.Name}
		}
	}
	if obj := o.file.Package.Types.Scope().Lookup(o.id.Name); obj != nil {
		o.obj = obj
		return obj.Pos()
	}
	return nil
}

// namedOf is the declared type behind a pointer.
func namedOf(t types.Type) *types.TypeName {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if of, ok := t.(interface{ Obj() *types.TypeName }); ok {
		return of.Obj()
	}
	return nil
}

// at is the offset of a position in its file.
func (p *planner) at(pos token.Pos) int { return p.t.Fset.File(pos).Offset(pos) }

// wordAround is the word that an edit is in, with its dashes and dots.
func wordAround(text string, e kindwords.Edit) string {
	head, tail := strings.TrimRightFunc(text[:e.Start], nameRune), strings.TrimLeftFunc(text[e.End:], nameRune)
	return text[len(head) : len(text)-len(tail)]
}

// imageAround is the name that an edit is in, with what may be the owner of an image before it.
func imageAround(text string, e kindwords.Edit) string {
	head := strings.TrimRightFunc(text[:e.Start], nameRune)
	return head[len(strings.TrimRightFunc(strings.TrimSuffix(head, "/"), nameRune)):] + wordAround(text, e)
}

// isField says whether a name in camel case, which is none of Go that is renamed, has a kind behind
// another word, as a field or value of another API has: cloudWidgetSet.
func (p *wording) isField(name, kind string) bool {
	return ast.IsExported(kind) && !ast.IsExported(name) && isLower(name[0]) && !strings.ContainsAny(name, "-_") && p.fresh[name] == ""
}

// isKept says whether a name is of an object or a folder that stays, or of a pod of it: widget-set-0.
func (p *wording) isKept(name string) bool {
	set := strings.TrimRight(strings.TrimRight(name, "0123456789"), "-")
	return p.kept[name] || p.kept[set] || p.folders[set]
}

// nameAround is the name of an object, a flag or a variable that an edit is in.
func nameAround(text string, e kindwords.Edit) string {
	word := wordAround(text, e)
	for part := range strings.SplitSeq(word, ".") {
		if strings.Contains(part, text[e.Start:e.End]) {
			word = part
		}
	}
	return strings.Trim(word, "-_")
}
