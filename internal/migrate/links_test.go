package migrate

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A link to a CRD file that is renamed is a person's, with the command for it.
func TestDanglers(t *testing.T) {
	dir := t.TempDir()
	const name = "mcad.ibm.com_appwrappers.yaml"
	writeTree(t, dir, memory{
		"config/" + name:  "kind: CustomResourceDefinition\nmetadata:\n  name: appwrappers.mcad.ibm.com\nspec:\n  group: mcad.ibm.com\n  names: {kind: AppWrapper, plural: appwrappers}\n",
		"deploy/x.yaml":   "a: b\n",
		"tests/a_test.go": "package a\n\nvar path = \"crd/" + name + "\"\n",
	})
	for link, to := range map[string]string{"../tests/crd": "../config", name: "../config/" + name, "other.yaml": "x.yaml", "aw.yaml": "../config/" + name, "it's; a.yaml": "../config/" + name} {
		if err := os.Symlink(to, filepath.Join(dir, "deploy", link)); err != nil {
			t.Skip(err)
		}
	}
	m, err := New(Options{Rulesets: []*rules.Ruleset{codeflareGroups(t)}})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	plan, err := m.Plan(context.Background(), tree, source.WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range plan.Files {
		for _, s := range f.Sites {
			if f.Path == "tests/a_test.go" && s.New != "workload.codeflare.dev_appwrappers" {
				t.Errorf("a path through a link to a folder becomes %q: %s", s.New, s.Why())
			}
			if s.Action() == NeedsReview {
				got[f.Path] = s.Hint()
			}
		}
	}
	const fresh = "workload.codeflare.dev_appwrappers.yaml"
	for link, want := range map[string]string{
		"deploy/" + name:      "ln -s -- ../config/" + fresh + " deploy/" + fresh + " && rm -- deploy/" + name,
		"deploy/aw.yaml":      "ln -sfn -- ../config/" + fresh + " deploy/aw.yaml",
		"deploy/it's; a.yaml": `ln -sfn -- ../config/` + fresh + ` 'deploy/it'"'"'s; a.yaml'`,
	} {
		if got[link] != want {
			t.Errorf("%s: got %q, want %q", link, got[link], want)
		}
	}
	if len(got) != 3 {
		t.Errorf("%v", got)
	}
	if _, err := plan.Changes(context.Background(), tree); err != nil {
		t.Error(err)
	}
	if _, err := plan.Diff(t.Context(), nil, tree); err != nil {
		t.Error(err)
	}
	if err := os.Rename(filepath.Join(dir, "config", name), filepath.Join(dir, "config", fresh)); err != nil {
		t.Fatal(err)
	}
	again, err := m.Plan(context.Background(), tree, source.WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range again.Files {
		if f.Format == "link" {
			delete(got, f.Path)
		}
	}
	if len(got) > 0 {
		t.Errorf("nothing is said of %v once the file has its new name", got)
	}
}
