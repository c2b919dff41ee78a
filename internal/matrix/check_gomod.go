package matrix

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// checkWorkspace reports a module of a row that the workspace has, or requires newer.
func (p *pass) checkWorkspace(r row, req requirement) {
	for _, u := range p.build.uses {
		if u.Module != nil && u.Module.Mod.Path == req.Mod.Path {
			f := u.at(r, u.Module.Syntax)
			f.Expected, f.Actual = req.Mod.Path+" "+r.expected(req.form), path.Dir(u.path)
			p.Report(f, "%s: go.work builds %s from %s, %s", r.Name, req.Mod.Path, f.Actual, r.said())
		}
		for _, q := range u.Require {
			if q.Mod.Path == req.Mod.Path && semver.Compare(q.Mod.Version, req.Mod.Version) > 0 && !req.takes(r, q.Mod.Version) {
				f := u.at(r, q.Syntax)
				f.Expected, f.Actual = r.expected(req.form), q.Mod.Version
				p.Report(f, "%s: a module of go.work requires %s, which is built, %s", r.Name, q.Mod.Version, r.said())
			}
		}
	}
}

// A requirement is a module of go.mod that a row is about.
type requirement struct {
	*modfile.Require
	text string                      // the version as it is written
	of   func(version string) string // the component's version that a version of the module represents
	form func(version string) string // and the other way round
}

// takes says whether the row goes with a version of the module.
func (q requirement) takes(r row, version string) bool {
	return r.takes(version) || r.takes(q.of(version))
}

// eachRequired visits the rows whose module is required directly: the
// component's own, and those of its places of kind go-require.
func (p *pass) eachRequired(visit func(r row, q requirement)) {
	if p.build == nil {
		return
	}
	for _, r := range p.facts() {
		if r.of == nil || r.Value == "" {
			continue
		}
		for _, m := range p.modulesOf(r.of) {
			for _, required := range p.build.Require { // one module may be required twice
				if required.Mod.Path != m.path || required.Indirect {
					continue
				}
				q := requirement{required, "", m.of, m.form}
				q.text = string(stack.LastToken(p.build.data, q.Syntax).Of(p.build.data))
				p.looked++
				visit(r, q)
			}
		}
	}
}

// A moduleOf is a module whose versions say a component's.
type moduleOf struct {
	path     string
	of, form func(version string) string
}

func (p *pass) modulesOf(c *stack.Component) []moduleOf {
	var list []moduleOf
	if c.Module.Path != "" {
		list = append(list, moduleOf{c.Module.Path, c.VersionOfModule, c.ModuleVersionOf})
	}
	for _, place := range p.Stack.PlacesOf(c, p.Stack.RootComponent(), p.version()) {
		if place.Kind != "go-require" || place.Rule != "gomod-mismatch" || place.Path != "go.mod" || place.Key == c.Module.Path {
			continue
		}
		list = append(list, moduleOf{
			place.Key,
			func(v string) string { v, _ = place.Read(v); return v },
			func(v string) string { _, spell := place.Read(""); return spell(v) },
		})
	}
	return list
}

func checkRequire(_ context.Context, p *pass) error {
	p.eachRequired(func(r row, q requirement) {
		if q.takes(r, q.text) || module.IsPseudoVersion(q.text) {
			return
		}
		p.reportRequire(r, q, "%s: go.mod requires %s, %s", r.Name, q.called(), r.said())
	})
	return p.eachMatch(func(r row, m stack.Match) { // of the other modules of the repository
		if m.Path != "go.mod" && !r.takes(m.Version) && !module.IsPseudoVersion(m.Text) {
			f := p.match(r, m)
			f.Hint = "after the change: go mod tidy"
			p.Report(f, "%s: %s requires %s, %s", r.Name, m.Path, m.Says(), r.said())
		}
	})
}

// called is what is required, with the version that it represents.
func (q requirement) called() string {
	if v := q.of(q.text); v != q.text {
		return q.Mod.Path + " " + q.text + ", which is " + v
	}
	return q.text
}

// The pseudo-version of no commit at all represents "what the replace directive
// says": Go writes it for a module that is required without a version.
func checkPseudo(p *pass) {
	p.eachRequired(func(r row, q requirement) {
		if !q.takes(r, q.text) && module.IsPseudoVersion(q.text) && !r.isCommit(q.text) && !(module.IsZeroPseudoVersion(q.text) && p.build.replaced(q.Mod) != nil) {
			p.reportRequire(r, q, "%s: go.mod requires the commit %s, %s", r.Name, q.text, r.said())
		}
	})
}

// isCommit says whether the row's version is the commit of a pseudo-version.
func (r row) isCommit(version string) bool {
	rev, err := module.PseudoVersionRev(version)
	return err == nil && r.of.Refs && len(r.Value) >= 7 && (strings.HasPrefix(rev, r.Value) || strings.HasPrefix(r.Value, rev))
}

func (p *pass) reportRequire(r row, q requirement, format string, args ...any) {
	f := p.build.at(r, q.Syntax)
	f.Expected, f.Actual = r.expected(q.form), q.text
	if r.takesMore() {
		f.Hint = r.nearestIn(q.of(q.text))
	}
	if want := q.form(r.Value); p.known(r) && module.Check(q.Mod.Path, want) == nil {
		p.fix(&f, source.Edit{Span: stack.LastToken(p.build.data, q.Syntax), Old: q.text, New: want})
		f.Hint = "after the change: go mod tidy"
	}
	p.Report(f, format, args...)
}

func checkReplaced(p *pass) {
	p.eachRequired(func(r row, req requirement) {
		p.checkWorkspace(r, req)
		rep := p.build.replaced(req.Mod)
		if rep == nil || req.takes(r, rep.New.Version) {
			return
		}
		f := rep.at(r, rep.Syntax)
		f.Expected, f.Actual = req.Mod.Path+" "+r.expected(req.form), strings.TrimSpace(rep.New.Path+" "+rep.New.Version)
		f.Hint = "nearest: drop the replace directive, or say in the table what is built"
		p.Report(f, "%s: a replace directive builds %s, %s", r.Name, f.Actual, r.said())
	})
}

func checkReplacedFork(p *pass) {
	p.eachRequired(func(r row, req requirement) {
		rep := p.build.replaced(req.Mod)
		if rep == nil || !req.takes(r, rep.New.Version) || rep.New.Path == req.Mod.Path {
			return
		}
		f := rep.at(r, rep.Syntax)
		f.Expected, f.Actual = req.Mod.Path, rep.New.Path
		p.Report(f, "%s: a replace directive builds %s from %s", r.Name, rep.New.Version, rep.New.Path)
	})
}

func checkReplaceIdle(_ context.Context, p *pass) error {
	if p.build == nil {
		return nil
	}
	required := p.build.Require
	for _, rep := range p.build.Replace {
		i := slices.IndexFunc(required, func(r *modfile.Require) bool { return r.Mod.Path == rep.Old.Path })
		if rep.Old.Version == "" || i < 0 || required[i].Mod.Version == rep.Old.Version {
			continue
		}
		f := p.build.at(row{}, rep.Syntax)
		f.Expected, f.Actual = rep.Old.Path+" "+required[i].Mod.Version, rep.Old.Path+" "+rep.Old.Version
		p.Report(f, "the replace directive for %s no longer applies: %s is required", f.Actual, required[i].Mod.Version)
	}
	return nil
}

// minor reads the major and minor number of a version.
func minor(version string) (major, minor int, ok bool) {
	maj, rest, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
	major, err := strconv.Atoi(maj)
	if err != nil {
		return 0, 0, false
	}
	minor, err = strconv.Atoi(rest)
	return major, minor, err == nil
}

// apart is the distance of two versions in minors; different majors are far
// apart, a malformed version is not ok.
func apart(a, b string) (int, bool) {
	ma, na, ok := minor(a)
	mb, nb, ok2 := minor(b)
	if !ok || !ok2 {
		return 0, false
	}
	if ma != mb {
		return 1000, true
	}
	return max(na-nb, nb-na), true
}

// checkModuleSkew compares the built versions of a family of modules, those of
// the family's most common major only (klog is v2 next to v0).
func checkModuleSkew(p *pass) {
	for _, rule := range p.Config.Rules {
		if rule.Kind != kindModule || p.build == nil {
			continue
		}
		low, high := p.build.extremes(rule.Modules)
		if low == nil {
			continue
		}
		lv, hv := built(p.build.File, low), built(p.build.File, high)
		d, _ := apart(lv, hv)
		if d <= rule.Minors {
			continue
		}
		line := low.Syntax
		if rep := replacement(p.build.Replace, low.Mod); rep != nil {
			line = rep.Syntax
		}
		f := p.build.at(row{}, line)
		f.Expected, f.Actual = fmt.Sprintf("at most %d minor apart", rule.Minors), fmt.Sprintf("%d", d)
		p.Report(f, "%s is built at %s, %s at %s: %d minors apart, allowed are %d%s", low.Mod.Path, lv, high.Mod.Path, hv, d, rule.Minors, Because(rule.Reason))
	}
}

// Because is a rule's reason as the end of a sentence.
func Because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// checkSkew checks what is built against what the row says, and rows against
// rows, for the rules of kind skew.
func checkSkew(p *pass) {
	for _, rule := range p.Config.Rules {
		comp, _ := p.Stack.Component(rule.Component)
		r, ok := p.rowOf(comp)
		if rule.Kind != kindSkew || !ok {
			continue
		}
		what, version := p.skewedAgainst(rule, comp)
		if d, ok := apart(r.Value, version); ok && !r.takesMore() && d > rule.Minors {
			f := p.at(r)
			f.Expected, f.Actual = fmt.Sprintf("at most %d minor from %s of %s", rule.Minors, version, what), r.Value
			p.Report(f, "%s is %s and %s has %s: more than %d minor apart%s", r.Name, r.Value, what, version, rule.Minors, Because(rule.Reason))
		}
	}
}

// skewedAgainst is the version that a skew rule compares a row with: another
// row's, or what go.mod builds; empty when there is none to compare.
func (p *pass) skewedAgainst(rule Rule, c *stack.Component) (what, version string) {
	if rule.With != "" {
		other, _ := p.Stack.Component(rule.With)
		o, _ := p.rowOf(other)
		return o.Name, o.Value
	}
	req := p.build.required(c)
	if req == nil || module.IsPseudoVersion(built(p.build.File, req)) {
		return "", ""
	}
	return "the build", built(p.build.File, req)
}

func checkPairs(_ context.Context, p *pass) error {
	for _, rule := range p.Config.Rules {
		if rule.Kind != KindPair && rule.Kind != KindAlign {
			continue
		}
		comp, _ := p.Stack.Component(rule.Component)
		with, _ := p.Stack.Component(rule.With)
		r, ok := p.rowOf(comp)
		o, ok2 := p.rowOf(with)
		if !ok || !ok2 || rule.Kind == KindAlign {
			continue
		}
		when, err := Constraint(rule.When)
		if err != nil {
			return err
		}
		needs, err := Constraint(rule.Needs)
		if err != nil {
			return err
		}
		if !versions.IsVersion(o.Value) || o.takesMore() || r.takesMore() || !when.Has(r.Value) || needs.Has(o.Value) {
			continue
		}
		f := p.at(o)
		f.Expected, f.Actual = o.Name+" "+rule.Needs, o.Value
		f.Hint = p.nearestIn(with, rule)
		p.Report(f, "%s %s needs %s %s, %s%s", r.Name, r.Value, o.Name, rule.Needs, o.said(), Because(rule.Reason))
	}
	return nil
}

// nearestIn names the highest release that satisfies a pair's constraint.
func (p *pass) nearestIn(c *stack.Component, rule Rule) string {
	needs, err := Constraint(rule.Needs)
	if err != nil {
		return ""
	}
	versions := versionsOf(p.refs[c.URL()], c)
	for _, v := range slices.Backward(versions) {
		if needs.Has(v) {
			return "nearest release: " + v
		}
	}
	return ""
}
