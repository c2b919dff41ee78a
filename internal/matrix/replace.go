package matrix

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Directive is a replace directive that builds something else than the
// requirement that a bump changes.
type Directive struct {
	Path   string // of the go.mod
	Pos    source.Position
	Module string
	To     string // the version that is required after the bump
	Builds string // "example.com/lib v1.2.1", or a folder
	Idle   bool   // it names the old version on its left: it would no longer apply
}

// String says what the directive does now, and what the bump does to it.
func (r *Directive) String() string {
	does := "the requirement of " + r.To + " does not change that"
	if r.Idle {
		does = "it does not apply to " + r.To + ", which would be built instead"
	}
	return fmt.Sprintf("%s:%d:%d: a replace directive builds %s for %s: %s", r.Path, r.Pos.Line, r.Pos.Column, r.Builds, r.Module, does)
}

// Directives are the directives that the changes of Set meet, in the order of
// their files. One whose right side a change sets, and one that builds the new
// version of the same module, is none.
func Directives(tree fs.FS, changes []Change) ([]*Directive, error) {
	var list []*Directive
	for _, c := range changes {
		if c.Match.Place == nil || c.Match.Place.Kind != "go-require" {
			continue
		}
		data, err := fs.ReadFile(tree, c.Match.Path)
		if err != nil {
			return nil, err
		}
		f, err := stack.ParseGoMod(c.Match.Path, data)
		if err != nil {
			return nil, err
		}
		mod := c.Match.Place.Key
		rep := replacement(f.Replace, module.Version{Path: mod, Version: c.Match.Text})
		if rep == nil || rep.New == (module.Version{Path: mod, Version: c.Match.Spell(c.Version)}) {
			continue
		}
		set := func(o Change) bool {
			return o.Match.Path == c.Match.Path && o.Match.Span == stack.LastToken(data, rep.Syntax)
		}
		if slices.ContainsFunc(changes, set) {
			continue
		}
		list = append(list, &Directive{
			Path: c.Match.Path, Pos: source.PositionAt(data, rep.Syntax.Start.Byte), Module: mod, To: c.Version,
			Builds: strings.TrimSpace(rep.New.Path + " " + rep.New.Version), Idle: rep.Old.Version != "",
		})
	}
	slices.SortStableFunc(list, func(a, b *Directive) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}
