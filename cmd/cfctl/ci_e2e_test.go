//go:build e2e

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// release is a server of releases with one archive, whose cfctl prints its
// arguments one a line, and exits as they say.
func releaseServer(t *testing.T, files map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(data))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

const speaking = "#!/bin/sh\nfor a; do printf '%s\\n' \"$a\"; done >\"$ARGS\"\n"

func archiveOf(t *testing.T, script string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "cfctl", Mode: 0o755, Size: int64(len(script))}); err != nil {
		t.Fatal(err)
	}
	_, err := w.Write([]byte(script))
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// act runs the action's script in an environment that has nothing else, and
// returns what it printed, the arguments that cfctl got, and the exit code.
func act(t *testing.T, inputs map[string]string) (printed, args string, code int) {
	t.Helper()
	script, err := filepath.Abs("../../.ci/action/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	cmd := exec.CommandContext(t.Context(), script)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + temp, "RUNNER_TEMP=" + temp, "ARGS=" + temp + "/args", "GITHUB_OUTPUT=" + temp + "/output"}
	for k, v := range inputs {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(temp + "/args")
	return string(out), strings.ReplaceAll(string(got), temp, "TEMP"), cmd.ProcessState.ExitCode()
}

func TestActionInstalls(t *testing.T) {
	name := "cfctl_1.2.3_linux_" + runtime.GOARCH + ".tar.gz"
	archive := archiveOf(t, speaking)
	list := sum(archive) + "  " + name + "\n" + sum("x") + "  other.tar.gz\n"
	good := map[string]string{"/v1.2.3/checksums.txt": list, "/v1.2.3/" + name: archive}
	lying := map[string]string{"/v1.2.3/checksums.txt": list, "/v1.2.3/" + name: archiveOf(t, speaking+"# other\n")}
	lacking := map[string]string{"/v1.2.3/checksums.txt": list}
	unlisted := map[string]string{"/v1.2.3/checksums.txt": "", "/v1.2.3/" + name: archive}
	for _, c := range []struct {
		name, version, digest, want string
		files                       map[string]string
	}{
		{"by digest", "v1.2.3", sum(list), "", good},
		{"by digest with its kind", "v1.2.3", "sha256:" + sum(list), "", good},
		{"another digest of the list", "v1.2.3", sum("no"), "checksums.txt of v1.2.3 has the SHA-256", good},
		{"another archive than the list's", "v1.2.3", sum(list), name + " of v1.2.3 has the SHA-256", lying},
		{"no archive", "v1.2.3", sum(list), name + " cannot be had", lacking},
		{"an archive that the list has not", "v1.2.3", sum(""), "checksums.txt of v1.2.3 has no " + name, unlisted},
		{"no release", "v1.2.4", sum(list), "checksums.txt cannot be had", good},
		{"neither digest nor gh", "v1.2.3", "", "gh is not there", good},
		{"a version that is a command", "v1.2.3;touch pwned", sum(list), "is not vMAJOR.MINOR.PATCH", good},
		{"a version that is a path", "v1.2.3/../../x", sum(list), "is not vMAJOR.MINOR.PATCH", good},
		{"no version", "", sum(list), "is not vMAJOR.MINOR.PATCH", good},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, args, code := act(t, map[string]string{"CFCTL_RELEASES": releaseServer(t, c.files), "INPUT_VERSION": c.version, "INPUT_CHECKSUMS": c.digest})
			if c.want == "" {
				if code != 0 || args == "" {
					t.Errorf("exit %d: %s", code, out)
				}
				return
			}
			if code != 2 || args != "" || !strings.Contains(out, c.want) || !strings.Contains(out, "::error title=cfctl::") {
				t.Errorf("exit %d, want %q: %s\nrun with %q", code, c.want, out, args)
			}
		})
	}
}

// TestActionAttestation: without a digest gh says whether the archive is what
// the release workflow signed; where it says no, nothing of it is run.
func TestActionAttestation(t *testing.T) {
	name := "cfctl_1.2.3_linux_" + runtime.GOARCH + ".tar.gz"
	archive := archiveOf(t, speaking)
	files := map[string]string{"/v1.2.3/checksums.txt": sum(archive) + "  " + name + "\n", "/v1.2.3/" + name: archive}
	for answer, want := range map[string]int{"0": 0, "1": 2} {
		dir := t.TempDir()
		gh := "#!/bin/sh\necho \"$@\" >" + dir + "/asked\nexit " + answer + "\n"
		if err := os.WriteFile(filepath.Join(dir, "gh"), []byte(gh), 0o755); err != nil {
			t.Fatal(err)
		}
		out, args, code := act(t, map[string]string{"CFCTL_RELEASES": releaseServer(t, files), "INPUT_VERSION": "v1.2.3", "PATH": dir + ":/usr/bin:/bin"})
		asked, _ := os.ReadFile(filepath.Join(dir, "asked"))
		if code != want || (args != "") != (want == 0) || want != 0 && !strings.Contains(out, "the attestation of "+name+" does not hold") {
			t.Errorf("gh answers %s: exit %d: %s\nrun with %q", answer, code, out, args)
		}
		wanted := name + " --repo project-codeflare/cfctl --signer-workflow project-codeflare/cfctl/.github/workflows/release.yml\n"
		if !strings.HasPrefix(string(asked), "attestation verify ") || !strings.HasSuffix(string(asked), wanted) {
			t.Errorf("gh was asked %q", asked)
		}
	}
}

// TestActionArguments: an input is an argument as a whole, whatever is in it.
func TestActionArguments(t *testing.T) {
	name := "cfctl_1.2.3_linux_" + runtime.GOARCH + ".tar.gz"
	archive := archiveOf(t, speaking)
	list := sum(archive) + "  " + name + "\n"
	base := map[string]string{"CFCTL_RELEASES": releaseServer(t, map[string]string{"/v1.2.3/checksums.txt": list, "/v1.2.3/" + name: archive}), "INPUT_VERSION": "v1.2.3", "INPUT_CHECKSUMS": sum(list)}
	for _, c := range []struct {
		name   string
		inputs map[string]string
		want   string // the arguments, or what is said with exit code 2
	}{
		{"alone", nil, "migrate\n--check\n--output=github\n--output-file=sarif=TEMP/cfctl.sarif\n"},
		{"lists", map[string]string{"INPUT_PATHS": "a b/c.yaml\n\n-x;touch pwned\n$(touch pwned)\r\n", "INPUT_RULESETS": "codeflare-groups\nrules/our own.yaml", "INPUT_BASE": "main;touch pwned"},
			"migrate\n--check\n--base=main;touch pwned\n--output=github\n--output-file=sarif=TEMP/cfctl.sarif\n--ruleset\ncodeflare-groups\n--ruleset\nrules/our own.yaml\n--\na b/c.yaml\n-x;touch pwned\n$(touch pwned)\n"},
		{"review", map[string]string{"INPUT_MODE": "review", "PULL_REQUEST_BASE": "0123abc", "INPUT_ARGUMENTS": "--head=x y"}, "migrate\nreview\n--base=0123abc\n--output=github\n--output-file=sarif=TEMP/cfctl.sarif\n--head=x y\n"},
		{"matrix", map[string]string{"INPUT_MODE": "matrix", "INPUT_SARIF": "out dir/a.sarif"}, "matrix\ncheck\n--output=github\n--output-file=sarif=out dir/a.sarif\n"},
		{"another mode", map[string]string{"INPUT_MODE": "mtrix\n::warning::x"}, "::error title=cfctl::mode: mtrix%0A::warning::x is none of check, review, matrix\n"},
		{"review of nothing", map[string]string{"INPUT_MODE": "review"}, "::error title=cfctl::mode: review needs"},
		{"a name that is two outputs", map[string]string{"INPUT_SARIF": "a\nexit-code=0"}, "::error title=cfctl::sarif: a name with a line break"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inputs := map[string]string{}
			for k, v := range base {
				inputs[k] = v
			}
			for k, v := range c.inputs {
				inputs[k] = v
			}
			out, args, code := act(t, inputs)
			if strings.HasPrefix(c.want, "::") {
				if code != 2 || !strings.HasPrefix(out, c.want) || args != "" {
					t.Errorf("exit %d: %s\n%s", code, out, args)
				}
				return
			}
			if code != 0 || args != c.want {
				t.Errorf("exit %d: %s\ngot\n%s\nwant\n%s", code, out, args, c.want)
			}
		})
	}
}

// built is cfctl of this tree, in a folder of its own.
func built(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	executed(t, "", []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-o", dir+"/cfctl", ".")
	return dir
}

// TestBinary looks whether the linker left out the methods that no one calls: it
// keeps them all when something can call them by name. time.Time is in every
// program; no one asks it for the form of encoding/gob.
func TestBinary(t *testing.T) {
	data, err := os.ReadFile(built(t) + "/cfctl")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("\x00time.(*Time).UTC\x00")) && !bytes.Contains(data, []byte("\x00time.Time.UTC\x00")) {
		t.Error("the names of functions are not read")
	}
	if bytes.Contains(data, []byte("\x00time.(*Time).GobDecode\x00")) {
		t.Error("methods that nobody calls are in the binary: go build -ldflags=-dumpdep names who asks for <ReflectMethod>")
	}
}

// old is a repository with one commit on main and a file of an old group on top.
func old(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	who := []string{"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com"}
	executed(t, dir, who, "git", "init", "-q", "-b", "main")
	executed(t, dir, who, "git", "commit", "-q", "--allow-empty", "-m", "one")
	executed(t, dir, who, "git", "checkout", "-q", "-b", "change")
	if err := os.WriteFile(dir+"/aw.yaml", []byte("apiVersion: mcad.ibm.com/v1beta1\nkind: AppWrapper\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	executed(t, dir, who, "git", "add", ".")
	executed(t, dir, who, "git", "commit", "-q", "-m", "two")
	return dir
}

// TestCI runs what the files of docs/ci run: the real cfctl finds the old group
// in each, and leaves the report that the file promises.
func TestCI(t *testing.T) {
	bin, dir := built(t), old(t)
	path := "PATH=" + bin + ":/usr/bin:/bin"
	t.Run("action", func(t *testing.T) {
		out, _, code := act(t, map[string]string{"PATH": bin + ":/usr/bin:/bin", "INPUT_INSTALL": "none", "INPUT_DIRECTORY": dir, "INPUT_BASE": "main", "INPUT_SARIF": t.TempDir() + "/found.sarif"})
		if code != 1 || !strings.Contains(out, "::error file=aw.yaml,line=1,col=13") {
			t.Errorf("exit %d: %s", code, out)
		}
	})
	t.Run("gitlab", func(t *testing.T) {
		var file struct {
			Job struct {
				Script    []string
				Artifacts struct{ Reports struct{ Codequality string } }
			} `yaml:"cfctl"`
		}
		readYAML(t, "../../docs/ci/gitlab.yml", &file)
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.Join(file.Job.Script, "\n"))
		cmd.Dir, cmd.Env = dir, []string{path, "HOME=/nowhere", "CI_MERGE_REQUEST_DIFF_BASE_SHA=main"}
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 1 {
			t.Fatalf("exit %d: %s", cmd.ProcessState.ExitCode(), out)
		}
		var issues []map[string]any
		data, err := os.ReadFile(filepath.Join(dir, file.Job.Artifacts.Reports.Codequality))
		if err := errors.Join(err, json.Unmarshal(data, &issues)); err != nil || len(issues) != 1 {
			t.Errorf("%v: %s", err, data)
		}
		if err := os.Remove(filepath.Join(dir, file.Job.Artifacts.Reports.Codequality)); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("tekton", func(t *testing.T) {
		var task struct {
			Spec struct {
				Params []struct {
					Name    string
					Default any
				}
				Steps []struct {
					Command, Args []string
					Env           []struct{ Name, Value string }
				}
			}
		}
		readYAML(t, "../../docs/ci/tekton.yaml", &task)
		step := task.Spec.Steps[0]
		if len(step.Args) != 1 || step.Args[0] != "$(params.arguments[*])" {
			t.Fatalf("arguments %q", step.Args)
		}
		var args []string
		for _, a := range task.Spec.Params[0].Default.([]any) {
			args = append(args, a.(string))
		}
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, step.Command[0]), args...)
		cmd.Dir, cmd.Env = dir, []string{path}
		for _, e := range step.Env {
			cmd.Env = append(cmd.Env, e.Name+"="+strings.ReplaceAll(e.Value, "$(workspaces.source.path)", dir))
		}
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "aw.yaml:1:13") {
			t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), out)
		}
	})
}

func readYAML(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err := errors.Join(err, yaml.Unmarshal(data, into)); err != nil {
		t.Fatal(err)
	}
}

// TestPreCommit has pre-commit install the hooks of this tree and run them: the
// check refuses, the fix writes the staged file, and then the check passes.
func TestPreCommit(t *testing.T) {
	hooks, dir := sourceTree(t), old(t)
	env := []string{"PRE_COMMIT_HOME=" + t.TempDir(), "GOFLAGS=-modcacherw", "GOMODCACHE=" + strings.TrimSpace(executed(t, "", nil, "go", "env", "GOMODCACHE"))}
	run := func(hook string, want int) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "pre-commit", "try-repo", hooks, hook, "--ref", "v0.7.3", "--all-files", "--verbose")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("%s: exit %d, want %d:\n%s", hook, code, want, out)
		}
		return string(out)
	}
	if out := run("cfctl-check", 1); !strings.Contains(out, "aw.yaml:1:13") {
		t.Errorf("the check does not say where:\n%s", out)
	}
	run("cfctl-fix", 1) // files were modified by this hook
	data, err := os.ReadFile(dir + "/aw.yaml")
	if err != nil || !strings.Contains(string(data), "apiVersion: workload.codeflare.dev/v1beta1") {
		t.Errorf("%v: %s", err, data)
	}
	run("cfctl-check", 0)
}
