package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestOtherSystems type-checks the packages with files for one system, and their tests, for
// macOS and Windows. The others are built there by CI, and for releases. Of other modules it
// reads what they declare, without the bodies of functions.
func TestOtherSystems(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		goos, goarch, _ := strings.Cut(system, "/")
		list, err := packages.Load(&packages.Config{
			Mode:  packages.LoadAllSyntax,
			Dir:   root,
			Env:   append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
			Tests: true,
			ParseFile: func(files *token.FileSet, name string, data []byte) (*ast.File, error) {
				f, err := parser.ParseFile(files, name, data, parser.SkipObjectResolution)
				if f == nil || strings.HasPrefix(name, root+string(filepath.Separator)) {
					return f, err
				}
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok {
						fn.Body = nil
					}
				}
				return f, err
			},
		}, "./internal/source", "./internal/git", "./internal/testing/memtest")
		if err != nil {
			t.Fatal(err)
		}
		if len(list) < 3 {
			t.Errorf("%s: %d packages", system, len(list))
		}
		for _, p := range list {
			if strings.HasSuffix(p.PkgPath, ".test") { // the generated program, whose functions have no bodies here
				continue
			}
			for _, e := range p.Errors {
				t.Errorf("%s: %s", system, e)
			}
		}
	}
}
