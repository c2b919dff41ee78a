package migrate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A run on a folder of a work tree that renames a file tells of what names it
// elsewhere in the tree, by the path that the user would write; a run on all of
// it moves that as well.
func TestOutsideOfWhatWasNamed(t *testing.T) {
	dir := t.TempDir()
	const name = "old.example.com_things.yaml"
	writeTree(t, dir, memory{
		"config/crd/" + name:        "kind: CustomResourceDefinition\nmetadata:\n  name: things.old.example.com\nspec:\n  group: old.example.com\n  names: {kind: Thing, plural: things}\n",
		"config/kustomization.yaml": "resources:\n- crd/" + name + "\n",
		"Makefile":                  "install:\n\tkubectl apply -f config/crd/" + name + "\n",
		"vendor/a/b.yaml":           "file: config/crd/" + name + "\n",
	})
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := parsedMigration(t, fuzzRules, false)
	for paths, want := range map[string][]string{"config/crd": {"../../Makefile", "../kustomization.yaml"}, "config": {"../Makefile"}, ".": nil} {
		tree, err := source.Open([]string{filepath.Join(dir, paths)})
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Plan(t.Context(), tree, source.WalkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range p.Files {
			for _, s := range f.Sites {
				if s.Action() == NeedsReview && s.ID() == "outside" {
					got = append(got, filepath.ToSlash(relative(tree, tree.Base(), f.Path)))
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: told of %v, want %v", paths, got, want)
		}
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("%s: told of %v, want %v", paths, got, want)
			}
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	}
}
