package olm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/project-codeflare/cfctl/internal/source"
)

// TestFieldsOfKustomizations lists every field of the type that kustomize
// decodes. One that a newer kustomize adds is not in the list: see whether it
// names folders or repositories, which walk has to follow.
func TestFieldsOfKustomizations(t *testing.T) {
	var lines []string
	seen := map[reflect.Type]int{}
	var list func(field string, of reflect.Type)
	list = func(field string, of reflect.Type) {
		if seen[of] > 1 {
			return
		}
		seen[of]++
		defer func() { seen[of]-- }()
		switch of.Kind() {
		case reflect.String, reflect.Interface:
			lines = append(lines, field)
		case reflect.Pointer:
			list(field, of.Elem())
		case reflect.Slice:
			list(field+"[]", of.Elem())
		case reflect.Map:
			list(field+".*", of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				if f := of.Field(i); f.IsExported() {
					list(fieldName(field, f), f.Type)
				}
			}
		}
	}
	list("", reflect.TypeFor[types.Kustomization]())
	const golden = "testdata/kustomization-fields.txt"
	got := strings.Join(lines, "\n") + "\n"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("kustomize's type has other fields than %s: see what each new one opens, then UPDATE=1\n%s", golden, got)
	}
}

// hostile are names that lead out of the project, or that kustomize would
// bring by itself.
func hostile(outside, server string) []string {
	return []string{
		"../../../" + filepath.Base(outside), outside, "/etc/hostname", "gone.yaml", "./-x",
		"GIT::file:///x?ref=--upload-pack=false", "git::https://github.com/o/n?ref=--upload-pack=false",
		"github.com:o/n?ref=--upload-pack=false", "file://" + outside + "//x?ref=main", "FILE://" + outside,
		"git@github.com:o/n?ref=-x", "git@github.com:o/n?ref=v1", "ssh://git@example.com/o//n?ref=v1", "http://example.com/o//n?ref=v1", "https://me@example.com/o//n?ref=v1", "https://github.com/o/n?ref=-x", "ssh://git@example.com/o/n?ref=--x", "ext::sh -c false% //x?ref=main", "--upload-pack=false //x",
		server + "/x.yaml", strings.ToUpper(server[:4]) + server[4:] + "/x.yaml", "-oProxyCommand=false@host:o/n?ref=main",
	}
}

// fieldTexts are kustomizations with one name in each field that opens something.
var fieldTexts = []string{
	"resources: [%q]", "Resources: [%q]", "components: [%q]", "bases: [%q]", "generators: [%q]", "transformers: [%q]", "validators: [%q]",
	"crds: [%q]", "configurations: [%q]", "openapi: {path: %q}", "patches: [{path: %q}]", "patchesStrategicMerge: [%q]",
	"patchesJson6902: [{path: %q, target: {kind: Deployment, name: a, version: v1}}]", "replacements: [{path: %q}]",
	"configMapGenerator: [{name: a, files: [%q]}]", "configMapGenerator: [{name: a, files: ['k=%s']}]",
	"configMapGenerator: [{name: a, envs: [%q]}]", "configMapGenerator: [{name: a, env: %q}]",
	"secretGenerator: [{name: a, files: [%q]}]", "secretGenerator: [{name: a, envs: [%q]}]", "secretGenerator: [{name: a, env: %q}]",
	"helmCharts: [{name: x, repo: %q}]", "helmGlobals: {chartHome: %q}", "helmChartInflationGenerator: [{chartName: x, chartRepoUrl: %q}]",
	"generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: x}\n  files: [%q]\n",
	"generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: x}\n  files: ['k=%s']\n",
	"transformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: x}\n  path: %q\n",
}

// noGit makes PATH a folder with a git that says that it was run.
func noGit(t *testing.T) (ran func() bool) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the git of this test is a shell script")
	}
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n: > "+mark+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	return func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}
}

// refused is where remote references come from in tests: nowhere.
type refused struct{ asked []string }

func (r *refused) Tree(_ context.Context, url, ref string) (fs.FS, string, error) {
	r.asked = append(r.asked, url+" "+ref)
	return nil, "", errors.New("not here")
}

// TestNothingOutsideIsReached gives every field that opens something every
// name that leads out, and looks for what was run, asked and read.
func TestNothingOutsideIsReached(t *testing.T) {
	ran := noGit(t)
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer server.Close()
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	if err := os.WriteFile(outside, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stolen}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, list := range fieldTexts {
		for _, name := range hostile(outside, server.URL) {
			text := fmt.Sprintf(list, name)
			tree := fstest.MapFS{"config/manifests/kustomization.yaml": {Data: []byte(text)}}
			remotes := &refused{}
			_, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "config/manifests", Remotes: remotes.Tree})
			if err == nil || ran() || requests > 0 {
				t.Fatalf("%s: %v; git was run: %v; requests: %d", text, err, ran(), requests)
			}
			if slices.ContainsFunc(remotes.asked, func(s string) bool { return strings.Contains(s, " -") || strings.Contains(s, "file:") }) {
				t.Errorf("%s: asked for %q", text, remotes.asked)
			}
		}
	}
}

// TestFolderOfPluginsInACircle builds a folder of generators that is built of
// the kustomization which names it, before all of that was checked.
func TestFolderOfPluginsInACircle(t *testing.T) {
	ran := noGit(t)
	for _, field := range []string{"generators", "transformers", "resources"} {
		tree := fstest.MapFS{
			"k/kustomization.yaml":   {Data: fmt.Appendf(nil, "generators: [p]\n%s: [p, 'github.com:o/n?ref=--upload-pack=false']\n", field)},
			"k/p/kustomization.yaml": {Data: []byte("resources: [..]\n")},
		}
		if _, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "k"}); err == nil || ran() {
			t.Errorf("%s: %v; git was run: %v", field, err, ran())
		}
	}
}

// TestNamesThatLookLikeAddresses has files and folders of the project with
// names that kustomize takes for addresses: they are what they are.
func TestNamesThatLookLikeAddresses(t *testing.T) {
	ran := noGit(t)
	const deployment = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: here}\n"
	for _, dir := range []string{"github.com/o/n", "GIT::file:/x?ref=--upload-pack=false", "git@host:o"} {
		tree := fstest.MapFS{
			"kustomization.yaml":                  {Data: []byte(fmt.Sprintf("resources: [%q]\n", dir))},
			dir + "/kustomization.yaml":           {Data: []byte("resources: [a.yaml]\n")},
			dir + "/a.yaml":                       {Data: []byte(deployment)},
			"broken/github.com:o/n?ref=-x.yaml":   {Data: []byte("a: [")},
			"broken/kustomization.yaml":           {Data: []byte("resources: ['github.com:o/n?ref=-x.yaml']\n")},
			"inline/kustomization.yaml":           {Data: []byte("generators: ['github.com:o/n?ref=-x.yaml']\n")},
			"inline/github.com:o/n?ref=-x.yaml":   {Data: []byte("a: [")},
			"component/github.com/o/n/k":          {Data: []byte("a: [")},
			"component/kustomization.yaml":        {Data: []byte("components: ['github.com/o/n/k']\n")},
			"component/github.com/o/n/k/x/ignore": {},
		}
		objects, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "."})
		if err != nil || objects.Size() != 1 {
			t.Errorf("%s: %v", dir, err)
		}
		for _, root := range []string{"broken", "inline", "component"} {
			if _, _, err := build(t.Context(), &project{tree: tree}, Options{Root: root}); err == nil {
				t.Errorf("%s was built", root)
			}
		}
	}
	if ran() {
		t.Error("git was run")
	}
}

// TestLinksOfAProject has links in the folder of a project: none is followed,
// and nothing waits.
func TestLinksOfAProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k/base/kustomization.yaml": "resources: [a.yaml]\n", "k/base/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: here}\n",
		"k/in/env.txt": "A=in\n", "elsewhere/env.txt": "A=elsewhere\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := source.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close() //nolint:errcheck // only reading was done
	write := func(text string) error {
		return os.WriteFile(filepath.Join(dir, "k/kustomization.yaml"), []byte(text), 0o644)
	}
	if err := errors.Join(os.Symlink("base", filepath.Join(dir, "k/linked")), write("resources: [linked]\n")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := build(t.Context(), &project{tree: root.FS()}, Options{Root: "k"}); err == nil || err.Error() != "k/kustomization.yaml:1:13: linked: a symbolic link that is not followed" {
		t.Error(err)
	}
	for _, target := range []string{"in/env.txt", "../elsewhere/env.txt", "/proc/self/environ", "/dev/zero", "../../../../etc/hostname", "env.txt", "base"} {
		link := filepath.Join(dir, "k/env.txt")
		_ = os.Remove(link)
		text := "resources: [base]\nconfigMapGenerator: [{name: a, envs: [env.txt]}]\n"
		if err := errors.Join(os.Symlink(target, link), write(text)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := build(t.Context(), &project{tree: root.FS()}, Options{Root: "k"}); err == nil || !strings.Contains(err.Error(), "k/env.txt: a symbolic link that is not followed") {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// TestBuildsAreBounded has builds of few lines that would never end.
func TestBuildsAreBounded(t *testing.T) {
	doubling := fstest.MapFS{}
	for i := range 40 {
		doubling[fmt.Sprintf("k%d/kustomization.yaml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "namePrefix: a\nresources: [../k%d, ../k%d]\n", i+1, i+1)}
	}
	doubling["k40/kustomization.yaml"] = &fstest.MapFile{Data: []byte("namePrefix: a\n")}
	bomb := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\na0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9))
	}
	aliases := fstest.MapFS{"k0/kustomization.yaml": {Data: []byte("resources: [a.yaml]\n")}, "k0/a.yaml": {Data: []byte(bomb)}}
	for _, list := range []string{"patches: [{patch: %q}]", "patchesStrategicMerge: [%q]", "generators: [%q]", "patchesJson6902: [{patch: %q, target: {kind: X, name: a}}]"} {
		tree := fstest.MapFS{"kustomization.yaml": {Data: fmt.Appendf(nil, list, bomb)}}
		if _, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "."}); err == nil || !strings.Contains(err.Error(), "its aliases expand to more") {
			t.Errorf("%s: %v", list, err)
		}
	}
	for want, tree := range map[string]fstest.MapFS{
		"counted as often as they are used": doubling,
		"its aliases expand to more":        aliases,
	} {
		if _, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "k0"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestGrowingBuildsEnd has builds of few lines whose objects double with each of them.
func TestGrowingBuildsEnd(t *testing.T) {
	defer func(most uint64) { MaxGrowth = most }(MaxGrowth)
	MaxGrowth = 48 << 20
	var copies, replacements strings.Builder
	for i := range 18 {
		fmt.Fprintf(&copies, "    - {op: copy, from: /data, path: /data/x%d}\n", i)
	}
	for range 24 {
		replacements.WriteString("- source: {kind: ConfigMap, fieldPath: data.a}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.a], options: {delimiter: b, index: 0}}]\n")
	}
	for _, text := range []string{"patches:\n- target: {kind: ConfigMap}\n  patch: |\n" + copies.String(), "replacements:\n" + replacements.String()} {
		tree := fstest.MapFS{
			"k/kustomization.yaml":     {Data: []byte("resources: [sub]\n")},
			"k/sub/kustomization.yaml": {Data: []byte("resources: [c.yaml]\n" + text)},
			"k/sub/c.yaml":             {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: xbxb}\n")},
		}
		_, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "k"})
		var placed *source.Error
		if !errors.As(err, &placed) || placed.Path != "k/sub/kustomization.yaml" || !strings.Contains(err.Error(), "more than 48 MiB of memory") {
			t.Errorf("%.60s: %v", text, err)
		}
	}
}

// TestSlowBuildsEnd has a build of many patches, each of which reads all of an object.
func TestSlowBuildsEnd(t *testing.T) {
	defer func(most time.Duration) { maxTime = most }(maxTime)
	maxTime = 50 * time.Millisecond
	var patches strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&patches, "- {patch: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k%d: v}}\"}\n", i)
	}
	tree := fstest.MapFS{
		"k/kustomization.yaml": {Data: []byte("resources: [c.yaml]\npatches:\n" + patches.String())},
		"k/c.yaml":             {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")},
	}
	_, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "k"})
	var placed *source.Error
	if !errors.As(err, &placed) || placed.Path != "k/kustomization.yaml" || !strings.Contains(err.Error(), "takes longer than 50ms") {
		t.Errorf("got %v", err)
	}
}

// TestNamesOfObjects builds objects with names that would become paths: they
// are refused.
func TestNamesOfObjects(t *testing.T) {
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.evil}\nspec: {group: %s, names: {plural: %s, kind: X}}\n"
	for text, want := range map[string]string{
		"apiVersion: v1\nkind: Service\nmetadata: {name: ../../evil}\n":                                    `Service "../../evil": "../../evil" is not one segment of a path`,
		"apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: ../b}\n":                            `Service "a": "../b" is not one segment of a path`,
		"apiVersion: v1\nkind: Service\nmetadata: {name: \"a\\nb\"}\n":                                     `"a\nb" is not one segment of a path`,
		"apiVersion: ../../x/v1\nkind: Thing\nmetadata: {name: a}\n":                                       `"..`,
		"apiVersion: v1\nkind: ../Thing\nmetadata: {name: a}\n":                                            "is not one segment of a path",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: ../a}\nrules: []\n":        "is not one segment of a path",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'system:auth:a'}\n": "",
		fmt.Sprintf(crd, "../../outside", "xs"):                                                            `CustomResourceDefinition "xs.evil": "../../outside" is not one segment of a path`,
		fmt.Sprintf(crd, "example.com", "../xs"):                                                           `"../xs" is not one segment of a path`,
		fmt.Sprintf(crd, "example.com", "xs"):                                                              "",
	} {
		tree := fstest.MapFS{"kustomization.yaml": {Data: []byte("resources: [a.yaml]\n")}, "a.yaml": {Data: []byte(text)}}
		_, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "."})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s%v, want %q", text, err, want)
		}
	}
}

// TestWriteStaysInItsFolder has a bundle with a file of a hostile name, and a
// folder with a link in the way.
func TestWriteStaysInItsFolder(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for _, name := range []string{"../evil.yaml", "manifests/../../evil.yaml", "/evil.yaml", "manifests/a.yaml"} {
		if name == "manifests/a.yaml" {
			if err := os.Symlink("..", filepath.Join(out, "manifests")); err != nil {
				t.Skip(err)
			}
		}
		if err := (&Bundle{Files: map[string][]byte{name: []byte("x")}}).Write(out); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.yaml")); err != nil || len(left) > 0 {
		t.Errorf("%v is outside of the folder", left)
	}
}

// TestPluginsReadWhatTheyName keeps the configurations of kustomize's own
// generators and transformers working, in files and in place.
func TestPluginsReadWhatTheyName(t *testing.T) {
	tree := fstest.MapFS{
		"kustomization.yaml": {Data: []byte(`resources: [a.yaml]
generators: [maker.yaml]
transformers:
- patcher.yaml
- |-
  apiVersion: builtin
  kind: AnnotationsTransformer
  metadata: {name: notes}
  annotations: {see: https://example.com/}
  fieldSpecs: [{path: metadata/annotations, create: true}]
patchesStrategicMerge:
- |-
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: a}
  data: {inline: "yes"}
`)},
		"a.yaml":       {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")},
		"maker.yaml":   {Data: []byte("apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: made}\nfiles: [text.txt, other=text.txt]\n")},
		"text.txt":     {Data: []byte("hello")},
		"patcher.yaml": {Data: []byte("apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: patch.yaml\ntarget: {name: a}\n")},
		"patch.yaml":   {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {patched: \"yes\"}\n")},
	}
	objects, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "."})
	if err != nil {
		t.Fatal(err)
	}
	data, err := objects.AsYaml()
	for _, want := range []string{"other: hello", "patched: \"yes\"", "inline: \"yes\"", "see: https://example.com/"} {
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("no %s (%v) in\n%s", want, err, data)
		}
	}
	tree["patcher.yaml"] = &fstest.MapFile{Data: bytes.ReplaceAll(tree["patcher.yaml"].Data, []byte("patch.yaml"), []byte("http://127.0.0.1:9/x"))}
	if _, _, err := build(t.Context(), &project{tree: tree}, Options{Root: "."}); err == nil || !strings.Contains(err.Error(), "is not fetched") {
		t.Error(err)
	}
}

// fieldName is the name of a field in YAML after that of the struct that it is
// in; a struct that is embedded adds none.
func fieldName(in string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case name == "" && f.Anonymous:
		return in
	case in == "":
		return name
	}
	return in + "." + name
}
