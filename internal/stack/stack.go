// Package stack is the declared model of a stack of components that are
// released together: which components, from which repositories, under which
// tag and image names, and the places where their versions stand.
//
// A Stack comes from the `stack` section of .cfctl.yaml, or is the built-in
// CodeFlare stack (Default), which is written in the same schema. Places are
// declared once and serve everything: Find reads the versions that stand there
// (matrix check), Match.Set returns the edit that writes another one (matrix
// set, release bump), and finding again proves it.
package stack

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Stack is the `stack` section of .cfctl.yaml.
type Stack struct {
	Name       string      `yaml:"name"`       // title of the stack: "CodeFlare Stack"
	Root       string      `yaml:"root"`       // the component whose version is the stack's; its repository holds the table
	Table      Table       `yaml:"table"`      // where the compatibility matrix is
	Tables     []Table     `yaml:"tables"`     // further tables, or those that there are when table is left out
	Components []Component `yaml:"components"` // in the order of the table's rows
	Places     []Place     `yaml:"places"`     // files that have versions of the components; rows of the table and go.mod requirements need no entry

	noTable bool    // only Tables are declared
	forge   string  // where OWNER/NAME is; empty = on GitHub
	known   *lookup // of what Complete saw
}

// A lookup finds components and places in a stack as long as it has as many of them.
type lookup struct {
	components, places int
	named              map[string]int   // positions of components, by names in lower case
	placed             map[string][]int // positions of places, by names of components
}

// A Table says where a compatibility matrix stands and how it looks.
type Table struct {
	Path      string `yaml:"path"`      // default README.md
	Rows      string `yaml:"rows"`      // what a row is: "components" (the default) or "releases"
	Component string `yaml:"component"` // header of the column with the component's title; default "Component"
	Version   string `yaml:"version"`   // header of the column with its version; default "Version"
	Start     string `yaml:"start"`     // text of the line before the block; empty = no markers
	End       string `yaml:"end"`       // text of the line after the block
	Heading   string `yaml:"heading"`   // the text above the table, inside of the block
	Others    bool   `yaml:"others"`    // it may have rows of other components, which are ignored
	Link      string `yaml:"link"`      // template of a version's link, with {repository} and {tag}; empty = plain text

	Release string   `yaml:"release"` // rows: releases: header of the column with the release; default the first column
	Columns []Column `yaml:"columns"` // rows: releases: which component has its versions in which column
	Forms   []string `yaml:"forms"`   // rows: releases: schemes of the releases, when they are not as people write versions
	Flip    bool     `yaml:"flip"`    // rows: releases: rows and columns are exchanged
	Under   string   `yaml:"under"`   // the heading above the table, when other tables look like it
	Key     string   `yaml:"key"`     // rows: releases, in YAML or JSON: path of the list
	From    string   `yaml:"from"`    // first stack release that has the table; empty = always
	Until   string   `yaml:"until"`   // first stack release that has it no more; empty = still. A tree of which no release is known is the newest
}

// A Component is one thing that is versioned on its own.
type Component struct {
	Name       string   `yaml:"name"`       // short and stable, for commands: "mcad"
	Title      string   `yaml:"title"`      // its name in the table: "Multi-Cluster App Dispatcher"; default Name
	Aliases    []string `yaml:"aliases"`    // other names that commands take
	Repository string   `yaml:"repository"` // OWNER/NAME on the forge, or a URL
	Tag        string   `yaml:"tag"`        // scheme of its release tags; default "v{version}"
	Tags       []Era    `yaml:"tags"`       // schemes that its release tags had, or will have, in other eras
	Reason     string   `yaml:"reason"`     // why the tag scheme is not the default
	Refs       bool     `yaml:"refs"`       // its versions may be branches and commits
	Module     Module   `yaml:"module"`     // the Go module that it publishes
	Image      Image    `yaml:"image"`      // the container image that it publishes
	Needs      []string `yaml:"needs"`      // names of the components that it is built or tested on
	Built      bool     `yaml:"built"`      // it is compiled into, or deployed by, the root; others are only tested with
	Lag        bool     `yaml:"lag"`        // a new release of it must be taken in (matrix rule lag)
	CRDs       []CRD    `yaml:"crds"`       // copies of its CRDs in the root's repository
	From       string   `yaml:"from"`       // first stack release that has it; empty = always
	Until      string   `yaml:"until"`      // first stack release that has it no more; empty = still

	forge string // of the stack
}

// An Era is a tag scheme with the component's own versions that have it.
type Era struct {
	Scheme string `yaml:"scheme"` // of the release tags in that era
	From   string `yaml:"from"`   // first version that has it; empty = from the beginning
	Until  string `yaml:"until"`  // first version that has it no more; empty = still
}

// A Module is a Go module that a component publishes.
type Module struct {
	Path string `yaml:"path"` // "github.com/ray-project/kuberay/ray-operator"; empty = none
	Tag  string `yaml:"tag"`  // scheme of its tags when not the component's: "ray-operator/v{version}"
}

// An Image is a container image that a component publishes.
type Image struct {
	Repository string `yaml:"repository"` // "quay.io/project-codeflare/mcad-controller"; empty = none
	Tag        string `yaml:"tag"`        // scheme; default "v{version}"
}

// A CRD is a file of the root's repository that is a copy of a file of the component's.
type CRD struct {
	Path   string `yaml:"path"`   // in the root's repository
	Source string `yaml:"source"` // in the component's repository
}

//go:embed codeflare.yaml
var codeflare []byte

// Default returns the built-in CodeFlare stack, over all its eras.
func Default() *Stack {
	var doc struct {
		Stack Stack `yaml:"stack"`
	}
	err := strict.Decode("codeflare.yaml", codeflare, &doc)
	if err == nil {
		err = doc.Stack.Complete("codeflare.yaml")
	}
	if err != nil {
		panic(err) // embedded: a test reads it
	}
	return &doc.Stack
}

// Complete fills in what was left out and checks the declaration: names are
// known and unique, schemes hold {version} once, places have what their kind
// needs. It must be called once after decoding; path is for its errors.
func (s *Stack) Complete(path string) error {
	s.known = &lookup{components: -1, places: -1, named: map[string]int{}, placed: map[string][]int{}}
	for i := range s.Components {
		c := &s.Components[i]
		if err := c.complete(); err != nil {
			return &source.Error{Path: path, Err: err}
		}
		for _, name := range append([]string{c.Name, c.Title}, c.Aliases...) {
			key := strings.ToLower(name)
			if at, ok := s.known.named[key]; ok && s.Components[at].Name != c.Name {
				return &source.Error{Path: path, Err: fmt.Errorf("stack: %q names both component %s and %s", name, s.Components[at].Name, c.Name)}
			} else if !ok {
				s.known.named[key] = i
			}
		}
	}
	s.known.components = len(s.Components)
	for i := range s.Components {
		for _, need := range s.Components[i].Needs {
			if _, ok := s.Component(need); !ok {
				return &source.Error{Path: path, Err: fmt.Errorf("stack: component %s needs %q: %w", s.Components[i].Name, need, s.unknown(need))}
			}
		}
	}
	if _, ok := s.Component(s.Root); !ok {
		return &source.Error{Path: path, Err: fmt.Errorf("stack: root: %w", s.unknown(s.Root))}
	}
	if err := s.completeTables(); err != nil {
		return &source.Error{Path: path, Err: fmt.Errorf("stack: %w", err)}
	}
	for i := range s.Places {
		if err := s.Places[i].Complete(s); err != nil {
			return &source.Error{Path: path, Err: fmt.Errorf("stack: place %d: %w", i+1, err)}
		}
		c := s.Places[i].of.Name
		s.known.placed[c] = append(s.known.placed[c], i)
	}
	s.known.places = len(s.Places)
	return nil
}

// completeTables fills in the tables. Where only Tables are declared, Table is
// none.
func (s *Stack) completeTables() error {
	s.noTable = len(s.Tables) > 0 && reflect.ValueOf(s.Table).IsZero()
	all := []*Table{&s.Table}
	for i := range s.Tables {
		all = append(all, &s.Tables[i])
	}
	for _, t := range all {
		t.defaults()
		if t.Rows != RowsComponents && t.Rows != RowsReleases {
			return fmt.Errorf("table %s: rows %q: known are %s and %s", t.Path, t.Rows, RowsComponents, RowsReleases)
		}
		if err := t.completeColumns(s); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) defaults() {
	t.Path = cmp.Or(t.Path, "README.md")
	t.Rows = cmp.Or(t.Rows, RowsComponents)
	t.Component = cmp.Or(t.Component, "Component")
	t.Version = cmp.Or(t.Version, "Version")
}

// TablesOf are the tables of a shape, RowsComponents or RowsReleases.
func (s *Stack) TablesOf(rows string) []*Table {
	var list []*Table
	if s.Table.Rows == rows && !s.noTable {
		list = append(list, &s.Table)
	}
	for i := range s.Tables {
		if s.Tables[i].Rows == rows {
			list = append(list, &s.Tables[i])
		}
	}
	return list
}

// InEra says whether a stack release has the table. Where none is known, the
// tree is the newest.
func (t *Table) InEra(version string) bool {
	if !semver.IsValid(version) {
		return t.Until == ""
	}
	return InEra(version, t.From, t.Until)
}

func (c *Component) complete() error {
	if c.Name == "" {
		return errors.New("stack: a component without a name")
	}
	c.Title = cmp.Or(c.Title, c.Name)
	c.Tag = cmp.Or(c.Tag, "v{version}")
	c.Image.Tag = cmp.Or(c.Image.Tag, "v{version}")
	c.Module.Tag = cmp.Or(c.Module.Tag, c.Tag)
	for _, scheme := range []string{c.Tag, c.Image.Tag, c.Module.Tag} {
		if err := versions.CheckScheme(scheme); err != nil {
			return fmt.Errorf("stack: component %s: tag: %w", c.Name, err)
		}
	}
	for _, e := range c.Tags {
		if err := versions.CheckScheme(e.Scheme); err != nil {
			return fmt.Errorf("stack: component %s: tags: %w", c.Name, err)
		}
		for _, v := range []string{e.From, e.Until} {
			if v != "" && !versions.IsVersion(v) {
				return fmt.Errorf("stack: component %s: tags: %q is not a semantic version", c.Name, v)
			}
		}
		if e.From == "" && e.Until == "" {
			return fmt.Errorf("stack: component %s: tags: scheme %q needs from or until; the one of today is tag", c.Name, e.Scheme)
		}
	}
	if c.Tag != "v"+versions.Placeholder && c.Reason == "" {
		return fmt.Errorf("stack: component %s: the tag scheme %q is not v%s: say why, under reason", c.Name, c.Tag, versions.Placeholder)
	}
	for _, v := range []string{c.From, c.Until} {
		if v != "" && !semver.IsValid(v) {
			return fmt.Errorf("stack: component %s: era %q is not a semantic version", c.Name, v)
		}
	}
	return nil
}

// Component finds a component by name, title or alias, in any case.
func (s *Stack) Component(name string) (*Component, bool) {
	if s.known != nil && s.known.components == len(s.Components) {
		i, ok := s.known.named[strings.ToLower(name)]
		if !ok {
			return nil, false
		}
		return &s.Components[i], true
	}
	for i := range s.Components {
		c := &s.Components[i]
		if strings.EqualFold(c.Name, name) || strings.EqualFold(c.Title, name) ||
			slices.ContainsFunc(c.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return c, true
		}
	}
	return nil, false
}

// Lookup is Component with an error that names the known ones.
func (s *Stack) Lookup(name string) (*Component, error) {
	if c, ok := s.Component(name); ok {
		return c, nil
	}
	return nil, s.unknown(name)
}

// maxNamed is how many components an error names; it is looked for among the first ten
// times as many.
const maxNamed = 20

func (s *Stack) unknown(name string) error {
	known := lists.Of(s.Components[:min(len(s.Components), 10*maxNamed)], func(c Component) string { return c.Name })
	if near := spelling.Nearest(name, known); near != "" {
		return fmt.Errorf("unknown component %q, did you mean %s?", name, near)
	}
	if len(known) == 0 {
		return fmt.Errorf("unknown component %q: stack.components lists none", name)
	}
	if more := len(s.Components) - maxNamed; more > 0 {
		known = append(known[:maxNamed], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("unknown component %q (known: %s)", name, strings.Join(known, ", "))
}

// RowNames are the components that a row of a table is of: the name itself,
// unless it is none and all of its parts are, with a comma, "and", "&", "+" or
// "/" between them.
func (s *Stack) RowNames(name string) []string {
	if _, ok := s.Component(name); ok {
		return []string{name}
	}
	if plain := versions.WithoutMarkup(name); plain != name {
		if _, ok := s.Component(plain); ok {
			return []string{plain}
		}
	}
	parts := strings.FieldsFunc(beside.Replace(name), func(r rune) bool { return r == ',' })
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		if _, ok := s.Component(parts[i]); !ok {
			return []string{name}
		}
	}
	if len(parts) == 0 {
		return []string{name}
	}
	return parts
}

// beside are what stands between the components of one row.
var beside = strings.NewReplacer(" and ", ",", " & ", ",", "/", ",", "<br>", ",", " + ", ",")

// RootComponent is the component whose version is the stack's.
func (s *Stack) RootComponent() *Component {
	c, _ := s.Component(s.Root)
	return c
}

// At lists the components that belong to a stack release, in table order. An
// empty or malformed version means all of them.
func (s *Stack) At(version string) []*Component {
	var list []*Component
	for i := range s.Components {
		if c := &s.Components[i]; InEra(version, c.From, c.Until) {
			list = append(list, c)
		}
	}
	return list
}

// InEra says whether from <= version < until; an empty bound is none, and what
// is no version is in every era.
func InEra(version, from, until string) bool {
	if !semver.IsValid(version) {
		return true
	}
	return (from == "" || semver.Compare(version, from) >= 0) && (until == "" || semver.Compare(version, until) < 0)
}

// URL is the address of the component's repository on the forge of its stack; a
// repository that is written with a scheme, a host or as a path is taken as it is.
func (c *Component) URL() string { return repositoryAt(c.forge, c.Repository) }

// SetForge says where OWNER/NAME is: on the forge at an address, to which
// OWNER/NAME.git is appended. Without it, and for https://github.com, on GitHub.
func (s *Stack) SetForge(address string) {
	s.forge = strings.TrimSuffix(address, "/")
	if s.forge == gitHub {
		s.forge = ""
	}
	for i := range s.Components {
		s.Components[i].forge = s.forge
	}
}

// RepositoryURL is the address of a repository on the forge of the stack.
func (s *Stack) RepositoryURL(repository string) string { return repositoryAt(s.forge, repository) }

const gitHub = "https://github.com"

func repositoryAt(forge, repository string) string {
	address := RepositoryURL(repository)
	if forge == "" || address == repository {
		return address
	}
	return forge + "/" + repository + ".git"
}

// RepositoryURL turns "OWNER/NAME" into its address on GitHub and leaves every
// other spelling as it is.
func RepositoryURL(repository string) string {
	if strings.Count(repository, "/") == 1 && !strings.ContainsAny(repository, ":@") && !strings.HasPrefix(repository, "/") && !strings.HasPrefix(repository, ".") {
		return "https://github.com/" + repository
	}
	return repository
}

// TagOf is the release tag of a version: "v1.2.0" in the scheme "v{version}".
func (c *Component) TagOf(version string) string {
	return versions.Format(c.schemeOf(version), version)
}

// schemeOf is the tag scheme of a version: that of its era.
func (c *Component) schemeOf(version string) string {
	v := "v" + versions.Bare(version)
	for _, e := range c.Tags {
		if versions.IsVersion(v) && InEra(v, e.From, e.Until) {
			return e.Scheme
		}
	}
	return c.Tag
}

// tagSchemes are those of all eras, today's first.
func (c *Component) tagSchemes() []string {
	return append([]string{c.Tag}, lists.Of(c.Tags, func(e Era) string { return e.Scheme })...)
}

// forms are the spellings that versions of the component have where nothing
// says another: "v1.2.3", or those of its calendar.
func (c *Component) forms() []string {
	if strings.Contains(c.Tag, versions.Placeholder) {
		return []string{"v" + versions.Placeholder}
	}
	return []string{c.Tag}
}

// ModuleFolder is the folder of the Go module in the repository, by its path: Go looks
// for its versions at tags FOLDER/vX.Y.Z. Empty = it is the top, or not known.
func (c *Component) ModuleFolder() string {
	own := "github.com/" + ownerAndName(c.Repository)
	if len(c.Module.Path) <= len(own) || !strings.EqualFold(c.Module.Path[:len(own)], own) {
		return ""
	}
	return strings.TrimPrefix(majorVersion.ReplaceAllString(c.Module.Path[len(own):], ""), "/")
}

// ModuleTagOf is the tag that the Go module's version stands for.
func (c *Component) ModuleTagOf(version string) string { return versions.Format(c.Module.Tag, version) }

// ImageOf is the image reference of a version; empty when there is no image.
func (c *Component) ImageOf(version string) string {
	if c.Image.Repository == "" {
		return ""
	}
	return c.Image.Repository + ":" + versions.Format(c.Image.Tag, version)
}

// VersionOfTag is the version "vX.Y.Z" of a release tag, and whether the tag
// follows the component's scheme and is a semantic version.
func (c *Component) VersionOfTag(tag string) (string, bool) {
	for _, scheme := range c.tagSchemes() {
		if v, ok := versions.Parse(scheme, tag); ok && versions.IsVersion(v) && c.schemeOf(v) == scheme {
			return v, true
		}
	}
	v, _ := versions.Parse(c.Tag, tag)
	return v, false
}

// VersionOfModule is the component's version that a version of its Go module
// stands for: the module's tag scheme without the folder before it. A version
// in no such scheme is its own.
func (c *Component) VersionOfModule(version string) string {
	if v, ok := versions.Parse(c.moduleForm(), version); ok && versions.IsVersion(v) {
		return v
	}
	return version
}

// ModuleVersionOf is the version of the Go module that a version stands for.
func (c *Component) ModuleVersionOf(version string) string {
	if form := c.moduleForm(); !strings.Contains(form, versions.Placeholder) {
		return versions.Format(form, version)
	}
	return version // Go's versions are semantic ones, whatever the tags look like
}

func (c *Component) moduleForm() string {
	return c.Module.Tag[strings.LastIndexByte(c.Module.Tag, '/')+1:]
}

// VersionOfImageTag is VersionOfTag for the tags of the component's image.
func (c *Component) VersionOfImageTag(tag string) (string, bool) {
	v, ok := versions.Parse(c.Image.Tag, tag)
	return v, ok && versions.IsVersion(v)
}
