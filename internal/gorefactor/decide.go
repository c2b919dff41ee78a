package gorefactor

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// decide gives every entity its verdict. What is about a kind that is not unique is found in
// rounds: a type that is made of one of the family is of the family itself.
func (p *decider) decide() {
	for round, grown := 0, true; grown && round < 4; round++ {
		grown = false
		for _, e := range p.order {
			if e.renamed || !p.belongs(e) {
				continue
			}
			e.renamed = true
			_, method := e.key.(memberKey)
			grown = grown || method // fakes are named after it
			for _, obj := range e.objs {
				if obj, ok := obj.(*types.TypeName); ok && p.seeds[obj.Pos()] == nil && len(e.words) > 0 {
					p.seed(obj, p.targets[e.words[0]])
					grown = true
				}
			}
		}
	}
	p.follow()
	p.holdTaken()
}

// belongs decides whether an entity is of an API, and what it becomes.
func (p *decider) belongs(e *entity) bool {
	if !e.declared() {
		return false
	}
	words := len(e.words) > 0 && !slices.ContainsFunc(e.words, func(k *kindwords.Kind) bool { return !p.ofKind(e, k) })
	parts := slices.DeleteFunc(slices.Clone(e.parts), func(x part) bool { return !x.owns(p, e) })
	if !words && len(parts) == 0 {
		return false
	}
	e.to = func(name string) string {
		if words {
			name, _ = p.set.Rename(name)
		}
		for _, x := range parts {
			name = x.rename(name)
		}
		return name
	}
	return e.to(e.name) != e.name
}

// declared says whether the tree declares an entity.
func (e *entity) declared() bool {
	return len(e.objs) > 0 || slices.ContainsFunc(e.uses, func(o *occurrence) bool { return o.decl })
}

// ofKind says whether an entity that has a kind in its name is about the kind.
// Where the new name contains the old one, functions, fields of types and what other packages see
// need the new name: a local variable queue of type LocalQueue is right as it is.
func (p *decider) ofKind(e *entity, k *kindwords.Kind) bool {
	if !p.opt.Off["longer-name"] && kindwords.Contains(k.New, k.Old) && (e.isLocal() || !k.Unique) && !ast.IsExported(e.name) && !e.inGenerated() && !e.ofType && (e.fn == nil || strings.HasPrefix(strings.ToLower(e.name), strings.ToLower(k.Old))) || p.serialized(e) {
		return false
	}
	tg := p.targets[k]
	if tg.rule.Surface && !e.inGenerated() {
		return slices.ContainsFunc(e.objs, func(obj types.Object) bool { return p.seeds[obj.Pos()] != nil })
	}
	if e.inGenerated() && (p.ofFake(e) || slices.ContainsFunc(e.uses, func(o *occurrence) bool { return p.about[o.file] == tg })) || p.ofController(e, tg) {
		return true
	}
	if _, ok := e.key.(memberKey); ok && !tg.kind.Unique { // an interface may join methods of one name
		return !slices.ContainsFunc(e.objs, func(obj types.Object) bool {
			fn, ok := obj.(*types.Func)
			return !p.mentions(obj.Type(), tg) && (!ok || !p.usesFamily(fn, tg))
		})
	}
	return tg.unique || p.related(e, tg)
}

// ofController says whether an entity is the package of the controller of a kind, or something that it
// declares whose name begins with the kind.
func (p *decider) ofController(e *entity, tg *target) bool {
	k, isPackage := e.key.(packageKey)
	if isPackage {
		return p.t.byPkg[k.path] != nil && p.dirs[p.t.byPkg[k.path].Dir] != ""
	}
	rest, begins := strings.CutPrefix(strings.ToLower(e.name), strings.ToLower(tg.rule.Kind))
	return begins && !e.ofType && rest != "" && !slices.ContainsFunc(e.uses, func(o *occurrence) bool { return o.decl && p.within[o.file] != tg })
}

// ofFake says whether a name begins with that of a renamed method, as in fakes: GetWidgetCallCount.
func (p *decider) ofFake(e *entity) bool {
	words := kindwords.Split(e.name)
	for i := 1; i < len(words); i++ {
		if x := p.entities[memberKey{name: capital(strings.Join(words[:i], ""))}]; x != nil && x.renamed {
			return true
		}
	}
	return false
}

// serialized says whether an entity is a field whose key in JSON, which is stored, is its name, or
// protoc declares it: other programs have the names of a .proto.
func (p *decider) serialized(e *entity) bool {
	return slices.ContainsFunc(e.uses, func(o *occurrence) bool {
		f, ok := o.parent.(*ast.Field)
		return o.decl && (strings.HasPrefix(o.file.by, "protoc") || ok && strings.EqualFold(jsonKey(f), o.id.Name))
	})
}

// jsonKey is the key of a field in JSON, empty for none.
func jsonKey(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag, _ := strconv.Unquote(f.Tag.Value)
	key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return key
}

// featureType is the type of the name of a feature gate, which users write in flags.
var featureType = lazyregexp.New(`^(\w*feature\w*\.\w+|(\w+\.)?Feature(Gate)?(Name)?)$`)

// findKept finds names that users write, which do not change: the keys of fields in JSON, with
// the quoted names of fields that keep them, which strings for reflect have, the constants that
// name feature gates, by their type or as keys of a map from it, the names of flags, and messages.
func (p finder) findKept(keys []string) {
	isGate := func(of ast.Expr) bool { return of != nil && featureType.MatchString(types.ExprString(of)) }
	add := func(id *ast.Ident, e ast.Expr) {
		obj, name := cmp.Or(p.t.Info.Defs[id], p.t.Info.Uses[id]), p.t.text(e)
		if name == "" || obj != nil && p.gates[obj] != "" {
			return
		}
		if p.gates[obj] = name; p.set.Keep(name) {
			p.review("feature-gate", "", e.Pos(), 1, "add one with the new name and deprecate this one", "users set a flag or a feature gate by this name").Text = name
		}
	}
	for f := range p.t.each {
		for n := range ast.Preorder(f.AST) {
			switch n := n.(type) {
			case *ast.Field:
				keys = append(keys, jsonKey(n))
				if len(n.Names) == 1 && strings.EqualFold(jsonKey(n), n.Names[0].Name) {
					keys = append(keys, strconv.Quote(n.Names[0].Name), "description: "+n.Names[0].Name)
				}
			case *ast.TypeSpec:
				if strings.HasPrefix(f.by, "protoc") {
					p.set.Keep(n.Name.Name)
				}
			case *ast.ValueSpec:
				for i := range min(len(n.Values), len(n.Names)) {
					if isGate(n.Type) {
						add(n.Names[i], n.Values[i])
					}
				}
			case *ast.CallExpr:
				if e := flagName(n); e != nil && len(p.set.Find(p.t.text(e), kindwords.Literal)) > 0 {
					add(called(e), e)
				}
			case *ast.CompositeLit:
				for _, e := range n.Elts {
					kv, pair := e.(*ast.KeyValueExpr)
					if of, ok := n.Type.(*ast.MapType); ok && pair && isGate(of.Key) {
						add(called(kv.Key), kv.Key)
					}
				}
			}
		}
	}
	delete(p.gates, nil) // of a name that no constant has
	slices.Sort(keys)
	p.set.Fields(slices.Compact(keys))
}

// flagName is the argument of a call of package flag or pflag that names a flag, nil for none.
func flagName(n *ast.CallExpr) ast.Expr {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	switch {
	case !ok || len(n.Args) < 3:
		return nil
	case strings.HasSuffix(strings.TrimSuffix(sel.Sel.Name, "P"), "Var"):
		return n.Args[1]
	case slices.Contains([]string{"flag", "pflag"}, calledName(sel.X)) || strings.HasSuffix(types.ExprString(sel.X), "Flags()"):
		return n.Args[0]
	}
	return nil
}

// inGenerated says whether a program writes a declaration of an entity.
func (e *entity) inGenerated() bool {
	return slices.ContainsFunc(e.uses, func(o *occurrence) bool { return o.decl && o.file.program })
}

// related says whether an object of an entity is made of the family of a kind.
func (p *decider) related(e *entity, tg *target) bool {
	_, isPackage := e.key.(packageKey)
	asserted := p.t.Info.Uses[called(e.gets)]
	return asserted != nil && tg.is(p.seeds[asserted.Pos()]) || !isPackage && slices.ContainsFunc(e.objs, func(obj types.Object) bool {
		of, funcs := obj.Type(), []*types.Func(nil)
		switch obj := obj.(type) {
		case *types.TypeName:
			if named, ok := of.(*types.Named); ok {
				funcs = slices.Collect(named.Methods())
			}
			of = of.Underlying()
		case *types.Func:
			funcs = []*types.Func{obj}
		}
		return tg.is(p.seeds[obj.Pos()]) || p.mentions(of, tg) || slices.ContainsFunc(funcs, func(fn *types.Func) bool { return p.usesFamily(fn, tg) })
	})
}

// mentions says whether a type, as it is spelled, has a type of the family in it: also in
// its parameters, fields and methods, and in the receiver of a method; not in what an interface embeds.
func (p *decider) mentions(t types.Type, tg *target) bool {
	if of, ok := t.(*types.Interface); ok {
		return slices.ContainsFunc(slices.Collect(of.ExplicitMethods()), func(m *types.Func) bool { return p.mentions(m.Type(), tg) })
	}
	text := types.TypeString(t, nil)
	if fn, ok := t.(*types.Signature); ok && fn.Recv() != nil {
		text += " " + types.TypeString(fn.Recv().Type(), nil)
	}
	data := []byte(text)
	for name, of := range p.members {
		for at := range source.All(data, name) {
			if tg.is(of) && !wordAt(text, at+len(name)) {
				return true
			}
		}
	}
	return false
}

// seed makes a type one of the family of a kind.
func (p *planner) seed(obj *types.TypeName, tg *target) {
	p.seeds[obj.Pos()] = tg
	p.members[obj.Pkg().Path()+"."+obj.Name()] = tg
}

// is says whether another target, nil for none, is of the same kind: there may be a rule for each version.
func (tg *target) is(other *target) bool { return other != nil && other.rule.Kind == tg.rule.Kind }

// usesFamily says whether the tree declares a function that uses a type of the family.
func (p *decider) usesFamily(fn *types.Func, tg *target) bool {
	decl := p.funcs[fn.Origin().Pos()]
	if decl == nil {
		return false
	}
	for n := range ast.Preorder(decl) {
		id, _ := n.(*ast.Ident)
		if obj, ok := p.t.Info.Uses[id].(*types.TypeName); ok && tg.is(p.seeds[obj.Pos()]) {
			return true
		}
	}
	return false
}

// editIdentifiers changes what was decided.
func (p *decider) editIdentifiers() {
	for _, o := range p.uses {
		if !o.entity.renamed {
			continue
		}
		to := o.entity.to(o.id.Name)
		if k, ok := o.entity.key.(packageKey); ok && o.id != o.file.AST.Name {
			to = cmp.Or(p.local[imported{o.file, k.path}], to)
		}
		start := p.at(o.id.Pos())
		p.edit(o.file.Path, start, start+len(o.id.Name), o.id.Name, to)
	}
}

// holdTaken keeps names whose new spelling means something else already.
func (p *decider) holdTaken() {
	for _, e := range p.order {
		if _, ok := e.key.(packageKey); ok || !e.renamed {
			continue
		}
		if pos, why := p.conflict(e); why != "" && !p.takesOther(e) {
			e.renamed = false
			p.review("name-taken", "", pos, len(e.uses), "rename one of both (gopls rename), then run again",
				"it is not renamed to %q: %s", e.to(e.name), why).Text = e.name
		}
	}
}

// takesOther gives an import whose new name is taken another one, or leaves it its name.
func (p *decider) takesOther(e *entity) bool {
	imp, ok := e.objs[0].(*types.PkgName)
	if !ok {
		return false
	}
	f, pkg := e.uses[0].file, imp.Imported().Path()
	i := slices.IndexFunc(f.AST.Imports, func(s *ast.ImportSpec) bool { return s.Name != nil && s.Name.Pos() == imp.Pos() })
	if i < 0 {
		return false
	}
	alias := p.freeAlias(f, f.AST.Imports[i], e, pkg)
	e.to = func(string) string { return alias }
	e.renamed = alias != e.name
	return true
}

// conflict says why an entity cannot have its new name, and where. What would not compile
// in another way is found when the plan is verified.
func (p *decider) conflict(e *entity) (token.Pos, string) {
	to := e.to(e.name)
	if token.IsKeyword(to) || types.Universe.Lookup(to) != nil {
		return e.uses[0].id.Pos(), fmt.Sprintf("%q is a word of Go", to)
	}
	for _, obj := range e.objs {
		scope := obj.Parent()
		if scope == nil {
			continue
		}
		if pkg := p.t.byPkg[obj.Pkg().Path()]; pkg != nil && len(pkg.Broken) > 0 && scope == obj.Pkg().Scope() {
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
func (p *decider) inTheWay(o *occurrence, to string) (have types.Object) {
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
func (p *identifiers) entityOf(obj types.Object) *entity {
	if obj != nil {
		if e := p.entities[p.keyOfObject(obj, p.propose(obj.Name()))]; e != nil && e.renamed {
			return e
		}
	}
	return nil
}
