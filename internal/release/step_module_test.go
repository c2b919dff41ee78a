package release

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/release/steps"
	"github.com/project-codeflare/cfctl/internal/stack"
)

const pickerModule = "orchard.example/picker"

// moduleProxy is a Go module proxy in a folder, with the picker in versions.
func moduleProxy(t *testing.T, versions ...string) {
	dir := t.TempDir()
	for _, v := range versions {
		var z bytes.Buffer
		w := zip.NewWriter(&z)
		for name, text := range map[string]string{"go.mod": "module " + pickerModule + "\n", "picker.go": "package picker\n\nconst Version = \"" + v + "\"\n"} {
			f, _ := w.Create(pickerModule + "@" + v + "/" + name)
			f.Write([]byte(text))
		}
		w.Close()
		base := filepath.Join(dir, pickerModule, "@v")
		os.MkdirAll(base, 0o755)
		os.WriteFile(filepath.Join(base, v+".info"), []byte(`{"Version": "`+v+`"}`), 0o644)
		os.WriteFile(filepath.Join(base, v+".mod"), []byte("module "+pickerModule+"\n"), 0o644)
		os.WriteFile(filepath.Join(base, v+".zip"), z.Bytes(), 0o644)
	}
	t.Setenv("GOPROXY", "file://"+dir)
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOTOOLCHAIN", "local")
}

// withModule makes the operator a Go module that needs the picker, and its
// go.mod a place.
func (w *world) withModule() func() *steps.Train {
	w.commit("orchard/operator", "main.go", "package main\n\nimport _ \""+pickerModule+"\"\n\nfunc main() {}\n")
	w.commit("orchard/operator", "go.mod", "module orchard.example/operator\n\ngo 1.21\n\nrequire "+pickerModule+" v1.0.0\n")
	w.commit("orchard/operator", "go.sum", "orchard.example/old v0.0.1/go.mod h1:AAAA\n")
	return func() *steps.Train {
		train := w.train("v0.2.0")
		c, _ := train.Stack.Component("picker")
		c.Module.Path, c.Module.Tag = pickerModule, "v{version}"
		place := stack.Place{Component: "picker", Kind: "go-require", Path: "go.mod", Key: pickerModule}
		if err := place.Complete(train.Stack); err != nil {
			w.t.Fatal(err)
		}
		train.Stack.Places = append(train.Stack.Places, place)
		return train
	}
}

// The module is tidied in a commit of its own, on the branch of the PR.
func TestModuleIsTidied(t *testing.T) {
	moduleProxy(t, "v1.0.0", "v1.1.0")
	w := newWorld(t)
	train := w.withModule()
	env, _ := w.env(journalIn(t))
	r, err := On(train(), env).Plan(context.Background(), &env.Env)
	if o := r.Of(steps.ModuleStep); err != nil || o.State != Missing || !strings.Contains(o.Text, "tag:picker") || len(o.Effects) != 1 || !strings.Contains(o.Effects[0].String(), workBranch) {
		t.Fatalf("%v: a plan before the tag: %+v", err, o.Observation)
	}
	journal := journalIn(t)
	once(t, w, train(), journal, Choices{Until: steps.ModuleStep})
	w.play()
	for range 2 {
		got, _ := once(t, w, train(), journal, Choices{Until: steps.ModuleStep})
		if s := got.Of(steps.ModuleStep); s.State != Done {
			w.play()
		}
	}
	branch := "cfctl/release-v0.2.0"
	if log := w.run(w.bare("orchard/operator"), "git", "log", "--format=%s", "main.."+branch); log != "Tidy the Go module\nRelease Orchard v0.2.0" {
		t.Errorf("log:\n%s", log)
	}
	mod := w.run(w.bare("orchard/operator"), "git", "show", branch+":go.mod")
	sum := w.run(w.bare("orchard/operator"), "git", "show", branch+":go.sum")
	if !strings.Contains(mod, pickerModule+" v1.1.0") || !strings.Contains(sum, pickerModule+" v1.1.0 h1:") || strings.Contains(sum, "old") {
		t.Errorf("go.mod:\n%s\ngo.sum:\n%s", mod, sum)
	}
	if r := arrive(t, w, train, journal); !strings.Contains(r.Of(steps.ModuleStep).Text, "merged") {
		t.Errorf("%s", r.Of(steps.ModuleStep).Text)
	}
}

// A module that cannot be had stops the train with its name; a maintainer may tidy
// by hand, and say so.
func TestModuleThatCannotBeHad(t *testing.T) {
	moduleProxy(t, "v1.0.0")
	w := newWorld(t)
	train := w.withModule()
	journal := journalIn(t)
	var s *StepResult
	for range 4 {
		env, _ := w.env(journal)
		r, err := On(train(), env).Run(context.Background(), &env.Env, Choices{Until: steps.ModuleStep})
		env.Journal.Close()
		if err != nil {
			t.Fatal(err)
		}
		if s = r.Of(steps.ModuleStep); s.State == Conflict {
			break
		}
		w.play()
	}
	if s.State != Conflict || !strings.Contains(s.Text, pickerModule+"@v1.1.0") || !strings.Contains(s.Who, "release approve v0.2.0 operator-module --done") {
		t.Fatalf("%s: %s (%s)", s.State, s.Text, s.Who)
	}
	if len(w.forge.(*fakeForge).pullsTo("orchard/operator")) != 0 {
		t.Error("the PR was opened")
	}
	env, _ := w.env(journal)
	if err := On(train(), env).Approve(context.Background(), &env.Env, steps.ModuleStep, "rita", true); err != nil {
		t.Fatal(err)
	}
	env.Journal.Close()
	arrive(t, w, train, journal)
}

// A requirement that nothing imports is dropped by go mod tidy, after the bump
// of it: the train goes on, also without its journal.
func TestModuleThatTidyDrops(t *testing.T) {
	moduleProxy(t, "v1.0.0", "v1.1.0")
	w := newWorld(t)
	train := w.withModule()
	w.somebody("orchard/operator", "main", "refs/heads/main", "main.go", holding("package main\n\nfunc main() {}\n"))
	journal := journalIn(t)
	for try := 0; ; try++ {
		r, _ := once(t, w, train(), journal, Choices{Until: steps.ModuleStep})
		if r.Of(steps.ModuleStep).State == Done {
			break
		}
		if try == 4 {
			t.Fatalf("%+v", r.Of(steps.ModuleStep).Observation)
		}
		w.play()
	}
	if mod := w.run(w.bare("orchard/operator"), "git", "show", workBranch+":go.mod"); strings.Contains(mod, pickerModule) {
		t.Fatalf("go.mod:\n%s", mod)
	}
	os.Remove(journal)
	once(t, w, train(), journal, Choices{Until: "operator-pr"})
	if r := arrive(t, w, train, journal); !strings.Contains(r.Of("operator-merged").Text, "merged as") {
		t.Errorf("%s", r.Of("operator-merged").Text)
	}
}
