package chain

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// devTag is the tag of the image of what a component has on its main branch.
const devTag = "dev"

// A DevInput is the repository of a component whose tests are checked.
type DevInput struct {
	Stack     *stack.Stack
	Component *stack.Component
	Tree      fs.FS
	Tips      Tips // nil = offline: modules and branches are not compared
}

// Tips asks a repository for its default branch, and the commit that it is at.
type Tips func(ctx context.Context, url string) (branch, commit string, err error)

// A tip is the head of a component above.
type tip struct{ branch, commit string }

// Dev returns the places of workflows and tests that take something else of a
// component above than its main branch, unsorted.
func Dev(ctx context.Context, in *DevInput) ([]report.Finding, error) {
	d := &dev{DevInput: in, tips: map[*stack.Component]tip{}}
	above := in.Stack.Above(in.Component)
	found, err := in.Stack.Search(in.Tree)
	if err != nil {
		return nil, err
	}
	for _, c := range above {
		if c.Until != "" && in.Component.Until == "" {
			continue
		}
		if err := d.references(ctx, c); err != nil {
			return nil, err
		}
		for _, f := range found.Of(c) {
			if err := d.sighting(ctx, f); err != nil {
				return nil, err
			}
		}
	}
	return d.Findings, nil
}

type dev struct {
	*DevInput
	report.Pass
	tips map[*stack.Component]tip
}

// tip asks for the head of a component, once.
func (d *dev) tip(ctx context.Context, c *stack.Component) (t tip, err error) {
	t, ok := d.tips[c]
	if ok || d.Tips == nil || c.Repository == "" {
		return t, nil
	}
	t.branch, t.commit, err = d.Tips(ctx, c.URL())
	d.tips[c] = t
	return t, err
}

// testFile finds the files of tests by their folder, and the workflows.
var (
	testFile = lazyregexp.New(`(^|/)(e2e|([a-z0-9]+[-_])*tests?([-_][a-z0-9]+)*)/`)
	workflow = lazyregexp.New(`^(\.github/(workflows|actions)|\.tekton|\.gitlab)/|^\.gitlab-ci\.yml$`)
	triggers = lazyregexp.New(`\b(pull_request|schedule|merge_group|workflow_call|merge_request_event)\b`)
	testName = lazyregexp.New(`(?i)(^|[-_.])(e2e|tests?|nightly|integration)([-_.]|$)`)
)

// isTest says whether a file is of tests: it is in a folder of tests, or a
// workflow that runs for pull requests or by a schedule, or is called so.
func isTest(name string, data []byte) bool {
	if workflow.MatchString(name) {
		return strings.HasPrefix(name, ".github/actions/") || testName.MatchString(path.Base(name)) || triggers.Match(data)
	}
	return testFile.MatchString(name)
}

// read is the content of a file of tests; nil = it is none.
func (d *dev) read(name string) ([]byte, error) {
	data, err := fs.ReadFile(d.Tree, name)
	if err != nil || len(data) > maxRead || bytes.IndexByte(data, 0) >= 0 || path.Ext(name) == ".md" || !isTest(name, data) {
		return nil, err
	}
	return data, nil
}

// references reports what names a component's image or repository in files of tests.
func (d *dev) references(ctx context.Context, c *stack.Component) error {
	other := func(name string) bool {
		return path.Ext(name) == ".md" || !testFile.MatchString(name) && !workflow.MatchString(name)
	}
	return eachText(d.Tree, other, func(name string, data []byte) error {
		if !isTest(name, data) {
			return nil
		}
		d.images(c, name, data)
		return d.refs(ctx, c, name, data)
	})
}

// images reports every tag, and every digest, of a component's image that is not the
// dev tag.
func (d *dev) images(c *stack.Component, name string, data []byte) {
	if c.Image.Repository == "" {
		return
	}
	reference := regexp.MustCompile(`(?:^|[^A-Za-z0-9._/-])` + regexp.QuoteMeta(c.Image.Repository) + `(?::([A-Za-z0-9_][A-Za-z0-9_.-]*)(@sha256:[0-9a-f]{64})?|@(sha256:[0-9a-f]{64}))`)
	for _, m := range reference.FindAllSubmatchIndex(data, -1) {
		start, end, fresh := m[2], m[1], devTag // with the digest behind the tag
		if start < 0 {
			start, fresh = m[6]-1, ":"+devTag // from the "@" of the digest
		}
		if string(data[start:end]) != devTag {
			d.image(c, name, data, source.Span{Start: start, End: end}, fresh)
		}
	}
}

// refs reports every ref of a component's repository on GitHub, as kustomize and
// kubectl take them, that is not its main branch.
func (d *dev) refs(ctx context.Context, c *stack.Component, name string, data []byte) error {
	if strings.Count(c.Repository, "/") != 1 {
		return nil
	}
	reference := regexp.MustCompile(`github\.com[/:]` + regexp.QuoteMeta(c.Repository) + `(?:\.git)?(?:/[^\s?"']*)?\?[^\s"']*?\bref=([^\s&"']+)`)
	for _, m := range reference.FindAllSubmatchIndex(data, -1) {
		t, err := d.tip(ctx, c)
		if err != nil {
			return err
		}
		ref := string(data[m[2]:m[3]])
		if t.branch == "" && !versions.IsVersion("v"+strings.TrimPrefix(ref, "v")) {
			continue // it may be the branch
		}
		if ref != "HEAD" && ref != t.name() {
			d.add("dev-ref", c, name, data, source.Span{Start: m[2], End: m[3]}, t.name(), t.branch, "the tests take %s of the repository of %s, not its main branch", ref, c.Title)
		}
	}
	return nil
}

// image reports the tag of an image.
func (d *dev) image(c *stack.Component, name string, data []byte, span source.Span, fresh string) {
	d.add("dev-tag", c, name, data, span, devTag, fresh, "the tests take the image of %s at %s, not its tag %s", c.Title, strings.TrimLeft(string(span.Of(data)), "@:"), devTag)
}

// add adds a finding at a span of a file, with the edit to fresh unless that is empty.
func (d *dev) add(rule string, c *stack.Component, name string, data []byte, span source.Span, expected, fresh, format string, args ...any) {
	f := matrix.DevRules.Finding(rule)
	at := source.PositionAt(data, span.Start)
	f.Path, f.Line, f.Column, f.Component = name, at.Line, at.Column, c.Name
	f.Expected, f.Actual = expected, string(span.Of(data))
	if fresh != "" {
		f.Fixes = append(f.Fixes, report.NewFix(name, data, source.Edit{Span: span, Old: f.Actual, New: fresh}))
	}
	d.Report(f, format, args...)
}

// sighting reports a version of a component above that references do not show: a
// module, a variable, a tag apart from its image.
func (d *dev) sighting(ctx context.Context, f stack.Sighting) error {
	data, err := d.read(f.Path)
	if err != nil || data == nil || !f.Sure() {
		return err
	}
	c, span := f.Component, f.Span()
	covered := func(x report.Finding) bool { return x.Path == f.Path && x.Line == f.Pos.Line }
	switch kind := f.Place().Kind; {
	case slices.ContainsFunc(d.Findings, covered):
	case kind == "kustomize-image" || f.Place().Image:
		d.image(c, f.Path, data, span, devTag)
	case kind == "go-require" || kind == "go-replace":
		return d.module(ctx, f, data)
	default:
		d.add("dev-ref", c, f.Path, data, span, devTag, "", "the tests take %s %s (%s), not what is on its main branch", c.Title, f.Text, f.Evidence)
		d.Findings[len(d.Findings)-1].Hint = "if it is the tag of an image: " + devTag + "; if it is a ref of the repository: its default branch"
	}
	return nil
}

// module reports a module that is not at the head of its component.
func (d *dev) module(ctx context.Context, f stack.Sighting, data []byte) error {
	t, err := d.tip(ctx, f.Component)
	if err != nil {
		return err
	}
	if rev, err := module.PseudoVersionRev(f.Text); err == nil && (t.commit == "" || strings.HasPrefix(t.commit, rev)) {
		return nil
	}
	d.add("dev-module", f.Component, f.Path, data, f.Span(), "the commit of its main branch", "", "the tests take the module of %s at %s, not at its main branch", f.Component.Title, f.Text)
	d.Findings[len(d.Findings)-1].Hint = report.Shell("go", "get", "-C", path.Dir(f.Path), f.Place().Key+"@"+t.name())
	return nil
}

// name is the default branch, as Go takes it.
func (t tip) name() string {
	return cmp.Or(t.branch, "main")
}
