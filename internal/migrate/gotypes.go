package migrate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The Go types of an API belong to its own repository. What becomes of them is
// code: a person hears once per package of a type whose kind gets another name,
// of those who use it, and of a package whose version becomes another one, each
// with the command, until it is done.
// Source: https://book.kubebuilder.io/reference/markers/crd

// A renamedKind is a kind whose Go type gets another name.
type renamedKind struct {
	kind, fresh string
	rule        rules.Rule
}

// goRules are what rules say of Go types, by group: of the old groups and of
// the new ones, which a type has as long as it is not renamed.
type goRules struct {
	kinds  map[string][]renamedKind
	groups map[string]bool     // whose versions or kinds change
	steps  map[string][]goStep // the rules that change more than a group
	sorted []string            // the groups of these, in order
	marks  []string            // of names of constants that may be a kind or a resource
}

// goRulesOf are those of a table, nil when no kind and no version changes.
func goRulesOf(t *rules.Table) *goRules {
	g := &goRules{kinds: map[string][]renamedKind{}, groups: map[string]bool{}, steps: map[string][]goStep{}}
	for _, group := range t.Groups() {
		for _, r := range t.RulesOf(group) {
			if r.Gone() || !strings.Contains(group, ".") {
				continue
			}
			if r.To.Kind != r.From.Kind && r.To.Kind != "" {
				k := renamedKind{r.From.Kind, r.To.Kind, r}
				g.kinds[group], g.groups[group] = append(g.kinds[group], k), true
				if to := r.To.Group; to != group {
					g.kinds[to], g.groups[to] = append(g.kinds[to], k), true
				}
			}
			if r.To.Version != r.From.Version && r.To.Version != "" || r.To.Kind != r.From.Kind && r.To.Kind != "" {
				g.addStep(r)
			}
		}
	}
	if len(g.groups) == 0 {
		return nil
	}
	g.sorted = slices.Sorted(maps.Keys(g.steps))
	g.marks = g.wordMarks()
	return g
}

// A goPackage is what the Go files of a folder say of an API.
type goPackage struct {
	groups   map[string]string // names of constants, "" for a marker, to the group
	versions map[string]goVersion
	apis     map[string]string  // names of variables that are an API, to how its group is spelled
	strings  map[string]string  // names of strings that are a group with a version, to the group
	words    map[string]goWord  // names of strings that are a kind or a resource
	aliases  map[string]goAlias // names of what is another name for a group
	takers   map[string][]int   // functions that are given one, to the places of these among their arguments
	said     []saidVersion
	built    []goBuilt
	beside   []goBeside
	types    []goType
	uses     []goUse
}

// A saidVersion is a GroupVersion that a package declares. Group and version are
// spelled as in the code: a literal in quotes, or a name.
type saidVersion struct {
	group, version string
	file           string
	at             source.Span
}

// A goType is the declaration of a type that has the name of a kind.
type goType struct {
	name, file string
	at         source.Span
	pos        string // line:column
	markers    []source.Span
}

// A goUse is the first use of a type of another package.
type goUse struct {
	imported, name, file string
	at                   source.Span
}

var (
	groupMarker  = lazyregexp.New(`(?m)^//\s*\+groupName=([a-z0-9.-]+)\s*$`)
	goNameMarker = lazyregexp.New(`(?m)^//\s*\+groupGoName=\S`)
	groupConst   = lazyregexp.New(`(?m)^\s*(?:const\s+|var\s+)?(\w+)\s*(?:string\s*)?=\s*"([a-z0-9-]+(?:\.[a-z0-9-]+)+)"`)
	versionConst = lazyregexp.New(`(?m)^\s*(?:const\s+|var\s+)?(\w+)\s*(?:string\s*)?=\s*"([a-z0-9-]+(?:\.[a-z0-9-]+)+)/v\d\w*"`)
	crdMarker    = lazyregexp.New(`^//\s*\+kubebuilder:resource:`)
)

// goNamed are the groups of a Go file that gives them another name in generated
// clients than that of their first label: it does not follow the group.
// Source: k8s.io/code-generator, cmd/client-gen, +groupGoName.
func goNamed(data []byte) []string {
	if !bytes.Contains(data, []byte("+groupGoName=")) || !goNameMarker.Match(data) {
		return nil
	}
	var groups []string
	for _, m := range groupMarker.FindAllSubmatch(data, -1) {
		groups = append(groups, string(m[1]))
	}
	return groups
}

// groupNames are the constants and markers of a Go file that are one of the
// groups, nil for none.
func (g *goRules) groupNames(data []byte) map[string]string {
	var names map[string]string
	add := func(name, group string) {
		if g.groups[group] {
			if names == nil {
				names = map[string]string{}
			}
			names[name] = group
		}
	}
	for _, m := range groupMarker.FindAllSubmatch(data, -1) {
		add("", string(m[1]))
	}
	for _, m := range groupConst.FindAllSubmatch(data, -1) {
		add(string(m[1]), string(m[2]))
	}
	return names
}

// A goReader collects what the Go files of a tree say.
type goReader struct {
	*goRules
	place    func(name string) string // of a file in its work tree
	mu       sync.Mutex
	packages map[string]*goPackage        // by folder
	files    map[string][]byte            // those of which something is said
	mods     map[string]string            // folder of a go.mod to its module
	imports  map[string]map[string]string // of files in which something is put together: names to paths
	named    bool                         // a Go file names a group of a step, or a go.mod a module of the rules
	modules  []rules.Module               // of the rules
	at       map[string]string            // folders of packages by the paths that are asked for, "" = none of the tree
}

// folder is what the folder of a package is called, wherever cfctl is run.
func (r *goReader) folder(dir string) string {
	return path.Base(path.Dir(r.place(path.Join(dir, modName))))
}

func (r *goReader) in(dir string) *goPackage {
	if r.packages[dir] == nil {
		r.packages[dir] = &goPackage{groups: map[string]string{}, versions: map[string]goVersion{}, apis: map[string]string{}, strings: map[string]string{}, words: map[string]goWord{}, aliases: map[string]goAlias{}, takers: map[string][]int{}}
	}
	return r.packages[dir]
}

// owns notes the groups that a file of the first walk declares.
func (r *goReader) owns(name string, data []byte) {
	switch {
	case path.Base(name) == modName:
		r.mu.Lock()
		r.mods[path.Dir(name)] = modfile.ModulePath(data)
		r.named = r.named || slices.ContainsFunc(r.modules, func(x rules.Module) bool {
			return bytes.Contains(data, []byte(x.From)) || x.To != "" && bytes.Contains(data, []byte(x.To))
		})
		r.mu.Unlock()
	case strings.HasSuffix(name, ".go"):
		if r.namesStep(data) {
			r.mu.Lock()
			r.named = true
			r.mu.Unlock()
		}
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		names := r.groupNames(data)
		versions := versionConst.FindAllSubmatch(data, -1)
		r.mu.Lock()
		for _, m := range versions {
			if group := string(m[2]); r.steps[group] != nil {
				r.in(path.Dir(name)).strings[string(m[1])], r.named = group, true
			}
		}
		for ident, group := range names {
			r.in(path.Dir(name)).groups[ident] = group
		}
		r.mu.Unlock()
	}
}

// needles are what a Go file holds that says more of such an API.
func (r *goReader) needles() []string {
	list := []string{"GroupVersion{", ".WithKind(", ".WithResource(", "GroupVersion.String()", "GroupVersion.Group", "GroupVersion\n"} // with constants for the kind or the group
	for _, kinds := range r.kinds {
		for _, k := range kinds {
			if !slices.Contains(list, k.kind) {
				list = append(list, k.kind)
			}
		}
	}
	for _, steps := range r.steps {
		for _, s := range steps {
			for _, part := range []struct{ name, more string }{{s.from.Version, "/" + s.from.Version + `"`}, {s.from.Plural, `"` + s.from.Plural + "/"}, {s.from.Plural, `"` + s.from.Plural + "."}, {s.from.Plural, "/" + s.from.Plural + "/"}} {
				if part.name != "" && !slices.Contains(list, part.more) {
					list = append(list, strconv.Quote(part.name), part.more)
				}
			}
		}
	}
	return list
}

// readGo reads one Go file for a reader.
var readGo = (*goReader).read

// read reads one Go file.
func (r *goReader) read(name string, data []byte) {
	set := gotoken.NewFileSet()
	file, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return
	}
	f := &goFile{goReader: r, name: name, data: data, set: set, File: file}
	found := goPackage{types: f.types()}
	imported := f.imports()
	kinds := map[ast.Node]bool{} // literals that are asked for a kind
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if fun, ok := n.Fun.(*ast.SelectorExpr); ok && (builtCalls[fun.Sel.Name] == find.RoleKind || builtCalls[fun.Sel.Name] == find.RoleResource) {
				kinds[fun.X] = true
			}
		case *ast.CompositeLit:
			if s, ok := groupVersionOf(n, data, f.span); ok && !kinds[n] {
				s.file = name
				found.said = append(found.said, s)
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && imported[x.Name] != "" && r.isKind(n.Sel.Name) {
				found.uses = append(found.uses, goUse{imported[x.Name], n.Sel.Name, name, f.span(n.Sel)})
			}
		}
		return true
	})
	b := goBuilder{goFile: f, vars: map[string]goBuilt{}, version: map[string]goVersion{}}
	found.built, found.beside = b.built(), b.beside()
	words, takers, aliases := b.words(), b.takers(), b.aliases()
	if len(found.types)+len(found.said)+len(found.uses)+len(found.built)+len(found.beside)+len(b.version)+len(words)+len(takers)+len(aliases) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.in(path.Dir(name))
	p.types, p.said, p.uses = append(p.types, found.types...), append(p.said, found.said...), append(p.uses, found.uses...)
	p.built, p.beside, r.imports[name] = append(p.built, found.built...), append(p.beside, found.beside...), imported
	maps.Copy(p.versions, b.version)
	maps.Copy(p.apis, b.apis())
	maps.Copy(p.words, words)
	maps.Copy(p.takers, takers)
	maps.Copy(p.aliases, aliases)
	r.files[name] = bytes.Clone(data)
}

// A goFile is a file that a reader reads.
type goFile struct {
	*goReader
	*ast.File
	name string
	data []byte
	set  *gotoken.FileSet
}

// span is where something stands.
func (f *goFile) span(n ast.Node) source.Span {
	return source.Span{Start: f.set.Position(n.Pos()).Offset, End: f.set.Position(n.End()).Offset}
}

// imports are the paths that a file imports, by their names in it.
func (f *goFile) imports() map[string]string {
	imported := map[string]string{}
	for _, spec := range f.Imports {
		where, _ := strconv.Unquote(spec.Path.Value)
		alias := path.Base(where)
		if spec.Name != nil {
			alias = spec.Name.Name
		}
		imported[alias] = where
	}
	return imported
}

// types are the types of a file that are kinds.
func (f *goFile) types() []goType {
	var types []goType
	end := f.Name.End()
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == gotoken.TYPE {
			for _, spec := range gen.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && f.isKind(t.Name.Name) {
					at := f.set.Position(t.Name.Pos())
					types = append(types, goType{name: t.Name.Name, file: f.name, at: f.span(t.Name), pos: fmt.Sprintf("%d:%d", at.Line, at.Column), markers: f.markersIn(end, t.Pos())})
				}
			}
		}
		end = decl.End()
	}
	return types
}

// markersIn are the markers of a CRD between two places of a file.
func (f *goFile) markersIn(from, to gotoken.Pos) []source.Span {
	var spans []source.Span
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() > from && c.End() < to && crdMarker.MatchString(c.Text) {
				spans = append(spans, f.span(c))
			}
		}
	}
	return spans
}

// isKind says whether a name is that of a kind that gets another one, or of its
// list, or what it gets.
func (r *goReader) isKind(name string) bool {
	name = strings.TrimSuffix(name, "List")
	for _, kinds := range r.kinds {
		if slices.ContainsFunc(kinds, func(k renamedKind) bool { return k.kind == name || k.fresh == name }) {
			return true
		}
	}
	return false
}

// groupVersionOf reads GroupVersion{Group: x, Version: y}.
func groupVersionOf(n *ast.CompositeLit, data []byte, span func(ast.Node) source.Span) (saidVersion, bool) {
	if n.Type == nil { // an item of a list, whose type the list says
		return saidVersion{}, false
	}
	typ := string(span(n.Type).Of(data))
	if typ != "GroupVersion" && !strings.HasSuffix(typ, ".GroupVersion") {
		return saidVersion{}, false
	}
	var s saidVersion
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch value := span(kv.Value); string(span(kv.Key).Of(data)) {
		case "Group":
			s.group = string(value.Of(data))
		case "Version":
			s.version, s.at = string(value.Of(data)), value
		}
	}
	return s, s.group != "" && s.version != ""
}

// group resolves the group of a GroupVersion: a literal, or a constant of the
// package or of the one that it is qualified with.
func (r *goReader) group(dir, spelled string) string {
	if literal, err := strconv.Unquote(spelled); err == nil {
		return literal
	}
	pkg, name, qualified := strings.Cut(spelled, ".")
	if !qualified {
		return r.packages[dir].groups[spelled]
	}
	group := ""
	for _, other := range slices.Sorted(maps.Keys(r.packages)) {
		if of := r.packages[other].groups[name]; of != "" && (r.folder(other) == pkg || strings.HasPrefix(dir, other+"/")) {
			if group != "" && group != of {
				return "" // several packages of this name say different things
			}
			group = of
		}
	}
	return group
}

// groupsOf are the groups of the API that a package has the types of, each with
// the version that it says, "" when it says none.
func (r *goReader) groupsOf(dir string, p *goPackage) map[string]string {
	list := map[string]string{}
	for _, group := range p.groups {
		list[group] = ""
	}
	for _, s := range p.said {
		if group := r.groupNamed(dir, s.file, s.group); r.groups[group] {
			list[group], _, _ = r.versionOf(dir, s)
		}
	}
	return list
}

// importPath is the path by which a package is imported, "" when no go.mod
// tells it.
func (r *goReader) importPath(dir string) string {
	for at := dir; ; at = path.Dir(at) {
		if module := r.mods[at]; module != "" {
			return path.Join(module, strings.TrimPrefix(strings.TrimPrefix(dir, at), "/"))
		}
		if at == "." || at == "/" {
			return ""
		}
	}
}
