package release

import (
	"context"
	"strings"
	"testing"
)

func TestHotfix(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := journalIn(t)
	arrive(t, w, sprint(w), first)
	for _, repo := range []string{"orchard/picker", "orchard/operator"} {
		minor := map[string]string{"orchard/picker": "v1.1", "orchard/operator": "v0.2"}[repo]
		bare := w.bare(repo)
		fix := w.run(bare, "git", "commit-tree", minor+".0^{tree}", "-p", minor+".0^{commit}", "-m", "Fix the ladder")
		w.run(bare, "git", "update-ref", "refs/heads/release-"+minor, fix)
	}
	journal := journalIn(t)
	env, _ := w.env(journalIn(t))
	base := w.train("v0.2.0")
	hotfix := func() *Train {
		train, err := NewHotfix(context.Background(), base.Stack, base.Recipe, env.Git, "picker", "v0.2.0", "release-{minor}", base.Versions)
		if err != nil {
			t.Fatal(err)
		}
		train.Bundle = testBundle
		return train
	}
	train := hotfix()
	if train.Version != "v0.2.1" || train.Versions["picker"] != "v1.1.1" || train.Versions["sorter"] != "v0.4.0" {
		t.Fatalf("versions %v", train.Versions)
	}
	fixes, err := train.Fixes(context.Background(), remotesOf(env))
	if err != nil || len(fixes["picker"]) != 1 || !strings.HasSuffix(fixes["picker"][0], "Fix the ladder") {
		t.Errorf("fixes %v %v", fixes, err)
	}
	r := arrive(t, w, func() *Train { return train }, journal)
	if r.Of("tag:sorter") != nil || r.Of("tag:picker") == nil {
		t.Error("a hotfix releases the component and the root alone")
	}
	// Both releases are as they were released: the stable tag moved on.
	for path, of := range map[string]*Train{first: w.train("v0.2.0"), journal: train} {
		env, _ := w.env(path)
		findings, err := Verify(context.Background(), of, env)
		env.Journal.Close()
		if err != nil || len(findings) > 0 {
			t.Errorf("verify %s after the hotfix: %v %v", of.Version, findings, err)
		}
	}
	main := w.run(w.bare("orchard/operator"), "git", "show", "main:Makefile")
	branch := w.run(w.bare("orchard/operator"), "git", "show", "release-v0.2:Makefile")
	if !strings.Contains(branch, "PICKER_VERSION ?= v1.1.1") || strings.Contains(main, "v1.1.1") {
		t.Errorf("branch:\n%s\nmain:\n%s", branch, main)
	}
}

// A hotfix of an old line leaves the stable tag where it is.
func TestStableNeverGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bare := w.bare("orchard/picker")
	w.run(bare, "git", "tag", "v9.0.0", "main")
	w.image("orchard/picker", "v9.0.0", "stable")
	env, _ := w.env(journalIn(t))
	train := w.train("v0.2.0")
	c, _ := train.Stack.Component("picker")
	for _, what := range []string{"a tag in git", "an image alone"} {
		o, err := stepStable(train, c, building{}, nil).Observe(context.Background(), newView(train, env))
		if err != nil || o.State != Done || o.Facts["kept"] != "v9.0.0" {
			t.Errorf("%s: %v %v", what, o, err)
		}
		if what == "a tag in git" {
			w.run(bare, "git", "tag", "-d", "v9.0.0")
		}
	}
	// The last look before the write says no, too.
	w.image("orchard/picker", "v1.1.0")
	if _, err := env.Images.Promote(context.Background(), c, "v1.1.0", ""); err == nil || !strings.Contains(err.Error(), "never moved to a lower version") {
		t.Error(err)
	}
}
