package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/project-codeflare/cfctl/"

// layers is the architecture: a package imports only packages of lower layers.
var layers = map[string]int{
	"cmd/cfctl":          11,
	"internal/migration": 10,
	"internal/project":   9,
	"internal/config":    8,
	"internal/campaign":  7,
	"internal/chain":     7,
	"internal/objects":   7,
	"internal/release":   7,
	"internal/olm":       6,
	"internal/propose":   6,
	"internal/train":     6,
	"internal/fetch":     5,
	"internal/matrix":    5,
	"internal/migrate":   5,
	"internal/notes":     5,
	"internal/forge":     4,
	"internal/git":       4,
	"internal/registry":  4,
	"internal/report":    3,
	"internal/stack":     3,
	"internal/versions":  2,
	"internal/wire":      3,
	"internal/strict":    2,
	"internal/ledger":    2,
	"internal/source":    1,
	"internal/trust":     2,
	"internal/spelling":  0,

	"internal/gorefactor": 4,
	"internal/gocmd":      0,
	"internal/charts":     2,
	"internal/kindwords":  2,

	"internal/lazyregexp":       0,
	"internal/lists":            0,
	"internal/testing/memtest":  0,
	"internal/testing/racetest": 0,
	"internal/testing":          0,
}

// anywhere is what even packages that are kept apart may import: a spelling of
// regexp, and what package slices lacks.
var anywhere = []string{"internal/lazyregexp", "internal/lists"}

// confined says where a package may be imported: a path prefix of the package,
// and the packages or files that may have it. Third-party ones have one place; a
// forge is chosen where a repository is connected, all others know what forges can do.
var confined = map[string][]string{
	module + "internal/forge/gitea":          {"internal/project/", "internal/forge/gitea/"},
	module + "internal/forge/github":         {"cmd/cfctl/", "internal/project/", "internal/campaign/", "internal/forge/github/"},
	"github.com/spf13/":                      {"cmd/cfctl/"},
	"github.com/google/go-github/":           {"internal/forge/github/"},
	"github.com/google/go-containerregistry": {"internal/registry/", "internal/olm/"},
	"k8s.io/client-go":                       {"internal/objects/"},
	"github.com/go-sql-driver/":              {"internal/objects/"},
	"github.com/aws/":                        {"internal/objects/"},
	"github.com/rhysd/actionlint":            {"internal/release/"},
	"sigs.k8s.io/kustomize/api":              {"internal/olm/"},
	"text/template":                          {"nowhere: see TestTemplatesAreNotExecuted"},
	"html/template":                          {"nowhere: see TestTemplatesAreNotExecuted"},
}

// templates are the packages of others that import a template package, and why no template is executed for them. A template
// calls methods by names that it reads, so that the linker must keep every exported method of every type: with one,
// the binary is a fifth larger, and every command begins with as much more memory.
var templates = map[string]string{
	"html/template":               "of the standard library",
	"github.com/rhysd/actionlint": "for forms of its own findings that are given as a template",
	"github.com/spf13/cobra":      "for commands that set a template of their own",
	"github.com/spf13/cast":       "for the types of strings that are HTML",
	"github.com/wneessen/go-mail": "for bodies that are given as a template",
}

// TestTemplatesAreNotExecuted lists who could bring the template packages into
// the binary. TestBinary, with the tag e2e, looks into the binary itself.
func TestTemplatesAreNotExecuted(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if pkg, imp, _ := strings.Cut(strings.TrimSpace(line), " "); imp == "text/template" || imp == "html/template" {
			seen[pkg] = true
			if templates[pkg] == "" {
				t.Errorf("%s imports %s: does it execute a template?", pkg, imp)
			}
		}
	}
	for pkg := range templates {
		if !seen[pkg] {
			t.Errorf("%s imports no template package any more", pkg)
		}
	}
}

// apart says all that a package may import of this module: the train knows no
// step, and nothing that steps work on; the proof of a migration shares nothing with what makes it, text knows no rule, rules know
// no format, and what finds names knows nothing of what decides about them.
var apart = map[string][]string{
	"internal/train":               {"internal/ledger", "internal/report", "internal/source", "internal/wire"},
	"internal/migrate/text":        {"internal/source"},
	"internal/migrate/rules":       {"internal/strict", "internal/source", "internal/spelling"},
	"internal/migrate/shape":       {"internal/migrate/core/syntax", "internal/migrate/rules", "internal/migrate/text", "internal/source"},
	"internal/migrate/author":      {"internal/kindwords", "internal/migrate", "internal/migrate/rules", "internal/report", "internal/source", "internal/spelling", "internal/strict"},
	"internal/migrate/core/syntax": {"internal/migrate/text", "internal/source"},
	"internal/migrate/core/names":  {"internal/migrate/rules", "internal/source", "internal/source/find"},
	"internal/migrate/core/index":  {"internal/migrate/rules"}, // the usual plural of a kind
	"internal/migrate/core/refs":   {"internal/migrate/core/index", "internal/migrate/core/names", "internal/migrate/core/syntax", "internal/migrate/rules", "internal/source"},
	"internal/migrate/core/judge":  {"internal/migrate/core/names", "internal/migrate/core/refs", "internal/migrate/core/syntax", "internal/migrate/text", "internal/source", "internal/spelling"},
	"internal/migrate/core/prove":  {"internal/migrate/rules", "internal/source"},
}

// layered is the package of the layers that a package belongs to.
func layered(pkg string) (string, bool) {
	for r := range layers {
		if pkg == r || strings.HasPrefix(pkg, r+"/") {
			return r, true
		}
	}
	return "", false
}

func TestImports(t *testing.T) {
	root := "../.."
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == ".cache" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		rel, _ := filepath.Rel(root, file)
		checkFile(t, filepath.ToSlash(rel), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// longest is the most lines of a file: what is longer holds more than one thing.
const longest = 500

func checkFile(t *testing.T, rel, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(data, []byte("\n")); n > longest {
		t.Errorf("%s has %d lines, the limit is %d: split it by what it holds", rel, n, longest)
	}
	here, known := layered(path.Dir(rel))
	if !known {
		t.Errorf("%s: %s is in no layer", rel, path.Dir(rel))
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, data, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(rel, "_test.go") && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"regexp"` }) {
		checkStart(t, rel, file)
	}
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		if own, ok := strings.CutPrefix(imp, module); ok {
			if only, ok := apart[path.Dir(rel)]; ok && !slices.Contains(anywhere, own) && !strings.HasSuffix(rel, "_test.go") && !slices.Contains(only, own) {
				t.Errorf("%s imports %s; it is to share nothing but %s", rel, own, strings.Join(only, ", "))
			}
			there, _ := layered(own)
			if there != here && layers[there] >= layers[here] {
				t.Errorf("%s: %s (layer %d) imports %s (layer %d)", rel, here, layers[here], there, layers[there])
			}
		}
		if strings.HasPrefix(imp, module) && (strings.HasSuffix(imp, "test") || strings.HasPrefix(imp, module+"internal/testing/")) && !strings.HasSuffix(rel, "_test.go") {
			t.Errorf("%s imports %s, which is for tests", rel, imp)
		}
		for prefix, allowed := range confined {
			if strings.HasPrefix(imp, prefix) && !strings.HasSuffix(rel, "_test.go") && !inAny(rel, allowed) {
				t.Errorf("%s imports %s, which belongs in %s", rel, imp, strings.Join(allowed, ", "))
			}
		}
	}
}

// checkStart refuses regular expressions that are compiled before main: every
// command waits for them, and holds them, and most ask none.
func checkStart(t *testing.T, rel, file string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range f.Decls {
		if _, function := decl.(*ast.FuncDecl); function {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if _, function := n.(*ast.FuncLit); function {
				return false
			}
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "MustCompile" {
				t.Errorf("%s:%d: compiled before main; use lazyregexp.New", rel, fset.Position(s.Pos()).Line)
			}
			return true
		})
	}
}

func inAny(rel string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(rel, p) {
			return true
		}
	}
	return false
}

// topLevel is what is at the top of the repository: what a test or a user leaves there
// is none of it.
var topLevel = []string{".ci", ".github", ".gitignore", ".golangci.yaml", ".goreleaser.yaml", ".pre-commit-hooks.yaml", ".vale.ini", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "action.yml", "cmd", "docs", "go.mod", "go.sum", "internal", "testdata"}

func TestTopLevel(t *testing.T) {
	out, err := exec.Command("git", "-C", "../..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("no work tree of git: ", err)
	}
	for file := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if first, _, _ := strings.Cut(file, "/"); !slices.Contains(topLevel, first) {
			if _, err := os.Lstat(filepath.Join("../..", file)); err == nil {
				t.Errorf("%s stands at the top of the repository", file)
			}
		}
	}
}
