package olm

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestReleaseConfig(t *testing.T) {
	const csv = "kind: ClusterServiceVersion\nmetadata: {name: orchard-operator.v0.1.0}\n"
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, test := range map[string]struct {
		catalog   fstest.MapFS
		templates []Template
		replaces  string
		want      string // the file; empty = none
		err       string
	}{
		"replaces mode":        {fstest.MapFS{"ci.yaml": file("updateGraph: replaces-mode\n")}, nil, "0.1.0", "", ""},
		"a new package":        {fstest.MapFS{}, nil, "", "", ""},
		"file-based, no model": {fstest.MapFS{"ci.yaml": file("fbc:\n  enabled: true\n")}, nil, "0.1.0", "", "no release-config.yaml to go by"},
		"as the one before": {
			fstest.MapFS{"0.1.0/release-config.yaml": file("---\n# ours\ncatalog_templates:\n  - template_name: basic.yaml\n    channels: [alpha]\n    replaces: \"orchard-operator.v0.0.9\" # before\n  - template_name: semver.yaml\n    channels: [Stable]\n")},
			nil, "0.1.0",
			"---\n# ours\ncatalog_templates:\n  - template_name: basic.yaml\n    channels: [alpha]\n    replaces: \"orchard-operator.v0.1.0\" # before\n  - template_name: semver.yaml\n    channels: [Stable]\n", ""},
		"declared": {
			fstest.MapFS{"ci.yaml": file("fbc: {enabled: true}\n")},
			[]Template{{Name: "v4.18.yaml", Channels: []string{"alpha", "stable"}}, {Name: "semver.yaml", Channels: []string{"Stable"}, Semver: true}}, "0.1.0",
			"---\ncatalog_templates:\n  - template_name: v4.18.yaml\n    channels: [alpha, stable]\n    replaces: orchard-operator.v0.1.0\n  - template_name: semver.yaml\n    channels: [Stable]\n", ""},
		"channels that YAML would read as something else": {
			fstest.MapFS{"ci.yaml": file("fbc: {enabled: true}\n")},
			[]Template{{Name: "v4.20.yaml", Channels: []string{"4.20", "on"}}}, "0.1.0",
			"---\ncatalog_templates:\n  - template_name: v4.20.yaml\n    channels: [\"4.20\", \"on\"]\n    replaces: orchard-operator.v0.1.0\n", ""},
		"empty model": {fstest.MapFS{"0.1.0/release-config.yaml": file("{}\n")}, nil, "0.1.0", "", "names no catalog_templates"},
	} {
		if test.replaces != "" {
			test.catalog[test.replaces+"/manifests/x.yaml"] = file(csv)
		}
		c, err := ReadPackage(test.catalog)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.ReleaseConfig("orchard-operator", test.templates, c.Replaced("0.2.0", nil))
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// What is replaced is the head of the channels that the bundle goes into; a
// version of a channel that no one follows, and what is higher, is none.
func TestReplaced(t *testing.T) {
	catalog := fstest.MapFS{}
	add := func(version, replaces, channels string) {
		catalog[version+"/manifests/x.yaml"] = &fstest.MapFile{Data: []byte("kind: ClusterServiceVersion\nmetadata: {name: fan.v" + version + "}\nspec: {version: " + version + ", replaces: " + replaces + "}\n")}
		catalog[version+"/metadata/annotations.yaml"] = &fstest.MapFile{Data: []byte("annotations: {operators.operatorframework.io.bundle.channels.v1: '" + channels + "'}\n")}
	}
	add("1.0.0", `""`, "stable")
	add("1.1.0", "fan.v1.0.0", "stable,fast")
	add("1.2.0-rc.1", "fan.v1.1.0", "fast")
	add("1.3.0", "fan.v1.1.0", "stable")
	catalog["1.2.5/README.md"] = &fstest.MapFile{Data: []byte("no bundle\n")}
	c, err := ReadPackage(catalog)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ version, channels, want string }{
		{"1.2.0", "stable", "1.1.0"}, // not the candidate of the other channel
		{"1.2.0", "fast", "1.2.0-rc.1"},
		{"1.4.0", "stable", "1.3.0"},
		{"1.0.1", "stable-1.0", "1.0.0"}, // a channel of its own
		{"0.9.0", "stable", ""},
	} {
		if got := c.Replaced(test.version, splitChannels(test.channels)).Version(); got != test.want {
			t.Errorf("%s in %s replaces %q, want %q", test.version, test.channels, got, test.want)
		}
	}
	if got := strings.Join(c.Versions(), " "); got != "1.0.0 1.1.0 1.2.0-rc.1 1.3.0" {
		t.Error(got)
	}
}

// TestChannelsOfMakefile: the channels are what make would take, and an error where that is not known.
func TestChannelsOfMakefile(t *testing.T) {
	for makefile, want := range map[string]string{
		"":                        "alpha",
		"# CHANNELS = \"beta\"\n": "alpha",
		"CHANNELS ?= \"beta,$(X)\"\nX = stable\nCHANNELS := \"beta,stable\"\n": "beta stable",
		"CHANNELS ?= \"beta,$(X)\"\nX = stable\n":                              "beta stable",
		"CHANNELS = $(shell x)\n":                                              `Makefile:1: only make knows what CHANNELS is: "$(shell x)"`,
		"ifeq (a,b)\nCHANNELS = a\nelse\nCHANNELS = b\nendif\n":                `Makefile:4: only make knows what CHANNELS is: "b"`,
	} {
		list, err := Channels(fstest.MapFS{"Makefile": {Data: []byte(makefile)}})
		got := strings.Join(list, " ")
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != want {
			t.Errorf("%q: %s, want %s", makefile, got, want)
		}
	}
}
