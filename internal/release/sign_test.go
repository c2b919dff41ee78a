package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// signedBy releases one tag with a git configuration, and has git verify what
// was pushed.
func signedBy(t *testing.T, config, want string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", file)
	w := newWorld(t)
	train := w.train("v0.2.0")
	train.Recipe.Sign = "always"
	r, _ := once(t, w, train, journalIn(t), Choices{Only: "tag:picker"})
	if s := r.Of("tag:picker"); s.State != Done {
		t.Fatalf("%s: %s", s.State, s.Text)
	}
	cmd := exec.Command("git", "verify-tag", "-v", "v1.1.0")
	cmd.Dir = w.bare("orchard/picker")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s", err, out)
	}
}

func tool(t *testing.T, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skip(args[0] + " is not installed")
	}
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

func TestTagsAreSignedBySSH(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	tool(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers := filepath.Join(dir, "signers")
	if err := os.WriteFile(signers, []byte("rita@example.com "+string(public)), 0o600); err != nil {
		t.Fatal(err)
	}
	signedBy(t, "[user]\n\tsigningKey = "+key+"\n[gpg]\n\tformat = ssh\n[gpg \"ssh\"]\n\tallowedSignersFile = "+signers+"\n", `Good "git" signature for rita@example.com`)
}

func TestTagsAreSignedByGPG(t *testing.T) {
	home, err := os.MkdirTemp("", "gpg") // a short path: gpg-agent listens in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("gpgconf", "--homedir", home, "--kill", "gpg-agent").Run()
		os.RemoveAll(home)
	})
	t.Setenv("GNUPGHOME", home)
	tool(t, "gpg", "--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "Rita Releaser <rita@example.com>", "ed25519", "sign", "never")
	signedBy(t, "[user]\n\tsigningKey = rita@example.com\n", "Good signature from \"Rita Releaser <rita@example.com>\"")
}
