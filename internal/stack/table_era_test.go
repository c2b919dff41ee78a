package stack

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A table has an era as components and places have; a tree of which no release
// is known is the newest.
func TestTableInEra(t *testing.T) {
	table := Table{Path: "OLD.md", From: "v1.0.0", Until: "v2.0.0"}
	for version, want := range map[string]bool{"v0.9.0": false, "v1.0.0": true, "v1.9.0": true, "v2.0.0": false, "": false} {
		if table.InEra(version) != want {
			t.Errorf("%q: %v", version, !want)
		}
	}
	if !(&Table{From: "v1.0.0"}).InEra("") {
		t.Error("the newest table is not that of a tree without a version")
	}
	s := &Stack{Root: "a", Table: Table{Until: "next"}, Components: []Component{{Name: "a"}}}
	if err := s.Complete(""); err == nil || !strings.Contains(err.Error(), `era "next"`) {
		t.Errorf("%v", err)
	}
}

// A scheme without a patch is of the whole line, one with it of the version.
func TestSchemeOfALine(t *testing.T) {
	for _, c := range []struct {
		form, text, has, not string
	}{
		{"CAPV v{major}.{minor}", "CAPV v1.12", "v1.12.7", "v1.13.0"},
		{"v0.{minor}{major=1}", "v0.33", "v1.33.4", "v1.34.0"},
		{"r{major}", "r3", "v3.9.1", "v4.0.0"},
		{"v0.{minor}.{patch}{major=1}", "v0.33.1", "v1.33.1", "v1.33.2"},
		{"release {version}", "release 1.2.3", "v1.2.3", "v1.2.4"},
	} {
		r, err := versions.Read([]byte(c.text), []string{c.form}, source.Span{End: len(c.text)})
		if err != nil || !r.Range.Has(c.has) || r.Range.Has(c.not) {
			t.Errorf("%s in %s: %v, %+v", c.text, c.form, err, r)
		}
	}
}
