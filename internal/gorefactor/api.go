package gorefactor

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// An API is a package that registers the kinds of a version of a group.
type API struct {
	Package        *Package
	Group, Version string // empty: not known
	Kinds          []string

	above *Package // that has the constant of the group, nil for its own
	names []registeredName

	named bool // its marker +groupGoName names generated clients
}

// A registeredName is that of a kind whose Go type has another one.
type registeredName struct {
	kind, goType string
	pos          token.Pos
}

var (
	groupMarker = lazyregexp.New(`(?m)^\s*//\s*\+groupName=([A-Za-z0-9.-]+)`)
	nameMarker  = lazyregexp.New(`(?m)^\s*//\s*\+groupGoName=`)
)

// registers says whether a file may register kinds: its bodies are read.
func registers(data []byte) bool {
	return bytes.Contains(data, []byte("AddKnownType")) || bytes.Contains(data, []byte("chemeBuilder")) || bytes.Contains(data, []byte("objectTypes"))
}

// APIs are the packages that register kinds, or declare one of a rule in its group, sorted by path.
func (t *Tree) APIs(rules []Rule) []*API {
	var apis []*API
	values := t.values()
	for _, p := range t.Packages {
		if strings.HasSuffix(p.Path, "_test") || p.Types == nil {
			continue
		}
		a := &API{Package: p}
		kinds := map[string]bool{}
		for _, f := range p.Files {
			if !f.Test {
				t.readAPI(f, a, kinds)
			}
		}
		t.readGroup(a, values)
		for _, r := range rules {
			kind := map[string]string{r.toGroup(): cmp.Or(r.ToKind, r.Kind), r.Group: r.Kind}[a.Group]
			if _, ok := p.Types.Scope().Lookup(kind).(*types.TypeName); ok {
				kinds[kind] = true
			}
		}
		if a.Kinds = slices.Sorted(maps.Keys(kinds)); len(a.Kinds) > 0 && a.Group != "" {
			if a.Version == "" && versionWord.MatchString(p.Name) {
				a.Version = p.Name
			}
			apis = append(apis, a)
		}
	}
	return apis
}

var versionWord = lazyregexp.New(`^v[1-9][0-9]*((alpha|beta|api)[1-9][0-9]*)?(preview)?$`)

// readAPI adds what a file says of the API of its package.
func (t *Tree) readAPI(f *File, a *API, kinds map[string]bool) {
	for n := range ast.Preorder(f.AST) {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if st, ok := spec.Type.(*ast.StructType); ok && embeds(st, "TypeMeta") && embeds(st, "ObjectMeta") {
				kinds[spec.Name.Name] = true
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || !takesTypes(call.Fun) {
			continue
		}
		for _, arg := range call.Args {
			if id, ok := pointed(arg).(*ast.Ident); ok && !strings.HasSuffix(id.Name, "List") {
				if _, ok := a.Package.Types.Scope().Lookup(id.Name).(*types.TypeName); ok {
					kinds[id.Name] = true
					if with, ok := call.Args[0].(*ast.CallExpr); ok && calledName(with.Fun) == "WithKind" && len(with.Args) == 1 && t.text(with.Args[0]) != id.Name {
						a.names = append(a.names, registeredName{t.text(with.Args[0]), id.Name, with.Args[0].Pos()})
					}
				}
			}
		}
	}
}

// readGroup finds the group and the version of a package: its variable
// GroupVersion or SchemeGroupVersion, or its marker.
func (t *Tree) readGroup(a *API, values map[types.Object]ast.Expr) {
	for _, f := range a.Package.Files {
		a.Group, a.named = cmp.Or(a.Group, f.group), a.named || f.named
	}
	for _, name := range []string{"GroupVersion", "SchemeGroupVersion"} {
		if lit, ok := values[a.Package.Types.Scope().Lookup(name)].(*ast.CompositeLit); ok {
			a.Group, a.Version = cmp.Or(t.field(lit, "Group"), a.Group), t.field(lit, "Version")
			for n := range ast.Preorder(lit) {
				id, _ := n.(*ast.Ident)
				if c, ok := t.Info.Uses[id].(*types.Const); ok && c.Pkg() != a.Package.Types && constantOf(c) == a.Group {
					a.above = t.byPkg[c.Pkg().Path()]
				}
			}
		}
	}
}

// embeds says whether a struct embeds a type of any package by its name.
func embeds(s *ast.StructType, name string) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return f.Names == nil && calledName(f.Type) == name })
}

// takesTypes says whether a function takes the types that a scheme gets.
func takesTypes(fun ast.Expr) bool {
	return slices.Contains([]string{"AddKnownTypes", "Register", "append", "AddKnownTypeWithName"}, calledName(fun))
}

// called is the last name of an expression, nil for none.
func called(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.StarExpr:
		return called(e.X)
	}
	return nil
}

func calledName(e ast.Expr) string {
	if id := called(e); id != nil {
		return id.Name
	}
	return ""
}

// pointed is the T of &T{}, nil for anything else.
func pointed(e ast.Expr) ast.Expr {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		if c, ok := u.X.(*ast.CompositeLit); ok {
			return c.Type
		}
	}
	return nil
}

// field is the text of a field of a literal, empty if it is not constant.
func (t *Tree) field(c *ast.CompositeLit, name string) string {
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && calledName(kv.Key) == name {
			return t.text(kv.Value)
		}
	}
	return ""
}

// text is the value of a constant string expression.
func (t *Tree) text(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	return constantOf(t.Info.Uses[called(e)])
}

// constantOf is the text of a constant.
func constantOf(obj types.Object) string {
	if c, ok := obj.(*types.Const); ok && c.Val() != nil && c.Val().Kind() == constant.String {
		return constant.StringVal(c.Val())
	}
	return ""
}
