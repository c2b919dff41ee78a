package gorefactor

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A namedAt is a name with separators, such as widget-set-server, that has a spelling of a kind.
type namedAt struct {
	word string // the name of a flag without its dashes
	path string
	at   int
}

func named(name string, at int, text string, e kindwords.Edit) namedAt {
	return namedAt{strings.Trim(wordAround(text, e), "-_."), name, at + e.Start}
}

// isUse says whether an edit is of a name with separators that a program, a script or a
// document uses. Comments do not, and in documents underscores are those of other formats.
func (p *planner) isUse(name, text string, e kindwords.Edit, in kindwords.Context) bool {
	document := slices.Contains([]string{".md", ".adoc", ".asciidoc", ".rst", ".txt"}, path.Ext(name))
	return strings.ContainsAny(text[e.Start:e.End], "-_") && !p.isFile(text, e) && (in == kindwords.Literal || path.Ext(name) != ".go") && !(e.Snake && document)
}

// reviewNames adds an entry for each YAML or JSON file with names that are renamed elsewhere,
// as a flag in Go code or a name in a script. A name that nothing renames is right as it is.
func (p *planner) reviewNames() error {
	entries := map[string]int{} // of a file: the index of its entry
	for _, x := range p.objects {
		y, ok := p.renamed[x.word]
		if _, key, isKey := strings.Cut(x.word, "."); !ok && isKey { // trigger.on-widget-set
			y, ok = p.renamed[key]
		}
		if !ok {
			continue
		}
		if e, ok := entries[x.path]; ok {
			p.plan.Review[e].N++
			continue
		}
		pos := [2]source.Position{}
		for k, n := range []namedAt{x, y} {
			text, err := p.t.read(n.path)
			if err != nil {
				return err
			}
			pos[k] = source.PositionAt(text, n.at)
		}
		entries[x.path] = len(p.plan.Review)
		e := p.review("separated", x.path, token.NoPos, 1, "rename it here too if both are the same name, else undo the change there",
			"%s is renamed at %s:%d, and not here", y.word, y.path, pos[1].Line)
		e.Pos, e.Text = pos[0], x.word
	}
	return nil
}

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
			case *ast.BasicLit:
				for _, e := range p.set.Find(n.Value, kindwords.Literal) {
					p.runtimeName(n, e)
				}
			}
			return true
		})
	}
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
		p.metrics[word] = true
	}
}

// completed is a name that a verb or another string completes, with \x00 for its kind.
var completed = lazyregexp.New(`(^["` + "`" + `]|%[a-z])[-_]\x00|\x00[-_](["` + "`" + `]$|%)`)

// isRuntimeName says whether an edit is in a name that running clusters have.
func (p *planner) isRuntimeName(text string, e kindwords.Edit, in kindwords.Context) bool {
	word := wordAround(text, e)
	return p.metrics[word] || in == kindwords.Literal && slices.ContainsFunc(p.affixes, func(x string) bool {
		return word == x || strings.HasPrefix(word, x) && strings.ContainsAny(x[len(x)-1:], "-_")
	})
}
