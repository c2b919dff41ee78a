package names

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source"
)

// Versions finds out which groups a text names in versions that rules are about. It is for
// groups that stay the same in every rule.
type Versions struct {
	finders []*source.Finder // one for groups with dots, one for single words
	groups  map[string][]spelling
}

// A spelling is one of a group. It may have its version behind it, or else somewhere in the
// same object.
type spelling struct {
	group  string
	behind bool
}

// Versions are those of some groups.
func (n *Names) Versions(groups []string) *Versions {
	v := &Versions{groups: map[string][]spelling{}}
	var lists [2][]string
	for _, g := range groups {
		for _, s := range []struct {
			list   []string
			behind bool
		}{{n.apart(g), false}, {behind(g), true}} {
			i := 0
			if !strings.Contains(g, ".") {
				i = 1
			}
			for _, x := range s.list {
				lists[i] = append(lists[i], x)
				v.groups[x] = append(v.groups[x], spelling{g, s.behind})
			}
		}
	}
	for _, list := range lists {
		v.finders = append(v.finders, source.NewFinder(list))
	}
	return v
}

// In calls named for each version that a text has behind a group, "" for one that is filled
// in, until that returns true; at is where the group begins. It returns the groups that the
// text names without a version.
func (v *Versions) In(b []byte, named func(group, version string, at int) bool) (apart []string, stopped bool) {
	for _, f := range v.finders {
		for at := 0; ; {
			i, needle := f.Index(b, at)
			if i < 0 {
				break
			}
			at = i + len(needle)
			if i > 0 && isLabel(needle[0]) && (isLabel(b[i-1]) || b[i-1] == '-') {
				continue
			}
			for _, s := range v.groups[needle] {
				version, has := versionAt(b[at:], needle)
				switch {
				case has && s.behind && named(s.group, version, i):
					return nil, true
				case !has && !slices.Contains(apart, s.group):
					apart = append(apart, s.group)
				}
			}
		}
	}
	return apart, false
}

// versionAt is the version behind a spelling of a group, "" where it is filled in.
func versionAt(b []byte, spelled string) (version string, ok bool) {
	if strings.HasSuffix(spelled, "/v") {
		return "v" + string(wordAt(b)), true
	}
	rest, slash := bytes.CutPrefix(b, []byte("/"))
	if word := wordAt(rest); isVersion(word) {
		return string(word), true
	}
	return "", slash && len(rest) > 0 && strings.IndexByte("{$%<*(\"'`", rest[0]) >= 0
}

// wordAt is the word that a text begins with.
func wordAt(b []byte) []byte {
	end := 0
	for end < len(b) && isLabel(b[end]) {
		end++
	}
	return b[:end]
}
