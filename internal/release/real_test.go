package release

import (
	"context"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/testing/wiretest"
)

// realWorld is a world of the real repositories, as CFCTL_MIRRORS has them,
// with a forge and a registry of this process.
func realWorld(t *testing.T) *world {
	mirrors := os.Getenv("CFCTL_MIRRORS")
	if mirrors == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	// Serve as the web does, where the folders themselves are not configured to.
	config := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(config, []byte("[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n[safe]\n\tdirectory = *\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	w := &world{t: t, dir: t.TempDir(), mail: newMailbox(t), chat: newChat(t), clock: wiretest.ClockAt(time.Now())}
	w.git = "file://" + w.dir
	entries, err := os.ReadDir(mirrors)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		owner, name, _ := strings.Cut(e.Name(), "+")
		to := w.bare(owner + "/" + name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(mirrors, e.Name(), "repo"), to); err != nil {
			t.Fatal(err)
		}
	}
	if catalog := w.bare("redhat-openshift-ecosystem/community-operators-prod"); isThere(catalog) {
		if err := os.Symlink(catalog, w.bare("project-codeflare/community-operators-prod")); err != nil {
			t.Fatal(err)
		}
	}
	reg := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(reg.Close)
	w.reg = strings.TrimPrefix(reg.URL, "http://")
	w.store = w.reg
	f := newFakeForge(w)
	w.forge, w.api, w.hook = f, f.URL, w.chat.URL
	return w
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// realTrain is a release of the built-in stack by the built-in recipe, with the
// addresses of this world.
func (w *world) realTrain(version string, versions map[string]string) *steps.Train {
	s, r := stack.Default(), recipe.Default()
	r.Forge.API, r.Forge.Git = w.api, w.git
	for i := range s.Components {
		if c := &s.Components[i]; c.Image.Repository != "" {
			c.Image.Repository = w.reg + "/" + c.Repository
		}
	}
	train, err := steps.Compile(s, r, version, versions, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if !isThere(w.bare(r.Catalog.Repository)) {
		r.Catalog = nil // a large repository that not every folder of mirrors has
	}
	train.Bundle = steps.MakeBundle(nil)
	return train
}

// A plan of the next release of the real stack finds every place, makes the
// bundle and the notes, and has nothing to say that is not so.
func TestRealPlan(t *testing.T) {
	w := realWorld(t)
	w.image("project-codeflare/codeflare-operator", "v1.16.0", "stable")
	w.image("project-codeflare/appwrapper", "v1.1.2")
	w.image("ray-project/kuberay", "v1.4.0")
	w.image("kubernetes-sigs/kueue", "v0.11.6")
	t.Setenv("GOSUMDB", "off") // the proxy alone is asked
	train := w.realTrain("v1.17.0", map[string]string{"codeflare-sdk": "v0.39.0", "appwrapper": "v1.1.2", "kuberay": "v1.4.0", "kueue": "v0.11.6"})
	env, _ := w.env(journalIn(t))
	began := time.Now()
	r, err := On(train, env).Plan(context.Background(), &env.Env)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d steps in %v", len(r.Steps), time.Since(began))
	for _, s := range r.Steps {
		t.Logf("%s %s: %s %v", Marks[s.State], s.Name, s.Text, s.Effects)
		if s.Err != nil || s.State == Conflict {
			t.Errorf("%s: %s", s.Name, s.Text)
		}
	}
	for _, f := range r.Findings {
		t.Logf("%s: %s: %s", f.Severity, f.Rule, f.Message)
		if f.Severity == report.Error {
			t.Errorf("%s: %s", f.Rule, f.Message)
		}
	}
	if dir := os.Getenv("CFCTL_SHOW"); dir != "" {
		for _, s := range r.Steps {
			_ = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(s.Name, ":", "-")+".txt"), []byte(s.Detail), 0o644)
		}
	}
}
