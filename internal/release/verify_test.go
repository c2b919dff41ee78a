package release

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
)

func TestVerifyFindsDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	verify := func() []string {
		env, _ := w.env(journal)
		defer env.Journal.Close()
		fs, err := On(w.train("v0.2.0"), env).Verify(context.Background(), &env.Env)
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
	f := w.forge.(*fakeForge)
	// Another run of the finished release makes nothing of this good; what was
	// shown to users is put right when a maintainer says so, and nothing else with it.
	notes, object := f.Releases[0].Body, w.run(bare, "git", "rev-parse", "refs/tags/v1.1.0")
	f.Releases[0].Body += "edited"
	w.run(bare, "git", "tag", "-f", "-m", "another", "v1.1.0", "v1.1.0^{}")
	want := []string{"tag-replaced", "notes-edited"}
	if r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{}); !r.Complete() || !strings.Contains(r.Of("release").Text, "notes-edited") || !slices.Equal(verify(), want) {
		t.Errorf("the run says %q, and verify then %v", r.Of("release").Text, verify())
	}
	f.Releases[0].Pre = true
	if got := verify(); !slices.Equal(got, []string{"tag-replaced", "not-done"}) {
		t.Errorf("what is a pre-release now: %v", got)
	}
	env, _ := w.env(journal)
	r, err := On(w.train("v0.2.0"), env).Run(context.Background(), &env.Env, Choices{})
	if err != nil || r.Of("release").Reason != why.TakenBack || !f.Releases[0].Pre {
		t.Errorf("a run of what is a pre-release now: %+v %v", r.Of("release"), err)
	}
	if err := On(w.train("v0.2.0"), env).Approve(context.Background(), &env.Env, "release", "rita", false); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	if r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{}); !r.Complete() || f.Releases[0].Pre || !slices.Equal(verify(), want) {
		t.Errorf("after the approval %+v, and verify says %v", f.Releases[0], verify())
	}
	f.Releases[0].Body = notes
	w.run(bare, "git", "tag", "-f", "v1.1.0", "v1.1.0^{}")
	if got := verify(); !slices.Equal(got, []string{"tag-replaced"}) {
		t.Errorf("a lightweight tag of the same commit: %v", got)
	}
	w.run(bare, "git", "update-ref", "refs/tags/v1.1.0", object)
	if got := verify(); len(got) > 0 {
		t.Errorf("when all is put back: %v", got)
	}
	op := w.bare("orchard/operator")
	main := w.run(op, "git", "rev-parse", "main")
	w.somebody("orchard/operator", "main", "refs/heads/main", "README.md", func(s string) string { return strings.ReplaceAll(s, "v0.2.0", "v0.3.0-rc.1") })
	if got := verify(); len(got) > 0 {
		t.Errorf("when a later release has begun: %v", got)
	}
	w.run(op, "git", "update-ref", "refs/heads/main", main)
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
	f.Releases[0].Body += "edited"
	if got := verify(); !slices.Contains(got, "notes-edited") {
		t.Errorf("edited notes: %v", got)
	}
	tree := w.run(op, "git", "rev-parse", "v0.1.0^{tree}")
	w.run(op, "git", "update-ref", "refs/heads/main", w.run(op, "git", "commit-tree", tree, "-p", "main", "-m", "back"))
	if got := verify(); !slices.Contains(got, "matrix-edited") {
		t.Errorf("an edited matrix: %v", got)
	}
}

// A branch that a release has made keeps its name and its place: what is called
// otherwise from now on, or pushed elsewhere, is of later steps and later releases.
func TestPrefixOfLaterReleases(t *testing.T) {
	t.Parallel()
	w, journal, prefix, fork := newWorld(t), journalIn(t), "", ""
	train := func() *steps.Train {
		made := w.train("v0.2.0")
		if prefix != "" {
			made.Recipe.Prefix = prefix
		}
		if fork != "" {
			made.Recipe.Catalog.Fork = fork
		}
		return made
	}
	for complete := false; !complete; w.play() {
		r, _ := once(t, w, train(), journal, yes)
		if r.Of("operator-pr").State == Done {
			prefix = "later-"
		}
		if r.Of("catalog-pr").State == Done {
			fork = "later/community-operators"
		}
		complete = r.Complete()
	}
	var heads []string
	for _, p := range w.forge.(*fakeForge).Pulls {
		heads = append(heads, p.Repo+" "+p.Head)
	}
	want := []string{"orchard/sorter orchard:cfctl/release-v0.2.0", "orchard/operator orchard:cfctl/release-v0.2.0", "eco/community-operators orchard:later-v0.2.0", "downstream/workloads downstream:later-v0.2.0"}
	if !slices.Equal(heads, want) {
		t.Errorf("PRs from %q", heads)
	}
	for i, later := range []string{"", "later-", "still-later-"} {
		prefix = later
		if i == 2 { // and the fork that it came from has another name by now
			catalog := w.forge.(*fakeForge).pullsTo("eco/community-operators")
			catalog[0].Head = "renamed:" + catalog[0].Branch
		}
		env, q := w.env(journal)
		saw := &requests{}
		saw.watch(q)
		r, err := On(train(), env).Run(context.Background(), &env.Env, Choices{})
		if err != nil || !r.Complete() || len(saw.effects) > 0 {
			t.Errorf("%q: a run of the finished release: %v %q", prefix, err, saw.effects)
		}
		if fs, err := On(train(), env).Verify(context.Background(), &env.Env); err != nil || len(fs) > 0 {
			t.Errorf("%q: %+v %v", prefix, fs, err)
		}
		env.Journal.Close()
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
	a, err := On(w.train("v0.2.0"), env).Abort(context.Background(), &env.Env, "rita")
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
	again, err := On(w.train("v0.2.0"), env).Abort(context.Background(), &env.Env, "rita")
	if err != nil || len(again.Undone) != 0 {
		t.Errorf("a second abort: %v %v", again, err)
	}
}
