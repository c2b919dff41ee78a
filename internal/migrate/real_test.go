package migrate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
)

// Real migrations, as their commits stand in public history, are reviewed:
// CFCTL_MIRRORS is a folder of bare repositories OWNER+NAME/repo.

// reviewOf replays a ruleset on one commit and holds another against it.
func reviewOf(t *testing.T, set *Ruleset, repository, base, head string) *Review {
	t.Helper()
	root := os.Getenv("CFCTL_MIRRORS")
	if root == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	ctx := context.Background()
	repo, err := git.Open(ctx, filepath.Join(root, strings.ReplaceAll(repository, "/", "+"), "repo"))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	})
	before, err := repo.Tree(ctx, base)
	if err != nil {
		t.Skip(err)
	}
	after, err := repo.Tree(ctx, head)
	if err != nil {
		t.Skip(err)
	}
	touched, err := repo.Changed(ctx, base, head)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Review(ctx, before, after, touched)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// errorsOf are the findings of a review that fail it, as path:line rule.
func errorsOf(r *Review) []string {
	var list []string
	for _, f := range r.Findings {
		if f.Severity == report.Error {
			list = append(list, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Rule))
		}
	}
	slices.Sort(list)
	return list
}

// documented is the ruleset of the example that docs/rulesets.md leads through.
func documented(t *testing.T) *Ruleset {
	t.Helper()
	doc, err := os.ReadFile("../../docs/rulesets.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml\n(name: volcano\n.*?)```").FindSubmatch(doc)
	if m == nil {
		t.Fatal("docs/rulesets.md has no ruleset named volcano")
	}
	set, err := ParseRuleset("docs/rulesets.md", m[1])
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestDocumentedRuleset(t *testing.T) {
	failed, err := documented(t).Test()
	if err != nil || len(failed) > 0 {
		t.Errorf("%v %v", failed, err)
	}
}

// The ruleset of the documentation makes of Volcano what its own people made
// of it, line by line.
func TestRealVolcano(t *testing.T) {
	r := reviewOf(t, documented(t), "volcano-sh/volcano", "d58a9755d", "5be8f00e2")
	if r.Proven != 24 || r.ByHand != 0 || len(r.Findings) != 0 {
		t.Errorf("%d lines proven, %d by hand, findings %v", r.Proven, r.ByHand, r.Findings)
	}
}

// The migration of multi-cluster-app-dispatcher forgot a directory and a line
// of a test; it did nothing else wrong.
func TestRealDispatcher(t *testing.T) {
	r := reviewOf(t, codeflareGroups(t), "project-codeflare/multi-cluster-app-dispatcher", "7d2602e1", "7877b7b0")
	const dir = "test/e2e-kuttl-borrowing/"
	want := []string{
		dir + "install-quota-subtree.yaml:18 missed", dir + "install-quota-subtree.yaml:2 missed",
		dir + "install-quota-subtree.yaml:34 missed", dir + "install-quota-subtree.yaml:73 missed",
		dir + "steps/00-assert.yaml:18 missed", dir + "steps/00-assert.yaml:5 missed",
		dir + "steps/01-assert.yaml:10 missed", dir + "steps/01-assert.yaml:18 missed",
		dir + "steps/01-assert.yaml:2 missed", dir + "steps/01-assert.yaml:26 missed",
		dir + "steps/03-assert.yaml:3 missed", dir + "steps/03-install.yaml:2 missed",
		dir + "steps/04-assert.yaml:3 missed", dir + "steps/04-install.yaml:2 missed",
		"test/kuttl-test-borrowing.yaml:8 missed",
	}
	if got := errorsOf(r); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Proven < 278 {
		t.Errorf("%d lines proven", r.Proven)
	}
}

// The first migration of codeflare-sdk took the wrong group and renamed a
// label that must stay, everywhere.
func TestRealSDK(t *testing.T) {
	r := reviewOf(t, codeflareGroups(t), "project-codeflare/codeflare-sdk", "c06c397~1", "c06c397")
	count := map[string]int{}
	for _, f := range r.Findings {
		count[f.Rule]++
		switch {
		case f.Rule == ReviewOther && !strings.Contains(f.Message, `codeflare.dev`), f.Rule == ReviewKey && !strings.Contains(f.Message, "appwrapper.codeflare.dev"):
			t.Errorf("%s:%d: %s", f.Path, f.Line, f.Message)
		}
	}
	if count[ReviewOther] != 29 || count[ReviewKey] != 16 || len(r.Findings) != 45 || r.Proven != 0 {
		t.Errorf("%v, %d lines proven", count, r.Proven)
	}
}

func codeflareGroups(t *testing.T) *Ruleset {
	t.Helper()
	set, err := BuiltinRuleset("codeflare-groups")
	if err != nil {
		t.Fatal(err)
	}
	return set
}
