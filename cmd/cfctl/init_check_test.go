package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// consistent are the files of a repository in which every place says the same
// version of a component: a table, and some of the places that init finds.
func consistent(r *rand.Rand) map[string]string {
	app, lib, tool := "v1."+fmt.Sprint(r.IntN(9))+".0", "v0."+fmt.Sprint(1+r.IntN(9))+".2", "v2.0."+fmt.Sprint(r.IntN(9))
	files := map[string]string{
		"README.md": "# Acme\n\n| Component | Version |\n|---|---|\n| App | [" + app + "](https://github.com/acme/app/releases/tag/" + app + ") |\n" +
			"| Lib | [" + lib + "](https://github.com/acme/lib/releases/tag/" + lib + ") |\n| Tool | [" + tool + "](https://github.com/acme/tool/releases/tag/" + tool + ") |\n",
	}
	files["tag"] = app
	bare := func(v string) string { return strings.TrimPrefix(v, "v") }
	for _, f := range []struct{ path, text string }{
		{"Makefile", "IMG ?= ghcr.io/acme/app:" + app + "\n"},
		{"Makefile", "VERSION ?= " + bare(app) + "\nIMG ?= ghcr.io/acme/app:v$(VERSION)\n"},
		{"Makefile", "LIB_VERSION ?= " + lib + "\nTOOL_IMAGE := ghcr.io/acme/tool:" + tool + "\n"},
		{"Makefile", "REGISTRY ?= ghcr.io/acme\nTOOL_TAG = " + tool + "\nTOOL_IMG = $(REGISTRY)/tool:$(TOOL_TAG)\n"},
		{"go.mod", "module github.com/acme/app\n\ngo 1.22\n\nrequire github.com/acme/lib " + lib + "\n"},
		{"config/manager/kustomization.yaml", "resources: [manager.yaml]\nimages:\n- name: controller\n  newName: ghcr.io/acme/app\n  newTag: " + app + "\n"},
		{"config/params.env", "tool-image=ghcr.io/acme/tool:" + tool + "\n"},
		{"config/lib/kustomization.yaml", "resources:\n- github.com/acme/lib/config/crd?ref=" + lib + "\n"},
		{"Dockerfile", "ARG TOOL_VERSION=" + tool + "\nFROM ghcr.io/acme/lib:" + lib + "\n"},
		{"chart/Chart.yaml", "apiVersion: v2\nname: app\nversion: " + bare(app) + "\nappVersion: " + app + "\n"},
		{"chart/values.yaml", "image:\n  repository: ghcr.io/acme/app\n  tag: " + app + "\n"},
		{"hack/install.sh", "curl -L https://github.com/acme/tool/releases/download/" + tool + "/tool.yaml\n"},
	} {
		if r.IntN(2) == 0 {
			files[f.path] = f.text
		}
	}
	return files
}

// TestInitOfAConsistentRepositoryPasses has init configure random repositories whose
// places agree: matrix check finds nothing.
func TestInitOfAConsistentRepositoryPasses(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for i := range 6 {
		dir := t.TempDir()
		files := consistent(r)
		git := func(args ...string) {
			t.Helper()
			cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("git %q: %v\n%s", args, err, out)
			}
		}
		git("init", "-q", "-b", "main")
		git("remote", "add", "origin", "https://github.com/acme/app.git")
		tag := files["tag"]
		delete(files, "tag")
		for path, text := range files {
			name := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-qm", "one")
		git("tag", tag)
		t.Chdir(dir)
		var said bytes.Buffer
		cfctl := func(args ...string) int {
			said.Reset()
			return run(args, os.Environ(), strings.NewReader(""), &said, &said)
		}
		if code := cfctl("init"); code != 0 {
			t.Fatalf("%d: init: exit %d\n%s", i, code, &said)
		}
		written, _ := os.ReadFile(".cfctl.yaml")
		if code := cfctl("matrix", "check", "--offline"); code != 0 {
			t.Errorf("%d: matrix check: exit %d\n%s\n%s\n%v", i, code, &said, written, files)
		}
	}
}
