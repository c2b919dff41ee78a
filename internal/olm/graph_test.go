package olm

import (
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/report"
)

// catalogOf is a catalog of fan-operator: "VERSION CHANNELS [replaces=V] [skips=V]" each.
func catalogOf(t *testing.T, bundles ...string) fstest.MapFS {
	t.Helper()
	tree := fstest.MapFS{}
	for _, b := range bundles {
		version, files := bundleOf(t, b)
		for name, f := range files {
			tree[path.Join("operators/fan-operator", version, name)] = f
		}
	}
	return tree
}

func bundleOf(t *testing.T, words string) (version string, files fstest.MapFS) {
	t.Helper()
	parts := strings.Fields(words)
	graph := ""
	for _, p := range parts[2:] {
		key, v, _ := strings.Cut(p, "=")
		switch key {
		case "replaces":
			graph += "  replaces: fan-operator.v" + v + "\n"
		case "skips":
			graph += "  skips: [fan-operator.v" + v + "]\n"
		}
	}
	files = fstest.MapFS{}
	for name, f := range clean(t) {
		text := strings.ReplaceAll(string(f.Data), "  replaces: fan-operator.v1.1.0\n", graph)
		if strings.Contains(words, " range") {
			text = strings.Replace(text, "    containerImage:", "    olm.skipRange: '<"+parts[0]+"'\n    containerImage:", 1)
		}
		text = strings.ReplaceAll(text, "channels.v1: stable", "channels.v1: "+parts[1])
		files[name] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, "1.2.0", parts[0]))}
	}
	return parts[0], files
}

// TestGraphOfChannels brings bundles to catalogs that OLM takes or refuses with
// them.
func TestGraphOfChannels(t *testing.T) {
	two := []string{"1.0.0 stable", "1.1.0 stable replaces=1.0.0"}
	for name, tt := range map[string]struct {
		catalog    []string
		bundle     string
		want, hint string // empty = nothing is said
	}{
		"the next":                               {two, "1.2.0 stable replaces=1.1.0", "", ""},
		"the first":                              {nil, "1.0.0 stable", "", ""},
		"the first, replacing what is elsewhere": {two, "1.0.1 stable-1.0 replaces=1.0.0", "", ""},
		"a hotfix below the head":                {two, "1.0.1 stable replaces=1.0.0", "more than one head, and OLM refuses it: fan-operator.v1.0.1, fan-operator.v1.1.0", "a separate channel (CHANNELS in the Makefile of its branch; release bundle --channels), or fan-operator.v1.1.0 skips it"},
		"a hotfix in its channel and the head's": {two, "1.0.1 stable-1.0,stable replaces=1.0.0", "channel stable would have more than one head", "--channels"},
		"a hotfix that the head skips":           {[]string{"1.0.0 stable", "1.1.0 stable replaces=1.0.0 skips=1.0.1"}, "1.0.1 stable replaces=1.0.0", "", ""},
		"a fork at the top":                      {two, "1.2.0 stable replaces=1.0.0", "more than one head", "replaces: fan-operator.v1.1.0"},
		"a fork that skips the head":             {two, "1.2.0 stable replaces=1.0.0 skips=1.1.0", "", ""},
		"only skips":                             {two, "1.2.0 stable skips=1.1.0", "no chain of replaces leads from the head fan-operator.v1.2.0 to fan-operator.v1.0.0", "replaces: fan-operator.v1.1.0"},
		"only skips, of all":                     {two[:1], "1.2.0 stable skips=1.0.0", "", ""},
		"only a range":                           {two, "1.2.0 stable range", "more than one head", "replaces: fan-operator.v1.1.0"},
		"nothing":                                {two, "1.2.0 stable", "no installation would be updated", "replaces: fan-operator.v1.1.0"},
		"past one that is not there":             {two, "1.2.0 stable replaces=1.1.5", "which is not in the catalog", "replaces: fan-operator.v1.1.0"},
		"one that was taken long ago":            {append(two, "1.2.0 stable replaces=1.1.0"), "1.1.0 stable replaces=1.0.0", "", ""},
		"two heads that were there":              {append(two, "1.0.5 stable replaces=1.0.0"), "1.2.0 stable replaces=1.1.0", "", ""},
		"a circle":                               {[]string{"1.0.0 stable replaces=1.1.0"}, "1.1.0 stable replaces=1.0.0", "goes in a circle", ""},
	} {
		version, files := bundleOf(t, tt.bundle)
		check := everything(t)
		check.Catalog, check.Dir = catalogOf(t, tt.catalog...), "operators/fan-operator/"+version
		check.Commits = nil
		findings, err := Validate(t.Context(), files, check)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var said []report.Finding
		for _, f := range findings {
			if f.Rule == "replaces-chain" {
				said = append(said, f)
			}
		}
		switch {
		case tt.want == "" && len(said) > 0, tt.want != "" && len(said) != 1:
			t.Errorf("%s: %+v, want %q", name, said, tt.want)
		case tt.want != "" && (!strings.Contains(said[0].Message, tt.want) || !strings.Contains(said[0].Hint, tt.hint) || said[0].Line == 0):
			t.Errorf("%s: %+v, want %q, %q", name, said[0], tt.want, tt.hint)
		}
	}
}

// TestVersionsAreTakenOnce has a bundle of another name with the same version.
func TestVersionsAreTakenOnce(t *testing.T) {
	tree := catalogOf(t, "1.1.0 stable")
	for name, f := range tree {
		text := strings.ReplaceAll(string(f.Data), "fan-operator.v1.1.0", "fan-operator.v1.1.0-old")
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	_, files := bundleOf(t, "1.1.0 other")
	check := Check{Dir: "1.1.0-again", Catalog: tree}
	findings, err := Validate(t.Context(), files, check)
	found := false
	for _, f := range findings {
		found = found || f.Rule == "version-taken" && strings.Contains(f.Message, "version 1.1.0 is in the catalog already")
	}
	if err != nil || !found {
		t.Errorf("%v, %+v", err, findings)
	}
}
