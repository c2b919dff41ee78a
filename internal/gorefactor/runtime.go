package gorefactor

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// runtimeNames notes the names in strings of programs that running clusters have too: those with
// underscores, as of metrics, and those that are completed at run time, "widgetset-%s", which
// need review. Tests and the names of loggers do not tell of such names.
func (p *planner) runtimeNames() {
	for _, name := range p.t.Paths {
		f := p.t.files[name]
		if f == nil || !f.Full || strings.HasSuffix(name, "_test.go") || vendored(name) {
			continue
		}
		ast.Inspect(f.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.CallExpr:
				called, ok := n.Fun.(*ast.SelectorExpr)
				return !ok || called.Sel.Name != "WithName"
			case *ast.CompositeLit:
				full := ""
				for _, lit := range metricParts(n) {
					if full = strings.TrimPrefix(full+"_"+strings.Trim(lit.Value, "\""), "_"); len(p.set.Find(lit.Value, kindwords.Literal)) > 0 {
						p.metrics = append(p.metrics, full)
					}
				}
			case *ast.BasicLit:
				for _, e := range p.set.Find(n.Value, kindwords.Literal) {
					p.runtimeName(n, e)
				}
			}
			return true
		})
	}
}

// metricParts are the strings of which the options of a metric make its name.
func metricParts(n *ast.CompositeLit) []*ast.BasicLit {
	var parts []*ast.BasicLit
	if t, ok := n.Type.(*ast.SelectorExpr); !ok || !strings.HasSuffix(t.Sel.Name, "Opts") {
		return nil
	}
	for _, x := range n.Elts {
		field, ok := x.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := field.Key.(*ast.Ident)
		if lit, ok := field.Value.(*ast.BasicLit); ok && key != nil && slices.Contains([]string{"Namespace", "Subsystem", "Name"}, key.Name) {
			parts = append(parts, lit)
		}
	}
	return parts
}

func (p *planner) runtimeName(lit *ast.BasicLit, e kindwords.Edit) {
	text, word := lit.Value, wordAround(lit.Value, e)
	if old := text[e.Start:e.End]; old != strings.ToLower(old) || strings.Contains(word, ".") {
		return // a word of Go, a file or an API
	}
	switch {
	case completed.MatchString(text[:e.Start]+"\x00"+text[e.End:]) && !strings.Contains(text, "/"):
		if !slices.Contains(p.affixes, word) {
			p.affixes = append(p.affixes, word)
		}
		x := p.review("run-time-name", "", lit.Pos(), 1, "write the new name if no cluster has objects of the old one, or keep it with a comment cfctl:keep REASON",
			"a name is made of it at run time, and running clusters may have such names")
		x.Text = word
	case isMetric(text, e):
		p.kept[word], p.metrics = true, append(p.metrics, word)
	}
}

// completed is a name that a verb or another string completes, with \x00 for its kind.
var completed = lazyregexp.New(`(^["` + "`" + `]|%[a-z])[-_]\x00|\x00[-_](["` + "`" + `]$|%)`)

// isOfMetric says whether a word is the name of a metric, as an alert has it.
func (p *planner) isOfMetric(word string) bool {
	return !strings.ContainsAny(word, "-.") && slices.ContainsFunc(p.metrics, func(x string) bool { return strings.HasPrefix(word, x+"_") || strings.Contains(x, "_") && word == x })
}

// isAffixed says whether a word of a string is a name that a program completes.
func (p *planner) isAffixed(word string) bool {
	return slices.ContainsFunc(p.affixes, func(x string) bool {
		return word == x || strings.HasPrefix(word, x) && strings.ContainsAny(x[len(x)-1:], "-_")
	})
}
