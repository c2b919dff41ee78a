package propose

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/exp/apidiff"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// An APIChange is a change of what a package of a Go module exports.
type APIChange struct {
	Level Level
	Text  string
	Path  string // of the file that declares it, or did
	Line  int    // of the declaration; 0 = it is gone
}

// goAPI compares what the packages with changed files export, where another
// component of the stack imports the module. It sees no change of other packages,
// and none of the value of a constant, which may be a version. Packages that others
// cannot import are left out.
func (w *weight) goAPI() ([]APIChange, error) {
	if !w.imported {
		return nil, nil
	}
	var list []APIChange
	for _, dir := range packagesOf(w.paths) {
		changes, err := CompareAPI(w.before, w.now, dir)
		if err != nil {
			return nil, err
		}
		list = append(list, changes...)
	}
	return list, nil
}

// CompareAPI lists what is new in the package of a folder, and what breaks.
func CompareAPI(before, now fs.FS, dir string) ([]APIChange, error) {
	set := token.NewFileSet()
	was, err := exported(set, before, dir)
	if err != nil {
		return nil, err
	}
	is, err := exported(set, now, dir)
	if err != nil {
		return nil, err
	}
	list := compareAPI(was, is)
	for i := range list {
		list[i].Path, list[i].Line = declared(set, was, is, list[i].Text)
	}
	return list, nil
}

// topName finds the name of the declaration in the text of a change.
var topName = lazyregexp.New(`\.\(?\*?([A-Za-z_][A-Za-z_0-9]*)`)

// declared is where the declaration is that the text of a change begins with.
func declared(set *token.FileSet, was, is *types.Package, text string) (path string, line int) {
	m := topName.FindStringSubmatch(strings.TrimPrefix(text, is.Path()))
	if m == nil {
		return is.Path(), 0
	}
	if o := is.Scope().Lookup(m[1]); o != nil {
		at := set.Position(o.Pos())
		return at.Filename, at.Line
	}
	if o := was.Scope().Lookup(m[1]); o != nil {
		return set.Position(o.Pos()).Filename, 0
	}
	return is.Path(), 0
}

// packagesOf are the folders of the Go files among paths that others can import.
func packagesOf(paths []string) []string {
	dirs := map[string]bool{}
	for _, p := range paths {
		dir := path.Dir(p)
		parts := strings.Split(dir, "/")
		hidden := slices.ContainsFunc(parts, func(s string) bool {
			return s == "internal" || s == "vendor" || s == "testdata" || s == "test" || s == "e2e" || s == "hack" || len(s) > 1 && s[0] == '.'
		})
		if path.Ext(p) == ".go" && !strings.HasSuffix(p, "_test.go") && !hidden {
			dirs[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}

// exported is a package as others import it; empty where it is not there or is a
// program. A file that cannot be parsed is skipped, and what cannot be resolved has
// no type.
func exported(set *token.FileSet, tree fs.FS, dir string) (*types.Package, error) {
	p := types.NewPackage(dir, "")
	entries, err := fs.ReadDir(tree, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []*ast.File
	others := stubs{}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") || !e.Type().IsRegular() {
			continue
		}
		data, err := fs.ReadFile(tree, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(set, path.Join(dir, e.Name()), data, parser.SkipObjectResolution)
		if err != nil || f.Name.Name == "main" {
			continue
		}
		files = append(files, f)
		ast.Inspect(f, others.add)
	}
	config := types.Config{Importer: others, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	_ = types.NewChecker(&config, set, p, nil).Files(files)
	return p, nil
}

// stubs are the names that a package uses of others. The module's dependencies are
// not there: each import is a package that has each of the names as an interface,
// with a method of that name, so that interfaces that embed it differ.
type stubs map[string]bool

// add adds the name of a selector, and takes the value of a variable without a type:
// a stub cannot say what type it has.
func (s stubs) add(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		s[n.Sel.Name] = true
	case *ast.GenDecl:
		for _, spec := range n.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && n.Tok == token.VAR && v.Type == nil {
				v.Type, v.Values = ast.NewIdent("any"), nil
			}
		}
	}
	return true
}

// packageName finds the name of a package in its path, without its version.
var packageName = lazyregexp.New(`([A-Za-z0-9_]+)(?:[./]v[0-9]+)?$`)

// Import implements types.Importer.
func (s stubs) Import(of string) (*types.Package, error) {
	m := packageName.FindStringSubmatch(of)
	if m == nil {
		return nil, errors.New("no package name")
	}
	p := types.NewPackage(of, m[1])
	for name := range s {
		t := types.NewTypeName(token.NoPos, p, name, nil)
		method := types.NewFunc(token.NoPos, p, name, types.NewSignatureType(nil, nil, nil, nil, nil, false))
		types.NewNamed(t, types.NewInterfaceType([]*types.Func{method}, nil).Complete(), nil)
		p.Scope().Insert(t)
	}
	p.MarkComplete()
	return p, nil
}

// compareAPI is CompareAPI for packages that were read.
func compareAPI(was, is *types.Package) []APIChange {
	var list []APIChange
	for _, c := range apidiff.Changes(was, is).Changes {
		change := APIChange{Level: Major, Text: was.Path() + "." + c.Message}
		if c.Compatible {
			change.Level = Minor
		}
		if !strings.Contains(c.Message, ": value changed from ") {
			list = append(list, change)
		}
	}
	return list
}
