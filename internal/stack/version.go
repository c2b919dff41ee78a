package stack

import (
	"strings"

	"golang.org/x/mod/semver"
)

// placeholder stands in schemes for a version without its leading "v".
const placeholder = "{version}"

// IsVersion says whether v is a semantic version as releases of the stack are
// written: "v", MAJOR.MINOR.PATCH, optional pre-release and build. Unlike
// semver.IsValid it refuses the short forms "v1" and "v1.2".
// Source: Semantic Versioning 2.0.0.
func IsVersion(v string) bool {
	if !semver.IsValid(v) {
		return false
	}
	core, _, _ := strings.Cut(strings.TrimSuffix(v, semver.Build(v)), "-")
	return strings.Count(core, ".") == 2
}

// format writes a version, "v1.2.0" or "1.2.0", in a scheme.
func format(scheme, version string) string {
	return strings.Replace(scheme, placeholder, bare(version), 1)
}

// bare cuts a leading "v".
func bare(version string) string { return strings.TrimPrefix(version, "v") }

// parse reads a text that was written in a scheme: the version with its
// leading "v". A text that does not follow the scheme is not ok.
func parse(scheme, text string) (string, bool) {
	prefix, suffix, _ := strings.Cut(scheme, placeholder)
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, suffix)
	if !ok || rest == "" {
		return "", false
	}
	return "v" + rest, true
}

// spelled finds the scheme that a text is written in, and the version in it.
// The longest literal part wins, so that "release-v{version}" goes before
// "{version}". A text in none of the schemes is its own version, and keeps
// the first scheme.
func spelled(schemes []string, text string) (version, scheme string) {
	best := -1
	for _, s := range schemes {
		if v, ok := parse(s, text); ok && len(s) > best {
			best, version, scheme = len(s), v, s
		}
	}
	if best < 0 {
		return text, schemes[0]
	}
	return version, scheme
}
