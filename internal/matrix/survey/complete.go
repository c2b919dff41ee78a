package survey

import (
	"cmp"
	"io/fs"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// title is the first heading of a README, as far as it is plain text.
var title = lazyregexp.New(`(?m)^# +([A-Za-z0-9][A-Za-z0-9 ._-]*[A-Za-z0-9])[ #]*$`)

// complete fills in what the files of the root's repository say about an adopted
// stack: its name, by the heading of the README, and by go.mod which components
// are built into the root.
func complete(tree fs.FS, s *stack.Stack, p report.Progress) {
	root, ok := s.Component(s.Root)
	if !ok {
		return
	}
	s.Name = cmp.Or(s.Name, root.Title, root.Name)
	if data, err := fs.ReadFile(tree, "README.md"); err == nil {
		if m := title.FindSubmatch(data); m != nil {
			s.Name = string(m[1])
		}
	}
	data, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return
	}
	mod, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return
	}
	if mod.Module != nil && root.Module.Path == "" {
		root.Module.Path = mod.Module.Mod.Path
	}
	for i := range s.Components {
		c := &s.Components[i]
		for _, home := range []string{root.Repository, strings.TrimPrefix(root.Module.Path, "github.com/")} { // the first may be a fork
			owner, _, known := strings.Cut(home, "/")
			if near := owner + "/" + c.Name; known && c.Repository == "" && requiredOf(mod, near).Path != "" {
				c.Repository = near
				p.Note("repository: %s, by go.mod", near)
			}
		}
		required := requiredOf(mod, c.Repository)
		if c.Name == root.Name || required.Path == "" {
			continue
		}
		p.Note("edge: %s is built into %s: go.mod requires %s", c.Name, root.Name, required.Path)
		c.Module.Path, c.Built = required.Path, true
		if folder := c.ModuleFolder(); folder != "" && !module.IsPseudoVersion(required.Version) {
			c.Module.Tag = folder + "/v{version}" // Go has found it there
		}
		root.Needs = append(root.Needs, c.Name)
	}
}

// requiredOf is the module of a repository that go.mod requires directly; without a path = none.
func requiredOf(mod *modfile.File, repository string) module.Version {
	if repository == "" {
		return module.Version{}
	}
	own := "github.com/" + strings.ToLower(repository)
	for _, r := range mod.Require {
		path := strings.ToLower(r.Mod.Path)
		if !r.Indirect && (path == own || strings.HasPrefix(path, own+"/")) {
			return r.Mod
		}
	}
	return module.Version{}
}
