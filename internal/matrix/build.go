package matrix

import (
	"io/fs"
	"path"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A goFile is a go.mod or a go.work of the tree.
type goFile struct {
	path string
	data []byte
}

// at begins a finding at a line of it.
func (g goFile) at(r row, line *modfile.Line) finding {
	pos := source.PositionAt(g.data, stack.LastToken(g.data, line).Start)
	return finding{Path: g.path, Component: r.Name, Version: r.Value, Line: pos.Line, Column: pos.Column}
}

// A goModule is a module of the tree, by its go.mod.
type goModule struct {
	*modfile.File
	goFile
}

func parseModule(name string, data []byte) (*goModule, error) {
	mod, err := stack.ParseGoMod(name, data)
	return &goModule{mod, goFile{name, data}}, err
}

// A build is what decides which modules Go builds the module of the tree with: its
// go.mod, and the workspace that has it.
// Source: https://go.dev/ref/mod#workspaces
type build struct {
	*goModule
	work *modfile.WorkFile // nil = it is in none
	file goFile            // of work
	uses []*goModule       // the other modules of the workspace
}

// mostUsed is how many modules a workspace may have.
const mostUsed = 1000

// loadBuild reads the build of a tree; nil = there is no go.mod.
func loadBuild(tree fs.FS) (*build, error) {
	data, err := ReadFile(tree, "go.mod")
	if err != nil || data == nil {
		return nil, err
	}
	b := &build{}
	if b.goModule, err = parseModule("go.mod", data); err != nil {
		return nil, err
	}
	if data, err = ReadFile(tree, "go.work"); err != nil || data == nil {
		return b, err
	}
	work, err := stack.ParseGoWork("go.work", data)
	if err != nil || !slices.ContainsFunc(work.Use, func(u *modfile.Use) bool { return path.Clean(u.Path) == "." }) {
		return b, err
	}
	b.work, b.file = work, goFile{"go.work", data}
	for _, u := range work.Use[:min(len(work.Use), mostUsed)] {
		name := path.Join(u.Path, "go.mod")
		if name == "go.mod" || !fs.ValidPath(name) {
			continue
		}
		data, err := ReadFile(tree, name)
		if err != nil || data == nil {
			continue // go says so itself
		}
		mod, err := parseModule(name, data)
		if err != nil {
			return nil, err
		}
		b.uses = append(b.uses, mod)
	}
	return b, nil
}

// required is the direct requirement of a component's module, if there is one.
func (b *build) required(c *stack.Component) *modfile.Require {
	if b == nil || c == nil || c.Module.Path == "" {
		return nil
	}
	if r := requirementOf(b.File, c.Module.Path); r != nil && !r.Indirect {
		return r
	}
	return nil
}

// replacement is the replace directive that applies to a module version: one
// with that version on its left goes before one without any.
// Source: https://go.dev/ref/mod#go-mod-file-replace
func replacement(list []*modfile.Replace, mod module.Version) *modfile.Replace {
	var found *modfile.Replace
	for _, r := range list {
		if r.Old.Path != mod.Path {
			continue
		}
		if r.Old.Version == mod.Version {
			return r
		}
		if r.Old.Version == "" && found == nil {
			found = r
		}
	}
	return found
}

// A directive is a replace directive with the file that it is in.
type directive struct {
	*modfile.Replace
	goFile
}

// replaced is the replace directive that applies to what go.mod requires; nil = none.
// Those of a workspace go before its own.
// Source: https://go.dev/ref/mod#go-work-file-replace
func (b *build) replaced(mod module.Version) *directive {
	if b.work != nil {
		if rep := replacement(b.work.Replace, mod); rep != nil {
			return &directive{rep, b.file}
		}
	}
	for _, m := range append(slices.Clip(b.uses), b.goModule) {
		if rep := replacement(m.Replace, mod); rep != nil {
			return &directive{rep, m.goFile}
		}
	}
	return nil
}

// built is the version of a requirement after replacement; empty = a local path.
func built(f *modfile.File, req *modfile.Require) string {
	if rep := replacement(f.Replace, req.Mod); rep != nil {
		return rep.New.Version
	}
	return req.Mod.Version
}

// extremes finds the modules of a family that are built at the lowest and the
// highest version of major 0. Pseudo-versions and local paths do not count.
func (b *build) extremes(glob string) (low, high *modfile.Require) {
	for _, r := range b.Require {
		ok, _ := path.Match(glob, r.Mod.Path)
		v := built(b.File, r)
		if !ok || !versions.IsVersion(v) || semver.Major(v) != "v0" || module.IsPseudoVersion(v) {
			continue
		}
		if low == nil || semver.Compare(v, built(b.File, low)) < 0 {
			low = r
		}
		if high == nil || semver.Compare(v, built(b.File, high)) > 0 {
			high = r
		}
	}
	return low, high
}
