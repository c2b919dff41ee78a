package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"cfctl": main,
	})
}

// TestScripts runs the contract of the command line: testdata/COMMAND/*.txtar
// at the root of the repository, stdout, stderr and exit code asserted.
// UPDATE=1 rewrites the golden parts.
func TestScripts(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/*/*.txtar")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	seen := map[string]bool{}
	for _, f := range dirs {
		dir := filepath.Dir(f)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		t.Run(filepath.Base(dir), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir:                 dir,
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
		})
	}
}

// forgeServer serves the repositories under forge/ of a script over smart HTTP; as
// forges do, it sends the contents of files only when they are asked for. Below
// files/ are the script's files of that folder.
func forgeServer(e *testscript.Env) string {
	exe, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return ""
	}
	mux := http.NewServeMux()
	mux.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(filepath.Join(e.WorkDir, "files")))))
	mux.Handle("/api/", http.StripPrefix("/api", (&smallForge{dir: filepath.Join(e.WorkDir, "forge")}).handler()))
	mux.Handle("/", &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Join(e.WorkDir, "forge"), "GIT_HTTP_EXPORT_ALL=1",
			"GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_0=uploadpack.allowFilter", "GIT_CONFIG_VALUE_0=true",
			"GIT_CONFIG_KEY_1=uploadpack.allowAnySHA1InWant", "GIT_CONFIG_VALUE_1=true",
			"GIT_CONFIG_KEY_2=http.receivepack", "GIT_CONFIG_VALUE_2=true"},
		Stderr: io.Discard, // a repository that is not there is what is tested
	})
	s := httptest.NewServer(mux)
	e.Defer(s.Close)
	return s.URL + "/"
}

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
