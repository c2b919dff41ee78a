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
// widgetReconciler and TestNewWidget, where the tree has WidgetReconciler and NewWidget.
func (p *decider) follow() {
	names := slices.Sorted(maps.Keys(p.familyNames()))
	for _, e := range p.order {
		if e.renamed || !p.mayFollow(e) || !p.followsName(e, names) || p.opt.Off["follows-name"] {
			continue
		}
		e.to = func(name string) string { name, _ = p.set.Rename(name); return name }
		e.renamed = true
	}
}

// mayFollow says whether an entity has a kind in its name, and may be renamed alone.
func (p *decider) mayFollow(e *entity) bool {
	_, alone := e.key.(token.Pos)
	if !alone || len(e.words) == 0 || !e.declared() || p.serialized(e) || e.inGenerated() {
		return false
	}
	if e.isLocal() && !e.ofType && !p.opt.Off["longer-name"] && slices.ContainsFunc(e.words, func(k *kindwords.Kind) bool { return kindwords.Contains(k.New, k.Old) }) {
		return false // as in ofKind
	}
	return !slices.ContainsFunc(e.words, func(k *kindwords.Kind) bool { return p.targets[k].rule.Surface }) &&
		!slices.ContainsFunc(e.objs, func(obj types.Object) bool {
			_, isVar := obj.(*types.Var)
			_, isConst := obj.(*types.Const)
			_, isFunc := obj.(*types.Func)
			return !isVar && !isConst && !(isFunc && isTest(e.name))
		})
}

// followsName says whether the name of a variable ends with one of some names, or that of a
// test has one in it, with all that it has of kinds.
func (p *decider) followsName(e *entity, names []string) bool {
	edits := p.set.Find(e.name, kindwords.Ident)
	return len(edits) == 1 && slices.ContainsFunc(names, func(name string) bool {
		i := strings.Index(strings.ToLower(e.name), strings.ToLower(name))
		end := i + len(name)
		return i >= 0 && i <= edits[0].Start && edits[0].End <= end && (i == 0 || ast.IsExported(e.name[i:])) &&
			(end == len(e.name) || isTest(e.name) && !isLower(e.name[end]))
	})
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark")
}
