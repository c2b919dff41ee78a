package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// azureCommand is what a runner of Azure Pipelines, GitHub or TeamCity takes for a command.
var azureCommand = regexp.MustCompile(`##[A-Za-z]*\[`)

// hostileNames are names of files that mean something to terminals and to CI
// systems.
var hostileNames = []string{
	"x\n::error file=README.md,line=1::of a file name\n.yaml", "\x1b]0;title\a\x1b[31mred\x1b[2J.yaml", "##[add-mask]a.yaml", "##vso[task.complete].yaml", "a`` | <img src=x> @everyone.yaml",
	"bad\xff\xfe.yaml", "tab\tname.yaml", "cr\rname.yaml", "u\u202e\u200bbidi.yaml", " leading.yaml", "-dash.yaml", "::warning::y.yaml",
	"p\ndiff --git a/victim.txt b/victim.txt\n--- a/victim.txt\n+++ b/victim.txt\n@@ -1 +1 @@\n-good\n+evil\n.yaml",
}

// unfit says what in a text is more than text: the first line of that kind.
func unfit(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "::") || azureCommand.MatchString(line) || strings.ToValidUTF8(line, "") != line ||
			strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
			return line
		}
	}
	return ""
}

// hostileTree is a work tree whose names, values and configuration are hostile.
func hostileTree(t *testing.T) string {
	if runtime.GOOS == "windows" {
		t.Skip("these are no names there")
	}
	dir := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Skip(err) // a file system that takes no such names
		}
	}
	for _, name := range hostileNames {
		put("good/"+name, "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n")
		put("bad/"+name, "apiVersion: mcad.ibm.com/v1beta1\nx: [\n")
	}
	put("victim.txt", "good\n")
	put("values.yaml", "x: mcad.ibm.com\x7f/v1beta1 # \u202e\n  y: \"\x1b[31m mcad.ibm.com/v1beta1\"\n")
	put("README.md", "# x\n\n| Component | Version |\n|---|---|\n| one | v1.0.0\x1b[2J |\n| \u202etwo ##[error] | [v2](javascript:x) |\n| ::error::three | v3.0.0 |\n")
	put("go.mod", "module x\n\ngo 1.22\n")
	put(".cfctl.yaml", "stack:\n  name: \"S\\e[2J\\n::error::x\"\n  root: one\n  components:\n"+
		"    - {name: one, title: \"one\", repository: o/one}\n    - {name: \"t\\e[31m\\n::error::w\", title: \"\u202etwo\", repository: o/two}\n"+
		"matrix:\n  releases:\n    - {version: \"v1.0.0\\e[2J\\n::error::v\", components: [{name: one, version: \"v1\\e]0;x\\a\"}]}\n"+
		"  allow: [{rule: tag-not-found, reason: \"\\n::error::r\", expires: 2020-01-01}]\n")
	put("objects.yaml", "apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\nmetadata: {name: \"a\\e[2J\\n::error::x\", namespace: \"##[b\"}\n---\napiVersion: mcad.ibm.com/v1beta1\nkind: \"App\\e[2J\"\nmetadata: {name: b}\n")
	return dir
}

// TestHostileTextIsVisible drives names, values and configuration that a user
// made up to harm through the text of every command that reads a tree.
func TestHostileTextIsVisible(t *testing.T) {
	dir := hostileTree(t)
	t.Chdir(dir)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	state := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "one\x1b[2J ##[error] \u202e")
	git("tag", "v1.0.0")
	out := filepath.Join(t.TempDir(), "o")
	for _, call := range [][]string{
		{"migrate"}, {"migrate", "-v"}, {"migrate", "--check"}, {"migrate", "--check", "-o", "markdown"}, {"migrate", "--diff"}, {"migrate", "review", "--base", "HEAD"},
		{"matrix", "check", "--offline"}, {"matrix", "check", "--offline", "-o", "markdown"}, {"matrix", "lint"}, {"matrix", "show"}, {"matrix", "show", "."},
		{"matrix", "show", "-o", "markdown"}, {"matrix", "diff", "v1.0.0", "."}, {"matrix", "graph"}, {"matrix", "resolve", "one"}, {"matrix", "set", "one", "v2.0.0"},
		{"matrix", "deps"}, {"matrix", "history"},
		{"release", "notes", "v1.0.0"}, {"release", "schedule", "--offline"}, {"release", "bump", "v1.0.1"}, {"release", "status", "v1.0.0"},
		{"release", "bundle", "--offline", "--version", "1.0.0", "--image", "quay.io/x/y:v1"},
		{"import", "resources", "plan", "--from", "objects.yaml", "--to", out}, {"import", "resources", "apply", "--from", "objects.yaml", "--to", out},
		{"migrate", hostileNames[0]}, {"matrix", "check", "--ref", "x\x1b[2J"}, {"migrate", "--ruleset", "x\x1b[2J\n::error::x"}, {"migrate", "--x\x1b[2J"},
		{"migrate", "--write"}, {"migrate", "undo"},
	} {
		var stdout, stderr bytes.Buffer
		run(call, append(os.Environ(), "XDG_STATE_HOME="+state, "NO_COLOR=1", "GITHUB_STEP_SUMMARY="), strings.NewReader(""), &stdout, &stderr)
		data := slices.Contains(call, "--diff") || slices.Contains(call, "set") || slices.Contains(call, "history") || slices.Contains(call, "bump") // a patch, YAML
		if bad := unfit(stdout.String()); bad != "" && !data {
			t.Errorf("%q prints %q", call, bad)
		}
		if bad := unfit(stderr.String()); bad != "" {
			t.Errorf("%q says %q", call, bad)
		}
	}
}

// TestReviewAndUndoOfHostileNames: names that are no text are reviewed and
// undone like any other.
func TestReviewAndUndoOfHostileNames(t *testing.T) {
	dir := hostileTree(t)
	t.Chdir(dir)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-qm", "old")
	call := func(want int, args ...string) {
		var stdout, stderr bytes.Buffer
		if code := run(args, append(os.Environ(), "NO_COLOR=1"), strings.NewReader(""), &stdout, &stderr); code != want {
			t.Fatalf("%q: exit %d, want %d\n%s%s", args, code, want, stdout.String(), stderr.String())
		}
	}
	call(exitDone, "migrate", "--write", "good")
	call(exitDone, "migrate", "undo")
	git("diff", "--exit-code", "--quiet")
	call(exitDone, "migrate", "--write", "good")
	git("commit", "-qam", "new")
	call(exitPending, "migrate", "review", "--base", "HEAD~1") // what is outside of good was missed
}

// TestDiffIsAPatch: standard output of --diff holds the patch and nothing else,
// so that a name of a file that could not be read cannot be one.
func TestDiffIsAPatch(t *testing.T) {
	t.Chdir(hostileTree(t))
	var stdout, stderr bytes.Buffer
	if code := run([]string{"migrate", "--diff"}, append(os.Environ(), "NO_COLOR=1"), strings.NewReader(""), &stdout, &stderr); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	if strings.Contains(stdout.String(), "For a person") || !strings.Contains(stderr.String(), "Needs review:\n") {
		t.Error("what needs review belongs on standard error")
	}
	cmd := exec.Command("git", "apply", "--whitespace=nowarn")
	cmd.Stdin = &stdout
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	if data, _ := os.ReadFile("victim.txt"); string(data) != "good\n" {
		t.Errorf("victim.txt is %q", data)
	}
	for _, name := range hostileNames {
		if data, err := os.ReadFile(filepath.Join("good", name)); err != nil || !strings.Contains(string(data), "workload.codeflare.dev") {
			t.Errorf("%q: %v, %s", name, err, data)
		}
	}
}
