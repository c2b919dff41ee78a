package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
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
	config := fmt.Sprintf("stack:\n  name: Fans\n  root: fan\n  components:\n  - name: fan\n    repository: org/fan\n    image: {repository: %s}\n", image)
	if err := os.WriteFile(filepath.Join(dir, configName), []byte(config), 0o644); err != nil {
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
		{"--promote", 0, "one\n", "fan: stable is v1.1.0 already"},
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
