package stack

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/strict"
)

// searched is a stack of three components that files know by different names.
func searched(t *testing.T) *Stack {
	t.Helper()
	s := &Stack{Root: "app", Components: []Component{
		{Name: "app", Repository: "acme/app", Image: Image{Repository: "quay.io/acme/app"}},
		{Name: "lib", Title: "The Lib", Repository: "acme/lib", Module: Module{Path: "example.com/lib"}, Image: Image{Repository: "quay.io/acme/lib"}},
		{Name: "web-ui", Repository: "acme/web-ui"},
	}}
	if err := s.Complete(""); err != nil {
		t.Fatal(err)
	}
	return s
}

// Each kind of file is found by, reads its versions with, and is declared by, a
// place: component version text evidence of each sighting.
func TestSearch(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"go.mod", "module example.com/app\nrequire (\n\texample.com/lib v1.2.3\n\texample.com/other v1.9.9\n)\nreplace example.com/lib => example.com/fork v1.2.2\n", "lib go-require v1.2.3; lib go-replace v1.2.2"},
		{"tools/go.mod", "module x\nrequire github.com/acme/web-ui/v2 v2.0.1\n", "web-ui go-require v2.0.1"},
		{"go.mod", "module x\nrequire github.com/other/web-ui/api v1.0.0\n", "web-ui go-require v1.0.0"},
		{"crds/kustomization.yaml", "resources:\n- https://github.com/other/web-ui/releases/download/v1.0.0/crds.yaml\n", "web-ui pattern v1.0.0"},
		{"Makefile", "LIB_VERSION ?= v1.2.3 # of lib\nWEBUI_TAG=1.0.0\nOTHER_VERSION = v1.0.0\nVERSION := 3.0.0\nIMG ?= quay.io/acme/app:v3.0.0\n", "app make-var v3.0.0; app make-var v3.0.0; lib make-var v1.2.3; web-ui make-var v1.0.0"},
		{"config/kustomization.yaml", "resources:\n- github.com/acme/lib/config?ref=v1.2.3\nimages:\n- name: controller\n  newName: quay.io/acme/app\n  newTag: v3.0.0\n", "app kustomize-image v3.0.0; lib kustomize-ref v1.2.3"},
		{"charts/app/Chart.yaml", "name: app\nversion: 3.0.0\nappVersion: \"v3.0.0\"\ndependencies:\n- name: web-ui\n  version: 1.0.0\n", "app yaml v3.0.0; app yaml v3.0.0; web-ui yaml v1.0.0"},
		{"charts/app/Chart.yaml", "name: app\nversion: 4.1.7\nappVersion: 3.0.0\n", "app yaml v3.0.0"},
		{"charts/app/values.yaml", "image:\n  registry: quay.io\n  repository: acme/lib\n  tag: v1.2.3\nsidecar: quay.io/acme/app:v3.0.0\nlibVersion: 1.2.3\nversion: 5.5.5\n", "app yaml v3.0.0; lib yaml v1.2.3; lib yaml v1.2.3"},
		{"Dockerfile", "ARG LIB_VERSION=1.2.3\nFROM quay.io/acme/app:v3.0.0 AS base\n", "app dockerfile-from v3.0.0; lib dockerfile-arg v1.2.3"},
		{".github/workflows/a.yml", "env:\n  LIB_VERSION: v1.2.3\njobs:\n  a:\n    steps:\n    - uses: acme/web-ui@v1.0.0\n    - run: curl -L https://github.com/acme/lib/releases/download/v1.2.3/x.yaml\n", "lib yaml v1.2.3; lib pattern v1.2.3; web-ui pattern v1.0.0"},
		{".tekton/push.yaml", "spec:\n  params:\n  - name: lib-version\n    value: v1.2.3\n  - name: output-image\n    value: quay.io/acme/app:v3.0.0@sha256:00\n", "app yaml v3.0.0; lib yaml v1.2.3"},
		{"requirements-dev.txt", "web_ui==1.0.0  # the page\nlib[all]~=1.2.3\nother>=1.0\n", "lib pattern v1.2.3; web-ui pattern v1.0.0"},
		{"pyproject.toml", "[project]\nname = \"app\"\nversion = \"3.0.0\"\ndependencies = [\"lib==1.2.3\"]\n[tool.poetry.dependencies]\nweb-ui = \"^1.0.0\"\n", "app pattern v3.0.0; lib pattern v1.2.3; web-ui pattern v1.0.0"},
		{"package.json", "{\"name\": \"app\", \"version\": \"3.0.0\", \"dependencies\": {\"web-ui\": \"^1.0.0\"}}", "app yaml v3.0.0; web-ui yaml v1.0.0"},
		{"params.env", "lib-image=quay.io/acme/lib:v1.2.3\n", "lib properties v1.2.3"},
		{"VERSION", "v3.0.0\n", "app pattern v3.0.0"},
		{"docs/install.md", "kubectl apply -f https://raw.githubusercontent.com/acme/lib/v1.2.3/x.yaml\ndocker run quay.io/acme/app:v3.0.0-rc.1\n", "app pattern v3.0.0-rc.1; lib pattern v1.2.3"},
		{"api/versions.go", "package api\n\nconst (\n\tDefaultLibVersion   = \"1.2.3\"\n\twebuiVersion string = \"v1.0.0\"\n\tOther               = \"1.0.0\"\n)\n", "lib pattern v1.2.3; web-ui pattern v1.0.0"},
		{"api/versions_test.go", "package api\n\nconst LibVersion = \"1.2.3\"\n", ""},
		{"a.yaml", "image: ghcr.io/acme/app/pgbouncer:v3.0.0\nother: ghcr.io/app/proxy:v1.0.0\n", "app pattern v3.0.0"},
		{"charts/app-ui/Chart.yaml", "name: app-ui\nversion: 3.0.0\nappVersion: 3.0.0\ndependencies:\n- name: app-db\n  version: 1.0.0\n", "app yaml v3.0.0; app yaml v3.0.0"},
		{"docs/releases.md", "https://github.com/acme/lib/releases/tag/v1.2.3\nhttps://github.com/acme/lib/releases/tag/v1.2.2\n", ""},
		{"vendor/example.com/lib/VERSION", "v1.2.3\n", ""},
		{"Makefile", "LIB_VERSION = v0.0.0-dev\nUI = 1.0.0\n", ""},
	} {
		tree := fstest.MapFS{c.file: {Data: []byte(c.text)}}
		s := searched(t)
		v, err := s.Search(tree)
		if err != nil || len(v.Unread) > 0 {
			t.Fatal(c.file, err, v.Unread)
		}
		var got []string
		for _, f := range v.found {
			got = append(got, f.Component.Name+" "+f.place.Kind+" "+f.Version)
			if f.Evidence == "" || c.text[f.span.Start:f.span.End] != f.Text {
				t.Errorf("%s: %+v", c.file, f)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.file, strings.Join(got, "; "), c.want)
		}
	}
}

// An image in the values of a chart has the version of the application.
func TestSearchKnowsTheImagesOfAChart(t *testing.T) {
	s := searched(t)
	v, err := s.Search(fstest.MapFS{
		"charts/web-ui/Chart.yaml":  {Data: []byte("name: web-ui\nversion: 0.1.0\nappVersion: 1.0.0\n")},
		"charts/web-ui/values.yaml": {Data: []byte("image: {repository: acme/frontend, tag: 1.0.0}\nsidecar: {repository: acme/proxy, tag: 2.0.0}\n")},
	})
	if err != nil || len(v.found) != 2 || v.found[1].Component.Name != "web-ui" || v.found[1].place.Key != "image.tag" {
		t.Errorf("%+v %v", v.found, err)
	}
}

// What is declared is not undeclared, what no file tells is said, and a file
// that does not parse is not silently without versions.
func TestSearchSaysWhatIsMissing(t *testing.T) {
	s := searched(t)
	s.Places = []Place{{Component: "lib", Kind: "make-var", Key: "LIB_VERSION"}}
	if err := s.Complete(""); err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{
		"Makefile":   {Data: []byte("LIB_VERSION = v1.2.3\n")},
		"install.sh": {Data: []byte("docker run quay.io/acme/lib:v1.2.3\n")},
		"go.mod":     {Data: []byte("module\n")},
	}
	v, err := s.Search(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Missing) != 2 || v.Missing[0].Name != "app" || v.Missing[1].Name != "web-ui" || len(v.Unread) != 1 {
		t.Errorf("missing %v, unread %v", v.Missing, v.Unread)
	}
	left, err := s.Undeclared(tree, v, "")
	if err != nil || len(left) != 1 || left[0].Path != "install.sh" {
		t.Fatalf("%+v %v", left, err)
	}
	want := `{component: lib, kind: pattern, path: "install.sh", key: "(?:^|[^A-Za-z0-9./-])quay\\.io/acme/lib:([A-Za-z-]*v?[0-9]+\\.[0-9]+\\.[0-9]+(?:-[0-9A-Za-z]+(?:\\.[0-9]+)*)?)"}`
	if got := left[0].Declaration(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Sightings that say another version than the component has are set aside: than the
// table says, where a sure one says so, too, else than most of what is sure says. Where
// the table is silent, only weak ones are.
func TestSettle(t *testing.T) {
	s := searched(t)
	tree := fstest.MapFS{
		"go.mod":                    {Data: []byte("module x\nrequire example.com/lib v1.2.3\n")},
		"Makefile":                  {Data: []byte("LIB_VERSION = 1.0.0\nWEB_UI_VERSION = v1.1.0\nVERSION = 0.0.1\n")},
		"deploy/ui.yaml":            {Data: []byte("image: quay.io/other/web-ui:v7.0.0\n")},
		"CHANGELOG.md":              {Data: []byte("quay.io/acme/lib:v1.2.3\n")},
		"docs/v1.0.0/install.md":    {Data: []byte("quay.io/acme/lib:v1.2.3\n")},
		"docs/install.md":           {Data: []byte("quay.io/acme/lib:v1.2.3 https://github.com/acme/lib/blob/v1.2.3/README.md\n")},
		"hack/install.sh":           {Data: []byte("WEB_UI_VERSION=v1.1.0\n")},
		"hack/reproduce.sh":         {Data: []byte("WEB_UI_VERSION=v0.6.0\n")},
		"charts/x/ci/values-a.yaml": {Data: []byte("lib: {tag: 9.9.9}\n")},
	}
	v, err := s.Search(tree)
	if err != nil {
		t.Fatal(err)
	}
	list := func(found []Sighting) string {
		var names []string
		for _, f := range found {
			names = append(names, f.Component.Name+" "+f.Version+" "+f.Path)
		}
		return strings.Join(names, ", ")
	}
	for now, want := range map[string]string{
		"v1.0.0": "lib v1.0.0 Makefile",
		"v1.2.3": "lib v1.2.3 docs/install.md, lib v1.2.3 go.mod",
		"v9.0.0": "lib v1.2.3 docs/install.md, lib v1.2.3 go.mod", // the table is behind
	} {
		w := *v
		w.Settle(map[string]string{"lib": now})
		if got := list(w.Of(&s.Components[1])); got != want {
			t.Errorf("%s: got %s, want %s", now, got, want)
		}
	}
	v.Settle(map[string]string{"web-ui": "v1.1.0"})
	if got, want := list(v.found), "lib v1.0.0 Makefile, lib v1.2.3 docs/install.md, lib v1.2.3 go.mod, web-ui v1.1.0 Makefile, web-ui v1.1.0 hack/install.sh"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := list(v.Others), "web-ui v7.0.0 deploy/ui.yaml, web-ui v0.6.0 hack/reproduce.sh"; got != want {
		t.Errorf("set aside %s\nwant      %s", got, want)
	}
}

// What is declared of files and titles with odd names is read as it was said; YAML has no bytes, so that what is no UTF-8 is U+FFFD.
func TestDeclarationsAreReadAgain(t *testing.T) {
	for _, odd := range []string{`a "b" \c`, "del\x7f", "line\u2028end", "tab\tand: # {x}", "a\xffb", "\U000e0001"} {
		want := strings.ToValidUTF8(odd, "\ufffd")
		var p Place
		said := Sighting{place: Place{Component: "lib", Kind: "key", Path: odd, Key: odd, Named: odd, Forms: []string{odd}}}.Declaration()
		if err := strict.Decode("x", []byte(said), &p); err != nil || p.Path != want || p.Key != want || p.Named != want || p.Forms[0] != want {
			t.Errorf("%q: %v: %s", odd, err, said)
		}
		r := Recognised{Stack: &Stack{Root: "a", Table: Table{Path: odd, Release: odd, Under: odd, Columns: []Column{{Component: odd, Header: odd}}},
			Components: []Component{{Name: odd, Title: odd + "!", Repository: odd}}}}
		var doc struct {
			Stack struct {
				Root       string
				Tables     []map[string]any
				Components []map[string]string
			}
		}
		if err := strict.Decode("x", []byte(r.Declaration()), &doc); err != nil {
			t.Errorf("%q: %v\n%s", odd, err, r.Declaration())
			continue
		}
		table, component := doc.Stack.Tables[0], doc.Stack.Components[0]
		column := table["columns"].([]any)[0].(map[string]any)
		for _, got := range []any{table["path"], table["release"], table["under"], column["component"], column["header"], component["name"], component["repository"]} {
			if got != want {
				t.Errorf("%q is read as %q", odd, got)
			}
		}
		if component["title"] != want+"!" {
			t.Errorf("%q is read as %q", odd, component["title"])
		}
	}
}
