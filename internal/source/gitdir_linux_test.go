package source

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestGitFileNamesARepositoryOfItsOwn: a .git file of a tree is believed only
// where it names a git directory that names it in turn, or is no one's else; what is no regular file is not waited for.
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
	for dir, config := range map[string]string{
		"modules/back": "[core]\n\tbare = false\n\tworktree = ../../back\n", "modules/elsewhere": "[core]\n\tworktree = ../../back\n", "modules/separate": "[core]\n\tbare = false\n",
		"modules/bare": "[core]\n\tbare = true\n", "modules/moved": "[extensions]\n\tworktreeConfig = true\n",
	} {
		put(dir+"/HEAD", "x\n")
		put(dir+"/objects/x", "")
		put(dir+"/refs/x", "")
		put(dir+"/config", config)
		put(filepath.Base(dir)+"/.git", "gitdir: ../"+dir+"\n")
	}
	put("modules/moved/config.worktree", "[core]\n\tworktree = \""+filepath.Join(top, "moved")+"\"\n")
	put("link/x", "")
	if err := os.Symlink("../repo/.git", filepath.Join(top, "link/.git")); err != nil {
		t.Fatal(err)
	}
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
	for dir, want := range map[string]string{"repo": "repo/.git", "linked": "repo/.git/worktrees/w", "sub": "", "link": "", "thief": "", "lost": "", "pipe": "",
		"back": "modules/back", "elsewhere": "", "separate": "modules/separate", "bare": "", "moved": "modules/moved"} {
		if want != "" {
			want = filepath.Join(top, want)
		}
		if got := gitDirOf(filepath.Join(top, dir)); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
		if got := NamesAnother(filepath.Join(top, dir)); got != (want == "") {
			t.Errorf("%s names another: %v", dir, got)
		}
	}
	if _, err := readGitFile(filepath.Join(top, "repo/.git/index")); err == nil {
		t.Error("a pipe was read for an index")
	}
}
