package gorefactor

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A File is a Go file of the tree.
type File struct {
	Path    string
	AST     *ast.File // without comments
	Package *Package
	Test    bool
	Full    bool // its function bodies were read

	group   string // of its marker +groupName
	named   bool   // it has the marker +groupGoName
	program bool   // a program writes it
	by      string // which one: protoc writes what other programs know, too
}

// A Package is what one folder compiles to: all files of one package name,
// with all build constraints. The files of an in-package test are last.
type Package struct {
	Path, Dir, Name string
	Types           *types.Package
	Files           []*File
	Broken          []string // files of the folder that do not parse

	checker *types.Checker
}

// A Problem is an error of a type check: where, which, and how it reads.
type Problem struct {
	Path         string
	Line, Column int // of the checked file
	Offset       int
	Code         int // of go/types
	Msg          string
}

// LoadOptions say what of a tree is needed.
type LoadOptions struct {
	// Bodies says whether the bodies of the functions of a file are needed;
	// nil: those of all files. Declarations are always read.
	Bodies func(name string, data []byte) bool

	overlay map[string][]byte // what Verify reads instead of the file
	order   map[string]string // the original names of files
	reuse   *Tree             // whose syntax trees are read instead of files that did not change
	bare    bool              // only problems are needed
	others  types.Importer    // of packages of other modules; nil: they are empty
}

// A Tree is the Go code of a tree, parsed and type-checked.
type Tree struct {
	Fset     *token.FileSet
	Packages []*Package // sorted by path
	Info     *types.Info
	roots    map[string]string // the paths of its modules, by folder
	Problems []Problem         // of the type check with empty packages for other modules
	Broken   []Entry           // Go files that do not parse

	Paths []string // all files, sorted
	fsys  fs.FS
	files map[string]*File
	byPkg map[string]*Package
	opt   LoadOptions
}

// Load parses and checks the Go files among paths. Code that does not parse or check is no error.
func Load(ctx context.Context, fsys fs.FS, paths []string, opt LoadOptions) (*Tree, error) {
	t := &Tree{Fset: token.NewFileSet(), fsys: fsys, opt: opt, files: map[string]*File{}, byPkg: map[string]*Package{},
		Info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	if opt.bare {
		t.Info = nil
	}
	if opt.reuse != nil {
		t.Fset = opt.reuse.Fset
	}
	t.Paths = slices.Sorted(slices.Values(paths))
	files, err := t.parse(ctx)
	if err != nil {
		return nil, err
	}
	t.group(files)
	if err := t.checkWithin(ctx, patience); err != nil {
		return nil, err
	}
	return t, nil
}

// patience is how long a tree is type-checked. A few hundred bytes of Go keep the type checker for
// ever, such as aliases that each name the one before twice; the largest trees take a minute.
const patience = 10 * time.Minute

// each yields the files of all packages.
func (t *Tree) each(yield func(*File) bool) {
	for _, p := range t.Packages {
		if slices.ContainsFunc(p.Files, func(f *File) bool { return !yield(f) }) {
			return
		}
	}
}

// checkWithin is check with a limit. The checker cannot be stopped: it goes on until the
// process ends, and t is of no use after an error.
func (t *Tree) checkWithin(ctx context.Context, most time.Duration) error {
	var at atomic.Pointer[Package]
	at.Store(cmp.Or(append(t.Packages, &Package{})...)) // the first one, before it begins
	done := make(chan error, 1)
	go func() { done <- t.check(ctx, &at) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(most):
		return &source.Error{Path: at.Load().Dir, Err: fmt.Errorf("type-checking this Go package took longer than %v", most),
			Hint: "simplify its types and constants, or leave it out with --exclude"}
	}
}

// vendored says whether a path is of another project's copy.
func vendored(name string) bool {
	return strings.HasPrefix(name, "vendor/") || strings.Contains(name, "/vendor/")
}

// read returns the bytes of a file.
func (t *Tree) read(name string) ([]byte, error) {
	if data, ok := t.opt.overlay[name]; ok {
		return data, nil
	}
	data, err := fs.ReadFile(t.fsys, name)
	if err != nil {
		return nil, &source.Error{Path: name, Err: err}
	}
	return data, nil
}

// parse reads the Go files in parallel.
func (t *Tree) parse(ctx context.Context) ([]*File, error) {
	names := slices.DeleteFunc(slices.Clone(t.Paths), func(name string) bool { return path.Ext(name) != ".go" || vendored(name) })
	files, broken := make([]*File, len(names)), make([]error, len(names))
	err := source.Each(ctx, len(names), runtime.GOMAXPROCS(0), func(i int) (err error) {
		files[i], broken[i], err = t.parseFile(names[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, err := range broken {
		if err != nil {
			list, _ := errors.AsType[scanner.ErrorList](err) // the parser returns no other
			t.Broken = append(t.Broken, Entry{ID: "go-syntax", Path: names[i], Why: fmt.Sprintf("the file does not parse: %s; it and the names of its package are not changed", list[0].Msg),
				Hint: "correct the file, then run again", N: 1, Pos: source.Position{Line: list[0].Pos.Line, Column: list[0].Pos.Column}})
			files[i] = &File{Path: names[i]}
		}
	}
	return files, nil
}

// parseFile parses one file. Bodies that no one needs are dropped.
func (t *Tree) parseFile(name string) (f *File, broken, err error) {
	if t.opt.reuse != nil && t.opt.overlay[name] == nil {
		if old := t.opt.reuse.files[t.sortName(name)]; old != nil {
			again := *old
			again.Path, again.Package = name, nil
			return &again, nil, nil
		}
	}
	data, err := t.read(name)
	if err != nil {
		return nil, nil, err
	}
	f = &File{Path: name, Test: strings.HasSuffix(name, "_test.go"), Full: t.opt.Bodies == nil || t.opt.Bodies(name, data) || registers(data)}
	f.by, f.program = generated(data)
	if bytes.Contains(data, []byte("+groupName=")) {
		if m := groupMarker.FindSubmatch(data); m != nil {
			f.group, f.named = string(m[1]), nameMarker.Match(data)
		}
	}
	tree, broken := parser.ParseFile(t.Fset, name, data, parser.SkipObjectResolution)
	if broken != nil {
		return nil, broken, nil
	}
	f.AST = tree
	if !f.Full {
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil
			}
		}
	}
	return f, nil, nil
}

// group makes packages of files.
func (t *Tree) group(files []*File) {
	t.roots = t.modules(files)
	byDir := map[string][]*File{}
	for _, f := range files {
		byDir[path.Dir(f.Path)] = append(byDir[path.Dir(f.Path)], f)
	}
	for dir, list := range byDir {
		counts := map[string]int{}
		for _, f := range list {
			if f.AST != nil && !f.Test {
				counts[f.AST.Name.Name]++
			}
		}
		main := most(counts)
		for _, f := range list {
			t.place(f, dir, importPath(t.roots, dir), main)
		}
	}
	for _, p := range t.byPkg {
		key := func(f *File) string { return strconv.FormatBool(f.Test) + t.sortName(f.Path) } // tests are the last
		slices.SortStableFunc(p.Files, func(a, b *File) int { return strings.Compare(key(a), key(b)) })
		t.Packages = append(t.Packages, p)
	}
	slices.SortFunc(t.Packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
}

// sortName is the name by which a file is sorted: a move does not change it.
func (t *Tree) sortName(name string) string { return cmp.Or(t.opt.order[name], name) }

// place adds a file to the package of its folder that has its name.
func (t *Tree) place(f *File, dir, at, main string) {
	name := main
	if f.AST != nil {
		name = f.AST.Name.Name
	}
	key := at
	switch {
	case name == main || main == "" && !strings.HasSuffix(name, "_test"):
	case f.Test && name == main+"_test" || main == "":
		key += "_test"
	default:
		key += "#" + name // such as a program that the build ignores
	}
	p := t.byPkg[key]
	if p == nil {
		p = &Package{Path: key, Dir: dir, Name: name}
		t.byPkg[key] = p
	}
	if f.AST == nil {
		p.Broken = append(p.Broken, f.Path)
		return
	}
	f.Package = p
	p.Files = append(p.Files, f)
	t.files[f.Path] = f
}

// most is the key with the highest count, the first of equals.
func most(counts map[string]int) string {
	names := append(slices.Sorted(maps.Keys(counts)), "")
	return slices.MaxFunc(names, func(a, b string) int { return counts[a] - counts[b] })
}

// check type-checks all packages, imported ones first, and then their tests.
func (t *Tree) check(ctx context.Context, at *atomic.Pointer[Package]) error {
	for _, tests := range []bool{false, true} {
		for _, p := range t.Packages {
			if err := ctx.Err(); err != nil {
				return err
			}
			at.Store(p)
			if t.checkPackage(p); tests {
				_ = p.checker.Files(p.syntax(true)) // errors are in t.Problems
				p.checker = nil
			}
		}
	}
	if !t.opt.bare {
		for f := range t.each {
			t.fill(f, f.AST)
		}
	}
	return nil
}

// syntax are the files of a package that are tests, or are not.
func (p *Package) syntax(tests bool) []*ast.File {
	var list []*ast.File
	for _, f := range p.Files {
		if f.Test == tests {
			list = append(list, f.AST)
		}
	}
	return list
}

// checkPackage checks a package without its tests, unless it was.
func (t *Tree) checkPackage(p *Package) *types.Package {
	if p.Types == nil {
		p.Types = types.NewPackage(p.Path, p.Name)
		conf := &types.Config{Importer: importerOf{t}, FakeImportC: true, Error: t.problem}
		p.checker = types.NewChecker(conf, t.Fset, p.Types, t.Info)
		_ = p.checker.Files(p.syntax(false)) // errors are in t.Problems
	}
	return p.Types
}

// problem records an error of the type checker. Its code has no accessor.
func (t *Tree) problem(err error) {
	e, _ := errors.AsType[types.Error](err) // as types.Config says
	pos := t.Fset.PositionFor(e.Pos, false)
	code := 0
	if v := reflect.ValueOf(e).FieldByName("go116code"); v.IsValid() {
		code = int(v.Int())
	}
	t.Problems = append(t.Problems, Problem{Path: pos.Filename, Line: pos.Line, Column: pos.Column, Offset: pos.Offset, Code: code, Msg: e.Msg})
}

// errOther is the answer for packages of other modules: the type checker makes
// an empty package of its own and does not report what is missing in it.
var errOther = errors.New("a package of another module")

type importerOf struct{ t *Tree }

// Import resolves packages of the tree. In a cycle one is none of them: its types are not known yet.
func (i importerOf) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i.t.byPkg[name]; p != nil && i.t.checkPackage(p).Complete() {
		return p.Types, nil
	} else if p == nil && i.t.opt.others != nil {
		if other, err := i.t.opt.others.Import(name); err == nil {
			return other, nil
		}
	}
	return nil, errOther
}

// generatedLine is a line of a file that a program writes, which it names.
var generatedLine = lazyregexp.New(`(?m)^[ \t/#*;]*(?:Code generated (?:by )?|This file was autogenerated by )(.*?)(?: DO NOT EDIT| \(@|\. |\.?$)`)

// generated says whether a program writes a file, and which one.
func generated(data []byte) (string, bool) {
	m := generatedLine.FindSubmatch(data[:min(len(data), 4096)])
	if m == nil {
		return "", false
	}
	return strings.Trim(string(m[1]), ".; \t\r"), true
}

// fill resolves names that the type checker gave up on, because an expression
// around them is of another module: qualified names by the imports of the file
// and the scope of a package of the tree, others by the scopes around them.
func (t *Tree) fill(f *File, root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			t.fill(f, n.X)
			x, _ := n.X.(*ast.Ident)
			if imp, ok := t.Info.Uses[x].(*types.PkgName); ok && t.Info.Uses[n.Sel] == nil {
				if obj := imp.Imported().Scope().Lookup(n.Sel.Name); obj != nil {
					t.Info.Uses[n.Sel] = obj
				}
			}
			return false
		case *ast.KeyValueExpr:
			if _, ok := n.Key.(*ast.Ident); ok { // a field or a variable: its type decides, and is not known
				t.fill(f, n.Value)
				return false
			}
		case *ast.Ident:
			if _, ok := t.Info.Defs[n]; ok || t.Info.Uses[n] != nil || n.Name == "_" {
				break
			}
			if _, obj := f.Package.Types.Scope().Innermost(n.Pos()).LookupParent(n.Name, n.Pos()); obj != nil && obj.Pkg() == f.Package.Types {
				t.Info.Uses[n] = obj
			}
		}
		return true
	})
}

// importName is the name by which a file knows a package.
func importName(spec *ast.ImportSpec, p *Package) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if p != nil {
		return p.Name
	}
	name, _ := strconv.Unquote(spec.Path.Value)
	return path.Base(name)
}
