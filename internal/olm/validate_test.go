package olm

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/project-codeflare/cfctl/internal/report"
)

const (
	csvFile   = "manifests/fan-operator.clusterserviceversion.yaml"
	crdFile   = "manifests/example.com_fans.yaml"
	mapFile   = "manifests/fan-operator-config_v1_configmap.yaml"
	notesFile = "metadata/annotations.yaml"
)

// clean is the bundle of testdata/clean.txtar.
func clean(t *testing.T) fstest.MapFS {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/clean.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, f := range archive.Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return files
}

// A change makes of a clean bundle one that a rule catches.
type change struct {
	file, old, new string // old empty = the file becomes new; new empty too = it goes
}

func (c change) apply(t *testing.T, files fstest.MapFS) {
	t.Helper()
	switch {
	case c.old != "":
		text := string(files[c.file].Data)
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		files[c.file] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, c.old, c.new))}
	case c.new != "":
		files[c.file] = &fstest.MapFile{Data: []byte(c.new)}
	default:
		delete(files, c.file)
	}
}

// before is a catalog with 1.0.0 and 1.1.0 of the package.
func before(t *testing.T) fstest.MapFS {
	tree := fstest.MapFS{"operators/fan-operator/catalog-templates/basic.yaml": &fstest.MapFile{Data: []byte("x: y\n")}}
	for v, replaces := range map[string]string{"1.0.0": "", "1.1.0": "  replaces: fan-operator.v1.0.0\n"} {
		for name, f := range clean(t) {
			text := strings.ReplaceAll(string(f.Data), "  replaces: fan-operator.v1.1.0\n", replaces)
			text = strings.ReplaceAll(text, "1.2.0", v)
			tree[path.Join("operators/fan-operator", v, name)] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return tree
}

// everything switches on every rule.
func everything(t *testing.T) Check {
	return Check{
		Dir: "operators/fan-operator/1.2.0", Catalog: before(t), Kube: "1.32", Digests: true,
		Commits: &Commits{
			Folder:  "operators/fan-operator/1.2.0",
			Changed: []string{"operators/fan-operator/1.2.0/" + csvFile},
			List:    []Commit{{"abc", "Fan", "fan@example.com", "Add\n\nSigned-off-by: Fan <fan@example.com>\n"}},
		},
	}
}

// TestEveryRule breaks a clean bundle in one way after the other: exactly the
// rule that is about it speaks.
func TestEveryRule(t *testing.T) {
	wrong := map[string][]change{
		"layout":             {{notesFile, "", ""}, {"manifest/x.yaml", "", "a: b\n"}},
		"manifest-form":      {{mapFile, "", "a: [\n"}, {mapFile, "", "- a\n"}, {mapFile, "data:", "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:"}, {mapFile, "  name: fan-operator-config\n", ""}, {csvFile, "  version: 1.2.0\n", "  version: 1.1.9\n  version: 1.2.0\n"}},
		"one-csv":            {{"manifests/zz.yaml", "", "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: fan-operator.v0.1.0\n"}},
		"csv-name":           {{csvFile, "name: fan-operator.v1.2.0", "name: fan-operator.v1.2.1"}},
		"csv-version":        {{csvFile, "  version: 1.2.0", "  version: v.1.2.0"}},
		"csv-metadata":       {{csvFile, "  displayName: Fan Operator\n", ""}},
		"annotations":        {{notesFile, "registry+v1", "plain+v0"}, {notesFile, "channels.v1: stable", "channels.v1: ''"}, {notesFile, "channels.v1: stable", "channels.v1: stable\n  operators.operatorframework.io.bundle.channel.default.v1: ''"}},
		"replaces-order":     {{csvFile, "replaces: fan-operator.v1.1.0", "replaces: fan-operator.v1.2.0"}},
		"replaces-chain":     {{csvFile, "replaces: fan-operator.v1.1.0", "replaces: fan-operator.v1.0.0"}, {csvFile, "replaces: fan-operator.v1.1.0", "replaces: fan-operator.v1.0.9"}, {csvFile, "  replaces: fan-operator.v1.1.0\n", ""}},
		"owned-without-crd":  {{crdFile, "", ""}, {csvFile, "- kind: Fan", "- kind: Fans"}},
		"crd-not-owned":      {{"manifests/b.yaml", "", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: blades.example.com\nspec:\n  names: {kind: Blade}\n  versions:\n  - name: v1\n"}},
		"examples-json":      {{csvFile, `'[{"api`, `'[{{"api`}, {csvFile, `"metadata": {"name": "desk"}, `, ""}},
		"examples-schema":    {{csvFile, `"speed": 3`, `"speed": "fast"`}, {csvFile, `"speed": 3`, `"mode": "quiet"`}, {csvFile, `"speed": 3`, `"speed": 3, "mode": "shrill"`}, {csvFile, `"speed": 3`, `"speed": 3, "port": true`}},
		"examples-missing":   {{csvFile, `[{"apiVersion": "example.com/v1", "kind": "Fan", "metadata": {"name": "desk"}, "spec": {"speed": 3}}]`, "[]"}},
		"image-digest":       {{csvFile, "    name: manager\n  replaces", "    name: manager\n  - image: quay.io/example/proxy:v1\n    name: proxy\n  replaces"}},
		"image-placeholder":  {{csvFile, "    name: manager\n  replaces", "    name: manager\n  - image: controller@sha256:00\n    name: other\n  replaces"}},
		"image-related":      {{csvFile, "  relatedImages:\n  - image: quay.io/example/fan-operator:v1.2.0@sha256:0000000000000000000000000000000000000000000000000000000000000000\n    name: manager\n", ""}, {csvFile, "env: []", "env:\n                - name: RELATED_IMAGE_BLADE\n                  value: quay.io/example/blade@sha256:11"}},
		"examples-unowned":   {{csvFile, `'[{"api`, `'[{"apiVersion": "example.com/v0", "kind": "Fan", "metadata": {"name": "old"}}, {"api`}},
		"conversion-modes":   {{csvFile, "supported: false", "supported: true"}},
		"account-twice":      {{"manifests/sa.yaml", "", "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: fan-operator\n"}},
		"cluster-unsafe":     {{"manifests/pdb.yaml", "", "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: fan\nspec:\n  maxUnavailable: 0\n"}, {"manifests/pdb.yaml", "", "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: fan\nspec:\n  minAvailable: 100%\n"}, {"manifests/pc.yaml", "", "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: fan\nglobalDefault: true\n"}},
		"size":               {{mapFile, "\ndata:", "\ndata:\n  noise: " + noise(1500000)}},
		"container-image":    {{csvFile, "containerImage: quay.io/example/fan", "containerImage: quay.io/other/fan"}},
		"install-modes":      {{csvFile, "supported: true", "supported: false"}, {csvFile, "type: OwnNamespace", "type: AllNamespaces"}, {csvFile, "type: OwnNamespace", "type: OwnNamespaces"}},
		"min-kube-version":   {{csvFile, "minKubeVersion: 1.24.0", "minKubeVersion: latest"}, {csvFile, "minKubeVersion: 1.24.0", "minKubeVersion: 1.33.0"}},
		"api-removed":        {{"manifests/pdb.yaml", "", "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: fan\n"}},
		"kind-unsupported":   {{"manifests/ns.yaml", "", "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: fan\n"}},
		"namespace-set":      {{mapFile, "metadata:", "metadata:\n  namespace: fans"}},
		"object-twice":       {{"manifests/again.yaml", "", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: fan-operator-config\n"}},
		"webhook-deployment": {{csvFile, "deploymentName: fan-operator-manager", "deploymentName: fan-operator-webhook"}},
		"release-config":     {{"release-config.yaml", "basic.yaml", "basics.yaml"}, {"release-config.yaml", "channels:", "chanels:"}, {"release-config.yaml", "catalog_templates:", "catalog_templates: ["}},
	}
	for rule, changes := range wrong {
		for _, c := range changes {
			files := clean(t)
			c.apply(t, files)
			expect(t, rule, files, everything(t))
		}
	}
	for rule, check := range wrongSurroundings(t) {
		expect(t, rule, clean(t), check)
		wrong[rule] = nil
	}
	for _, rule := range Rules() {
		if _, ok := wrong[rule.ID]; !ok {
			t.Errorf("%s: no test breaks it", rule.ID)
		}
	}
}

// wrongSurroundings are checks in which a clean bundle is out of place.
func wrongSurroundings(t *testing.T) map[string]Check {
	folder, other, taken, elsewhere, unsigned := everything(t), everything(t), everything(t), everything(t), everything(t)
	folder.Dir = "operators/fan-operator/1.2.1"
	other.Catalog = fstest.MapFS{}
	renamed := fstest.MapFS{}
	for name, f := range before(t) {
		if rest, ok := strings.CutPrefix(name, "operators/fan-operator/"); ok {
			renamed[rest] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(string(f.Data), "package.v1: fan-operator", "package.v1: lamp-operator"))}
		}
	}
	other.Catalog, other.Dir = renamed, "1.2.0"
	misplaced := everything(t)
	misplaced.Dir = "operators/lamp-operator/1.2.0"
	expect(t, "package-name", clean(t), misplaced)
	tree := before(t)
	for name, f := range clean(t) {
		tree[path.Join("operators/fan-operator/1.2.0-again", name)] = f
	}
	taken.Catalog = tree
	elsewhere.Commits.Changed = append(elsewhere.Commits.Changed, "operators/fan-operator/1.1.0/"+csvFile)
	unsigned.Commits.List[0].Message = "Add\n\nSigned-off-by: Somebody <else@example.com>"
	absent := everything(t)
	absent.Images = registry{}
	return map[string]Check{"image-missing": absent, "folder-version": folder, "package-name": other, "version-taken": taken, "one-directory": elsewhere, "sign-off": unsigned}
}

const zeros = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// A registry has digests by what follows the name of the image.
type registry map[string]string

func (r registry) Digest(_ context.Context, ref string) (string, error) {
	if digest, ok := r["error"]; ok {
		return "", errors.New(digest)
	}
	return r[strings.TrimPrefix(ref, "quay.io/example/fan-operator")], nil
}

// expect wants findings of one rule and of no other.
func expect(t *testing.T, rule string, files fs.FS, check Check) {
	t.Helper()
	findings, err := Validate(t.Context(), files, check)
	if err != nil {
		t.Errorf("%s: %v", rule, err)
		return
	}
	var got []string
	for _, f := range findings {
		if !slices.Contains(got, f.Rule) {
			got = append(got, f.Rule)
		}
	}
	if !slices.Equal(got, []string{rule}) {
		t.Errorf("want %s, got %v: %+v", rule, got, findings)
	}
}

// noise is text that can be compressed to about three quarters.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"[random.IntN(64)]
	}
	return string(text)
}

func TestCleanBundle(t *testing.T) {
	findings, err := Validate(t.Context(), clean(t), everything(t))
	if err != nil || len(findings) > 0 {
		t.Errorf("%+v, %v", findings, err)
	}
}

// TestImagesAreLookedUp wants the digest told to who has to write it, and what
// a registry does not tell to be trouble and no finding.
func TestImagesAreLookedUp(t *testing.T) {
	files := clean(t)
	change{csvFile, "@" + zeros, ""}.apply(t, files)
	check := Check{Dir: "1.2.0", Digests: true, Images: registry{":v1.2.0": "sha256:22"}}
	findings, err := Validate(t.Context(), files, check)
	if err != nil || len(findings) != 3 || findings[0].Expected != "quay.io/example/fan-operator:v1.2.0@sha256:22" {
		t.Errorf("%+v, %v", findings, err)
	}
	check.Images = registry{"error": "the registry answers 500"}
	if _, err := Validate(t.Context(), files, check); err == nil {
		t.Error("a registry in trouble was believed")
	}
}

func TestValidateNothing(t *testing.T) {
	findings, err := Validate(t.Context(), fstest.MapFS{}, Check{Dir: "x"})
	if err != nil || len(findings) != 2 || findings[0].Rule != "layout" {
		t.Errorf("%+v, %v", findings, err)
	}
}

// TestPublishedAreValid checks the rules against what was published: no error.
func TestPublishedAreValid(t *testing.T) {
	for _, dir := range publishedDirs(t) {
		findings, err := Validate(t.Context(), os.DirFS(dir), Check{Dir: filepath.Base(dir)})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Severity == report.Error {
				t.Errorf("%s: %s [%s]", f.Place(), f.Message, f.Rule)
			}
		}
	}
}

// TestExamplesAreBounded has a list of many values, none of which is in a long enum: each
// would be told with the whole of it.
func TestExamplesAreBounded(t *testing.T) {
	schema := func(of map[string]any) map[string]any {
		return map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "array", "items": of}}}
	}
	var permitted, values []any
	for i := range 2000 {
		permitted, values = append(permitted, i), append(values, -1)
	}
	for name, of := range map[string]map[string]any{
		"enum":   {"type": "integer", "enum": permitted},
		"any of": {"anyOf": []any{map[string]any{"enum": permitted}, map[string]any{"type": "string"}}},
		"unique": {"type": "integer", "uniqueItems": true},
	} {
		example := map[string]any{"spec": values}
		if name == "unique" {
			example = map[string]any{"spec": []any{values}}
		}
		s, err := decodeSchema(schema(of))
		if err != nil {
			t.Fatal(err)
		}
		left := maxWork
		if name == "unique" {
			left = len(values) * len(values) / 2
		}
		if spend(s, example, &left) {
			t.Errorf("%s: %d left", name, left)
		}
	}
	files := clean(t)
	change{crdFile, "type: integer", "type: integer\n                enum: [" + strings.Repeat("7, ", 60000) + "3]"}.apply(t, files)
	change{csvFile, `"speed": 3`, `"speed": 3` + strings.Repeat(`}}, {"apiVersion": "example.com/v1", "kind": "Fan", "metadata": {"name": "desk"}, "spec": {"speed": 3`, 50)}.apply(t, files)
	found, err := Validate(t.Context(), files, Check{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found, func(f report.Finding) bool { return f.Rule == "examples-schema" })
	if i < 0 || found[i].Severity != report.Error || found[i].Path != csvFile || found[i].Line == 0 || !strings.Contains(found[i].Message, "was not checked") {
		t.Errorf("%+v", found)
	}
}
