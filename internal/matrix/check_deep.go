package matrix

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// eachSource visits the go.mod of every component that is part of the build,
// at the version of its row.
func (p *pass) eachSource(ctx context.Context, visit func(r row, mod *modfile.File) error) error {
	for _, r := range p.rows {
		if r.of == nil || !r.of.Built || r.of == p.Stack.RootComponent() || r.of.Module.Path == "" || !p.known(r) {
			continue
		}
		tree, _, err := p.Sources.At(ctx, r.of.URL(), r.of.ModuleTagOf(r.Value))
		if err != nil {
			return err
		}
		mod, err := goModOf(tree, r.of)
		if err != nil {
			return err
		}
		if err := visit(r, mod); err != nil {
			return err
		}
	}
	return nil
}

// GoModPath is the path of the go.mod of a component's module in its repository:
// its folder is the part of its tag scheme before the version.
func GoModPath(c *stack.Component) string {
	if dir, _, ok := strings.Cut(c.Module.Tag, "/v{"); ok {
		return dir + "/go.mod"
	}
	return "go.mod"
}

func goModOf(tree fs.FS, c *stack.Component) (*modfile.File, error) {
	path := GoModPath(c)
	data, err := fs.ReadFile(tree, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Repository, err)
	}
	return stack.ParseGoMod(c.Repository+"/"+path, data)
}

// checkPins looks for components that pin another component at another version
// than its row: InstaScale v0.4.0 requires MCAD v1.39.0.
func checkPins(ctx context.Context, p *pass) error {
	return p.eachSource(ctx, func(r row, mod *modfile.File) error {
		for _, req := range mod.Require {
			for _, o := range p.rows {
				if o.of == nil || req.Indirect || req.Mod.Path != o.of.Module.Path || built(mod, req) == o.Value {
					continue
				}
				f := p.at(o)
				f.Expected, f.Actual = built(mod, req), o.Value
				p.Report(f, "%s %s is pinned to %s %s, the table says %s", r.Name, r.Value, o.Name, built(mod, req), o.Value)
			}
		}
		return nil
	})
}

func checkGoVersion(ctx context.Context, p *pass) error {
	if p.build == nil || p.build.Go == nil {
		return nil
	}
	return p.eachSource(ctx, func(r row, mod *modfile.File) error {
		if mod.Go == nil || semver.Compare("v"+mod.Go.Version, "v"+p.build.Go.Version) <= 0 {
			return nil
		}
		f := finding{Path: "go.mod", Line: p.build.Go.Syntax.Start.Line, Component: r.Name, Version: r.Value, Expected: mod.Go.Version, Actual: p.build.Go.Version}
		p.Report(f, "%s %s needs Go %s, go.mod has %s", r.Name, r.Value, mod.Go.Version, p.build.Go.Version)
		return nil
	})
}

func checkCRDContent(ctx context.Context, p *pass) error {
	for _, r := range p.rows {
		if r.of == nil || len(r.of.CRDs) == 0 || !p.known(r) {
			continue
		}
		tree, _, err := p.Sources.At(ctx, r.of.URL(), r.tag())
		if err != nil {
			return err
		}
		for _, crd := range r.of.CRDs {
			if err := p.compareCRD(r, crd, tree); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pass) compareCRD(r row, crd stack.CRD, tree fs.FS) error {
	ours, err := ReadFile(p.Tree, crd.Path)
	if err != nil || ours == nil {
		return err
	}
	theirs, err := fs.ReadFile(tree, crd.Source)
	if err != nil {
		return fmt.Errorf("%s at %s: %w", r.of.Repository, r.tag(), err)
	}
	a, err := decodeDocs(crd.Path, ours)
	if err != nil {
		return err
	}
	b, err := decodeDocs(crd.Source, theirs)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	f := finding{
		Path: crd.Path, Line: 1, Component: r.Name, Version: r.Value,
		Expected: fmt.Sprintf("%s of %s at %s", crd.Source, r.of.Repository, r.tag()), Actual: "another content",
	}
	p.Report(f, "%s: the copy of the CRD differs from the one of %s", r.Name, r.Value)
	return nil
}

// decodeDocs is what the documents of a file mean.
func decodeDocs(path string, data []byte) ([]any, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []any
	for {
		var doc any
		err := dec.Decode(&doc)
		if err != nil && err.Error() == "EOF" {
			return docs, nil
		}
		if err != nil {
			return nil, &source.Error{Path: path, Err: err}
		}
		if doc != nil {
			docs = append(docs, doc)
		}
	}
}

// checkLag looks for a release of a component that is newer than its row, and
// when it must have been taken in.
func checkLag(ctx context.Context, p *pass) error {
	for _, rule := range p.Config.Rules {
		comp, _ := p.Stack.Component(rule.Component)
		if rule.Kind != kindLag || p.Config.Sprint.Weeks == 0 {
			continue
		}
		r, ok := p.rowOf(comp)
		if !ok || !p.known(r) {
			continue
		}
		if err := p.lag(ctx, rule, r); err != nil {
			return err
		}
	}
	return nil
}

// lag evaluates the oldest newer release: it is the one that is due first.
func (p *pass) lag(ctx context.Context, rule Rule, r row) error {
	for _, v := range versionsOf(p.refs[r.of.URL()], r.of) {
		if semver.Compare(v, r.Value) <= 0 || semver.Prerelease(v) != "" {
			continue
		}
		_, date, err := p.Sources.At(ctx, r.of.URL(), r.of.TagOf(v))
		if err != nil {
			return err
		}
		if date.After(p.Now) {
			return nil // the tree is checked as of an earlier day
		}
		due, err := p.Config.Sprint.End(date, rule.Sprints)
		if err != nil {
			return err
		}
		f := p.at(r)
		f.Expected, f.Actual = v, r.Value
		f.Hint = "nearest: " + v
		must := "must"
		if !p.Now.Before(due.AddDate(0, 0, 1)) {
			f.Rule, f.Severity, must = p.Rule.ID, report.Error, "had to"
		}
		p.Report(f, "%s %s is released, the stack %s use it by %s, the table has %s%s", r.Name, v, must, due.Format(time.DateOnly), r.Value, Because(rule.Reason))
		return nil
	}
	return nil
}
