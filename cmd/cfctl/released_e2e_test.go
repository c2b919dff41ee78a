//go:build e2e

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"go.yaml.in/yaml/v3"
)

func makeRelease(t *testing.T) *released {
	goreleaser, syft := tool(t, "goreleaser"), tool(t, "syft")
	if goreleaser == "" {
		t.Fatal("no goreleaser: .ci/e2e/packages.sh install")
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	base := pushBase(t, host+"/base:latest")

	src := sourceTree(t)
	config := narrowed(t, filepath.Join(src, ".goreleaser.yaml"), base)
	env := []string{"KO_DOCKER_REPO=" + host + "/cfctl", "GITHUB_TOKEN=none", "HOMEBREW_TAP_TOKEN="}
	skip := "announce"
	if syft == "" {
		skip += ",sbom"
	} else {
		env = append(env, "PATH="+filepath.Dir(syft)+":"+os.Getenv("PATH"))
	}
	executed(t, src, nil, goreleaser, "check", "--config", config)
	executed(t, src, env, goreleaser, "release", "--clean", "--config", config, "--skip", skip)
	return &released{src: src, dist: filepath.Join(src, "dist"), image: host + "/cfctl:v0.7.3", sbom: syft != ""}
}

// sourceTree is a repository of what git tracks here, tagged v0.7.3.
func sourceTree(t *testing.T) string {
	src := t.TempDir()
	files := executed(t, "../..", nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	for _, file := range strings.Split(strings.TrimSuffix(files, "\x00"), "\x00") {
		from := filepath.Join("../..", file)
		data, err := os.ReadFile(from)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		info, serr := os.Stat(from)
		if err := errors.Join(err, serr); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(src, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, info.Mode().Perm())); err != nil {
			t.Fatal(err)
		}
	}
	who := []string{"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", "."}, {"commit", "-qm", "all"}, {"tag", "v0.7.3"}, {"remote", "add", "origin", "https://github.com/project-codeflare/cfctl"}} {
		executed(t, src, who, append([]string{"git"}, args...)...)
	}
	return src
}

// narrowed is the configuration for this machine alone, on a base of this
// test; nothing else of it is changed.
func narrowed(t *testing.T, file, base string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := yaml.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	first := func(key string) map[string]any { return c[key].([]any)[0].(map[string]any) }
	first("builds")["goos"] = []string{"linux"}
	first("builds")["goarch"] = []string{runtime.GOARCH}
	first("kos")["base_image"] = base
	first("kos")["platforms"] = []string{"linux/" + runtime.GOARCH}
	c["release"].(map[string]any)["disable"] = true
	data, err = yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	narrow := filepath.Join(t.TempDir(), "goreleaser.yaml")
	if err := os.WriteFile(narrow, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return narrow
}

// pushBase pushes an image that has this machine's git, its libraries and
// certificates, as the real base has.
func pushBase(t *testing.T, ref string) string {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	files := []string{git, "/etc/ssl/certs/ca-certificates.crt"}
	for _, word := range strings.Fields(executed(t, "", nil, "ldd", git)) {
		if strings.HasPrefix(word, "/") {
			files = append(files, word)
		}
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return tarOf(files) })
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err == nil {
		img, err = mutate.ConfigFile(img, &v1.ConfigFile{OS: "linux", Architecture: runtime.GOARCH, RootFS: mustConfig(img).RootFS})
	}
	to, nerr := name.ParseReference(ref)
	if err := errors.Join(err, nerr); err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(to, img); err != nil {
		t.Fatal(err)
	}
	return ref
}

func mustConfig(img v1.Image) *v1.ConfigFile {
	c, err := img.ConfigFile()
	if err != nil {
		panic(err) // the image was made in memory
	}
	return c
}

func tarOf(files []string) (io.ReadCloser, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(file, "/"), Mode: 0o755, Size: int64(len(data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	if err := w.WriteHeader(&tar.Header{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777}); err != nil {
		return nil, err
	}
	return io.NopCloser(&b), w.Close()
}
