package gorefactor

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/kindwords"
)

// moveFiles gives files their new paths: folders of versions, and names that spell a kind.
func (p mover) moveFiles() {
	exact := p.declaring()
	p.folders = map[string]bool{}
	to, count := map[string]string{}, map[string]int{}
	for _, name := range p.t.Paths {
		if vendored(name) {
			continue
		}
		fresh := p.moved(name)
		if !p.opt.History(name) {
			fresh = p.sampleName(fresh)
			edits := slices.DeleteFunc(p.set.Find(fresh, kindwords.Path), func(e kindwords.Edit) bool {
				stays := strings.ContainsAny(fresh[e.Start:e.End], "-_") && strings.Contains(fresh[e.End:], "/")
				if stays { // a folder, and so do the texts that lead to it
					p.folders[wordAround(fresh, e)] = true
				}
				return stays
			})
			fresh = kindwords.Apply(fresh, edits)
			if tg := exact[name]; tg != nil && len(edits) == 0 {
				k, base := *tg.kind, path.Base(fresh)
				k.Unique = true
				to := kindwords.Apply(base, kindwords.NewSet(&k).Find(base, kindwords.Path))
				if strings.ToLower(base) == base { // tools write the words of a kind together
					to = strings.ToLower(to)
				}
				fresh = path.Join(path.Dir(fresh), to)
			}
			if to := p.tokens[path.Base(name)]; fresh == name && to != "" {
				fresh = path.Join(path.Dir(name), to)
			}
		}
		if fresh != name {
			to[name] = fresh
			count[fresh]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(to)) {
		fresh := to[name]
		if _, leaves := to[fresh]; p.taken[fresh] && !leaves || count[fresh] > 1 {
			p.review("file-taken", name, token.NoPos, 1, fmt.Sprintf("merge the files by hand: git diff --no-index %s %s", name, fresh), "the file would become %s, which exists", fresh)
			continue
		}
		p.plan.Moves[name] = fresh
	}
}

// declaring are the Go files that declare something of a kind whose words stay elsewhere, with these.
func (p mover) declaring() map[string]*target {
	files := map[string]*target{}
	for _, e := range p.order {
		if !e.renamed || len(e.words) == 0 || e.words[0].Unique {
			continue
		}
		for _, obj := range e.objs {
			_, isType := obj.(*types.TypeName)
			_, isFunc := obj.(*types.Func)
			if at := p.t.Fset.Position(obj.Pos()).Filename; (isType || isFunc) && files[at] == nil && !(strings.HasSuffix(at, "_client.go") && p.t.files[at].program) { // client-gen names it after the group
				files[at] = p.targets[e.words[0]]
			}
		}
	}
	return files
}

// sampleName replaces the version in GROUP_VERSION_KIND.yaml.
func (p *wording) sampleName(name string) string {
	dir, base := path.Split(name)
	if ext := path.Ext(base); ext != ".yaml" && ext != ".yml" && ext != ".json" {
		return name
	}
	for _, s := range p.steps {
		for _, k := range s.api.Kinds {
			old := "_" + s.rule.Version + "_" + strings.ToLower(k)
			head, _, ok := strings.Cut(strings.ToLower(base), old)
			if ok && (head == "" || strings.Contains(s.api.Group, head) || strings.HasSuffix(head, s.word) || head == path.Base(path.Dir(s.api.Package.Dir))) {
				return dir + base[:len(head)+1] + s.rule.ToVersion + base[len(head)+1+len(s.rule.Version):]
			}
		}
	}
	return name
}

// editImports changes the paths of packages that move, and the names that files have for them.
func (p mover) editImports() {
	moved := map[string]string{}
	for _, pkg := range p.t.Packages {
		if len(pkg.Files) > 0 && p.plan.Moves[pkg.Files[0].Path] != "" {
			if dir := path.Dir(p.plan.Moves[pkg.Files[0].Path]); dir != pkg.Dir {
				moved[pkg.Path] = importPath(p.t.roots, dir)
			}
		}
	}
	for f := range p.t.each {
		for _, spec := range f.AST.Imports {
			p.editImport(f, spec, moved)
		}
	}
}

func (p mover) editImport(f *File, spec *ast.ImportSpec, moved map[string]string) {
	name, _ := strconv.Unquote(spec.Path.Value)
	text := strconv.Quote(cmp.Or(moved[name], name))
	e := p.entities[packageKey{name}]
	if spec.Name == nil && e != nil && e.renamed {
		if own := e.to(e.name); p.importTaken(f, spec, own) {
			alias := p.freeAlias(f, spec, e, name)
			p.local[imported{f, name}] = alias
			text = alias + " " + text
		}
	}
	start := p.at(spec.Path.Pos())
	p.edit(f.Path, start, start+len(spec.Path.Value), spec.Path.Value, text)
}

// importTaken says whether a file cannot import a package by a name.
func (p *identifiers) importTaken(f *File, spec *ast.ImportSpec, name string) bool {
	return slices.ContainsFunc(f.AST.Imports, func(other *ast.ImportSpec) bool {
		at, _ := strconv.Unquote(other.Path.Value)
		have := importName(other, p.t.byPkg[at])
		x := p.entities[packageKey{at}]
		if other.Name != nil {
			x = p.entities[other.Name.Pos()]
		}
		if x != nil && x.renamed {
			have = x.to(x.name)
		}
		return other != spec && (have == name || other.Name == nil && p.local[imported{f, at}] == name)
	})
}

// freeAlias is a name for an import whose own name is taken: the group or the
// folder, with the version, else the name that it had.
func (p *identifiers) freeAlias(f *File, spec *ast.ImportSpec, e *entity, pkg string) string {
	for _, s := range p.steps {
		if s.pkgs[pkg] == "" {
			continue
		}
		for _, word := range []string{s.word, path.Base(path.Dir(pkg))} {
			if alias := word + s.rule.ToVersion; token.IsIdentifier(alias) && !p.importTaken(f, spec, alias) {
				return alias
			}
		}
	}
	return e.name
}
