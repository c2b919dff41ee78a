package gorefactor

import (
	"bytes"
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

	"github.com/project-codeflare/cfctl/internal/source"
)

// While two groups are served, each needs a package of its own: a scheme maps a
// struct to one kind. Source: PCF-ADR-0005; runtime.Scheme.AddKnownTypeWithName
// of k8s.io/apimachinery.

// A twin is an API package and what there is, or will be, of it in another group.
type twin struct {
	api                *API
	group, dir, at, as string // of the package in the other group: folder, import path, import name
	files              map[string][]byte
}

// Dual are the API packages of groups that rules change, while both groups are served.
type Dual struct {
	t     *Tree
	rules []Rule
	Old   []string // folders of packages whose counterpart is in the tree already
	Fresh []string // of those that have none yet
	Plan  *Plan    // that changes nothing, until packages are copied
	fresh []*twin
}

// Dual finds the packages of the rules, and structs that are registered as two kinds.
func (t *Tree) Dual(rules []Rule) *Dual {
	d := &Dual{t: t, rules: rules, Plan: &Plan{Edits: map[string][]source.Edit{}, Create: map[string][]byte{}}}
	apis := t.APIs(rules)
	for _, a := range apis {
		to, ok := a.newGroup(rules)
		if !ok || to == a.Group {
			continue
		}
		w := &twin{api: a, group: to}
		if i := slices.IndexFunc(apis, func(other *API) bool { return other.Group == to && d.counterpart(a, other) }); i >= 0 {
			d.Old = append(d.Old, a.Package.Dir)
			w.dir, w.at = apis[i].Package.Dir, apis[i].Package.Path
			d.reportTwin(w, apis[i].Package)
		} else {
			d.fresh, d.Fresh = append(d.fresh, w), append(d.Fresh, a.Package.Dir)
		}
	}
	d.registeredTwice()
	return d
}

// counterpart says whether an API of the new group has what the rules make of another.
func (d *Dual) counterpart(a, other *API) bool {
	for _, k := range a.Kinds {
		kind, version := k, a.Version
		for _, r := range d.rules {
			if r.Group == a.Group && (r.Version == "" || r.Version == a.Version) && (r.Kind == "" || r.Kind == k) {
				kind, version = cmp.Or(r.ToKind, kind), cmp.Or(r.ToVersion, version)
			}
		}
		if other.Version != version || !slices.Contains(other.Kinds, kind) {
			return false
		}
	}
	return true
}

// UsesScheme says whether the bodies of the functions of a file are needed for Dual.
func UsesScheme(_ string, data []byte) bool {
	return bytes.Contains(data, []byte("AddToScheme")) || bytes.Contains(data, []byte(".Register(&"))
}

// Copy adds a package for each that has none in the new group, and its registration.
// After is a file as it is when the old group is replaced: its path and content.
func (d *Dual) Copy(after func(name string) (to string, data []byte, err error)) (*Plan, error) {
	p := &planner{t: d.t, plan: d.Plan}
	d.Plan.Review = append(d.Plan.Review, d.t.Broken...)
	var ready []*twin
	for _, w := range d.fresh {
		if p.place(w, after) {
			if slices.ContainsFunc(ready, func(o *twin) bool { return o.as == w.as }) { // one file may import both
				w.as = strings.NewReplacer("-", "", ".", "", "_", "").Replace(path.Base(path.Dir(w.api.Package.Dir))) + w.as
			}
			ready = append(ready, w)
		}
	}
	for _, w := range ready {
		for name, data := range w.files {
			for _, other := range ready {
				data = bytes.ReplaceAll(data, []byte(strconv.Quote(other.api.Package.Path)), []byte(strconv.Quote(other.at)))
			}
			d.Plan.Create[name] = data
		}
		p.register(w, func(name string) string {
			return strings.Replace(name, label(w.api.Group), wordFor(w.api.Group, w.group), 1)
		})
		d.reportTwin(w, nil)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Plan.Edits)) {
		d.Plan.Edits[name] = settle(d.Plan.Edits[name])
	}
	sortEntries(d.Plan.Review)
	return d.Plan, nil
}

// place finds the folder, the import name and the files of a copy; false where it needs review.
func (p *planner) place(w *twin, after func(string) (string, []byte, error)) bool {
	pkg := w.api.Package
	w.files = map[string][]byte{}
	for _, f := range pkg.Files {
		if f.Test {
			continue
		}
		to, data, err := after(f.Path)
		if err != nil {
			p.review("not-copied", f.Path, token.NoPos, 1, "change it, then run again", "the package is not copied for %s: %v", w.group, err)
			return false
		}
		w.dir = dirFor(path.Dir(to), w.api.Group, w.group)
		w.as = wordFor(w.api.Group, w.group) + packageName(data)
		w.files[path.Join(w.dir, path.Base(to))] = data
	}
	w.at = importPath(p.t.roots, w.dir)
	switch {
	case len(pkg.Broken) > 0:
		p.review("package-broken", pkg.Broken[0], token.NoPos, 1, "correct the file, then run again", "%s is not copied: a file of it does not parse", pkg.Dir)
	case p.hasFolder(w.dir):
		p.review("folder-taken", pkg.Files[0].Path, token.NoPos, 1, fmt.Sprintf("copy the kinds of %s into %s by hand", pkg.Dir, w.dir), "%s exists", w.dir)
	default:
		return true
	}
	return false
}

// packageName is the name in the package clause of a file.
func packageName(data []byte) string {
	for line := range bytes.Lines(data) {
		if name, ok := bytes.CutPrefix(line, []byte("package ")); ok {
			return string(bytes.TrimSpace(name))
		}
	}
	return ""
}

// wordFor is the new group as a word of identifiers and folders: its first label, or all
// of it where that is the first label of the old one.
func wordFor(from, to string) string {
	word := label(to)
	if word == label(from) {
		word = to
	}
	return strings.NewReplacer("-", "", ".", "").Replace(word)
}

// dirFor is the folder of a package in another group: next to the folder of the old
// group where there is one, else in a folder of its own, as kubebuilder has several groups.
// Source: https://book.kubebuilder.io/migration/multi-group
func dirFor(dir, from, to string) string {
	elems := strings.Split(dir, "/")
	for i := len(elems) - 1; i >= 0; i-- {
		switch elems[i] {
		case from:
			elems[i] = to
			return path.Join(elems...)
		case label(from):
			elems[i] = wordFor(from, to)
			return path.Join(elems...)
		}
	}
	last := len(elems) - 1
	return path.Join(slices.Insert(elems, last, wordFor(from, to))...)
}

// reportTwin reports what the package of the new group does not have by itself: clients,
// and webhooks with names of their own. It is nil where it is made by a plan.
func (d *Dual) reportTwin(w *twin, fresh *Package) {
	pkg, first := w.api.Package, w.api.Package.Files[0].Path
	p := &planner{t: d.t, plan: d.Plan}
	if n := p.clientsOf(pkg); n > 0 && (fresh == nil || p.clientsOf(fresh) == 0) {
		p.review("dual-client", first, token.NoPos, n, fmt.Sprintf("add %s to the input of the generator, and run it", w.at), "generated clients know %s in %s alone", w.api.Group, pkg.Path)
	}
	names := d.t.webhooks(pkg)
	if fresh != nil {
		other := d.t.webhooks(fresh)
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(other, name) })
	}
	if len(names) > 0 {
		p.review("dual-webhook", first, token.NoPos, len(names), fmt.Sprintf("give the webhooks in %s names of their own, register them with the manager, and generate the manifests", w.dir),
			"%s and its package for %s have webhooks of the same name: %s", pkg.Dir, w.group, strings.Join(names, ", "))
	}
}

// webhooks are the names of the webhooks in the markers of a package.
// Source: https://book.kubebuilder.io/reference/markers/webhook
func (t *Tree) webhooks(pkg *Package) []string {
	var names []string
	for _, f := range pkg.Files {
		data, err := t.read(f.Path)
		if err != nil || f.Test {
			continue
		}
		for line := range bytes.Lines(data) {
			_, marker, ok := strings.Cut(string(line), "+kubebuilder:webhook:")
			for part := range strings.SplitSeq(strings.TrimSpace(marker), ",") {
				if name, is := strings.CutPrefix(part, "name="); ok && is {
					names = append(names, strings.Trim(name, `"`))
				}
			}
		}
	}
	return names
}

// clientsOf is the number of packages that code generators of Kubernetes write about
// an API: client-gen, lister-gen, informer-gen.
func (p *planner) clientsOf(pkg *Package) int {
	n := 0
	for at := range p.generatedFrom(map[string]string{pkg.Path: "API"}) {
		if strings.HasSuffix(p.t.byPkg[at].Files[0].by, "-gen") {
			n++
		}
	}
	return n
}

// registeredTwice reports structs of the tree that are registered as kinds of two groups,
// one of which is of the rules.
func (d *Dual) registeredTwice() {
	p := &planner{t: d.t, plan: d.Plan}
	values := d.t.values()
	first := map[types.Object]string{}
	for f := range d.t.each {
		if f.Test {
			continue
		}
		for n := range ast.Preorder(f.AST) {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !takesTypes(call.Fun) || calledName(call.Fun) == "append" {
				continue
			}
			of := call.Args[0] // AddKnownTypes(GroupVersion, &Widget{})
			if calledName(call.Fun) == "Register" {
				of = call.Fun // SchemeBuilder.Register(&Widget{})
			}
			gv := d.t.groupVersion(of, values, 0)
			for _, arg := range call.Args {
				obj, ok := d.t.object(pointed(arg)).(*types.TypeName)
				if !ok || gv == "" || obj.Pkg() == nil || d.t.byPkg[obj.Pkg().Path()] == nil {
					continue
				}
				if was, again := first[obj]; !again {
					first[obj] = gv
				} else if was != gv && d.concerns(was, gv) {
					p.review("two-kinds", f.Path, call.Pos(), 1, fmt.Sprintf("declare a struct for %s in a package of its own: cfctl migrate --mode dual --go-version-package=copy", gv),
						"%s is registered as a kind of %s and of %s, but a scheme has one kind for each struct", obj.Name(), was, gv)
				}
			}
		}
	}
}

// concerns says whether one of two API versions is of the old or the new group of a rule.
func (d *Dual) concerns(list ...string) bool {
	return slices.ContainsFunc(list, func(gv string) bool {
		group, _, _ := strings.Cut(gv, "/")
		return slices.ContainsFunc(d.rules, func(r Rule) bool { return r.Group == group || r.toGroup() == group })
	})
}

// values are the expressions that variables of the tree are declared with.
func (t *Tree) values() map[types.Object]ast.Expr {
	values := map[types.Object]ast.Expr{}
	for f := range t.each {
		for n := range ast.Preorder(f.AST) {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i := range min(len(spec.Names), len(spec.Values)) {
					values[t.Info.Defs[spec.Names[i]]] = spec.Values[i]
				}
			}
		}
	}
	return values
}

// groupVersion is the GROUP/VERSION of the first literal with both that an expression leads
// to, "" for none.
func (t *Tree) groupVersion(e ast.Expr, values map[types.Object]ast.Expr, depth int) (gv string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if group, version := t.field(n, "Group"), t.field(n, "Version"); group != "" && version != "" {
				gv = group + "/" + version
			}
		case *ast.Ident:
			if value := values[t.Info.Uses[n]]; value != nil && depth < 4 {
				gv = cmp.Or(gv, t.groupVersion(value, values, depth+1))
			}
		}
		return gv == ""
	})
	return gv
}

// object is what a name, or a name of a package, is of; nil where that is not known.
func (t *Tree) object(e ast.Expr) types.Object {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		e = sel.Sel
	}
	id, _ := e.(*ast.Ident)
	return t.Info.Uses[id]
}
