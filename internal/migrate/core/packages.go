package core

import (
	"bytes"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Go API package is a unit, known by the kinds that it registers. A file of
// it that names a group without a kind is about these kinds, and so is a file
// of a generated client that imports it.

// Registers are the calls that register kinds in Go: of apimachinery's scheme,
// and of the builder of controller-runtime.
var Registers = []string{"AddKnownTypes(", "SchemeBuilder.Register(", ".AddKnownTypeWithName("}

// registeredType is a type in the arguments of such a call.
var registeredType = lazyregexp.New(`&\s*(?:(\w+)\.)?([A-Z]\w*)\s*\{`)

// RegisteredKinds are the kinds that a Go file registers, but for those of another package with the
// group that this has: AddKnownTypes(v1.GroupVersion, &v1.Widget{}).
func RegisteredKinds(data []byte) []string {
	var kinds []string
	for _, call := range Registers {
		for at := range source.All(data, call) {
			end := at + len(call)
			for depth := 1; end < len(data) && depth > 0; end++ {
				switch data[end] {
				case '(':
					depth++
				case ')':
					depth--
				}
			}
			of, _, _ := bytes.Cut(data[at+len(call):end], []byte("."))
			for _, m := range registeredType.FindAllSubmatch(data[at:end], -1) {
				if len(m[1]) == 0 || !bytes.Equal(m[1], of) {
					kinds = append(kinds, string(m[2]))
				}
			}
		}
	}
	all := slices.Clone(kinds)
	slices.Sort(kinds)
	return slices.DeleteFunc(slices.Compact(kinds), func(kind string) bool { // the list of one
		stem, list := strings.CutSuffix(kind, "List")
		return list && slices.Contains(all, stem)
	})
}

// Asks are the folders of Go files that name a group without a kind, although
// the rules depend on it: what is registered there decides. The paths of
// packages that these files import are among them.
func (c *Core) Asks(files []*File) map[string]bool {
	dirs := map[string]bool{}
	for _, f := range files {
		if f.Format != "go" || !slices.ContainsFunc(f.refs, c.asks) {
			continue
		}
		dirs[path.Dir(f.Path)] = true
		for _, i := range f.imports {
			dirs[i] = true
		}
	}
	return dirs
}

func (m *meaning) asks(r ref) bool {
	return len(r.known.Kinds) == 0 && len(r.known.Plurals) == 0 && len(m.table.RulesOf(r.known.Group).Kinds()) > 0
}

// A GoImport is a package that a Go file imports, by the name that it has there.
type GoImport struct {
	source.Span // of the path, with its quotes
	Path, Name  string
}

// GoImports are the imports of a Go file, as far as it can be parsed.
func GoImports(data []byte) (list []GoImport) {
	files := token.NewFileSet()
	f, _ := parser.ParseFile(files, "", data, parser.ImportsOnly) // those before an error are read
	if f == nil {
		return nil
	}
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		at := files.Position(spec.Path.Pos()).Offset
		x := GoImport{source.Span{Start: at, End: at + len(spec.Path.Value)}, imported, path.Base(imported)}
		if spec.Name != nil {
			x.Name = spec.Name.Name
		}
		list = append(list, x)
	}
	return list
}

// PackageEnd is how the path of a package ends that a folder is: a module may begin at any folder.
func PackageEnd(dir string) string {
	if names.IsVersion(path.Base(dir)) {
		return path.Join(path.Base(path.Dir(dir)), path.Base(dir))
	}
	return path.Base(dir)
}

// ImportEnds are the ends of the paths that Go code imports, of those of versions with that of
// the folder above.
func ImportEnds(data []byte) (ends []string) {
	for _, x := range GoImports(data) {
		for dir := x.Path; strings.Contains(dir, "/"); dir = path.Dir(dir) {
			ends = append(ends, path.Base(dir), path.Join(path.Base(path.Dir(dir)), path.Base(dir)))
			if dir != x.Path || !names.IsVersion(path.Base(dir)) {
				break
			}
		}
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

// importsOwn says whether a file imports the package of a version that is a folder of
// the tree.
func (l *layout) importsOwn(f *File, version string) bool {
	return slices.ContainsFunc(f.imports, func(i string) bool {
		if path.Base(i) != version {
			return false
		}
		for dir := range l.goDirs {
			if path.Base(dir) == version && strings.HasSuffix(i, "/"+dir) {
				return true
			}
		}
		return false
	})
}

// oldImport is the package of Kubernetes for the version of a rule that the Go package of a
// file imports, "" for none: what it does with the types needs the group that they have.
func (l *layout) oldImport(f *File, from rules.GVK) string {
	if f.Format != "go" || from.Version == "" || !slices.Contains(l.imports[path.Dir(f.Path)], apiPackage(from.Group, from.Version)) {
		return ""
	}
	return apiPackage(from.Group, from.Version)
}

// apiPackage is the Go package in which Kubernetes has a version of one of its groups.
func apiPackage(group, version string) string {
	first, _, _ := strings.Cut(group, ".")
	return "k8s.io/api/" + first + "/" + version
}

// packageKinds are the kinds that the Go package of a file registers; of a file
// outside of one, those of a group of the packages that it imports; of a folder with none,
// those of the folders below it.
func (t *Tree) packageKinds(f *File, group string) []string {
	dir := path.Dir(f.Path)
	if kinds := t.registered[dir]; len(kinds) > 0 {
		return kinds
	}
	var kinds []string
	for d, k := range t.registered {
		if strings.HasPrefix(d, dir+"/") && !strings.Contains(d[len(dir)+1:], "/") {
			kinds = append(kinds, k...)
		}
	}
	if len(kinds) == 0 {
		known := append(t.core.table.RulesOf(group).Kinds(), t.Facts.Kinds(group)...)
		isKnown := func(k string) bool { return slices.Contains(known, k) }
		for _, i := range f.imports {
			for d, k := range t.registered {
				if d != "." && strings.HasSuffix(i, "/"+d) && slices.ContainsFunc(k, isKnown) {
					kinds = append(kinds, k...)
				}
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// inPackage adds the version and the kinds of the Go package to what is known of a
// reference. A folder that is named like a version of the group is of that version.
func (t *Tree) inPackage(r *ref) rules.Known {
	k := *r.known
	if r.file == nil || r.file.Format != "go" {
		return k
	}
	if v := path.Base(path.Dir(r.file.Path)); len(k.Versions)+len(k.Kinds)+len(k.Plurals) == 0 && names.IsVersion(v) && slices.Contains(t.Facts.Versions(k.Group, ""), v) {
		k.Versions = []string{v}
	}
	if !t.core.asks(*r) {
		return k
	}
	if kinds := t.packageKinds(r.file, k.Group); len(kinds) > 0 {
		k.Kinds = kinds
	}
	return k
}
