package gorefactor

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// copyPackage adds the new version next to the old one: the package under its
// new name, conversions between both, and its registration. The new version is
// the one that is stored, and the hub of conversions.
// Source: https://book.kubebuilder.io/multiversion-tutorial/conversion-concepts
func (p *planner) copyPackage(s *step) error {
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
		fresh, err := p.copied(s, f, data)
		if err != nil {
			return err
		}
		p.plan.Create[path.Join(dir, path.Base(f.Path))] = fresh
		for at := range storageMarkers(data) {
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
	p.register(s)
	return nil
}

// copied is a file of the package for the new version.
func (p *planner) copied(s *step, f *File, data []byte) ([]byte, error) {
	edits, steps := p.plan.Edits, p.steps
	p.plan.Edits, p.steps = map[string][]source.Edit{}, []*step{s}
	p.editGo(f, data, nil)
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			obj := p.t.Info.Defs[id]
			if obj == nil {
				obj = p.t.Info.Uses[id]
			}
			if id == f.AST.Name || obj != nil && obj.Pkg() == s.api.Package.Types && !isImport(obj) {
				p.edit(f.Path, p.at(id.Pos()), p.at(id.End()), id.Name, s.rename(id.Name))
			}
		}
		return true
	})
	own := p.plan.Edits[f.Path]
	p.plan.Edits, p.steps = edits, steps
	if len(storageMarkersOf(data)) == 0 {
		for _, d := range f.AST.Decls {
			for _, id := range declares(d) {
				if _, isFunc := d.(*ast.FuncDecl); !isFunc && slices.Contains(s.api.Kinds, id.Name) {
					own = append(own, source.Edit{Span: source.Span{Start: p.at(d.Pos()), End: p.at(d.Pos())}, New: storageMarker + "\n"})
				}
			}
		}
	}
	fresh, err := source.Apply(data, settle(own))
	if err != nil {
		return nil, &source.Error{Path: f.Path, Err: err}
	}
	if after := formatted(fresh); after != nil {
		fresh = after
	}
	return fresh, nil
}

func isImport(obj types.Object) bool {
	_, ok := obj.(*types.PkgName)
	return ok
}

const storageMarker = "// +kubebuilder:storageversion"

// storageMarkers are the offsets of the lines that mark the stored version.
func storageMarkers(data []byte) func(func(int) bool) {
	return func(yield func(int) bool) {
		at := 0
		for line := range bytes.Lines(data) {
			text := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("//")))
			if bytes.Equal(text, []byte("+kubebuilder:storageversion")) && !yield(at) {
				return
			}
			at += len(line)
		}
	}
}

func storageMarkersOf(data []byte) []int { return slices.Collect(storageMarkers(data)) }

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

// register adds the new version where the old one is added to a scheme.
func (p *planner) register(s *step) {
	for _, pkg := range p.t.Packages {
		for _, f := range pkg.Files {
			for _, spec := range f.AST.Imports {
				if name, _ := strconv.Unquote(spec.Path.Value); name == s.api.Package.Path {
					p.registerIn(s, f, spec)
				}
			}
		}
	}
}

func (p *planner) registerIn(s *step, f *File, spec *ast.ImportSpec) {
	data, err := p.t.read(f.Path)
	if err != nil {
		return
	}
	alias := s.word + s.rule.ToVersion
	own := importName(spec, s.api.Package)
	if fresh := s.rename(own); spec.Name != nil && fresh != own {
		alias = fresh
	}
	found := false
	ast.Inspect(f.AST, func(n ast.Node) bool {
		stmt, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		text := string(data[p.at(stmt.Pos()):p.at(stmt.End())])
		if call := own + ".AddToScheme("; strings.Contains(text, call) && !strings.Contains(text, "\n") {
			end := p.at(stmt.End())
			start := bytes.LastIndexByte(data[:end], '\n') + 1
			indent := string(data[start : start+len(data[start:end])-len(bytes.TrimLeft(data[start:end], " \t"))])
			p.edit(f.Path, end, end, "", "\n"+indent+strings.ReplaceAll(text, call, alias+".AddToScheme("))
			found = true
		}
		return true
	})
	if !found {
		return
	}
	end := p.at(spec.End())
	text := fmt.Sprintf("\n\t%s %q", alias, s.pkgs[s.api.Package.Path])
	if !grouped(f, spec) {
		text = fmt.Sprintf("\nimport %s %q", alias, s.pkgs[s.api.Package.Path])
	}
	p.edit(f.Path, end, end, "", text)
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
