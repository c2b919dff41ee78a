package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/project-codeflare/cfctl/internal/config"
)

// TestReleaseImages runs the command on a registry in this process.
func TestReleaseImages(t *testing.T) {
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer s.Close()
	image := strings.TrimPrefix(s.URL, "http://") + "/org/fan"
	for _, tag := range []string{"v1.0.0", "v1.1.0"} {
		img, err := random.Image(64, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, tag := range []string{tag, "dev"} {
			ref, _ := name.NewTag(image + ":" + tag)
			if err := remote.Write(ref, img); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	settings := fmt.Sprintf("stack:\n  name: Fans\n  root: fan\n  components:\n  - name: fan\n    repository: org/fan\n    image: {repository: %s}\n", image)
	if err := os.WriteFile(filepath.Join(dir, config.Name), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"", 1, "error: " + image + ": no tag stable; the highest release is v1.1.0 [stable-missing]\n    hint: cfctl release images fan --promote\n", ""},
		{"fan --promote --to v1.0.0", 2, "", "v1.0.0 is lower than v1.1.0, which is released: stable is never moved to a lower version"},
		{"fan --promote --to v1.1.0", 0, "fan        v1.1.0 ", "fan: stable is v1.1.0 now; there was none"},
		{"--promote", 0, "fan        v1.1.0 ", "fan: stable is v1.1.0 already"},
		{"-o json", 0, `"repository": "` + image + `"`, ""},
		{"--to v1.1.0", 2, "", "--to goes with --promote and one component"},
		{"fun", 2, "", `unknown component "fun", did you mean fan?`},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"release", "images", "--repo", dir}, strings.Fields(tt.args)...)
		code := run(args, nil, strings.NewReader(""), &stdout, &stderr)
		if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: exit code %d\n%s\n%s", tt.args, code, stdout.String(), stderr.String())
		}
	}
}

// TestReleaseImagesDev compares dev images with the heads of branches.
func TestReleaseImagesDev(t *testing.T) {
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer s.Close()
	host, dir := strings.TrimPrefix(s.URL, "http://"), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	heads := map[string]string{}
	for _, repo := range []string{"fan", "blade", "hub"} {
		bare := filepath.Join(dir, "org", repo+".git")
		for _, args := range [][]string{{"init", "-q", "-b", "main", bare}, {"-C", bare, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", repo}} {
			if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
		}
		out, err := exec.Command("git", "-C", bare, "rev-parse", "HEAD").Output()
		if err != nil {
			t.Fatal(err)
		}
		heads[repo] = strings.TrimSpace(string(out))
	}
	for repo, revision := range map[string]string{"fan": heads["fan"], "blade": heads["fan"]} {
		img, err := mutate.Config(empty.Image, v1.Config{Labels: map[string]string{"org.opencontainers.image.revision": revision}})
		if err != nil {
			t.Fatal(err)
		}
		if img, err = mutate.CreatedAt(img, v1.Time{Time: time.Now().Add(-50 * time.Hour)}); err != nil {
			t.Fatal(err)
		}
		ref, _ := name.NewTag(host + "/org/" + repo + ":dev")
		if err := remote.Write(ref, img); err != nil {
			t.Fatal(err)
		}
	}
	settings := "stack:\n  name: Fans\n  root: fan\n  components:\n"
	for _, repo := range []string{"fan", "blade", "hub", "shop"} {
		settings += fmt.Sprintf("  - {name: %s, repository: org/%s, image: {repository: %s/org/%s}}\n", repo, repo, host, repo)
	}
	settings += "release:\n  components: [{name: fan}, {name: blade}, {name: hub}]\n"
	if err := os.WriteFile(filepath.Join(dir, config.Name), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"", 1, "error: " + host + "/org/blade: dev was built from " + heads["fan"][:7] + ", and main is at " + heads["blade"][:7] + " [dev-behind]\n", "1 error, 1 warning"},
		{"fan", 0, " 2 days  " + heads["fan"][:7], "0 errors, 0 warnings"},
		{"hub", 0, "no tag dev [dev-missing]", "1 warning"},
		{"hub --strict", 1, "missing", ""},
		{"blade -o json", 1, `"state": "behind"`, ""},
		{"--promote", 2, "", "--dev and --promote exclude each other"},
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"release", "images", "--dev", "--repo", dir}, strings.Fields(tt.args)...)
		code := run(args, []string{"CFCTL_RELEASE_FORGE_GIT=file://" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache")}, strings.NewReader(""), &stdout, &stderr)
		if code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s: exit code %d\n%s\n%s", tt.args, code, stdout.String(), stderr.String())
		}
	}
}

// TestBundleImages validates a bundle against a registry in this process.
func TestBundleImages(t *testing.T) {
	denied := false
	answers := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if denied && strings.Contains(q.URL.Path, "/manifests/") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		answers.ServeHTTP(w, q)
	}))
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "http://")
	img, err := random.Image(64, 1)
	if err != nil {
		t.Fatal(err)
	}
	ref, _ := name.NewTag(host + "/example/fan-operator:v1.2.0")
	if err := remote.Write(ref, img); err != nil {
		t.Fatal(err)
	}
	digest, _ := img.Digest()
	archive, err := txtar.ParseFile("../../internal/olm/testdata/clean.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		image, flags string
		denied       bool
		code         int
		want         string
	}{
		{":v1.2.0@" + digest.String(), "--images --digests", false, 0, "0 errors, 0 warnings"},
		{"@" + digest.String(), "--images --digests", false, 0, "0 errors, 0 warnings"},
		{":v1.2.0", "--images --digests", false, 1, "hint: image: " + host + "/example/fan-operator:v1.2.0@" + digest.String()},
		{":v1.3.0", "--images", false, 1, "fan-operator:v1.3.0 is not in its registry [image-missing]"},
		{":v1.3.0", "", false, 0, "0 errors, 0 warnings"},
		{":v1.2.0", "--images", true, 2, "the registry answers 401: not there, or not for these credentials\nhint: podman login " + host},
	} {
		denied = tt.denied
		dir := filepath.Join(t.TempDir(), "1.2.0")
		for _, f := range archive.Files {
			text := strings.ReplaceAll(string(f.Data), "quay.io/example/fan-operator:v1.2.0@sha256:"+strings.Repeat("0", 64), host+"/example/fan-operator"+tt.image)
			file := filepath.Join(dir, f.Name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		code := run(append([]string{"release", "bundle", "--validate", dir}, strings.Fields(tt.flags)...), nil, strings.NewReader(""), &out, &out)
		if code != tt.code || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s %s: exit code %d, want %d and %q\n%s", tt.image, tt.flags, code, tt.code, tt.want, out.String())
		}
	}
}
