package release

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/notes"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/testing/mirrors"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// TestRealChangelog makes the notes of real releases from the repositories
// under CFCTL_MIRRORS.
func TestRealChangelog(t *testing.T) {
	m := mirrors.Of(t)
	config := filepath.Join(t.TempDir(), "gitconfig")
	links := t.TempDir()
	repos, _ := filepath.Glob(filepath.Join(m.Root, "*+*", "repo"))
	for _, dir := range repos {
		owner, name, _ := strings.Cut(filepath.Base(filepath.Dir(dir)), "+")
		if err := os.MkdirAll(filepath.Join(links, owner), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(dir, filepath.Join(links, owner, name)); err != nil {
			t.Fatal(err)
		}
	}
	text := "[url \"file://" + links + "/\"]\n\tinsteadOf = https://github.com/\n[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n[safe]\n\tdirectory = *\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	t.Setenv("GIT_CONFIG_COUNT", "0")
	repo, err := git.Open(t.Context(), m.Repository("project-codeflare/codeflare-operator"))
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	s := stack.Default()
	at := func(tag string) *matrix.Release {
		tree, err := repo.Tree(t.Context(), tag)
		if err != nil {
			t.Fatal(err)
		}
		r, err := matrix.ReleaseOf(s, tree)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	cache := &git.Cache{Dir: t.TempDir()}
	defer cache.Close()
	log, err := notes.New(t.Context(), s, components{&ports.Remotes{Cache: cache, Queue: &wire.Queue{Sleep: wire.Sleep}}}, steps.ForNotes(s, at("v1.2.0")), steps.ForNotes(s, at("v1.1.0")), "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, c := range log.Components {
		got[c.Name] = c.Commits
	}
	for name, want := range map[string]int{"codeflare-operator": 22, "mcad": 0, "codeflare-sdk": 26} {
		if got[name] != want {
			t.Errorf("%s: %d commits, want %d", name, got[name], want)
		}
	}
}

// components are on their servers, all of them tagged.
type components struct{ *ports.Remotes }

func (r components) Span(ctx context.Context, c *stack.Component, before, now string) (from, to string, err error) {
	h, err := r.Heads(ctx, c.URL())
	return h.Tags[c.TagOf(before)].Commit, h.Tags[c.TagOf(now)].Commit, err
}

func (r components) Log(ctx context.Context, c *stack.Component, from, to string) ([]git.Commit, error) {
	return r.Remotes.Log(ctx, c.URL(), from, to)
}

func (r components) Files(ctx context.Context, c *stack.Component, commit string) (fs.FS, error) {
	s, err := r.Tree(ctx, c.URL(), commit, true)
	return s.Files, err
}

func (r components) Web(c *stack.Component) string { return c.URL() }
