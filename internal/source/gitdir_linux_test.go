package source

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestGitFileNamesARepositoryOfItsOwn: a .git file of a tree is believed only
// where it names a git directory, and one of a linked work tree only where that
// names it in turn; what is no regular file is not waited for.
func TestGitFileNamesARepositoryOfItsOwn(t *testing.T) {
	top := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"repo/.git/objects", "repo/.git/refs"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put("repo/.git/HEAD", "ref: refs/heads/main\n")
	put("repo/.git/worktrees/w/HEAD", "ref: refs/heads/w\n")
	put("repo/.git/worktrees/w/commondir", "../..\n")
	put("repo/.git/worktrees/w/gitdir", filepath.Join(top, "linked", ".git")+"\n")
	put("victim/HEAD", "x\n")
	put("linked/.git", "gitdir: "+filepath.Join(top, "repo/.git/worktrees/w")+"\n")
	put("sub/.git", "gitdir: ../repo/.git\n")
	put("thief/.git", "gitdir: "+filepath.Join(top, "repo/.git/worktrees/w")+"\n")
	put("lost/.git", "gitdir: "+filepath.Join(top, "victim")+"\n")
	if err := os.MkdirAll(filepath.Join(top, "pipe"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, pipe := range []string{"pipe/.git", "repo/.git/index"} {
		if err := syscall.Mkfifo(filepath.Join(top, pipe), 0o644); err != nil {
			t.Skip(err)
		}
	}
	for dir, want := range map[string]string{"repo": "repo/.git", "linked": "repo/.git/worktrees/w", "sub": "repo/.git", "thief": "", "lost": "", "pipe": ""} {
		if want != "" {
			want = filepath.Join(top, want)
		}
		if got := gitDirOf(filepath.Join(top, dir)); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	if _, err := readGitFile(filepath.Join(top, "repo/.git/index")); err == nil {
		t.Error("a pipe was read for an index")
	}
}
