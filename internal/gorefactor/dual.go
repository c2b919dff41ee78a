package gorefactor

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// While two groups are served, each needs a package of its own: a scheme maps a struct to one
// kind. Source: PCF-ADR-0005; runtime.Scheme.AddKnownTypeWithName of k8s.io/apimachinery.

// Dual are the API packages of groups that rules change, while both groups are served.
type Dual struct {
	p     *planner
	rules []Rule
	Old   []string // folders of packages whose counterpart is in the tree already
	Fresh []string // of those that have none yet
	Plan  *Plan    // that changes nothing, until packages are copied
	fresh []*twin
}

// Dual finds the packages of the rules, and structs that are registered as two kinds.
func (t *Tree) Dual(rules []Rule) *Dual {
	d := &Dual{rules: rules, Plan: &Plan{Edits: map[string][]source.Edit{}, Create: map[string][]byte{}}}
	d.p = &planner{t: t, plan: d.Plan}
	apis := t.APIs(rules)
	for _, a := range apis {
		to, ok := a.newGroup(rules)
		if !ok || to == a.Group {
			continue
		}
		if slices.ContainsFunc(apis, func(other *API) bool { return other.Group == to && d.counterpart(a, other) }) {
			d.Old = append(d.Old, a.Package.Dir)
		} else {
			d.fresh, d.Fresh = append(d.fresh, &twin{api: a, group: to}), append(d.Fresh, a.Package.Dir)
		}
	}
	d.registeredTwice()
	return d
}

// counterpart says whether an API of the new group has what the rules make of another.
func (d *Dual) counterpart(a, other *API) bool {
	return !slices.ContainsFunc(a.Kinds, func(k string) bool {
		r := a.rule(d.rules, k)
		return other.Version != cmp.Or(r.ToVersion, a.Version) || !slices.Contains(other.Kinds, cmp.Or(r.ToKind, k))
	})
}

// UsesScheme says whether the bodies of the functions of a file are needed for Dual.
func UsesScheme(_ string, data []byte) bool {
	return bytes.Contains(data, []byte("AddToScheme")) || bytes.Contains(data, []byte(".Register(&"))
}

// Copy adds a package for each that has none in the new group, and its registration.
// After is a file as it is when the old group is replaced: its path and content.
func (d *Dual) Copy(after func(name string) (to string, data []byte, err error)) *Plan {
	d.Plan.Review = append(d.Plan.Review, d.p.t.Broken...)
	copier{newIdentifiers(d.p)}.copy(d.fresh, after)
	for _, name := range slices.Sorted(maps.Keys(d.Plan.Edits)) {
		d.Plan.Edits[name] = settle(d.Plan.Edits[name])
	}
	sortEntries(d.Plan.Review)
	return d.Plan
}

// registeredTwice reports structs that are registered as kinds of two groups, one of the rules.
func (d *Dual) registeredTwice() {
	t, first := d.p.t, map[types.Object]string{}
	values := t.values()
	ofRules := func(gv string) bool {
		return slices.ContainsFunc(d.rules, func(r Rule) bool { return r.Group == path.Dir(gv) || r.toGroup() == path.Dir(gv) })
	}
	for f := range t.each {
		if f.Test {
			continue
		}
		for n := range ast.Preorder(f.AST) {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !takesTypes(call.Fun) || calledName(call.Fun) == "append" {
				continue
			}
			of := call.Args[0] // AddKnownTypes(GroupVersion, &Widget{})
			if calledName(call.Fun) == "Register" {
				of = call.Fun // SchemeBuilder.Register(&Widget{})
			}
			gv := t.groupVersion(of, values, 0)
			for _, arg := range call.Args {
				obj, ok := t.Info.Uses[called(pointed(arg))].(*types.TypeName)
				if !ok || gv == "" || obj.Pkg() == nil || t.byPkg[obj.Pkg().Path()] == nil {
					continue
				}
				if was, again := first[obj]; !again {
					first[obj] = gv
				} else if was != gv && (ofRules(was) || ofRules(gv)) {
					d.p.review("two-kinds", f.Path, call.Pos(), 1, fmt.Sprintf("declare a struct for %s in a package of its own: cfctl migrate --mode dual --go-version-package=copy", gv),
						"%s is registered as a kind of %s and of %s, but a scheme has one kind for each struct", obj.Name(), was, gv)
				}
			}
		}
	}
}

// values are the expressions that variables of the tree are declared with.
func (t *Tree) values() map[types.Object]ast.Expr {
	values := map[types.Object]ast.Expr{}
	for f := range t.each {
		for n := range ast.Preorder(f.AST) {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i := range min(len(spec.Names), len(spec.Values)) {
					values[t.Info.Defs[spec.Names[i]]] = spec.Values[i]
				}
			}
		}
	}
	return values
}

// groupVersion is the GROUP/VERSION of the first literal with both in an expression, "" for none.
func (t *Tree) groupVersion(e ast.Expr, values map[types.Object]ast.Expr, depth int) (gv string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if group, version := t.field(n, "Group"), t.field(n, "Version"); group != "" && version != "" {
				gv = group + "/" + version
			}
		case *ast.Ident:
			if value := values[t.Info.Uses[n]]; value != nil && depth < 4 {
				gv = cmp.Or(gv, t.groupVersion(value, values, depth+1))
			}
		}
		return gv == ""
	})
	return gv
}
