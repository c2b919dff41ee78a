package matrix

import (
	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// A fault is something wrong in a declared release. Names of faults are those
// of the lint rules.
type fault struct {
	Rule    string
	Release int    // index in Config.Releases
	Pin     int    // index in its Components; -1 = the release as a whole
	Other   string // what it does not go with: the version before, another component's version
	By      int    // index in Config.Rules; -1 = none
}

// faults checks every declared release against itself, the one before and the
// rules: malformed versions, unknown and repeated components, releases out of
// order, components that go back, pairs, skew and alignment, and versions
// outside of their own tested range.
func faults(s *stack.Stack, c *Config) []fault {
	f := &faultFinder{stack: s, config: c, components: map[string]*stack.Component{}, last: map[string]string{}, ranges: map[string]readRange{}}
	for i := range s.Components {
		f.components[s.Components[i].Name] = &s.Components[i]
	}
	before := ""
	for i := range c.Releases {
		version := c.Releases[i].Version
		switch {
		case !stack.IsVersion(version):
			f.add("version-not-semver", i, -1, "", -1)
		case before != "" && semver.Compare(version, before) <= 0:
			f.add("release-order", i, -1, before, -1)
		}
		if stack.IsVersion(version) {
			before = version
		}
		f.rules(i, f.pins(i))
	}
	return f.list
}

// A faultFinder goes through the declared releases, oldest first.
type faultFinder struct {
	stack      *stack.Stack
	config     *Config
	components map[string]*stack.Component // by name
	list       []fault
	last       map[string]string    // by component: its semantic version in the nearest release before
	ranges     map[string]readRange // by text
}

// A readRange is a constraint, or why it cannot be read.
type readRange struct {
	stack.Range
	err error
}

func (f *faultFinder) add(rule string, release, pin int, other string, by int) {
	f.list = append(f.list, fault{rule, release, pin, other, by})
}

func (f *faultFinder) constraint(text string) readRange {
	r, ok := f.ranges[text]
	if !ok {
		r.Range, r.err = constraint(text)
		f.ranges[text] = r
	}
	return r
}

// pins checks the versions of a release alone, and against the ones before. It
// returns the pins with a semantic version, by component.
func (f *faultFinder) pins(release int) map[string]int {
	seen, versions := map[string]bool{}, map[string]int{}
	for i, p := range f.config.Releases[release].Components {
		c, ok := f.components[p.Name]
		switch {
		case !ok:
			f.add("unknown-component", release, i, "", -1)
			continue
		case seen[c.Name]:
			f.add("duplicate-component", release, i, "", -1)
			continue
		}
		seen[c.Name] = true
		if p.Version == "" && p.Range != "" {
			continue // see linter.ranges
		}
		if p.Tested != "" {
			f.tested(release, i, p)
		}
		if !stack.IsVersion(p.Version) {
			if !c.Refs { // else it is a branch, a commit
				f.add("version-not-semver", release, i, "", -1)
			}
			continue
		}
		if before := f.last[c.Name]; before != "" && semver.Compare(p.Version, before) < 0 {
			f.add("downgrade", release, i, before, -1)
		}
		f.last[c.Name], versions[c.Name] = p.Version, i
	}
	return versions
}

// tested checks a version against the range that it was tested in.
func (f *faultFinder) tested(release, pin int, p Pin) {
	r := f.constraint(p.Tested)
	if r.err != nil {
		f.add("constraint-malformed", release, pin, p.Tested, -1)
	} else if stack.IsVersion(p.Version) && !r.Has(p.Version) {
		f.add("tested", release, pin, p.Tested, -1)
	}
}

// rules applies every rule to a release that has both of its components. Rules
// of modules and lag, and skew of a build, are about trees.
func (f *faultFinder) rules(release int, pins map[string]int) {
	for i, r := range f.config.Rules {
		a, _ := f.stack.Component(r.Component)
		b, _ := f.stack.Component(r.With)
		if a == nil || b == nil {
			continue
		}
		x, ok := pins[a.Name]
		y, ok2 := pins[b.Name]
		if !ok || !ok2 {
			continue
		}
		va, vb := f.config.Releases[release].Components[x].Version, f.config.Releases[release].Components[y].Version
		switch r.Kind {
		case kindPair:
			when, needs := f.constraint(r.When), f.constraint(r.Needs)
			if when.err == nil && needs.err == nil && when.Has(va) && !needs.Has(vb) { // else Complete has said so
				f.add("pairwise", release, y, va, i)
			}
		case kindAlign:
			if va != vb {
				f.add("alignment", release, y, va, i)
			}
		case kindSkew:
			if d, ok := apart(va, vb); ok && d > r.Minors {
				f.add("skew", release, y, va, i)
			}
		}
	}
}
