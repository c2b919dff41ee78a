package choose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Want is a component and what version of it is installed: a version, or a
// constraint.
type Want struct {
	Component *stack.Component
	Text      string
	Range     versions.Range // the versions that the text means
}

// newWant reads what is wanted of a component: a version, a short one that means
// its line, a range. An empty text is any version.
func newWant(c *stack.Component, text string) (Want, error) {
	w := Want{c, text, versions.AnyVersion()}
	if text == "" {
		return w, nil
	}
	var err error
	if v, ok := c.VersionOfTag(text); ok && !versions.OneVersion(v).Empty() {
		w.Range = versions.OneVersion(v)
	} else if w.Range, err = versions.ParseRange(text); err != nil {
		return w, fmt.Errorf("%s: %w", c.Name, err)
	}
	return w, nil
}

// An Answer is a release, with the wants that it does not meet.
type Answer struct {
	Release *matrix.Release
	Misses  []Miss
}

// A Miss is a want that a release does not meet.
type Miss struct {
	Want Want
	Has  string // the release's version; empty = it has no such component
}

// Resolve evaluates every release by the wants: those that meet all of them, newest
// first, or when none does those that come nearest (fewest misses, then the
// smallest distance), newest first.
func Resolve(releases []matrix.Release, wants []Want) (exact bool, answers []Answer) {
	type scored struct {
		Answer
		distance float64
	}
	var all []scored
	for i := range releases {
		a := scored{Answer: Answer{Release: &releases[i]}}
		for _, w := range wants {
			pin, ok := releases[i].Pin(w.Component.Name)
			if !ok {
				a.Misses = append(a.Misses, Miss{w, ""})
				a.distance += 1e9
				continue
			}
			if meets(pin, w) {
				continue
			}
			a.Misses = append(a.Misses, Miss{w, cmp.Or(pin.Version, pin.Range)})
			a.distance += distance(cmp.Or(pin.Version, pin.Takes().Nearest(w.Range.Member())), cmp.Or(w.Range.Exact(), w.Range.Nearest(pin.Version), w.Text))
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(len(a.Misses), len(b.Misses)), cmp.Compare(a.distance, b.distance))
	})
	for _, a := range all {
		first := all[0]
		if len(a.Misses) == len(first.Misses) && a.distance == first.distance {
			answers = append(answers, a.Answer)
		}
	}
	slices.Reverse(answers)
	return len(answers) > 0 && len(answers[0].Misses) == 0, answers
}

// meets says whether a pin is what is wanted: a version in the wanted range, or
// a range, that of the pin or the one it was tested with, which has one.
func meets(p matrix.Pin, w Want) bool {
	return p.Version != "" && p.Version == w.Text || !p.Takes().Intersect(w.Range).Empty()
}

// distance weighs how far two versions are apart: a major counts a million
// patches, a minor a thousand. What is no version is very far.
func distance(a, b string) float64 {
	x, err := semver.NewVersion(a)
	y, err2 := semver.NewVersion(b)
	if err != nil || err2 != nil {
		return 1e9
	}
	part := func(p, q uint64, weight float64) float64 {
		if p > q {
			return float64(p-q) * weight
		}
		return float64(q-p) * weight
	}
	d := part(x.Major(), y.Major(), 1e6) + part(x.Minor(), y.Minor(), 1e3) + part(x.Patch(), y.Patch(), 1)
	if x.Prerelease() != y.Prerelease() {
		d += 0.5
	}
	return d
}

// ReadWants reads NAME=VERSION arguments; with bare, NAME alone is any version.
func ReadWants(s *stack.Stack, args []string, bare bool) ([]Want, error) {
	var wants []Want
	for _, a := range args {
		name, version, ok := strings.Cut(a, "=")
		if version == "" && (ok || !bare) {
			return nil, fmt.Errorf("want COMPONENT=VERSION, got %q", a)
		}
		c, err := s.Lookup(name)
		if err != nil {
			return nil, err
		}
		w, err := newWant(c, version)
		if err != nil {
			return nil, err
		}
		wants = append(wants, w)
	}
	return wants, nil
}
