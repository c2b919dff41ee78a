package propose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	case major(last) == 0 && level == Major:
		core, why = bump(last, Minor), "minor, since v0 breaks with it: "+why
	case level > Nothing:
		core, why = bump(last, level), level.String()+": "+why
	}
	if low := coreOf(t.pre); t.pre != "" && semver.Compare(core, low) <= 0 {
		core, why = low, fmt.Sprintf("after %s: %s", t.pre, why)
	}
	return pre(core, q.Pre, t.all), why
}

// bump is the version that follows by a level: its number one higher, those
// behind it 0. Source: Semantic Versioning 2.0.0, 6 to 8.
func bump(version string, level Level) string {
	n := numbers(version)
	switch level {
	case Major:
		n = [3]int{n[0] + 1, 0, 0}
	case Minor:
		n = [3]int{n[0], n[1] + 1, 0}
	case Patch:
		n[2]++
	}
	return fmt.Sprintf("v%d.%d.%d", n[0], n[1], n[2])
}

func numbers(version string) (n [3]int) {
	for i, part := range strings.SplitN(strings.TrimPrefix(coreOf(version), "v"), ".", 3) {
		n[i], _ = strconv.Atoi(part) // a version that IsVersion has seen
	}
	return n
}

func major(version string) int { return numbers(version)[0] }

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
