package main

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/testing/forgetest"
	"github.com/project-codeflare/cfctl/internal/testing/memtest"
)

func TestMain(m *testing.M) {
	testscript.Main(inMemory{m}, map[string]func(){
		"cfctl": main,
	})
}

// inMemory runs tests with their folders in memory; those that make packages and
// images have too much for it.
type inMemory struct{ *testing.M }

func (m inMemory) Run() int {
	if makesPackages {
		return m.M.Run()
	}
	return memtest.Run(m.M)
}

// TestScripts runs the contract of the command line: testdata/COMMAND/*.txtar
// at the root of the repository, stdout, stderr and exit code asserted.
// UPDATE=1 rewrites the golden parts.
func TestScripts(t *testing.T) {
	all, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	scripts := map[string][]string{} // of a command
	for _, file := range all {
		command := filepath.Base(filepath.Dir(file))
		scripts[command] = append(scripts[command], file)
	}
	for _, command := range slices.Sorted(maps.Keys(scripts)) {
		t.Run(command, func(t *testing.T) { runScripts(t, scripts[command]) })
	}
}

// runScripts runs scripts.
func runScripts(t *testing.T, files []string) {
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"trouble": trouble, "step": workflowStep},
		Setup: func(e *testscript.Env) error {
			root, err := filepath.Abs("../..")
			e.Setenv("ROOT", root)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, ".state"))
			e.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				e.Setenv("GIT_"+who+"_NAME", "tester")
				e.Setenv("GIT_"+who+"_EMAIL", "tester@example.com")
				e.Setenv("GIT_"+who+"_DATE", "2023-08-01T12:00:00Z")
			}
			e.Setenv("FORGE", forgeServer(e))
			return err
		},
	})
}

// forgeServer serves the repositories under forge/ of a script over smart HTTP; as
// forges do, it sends the contents of files only when they are asked for. Below
// files/ are the script's files of that folder.
func forgeServer(e *testscript.Env) string {
	s := forgetest.New(scriptTest{e}, filepath.Join(e.WorkDir, "forge"), time.Now)
	s.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(filepath.Join(e.WorkDir, "files")))).ServeHTTP)
	return s.URL + "/"
}

// A scriptTest is a script as the test that a forge is for.
type scriptTest struct{ e *testscript.Env }

func (scriptTest) Helper()                             {}
func (t scriptTest) Errorf(format string, args ...any) { t.Fatalf(format, args...) }
func (t scriptTest) Fatalf(format string, args ...any) { t.e.T().Fatal(fmt.Sprintf(format, args...)) }
func (t scriptTest) Cleanup(f func())                  { t.e.Defer(f) }

// trouble is the script command "trouble PROGRAM ARG...": as exec, but the exit
// code must be 2, which "! exec" does not tell from 1.
func trouble(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: trouble PROGRAM ARG...")
	}
	var exit *exec.ExitError
	if err := ts.Exec(args[0], args[1:]...); !errors.As(err, &exit) || exit.ExitCode() != exitTrouble {
		ts.Fatalf("%v, want exit code %d", err, exitTrouble)
	}
}

// workflowStep is the script command "step WORKFLOW NAME FILE": it writes the
// script of that step into a file.
func workflowStep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: step WORKFLOW NAME FILE")
	}
	var w struct {
		Jobs map[string]struct {
			Steps []struct {
				Name string `yaml:"name"`
				Run  string `yaml:"run"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	ts.Check(yaml.Unmarshal([]byte(ts.ReadFile(args[0])), &w))
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Name == args[1] && !strings.Contains(s.Run, "${{") { // expressions reach scripts as variables alone
				ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(s.Run), 0o600))
				return
			}
		}
	}
	ts.Fatalf("%s has no step %s whose script is free of expressions", args[0], args[1])
}
