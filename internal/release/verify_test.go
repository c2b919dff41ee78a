package release

import (
	"context"
	"slices"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
)

func TestVerifyFindsDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	verify := func() []string {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		fs, err := Verify(context.Background(), w.train("v0.2.0"), env)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, f := range fs {
			rules = append(rules, f.Rule)
		}
		return rules
	}
	if got := verify(); len(got) > 0 {
		t.Fatalf("findings on a fresh release: %v", got)
	}
	bare := w.bare("orchard/picker")
	was := w.run(bare, "git", "rev-parse", "refs/tags/v1.1.0")
	other := w.run(bare, "git", "commit-tree", "main^{tree}", "-m", "other")
	w.run(bare, "git", "update-ref", "refs/tags/v1.1.0", other)
	if got := verify(); !slices.Contains(got, "tag-moved") {
		t.Errorf("a moved tag: %v", got)
	}
	w.run(bare, "git", "update-ref", "refs/tags/v1.1.0", was)
	w.image("orchard/sorter", "another", "v0.4.0")
	if got := verify(); !slices.Contains(got, "image-retagged") {
		t.Errorf("an image pushed again: %v", got)
	}
	f := w.forge.(*fakeForge)
	f.Releases[0].Body += "edited"
	if got := verify(); !slices.Contains(got, "notes-edited") {
		t.Errorf("edited notes: %v", got)
	}
	op := w.bare("orchard/operator")
	tree := w.run(op, "git", "rev-parse", "v0.1.0^{tree}")
	w.run(op, "git", "update-ref", "refs/heads/main", w.run(op, "git", "commit-tree", tree, "-p", "main", "-m", "back"))
	if got := verify(); !slices.Contains(got, "matrix-edited") {
		t.Errorf("an edited matrix: %v", got)
	}
}

func TestAbort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	for range 4 {
		once(t, w, w.train("v0.2.0"), journal, Choices{})
		if len(w.forge.(*fakeForge).pullsTo("orchard/operator")) > 0 {
			break
		}
		w.play()
	}
	env, _ := w.env(journal)
	defer env.Journal.Close()
	a, err := Abort(context.Background(), w.train("v0.2.0"), env, "rita")
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Undone) != 3 || len(a.Stays) != 4 { // the tags, and the pins that are merged
		t.Errorf("undone %q, stays %q", a.Undone, a.Stays)
	}
	if p := w.forge.(*fakeForge).pullsTo("orchard/operator")[0]; p.State != "closed" {
		t.Error("the PR is open")
	}
	heads, _ := git.ListHeads(context.Background(), w.git+"/orchard/operator.git")
	if _, there := heads.Branches["cfctl/release-v0.2.0"]; there {
		t.Error("the branch is there")
	}
	if s, _ := ReadStatus("v0.2.0", env.Journal.Records()); s.State != "aborted" {
		t.Errorf("status %s", s.State)
	}
	again, err := Abort(context.Background(), w.train("v0.2.0"), env, "rita")
	if err != nil || len(again.Undone) != 0 {
		t.Errorf("a second abort: %v %v", again, err)
	}
}
