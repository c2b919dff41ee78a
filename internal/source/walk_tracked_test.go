package source

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What git tracks is taken although .gitignore names it, or its name is one of a write
// under way; what lies next to it
// in an ignored directory is not.
func TestWalkTakesTrackedFiles(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run("index "+version+" "+format, func(t *testing.T) {
				layOut(t, map[string]string{
					".gitignore": "server\n*.log\n/out/\n", "pkg/server/a.go": "1", "pkg/server/in/b.go": "2", "pkg/server/built": "3",
					"kept.log": "4", "other.log": "5", "out/x": "6", "pkg/z.go": "7", "serverless/c.go": "8",
					"pkg/.cfctl-tmp-1-2": "9", "pkg/.cfctl-tmp-3-4": "of a write under way",
				})
				git(t, "init", "-q", "--object-format="+format)
				git(t, "config", "index.version", version)
				git(t, "add", "-f", "pkg/server/a.go", "pkg/server/in/b.go", "kept.log", "pkg/z.go", "pkg/.cfctl-tmp-1-2")
				if version == "3" {
					git(t, "add", "-N", "-f", ".gitignore") // asks for extended flags
				}
				visited, _, _ := walkAll(t, nil, WalkOptions{})
				if want := []string{".gitignore", "kept.log", "pkg/.cfctl-tmp-1-2", "pkg/server/a.go", "pkg/server/in/b.go", "pkg/z.go", "serverless/c.go"}; !slices.Equal(visited, want) {
					t.Errorf("visited %q, want %q", visited, want)
				}
				t.Chdir("pkg")
				visited, _, _ = walkAll(t, nil, WalkOptions{})
				if want := []string{".cfctl-tmp-1-2", "server/a.go", "server/in/b.go", "z.go"}; !slices.Equal(visited, want) {
					t.Errorf("in pkg: visited %q, want %q", visited, want)
				}
			})
		}
	}
}

// A file that is not there is ignored as one that is; what git tracks is not.
func TestIgnored(t *testing.T) {
	layOut(t, map[string]string{".gitignore": "/top.log\nout/\n", "config/crd/.gitignore": "bases/*\n!bases/kept.yaml\n", "config/crd/bases/a.yaml": "1"})
	git(t, "init", "-q")
	git(t, "add", "-f", "config/crd/bases/a.yaml")
	for _, dir := range []string{".", "config"} {
		t.Chdir(dir)
		tree, err := Open([]string{"."})
		if err != nil {
			t.Fatal(err)
		}
		defer tree.Close() //nolint:errcheck // only reading was done
		for name, want := range map[string]bool{
			"config/crd/bases/a.yaml": false, "config/crd/bases/b.yaml": true, "config/crd/bases/kept.yaml": false, "config/out/x/y": true, "config/x.yaml": false,
			"top.log": true, "../x": false,
		} {
			at, inside := strings.CutPrefix(name, "config/")
			if dir != "." && !inside {
				continue
			}
			if dir == "." {
				at = name
			}
			if got := tree.Ignored(at); got != want {
				t.Errorf("in %s, %s: %t, want %t", dir, name, got, want)
			}
		}
	}
}

// An index that is cut or of another form names nothing, and nothing breaks.
func TestIndexOfWhatIsNone(t *testing.T) {
	for _, data := range []string{"", "DIRC", "DIRC\x00\x00\x00\x02\x00\x00\x00\x05", "DIRC\x00\x00\x00\x04\xff\xff\xff\xff", "JUNKJUNKJUNKJUNK"} {
		if x := parseIndex([]byte(data)); x.paths != nil || x.links != nil || x.sparse != nil {
			t.Errorf("%q: %q", data, x)
		}
	}
}

// A repository in a repository is another one, however it got there and whether
// or not it is checked out; what is named is taken.
func TestWalkLeavesOtherRepositories(t *testing.T) {
	files := map[string]string{
		"a.yaml": "1", "sub/in/b.yaml": "2", "left/c.yaml": "3", "clone/d.yaml": "4", "none/.git/x": "", "none/e.yaml": "5", "odd/.git": "no gitdir",
		"odd/f.yaml": "6", "ours/g.yaml": "7", ".gitmodules": "",
	}
	dir := layOut(t, files)
	git(t, "init", "-q", ".")
	git(t, "add", "a.yaml", "none/e.yaml", "ours/g.yaml")
	for _, sub := range []string{"sub", "clone", "ours"} {
		git(t, "init", "-q", sub)
	}
	for _, link := range []string{"sub", "left"} { // left was never initialized
		git(t, "update-index", "--add", "--cacheinfo", "160000,0123456789012345678901234567890123456789,"+link)
	}
	git(t, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "x", "--", "a.yaml")
	git(t, "worktree", "add", "-q", "linked")
	for _, c := range []struct{ in, named, want string }{
		{".", ".", ".gitmodules a.yaml none/e.yaml odd/f.yaml ours/g.yaml"},
		{".", "sub", "sub/in/b.yaml"},
		{".", "clone/d.yaml", "clone/d.yaml"},
		{"sub", ".", "in/b.yaml"},
		{"sub/in", ".", "b.yaml"},
		{"linked", ".", "a.yaml"},
		{"left", ".", "c.yaml"},
	} {
		t.Chdir(filepath.Join(dir, c.in))
		visited, skips, _ := walkAll(t, []string{c.named}, WalkOptions{})
		if got := strings.Join(visited, " "); got != c.want {
			t.Errorf("%s in %s: visited %s, want %s", c.named, c.in, got, c.want)
		}
		for _, other := range []string{"clone", "left", "linked", "sub"} {
			if s := other + ": another repository\n"; c.in == "." && c.named == "." && !strings.Contains(skipText(skips), s) {
				t.Errorf("no %q in\n%s", s, skipText(skips))
			}
		}
	}
}

func git(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Skipf("git %q: %v: %s", args, err, out)
	}
}
