package matrix

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Want is a component and what version of it is installed: a version, or a
// constraint.
type Want struct {
	Component *stack.Component
	Text      string
}

// An Answer is a release, with the wants that it does not meet.
type Answer struct {
	Release *Release
	Misses  []Miss
}

// A Miss is a want that a release does not meet.
type Miss struct {
	Want Want
	Has  string // the release's version; empty = it has no such component
}

// Resolve judges every release by the wants: those that meet all of them, newest
// first, or when none does those that come nearest (fewest misses, then the
// smallest distance), newest first. A want that is neither a version nor a
// constraint is an error.
func Resolve(releases []Release, wants []Want) (exact bool, answers []Answer, err error) {
	ranges := make([]*semver.Constraints, len(wants))
	for i, w := range wants {
		if stack.IsVersion(w.Text) || stack.IsVersion("v"+w.Text) {
			continue
		}
		if ranges[i], err = constraint(w.Text, false); err != nil {
			return false, nil, fmt.Errorf("%s: %w", w.Component.Name, err)
		}
	}
	type scored struct {
		Answer
		distance float64
	}
	var all []scored
	for i := range releases {
		a := scored{Answer: Answer{Release: &releases[i]}}
		for j, w := range wants {
			pin, ok := releases[i].Pin(w.Component.Name)
			if !ok {
				a.Misses = append(a.Misses, Miss{w, ""})
				a.distance += 1e9
				continue
			}
			if meets(pin, w, ranges[j]) {
				continue
			}
			a.Misses = append(a.Misses, Miss{w, pin.Version})
			a.distance += distance(pin.Version, w.Text)
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
	return len(answers) > 0 && len(answers[0].Misses) == 0, answers, nil
}

// meets says whether a pin is what is wanted: the same version, a version in
// the range that the release was tested with, or one in the wanted range.
func meets(p Pin, w Want, r *semver.Constraints) bool {
	if r != nil {
		return satisfies(r, p.Version)
	}
	if p.Version == w.Text || p.Version == "v"+w.Text {
		return true
	}
	if p.Tested == "" {
		return false
	}
	c, err := constraint(p.Tested, false)
	return err == nil && (satisfies(c, w.Text) || satisfies(c, "v"+w.Text))
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
