package stack

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"regexp/syntax"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Place says where the version of a component stands. Kind names the
// extractor; Path, Key and Image are its parameters.
type Place struct {
	Component  string   `yaml:"component"`  // whose version it is
	Kind       string   `yaml:"kind"`       // what kind of reference it is; docs/checks.md lists the kinds
	Repository string   `yaml:"repository"` // the component in whose repository the file is; empty = the root
	Path       string   `yaml:"path"`       // slash-separated; *, ? and [] as in path.Match
	Key        string   `yaml:"key"`        // what to look for, by kind: docs/checks.md
	Image      bool     `yaml:"image"`      // the value is an image reference; the version is its tag
	Digest     bool     `yaml:"digest"`     // with Image: its digest counts, too: it is the one that the release declares
	Named      string   `yaml:"named"`      // with Image: only images whose repository is this, or ends in "/" and this
	Forms      []string `yaml:"forms"`      // spellings; the first is written where the file has none of them; default [v{version}]
	Skip       []string `yaml:"skip"`       // values that the build replaces: read as no version, never written
	Rule       string   `yaml:"rule"`       // the matrix check that judges it; default by kind
	Optional   bool     `yaml:"optional"`   // matching nothing is no error
	From       string   `yaml:"from"`       // first stack release that has the place; empty = always
	Until      string   `yaml:"until"`      // first stack release that has it no more; empty = still

	tables []*Table // of components in the file, for table-row
	steps  int      // of the program of a pattern
	stack  *Stack
	of     *Component
}

// A Kind is a way to find versions in a file.
type Kind struct {
	Name string
	Key  string // what Key means; empty = no key is taken
	Rule string // the check that judges what is found, unless the place names another
	Doc  string

	find func(p *Place, f *file) ([]hit, error)
}

// Kinds are the extractors that places can name.
var Kinds = []*Kind{
	{"table-row", "the row's name; default the component's title", "version-not-semver", "row of the compatibility table: the version and the tag in its link", findRow},
	{"make-var", "the variable", "makefile-mismatch", "assignments NAME ?= value, := or = of a Makefile", findMakeVar},
	{"go-require", "the module path; default the component's", "gomod-mismatch", "require directive of a go.mod", findRequire},
	{"go-replace", "the module path; default the component's", "gomod-replaced", "version on the right of a replace directive of a go.mod", findReplace},
	{"go-const", "the constant's or variable's name", "generated-default-behind", "string constant of a Go file", findGoConst},
	{"properties", "the key", "place-mismatch", "KEY=value line of a .env or .properties file", findLine(propertyText)},
	{"kustomize-ref", "the repository as written in the URL: github.com/OWNER/NAME", "crd-ref-behind", "?ref= of a remote resource of a kustomization", findRef},
	{"kustomize-image", "the image's name", "place-mismatch", "newTag of an image of a kustomization", findNewTag},
	{"yaml", "path of the value: spec.images[*].tag, containers[name=manager].image", "place-mismatch", "scalar of a YAML or JSON file", findYAML},
	{"dockerfile-arg", "the argument's name", "place-mismatch", "ARG NAME=value or ENV NAME=value of a Dockerfile", findDocker(argText)},
	{"dockerfile-from", "the image's name", "place-mismatch", "tag of the image of a FROM line, or of --from=", findDocker(fromText)},
	{"pattern", "regular expression with one group around the version", "place-mismatch", "any text file (RE2, (?m) is on)", findPattern},
}

// kindNamed returns the kind, or an error that names the known ones.
func kindNamed(name string) (*Kind, error) {
	var known []string
	for _, k := range Kinds {
		if k.Name == name {
			return k, nil
		}
		known = append(known, k.Name)
	}
	if near := spelling.Nearest(name, known); near != "" {
		return nil, fmt.Errorf("unknown kind %q, did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("unknown kind %q (known: %s)", name, strings.Join(known, ", "))
}

// A hit is a span of a file that an extractor found.
type hit struct {
	span   source.Span
	part   string
	digest string // of an entry next to it, which pins the image of the version; empty = there is none
	before string // what stands between the place and a version that is missing there
	other  string // what is taken instead of the version: that digest, another image
}

// A Match is a version that stands at a place.
type Match struct {
	Place   *Place
	Path    string      // of the file
	Span    source.Span // of Text
	Pos     source.Position
	Text    string // what stands there: "release-v1.33.0", "0.4.4"
	Version string // the version in it: "v1.33.0", "v0.4.4"; Text itself when it follows no form
	Skipped bool   // Text is one of the place's Skip values
	Part    string // "link" for the tag in a table row's link, "no tag" where the tag of an image is missing, else empty
	Other   string // what is taken instead of the version: a digest next to it, another image; empty = nothing

	form   string
	pinned string // digest that stands right after Text: "@sha256:..."
	digest string // of an entry next to it, which wins over the version
}

// Set returns the edit that makes version ("v1.2.0" or "1.2.0") stand there, in
// the spelling that the present one has. A digest beside it is of the image
// that was, and would win over the new tag: it goes. Setting what stands there
// already is an edit that changes nothing.
func (m Match) Set(version string) (source.Edit, error) {
	e := source.Edit{Span: m.Span, Old: m.Text, New: m.Spell(version)}
	switch {
	case e.Old == e.New:
	case m.digest != "":
		return e, &source.Error{Path: m.Path, Pos: m.Pos, Err: fmt.Errorf("the digest next to %s decides what is taken", m.Text), Hint: "remove the digest first"}
	default:
		e.Old += m.pinned
		e.End += len(m.pinned)
	}
	return e, nil
}

// Sets says whether the place would change.
func (m Match) Sets(version string) bool {
	return m.Part != PartDigest && m.Spell(version) != m.Text
}

// pin is a digest behind a tag.
var pin = lazyregexp.New(`^@[A-Za-z0-9_+.-]+:[0-9A-Fa-f]+`)

// Spell writes a version as it would stand there.
func (m Match) Spell(version string) string {
	switch {
	case m.Place.of.Refs && !versions.IsVersion("v"+versions.Bare(version)):
		return version // a branch, a commit
	case m.Part == partLink && len(m.Place.of.Tags) > 0:
		return m.Place.of.TagOf(version)
	}
	return versions.Format(m.form, version)
}

// Says is what stands there, for people.
func (m Match) Says() string {
	return cmp.Or(m.Text, m.Part)
}

// ErrNoMatch is wrapped by the error of a place that had to match and did not.
var ErrNoMatch = errors.New("no version found")

// ErrNoPlace is an ErrNoMatch of a component of which no place is declared.
var ErrNoPlace = fmt.Errorf("%w: stack.places has no place of it", ErrNoMatch)

// Find returns every match in the tree, by path and offset. A file that is not
// there gives none. A file that is there and does not parse is a
// *source.Error. Whether no match is an error is for the caller to say: see
// Stack.Find.
func (p *Place) Find(tree fs.FS) ([]Match, error) {
	x, ok := tree.(*Index)
	if !ok || x.left < 0 {
		return p.find(tree)
	}
	matches, ok := x.found[p]
	if !ok {
		var err error
		if matches, err = p.find(tree); err != nil {
			return nil, err
		}
		x.found[p] = matches
	}
	return slices.Clone(matches), nil
}

func (p *Place) find(tree fs.FS) ([]Match, error) {
	kind, err := kindNamed(p.Kind)
	if err != nil {
		return nil, err
	}
	paths, err := p.paths(tree)
	if err != nil {
		return nil, err
	}
	var matches []Match
	for _, path := range paths {
		f, err := fileOf(tree, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = &source.Error{Path: path, Err: failed.Err}
		}
		if err == nil {
			err = spend(tree, path, len(f.data)*p.cost(f))
		}
		if err != nil {
			return nil, err
		}
		hits, err := kind.find(p, f)
		if err != nil {
			return nil, err
		}
		if len(hits) > maxHits {
			return nil, &source.Error{Path: path, Err: fmt.Errorf("%s is there more than %d times", p, maxHits)}
		}
		for _, h := range hits {
			matches = append(matches, p.match(path, f.data, f.positions(), h))
		}
	}
	return matches, nil
}

// maxHits is how often a place may be found in a file: a version stands in one
// file a few dozen times at most.
const maxHits = 10_000

// Present says whether the place exists in the tree, also when no version can
// be read there: the variable, the constant, the kustomization, the
// requirement.
func (p *Place) Present(tree fs.FS) (bool, error) {
	matches, err := p.Find(tree)
	if err != nil || len(matches) > 0 {
		return len(matches) > 0, err
	}
	data, err := fs.ReadFile(tree, p.Path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	switch p.Kind {
	case "make-var":
		_, ok := ParseMakefile(p.Path, data).Var(p.Key)
		return ok, nil
	case "kustomize-ref":
		return true, nil
	case "go-const":
		return goConstPresent(p, data), nil
	}
	return false, nil
}

func (p *Place) match(path string, data []byte, at positions, h hit) Match {
	m := Match{
		Place: p, Path: path, Span: h.span, Pos: at.of(h.span.Start),
		Text: string(h.span.Of(data)), Part: h.part,
	}
	forms := p.Forms
	if h.part == partLink {
		forms = p.of.tagSchemes()
	} else {
		m.pinned = string(pin.Get().Find(data[h.span.End:]))
		m.digest = h.digest
		m.Other = cmp.Or(strings.TrimPrefix(m.pinned, "@"), h.digest, h.other)
	}
	m.Version, m.form = versions.Spelled(forms, m.Text)
	if p.of.Refs && !versions.IsVersion(m.Version) {
		m.Version = m.Text
	}
	m.form = h.before + m.form
	m.Skipped = slices.Contains(p.Skip, m.Text)
	return m
}

// Read is the version in a text that stands at the place, and how another
// version would be written there. A text in none of the place's forms is its
// own version.
func (p *Place) Read(text string) (version string, spell func(version string) string) {
	version, form := versions.Spelled(p.Forms, text)
	if p.of.Refs && !versions.IsVersion(version) {
		version = text
	}
	return version, func(v string) string {
		if p.of.Refs && !versions.IsVersion("v"+versions.Bare(v)) {
			return v
		}
		return versions.Format(form, v)
	}
}

// RowPlace is the place of the component's row in the table; nil when it is
// not to have one.
func (s *Stack) RowPlace(c *Component) *Place {
	for _, p := range s.placesOf(c) {
		if p.Kind == "table-row" {
			return p
		}
	}
	return nil
}

// placesOf are the places of a component, wherever they are.
func (s *Stack) placesOf(c *Component) (list []*Place) {
	if s.known != nil && s.known.places == len(s.Places) && c != nil {
		for _, i := range s.known.placed[c.Name] {
			list = append(list, &s.Places[i])
		}
		return list
	}
	for i := range s.Places {
		if pc, _ := s.Component(s.Places[i].Component); pc == c {
			list = append(list, &s.Places[i])
		}
	}
	return list
}

// InEra says whether the place belongs to a stack release. An empty or
// malformed version means yes.
func (p *Place) InEra(version string) bool { return InEra(version, p.From, p.Until) }

// PlacesOf lists the places of a component in the repository of component
// where, those of the era of the stack release at (empty = every era) only.
// The row of the table and the go.mod requirement come first.
func (s *Stack) PlacesOf(c, where *Component, at string) []*Place {
	var list []*Place
	for _, p := range s.placesOf(c) {
		pw := s.RootComponent()
		if p.Repository != "" {
			pw, _ = s.Component(p.Repository)
		}
		if pw == where && p.InEra(at) {
			list = append(list, p)
		}
	}
	return list
}

// Implied are the places that a component has in the root's repository without a
// declaration: its row in the tables of components, and the requirement of its
// module in go.mod. A place that is declared for either, in any era, goes before.
func (s *Stack) Implied(c *Component) ([]*Place, error) {
	declared := map[string]bool{}
	for _, p := range s.PlacesOf(c, s.RootComponent(), "") {
		if p.Kind == "table-row" || p.Kind == "go-require" && p.Path == "go.mod" && p.Key == c.Module.Path {
			declared[p.Kind] = true
		}
	}
	var list []*Place
	if !declared["table-row"] && len(s.TablesOf(RowsComponents)) > 0 {
		list = append(list, &Place{Component: c.Name, Kind: "table-row", Optional: true})
	}
	if !declared["go-require"] && c.Module.Path != "" {
		p := &Place{Component: c.Name, Kind: "go-require", Optional: true}
		if form := c.moduleForm(); form != "" && !strings.Contains(form, versions.Placeholder) {
			p.Forms = []string{form}
		}
		list = append(list, p)
	}
	for _, p := range list {
		if err := p.Complete(s); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ReadValue is the version in a value of the place, as it is written: the value, or
// the tag of an image. Not ok = the place does not judge it: it is another image, or
// one that is pinned by its digest alone.
func (p *Place) ReadValue(value string) (text string, ok bool) {
	for _, h := range p.value([]byte(value), source.Span{End: len(value)}) {
		if h.part != PartDigest {
			return string(h.span.Of([]byte(value))), true
		}
	}
	return "", false
}

// Find returns every match of a component in a tree of the root's repository.
// A place of the era that must match and does not, and a component for which
// nothing matches at all, are errors that wrap ErrNoMatch.
func (s *Stack) Find(tree fs.FS, c *Component, at string) ([]Match, error) {
	var all []Match
	places := s.PlacesOf(c, s.RootComponent(), at)
	if len(places) == 0 {
		return nil, fmt.Errorf("component %s: %w", c.Name, ErrNoPlace)
	}
	for _, p := range places {
		matches, err := p.Find(tree)
		if err != nil {
			return nil, err
		}
		if len(matches) == 0 && !p.Optional {
			return nil, fmt.Errorf("%s of %s: %w", p, c.Name, ErrNoMatch)
		}
		all = append(all, matches...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("component %s: %w in any of its places", c.Name, ErrNoMatch)
	}
	return all, nil
}

// String names the place for people: "make-var MCAD_VERSION in Makefile". A pattern is
// named by its longest plain text.
func (p *Place) String() string {
	key := p.Key
	if tree, err := syntax.Parse(key, syntax.Perl); p.Kind == "pattern" && err == nil {
		key = cmp.Or(strings.Trim(longestText(tree), " :=/@\""), key)
	}
	if key == "" {
		return p.Kind + " in " + p.Path
	}
	return p.Kind + " " + key + " in " + p.Path
}

// Complete fills in defaults and checks the place against its stack: one of its own
// list, or one in another repository, which is not one of the stack.
func (p *Place) Complete(s *Stack) error {
	kind, err := kindNamed(p.Kind)
	if err != nil {
		return err
	}
	c, err := s.Lookup(p.Component)
	if err != nil {
		return err
	}
	if p.Repository != "" {
		if _, err := s.Lookup(p.Repository); err != nil {
			return err
		}
	}
	p.fill(s, c, kind)
	switch {
	case p.Path == "" || !fs.ValidPath(p.Path):
		return fmt.Errorf("%s of %s: path %q must be relative, with slashes and inside of the repository", p.Kind, c.Name, p.Path)
	case p.Key == "" && kind.Key != "":
		return fmt.Errorf("%s of %s needs a key: %s", p.Kind, c.Name, kind.Key)
	}
	for _, f := range p.Forms {
		if err := versions.CheckScheme(f); err != nil {
			return fmt.Errorf("%s of %s: form: %w", p.Kind, c.Name, err)
		}
	}
	for _, v := range []string{p.From, p.Until} {
		if v != "" && !semver.IsValid(v) {
			return fmt.Errorf("%s of %s: era %q is not a semantic version", p.Kind, c.Name, v)
		}
	}
	if p.Kind == "pattern" {
		p.steps, err = stepsOf(p.Key)
	}
	return err
}

// fill sets what the kind and the component imply.
func (p *Place) fill(s *Stack, c *Component, kind *Kind) {
	p.Rule = cmp.Or(p.Rule, kind.Rule)
	p.of = c
	if len(p.Forms) == 0 {
		p.Forms = c.forms()
	}
	switch p.Kind {
	case "table-row":
		p.stack = s
		tables := s.TablesOf(RowsComponents)
		if len(tables) > 0 {
			p.Path = cmp.Or(p.Path, tables[0].Path)
		}
		p.tables = slices.DeleteFunc(tables, func(t *Table) bool { return t.Path != p.Path })
		if len(p.tables) == 0 {
			p.tables = []*Table{&s.Table} // one like it, in another file
		}
		p.Key = cmp.Or(p.Key, c.Title)
	case "go-require", "go-replace":
		p.Path = cmp.Or(p.Path, "go.mod")
		p.Key = cmp.Or(p.Key, c.Module.Path)
	case "make-var":
		p.Path = cmp.Or(p.Path, "Makefile")
	}
}
