package propose

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// local is a History of one repository on this machine, as its server was when
// a tag was made.
type local struct {
	repo  *git.Repo
	heads git.Heads
}

func (l local) Heads(context.Context, string) (git.Heads, error) { return l.heads, nil }
func (l local) Log(ctx context.Context, _, from, to string) ([]git.Commit, error) {
	return l.repo.Log(ctx, from, to)
}
func (l local) Files(ctx context.Context, _, commit string) (*git.Tree, error) {
	return l.repo.Tree(ctx, commit)
}

// TestRealVersions proposes every release that public projects have tagged,
// from what they had before it, and counts how often it is the version that
// they took. They follow no rule that cfctl knows: the number is told, and what
// must hold is that there is an answer each time, higher than the one before.
func TestRealVersions(t *testing.T) {
	mirrors := os.Getenv("CFCTL_MIRRORS")
	if mirrors == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	config := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(config, []byte("[safe]\n\tdirectory = *\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	total, same, kind := 0, 0, 0
	for _, c := range []stack.Component{
		{Name: "codeflare-operator"},
		{Name: "appwrapper"}, {Name: "instascale"}, {Name: "multi-cluster-app-dispatcher"}, {Name: "codeflare-sdk"},
	} {
		dir := filepath.Join(mirrors, "project-codeflare+"+c.Name, "repo")
		if _, err := os.Stat(dir); err != nil {
			t.Logf("%s is not there", dir)
			continue
		}
		c.Repository, c.Tag = "project-codeflare/"+c.Name, "v{version}"
		n, ok, near := replay(t, &c, dir)
		t.Logf("%-30s %d releases, %d the same version, %d the same number", c.Name, n, ok, near)
		total, same, kind = total+n, same+ok, kind+near
	}
	t.Logf("%-30s %d releases, %d the same version, %d the same number", "all", total, same, kind)
}

// replay proposes each full release of a repository from the tags below it.
func replay(t *testing.T, c *stack.Component, dir string) (n, same, kind int) {
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	all, err := repo.Tags(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byVersion := map[string]git.Ref{}
	var list []string
	for _, ref := range all {
		if v, ok := c.VersionOfTag(ref.Name); ok && versions.IsVersion(v) {
			byVersion[v] = ref
			if semver.Prerelease(v) == "" {
				list = append(list, v)
			}
		}
	}
	slices.SortFunc(list, semver.Compare)
	for i, v := range list[1:] {
		tags := map[string]git.Ref{}
		for _, x := range list[:i+1] {
			tags[byVersion[x].Name] = byVersion[x]
		}
		h := local{repo, git.Heads{Branches: map[string]string{"main": byVersion[v].Commit}, Tags: tags}}
		a, err := next(t.Context(), h, nil, question{Component: c, Branch: "main", Imported: c.Name != "codeflare-operator" && c.Name != "codeflare-sdk"})
		if err != nil {
			t.Errorf("%s %s: %v", c.Name, v, err)
			continue
		}
		n++
		switch {
		case a.Version == v:
			same++
			kind++
		case step(list[i], v) == step(list[i], a.Version) && a.Moves():
			kind++
		}
		if a.Version != v {
			t.Logf("  %s after %s was %s, proposed %s: %s %s", c.Name, list[i], v, a.Version, a.Why, strings.TrimSpace(a.Problem))
		}
	}
	return n, same, kind
}
