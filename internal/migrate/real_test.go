package migrate

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"sigs.k8s.io/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
)

// Real migrations, as their commits stand in public history, are reviewed:
// CFCTL_MIRRORS is a folder of bare repositories OWNER+NAME/repo.

// openReal opens a mirror; without it the test is skipped.
func openReal(t *testing.T, repository string) *git.Repo {
	t.Helper()
	root := os.Getenv("CFCTL_MIRRORS")
	if root == "" {
		t.Skip("CFCTL_MIRRORS is not set")
	}
	repo, err := git.Open(context.Background(), filepath.Join(root, strings.ReplaceAll(repository, "/", "+"), "repo"))
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	})
	return repo
}

// treesOf are the trees of two commits.
func treesOf(t *testing.T, repository, base, head string) (before, after fs.FS) {
	t.Helper()
	repo := openReal(t, repository)
	var trees [2]fs.FS
	for i, rev := range []string{base, head} {
		tree, err := repo.Tree(context.Background(), rev)
		if err != nil {
			t.Skip(err)
		}
		trees[i] = tree
	}
	return trees[0], trees[1]
}

// reviewOf replays a ruleset on one commit and holds another against it.
func reviewOf(t *testing.T, set *rules.Ruleset, repository, base, head string) *Review {
	t.Helper()
	ctx := context.Background()
	before, after := treesOf(t, repository, base, head)
	touched, err := openReal(t, repository).Changed(ctx, base, head)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := openReal(t, repository).Moved(ctx, base, head)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{set}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Review(ctx, before, after, Diff{Touched: touched, Moved: moved})
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
func documented(t *testing.T) *rules.Ruleset {
	t.Helper()
	doc, err := os.ReadFile("../../docs/rulesets.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```yaml\n(name: volcano\n.*?)```").FindSubmatch(doc)
	if m == nil {
		t.Fatal("docs/rulesets.md has no ruleset named volcano")
	}
	set, err := rules.Parse("docs/rulesets.md", m[1])
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// docs/rulesets.md lists every built-in ruleset, with its source and a date.
func TestDocumentedRulesets(t *testing.T) {
	doc, err := os.ReadFile("../../docs/rulesets.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Builtin() {
		if !regexp.MustCompile("(?m)^\\| `" + name + "` \\|.*\\| \\d{4}-\\d\\d-\\d\\d \\|$").Match(doc) {
			t.Errorf("docs/rulesets.md has no row for %s", name)
		}
	}
}

func TestDocumentedRuleset(t *testing.T) {
	failed, err := Examples(documented(t))
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
		case f.Rule == reviewOther && !strings.Contains(f.Message, `codeflare.dev`), f.Rule == reviewKey && !strings.Contains(f.Message, "appwrapper.codeflare.dev"):
			t.Errorf("%s:%d: %s", f.Path, f.Line, f.Message)
		}
	}
	if count[reviewOther] != 29 || count[reviewKey] != 16 || len(r.Findings) != 45 || r.Proven != 0 {
		t.Errorf("%v, %d lines proven", count, r.Proven)
	}
}

func codeflareGroups(t *testing.T) *rules.Ruleset {
	t.Helper()
	set, err := BuiltinRuleset("codeflare-groups")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// sdkDifferences are the places where codeflare-sdk's own conversion of its
// AppWrappers differs from cfctl's, and why: its people took out what was
// theirs, apart from the shape.
var sdkDifferences = map[string]string{
	"metadata.labels.orderedinstance":           "a label for InstaScale, which the project left at the same time",
	"metadata.labels.kueue.x-k8s.io/queue-name": "the template gets its queue when it is filled in",
	"metadata.labels":                           "as its two labels above",
	"spec.components.0.template.metadata.labels.workload.codeflare.dev/appwrapper": "a label that the AppWrapper controller sets by itself now",
	"spec.components.0.template.spec.headGroupSpec.template.spec.affinity":         "node affinity for InstaScale",
	"spec.components.0.template.spec.workerGroupSpecs.0.template.spec.affinity":    "node affinity for InstaScale",
}

// The AppWrappers of codeflare-sdk become v1beta2 as its own people converted
// them, apart from differences that are listed; every comment stays.
func TestRealConversion(t *testing.T) {
	set, err := BuiltinRuleset("codeflare-appwrapper-v1beta2")
	if err != nil {
		t.Fatal(err)
	}
	before, after := treesOf(t, "project-codeflare/codeflare-sdk", "c0f7d7f~1", "c0f7d7f")
	m, err := New(Options{Rulesets: []*rules.Ruleset{set}, Set: map[string]string{"queue": "local-queue-default"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"src/codeflare_sdk/templates/base-template.yaml", "tests/test-case.yaml"} {
		old, err := fs.ReadFile(before, name)
		if err != nil {
			t.Skip(err)
		}
		theirs, err := fs.ReadFile(after, name)
		if err != nil {
			t.Fatal(err)
		}
		ours, _, _, err := m.Once(name, old)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := yaml.Unmarshal(ours, &a); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(theirs, &b); err != nil {
			t.Fatal(err)
		}
		for _, at := range differences(a, b, "") {
			if sdkDifferences[at] == "" {
				t.Errorf("%s: %s differs", name, at)
			}
		}
		for line := range bytes.Lines(old) {
			if i := bytes.IndexByte(line, '#'); i >= 0 && !bytes.Contains(ours, bytes.TrimSpace(line[i:])) {
				t.Errorf("%s: the comment %q is gone", name, bytes.TrimSpace(line[i:]))
			}
		}
	}
}

// differences are the paths at which two decoded trees differ.
func differences(a, b any, at string) []string {
	join := func(key string) string { return strings.TrimPrefix(at+"."+key, ".") }
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return []string{at}
		}
		var list []string
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if _, ok := y[key]; !ok {
				list = append(list, join(key))
				continue
			}
			list = append(list, differences(x[key], y[key], join(key))...)
		}
		for _, key := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[key]; !ok {
				list = append(list, join(key))
			}
		}
		return list
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return []string{at}
		}
		var list []string
		for i := range x {
			list = append(list, differences(x[i], y[i], join(strconv.Itoa(i)))...)
		}
		return list
	}
	if !reflect.DeepEqual(a, b) {
		return []string{at}
	}
	return nil
}
