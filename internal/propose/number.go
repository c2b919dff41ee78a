package propose

import (
	"fmt"
	"slices"
	"strings"

	masterminds "github.com/Masterminds/semver/v3"
	"golang.org/x/mod/semver"
)

// next is the version after the last one, and why in one line.
func (t tags) next(level Level, q question, why string) (version, reason string) {
	last := t.top
	if level == Nothing && t.pre == "" {
		return last, why
	}
	core := last
	switch {
	case q.Line != "":
		if level > Patch {
			why = "a fix by its branch, though there is more: " + why
		}
		core, why = bump(last, Patch), "patch: "+why
	case last == "":
		core = coreOf(t.pre)
	case semver.Major(last) == "v0" && level == Major:
		core, why = bump(last, Minor), "minor, since v0 breaks with it: "+why
	case level > Nothing:
		core, why = bump(last, level), level.String()+": "+why
	}
	if low := coreOf(t.pre); t.pre != "" && semver.Compare(core, low) <= 0 {
		core, why = low, fmt.Sprintf("after %s: %s", t.pre, why)
	}
	return pre(core, q.Pre, t.all), why
}

// bump is the version that follows by a level.
func bump(version string, level Level) string {
	v := masterminds.MustParse(coreOf(version)) // a version that IsVersion has seen
	switch level {
	case Major:
		return "v" + v.IncMajor().String()
	case Minor:
		return "v" + v.IncMinor().String()
	case Patch:
		return "v" + v.IncPatch().String()
	}
	return version
}

// coreOf is a version without its pre-release; empty stays empty.
func coreOf(version string) string { return strings.TrimSuffix(version, semver.Prerelease(version)) }

// pre is the next pre-release of a version, "v1.2.0-rc.2" after "v1.2.0-rc.1";
// the version itself when no name is given.
func pre(version, name string, all []string) string {
	if name == "" {
		return version
	}
	for n := 1; ; n++ {
		v := fmt.Sprintf("%s-%s.%d", version, name, n)
		if !slices.ContainsFunc(all, func(x string) bool {
			return coreOf(x) == version && semver.Compare(x, v) >= 0 && semver.Prerelease(x) != "" && sameName(x, name)
		}) {
			return v
		}
	}
}

// sameName says whether a pre-release is one of a name: "rc" of "-rc.1".
func sameName(version, name string) bool {
	got, _, _ := strings.Cut(strings.TrimPrefix(semver.Prerelease(version), "-"), ".")
	return got == name
}
