package release

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestReleaseConfig(t *testing.T) {
	const folder = "operators/orchard-operator/"
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, test := range map[string]struct {
		catalog   fstest.MapFS
		templates []Template
		replaces  string
		want      string // the file; empty = none
		err       string
	}{
		"replaces mode":        {fstest.MapFS{folder + "ci.yaml": file("updateGraph: replaces-mode\n")}, nil, "0.1.0", "", ""},
		"a new package":        {fstest.MapFS{}, nil, "", "", ""},
		"file-based, no model": {fstest.MapFS{folder + "ci.yaml": file("fbc:\n  enabled: true\n")}, nil, "0.1.0", "", "no release-config.yaml to go by"},
		"as the one before": {
			fstest.MapFS{folder + "0.1.0/release-config.yaml": file("---\n# ours\ncatalog_templates:\n  - template_name: basic.yaml\n    channels: [alpha]\n    replaces: \"orchard-operator.v0.0.9\" # before\n  - template_name: semver.yaml\n    channels: [Stable]\n")},
			nil, "0.1.0",
			"---\n# ours\ncatalog_templates:\n  - template_name: basic.yaml\n    channels: [alpha]\n    replaces: \"orchard-operator.v0.1.0\" # before\n  - template_name: semver.yaml\n    channels: [Stable]\n", ""},
		"declared": {
			fstest.MapFS{folder + "ci.yaml": file("fbc: {enabled: true}\n")},
			[]Template{{Name: "v4.18.yaml", Channels: []string{"alpha", "stable"}}, {Name: "semver.yaml", Channels: []string{"Stable"}, Semver: true}}, "0.1.0",
			"---\ncatalog_templates:\n  - template_name: v4.18.yaml\n    channels: [alpha, stable]\n    replaces: orchard-operator.v0.1.0\n  - template_name: semver.yaml\n    channels: [Stable]\n", ""},
		"empty model": {fstest.MapFS{folder + "0.1.0/release-config.yaml": file("{}\n")}, nil, "0.1.0", "", "names no catalog_templates"},
	} {
		train := &Train{Recipe: &Recipe{Catalog: &Catalog{Path: "operators/orchard-operator", Package: "orchard-operator", Templates: test.templates}}}
		files := map[string][]byte{}
		err := train.addReleaseConfig(test.catalog, files, test.replaces)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || string(files[releaseConfigName]) != test.want {
			t.Errorf("%s: %v\n%s", name, err, files[releaseConfigName])
		}
	}
}
