package gorefactor

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
)

// follow renames what is named after something that is renamed, whatever its type: a field
// widgetReconciler and TestNewWidget, where the tree has WidgetReconciler and NewWidget; a
// variable that is nothing but an argument of such a function.
func (p *planner) follow() {
	names := slices.Sorted(maps.Keys(p.familyNames()))
	given := p.given()
	for _, e := range p.order {
		if e.renamed || !p.mayFollow(e) || !(p.followsName(e, names) && !p.opt.Off["follows-name"]) && !(given[e] && !p.opt.Off["argument"]) {
			continue
		}
		e.to = func(name string) string { name, _ = p.set.Rename(name); return name }
		e.renamed = true
	}
}

// mayFollow says whether an entity has a kind in its name, and may be renamed alone.
func (p *planner) mayFollow(e *entity) bool {
	if len(e.words) == 0 || !e.declared() || p.serialized(e) || e.inGenerated() {
		return false
	}
	if _, alone := e.key.(token.Pos); !alone {
		return false
	}
	if e.isLocal() && !e.ofType && !p.opt.Off["longer-name"] && slices.ContainsFunc(e.words, func(k *kindwords.Kind) bool { return kindwords.Contains(k.New, k.Old) }) {
		return false // as in ofKind
	}
	return !slices.ContainsFunc(e.words, func(k *kindwords.Kind) bool { return p.targets[k].rule.Surface }) &&
		!slices.ContainsFunc(e.objs, func(obj types.Object) bool {
			switch obj.(type) {
			case *types.Var, *types.Const:
				return false
			case *types.Func:
				return !isTest(e.name)
			}
			return true
		})
}

// followsName says whether the name of a variable ends with one of some names, or that of a
// test has one in it, with all that it has of kinds.
func (p *planner) followsName(e *entity, names []string) bool {
	edits := p.set.Find(e.name, kindwords.Ident)
	if len(edits) != 1 {
		return false
	}
	return slices.ContainsFunc(names, func(name string) bool {
		i := strings.Index(strings.ToLower(e.name), strings.ToLower(name))
		end := i + len(name)
		return i >= 0 && i <= edits[0].Start && edits[0].End <= end && (i == 0 || ast.IsExported(e.name[i:])) &&
			(end == len(e.name) || isTest(e.name) && !isLower(e.name[end]))
	})
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark")
}

// given are the variables and constants that are used as arguments of renamed functions alone.
func (p *planner) given() map[*entity]bool {
	of, left := map[*ast.Ident]*entity{}, map[*entity]int{} // uses that are something else
	for _, o := range p.uses {
		of[o.id] = o.entity
		if !o.decl {
			left[o.entity]++
		}
	}
	is := map[*entity]bool{}
	for f := range p.t.each {
		for n := range ast.Preorder(f.AST) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			if e := of[called(call.Fun)]; e == nil || !e.renamed || len(e.words) == 0 {
				continue
			}
			for _, arg := range call.Args {
				if id, ok := arg.(*ast.Ident); ok && of[id] != nil {
					left[of[id]]--
					is[of[id]] = left[of[id]] == 0
				}
			}
		}
	}
	return is
}
