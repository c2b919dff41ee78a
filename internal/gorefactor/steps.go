package gorefactor

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A step is a change of the version of a package that registers an API.
type step struct {
	rule Rule
	api  *API
	dirs map[string]string // folders that move, to where
	pkgs map[string]string // import paths of packages that move, to the new ones
	near map[string]bool   // generated packages that import them, such as clientsets
	word string            // the group in identifiers of clients
	part bool              // another package has kinds of the same version that stay
}

// rename replaces the version in an identifier.
func (s *step) rename(name string) string {
	return replaceVersion(name, s.rule.Version, s.rule.ToVersion)
}

// replaceVersion replaces a version in an identifier: v1alpha1 and V1alpha1, as a word of its
// own or at the end of an alias such as appsv1 or appsv1a1; one with letters also before others.
func replaceVersion(name, from, to string) string {
	for _, f := range [][2]string{{from, to}, {"V" + from[1:], "V" + to[1:]}, {short.Replace(from), short.Replace(to)}} {
		parts := strings.Split(name, f[0])
		name = parts[0]
		for _, next := range parts[1:] {
			if next != "" && (isLower(next[0]) && !strings.Contains(from, "a") || isDigit(next[0])) || name != "" && isDigit(name[len(name)-1]) && isLower(f[0][0]) {
				name += f[0] + next
			} else {
				name += f[1] + next
			}
		}
	}
	return name
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// findSteps resolves the rules that change versions to packages.
func (p finder) findSteps(rules []Rule) {
	seen := map[string]bool{}
	for _, r := range rules {
		for _, a := range p.apis {
			if !r.steps() || a.Version != r.Version || a.Group != r.Group && a.Group != r.toGroup() || seen[a.Package.Path] {
				continue
			}
			seen[a.Package.Path] = true
			switch s := p.newStep(rules, r, a); {
			case s == nil:
			case r.Step == Copy:
				p.copies = append(p.copies, &twin{api: a, group: a.Group})
			default:
				p.findClients(s)
				maps.Copy(p.dirs, s.dirs)
				p.steps, p.parts = append(p.steps, s), append(p.parts, s)
			}
		}
	}
	for _, s := range p.steps {
		s.part = slices.ContainsFunc(p.apis, func(a *API) bool {
			return a.Group == s.api.Group && a.Version == s.api.Version && !slices.ContainsFunc(p.steps, func(x *step) bool { return x.api == a })
		})
		p.findFolders(s)
	}
}

// findFolders finds the folders without Go files that are named after the version and have objects of it, all of
// groups that a step moves: samples, the bases of kustomize.
func (p finder) findFolders(s *step) {
	objects := regexp.MustCompile(`apiVersion"?: *["']?([\w.-]+)/` + s.rule.Version + `\b`)
	own, other := map[string]bool{}, map[string]bool{} // folders
	for _, name := range p.t.Paths {
		i := strings.LastIndex("/"+name, "/"+s.rule.Version+"/")
		if i < 0 || s.part {
			continue
		}
		dir := name[:i+len(s.rule.Version)]
		other[dir] = other[dir] || path.Ext(name) == ".go" || vendored(name) || p.opt.History(name)
		text, _ := p.t.read(name)
		for _, m := range objects.FindAllSubmatch(text, -1) {
			own[dir] = own[dir] || string(m[1]) == s.api.Group
			other[dir] = other[dir] || !slices.ContainsFunc(p.steps, func(x *step) bool { return x.api.Group == string(m[1]) && x.rule.ToVersion == s.rule.ToVersion })
		}
	}
	for dir := range own {
		to := replaceElem(dir, s.rule.Version, s.rule.ToVersion)
		if own[dir] && !other[dir] && !slices.ContainsFunc(p.t.Paths, func(name string) bool { return strings.HasPrefix(name, to+"/") }) {
			s.dirs[dir], p.dirs[dir] = to, to
		}
	}
}

// newStep is the step of a package, nil when it needs review.
func (p finder) newStep(rules []Rule, r Rule, a *API) *step {
	pkg, at := a.Package, a.Package.Files[0].Path
	var stay []string
	for _, k := range a.Kinds {
		if !slices.ContainsFunc(rules, func(x Rule) bool {
			return x.steps() && x.Version == a.Version && (x.Group == a.Group || x.toGroup() == a.Group) && (x.Kind == "" || x.Kind == k)
		}) {
			stay = append(stay, k)
		}
	}
	dir, other := replaceElem(pkg.Dir, r.Version, r.ToVersion), p.inVersion(r, a)
	hint := fmt.Sprintf("move the kinds by hand, or add rules for the others: %s", strings.Join(stay, ", "))
	switch {
	case len(stay) == len(a.Kinds):
	case r.Step == Leave:
		p.review("version-leave", at, token.NoPos, len(a.Kinds), fmt.Sprintf("git mv %s %s, then run again", pkg.Dir, dir), "%s declares %s/%s, and the version package is not changed", pkg.Dir, a.Group, a.Version)
	case len(stay) > 0:
		p.review("version-part", at, token.NoPos, len(stay), hint, "%s declares kinds that no rule moves to %s: %s", pkg.Dir, r.ToVersion, strings.Join(stay, ", "))
	case len(pkg.Broken) > 0:
		p.review("package-broken", pkg.Broken[0], token.NoPos, 1, "correct the file, then run again", "%s is not moved: a file of it does not parse", pkg.Dir)
	case dir == pkg.Dir:
		p.review("version-folder", at, token.NoPos, 1, "change the package by hand", "no folder of %s is named %q", pkg.Dir, r.Version)
	case other != nil && r.Step == Copy && !slices.ContainsFunc(a.Kinds, func(k string) bool { return !slices.Contains(other.Kinds, k) }):
	case other != nil && other.Package.Dir != dir && !p.hasFolder(dir):
		p.review("folder-taken", at, token.NoPos, 1, fmt.Sprintf("move the kinds of %s into %s by hand, and then what uses them", pkg.Dir, other.Package.Dir), "%s declares kinds of it in %s", other.Package.Dir, r.ToVersion)
	case p.hasFolder(dir):
		p.review("folder-taken", at, token.NoPos, 1, fmt.Sprintf("move the kinds of %s into %s by hand; if cfctl copied it, set migrate.go-version-package: copy in .cfctl.yaml", pkg.Dir, dir), "%s exists", dir)
	default:
		return &step{rule: r, api: a, dirs: map[string]string{pkg.Dir: dir}, word: strings.ReplaceAll(label(a.Group), "-", ""),
			pkgs: map[string]string{pkg.Path: replaceElem(pkg.Path, r.Version, r.ToVersion)}}
	}
	return nil
}

// inVersion is the package that declares a kind of an API in its new version; nil for none.
func (p finder) inVersion(r Rule, a *API) *API {
	for _, other := range p.apis {
		if (other.Group == a.Group || other.Group == r.toGroup()) && other.Version == r.ToVersion && slices.ContainsFunc(a.Kinds, func(k string) bool { return slices.Contains(other.Kinds, k) }) {
			return other
		}
	}
	return nil
}

// hasFolder says whether the tree has a folder with Go files.
func (p *planner) hasFolder(dir string) bool {
	return slices.ContainsFunc(p.t.Paths, func(name string) bool { return path.Dir(name) == dir && path.Ext(name) == ".go" })
}

// replaceElem replaces the last element of a path that is a version.
func replaceElem(name, from, to string) string {
	if i := strings.LastIndex("/"+name+"/", "/"+from+"/"); i >= 0 {
		return name[:i] + to + name[i+len(from):]
	}
	return name
}

// findClients finds the packages that are named after the version because they
// are about the API: typed clients, listers, informers, webhooks.
func (p finder) findClients(s *step) {
	v := s.rule.Version
	for grown := true; grown; {
		grown = false
		for _, pkg := range p.t.Packages {
			name := strings.TrimSuffix(pkg.Path, "_test")
			to := replaceElem(pkg.Dir, v, s.rule.ToVersion)
			if s.pkgs[name] == "" && p.importsAny(pkg, s.pkgs) && (path.Base(pkg.Dir) == v || path.Base(path.Dir(pkg.Dir)) == v) && !p.otherVersion(pkg, s) && !p.hasFolder(to) {
				s.dirs[pkg.Dir] = to
				s.pkgs[name] = replaceElem(name, v, s.rule.ToVersion)
				grown = true
				for _, n := range pkg.Types.Scope().Names() { // of a client: FooV1Interface
					if head, ok := strings.CutSuffix(n, capital(v)+"Interface"); ok {
						s.word = strings.ToLower(head)
					}
				}
			}
		}
	}
	s.near = map[string]bool{}
	for _, pkg := range p.t.Packages {
		s.near[strings.TrimSuffix(pkg.Path, "_test")] = pkg.generated() && p.importsAny(pkg, s.pkgs)
	}
}

// importsAny says whether a package imports one of some packages.
func (p finder) importsAny(pkg *Package, paths map[string]string) bool {
	return slices.ContainsFunc(pkg.Files, func(f *File) bool {
		return slices.ContainsFunc(f.AST.Imports, func(spec *ast.ImportSpec) bool {
			name, _ := strconv.Unquote(spec.Path.Value)
			return paths[name] != ""
		})
	})
}

// otherVersion says whether a package is, or is about, the same version of another group.
func (p finder) otherVersion(pkg *Package, s *step) bool {
	return slices.ContainsFunc(p.apis, func(a *API) bool {
		return a.Version == s.rule.Version && a.Package != s.api.Package && (a.Package == pkg || p.importsAny(pkg, map[string]string{a.Package.Path: "x"}))
	})
}

// generated says whether programs write all files of a package.
func (pkg *Package) generated() bool {
	return !slices.ContainsFunc(pkg.Files, func(f *File) bool { return !f.program })
}

func (s *step) is(name string) bool { return strings.EqualFold(name, s.rule.Version) }

// owns says whether an entity with the version in its name is named after it.
func (s *step) owns(p *decider, e *entity) bool {
	if k, ok := e.key.(packageKey); ok {
		return s.pkgs[k.path] != ""
	}
	for _, obj := range e.objs {
		pkg := strings.TrimSuffix(obj.Pkg().Path(), "_test")
		head, _, named := strings.Cut(strings.ToLower(obj.Name()), s.rule.Version)
		own := s.near[pkg] && named && (head == "" || strings.HasSuffix(head, s.word)) // behind the group, or nothing
		if imp, ok := obj.(*types.PkgName); ok {
			pkg = imp.Imported().Path()
			own = strings.HasPrefix(pkg, s.api.Package.Path+"/")
		}
		if !own && s.pkgs[pkg] == "" && !s.about(p.planner, obj) {
			return false
		}
	}
	return len(e.objs) > 0
}

// about says whether something of another package, no field or method, is of a type of the step and
// of none of another API with its version: Convert_v1alpha1_Widget_To_v2_Widget; or is a test of that.
func (s *step) about(p *planner, obj types.Object) bool {
	if tested := obj.Pkg().Scope().Lookup(strings.TrimPrefix(obj.Name(), "Test")); tested != nil {
		obj = tested
	}
	of := types.TypeString(obj.Type(), nil)
	return obj.Parent() != nil && strings.ContainsAny(s.rule.Version, "ab") && strings.Contains(of, s.api.Package.Path+".") && !slices.ContainsFunc(p.apis, func(a *API) bool {
		return a != s.api && a.Version == s.api.Version && strings.Contains(of, a.Package.Path+".")
	})
}

// moved is the new path of a file of the tree, or the path itself.
func (p *planner) moved(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if to := p.dirs[dir]; to != "" {
			return to + strings.TrimPrefix(name, dir)
		}
	}
	return name
}
