package migrate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/judge"
)

// Every reason that the code gives is in the list, and every one of the list is
// given somewhere.
func TestReasonsAreGiven(t *testing.T) {
	given := map[string]string{judge.Splits: "judge", judge.Branches: "judge", judge.Removed: "judge", judge.Shared: "judge"}
	for _, g := range judge.Guards {
		given[judge.ReasonOf(g.ID)] = "guard " + g.ID
	}
	for _, room := range []string{".", "edit", "find", "judge"} {
		eachNode(t, room, func(at string, n ast.Node) {
			switch n := n.(type) {
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Keep", "Leave", "LeaveTo", "acknowledged"}, sel.Sel.Name) && len(n.Args) > 1 {
					note(given, n.Args[0], at)
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Reason" {
					note(given, n.Value, at)
				}
			case *ast.CompositeLit:
				if name, ok := n.Type.(*ast.Ident); ok && name.Name == "Place" && has(n, "Why") != has(n, "Reason") {
					t.Errorf("%s says why its sites stay, and gives no reason, or the other way round", at)
				}
			case *ast.ValueSpec:
				if slices.Contains([]string{"Configured", "bothGranted"}, n.Names[0].Name) {
					note(given, n.Values[0], at)
				}
			}
		})
	}
	for id, at := range given {
		if !slices.ContainsFunc(reasons, func(r reasonInfo) bool { return r.ID == id }) {
			t.Errorf("%s gives %q, which is not in the list", at, id)
		}
	}
	for _, r := range reasons {
		if given[r.ID] == "" {
			t.Errorf("nothing gives the reason %q", r.ID)
		}
	}
}

// has says whether a literal has a field.
func has(lit *ast.CompositeLit, field string) bool {
	return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := kv.Key.(*ast.Ident)
		return ok && key.Name == field
	})
}

func note(given map[string]string, e ast.Expr, at string) {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if id, _ := strconv.Unquote(lit.Value); id != "" {
			given[id] = at
		}
	}
}

// eachNode visits the code of a package of this room, without its tests.
func eachNode(t *testing.T, dir string, visit func(at string, n ast.Node)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %v", dir, err)
	}
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				visit(files.Position(n.Pos()).String(), n)
			}
			return true
		})
	}
}

// What becomes of a place is said once: the action of an outcome is set by one
// function, and no stage writes over the outcome of a site.
func TestOutcomesAreMadeOnce(t *testing.T) {
	setters := 0
	for _, room := range []string{".", "edit"} {
		eachNode(t, room, func(at string, n ast.Node) {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, left := range n.Lhs {
					sel, ok := left.(*ast.SelectorExpr)
					switch {
					case !ok:
					case sel.Sel.Name == "action":
						setters++
					case room == "." && sel.Sel.Name == "Outcome":
						t.Errorf("%s writes over the outcome of a site", at)
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && room == "edit" && key.Name == "action" {
					t.Errorf("%s sets an action", at)
				}
			}
		})
	}
	if setters != 2 { // the second takes over those of the new core
		t.Errorf("the action of an outcome is set at %d places", setters)
	}
}
