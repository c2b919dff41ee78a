//go:build e2e

package release

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// buildOnce builds cfctl for tests that run it as a process.
var buildOnce = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "cfctl-test-")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "cfctl")
	out, err := exec.Command("go", "build", "-o", bin, "../../cmd/cfctl").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return bin, nil
})

// A workstation is a folder from which a user runs cfctl on a world.
type workstation struct {
	*world
	bin, home string
	env       []string
}

func newWorkstation(w *world) *workstation {
	bin, err := buildOnce()
	if err != nil {
		w.t.Fatal(err)
	}
	home, err := os.MkdirTemp("", "cfctl-workstation-")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { os.RemoveAll(home) })
	d := &workstation{world: w, bin: bin, home: home}
	w.run("", "git", "init", "-q", "-b", "main", d.home)
	if err := os.WriteFile(filepath.Join(d.home, ".cfctl.yaml"), w.config(), 0o644); err != nil {
		w.t.Fatal(err)
	}
	d.env = append(os.Environ(), "GITHUB_TOKEN=tok_rel", "GITHUB_API_URL="+w.api, "GITHUB_SERVER_URL="+w.git, "CFCTL_TRUST_CONFIG=true",
		"CFCTL_SLACK_WEBHOOK="+w.hook, "XDG_CACHE_HOME="+filepath.Join(d.home, ".cache"), "XDG_CONFIG_HOME="+filepath.Join(d.home, ".config"),
		"CFCTL_RELEASE_DISTANCE=0s", "USER=rita", "GITHUB_STEP_SUMMARY=", "CI=", "GITHUB_ACTIONS=", "GITLAB_CI=", "JENKINS_URL=", "PROW_JOB_ID=", "TF_BUILD=")
	return d
}

// cfctl runs the binary and returns what it printed and its exit code.
func (d *workstation) cfctl(args ...string) (stdout, stderr string, code int) {
	cmd := exec.Command(d.bin, args...)
	cmd.Dir, cmd.Env = d.home, d.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		d.t.Fatal(err)
	}
	return out.String(), errs.String(), code
}
