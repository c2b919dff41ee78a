package matrix

import (
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
)

// TestTagsOfOneCommitAreReadOnce has many tags on two commits: the trees are
// the same ones, whatever the tag.
func TestTagsOfOneCommitAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("", "init", "-q")
	run("", "commit", "-q", "--allow-empty", "-m", "a")
	first := run("", "rev-parse", "HEAD")
	run("", "commit", "-q", "--allow-empty", "-m", "b")
	refs := "create refs/tags/v2.0.0 " + run("", "rev-parse", "HEAD") + "\n"
	for i := range 50 {
		refs += fmt.Sprintf("create refs/tags/v1.0.%d %s\n", i, first)
	}
	run(refs, "update-ref", "--stdin")
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close() //nolint:errcheck // only reading was done
	past := &RepoPast{Repo: repo}
	tags, err := past.Tags(t.Context())
	if err != nil || len(tags) != 51 {
		t.Fatalf("%d tags, %v", len(tags), err)
	}
	for _, tag := range tags {
		tree, err := past.Tree(t.Context(), tag)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fs.ReadFile(tree, "README.md"); err == nil {
			t.Errorf("%s has a README", tag)
		}
	}
	if len(past.trees) != 2 {
		t.Errorf("%d trees were read, want 2", len(past.trees))
	}
}
