package gorefactor

import (
	"bytes"
	_ "embed" // of the template
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A twin is an API package that stays, with its copy for another group or version.
type twin struct {
	api              *API
	group            string // of the copy
	dir, at, as, pkg string // of the copy: folder, import path, import name, package name
	files            map[string][]byte
	below            *twin // that needs the constant of the group of this one
}

// copy adds copies of packages, and their registration. After is a file as it is when its
// package is changed instead: its path and content.
func (p copier) copy(list []*twin, after func(name string) (to string, data []byte, err error)) {
	var ready []*twin
	for _, w := range list {
		if p.place(w, after) {
			if of := w.api.above; of != nil && w.group != w.api.Group && !slices.ContainsFunc(ready, func(o *twin) bool { return o.api.Package == of }) {
				above := &twin{api: &API{Package: of, Group: w.api.Group}, group: w.group, below: w}
				if !p.place(above, after) {
					continue
				}
				ready = append(ready, above)
			}
			if slices.ContainsFunc(ready, func(o *twin) bool { return o.as == w.as }) { // one file may import both
				w.as = identifier.Replace(path.Base(path.Dir(w.api.Package.Dir))) + w.as
			}
			ready = append(ready, w)
		}
	}
	for _, w := range ready {
		if w.group == w.api.Group {
			p.convert(w)
		}
		hooks := false
		for name, data := range w.files {
			for _, other := range ready {
				data = bytes.ReplaceAll(data, []byte(strconv.Quote(other.api.Package.Path)), []byte(strconv.Quote(other.at)))
			}
			p.plan.Create[name], hooks = data, hooks || bytes.Contains(data, []byte("+kubebuilder:webhook:"))
		}
		if hooks && w.group != w.api.Group {
			p.review("dual-webhook", w.api.Package.Files[0].Path, token.NoPos, 1, fmt.Sprintf("give the webhooks in %s names of their own, register them with the manager, and generate the manifests", w.dir),
				"%s and its package for %s have webhooks of the same name", w.api.Package.Dir, w.group)
		}
		p.register(w)
	}
}

var packageClause = lazyregexp.New(`(?m)^package (\w+)`)

// place finds the folder, the import name and the files of a copy; false where it needs review.
func (p copier) place(w *twin, after func(string) (string, []byte, error)) bool {
	pkg := w.api.Package
	w.files = map[string][]byte{}
	for _, f := range pkg.Files {
		if f.Test {
			continue
		}
		to, data, err := after(f.Path)
		if err == nil && bytes.Contains(data, []byte("\n//go:embed ")) {
			err = fmt.Errorf("%s embeds files, which are not copied", f.Path)
		}
		if err != nil {
			p.review("not-copied", f.Path, token.NoPos, 1, "change it, then run again", "the package is not copied for %s: %v", w.group, err)
			return false
		}
		w.dir = dirFor(path.Dir(to), w.api.Group, w.group)
		if w.below != nil {
			w.dir = path.Dir(w.below.dir)
		}
		if m := packageClause.FindSubmatch(data); m != nil {
			w.pkg = string(m[1])
		}
		w.files[path.Join(w.dir, path.Base(to))] = data
	}
	w.as, w.at = wordFor(w.api.Group, w.group)+w.pkg, importPath(p.t.roots, w.dir)
	switch {
	case len(pkg.Broken) > 0:
		p.review("package-broken", pkg.Broken[0], token.NoPos, 1, "correct the file, then run again", "%s is not copied: a file of it does not parse", pkg.Dir)
	case w.group != w.api.Group && w.api.above != nil && w.api.above.Dir != path.Dir(pkg.Dir):
		p.review("not-copied", pkg.Files[0].Path, token.NoPos, 1, fmt.Sprintf("declare the constant of the group in %s, then run again", pkg.Dir), "the package is not copied for %s: %s has the constant of its group", w.group, w.api.above.Dir)
	case p.hasFolder(w.dir):
		p.review("folder-taken", pkg.Files[0].Path, token.NoPos, 1, fmt.Sprintf("copy the kinds of %s into %s by hand", pkg.Dir, w.dir), "%s exists", w.dir)
	default:
		return true
	}
	return false
}

// identifier takes out of a name what identifiers do not have.
var identifier = strings.NewReplacer("-", "", ".", "", "_", "")

// wordFor is the new group as a word of identifiers and folders: its first label, or all
// of it where that is the first label of the old one.
func wordFor(from, to string) string {
	word := label(to)
	if from != to && word == label(from) {
		word = to
	}
	return identifier.Replace(word)
}

// dirFor is the folder of a package in another group: next to the folder of the old
// group where there is one, else in a folder of its own, as kubebuilder has several groups.
// Source: https://book.kubebuilder.io/migration/multi-group
func dirFor(dir, from, to string) string {
	elems := strings.Split(dir, "/")
	i := len(elems) - 1
	for i >= 0 && elems[i] != from && elems[i] != label(from) {
		i--
	}
	switch {
	case from == to:
		return dir
	case i < 0:
		elems = slices.Insert(elems, len(elems)-1, wordFor(from, to))
	case elems[i] == from:
		elems[i] = to
	default:
		elems[i] = wordFor(from, to)
	}
	return path.Join(elems...)
}

// storageMarker is the line that marks the stored version of a kind, and hookMarker that of a webhook.
var storageMarker, hookMarker = lazyregexp.New(`(?m)^[ \t]*//[ \t]*\+kubebuilder:storageversion[ \t]*\n`), lazyregexp.New(`(?m)^[ \t]*//[ \t]*\+kubebuilder:webhook:.*\n(?:[ \t]*\n)?`)

// convert makes the copy of a version the one that is stored and the hub of conversions, and
// adds those of the old version.
// Source: https://book.kubebuilder.io/multiversion-tutorial/conversion-concepts
func (p copier) convert(w *twin) {
	pkg := w.api.Package
	for _, f := range pkg.Files {
		data, err := p.t.read(f.Path)
		if err != nil || f.Test {
			continue
		}
		for _, m := range storageMarker.Get().FindAllIndex(data, -1) {
			p.edit(f.Path, m[0], m[1], string(data[m[0]:m[1]]), "")
		}
	}
	hubs := map[string]bool{} // what is a hub already: one that others convert to remains it
	for name, data := range w.files {
		for _, k := range w.api.Kinds {
			if !storageMarker.Match(w.files[name]) {
				data = bytes.Replace(data, []byte("\ntype "+k+" struct"), []byte("\n// +kubebuilder:storageversion\ntype "+k+" struct"), 1)
			}
		}
		for _, m := range hubMethod.FindAllSubmatch(data, -1) {
			hubs[string(m[1])] = true
		}
		w.files[name] = hookMarker.Get().ReplaceAll(hubMethod.Get().ReplaceAll(data, nil), nil) // the API server converts for the webhooks of the old version
		if bytes.HasSuffix(bytes.TrimSpace(w.files[name]), []byte("package "+w.pkg)) && len(w.files[name]) < len(data) {
			delete(w.files, name) // it had nothing else
		}
	}
	old, fresh := end{pkg.Dir, pkg.Name, pkg.Path, strings.TrimSuffix(w.as, w.pkg) + pkg.Name}, end{w.dir, w.pkg, w.at, w.as}
	hub, spoke := fresh, old
	if len(hubs) > 0 {
		hub, spoke = old, fresh
	}
	at := token.NoPos
	for _, k := range w.api.Kinds {
		if m, _, _ := types.LookupFieldOrMethod(pkg.Types.Scope().Lookup(k).Type(), true, pkg.Types, "ConvertTo"); m != nil {
			at = m.Pos()
		}
	}
	kinds := slices.DeleteFunc(slices.Clone(w.api.Kinds), func(k string) bool { return hubs[k] })
	if at.IsValid() || slices.Contains(p.t.Paths, old.file()) && len(kinds) > 0 || pkg.Types.Scope().Lookup("convertVersion") != nil {
		p.review("conversion-exists", old.file(), at, len(w.api.Kinds), fmt.Sprintf("add ConvertTo and ConvertFrom for %s by hand", w.pkg),
			"%s already has conversions, so those to %s are not added", pkg.Dir, w.pkg)
		return
	}
	if len(kinds) > 0 {
		p.plan.Create[hub.file()] = hub.written("hub", hub, kinds)
	}
	name := spoke.file()
	if w.files[name] != nil {
		name = path.Join(spoke.dir, "conversion_"+hub.pkg+".go")
	}
	p.plan.Create[name] = spoke.written("spoke", hub, w.api.Kinds)
}

// hubMethod is the method that makes a type the hub of conversions.
var hubMethod = lazyregexp.New(`(?m)\n(?:^//.*\n)*^func \((?:\w+ )?\*?(\w+)\) Hub\(\) *\{[^{}]*\}\n`)

// An end is a package of two that convert: its folder, name, import path and the name of its import.
type end struct{ dir, pkg, at, as string }

// file is where the conversions are.
func (e end) file() string { return path.Join(e.dir, "conversion.go") }

//go:embed conversion.tmpl
var conversions string

// written is one of two files about kinds: the "hub" of conversions, or the "spoke" that converts a
// version to it and back.
func (e end) written(what string, hub end, kinds []string) []byte {
	_, text, _ := strings.Cut(conversions, "-- "+what+" --\n")
	text, _, _ = strings.Cut(text, "-- end --\n")
	head, each, _ := strings.Cut(strings.NewReplacer("PACKAGE", e.pkg, "ALIAS", hub.as, "PATH", hub.at, "VERSION", hub.pkg).Replace(text), "-- each --\n")
	for _, k := range kinds {
		head += strings.ReplaceAll(each, "KIND", k)
	}
	return []byte(head)
}

// register adds a copy of a package where the package is added to a scheme.
func (p copier) register(w *twin) {
	for f := range p.t.each {
		for _, spec := range f.AST.Imports {
			if name, _ := strconv.Unquote(spec.Path.Value); name == w.api.Package.Path && !f.program {
				p.registerIn(w, f, spec)
			}
		}
	}
}

func (p copier) registerIn(w *twin, f *File, spec *ast.ImportSpec) {
	data, err := p.t.read(f.Path)
	own, found, as := importName(spec, w.api.Package), false, w.as
	for as == own || p.importTaken(f, spec, as) {
		as = identifier.Replace(path.Base(path.Dir(w.api.Package.Dir))) + as
	}
	ast.PreorderStack(f.AST, nil, func(n ast.Node, around []ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); err == nil && ok && sel.Sel.Name == "AddToScheme" && calledName(sel.X) == own {
			if first, last := repeated(around); first != nil {
				p.repeat(f, data, first, last, own, as)
				found = true
			} else {
				p.review("not-registered", "", sel.Pos(), 1, fmt.Sprintf("add %s to the scheme by hand", w.at), "%s is added to a scheme here, and its copy is not", w.api.Package.Dir)
			}
		}
		return true
	})
	if !found {
		return
	}
	text := fmt.Sprintf("\n\t%s %q", as, w.at)
	if start := p.at(spec.Pos()); bytes.HasPrefix(data[bytes.LastIndexByte(data[:start], '\n')+1:start], []byte("import")) {
		text = fmt.Sprintf("\nimport %s %q", as, w.at)
	}
	p.edit(f.Path, p.at(spec.End()), p.at(spec.End()), "", text)
}

// repeated are the first and the last statement around a name that are written once more
// for another package: the innermost one in a block, with the check of what it assigns.
func repeated(around []ast.Node) (first, last ast.Node) {
	for i, n := range slices.Backward(around) {
		switch n.(type) {
		case *ast.KeyValueExpr, *ast.CompositeLit, *ast.ReturnStmt, *ast.DeclStmt, *ast.CaseClause, *ast.File:
			return nil, nil
		}
		block, ok := around[i-1].(*ast.BlockStmt)
		if !ok {
			continue
		}
		if s, ok := n.(*ast.AssignStmt); ok {
			return s, checkBehind(block.List, s)
		}
		return n, n
	}
	return nil, nil
}

// checkBehind is the statement behind an assignment that uses what is assigned, or the assignment.
func checkBehind(list []ast.Stmt, s *ast.AssignStmt) ast.Stmt {
	i := slices.Index(list, ast.Stmt(s)) + 1
	if i == len(list) {
		return s
	}
	for n := range ast.Preorder(list[i]) {
		if id, ok := n.(*ast.Ident); ok && id.Name != "_" && id.Name == calledName(s.Lhs[0]) {
			return list[i]
		}
	}
	return s
}

// repeat writes some nodes once more for another package, behind them.
func (p copier) repeat(f *File, data []byte, first, last ast.Node, own, alias string) {
	start, end := p.at(first.Pos()), p.at(last.End())
	text := regexp.MustCompile(`\b`+own+`\.`).ReplaceAllString(string(data[start:end]), alias+".")
	if s, ok := first.(*ast.AssignStmt); ok && s.Tok == token.DEFINE {
		text = strings.Replace(text, ":=", "=", 1)
	}
	line := data[bytes.LastIndexByte(data[:start], '\n')+1 : start]
	indent := string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	p.edit(f.Path, end, end, "", "\n"+indent+text)
}
