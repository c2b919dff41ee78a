package migrate

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/project-codeflare/cfctl/internal/gorefactor"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// renames are the commands by which gopls renames what a plan renames in Go code, one for each declaration.
// What is farther on its line comes first, so that no command moves what a later one names. A method of an
// interface is renamed with those that implement it.
func renames(t *gorefactor.Tree, made *gorefactor.Plan) (commands []string) {
	type name struct {
		at         token.Position
		to, method string
	}
	var list []name
	joined := map[string]bool{}
	for id, obj := range t.Info.Defs {
		at := t.Fset.PositionFor(id.Pos(), false)
		i := slices.IndexFunc(made.Edits[at.Filename], func(e source.Edit) bool { return e.Start == at.Offset && e.Old == id.Name })
		if v, _ := obj.(*types.Var); i < 0 || obj == nil || v != nil && v.Embedded() {
			continue
		}
		n := name{at: at, to: made.Edits[at.Filename][i].New}
		if fn, ok := obj.(*types.Func); ok && fn.Signature().Recv() != nil {
			if types.IsInterface(fn.Signature().Recv().Type()) {
				joined[id.Name] = true
			} else {
				n.method = id.Name
			}
		}
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b name) int {
		return cmp.Or(b.at.Column-a.at.Column, cmp.Compare(a.at.Filename, b.at.Filename), a.at.Line-b.at.Line)
	})
	for _, n := range list {
		if !joined[n.method] {
			commands = append(commands, report.Shell("gopls", "rename", "-w", "--", fmt.Sprintf("%s:%d:%d", n.at.Filename, n.at.Line, n.at.Column), n.to))
		}
	}
	return commands
}
