package names

import (
	"bytes"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source/find"
)

// Versions finds out which groups a text names in versions that rules are about. It is for
// groups that stay the same in every rule.
type Versions struct {
	finders []*find.Finder        // one for groups with dots, one for single words
	groups  map[string][]spelling // by what a finder finds, which is all or a part of them
}

// A spelling is one of a group. It may have its version behind it, or else somewhere in the
// same object.
type spelling struct {
	group  string
	text   string
	behind bool
}

// Versions are those of some groups.
func (n *Names) Versions(groups []string) *Versions {
	v := &Versions{groups: map[string][]spelling{}}
	var all []spelling
	var lists [2][]string
	for _, g := range groups {
		for _, s := range []struct {
			list   []string
			behind bool
		}{{n.apart(g), false}, {Spellings(g), true}} {
			i := 0
			if !strings.Contains(g, ".") {
				i = 1
			}
			for _, x := range s.list {
				lists[i] = append(lists[i], x)
				all = append(all, spelling{g, x, s.behind})
			}
		}
	}
	for _, list := range lists {
		f := find.New(list)
		v.finders = append(v.finders, f)
		for _, needle := range f.Needles() { // authorization.k8s.io is in rbac.authorization.k8s.io
			for _, s := range all {
				if strings.Contains(s.text, needle) {
					v.groups[needle] = append(v.groups[needle], s)
				}
			}
		}
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
			for _, s := range v.groups[needle] {
				begin := i - strings.Index(s.text, needle)
				if begin < 0 || !bytes.HasPrefix(b[begin:], []byte(s.text)) || begin > 0 && isLabel(s.text[0]) && (isLabel(b[begin-1]) || b[begin-1] == '-') {
					continue
				}
				version, has := versionAt(b[begin+len(s.text):], s.text)
				switch {
				case has && s.behind && named(s.group, version, begin):
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
	slash = slash || strings.HasSuffix(spelled, "-")
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
