package matrix

import (
	"fmt"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A readRange is a constraint, or why it cannot be read.
type readRange struct {
	versions.Range
	err error
}

// The version, or the range, of a component in a declared release, and where it stands.
type pinned struct {
	says   string
	ranged versions.Range
	line   int
}

// in says whether a range has all of the versions, and whether it has one.
func (p pinned) in(r versions.Range) (all, some bool) {
	if versions.IsVersion(p.says) {
		return r.Has(p.says), r.Has(p.says)
	}
	return !p.ranged.Empty() && p.ranged.Within(r), p.ranged.Empty() || !p.ranged.Intersect(r).Empty()
}

// releases checks every declared release against itself, the one before and the
// rules: malformed versions, unknown and repeated components, releases out of
// order, components that go back, and versions outside of their own tested range.
func (l *linter) releases() {
	components := map[string]*stack.Component{}
	for i := range l.stack.Components {
		components[l.stack.Components[i].Name] = &l.stack.Components[i]
	}
	before := ""
	last := map[string]string{} // by component: its semantic version in the nearest release before
	for _, r := range l.config.Releases {
		line := r.line
		switch {
		case !versions.IsVersion(r.Version):
			l.add("version-not-semver", line, "", r.Version, "release %q is not a semantic version", r.Version)
		case before != "" && semver.Compare(r.Version, before) <= 0:
			l.add("release-order", line, "", r.Version, "release %s comes after %s", r.Version, before)
		}
		if versions.IsVersion(r.Version) {
			before = r.Version
		}
		seen, said := map[string]bool{}, map[string]pinned{}
		for _, p := range r.Components {
			line, title := p.line, titleOf(l.stack, p.Name)
			say := func(rule, format string, args ...any) {
				l.add(rule, line, title, p.Version, "%s: %s", r.Version, fmt.Sprintf(format, args...))
			}
			c := components[p.Name]
			switch {
			case c == nil:
				_, err := l.stack.Lookup(p.Name)
				say("unknown-component", "%v", err)
				continue
			case seen[p.Name]:
				say("duplicate-component", "%s is there twice", title)
				continue
			}
			seen[p.Name] = true
			if taken, err := versions.ParseRange(p.Range); p.Range != "" && err != nil {
				say("constraint-malformed", "%s: %v", title, err)
			} else if p.Range != "" && p.Version != "" && !taken.Has(p.Version) {
				say("tested", "%s %s is not in its range %s", title, p.Version, p.Range)
			}
			said[p.Name] = pinned{p.Says(), (&Pin{Range: p.Range}).Takes(), line}
			if p.Version == "" && p.Range != "" {
				continue
			}
			if tested, err := l.constraint(p.Tested); err != nil {
				say("constraint-malformed", "%s: the constraint %q cannot be read", title, p.Tested)
			} else if versions.IsVersion(p.Version) && !tested.Has(p.Version) {
				say("tested", "%s %s was tested with %s", title, p.Version, p.Tested)
			}
			if !versions.IsVersion(p.Version) {
				if !c.Refs { // else it is a branch, a commit
					say("version-not-semver", "%s: %q is not a semantic version", title, p.Version)
				}
				continue
			}
			if was := last[p.Name]; was != "" && semver.Compare(p.Version, was) < 0 {
				say("downgrade", "%s goes back from %s to %s", title, was, p.Version)
			}
			last[p.Name] = p.Version
		}
		if l.afford(line, len(l.config.Rules), applied) {
			l.rules(r.Version, said)
		}
	}
}

// constraint reads each constraint once: rules have many of them, releases the same.
func (l *linter) constraint(text string) (versions.Range, error) {
	r, ok := l.read[text]
	if !ok {
		r.Range, r.err = Constraint(text)
		l.read[text] = r
	}
	return r.Range, r.err
}

// applied is how many comparisons of bounds take as long as one rule of a release.
const applied = 16

// rules applies every rule to a release that has both of its components. Rules
// of modules and lag, and skew of a build, are about trees.
func (l *linter) rules(release string, pins map[string]pinned) {
	for _, r := range l.config.Rules {
		if l.broken > maxBroken {
			return
		}
		a, _ := l.stack.Component(r.Component)
		b, _ := l.stack.Component(r.With)
		if a == nil || b == nil {
			continue
		}
		x, ok := pins[a.Name]
		y, ok2 := pins[b.Name]
		if !ok || !ok2 {
			continue
		}
		say := func(rule, format string, args ...any) {
			if l.broken++; l.broken > maxBroken {
				l.add("rules-not-compared", y.line, "", "", "at most %d findings about releases that break rules are listed: fix these first", maxBroken)
				return
			}
			l.add(rule, y.line, b.Title, y.says, "%s: %s%s", release, fmt.Sprintf(format, args...), Because(r.Reason))
		}
		switch r.Kind {
		case KindPair:
			when, err := l.constraint(r.When)
			needs, err2 := l.constraint(r.Needs)
			applies, _ := x.in(when)
			if _, met := y.in(needs); err == nil && err2 == nil && applies && !met { // else Complete has said so
				say("pairwise", "%s %s needs %s %s, not %s", a.Title, x.says, b.Title, r.Needs, y.says)
			}
		case KindAlign:
			if versions.IsVersion(x.says) && versions.IsVersion(y.says) && x.says != y.says {
				say("alignment", "%s %s and %s %s share a version", a.Title, x.says, b.Title, y.says)
			}
		case kindSkew:
			if d, ok := apart(x.says, y.says); ok && d > r.Minors && versions.IsVersion(x.says) && versions.IsVersion(y.says) {
				say("skew", "%s %s and %s %s are more than %d minor apart", a.Title, x.says, b.Title, y.says, r.Minors)
			}
		}
	}
}
