package matrix

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// An Input is what a run of the checks looks at.
type Input struct {
	Stack   *stack.Stack
	Config  *Config
	Tree    fs.FS                                                   // the root's repository, a work tree or a commit
	Tag     string                                                  // the tag that Tree was asked for by; empty = something else
	Past    Past                                                    // earlier releases; nil = none are known
	Against string                                                  // the tag to compare with for downgrade; empty = the nearest release below
	Tags    func(ctx context.Context, url string) (git.Refs, error) // of remote repositories; nil = offline: checks with Remote are not run
	Sources Sources                                                 // nil = checks with Deep are not run
	Now     time.Time                                               // for lag and the expiry of exceptions
}

// Past is the history of the root's repository.
type Past interface {
	// Tags lists the names of all tags.
	Tags(ctx context.Context) ([]string, error)
	// Tree is the tree of a tag.
	Tree(ctx context.Context, tag string) (fs.FS, error)
}

// Sources gives the trees of components at their tags, with the commits' dates.
type Sources interface {
	At(ctx context.Context, url, tag string) (fs.FS, time.Time, error)
}

// A pass is one run over an input. What several checks look at is read once.
type pass struct {
	report.Pass
	*Input
	tables   []*tableRead                 // of both shapes, in the order of the declaration
	rows     []row                        // of all tables
	declared []row                        // of the declared release, for components that have no row
	release  Release                      // the declared one of this tree
	looked   int                          // how many versions were held against something
	build    *build                       // of the module of the tree; nil = it has no go.mod
	refs     map[string]git.Refs          // by URL; empty offline
	past     map[string]map[string]string // versions by tag and name of the row
}

// Run looks at the input and returns its findings, unsorted. An error means
// that the answer is not known: a file that does not parse, a remote that
// could not be asked.
func Run(ctx context.Context, in *Input) ([]report.Finding, error) {
	indexed := *in
	indexed.Tree = stack.NewIndex(in.Tree)
	p := &pass{Input: &indexed}
	if err := p.load(); err != nil {
		return nil, err
	}
	if err := p.ask(ctx); err != nil {
		return nil, err
	}
	if err := report.Run(ctx, checks, p, in.given); err != nil {
		return nil, err
	}
	if err := p.nothing(); err != nil {
		return nil, err
	}
	return p.allowed(), nil
}

// load reads the files that most checks look at.
func (p *pass) load() error {
	if err := p.loadTables(); err != nil {
		return err
	}
	p.declare()
	var err error
	p.build, err = loadBuild(p.Tree)
	return err
}

// ReadFile is the content of a file; nil when it is not there.
func ReadFile(tree fs.FS, path string) ([]byte, error) {
	data, err := fs.ReadFile(tree, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// ask looks up the tags of every repository that a row needs, in parallel.
func (p *pass) ask(ctx context.Context) error {
	p.refs = map[string]git.Refs{}
	if p.Tags == nil {
		return nil
	}
	var urls []string
	for _, r := range p.rows {
		if r.of != nil && r.of != p.Stack.RootComponent() && r.of.Repository != "" {
			urls = append(urls, r.of.URL())
		}
		if r.linkElsewhere() {
			urls = append(urls, p.Stack.RepositoryURL(r.Repo))
		}
	}
	slices.Sort(urls)
	urls = slices.Compact(urls)
	refs, errs := make([]git.Refs, len(urls)), make([]error, len(urls))
	var all sync.WaitGroup
	for i, url := range urls {
		all.Go(func() { refs[i], errs[i] = p.Tags(ctx, url) })
	}
	all.Wait()
	for i, url := range urls {
		if errs[i] != nil {
			return fmt.Errorf("tags of %w", errs[i])
		}
		p.refs[url] = refs[i]
	}
	return nil
}

// linkElsewhere says whether the row's link leads to another tag or repository
// than its component and version say.
func (r row) linkElsewhere() bool {
	return r.Repo != "" && (r.of == nil || r.Repo != r.of.Repository || r.LinkTag != r.tag())
}

// tag is the release tag that the row's version represents.
func (r row) tag() string {
	if r.of == nil || !strings.HasPrefix(r.Value, "v") {
		return r.Value
	}
	return r.of.TagOf(r.Value)
}

// root is the row of the root component, if a table has one.
func (p *pass) root() (row, bool) {
	root := p.Stack.RootComponent()
	for i := range p.rows {
		if r := &p.rows[i]; r.of != nil && r.of == root {
			return *r, true
		}
	}
	return row{}, false
}

// version is the stack release that the tree is of: the tag, or what the
// root's row says; empty when neither is a semantic version.
func (p *pass) version() string {
	if v := p.tagged(); v != "" {
		return v
	}
	if r, ok := p.root(); ok && versions.IsVersion(r.Value) {
		return r.Value
	}
	return ""
}

// tagged is the version of the tag; empty when there is none, or it is that of
// no release.
func (p *pass) tagged() string {
	if v, ok := p.Stack.RootComponent().VersionOfTag(p.Tag); ok {
		return v
	}
	if versions.IsVersion(p.Tag) {
		return p.Tag
	}
	return ""
}

// known says whether a row's version is one that may be written elsewhere: a
// semantic version that is, as far as we know, a tag.
func (p *pass) known(r row) bool {
	if r.of == nil || !versions.IsVersion(r.Value) || r.takesMore() {
		return false
	}
	refs, asked := p.refs[r.of.URL()]
	return !asked || refs.Has(r.tag())
}

// rowOf is the first row of a component, or what is declared of it.
func (p *pass) rowOf(c *stack.Component) (row, bool) {
	for _, r := range p.facts() {
		if r.of == c && c != nil {
			return r, true
		}
	}
	return row{}, false
}

// A finding under construction.
type finding = report.Finding

// at begins a finding of a check at a row of the table.
func (p *pass) at(r row) finding {
	f := finding{Path: r.path, Line: r.Line, Component: r.Name, Version: r.Value}
	if r.Text.Len() > 0 {
		f.Column = source.PositionAt(r.data, r.Text.Start).Column
	}
	return f
}

// match begins a finding of a check at a place that says another version than
// the row, with the fix when the row's version may be written there.
func (p *pass) match(r row, m stack.Match) finding {
	f := finding{
		Path: m.Path, Line: m.Pos.Line, Column: m.Pos.Column,
		Component: r.Name, Version: r.Value, Expected: r.expected(m.Spell), Actual: m.Says(),
	}
	if r.takesMore() {
		f.Hint = r.nearestIn(m.Version)
	}
	if e, err := m.Set(r.Value); p.known(r) && err == nil {
		p.fix(&f, e)
	}
	return f
}

// fix adds edits to a finding.
func (p *pass) fix(f *finding, edits ...source.Edit) {
	data, err := fs.ReadFile(p.Tree, f.Path)
	if err != nil {
		return
	}
	f.Fixes = append(f.Fixes, lists.Of(edits, func(e source.Edit) report.Fix { return report.NewFix(f.Path, data, e) })...)
}

// nearest is the tag of a repository that a version most likely means: the
// same with its spelling mended, else the closest release; empty = none.
func (p *pass) nearest(c *stack.Component, version string) string {
	refs, mended := p.refs[c.URL()], "v"+strings.TrimLeft(version, "vV.")
	if refs.Has(c.TagOf(mended)) && versions.IsVersion(mended) {
		return mended
	}
	best, all := "", !versions.IsVersion(mended)
	for _, v := range versionsOf(refs, c) {
		if all || semver.Prerelease(v) == "" && (best == "" || semver.Compare(v, mended) <= 0) {
			best = v
		}
	}
	return best
}

// versionsOf lists the releases of a component by precedence.
func versionsOf(refs git.Refs, c *stack.Component) []string {
	var versions []string
	for tag := range refs.Tags {
		if v, ok := c.VersionOfTag(tag); ok {
			versions = append(versions, v)
		}
	}
	slices.SortFunc(versions, semver.Compare)
	return versions
}

// allowed turns findings that the allow list excuses into notes.
func (p *pass) allowed() []report.Finding {
	of := map[string][]Allow{} // by rule, without those that have run out
	for _, a := range p.Config.Allow {
		if !a.expired(p.Now) {
			of[a.Rule] = append(of[a.Rule], a)
		}
	}
	for i := range p.Findings {
		f := &p.Findings[i]
		for _, a := range of[f.Rule] {
			if p.excuses(a, f) {
				f.Message = fmt.Sprintf("%s (allowed: %s)", f.Message, a.Reason)
				f.Severity, f.Fixes = report.Note, nil
				break
			}
		}
	}
	return p.Findings
}

// excuses says whether an exception of a rule is of one of its findings.
func (p *pass) excuses(a Allow, f *report.Finding) bool {
	if a.Component != "" {
		c, _ := p.Stack.Component(a.Component)
		d, _ := p.Stack.Component(f.Component)
		if a.Component != f.Component && (c == nil || c != d) {
			return false
		}
	} else if f.Component != "" {
		return false
	}
	if a.Versions == "" || a.Versions == f.Version {
		return true
	}
	versions, err := Constraint(a.Versions)
	return err == nil && versions.Has(f.Version)
}

func (a Allow) expired(now time.Time) bool {
	last, err := time.Parse(time.DateOnly, a.Expires)
	return err == nil && !now.Before(last.AddDate(0, 0, 1))
}

func checkExpired(p *pass) {
	for _, a := range p.Config.Allow {
		if a.expired(p.Now) {
			p.Report(finding{Component: a.Component, Expected: "a day after " + a.Expires},
				"the exception of %s ended on %s: %s", a.Rule, a.Expires, a.Reason)
		}
	}
}

// New leaves out of after what before has too, wherever it is: the
// findings that a change brought.
func New(before, after []report.Finding) []report.Finding {
	type key struct{ rule, path, component, version, expected, actual, message string }
	keyOf := func(f report.Finding) key {
		return key{f.Rule, f.Path, f.Component, f.Version, f.Expected, f.Actual, f.Message}
	}
	seen := map[key]int{}
	for _, f := range before {
		seen[keyOf(f)]++
	}
	var fresh []report.Finding
	for _, f := range after {
		if k := keyOf(f); seen[k] > 0 {
			seen[k]--
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh
}
