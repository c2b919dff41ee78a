package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPartialCloneOfAPerson: what the clone left out is not fetched behind the
// person's back, and how to fetch it is said.
func TestPartialCloneOfAPerson(t *testing.T) {
	dir := t.TempDir()
	git := func(in string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "uploadpack.allowFilter=true"}, args...)...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	up := filepath.Join(dir, "up")
	git(dir, "init", "-q", "up")
	git(up, "config", "uploadpack.allowFilter", "true")
	if err := os.WriteFile(filepath.Join(up, "README.md"), []byte("# one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(up, "add", ".")
	git(up, "commit", "-q", "-m", "one")
	git(up, "tag", "v1.0.0")
	git(dir, "clone", "-q", "--bare", "--filter=blob:none", "file://"+filepath.ToSlash(up), "part")
	var stdout, stderr bytes.Buffer
	code := run([]string{"matrix", "check", "--stack", "codeflare", "--offline", "--repo", filepath.Join(dir, "part"), "--ref", "v1.0.0"}, os.Environ(), strings.NewReader(""), &stdout, &stderr)
	if code != exitTrouble || !strings.Contains(stderr.String(), "hint: this is a partial clone") {
		t.Errorf("exit %d\n%s%s", code, stdout.String(), stderr.String())
	}
}
