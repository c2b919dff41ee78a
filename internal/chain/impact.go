// Package chain checks the repository of one component of a stack against those
// around it in the chain. Impact finds what a change of it breaks in the components
// below, which need it; Dev finds tests that take releases of the components above,
// which it needs, rather than what these have now.
//
// The flow of Impact: it reads what each component below has at its head and
// compares two trees of the changed component, by the same means as the notes
// of a release (CRDs) and the proposal of a version (Go API). What nothing below
// uses is not reported.
package chain

import (
	"bytes"
	"context"
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
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/propose"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// An Input is a change of a component.
type Input struct {
	Stack     *stack.Stack
	Config    *matrix.Config
	Component *stack.Component
	Before    fs.FS                                                // its repository without the change
	Now       fs.FS                                                // and with it
	Head      func(ctx context.Context, url string) (fs.FS, error) // the tree of the default branch of a repository
}

// ComponentOf is the component that a repository is of: the one whose Go module
// it has, else the one whose repository its remote is.
func ComponentOf(s *stack.Stack, tree fs.FS, remote string) (*stack.Component, error) {
	for i := range s.Components {
		c := &s.Components[i]
		data, err := fs.ReadFile(tree, matrix.GoModPath(c))
		if err == nil && c.Module.Path != "" && modfile.ModulePath(data) == c.Module.Path {
			return c, nil
		}
	}
	for i := range s.Components {
		if c := &s.Components[i]; c.Repository != "" && repositoryName(c.URL()) == repositoryName(remote) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("this repository is of no component of %s: neither its Go module nor its remote origin is one's", s.Name)
}

// repositoryName is OWNER/NAME of an address, in lower case.
func repositoryName(url string) string {
	url = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(url), "/"), ".git")
	parts := strings.FieldsFunc(url, func(r rune) bool { return r == '/' || r == ':' })
	return path.Join(parts[max(0, len(parts)-2):]...)
}

// Below are the components that need c, directly or through others. Those that
// newer releases of the stack do not have count only if c is one of these.
func Below(s *stack.Stack, c *stack.Component) []*stack.Component {
	return slices.DeleteFunc(s.Dependents(c), func(d *stack.Component) bool {
		return d.Repository == "" || d.Until != "" && c.Until == ""
	})
}

// A pass is one comparison.
type pass struct {
	*Input
	report.Pass
	crds     []notes.CRDChange
	groups   map[string]*regexp.Regexp // of the CRDs
	was, now *modfile.File             // go.mod; nil = there is none
	api      map[string][]propose.APIChange
}

// Impact returns what the change breaks, unsorted. An error means that the answer is
// not known.
func Impact(ctx context.Context, in *Input) ([]report.Finding, error) {
	p := &pass{Input: in, api: map[string][]propose.APIChange{}}
	below := Below(in.Stack, in.Component)
	if len(below) == 0 {
		return nil, nil
	}
	if err := p.load(); err != nil {
		return nil, err
	}
	for _, c := range below {
		tree, err := in.Head(ctx, c.URL())
		if err != nil {
			return nil, err
		}
		u, err := p.read(c, tree)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Repository, err)
		}
		if err := p.compare(u); err != nil {
			return nil, err
		}
	}
	return p.Findings, nil
}

func (p *pass) load() (err error) {
	p.crds, err = notes.CompareCRDs(p.Before, p.Now)
	if err != nil {
		return err
	}
	p.crds = slices.DeleteFunc(p.crds, func(c notes.CRDChange) bool { return !c.Breaking })
	p.groups = map[string]*regexp.Regexp{}
	for _, c := range p.crds {
		_, group, _ := strings.Cut(c.CRD, ".")
		p.groups[group] = wholeGroup(group)
	}
	if p.was, err = goMod(p.Before, p.Component); err != nil {
		return err
	}
	p.now, err = goMod(p.Now, p.Component)
	return err
}

// goMod is the go.mod of a component in a tree; nil = there is none.
func goMod(tree fs.FS, c *stack.Component) (*modfile.File, error) {
	name := matrix.GoModPath(c)
	data, err := matrix.ReadFile(tree, name)
	if err != nil || data == nil {
		return nil, err
	}
	return stack.ParseGoMod(name, data)
}

// modulePath is the path of the module before the change; empty = there is none.
func (p *pass) modulePath() string {
	if p.was == nil || p.was.Module == nil {
		return ""
	}
	return p.was.Module.Mod.Path
}

// add adds a finding about a component below.
func (p *pass) add(rule string, u *user, at report.Finding, format string, args ...any) {
	f := matrix.ImpactRules.Finding(rule)
	f.Path, f.Line, f.Component = at.Path, at.Line, u.of.Name
	p.Report(f, format, args...)
}

func (p *pass) compare(u *user) error {
	p.compareCRDs(u)
	if len(u.imports) == 0 {
		return nil
	}
	if p.now == nil || p.now.Module == nil || p.now.Module.Mod.Path != p.modulePath() {
		p.compareModulePath(u)
		return nil // what it exports is not what is imported
	}
	p.compareGoMod(u)
	return p.compareAPI(u)
}

func (p *pass) compareCRDs(u *user) {
	for _, c := range p.crds {
		use, ok := u.crds[c.CRD]
		if !ok || c.Version != "" && len(use.versions) > 0 && !slices.Contains(use.versions, c.Version) {
			continue
		}
		p.add("impact-crd", u, report.Finding{Path: c.Path}, "%s %s, and %s uses it (%s)", c.CRD, strings.ReplaceAll(c.String(), "`", ""), u.of.Title, use.place)
	}
}

func (p *pass) compareModulePath(u *user) {
	at, to := report.Finding{Path: matrix.GoModPath(p.Component)}, "there is no module any more"
	if p.now != nil && p.now.Module != nil {
		at.Line, to = p.now.Module.Syntax.Start.Line, "the module is "+p.now.Module.Mod.Path+" now"
	}
	first := u.imports[0]
	p.add("impact-module-path", u, at, "%s, and %s imports %s (%s)", to, u.of.Title, first.path, first.place)
}

func (p *pass) compareGoMod(u *user) {
	if u.mod == nil {
		return
	}
	at := report.Finding{Path: matrix.GoModPath(p.Component)}
	if p.now.Go != nil && u.mod.Go != nil && newer(p.now.Go.Version, goVersion(u.mod)) && newer(p.now.Go.Version, goVersion(p.was)) {
		at.Line = p.now.Go.Syntax.Start.Line
		p.add("impact-go-version", u, at, "the module needs Go %s now, and %s has Go %s", p.now.Go.Version, u.of.Title, u.mod.Go.Version)
	}
	for _, h := range p.Config.HeldBack(p.was, p.now, u.mod) {
		at.Line = h.Line
		p.add("impact-module", u, at, "the module requires %s %s now, and %s %s", h.Path, h.Version, u.of.Title, h.Why)
	}
}

func goVersion(f *modfile.File) string {
	if f == nil || f.Go == nil {
		return ""
	}
	return f.Go.Version
}

// newer compares versions of Go: "1.22", "1.22.3".
func newer(a, b string) bool { return semver.Compare("v"+a, "v"+b) > 0 }

func (p *pass) compareAPI(u *user) error {
	folder := path.Dir(matrix.GoModPath(p.Component))
	for _, i := range u.imports {
		dir := path.Join(folder, strings.TrimPrefix(strings.TrimPrefix(i.path, p.modulePath()), "/"))
		changes, ok := p.api[dir]
		if !ok {
			var err error
			if changes, err = propose.CompareAPI(p.Before, p.Now, dir); err != nil {
				return err
			}
			p.api[dir] = changes
		}
		for _, c := range changes {
			if c.Level == propose.Major && u.affected(c.Text) {
				p.add("impact-go-api", u, report.Finding{Path: c.Path, Line: c.Line}, "%s, and %s imports %s (%s)", c.Text, u.of.Title, i.path, i.place)
			}
		}
	}
	return nil
}

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
