// Package chain checks the repository of one component of a stack against those
// around it in the chain. Impact finds what a change of it breaks in the components
// below, which need it; Dev finds tests that take releases of the components above,
// which it needs, rather than what these have now.
//
// The flow of Impact: it reads what each component below has at its head (below.go) and
// compares the CRDs in two trees of the changed component, by the same means as the notes
// of a release. What nothing below uses is not reported.
package chain

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// An Input is a change of a component.
type Input struct {
	Stack     *stack.Stack
	Component *stack.Component
	Before    fs.FS // its repository without the change
	Now       fs.FS // and with it
	Heads     Heads
}

// Heads gives the trees of the default branches of repositories. git.Cache is one.
type Heads interface {
	Head(ctx context.Context, url string) (fs.FS, error)
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
	crds []notes.CRDChange
}

// Impact returns what the change breaks, unsorted. An error means that the answer is
// not known.
func Impact(ctx context.Context, in *Input) ([]report.Finding, error) {
	p := &pass{Input: in}
	below := Below(in.Stack, in.Component)
	if len(below) == 0 {
		return nil, nil
	}
	crds, err := notes.CompareCRDs(p.Before, p.Now)
	if err != nil {
		return nil, err
	}
	p.crds = slices.DeleteFunc(crds, func(c notes.CRDChange) bool { return !c.Breaking })
	for _, c := range below {
		tree, err := in.Heads.Head(ctx, c.URL())
		if err != nil {
			return nil, err
		}
		u, err := p.read(c, tree)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Repository, err)
		}
		p.compareCRDs(u)
	}
	return p.Findings, nil
}

func (p *pass) compareCRDs(u *user) {
	for _, c := range p.crds {
		use, ok := u.crds[c.CRD]
		if !ok || c.Version != "" && len(use.versions) > 0 && !slices.Contains(use.versions, c.Version) {
			continue
		}
		f := matrix.ImpactRules.Finding("impact-crd")
		f.Path, f.Component = c.Path, u.of.Name
		p.Report(f, "%s %s, and %s uses it (%s)", c.CRD, strings.ReplaceAll(c.String(), "`", ""), u.of.Title, use.place)
	}
}
