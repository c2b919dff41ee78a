package chain

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/mod/modfile"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A user is a component below, with what it uses of the changed one.
type user struct {
	of      *stack.Component
	mod     *modfile.File   // nil = it has no go.mod
	imports []imported      // packages of the module, each once, in the order of the files
	names   map[string]bool // words of its Go files
	crds    map[string]use  // by the name of the CRD
}

// An imported package, and the first place that imports it.
type imported struct{ path, place string }

// A use is the first place that names a CRD's group and kind.
type use struct {
	place    string
	versions []string // that are named with the group in any file; none = it is named without
}

// maxRead is the size of the largest file that is read, in bytes.
const maxRead = 1 << 20

// notRead are folders of what is not a component's own.
var notRead = []string{".git", "vendor", "node_modules", "third_party"}

// read finds what a component uses in its tree. Documents count as nothing, and
// neither do copies of CRDs.
func (p *pass) read(c *stack.Component, tree fs.FS) (*user, error) {
	u := &user{of: c, names: map[string]bool{}, crds: map[string]use{}}
	var err error
	if u.mod, err = goMod(tree, c); err != nil {
		return nil, err
	}
	document := func(name string) bool {
		return slices.Contains([]string{".md", ".rst", ".adoc", ".sum"}, path.Ext(name))
	}
	err = eachText(tree, document, func(name string, data []byte) error {
		if path.Ext(name) == ".go" && p.modulePath() != "" {
			u.addImports(name, data, p.modulePath())
			for _, word := range bytes.FieldsFunc(data, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				u.names[string(word)] = true
			}
		}
		u.addCRDs(p, name, data)
		return nil
	})
	return u, err
}

// eachText visits the files of text of a tree, but those that are skipped by name.
func eachText(tree fs.FS, skip func(name string) bool, visit func(name string, data []byte) error) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(notRead, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || skip(name):
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil || len(data) > maxRead || bytes.IndexByte(data, 0) >= 0 {
			return err
		}
		return visit(name, data)
	})
}

// affected says whether code names what a change of an API is about: the last name of
// "api/v1.Blade.Angle: removed". What an interface gets more, those break that
// do not name it.
func (u *user) affected(text string) bool {
	of, what, _ := strings.Cut(text, ": ")
	return what == "added" || u.names[of[strings.LastIndexByte(of, '.')+1:]]
}

// addImports adds the packages of a module that a file imports. A file that
// cannot be parsed has none.
func (u *user) addImports(name string, data []byte, module string) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, data, parser.ImportsOnly)
	if err != nil {
		return
	}
	for _, spec := range f.Imports {
		of, err := strconv.Unquote(spec.Path.Value)
		rest, ok := strings.CutPrefix(of, module)
		if err != nil || !ok || rest != "" && rest[0] != '/' || majorFolder.MatchString(rest) {
			continue
		}
		if !slices.ContainsFunc(u.imports, func(i imported) bool { return i.path == of }) {
			u.imports = append(u.imports, imported{of, fmt.Sprintf("%s:%d", name, set.Position(spec.Pos()).Line)})
		}
	}
}

// majorFolder begins the path of a package of another major version of a module.
var majorFolder = lazyregexp.New(`^/v[0-9]+(/|$)`)

// addCRDs adds the CRDs whose group and kind a file names.
func (u *user) addCRDs(p *pass, name string, data []byte) {
	if bytes.Contains(data, []byte("kind: CustomResourceDefinition")) {
		return
	}
	for _, c := range p.crds {
		plural, group, _ := strings.Cut(c.CRD, ".")
		if !bytes.Contains(data, []byte(group)) {
			continue
		}
		at, versions := named(data, p.groups[group])
		if at < 0 || !bytes.Contains(data, []byte(plural)) && (c.Object == "" || !bytes.Contains(data, []byte(c.Object))) {
			continue
		}
		have, ok := u.crds[c.CRD]
		if !ok {
			have.place = fmt.Sprintf("%s:%d", name, source.PositionAt(data, at).Line)
		}
		have.versions = append(have.versions, versions...)
		u.crds[c.CRD] = have
	}
}

// named is where a file names a group as a whole, -1 = nowhere, and the versions
// that follow it after a slash.
func named(data []byte, group *regexp.Regexp) (first int, versions []string) {
	first = -1
	for _, m := range group.FindAllSubmatchIndex(data, -1) {
		if first < 0 {
			first = m[2]
		}
		if m[4] >= 0 {
			versions = append(versions, string(data[m[4]:m[5]]))
		}
	}
	return first, versions
}

// wholeGroup finds a group with the version after it. A full stop before it continues no
// name: "appwrappers.workload.codeflare.dev" names the group.
func wholeGroup(group string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^-\w])(` + regexp.QuoteMeta(group) + `)(?:/(v[0-9]+(?:(?:alpha|beta)[0-9]+)?)\b|[^-\w]|$)`)
}
