package gorefactor

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// copyPackage adds the new version next to the old one: the package under its
// new name, conversions between both, and its registration. The new version is
// the one that is stored, and the hub of conversions. Moved is the plan that moves the package.
// Source: https://book.kubebuilder.io/multiversion-tutorial/conversion-concepts
func (p *planner) copyPackage(s *step, moved *Plan) error {
	pkg := s.api.Package
	dir := s.dirs[pkg.Dir]
	for _, f := range pkg.Files {
		if f.Test {
			continue
		}
		data, err := p.t.read(f.Path)
		if err != nil {
			return err
		}
		edits, markers := slices.Clone(moved.Edits[f.Path]), storageMarkers(data)
		for _, d := range f.AST.Decls {
			for _, id := range declares(d) {
				if _, isFunc := d.(*ast.FuncDecl); !isFunc && len(markers) == 0 && slices.Contains(s.api.Kinds, id.Name) {
					edits = append(edits, source.Edit{Span: source.Span{Start: p.at(d.Pos()), End: p.at(d.Pos())}, New: "// " + storageMarker + "\n"})
				}
			}
		}
		fresh, err := source.Apply(data, settle(edits))
		if err != nil {
			return &source.Error{Path: f.Path, Err: err}
		}
		if formatted, err := format.Source(fresh); err == nil {
			fresh = formatted
		}
		p.plan.Create[path.Join(dir, path.Base(cmp.Or(moved.Moves[f.Path], f.Path)))] = fresh
		for _, at := range markers {
			end := at + bytes.IndexByte(data[at:], '\n') + 1
			p.edit(f.Path, at, end, string(data[at:end]), "")
		}
	}
	hub, old := path.Join(dir, "conversion.go"), path.Join(pkg.Dir, "conversion.go")
	if p.taken[old] || pkg.Types.Scope().Lookup("convertVersion") != nil {
		p.review("conversion-exists", old, token.NoPos, len(s.api.Kinds), fmt.Sprintf("add ConvertTo and ConvertFrom for %s by hand", s.rule.ToVersion),
			"%s already has conversions, so those to %s are not added", pkg.Dir, s.rule.ToVersion)
	} else {
		p.plan.Create[hub], p.plan.Create[old] = s.hub(), s.spokes()
	}
	p.register(&twin{api: s.api, at: s.pkgs[pkg.Path], as: s.word + s.rule.ToVersion}, s.rename)
	return nil
}

const storageMarker = "+kubebuilder:storageversion"

// storageMarkers are the offsets of the lines that mark the stored version.
func storageMarkers(data []byte) (list []int) {
	at := 0
	for line := range bytes.Lines(data) {
		text := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("//")))
		if string(text) == storageMarker {
			list = append(list, at)
		}
		at += len(line)
	}
	return list
}

// hub is the file that makes the new version the hub of conversions.
func (s *step) hub() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n", s.rename(s.api.Package.Name))
	for _, k := range s.api.Kinds {
		fmt.Fprintf(&b, "\n// Hub marks %s as the version that others convert to.\nfunc (*%s) Hub() {}\n", k, k)
	}
	return b.Bytes()
}

// spokes is the file that converts the old version to the new one and back.
func (s *step) spokes() []byte {
	var b bytes.Buffer
	at, to := s.pkgs[s.api.Package.Path], s.rename(s.api.Package.Name)
	alias := s.word + s.rule.ToVersion
	fmt.Fprintf(&b, `package %s

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/conversion"

	%s %q
)

// convertVersion copies the fields of an object into that of another version.
// Both have the same fields: when one of them changes, its conversion must too.
func convertVersion(src, dst any, meta *metav1.TypeMeta) error {
	kept := *meta
	data, err := json.Marshal(src)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, dst); err != nil {
		return err
	}
	*meta = kept
	return nil
}
`, s.api.Package.Name, alias, at)
	for _, k := range s.api.Kinds {
		fmt.Fprintf(&b, `
// ConvertTo converts this version to %[3]s.
func (src *%[1]s) ConvertTo(raw conversion.Hub) error {
	dst := raw.(*%[2]s.%[1]s)
	return convertVersion(src, dst, &dst.TypeMeta)
}

// ConvertFrom converts %[3]s to this version.
func (dst *%[1]s) ConvertFrom(raw conversion.Hub) error {
	return convertVersion(raw.(*%[2]s.%[1]s), dst, &dst.TypeMeta)
}
`, k, alias, to)
	}
	return b.Bytes()
}

// register adds a copy of a package where the package is added to a scheme. Rename is
// what becomes of the name that an import of the package has.
func (p *planner) register(w *twin, rename func(string) string) {
	for f := range p.t.each {
		for _, spec := range f.AST.Imports {
			if name, _ := strconv.Unquote(spec.Path.Value); name == w.api.Package.Path {
				p.registerIn(w, f, spec, rename)
			}
		}
	}
}

func (p *planner) registerIn(w *twin, f *File, spec *ast.ImportSpec, rename func(string) string) {
	data, err := p.t.read(f.Path)
	if err != nil || f.program {
		return
	}
	alias := w.as
	own := importName(spec, w.api.Package)
	if fresh := rename(own); spec.Name != nil && fresh != own {
		alias = fresh
	}
	found := false
	ast.PreorderStack(f.AST, nil, func(n ast.Node, around []ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "AddToScheme" && calledName(sel.X) == own {
			if first, last := repeated(around); first != nil {
				p.repeat(f, data, first, last, own, alias)
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
	end := p.at(spec.End())
	text := fmt.Sprintf("\n\t%s %q", alias, w.at)
	if !grouped(f, spec) {
		text = fmt.Sprintf("\nimport %s %q", alias, w.at)
	}
	p.edit(f.Path, end, end, "", text)
}

// repeated are the first and the last statement around a name that are written once more
// for another package: one that does nothing but use it, or one with the check of its error.
func repeated(around []ast.Node) (first, last ast.Node) {
	for i, n := range slices.Backward(around) {
		switch outer := n.(type) {
		case *ast.ExprStmt:
			return outer, outer
		case *ast.AssignStmt:
			switch parent := around[i-1].(type) {
			case *ast.IfStmt:
				if parent.Init == outer {
					return parent, parent
				}
			case *ast.BlockStmt:
				return outer, checkBehind(parent.List, outer)
			}
			return nil, nil
		case *ast.KeyValueExpr, *ast.CompositeLit, ast.Stmt:
			return nil, nil
		}
	}
	return nil, nil
}

// checkBehind is the statement behind an assignment that uses what is assigned, or the
// assignment itself.
func checkBehind(list []ast.Stmt, s *ast.AssignStmt) ast.Stmt {
	i := slices.Index(list, ast.Stmt(s)) + 1
	if i == len(list) {
		return s
	}
	for n := range ast.Preorder(list[i]) {
		if id, ok := n.(*ast.Ident); ok && id.Name == calledName(s.Lhs[0]) {
			return list[i]
		}
	}
	return s
}

// repeat writes some nodes once more for another package, behind them.
func (p *planner) repeat(f *File, data []byte, first, last ast.Node, own, alias string) {
	start, end := p.at(first.Pos()), p.at(last.End())
	text := strings.ReplaceAll(string(data[start:end]), own+".", alias+".")
	if s, ok := first.(*ast.AssignStmt); ok && s.Tok == token.DEFINE {
		text = strings.Replace(text, ":=", "=", 1)
	}
	line := data[bytes.LastIndexByte(data[:start], '\n')+1 : start]
	indent := string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	before := "\n" + indent
	if len(indent) < len(line) {
		before = "; "
	}
	p.edit(f.Path, end, end, "", before+text)
}

// grouped says whether an import is within parentheses.
func grouped(f *File, spec *ast.ImportSpec) bool {
	for _, d := range f.AST.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Lparen.IsValid() && g.Pos() <= spec.Pos() && spec.End() <= g.End() {
			return true
		}
	}
	return false
}
