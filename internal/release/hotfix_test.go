package release

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
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
	hotfix := func() *steps.Train {
		train, err := steps.NewHotfix(context.Background(), base.Stack, base.Recipe, env.Git, "picker", "v0.2.0", "release-{minor}", base.Versions)
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
	r := arrive(t, w, func() *steps.Train { return train }, journal)
	if r.Of("tag:sorter") != nil || r.Of("tag:picker") == nil {
		t.Error("a hotfix releases the component and the root alone")
	}
	// Both releases are as they were released: the stable tag moved on.
	for path, of := range map[string]*steps.Train{first: w.train("v0.2.0"), journal: train} {
		env, _ := w.env(path)
		findings, err := On(of, env).Verify(context.Background(), &env.Env)
		env.Journal.Close()
		if err != nil || len(findings) > 0 {
			t.Errorf("verify %s after the hotfix: %v %v", of.Version, findings, err)
		}
	}
	// The same fix again is the same release, and one more is a fix of that.
	if again := hotfix(); again.Version != "v0.2.1" || again.Versions["picker"] != "v1.1.1" {
		t.Errorf("the same fix again: %v", again.Versions)
	}
	w.somebody("orchard/picker", "release-v1.1", "refs/heads/release-v1.1", "again.go", holding("package picker\n"))
	next := func(component, of string, versions map[string]string) (map[string]string, error) {
		train, err := steps.NewHotfix(context.Background(), base.Stack, base.Recipe, env.Git, component, of, "release-{minor}", versions)
		if err != nil {
			return nil, err
		}
		return train.Versions, nil
	}
	for _, component := range []string{"picker", "sorter"} {
		var later *steps.LaterError
		if _, err := next(component, "v0.2.0", base.Versions); !errors.As(err, &later) || later.Newest != "v0.2.1" {
			t.Errorf("one more fix of %s: %v", component, err)
		}
	}
	if v, err := next("picker", "v0.2.1", train.Versions); err != nil || v["picker"] != "v1.1.2" || v["operator"] != "v0.2.2" {
		t.Errorf("a fix of the fix: %v %v", v, err)
	}
	if v, err := next("sorter", "v0.2.1", train.Versions); err != nil || v["picker"] != "v1.1.1" || v["sorter"] != "v0.4.1" || v["operator"] != "v0.2.2" {
		t.Errorf("a fix of another component: %v %v", v, err)
	}
	main := w.run(w.bare("orchard/operator"), "git", "show", "main:Makefile")
	branch := w.run(w.bare("orchard/operator"), "git", "show", "release-v0.2:Makefile")
	if !strings.Contains(branch, "PICKER_VERSION ?= v1.1.1") || strings.Contains(main, "v1.1.1") {
		t.Errorf("branch:\n%s\nmain:\n%s", branch, main)
	}
}

// The bundle of an old line has no place in the channel of a newer one. The
// preflight says so, and how the catalog is left out; when it is, it says nothing.
func TestHotfixOfAnOldLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	arrive(t, w, sprint(w), journalIn(t))
	const catalog = "eco/community-operators"
	const of = "operators/orchard-operator/"
	for _, file := range strings.Fields(w.run(w.bare(catalog), "git", "ls-tree", "-r", "--name-only", "main:"+of+"0.2.0")) {
		text := w.run(w.bare(catalog), "git", "show", "main:"+of+"0.2.0/"+file) + "\n"
		text = strings.NewReplacer("replaces: orchard-operator.v0.1.0", "replaces: orchard-operator.v0.2.0", "0.2.0", "0.3.0").Replace(text)
		w.commit(catalog, of+"0.3.0/"+file, strings.ReplaceAll(text, "replaces: orchard-operator.v0.3.0", "replaces: orchard-operator.v0.2.0"))
	}
	for repo, minor := range map[string]string{"orchard/picker": "v1.1", "orchard/operator": "v0.2"} {
		w.somebody(repo, minor+".0", "refs/heads/release-"+minor, "fix.go", holding("package fix\n"))
	}
	env, _ := w.env(journalIn(t))
	base := w.train("v0.2.0")
	train, err := steps.NewHotfix(t.Context(), base.Stack, base.Recipe, env.Git, "picker", "v0.2.0", "release-{minor}", base.Versions)
	if err != nil {
		t.Fatal(err)
	}
	train.Bundle = testBundle
	look := func() (about string) {
		plan, err := On(train, env).Plan(t.Context(), &env.Env)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range plan.Findings {
			if f.Severity == report.Error {
				about += f.Message + ": " + f.Hint
			}
		}
		return about
	}
	if said := look(); !strings.Contains(said, "more than one head") || !strings.Contains(said, "--skip catalog --reason TEXT") {
		t.Errorf("the preflight says %q", said)
	}
	if _, err := On(train, env).Skip(t.Context(), &env.Env, "catalog", "the line is old", "rita"); err != nil {
		t.Fatal(err)
	}
	if said := look(); said != "" {
		t.Errorf("without the catalog the preflight says %q", said)
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
		o, err := steps.StepStable(train, c, steps.Building{}, nil).Observe(context.Background(), newView(train, env))
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

// tagsOnly is what a hotfix asks git for.
type tagsOnly struct {
	ports.GitReader
	tags map[string]string // by repository
}

func (g tagsOnly) Heads(_ context.Context, repo string) (git.Heads, error) {
	return git.Heads{Tags: map[string]git.Ref{g.tags[repo]: {}}}, nil
}

// A hotfix of any component of the built-in stack, in each of its eras, releases
// the next patch version of that component and of the operator, and nothing else.
func TestHotfixOfEachComponent(t *testing.T) {
	for of, versions := range map[string]map[string]string{
		"v0.2.0":  {"mcad": "v1.34.0", "instascale": "v0.0.7", "codeflare-sdk": "v0.7.0", "kuberay": "v0.5.0"},
		"v1.2.0":  {"mcad": "v1.40.0", "instascale": "v0.4.0", "codeflare-sdk": "v0.14.0", "kuberay": "v1.0.0"},
		"v1.16.0": {"appwrapper": "v1.1.2", "codeflare-sdk": "v0.38.0", "kuberay": "v1.4.0", "kueue": "v0.11.6"},
	} {
		s, recipe := stack.Default(), recipe.Default()
		for name := range versions {
			if name == "kuberay" || name == "kueue" || name == "appwrapper" {
				continue // released on their own
			}
			c, _ := s.Component(name)
			from := tagsOnly{tags: map[string]string{c.Repository: c.TagOf(versions[name]), s.RootComponent().Repository: of}}
			train, err := steps.NewHotfix(t.Context(), s, recipe, from, name, of, "release-{minor}", versions)
			if err != nil {
				t.Fatalf("%s of %s: %v", name, of, err)
			}
			want := maps.Clone(versions)
			want[name], _ = steps.NextPatch(versions[name])
			want["codeflare-operator"], _ = steps.NextPatch(of)
			if !maps.Equal(train.Versions, want) {
				t.Errorf("%s of %s: %v, want %v", name, of, train.Versions, want)
			}
			var tags []string
			for _, step := range train.Steps() {
				if tag, ok := strings.CutPrefix(step.Name, "tag:"); ok {
					tags = append(tags, tag)
				}
			}
			slices.Sort(tags)
			if released := slices.Sorted(slices.Values([]string{name, "codeflare-operator"})); !slices.Equal(tags, released) {
				t.Errorf("%s of %s tags %v", name, of, tags)
			}
		}
	}
}
