package olm

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

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

// TestToolAgrees lets the operator-sdk in PATH make the same bundle.
func TestToolAgrees(t *testing.T) {
	tool := installed(t)
	project, o, want := odd(t)
	o.Tool = tool
	b, err := Generate(t.Context(), project, o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, unsigned(b.Files), unsigned(want))
	if len(b.Notes) == 0 || !strings.Contains(b.Notes[len(b.Notes)-1], tool.version) {
		t.Errorf("notes %q do not name the tool's version", b.Notes)
	}

	delete(project, "config/manifests/rbac.yaml")
	if _, err := Generate(t.Context(), project, o); err == nil {
		t.Error("made of a kustomization that cannot be built")
	}
	project, _, _ = odd(t)
	base := project["config/manifests/bases/odd-operator.clusterserviceversion.yaml"]
	base.Data = []byte(strings.ReplaceAll(string(base.Data), "supported: false", "supported: true"))
	if _, err := Generate(t.Context(), project, o); err == nil || !strings.Contains(err.Error(), "InstallModeType") {
		t.Errorf("the tool's own words are lost: %v", err)
	}
}

// TestToolAgreesOnTags compares on release tags of real operators, whose
// layout the tool must know.
func TestToolAgreesOnTags(t *testing.T) {
	tool := installed(t)
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
			o := Options{Version: "9.9.9", Replaces: "9.9.8", Remotes: GitRemotes{cache}}
			ours, err := Generate(t.Context(), tree, o)
			if err != nil {
				t.Skip(err)
			}
			o.Tool = tool
			theirs, err := Generate(t.Context(), tree, o)
			if err != nil {
				t.Skip(err) // a layout that this version does not know, say
			}
			compared++
			same(t, unsigned(ours.Files), unsigned(theirs.Files))
		})
	}
	t.Logf("%d projects compared with operator-sdk %s", compared, tool.version)
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

func installed(t *testing.T) *Tool {
	t.Helper()
	if _, err := exec.LookPath("operator-sdk"); err != nil {
		t.Skip("operator-sdk is not in PATH")
	}
	tool, err := FindTool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tool
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

// TestToolIsRefused puts programs in PATH that will not do.
func TestToolIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"absent":       {"", "operator-sdk: not found in PATH"},
		"fails":        {"#!/bin/sh\nexit 3\n", "operator-sdk version: exit status 3"},
		"another":      {"#!/bin/sh\necho 'v3.14 of something'\n", `says "v3.14 of something\n" of its version`},
		"too old":      {"#!/bin/sh\necho 'operator-sdk version: \"v1.2.0\", commit: \"x\"'\n", "is v1.2.0, and cfctl needs v1.8.0 or newer"},
		"wanted newer": {"#!/bin/sh\necho 'operator-sdk version: \"v1.20.0\", commit: \"x\"'\n", "is v1.20.0, and the Makefile needs v1.39.2 or newer"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.script != "" {
				if err := os.WriteFile(filepath.Join(dir, "operator-sdk"), []byte(c.script), 0o755); err != nil { //nolint:gosec // it is to be run
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir)
			tool, err := FindTool(t.Context())
			if err == nil {
				project, o, _ := odd(t)
				project["Makefile"] = &fstest.MapFile{Data: []byte("OPERATOR_SDK_VERSION ?= 1.39.2\n")}
				o.Tool = tool
				_, err = Generate(t.Context(), project, o)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
