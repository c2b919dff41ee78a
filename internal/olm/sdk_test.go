package olm

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
)

// odd is the project of testdata/odd.txtar and the bundle that is wanted of it.
func odd(t *testing.T) (project fstest.MapFS, o Options, want map[string][]byte) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/odd.txtar")
	if err != nil {
		t.Fatal(err)
	}
	project, want = fstest.MapFS{}, map[string][]byte{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "project/"); ok {
			project[name] = &fstest.MapFile{Data: f.Data}
		} else {
			want[strings.TrimPrefix(f.Name, "want/")] = f.Data
		}
	}
	return project, Options{
		Version: "1.0.0", Replaces: "0.9.0", Image: "quay.io/example/odd:v1.0.0", CreatedAt: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
		Channels: "alpha,stable", DefaultChannel: "stable", ServiceAccounts: []string{"extra"},
	}, want
}

func TestOddProject(t *testing.T) {
	project, o, want := odd(t)
	b, err := Generate(t.Context(), project, o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, b.Files, want)
}

// TestSDKAgrees lets the operator-sdk in PATH make the same bundle.
func TestSDKAgrees(t *testing.T) {
	project, o, want := odd(t)
	files, err := sdkBundle(t, project, o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, unsigned(files), unsigned(want))
}

// TestSDKAgreesOnTags compares on release tags of real operators, whose
// layout the tool must know.
func TestSDKAgreesOnTags(t *testing.T) {
	root := mirrors(t)
	cache := &git.Cache{Dir: t.TempDir()}
	defer cache.Close()
	compared := 0
	dirs, _ := filepath.Glob(filepath.Join(root, "*", "repo"))
	for _, dir := range dirs {
		tree, ok := bundleProject(t, dir)
		if !ok {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			o := Options{Version: "9.9.9", Replaces: "9.9.8", Remotes: GitRemotes{cache}.Tree}
			ours, err := Generate(t.Context(), tree, o)
			if err != nil {
				t.Skip(err)
			}
			theirs, err := sdkBundle(t, tree, o)
			if err != nil {
				t.Skip(err) // a layout that this version does not know, say
			}
			compared++
			same(t, unsigned(ours.Files), unsigned(theirs))
		})
	}
	t.Logf("%d projects compared with operator-sdk", compared)
}

// bundleProject is the newest tree of a repository, when it makes bundles.
func bundleProject(t *testing.T, dir string) (fs.FS, bool) {
	t.Helper()
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		return nil, false
	}
	t.Cleanup(func() { _ = repo.Close() })
	tree, err := repo.Tree(t.Context(), "HEAD")
	if err != nil {
		return nil, false
	}
	_, noProject := fs.Stat(tree, "PROJECT")
	_, noRoot := fs.Stat(tree, "config/manifests/kustomization.yaml")
	return tree, noProject == nil && noRoot == nil
}

// sdkBundle is the bundle that the operator-sdk in PATH assembles from the same objects.
func sdkBundle(t *testing.T, tree fs.FS, o Options) (map[string][]byte, error) {
	t.Helper()
	tool, err := exec.LookPath("operator-sdk")
	if err != nil {
		t.Skip("operator-sdk is not in PATH")
	}
	p, err := readProject(tree)
	if err == nil {
		err = o.complete(p)
	}
	if err != nil {
		return nil, err
	}
	objects, _, err := build(t.Context(), p, o)
	if err != nil {
		return nil, err
	}
	var input bytes.Buffer
	based := false
	add := func(doc map[string]any) {
		if doc["kind"] == "ClusterServiceVersion" && !based { // the tool has no argument for these
			based = true
			if o.Replaces != "" {
				child(doc, "spec")["replaces"] = o.Package + ".v" + o.Replaces
			}
			if o.Image != "" {
				child(child(doc, "metadata"), "annotations")["containerImage"] = o.Image
			}
		}
		data, err := yaml.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		input.WriteString("---\n" + string(data))
	}
	for _, r := range objects.Resources() {
		doc, err := r.Map()
		if err != nil {
			return nil, err
		}
		add(doc)
	}
	if !based {
		data, err := fs.ReadFile(tree, path.Join(o.Root, "bases", o.Package+csvSuffix))
		if err != nil {
			return nil, err
		}
		var base map[string]any
		if err := yaml.Unmarshal(data, &base); err != nil {
			return nil, err
		}
		add(base)
	}
	dir := t.TempDir()
	if data, err := fs.ReadFile(tree, "PROJECT"); err == nil {
		if err := os.WriteFile(filepath.Join(dir, "PROJECT"), data, 0o600); err != nil {
			return nil, err
		}
	}
	args := []string{"generate", "bundle", "--quiet", "--overwrite", "--output-dir=bundle", "--version=" + o.Version, "--package=" + o.Package, "--channels=" + o.Channels}
	if o.DefaultChannel != "" {
		args = append(args, "--default-channel="+o.DefaultChannel)
	}
	for _, account := range o.ServiceAccounts {
		args = append(args, "--extra-service-accounts="+account)
	}
	cmd := exec.CommandContext(t.Context(), tool, args...) //nolint:gosec // the tool in PATH
	cmd.Dir, cmd.Stdin = dir, &input
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	files := map[string][]byte{}
	made := os.DirFS(filepath.Join(dir, "bundle"))
	err = fs.WalkDir(made, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = fs.ReadFile(made, name)
		}
		return err
	})
	return files, err
}

var signature = regexp.MustCompile(`createdAt: .*|operator-sdk-v[0-9.]+`)

// unsigned takes out of files when and by which version they were made.
func unsigned(files map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, data := range files {
		out[name] = signature.ReplaceAll(data, []byte("x"))
	}
	return out
}

// same wants two bundles to be the same, byte for byte.
func same(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) {
		t.Errorf("files %q, want %q", g, w)
	}
	for name, data := range want {
		if string(got[name]) != string(data) {
			t.Errorf("%s differs:\n%s\nwant:\n%s", name, got[name], data)
		}
	}
}
