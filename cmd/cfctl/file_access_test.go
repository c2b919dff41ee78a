package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fileSystem are the packages through which cfctl reaches the file system: the user's
// tree and cfctl's own files, and git's repositories. What is for tests alone is no part
// of cfctl.
var fileSystem = []string{"internal/source", "internal/git", "internal/testing"}

// directCalls are the calls elsewhere that are meant, each with its reason.
var directCalls = map[string]string{
	"cmd/cfctl silenceLibraries: os.OpenFile":         "the null device, in the place of what kustomize writes to",
	"internal/campaign package: os.ReadFile":          "a file of the kernel",
	"internal/campaign ended: os.ReadFile":            "the same",
	"internal/objects removeFolders: os.Remove":       "an empty folder that the import made, which is looked at first",
	"internal/gocmd open: os.Open":                    "a file of the build cache that the go command names",
	"internal/ledger open: os.Open":                   "the folder of an open file, to sync its names",
	"internal/objects Objects: os.Open":               "the user named it; it is read bit by bit, and may be a pipe",
	"internal/release/steps Validate: os.RemoveAll":   "a folder of cfctl, in the folder for temporary files",
	"internal/release/steps tidied: os.RemoveAll":     "a folder of cfctl, in the folder for temporary files",
	"internal/release/steps tidied: os.ReadFile":      "a file that go mod tidy wrote into that folder",
	"internal/release/steps copyModule: os.MkdirAll":  "in that folder, under names of a git tree; hundreds, and none is kept: no sync",
	"internal/release/steps copyModule: os.WriteFile": "the same",
}

// opening are the functions of package os that open, make, change or remove a
// file by its path, and so follow what a tree or a name of a user's puts there.
var opening = strings.Fields(`Chmod Chown Chtimes CopyFS Create CreateTemp DirFS Lchown Link Mkdir MkdirAll Open OpenFile
	OpenInRoot OpenRoot ReadDir ReadFile Remove RemoveAll Rename Symlink Truncate WriteFile`)

// TestFilesAreReachedThroughSource reads the source: no file is opened, made or
// removed by its path but in the packages that know how, or where a reason is above.
func TestFilesAreReachedThroughSource(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(file, filepath.Join("..", "..")+string(filepath.Separator)))
		switch {
		case d.IsDir() && (slices.Contains(fileSystem, name) || d.Name() == "testdata" || d.Name() == ".git" || d.Name() == ".ci" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		for _, call := range openings(t, file) {
			key := path.Dir(name) + " " + call
			if used[key] = true; directCalls[key] == "" {
				t.Errorf("%s: %s reaches a file by its path: use source.Root, or a function of internal/source", name, call)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range directCalls {
		if !used[key] {
			t.Errorf("directCalls: %q is used by nothing", key)
		}
	}
}

// openings are the uses of such functions in a file, as "function: os.Name".
func openings(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	as := map[string]string{} // local name → package
	for _, imp := range f.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		if p != "os" && p != "syscall" && p != "io/ioutil" && p != "golang.org/x/sys/unix" {
			continue
		}
		name := path.Base(p)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		as[name] = p
	}
	var out []string
	for _, decl := range f.Decls {
		in := "package"
		if fn, ok := decl.(*ast.FuncDecl); ok {
			in = fn.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if on, ok := sel.X.(*ast.Ident); ok && as[on.Name] != "" && slices.Contains(opening, sel.Sel.Name) {
				out = append(out, in+": "+path.Base(as[on.Name])+"."+sel.Sel.Name)
			}
			return true
		})
	}
	return out
}
