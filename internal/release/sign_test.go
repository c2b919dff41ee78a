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
	if err := os.WriteFile(file, []byte(gitConfig+config), 0o600); err != nil {
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

// TestCommitsAreSigned releases with signatures: every commit of the train has
// one, and is taken for the train's own afterwards.
func TestCommitsAreSigned(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", sshConfig(t))
	w := newWorld(t)
	journal := journalIn(t)
	arrive(t, w, sprint(w), journal)
	for _, p := range w.forge.(*fakeForge).Pulls {
		cmd := exec.Command("git", "verify-commit", p.Merge+"^2")
		cmd.Dir = w.bare(p.Repo)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.Repo, err, out)
		}
	}
	if n := len(w.forge.(*fakeForge).Pulls); n != 4 {
		t.Errorf("%d PRs, want 4", n)
	}
	if r, _ := once(t, w, w.train("v0.2.0"), journal, Choices{}); !r.Complete() {
		t.Error("the second run is not complete")
	}
}

// TestSignedBranchIsOurs loses the journal between the push of a signed commit
// and its record: the commit would have another hash if it were made again.
func TestSignedBranchIsOurs(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", sshConfig(t))
	w := newWorld(t)
	pick := Choices{Until: "operator-branch"}
	var r *Result
	for range 6 {
		if r, _ = once(t, w, w.train("v0.2.0"), journalIn(t), pick); r.Of("operator-branch").State == Done {
			break
		}
		w.play()
	}
	head := w.run(w.bare("orchard/operator"), "git", "rev-parse", "cfctl/release-v0.2.0")
	w.run(w.bare("orchard/operator"), "git", "update-ref", "refs/heads/cfctl/release-v0.2.0",
		w.run(w.bare("orchard/operator"), "git", "commit-tree", head+"^{tree}", "-p", head+"^", "-m", "signed at another time"))
	if r, _ = once(t, w, w.train("v0.2.0"), journalIn(t), pick); r.Of("operator-branch").State != Done {
		t.Errorf("%s: %s", r.Of("operator-branch").State, r.Of("operator-branch").Text)
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

// sshConfig is a file with git's configuration for signatures by a new SSH key.
func sshConfig(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	key := filepath.Join(dir, "key")
	tool(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	signers, config := filepath.Join(dir, "signers"), filepath.Join(dir, "gitconfig")
	text := gitConfig + "[user]\n\tsigningKey = " + key + "\n[gpg]\n\tformat = ssh\n[gpg \"ssh\"]\n\tallowedSignersFile = " + signers + "\n"
	for file, content := range map[string]string{signers: "rita@example.com " + string(public), config: text} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config
}

func TestTagsAreSignedBySSH(t *testing.T) {
	config, err := os.ReadFile(sshConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	signedBy(t, string(config), `Good "git" signature for rita@example.com`)
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
