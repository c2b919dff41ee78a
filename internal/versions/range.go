// Package versions reads versions and ranges of versions as people write them in
// tables: "v1.2", ">= 1.30", "1.29.x - 1.32", a tag in the scheme of a component. It
// knows neither stacks nor files.
package versions

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// A Range is a set of versions: intervals over the order of Semantic
// Versioning, so that ranges can be joined, cut and compared. The zero Range
// is empty.
//
// One rule says which pre-releases a range has, in cells, declared ranges and rules
// alike. They follow the order of versions; a line "1.31" has those of its
// releases, ">=1.31" begins with the release v1.31.0, and "<1.31" ends before the
// first pre-release of v1.31.0. Build metadata does not count.
//
// What an operator takes is for Masterminds/semver to say: see term.interval.
type Range struct {
	spans []interval // ascending, apart from each other
}

// An interval is from <= version < until. Both are canonical versions; an
// empty until is no bound.
type interval struct{ from, until string }

// first is the lowest version of all.
const first = "v0.0.0-0"

// AnyVersion has every version.
func AnyVersion() Range { return Range{[]interval{{from: first}}} }

// OneVersion has a version alone. What is none, and one whose numbers have more
// than 32 bits, gives the empty Range.
func OneVersion(v string) Range {
	if !IsVersion(v) || tooLarge(numbersOf(v)) {
		return Range{}
	}
	v = semver.Canonical(v)
	return Range{[]interval{{v, after(v)}}}
}

// after is the lowest version above v.
// Source: Semantic Versioning 2.0.0, 11.4: a larger set of fields is higher.
func after(v string) string {
	if semver.Prerelease(v) != "" {
		return v + ".0"
	}
	n := numbersOf(v)
	n[2]++
	return lowest(n)
}

// tooLarge says whether a number has more than 32 bits.
func tooLarge(n [3]uint64) bool { return max(n[0], n[1], n[2]) > math.MaxUint32 }

// lowest is the lowest version with these numbers, a pre-release.
func lowest(n [3]uint64) string { return versionOf(n) + "-0" }

func versionOf(n [3]uint64) string { return fmt.Sprintf("v%d.%d.%d", n[0], n[1], n[2]) }

// numbersOf are the three numbers of a canonical version. One of more than 64
// bits counts as the highest.
func numbersOf(v string) (n [3]uint64) {
	core, _, _ := strings.Cut(strings.TrimSuffix(v, semver.Build(v)), "-")
	for i, part := range strings.SplitN(strings.TrimPrefix(core, "v"), ".", 3) {
		n[i], _ = strconv.ParseUint(part, 10, 64)
	}
	return n
}

// Size is how many pieces the range has that lie apart.
func (r Range) Size() int { return len(r.spans) }

// Empty says whether no version is in the range.
func (r Range) Empty() bool { return len(r.spans) == 0 }

// Has says whether a version is in the range. What is no semantic version is
// in none.
func (r Range) Has(version string) bool {
	if !IsVersion(version) {
		return false
	}
	return slices.ContainsFunc(r.spans, func(s interval) bool { return semver.Compare(version, s.from) >= 0 && below(version, s.until) })
}

// below says whether a version lies before an upper bound.
func below(version, until string) bool { return until == "" || semver.Compare(version, until) < 0 }

// ascending compares upper bounds.
func ascending(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return semver.Compare(a, b)
}

// Union has what either range has.
func (r Range) Union(o Range) Range { return joined(slices.Concat(r.spans, o.spans)) }

// joined is the range of intervals that it may order anew.
func joined(all []interval) Range {
	slices.SortFunc(all, func(a, b interval) int { return semver.Compare(a.from, b.from) })
	var list []interval
	for _, s := range all {
		last := len(list) - 1
		if last < 0 || !(list[last].until == "" || semver.Compare(s.from, list[last].until) <= 0) {
			list = append(list, s)
		} else if ascending(s.until, list[last].until) > 0 {
			list[last].until = s.until
		}
	}
	return Range{list}
}

// Intersect has what both ranges have.
func (r Range) Intersect(o Range) Range {
	var common []interval
	for i, j := 0, 0; i < len(r.spans) && j < len(o.spans); {
		a, b := r.spans[i], o.spans[j]
		s := a
		if semver.Compare(b.from, a.from) > 0 {
			s.from = b.from
		}
		if ascending(b.until, a.until) < 0 {
			s.until = b.until
		}
		if below(s.from, s.until) {
			common = append(common, s)
		}
		if ascending(a.until, b.until) < 0 {
			i++
		} else {
			j++
		}
	}
	return Range{common}
}

// Within says whether every version of the range is in o, too.
func (r Range) Within(o Range) bool { return slices.Equal(r.Intersect(o).spans, r.spans) }

// Exact is the only version of a range of one; else empty.
func (r Range) Exact() string {
	if len(r.spans) == 1 && r.spans[0].until == after(r.spans[0].from) {
		return r.spans[0].from
	}
	return ""
}

// First is the lowest version of each part that stands apart, in order: its release
// where the part has it.
func (r Range) First() []string {
	var list []string
	for _, s := range r.spans {
		v := release(s.from)
		if !r.Has(v) {
			v = s.from
		}
		list = append(list, v)
	}
	return list
}

// Names says whether the version stands alone in the range, apart from the others.
func (r Range) Names(version string) bool {
	return slices.Contains(r.spans, interval{semver.Canonical(version), after(semver.Canonical(version))})
}

// Nearest is the bound of the range that is closest to a version outside of
// it, as people say it: the release that the range begins with, or the last
// line below its end. Empty for an empty range.
func (r Range) Nearest(version string) string {
	best := ""
	for _, s := range r.spans {
		if semver.Compare(version, s.from) < 0 {
			best = cmp.Or(best, release(s.from))
			break
		}
		if s.until != "" {
			best = lastBelow(s.until)
		}
	}
	return best
}

// release is a version without the "-0" that stands for "its pre-releases too".
func release(v string) string { return strings.TrimSuffix(v, "-0") }

// lastBelow names the versions right below an upper bound: "v1.30.x" below
// v1.31.0, "v1.30.2" below v1.30.3, "v1.x" below v2.0.0.
func lastBelow(until string) string {
	n := numbersOf(until)
	switch {
	case semver.Prerelease(until) != "-0":
		return strings.TrimSuffix(until, ".0")
	case n[2] > 0:
		n[2]--
		return versionOf(n)
	case n[1] > 0:
		return fmt.Sprintf("v%d.%d.x", n[0], n[1]-1)
	case n[0] > 0:
		return fmt.Sprintf("v%d.x", n[0]-1)
	}
	return first
}

// String writes the range so that ParseRange reads the same: "v1.27.x - v1.30.x".
func (r Range) String() string {
	parts := lists.Of(r.spans, interval.String)
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " || ")
}

func (s interval) String() string {
	n := numbersOf(s.from)
	line := semver.Prerelease(s.from) == "-0"
	switch {
	case s.from == first && s.until == "":
		return "*"
	case s.until == after(s.from):
		return s.from
	case s.from == first:
		return "<" + bound(s.until)
	case s.until == "":
		return ">=" + s.from
	case line && n[2] == 0 && s.until == lowest([3]uint64{n[0], n[1] + 1, 0}):
		return fmt.Sprintf("v%d.%d.x", n[0], n[1])
	case line && n[1] == 0 && n[2] == 0 && s.until == lowest([3]uint64{n[0] + 1, 0, 0}):
		return fmt.Sprintf("v%d.x", n[0])
	case line && n[1] == 0 && n[2] == 0 && strings.Count(lastBelow(s.until), ".") == 1:
		return fmt.Sprintf("v%d.x - %s", n[0], lastBelow(s.until))
	case line && n[2] == 0 && strings.HasSuffix(lastBelow(s.until), ".x"):
		return fmt.Sprintf("v%d.%d.x - %s", n[0], n[1], lastBelow(s.until))
	}
	return ">=" + s.from + " <" + bound(s.until)
}

// bound is an upper bound as it is written behind "<".
func bound(until string) string {
	if semver.Prerelease(until) == "-0" {
		return release(until)
	}
	return until
}

// Split cuts all versions at every bound of the ranges: between two cuts, each
// range has all versions or none. The parts are in ascending order.
func Split(ranges ...Range) []Range {
	cuts := []string{first}
	for _, r := range ranges {
		for _, s := range r.spans {
			cuts = append(cuts, s.from)
			if s.until != "" {
				cuts = append(cuts, s.until)
			}
		}
	}
	slices.SortFunc(cuts, semver.Compare)
	cuts = slices.Compact(cuts)
	parts := make([]Range, 0, len(cuts))
	for i, from := range cuts {
		s := interval{from: from}
		if i+1 < len(cuts) {
			s.until = cuts[i+1]
		}
		parts = append(parts, Range{[]interval{s}})
	}
	return parts
}

// Member is a version of the range: the lowest release in it, or the lowest
// pre-release when it has no release; empty for an empty range.
func (r Range) Member() string {
	member := ""
	for _, s := range r.spans {
		v := versionOf(numbersOf(s.from))
		if below(v, s.until) {
			return v
		}
		member = cmp.Or(member, s.from)
	}
	return member
}
