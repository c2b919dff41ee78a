package release

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/train"
)

// TestPreRelease runs a release candidate to its end: it is published as what
// it is, and no one gets it who did not ask for it.
func TestPreRelease(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.forge.(*fakeForge)
	f.Releases = append(f.Releases, &forgetest.Release{Repo: "orchard/operator", ID: 1, Tag: "v0.1.0"})
	train := func() *steps.Train {
		full := w.train("v0.2.0")
		versions := map[string]string{}
		for name, v := range full.Versions {
			if name != full.Root().Name {
				versions[name] = v
			}
		}
		pre, err := steps.NewTrain(full.Stack, full.Recipe, "v0.2.0-rc.1", versions)
		if err != nil {
			t.Fatal(err)
		}
		pre.Bundle = testBundle
		if full.Recipe.Catalog == nil || pre.Recipe.Catalog != nil {
			t.Fatal("the recipe is not narrowed, or not in a copy")
		}
		return pre
	}
	r := arrive(t, w, train, journalIn(t))
	for _, s := range r.Steps {
		if strings.HasPrefix(s.Name, "catalog") || strings.HasPrefix(s.Name, "stable") || strings.HasPrefix(s.Name, "workloads") {
			t.Errorf("a pre-release has the step %s", s.Name)
		}
	}
	i := slices.IndexFunc(f.Releases, func(x *forgetest.Release) bool { return x.Tag == "v0.2.0-rc.1" })
	if i < 0 || f.Releases[i].Draft || !f.Releases[i].Pre || f.Releases[i].Latest != "false" {
		t.Errorf("published as %+v", f.Releases[i])
	}
}

// TestLatestRelease publishes, and corrects what is shown otherwise than it
// should be.
func TestLatestRelease(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		higher string // tag of the root; empty = none
		pre    bool   // shown as a pre-release
		shown  string // as the latest
		wrong  bool
		want   string // the latest at the end
	}{
		"right":                      {"", false, "v0.2.0", false, "v0.2.0"},
		"as a pre-release":           {"", true, "v0.1.0", true, "v0.2.0"},
		"not the latest":             {"", false, "v0.1.0", true, "v0.2.0"},
		"an older line, right":       {"v0.3.0", false, "v0.1.0", false, "v0.1.0"},
		"an older line, the latest":  {"v0.3.0", false, "v0.2.0", true, "v0.1.0"},
		"before a release candidate": {"v0.3.0-rc.1", false, "v0.1.0", true, "v0.2.0"},
	} {
		w := newWorld(t)
		f := w.forge.(*fakeForge)
		f.Releases = []*forgetest.Release{{Repo: "orchard/operator", ID: 1, Tag: "v0.1.0"}, {Repo: "orchard/operator", ID: 2, Tag: "v0.2.0", Body: "notes", Pre: test.pre}}
		f.Latest["orchard/operator"] = map[string]int64{"v0.1.0": 1, "v0.2.0": 2}[test.shown]
		for _, tag := range train.Compact("v0.2.0", test.higher) {
			w.run(w.bare("orchard/operator"), "git", "tag", tag, "main")
		}
		env, _ := w.env(journalIn(t))
		train := w.train("v0.2.0")
		// This release has written it: the journal says so.
		written(t, env, Record{Kind: steps.RecIntent, Step: steps.ReleaseStep, Facts: map[string]string{"notes": steps.Hash("notes")}}, Record{Kind: steps.RecEffect, Step: steps.ReleaseStep})
		step := stepNamed(t, train, steps.ReleaseStep)
		seen, err := look(train, env, step, newView(train, env))
		if err != nil || (seen.State == Missing) != test.wrong {
			t.Errorf("%s: %s %s, %v", name, seen.State, seen.Text, err)
		}
		if seen.State == Missing {
			if seen, err = actAndLook(train, env, step, seen); err != nil || seen.State != Done {
				t.Errorf("%s: after the act %s %s, %v", name, seen.State, seen.Text, err)
			}
		}
		latest, err := forge.LatestOf(context.Background(), env.Forge, "orchard/operator")
		if err != nil || latest != test.want || f.Releases[1].Pre || f.Releases[1].Body != "notes" {
			t.Errorf("%s: the latest is %s, want %s (%+v) %v", name, latest, test.want, f.Releases[1], err)
		}
	}
}

// A tag that a user has undone is made again where it was, wherever its
// branch is by now; and a release that has tagged a component does not take another
// version of it.
func TestTagIsMadeAgainWhereItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	env, _ := w.env(journalIn(t))
	was := w.run(w.bare("orchard/picker"), "git", "rev-parse", "main")
	w.commit("orchard/picker", "later.txt", "later")
	written(t, env, Record{Kind: steps.RecDone, Step: "tag:picker", Facts: map[string]string{"commit": was, "tag": "v1.1.0"}}, Record{Kind: steps.RecApprove, Step: "tag:picker"})
	train := w.train("v0.2.0")
	o, err := look(train, env, stepNamed(t, train, "tag:picker"), newView(train, env))
	if err != nil || o.State != Missing || o.Facts["commit"] != was {
		t.Errorf("%s %s, %v, want it at %.7s", o.State, o.Text, err, was)
	}
	train = w.train("v0.2.0")
	train.Versions["picker"] = "v1.2.0"
	o, err = look(train, env, stepNamed(t, train, "tag:picker"), newView(train, env))
	if err != nil || o.Reason != why.Versions || !strings.Contains(o.Text, "this release has v1.1.0 of picker") {
		t.Errorf("%s %s, %v", o.State, o.Text, err)
	}
}
