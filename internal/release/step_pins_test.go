package release

import (
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A component that pins another one of the release gets its pins in a PR of its
// own before it is tagged, after the other one is; what is tagged is the merge.
func TestPinsComeBeforeTheTag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{})
	if r.Of("tag:picker").State != Done || r.Of("sorter-pins-merged").State != Waiting || r.Of("tag:sorter").State != Blocked {
		t.Fatalf("%s, %s, %s", r.Of("tag:picker").State, r.Of("sorter-pins-merged").State, r.Of("tag:sorter").State)
	}
	w.play()
	late := "late\n"
	w.put("orchard/sorter", "main", "refs/heads/main", "LATE", &late, "Otto <otto@example.com>", "Come late")
	once(t, w, w.train("v0.2.0"), journal, Choices{Until: "tag:sorter"})
	bare := w.bare("orchard/sorter")
	if got := w.run(bare, "git", "show", "v0.4.0:Makefile"); !strings.Contains(got, "PICKER_VERSION ?= v1.1.0") {
		t.Errorf("v0.4.0 pins\n%s", got)
	}
	if merge, tag := w.run(bare, "git", "rev-parse", "main^"), w.run(bare, "git", "rev-parse", "v0.4.0^{commit}"); merge != tag {
		t.Errorf("v0.4.0 is at %s, and the merge is %s", tag, merge)
	}
}

// A component that is tagged already, one whose pins are right, and a hotfix
// get no PR; a branch that lost the merge is not tagged; a pin that is not found
// is told before the first tag.
func TestPinsThatNeedNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.bare("orchard/sorter"), "git", "tag", "v0.4.0", "main")
	r, _ := once(t, w, w.train("v0.2.0"), journalIn(t), Choices{Until: "tag:sorter"})
	if o := r.Of("sorter-pins-merged"); o.State != Done || o.Text != "nothing to change" || len(w.forge.(*fakeForge).Pulls) != 0 {
		t.Errorf("tagged already: %s %s", o.State, o.Text)
	}
	w = newWorld(t)
	w.somebody("orchard/sorter", "main", "refs/heads/main", "Makefile", func(s string) string { return strings.ReplaceAll(s, "v1.0.0", "v1.1.0") })
	r, _ = once(t, w, w.train("v0.2.0"), journalIn(t), Choices{Until: "tag:sorter"})
	if o := r.Of("tag:sorter"); o.State != Done || len(w.forge.(*fakeForge).Pulls) != 0 {
		t.Errorf("right already: %s %s", o.State, o.Text)
	}
	train := w.train("v0.2.0")
	train.Hotfix = &steps.Hotfix{Component: "sorter", Branch: "release-{minor}"}
	for _, s := range train.Steps() {
		if strings.Contains(s.Name, "pins") {
			t.Errorf("a hotfix has the step %s", s.Name)
		}
	}
	w = newWorld(t)
	w.somebody("orchard/sorter", "main", "refs/heads/main", "Makefile", holding("all:\n"))
	env, _ := w.env(journalIn(t))
	plan, err := On(w.train("v0.2.0"), env).Plan(t.Context(), &env.Env)
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, f := range plan.Findings {
		said += f.Rule + ": " + f.Message + "\n"
	}
	if !strings.Contains(said, "places: orchard/sorter: make-var PICKER_VERSION in Makefile of picker") {
		t.Errorf("the preflight says\n%s", said)
	}
}

func TestPinsThatWereLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	journal := journalIn(t)
	once(t, w, w.train("v0.2.0"), journal, Choices{})
	w.play()
	back := w.set("orchard/sorter", "refs/heads/main", "main^1")
	w.stops(journal, "tag:sorter", "does not have that commit any more", "bring the commit back")
	back()
	r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{Until: "tag:sorter"})
	if o := r.Of("tag:sorter"); o.State != Done {
		t.Errorf("%s: %s", o.State, o.Text)
	}
}

// A component that is a Go module gets the requirement of another one, with
// go mod tidy, where nothing was declared.
func TestPinInAGoModule(t *testing.T) {
	moduleProxy(t, "v1.0.0", "v1.1.0")
	w := newWorld(t)
	w.commit("orchard/sorter", "sorter.go", "package sorter\n\nimport _ \""+pickerModule+"\"\n")
	w.commit("orchard/sorter", "go.mod", "module orchard.example/sorter\n\ngo 1.21\n\nrequire "+pickerModule+" v1.0.0\n")
	train := func() *steps.Train {
		train := w.train("v0.2.0")
		for name, path := range map[string]string{"picker": pickerModule, "sorter": "orchard.example/sorter"} {
			c, _ := train.Stack.Component(name)
			c.Module = stack.Module{Path: path, Tag: "v{version}"}
		}
		return train
	}
	journal := journalIn(t)
	for range 3 {
		if r, _ := once(t, w, train(), journal, Choices{Until: "tag:sorter"}); r.Of("tag:sorter").State == Done {
			break
		}
		w.play()
	}
	bare := w.bare("orchard/sorter")
	if mod := w.run(bare, "git", "show", "v0.4.0:go.mod"); !strings.Contains(mod, pickerModule+" v1.1.0") {
		t.Errorf("go.mod:\n%s", mod)
	}
	if sum := w.run(bare, "git", "show", "v0.4.0:go.sum"); !strings.Contains(sum, pickerModule+" v1.1.0 h1:") {
		t.Errorf("go.sum:\n%s", sum)
	}
}
