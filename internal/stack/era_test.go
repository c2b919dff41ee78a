package stack

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/strict"
)

func stackFrom(t testing.TB, text string) (*Stack, error) {
	t.Helper()
	s := &Stack{}
	if err := strict.Decode("c", []byte(text), s); err != nil {
		t.Fatal(err)
	}
	return s, s.Complete("c")
}

// The tags of a component may have had another scheme; a tag in the scheme of
// another era is no release.
func TestErasOfTags(t *testing.T) {
	s, err := stackFrom(t, "root: a\ncomponents: [{name: a, tag: \"{version}\", reason: x, tags: [{scheme: \"v{version}\", until: v0.35.0}, {scheme: \"release-{version}\", from: v2.0.0}]}, {name: cal, tag: \"{YYYY}.{0M}.{patch}\", reason: x}]\n")
	if err != nil {
		t.Fatal(err)
	}
	a, cal := &s.Components[0], &s.Components[1]
	for version, tag := range map[string]string{"v0.34.9": "v0.34.9", "v0.35.0": "0.35.0", "v1.9.0": "1.9.0", "v2.0.0": "release-2.0.0"} {
		if got := a.TagOf(version); got != tag {
			t.Errorf("%s: %s, want %s", version, got, tag)
		}
		if got, ok := a.VersionOfTag(tag); !ok || got != version {
			t.Errorf("%s: %s, %v", tag, got, ok)
		}
	}
	for _, tag := range []string{"0.34.9", "v0.35.0", "2.0.0", "release-1.0.0", "nightly"} {
		if got, ok := a.VersionOfTag(tag); ok {
			t.Errorf("%s is %s", tag, got)
		}
	}
	if v, ok := cal.VersionOfTag("2024.03.1"); !ok || v != "v2024.3.1" || cal.TagOf(v) != "2024.03.1" {
		t.Error(v, ok)
	}
	for text, want := range map[string]string{
		"root: a\ncomponents: [{name: a, tags: [{scheme: x, from: v1.0.0}]}]":              "tags: scheme",
		"root: a\ncomponents: [{name: a, tags: [{scheme: \"{version}\"}]}]":                "needs from or until",
		"root: a\ncomponents: [{name: a, tags: [{scheme: \"{version}\", from: \"1.0\"}]}]": "not a semantic version",
	} {
		if _, err := stackFrom(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Versions may be branches and commits, or those of a calendar.
func TestOtherVersions(t *testing.T) {
	s, err := stackFrom(t, `root: a
components: [{name: a}, {name: lib, refs: true}, {name: cal, tag: "{YYYY}.{0M}.{patch}", reason: x}]
places:
  - {component: lib, kind: properties, path: f, key: LIB, forms: ["v{version}", "{version}"]}
  - {component: cal, kind: properties, path: f, key: CAL}
`)
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"f": {Data: []byte("LIB=main\nCAL=2024.03.1\n")}}
	for i, c := range []struct{ version, set, to string }{{"main", "0a1b2c3", "0a1b2c3"}, {"v2024.3.1", "v2024.11.0", "2024.11.0"}} {
		matches, err := s.Places[i].Find(tree)
		if err != nil || len(matches) != 1 || matches[0].Version != c.version || matches[0].Spell(c.set) != c.to {
			t.Errorf("%s: %+v, %v", s.Places[i].Kind, matches, err)
		}
	}
}
