package find

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// What finds names is told how names look, and nothing of what becomes of them.
func TestKnowsNoRule(t *testing.T) {
	names := []string{"GVK", "APIVersion", "KindName", "ServedKind", "PluralName", "Plurals"}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range files {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			x, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := x.X.(*ast.Ident); ok && pkg.Name == "rules" && !slices.Contains(names, x.Sel.Name) {
				t.Errorf("%s uses rules.%s", e.Name(), x.Sel.Name)
			}
			return true
		})
	}
}
