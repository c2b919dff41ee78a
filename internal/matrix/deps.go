package matrix

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// Deps is where the dependency trees of the components that are compiled
// together meet: what the redesign's "Dependency Management" demands to be
// compatible (PCF-ADR-0007).
type Deps struct {
	Modules  []ModFile     `json:"modules"`  // the go.mod files, root first
	Common   []Common      `json:"common"`   // modules in two or more of them, by path
	Replaces []Replacement `json:"replaces"` // of the root's go.mod, in its order
	Pins     []OwnPin      `json:"pins"`     // components of the stack that a go.mod pins
	Disagree int           `json:"disagree"` // how many of Common have more than one version
}

// A ModFile is one go.mod.
type ModFile struct {
	Component string `json:"component"`
	Version   string `json:"version"`
	Module    string `json:"module"`
	Go        string `json:"go,omitempty"`
	K8s       string `json:"k8s,omitempty"` // version of k8s.io/apimachinery that it requires

	file *modfile.File
}

// A Common is a module that two or more go.mod files require.
type Common struct {
	Path     string            `json:"path"`
	Versions map[string]string `json:"versions"` // by component
	Selected string            `json:"selected"` // by minimal version selection: the highest required
	Built    string            `json:"built"`    // after the root's replace directives; empty = the root does not require it (Go lists all that is built)
}

// Agrees says whether all files require the same version.
func (c Common) Agrees() bool {
	for _, v := range c.Versions {
		if v != c.Selected {
			return false
		}
	}
	return true
}

// What a replace directive does.
const (
	replaceHides  = "hides"  // another version than the selected one is built
	replaceUnused = "unused" // the root's go.mod does not require the module: it is not part of the build
	replaceIdle   = "idle"   // its left-hand version is not the selected one: it does not apply
	replaceSame   = "same"   // what it says is selected anyway
)

// A Replacement is a replace directive of the root's go.mod.
type Replacement struct {
	Line     int    `json:"line"`
	Old      string `json:"old"`
	Left     string `json:"left,omitempty"` // version on the left: it stops applying after a bump
	New      string `json:"new"`
	Version  string `json:"version,omitempty"`
	Selected string `json:"selected,omitempty"`
	Effect   string `json:"effect"` // hides, unused, idle or same
}

// An OwnPin is a component of the stack that a go.mod requires.
type OwnPin struct {
	By        string `json:"by"`
	Component string `json:"component"`
	Version   string `json:"version"`         // as built
	Table     string `json:"table,omitempty"` // what the table says
	Indirect  bool   `json:"indirect,omitempty"`
}

// ReadDeps reads the go.mod of the root in tree and of the components that are
// compiled in at the versions of its table, or without one of the newest of the
// declared releases: those that are built, and what they need. names, when not
// empty, are the components to read instead.
func ReadDeps(ctx context.Context, s *stack.Stack, tree fs.FS, sources Sources, names []string, declared []Release) (*Deps, error) {
	var release Release
	switch data, doc, err := TableOf(s, tree); {
	case err == nil:
		release = ReadRelease(s, data, doc, "")
	case len(declared) > 0:
		release = declared[len(declared)-1]
	default:
		return nil, fmt.Errorf("%s: %w", s.Table.Path, err)
	}
	root := s.RootComponent()
	file, err := rootMod(tree)
	if err != nil {
		return nil, err
	}
	d := &Deps{Modules: []ModFile{newModFile(root, release.Version, file)}}
	list, err := compiled(s, &release, names)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		pin, _ := release.Pin(c.Name)
		src, _, err := sources.At(ctx, c.URL(), c.ModuleTagOf(pin.Version))
		if err != nil {
			return nil, fmt.Errorf("go.mod of %s %s: %w", c.Title, pin.Version, err)
		}
		mod, err := goModOf(src, c)
		if err != nil {
			return nil, err
		}
		d.Modules = append(d.Modules, newModFile(c, pin.Version, mod))
	}
	d.meet()
	d.replaces()
	d.pins(s, &release)
	return d, nil
}

func rootMod(tree fs.FS) (*modfile.File, error) {
	data, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil, err
	}
	return stack.ParseGoMod("go.mod", data)
}

// compiled lists the components whose go.mod counts, in the stack's order.
func compiled(s *stack.Stack, r *Release, names []string) ([]*stack.Component, error) {
	wanted := map[string]bool{}
	for _, n := range names {
		c, err := s.Lookup(n)
		if err != nil {
			return nil, err
		}
		wanted[c.Name] = true
	}
	if len(names) == 0 {
		for i := range s.Components {
			c := &s.Components[i]
			if _, ok := r.Pin(c.Name); c.Built && ok && c != s.RootComponent() {
				wanted[c.Name] = true
				for _, need := range c.Needs {
					n, _ := s.Component(need)
					wanted[n.Name] = true
				}
			}
		}
	}
	var list []*stack.Component
	for i := range s.Components {
		c := &s.Components[i]
		_, ok := r.Pin(c.Name)
		switch {
		case !wanted[c.Name] || c == s.RootComponent():
		case ok && c.Module.Path != "":
			list = append(list, c)
		case len(names) > 0:
			return nil, fmt.Errorf("%s has no row, or no Go module", c.Title)
		}
	}
	return list, nil
}

func newModFile(c *stack.Component, version string, f *modfile.File) ModFile {
	m := ModFile{Component: c.Title, Version: version, file: f}
	if f.Module != nil {
		m.Module = f.Module.Mod.Path
	}
	if f.Go != nil {
		m.Go = f.Go.Version
	}
	if r := requirementOf(f, "k8s.io/apimachinery"); r != nil {
		m.K8s = r.Mod.Version
	}
	return m
}

// selected is the highest version of a module that any file requires.
func (d *Deps) selected(path string) string {
	best := ""
	for _, m := range d.Modules {
		if r := requirementOf(m.file, path); r != nil && (best == "" || semver.Compare(r.Mod.Version, best) > 0) {
			best = r.Mod.Version
		}
	}
	return best
}

// meet fills in Common.
func (d *Deps) meet() {
	versions := map[string]map[string]string{}
	for _, m := range d.Modules {
		for _, r := range m.file.Require {
			if versions[r.Mod.Path] == nil {
				versions[r.Mod.Path] = map[string]string{}
			}
			versions[r.Mod.Path][m.Component] = r.Mod.Version
		}
	}
	root := d.Modules[0].file
	for path, by := range versions {
		if len(by) < 2 {
			continue
		}
		c := Common{Path: path, Versions: by, Selected: d.selected(path)}
		c.Built = c.Selected
		req := &modfile.Require{}
		req.Mod.Path, req.Mod.Version = path, c.Selected
		if requirementOf(root, path) == nil {
			c.Built = ""
		} else if rep := replacement(root.Replace, req.Mod); rep != nil {
			c.Built = strings.TrimSpace(rep.New.Version)
			if rep.New.Path != path || c.Built == "" {
				c.Built = strings.TrimSpace(rep.New.Path + " " + rep.New.Version)
			}
		}
		if !c.Agrees() {
			d.Disagree++
		}
		d.Common = append(d.Common, c)
	}
	slices.SortFunc(d.Common, func(a, b Common) int { return strings.Compare(a.Path, b.Path) })
}

// replaces evaluates the root's replace directives.
func (d *Deps) replaces() {
	for _, r := range d.Modules[0].file.Replace {
		x := Replacement{
			Line: r.Syntax.Start.Line, Old: r.Old.Path, Left: r.Old.Version,
			New: r.New.Path, Version: r.New.Version, Selected: d.selected(r.Old.Path),
		}
		switch {
		case requirementOf(d.Modules[0].file, r.Old.Path) == nil:
			x.Effect = replaceUnused
		case x.Left != "" && x.Left != x.Selected:
			x.Effect = replaceIdle
		case x.New == x.Old && x.Version == x.Selected:
			x.Effect = replaceSame
		default:
			x.Effect = replaceHides
		}
		d.Replaces = append(d.Replaces, x)
	}
}

// pins finds the stack's own components among the requirements.
func (d *Deps) pins(s *stack.Stack, release *Release) {
	for _, m := range d.Modules {
		for _, r := range m.file.Require {
			i := slices.IndexFunc(s.Components, func(c stack.Component) bool { return c.Module.Path == r.Mod.Path && r.Mod.Path != "" })
			if i < 0 {
				continue
			}
			pin, _ := release.Pin(s.Components[i].Name)
			d.Pins = append(d.Pins, OwnPin{m.Component, s.Components[i].Title, built(m.file, r), pin.Version, r.Indirect})
		}
	}
}
