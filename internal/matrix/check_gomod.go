package matrix

import (
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
)

// required is the direct requirement of a component's module, if there is one.
func (p *Pass) required(c *stack.Component) *modfile.Require {
	if p.gomod == nil || c == nil || c.Module.Path == "" {
		return nil
	}
	for _, r := range p.gomod.Require {
		if r.Mod.Path == c.Module.Path && !r.Indirect {
			return r
		}
	}
	return nil
}

// replacement is the replace directive that applies to a module version: one
// with that version on its left goes before one without any.
// Source: https://go.dev/ref/mod#go-mod-file-replace
func replacement(f *modfile.File, mod module.Version) *modfile.Replace {
	var found *modfile.Replace
	for _, r := range f.Replace {
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

// atMod begins a finding at a line of go.mod.
func (p *Pass) atMod(c *Check, r row, line *modfile.Line) finding {
	f := finding{Rule: c.Name, Severity: c.Severity, Path: "go.mod", Component: r.Name, Version: r.Value}
	pos := source.PositionAt(p.modData, stack.LastToken(p.modData, line).Start)
	f.Line, f.Column = pos.Line, pos.Column
	return f
}

// eachRequired visits the rows whose module is required directly, with the
// version as it is written.
func (p *Pass) eachRequired(visit func(r row, req *modfile.Require, version string)) {
	for _, r := range p.rows {
		if req := p.required(r.of); req != nil && r.Value != "" {
			visit(r, req, string(stack.LastToken(p.modData, req.Syntax).Of(p.modData)))
		}
	}
}

func checkRequire(p *Pass, c *Check) error {
	p.eachRequired(func(r row, req *modfile.Require, version string) {
		if version == r.Value || module.IsPseudoVersion(version) {
			return
		}
		p.reportRequire(c, r, req, version, "%s: go.mod requires %s, the table says %s", r.Name, version, r.Value)
	})
	return nil
}

func checkPseudo(p *Pass, c *Check) error {
	p.eachRequired(func(r row, req *modfile.Require, version string) {
		if version != r.Value && module.IsPseudoVersion(version) {
			p.reportRequire(c, r, req, version, "%s: go.mod requires the commit %s, the table says %s", r.Name, version, r.Value)
		}
	})
	return nil
}

func (p *Pass) reportRequire(c *Check, r row, req *modfile.Require, version, format string, args ...any) {
	f := p.atMod(c, r, req.Syntax)
	f.Expected, f.Actual = r.Value, version
	if p.known(r) && module.Check(req.Mod.Path, r.Value) == nil {
		p.fix(&f, source.Edit{Span: stack.LastToken(p.modData, req.Syntax), Old: version, New: r.Value})
		f.Hint = "after the change: go mod tidy"
	}
	p.report(f, format, args...)
}

func checkReplaced(p *Pass, c *Check) error {
	p.eachRequired(func(r row, req *modfile.Require, _ string) {
		rep := replacement(p.gomod, req.Mod)
		if rep == nil || rep.New.Version == r.Value {
			return
		}
		f := p.atMod(c, r, rep.Syntax)
		f.Expected, f.Actual = req.Mod.Path+" "+r.Value, strings.TrimSpace(rep.New.Path+" "+rep.New.Version)
		f.Hint = "nearest: drop the replace directive, or say in the table what is built"
		p.report(f, "%s: a replace directive builds %s, the table says %s", r.Name, f.Actual, r.Value)
	})
	return nil
}

func checkReplacedFork(p *Pass, c *Check) error {
	p.eachRequired(func(r row, req *modfile.Require, _ string) {
		rep := replacement(p.gomod, req.Mod)
		if rep == nil || rep.New.Version != r.Value || rep.New.Path == req.Mod.Path {
			return
		}
		f := p.atMod(c, r, rep.Syntax)
		f.Expected, f.Actual = req.Mod.Path, rep.New.Path
		p.report(f, "%s: a replace directive builds %s from %s", r.Name, r.Value, rep.New.Path)
	})
	return nil
}

func checkReplaceIdle(p *Pass, c *Check) error {
	if p.gomod == nil {
		return nil
	}
	for _, rep := range p.gomod.Replace {
		i := slices.IndexFunc(p.gomod.Require, func(r *modfile.Require) bool { return r.Mod.Path == rep.Old.Path })
		if rep.Old.Version == "" || i < 0 || p.gomod.Require[i].Mod.Version == rep.Old.Version {
			continue
		}
		f := p.atMod(c, row{}, rep.Syntax)
		f.Expected, f.Actual = rep.Old.Path+" "+p.gomod.Require[i].Mod.Version, rep.Old.Path+" "+rep.Old.Version
		p.report(f, "the replace directive for %s no longer applies: %s is required", f.Actual, p.gomod.Require[i].Mod.Version)
	}
	return nil
}

// built is the version of a requirement after replacement; empty = a local path.
func built(f *modfile.File, req *modfile.Require) string {
	if rep := replacement(f, req.Mod); rep != nil {
		return rep.New.Version
	}
	return req.Mod.Version
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
// the family's most common major only (klog is v2 beside v0).
func checkModuleSkew(p *Pass, c *Check) error {
	for _, rule := range p.Config.Rules {
		if rule.Kind != kindModule || p.gomod == nil {
			continue
		}
		low, high := p.extremes(rule.Modules)
		if low == nil {
			continue
		}
		lv, hv := built(p.gomod, low), built(p.gomod, high)
		d, _ := apart(lv, hv)
		if d <= rule.Minors {
			continue
		}
		line := low.Syntax
		if rep := replacement(p.gomod, low.Mod); rep != nil {
			line = rep.Syntax
		}
		f := p.atMod(c, row{}, line)
		f.Expected, f.Actual = fmt.Sprintf("at most %d minor apart", rule.Minors), fmt.Sprintf("%d", d)
		p.report(f, "%s is built at %s, %s at %s: %d minors apart, allowed are %d%s", low.Mod.Path, lv, high.Mod.Path, hv, d, rule.Minors, because(rule.Reason))
	}
	return nil
}

// extremes finds the modules of a family that are built at the lowest and the
// highest version of major 0. Pseudo-versions and local paths do not count.
func (p *Pass) extremes(glob string) (low, high *modfile.Require) {
	for _, r := range p.gomod.Require {
		ok, _ := path.Match(glob, r.Mod.Path)
		v := built(p.gomod, r)
		if !ok || !stack.IsVersion(v) || semver.Major(v) != "v0" || module.IsPseudoVersion(v) {
			continue
		}
		if low == nil || semver.Compare(v, built(p.gomod, low)) < 0 {
			low = r
		}
		if high == nil || semver.Compare(v, built(p.gomod, high)) > 0 {
			high = r
		}
	}
	return low, high
}

// because is a rule's reason as the end of a sentence.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// checkSkew holds what is built against what the row says, and rows against
// rows, for the rules of kind skew.
func checkSkew(p *Pass, c *Check) error {
	for _, rule := range p.Config.Rules {
		comp, _ := p.Stack.Component(rule.Component)
		r, ok := p.rowOf(comp)
		if rule.Kind != kindSkew || !ok {
			continue
		}
		what, version := p.skewedAgainst(rule, comp)
		if d, ok := apart(r.Value, version); ok && d > rule.Minors {
			f := p.at(c, r)
			f.Expected, f.Actual = fmt.Sprintf("at most %d minor from %s of %s", rule.Minors, version, what), r.Value
			p.report(f, "%s is %s and %s has %s: more than %d minor apart%s", r.Name, r.Value, what, version, rule.Minors, because(rule.Reason))
		}
	}
	return nil
}

// skewedAgainst is the version that a skew rule compares a row with: another
// row's, or what go.mod builds; empty when there is none to compare.
func (p *Pass) skewedAgainst(rule Rule, c *stack.Component) (what, version string) {
	if rule.With != "" {
		other, _ := p.Stack.Component(rule.With)
		o, _ := p.rowOf(other)
		return o.Name, o.Value
	}
	req := p.required(c)
	if req == nil || module.IsPseudoVersion(built(p.gomod, req)) {
		return "", ""
	}
	return "the build", built(p.gomod, req)
}

func checkPairs(p *Pass, c *Check) error {
	for _, rule := range p.Config.Rules {
		if rule.Kind != kindPair && rule.Kind != kindAlign {
			continue
		}
		comp, _ := p.Stack.Component(rule.Component)
		with, _ := p.Stack.Component(rule.With)
		r, ok := p.rowOf(comp)
		o, ok2 := p.rowOf(with)
		if !ok || !ok2 || rule.Kind == kindAlign {
			continue
		}
		when, err := constraint(rule.When, rule.Prereleases)
		if err != nil {
			return err
		}
		needs, err := constraint(rule.Needs, rule.Prereleases)
		if err != nil {
			return err
		}
		if !stack.IsVersion(o.Value) || !satisfies(when, r.Value) || satisfies(needs, o.Value) {
			continue
		}
		f := p.at(c, o)
		f.Expected, f.Actual = o.Name+" "+rule.Needs, o.Value
		f.Hint = p.nearestIn(with, rule)
		p.report(f, "%s %s needs %s %s, the table says %s%s", r.Name, r.Value, o.Name, rule.Needs, o.Value, because(rule.Reason))
	}
	return nil
}

// nearestIn names the highest release that satisfies a pair's constraint.
func (p *Pass) nearestIn(c *stack.Component, rule Rule) string {
	needs, err := constraint(rule.Needs, rule.Prereleases)
	if err != nil {
		return ""
	}
	versions := versionsOf(p.refs[c.URL()], c)
	for _, v := range slices.Backward(versions) {
		if satisfies(needs, v) {
			return "nearest release: " + v
		}
	}
	return ""
}
