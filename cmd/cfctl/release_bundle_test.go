package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// unpack writes the files of an archive whose names begin with prefix.
func unpack(t *testing.T, archive, prefix string) string {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			file := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, f.Data, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestBundleBadInput wants of each thing that cannot be made into a bundle the
// exit code, the place and what to do next, and no bundle.
func TestBundleBadInput(t *testing.T) {
	write := func(file, text string) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644) }
	}
	remove := func(file string) func(string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, file)) }
	}
	const base = "config/manifests/bases/fan-operator.clusterserviceversion.yaml"
	for name, tt := range map[string]struct {
		spoil      func(dir string) error
		args       string
		code       int
		want, hint string
	}{
		"unbuildable kustomization": {write("config/rbac/kustomization.yaml", "resources: [gone.yaml]\n"), "", 2, "config/rbac/kustomization.yaml:1:13: gone.yaml is no file or folder here", ""},
		"kustomization is no YAML":  {write("config/rbac/kustomization.yaml", "resources: [\n"), "", 2, "config/rbac/kustomization.yaml: ", ""},
		"no kustomization":          {remove("config/rbac/kustomization.yaml"), "", 2, "config/rbac: no kustomization.yaml here", ""},
		"no root":                   {nil, "--kustomize config/manifest", 2, "config/manifest: no such folder", "name the kustomize root with --kustomize"},
		"no base": {func(dir string) error {
			return errors.Join(remove(base)(dir), write("config/manifests/kustomization.yaml", "resources: [../default]\n")(dir))
		}, "", 2, base + ": no base ClusterServiceVersion of the package fan-operator", "operator-sdk generate kustomize manifests"},
		"base of another package":     {nil, "--package lamp-operator", 2, "config/manifests: the ClusterServiceVersion fan-operator.v0.0.0 is not of the package lamp-operator", "name the package with --package"},
		"no PROJECT":                  {remove("PROJECT"), "", 2, "PROJECT: no projectName", "name the package with --package"},
		"lower than what it replaces": {nil, "--replaces 1.2.0", 2, "cfctl: version 1.1.0 is not higher than 1.2.0, which it would replace", ""},
		"what it replaces is none":    {nil, "--replaces v.1.0.0", 2, `cfctl: replaced version "v.1.0.0" is not a semantic version`, ""},
		"a remote reference, offline": {write("config/rbac/kustomization.yaml", "resources: [\"github.com/org/fan/config?ref=v1.0.0\"]\n"), "--offline", 2,
			"config/rbac/kustomization.yaml:1:14: github.com/org/fan/config?ref=v1.0.0 is a remote reference, and they are switched off", "without --offline it is fetched, once"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, out := unpack(t, "../../testdata/release/bundle.txtar", "op/"), filepath.Join(t.TempDir(), "out")
			if tt.spoil != nil {
				if err := tt.spoil(dir); err != nil {
					t.Fatal(err)
				}
			}
			var said bytes.Buffer
			args := append([]string{"release", "bundle", "--repo", dir, "--version", "1.1.0", "--out", out}, strings.Fields(tt.args)...)
			code := run(args, []string{"HOME=" + dir}, strings.NewReader(""), &said, &said)
			if code != tt.code || !strings.Contains(said.String(), tt.want) || !strings.Contains(said.String(), "hint: "+tt.hint) && tt.hint != "" {
				t.Errorf("exit code %d, want %d\n%swant %s\n     %s", code, tt.code, said.String(), tt.want, tt.hint)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// TestBundleWithoutCRD wants the missing manifest named, and exit code 1.
func TestBundleWithoutCRD(t *testing.T) {
	dir := filepath.Join(unpack(t, "../../internal/olm/testdata/clean.txtar", ""))
	if err := os.Remove(filepath.Join(dir, "manifests", "example.com_fans.yaml")); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	code := run([]string{"release", "bundle", "--validate", dir}, nil, strings.NewReader(""), &said, &said)
	if code != 1 || !strings.Contains(said.String(), "owned CRD fans.example.com (Fan v1) has no manifest [owned-without-crd]") {
		t.Errorf("exit code %d\n%s", code, said.String())
	}
}
