package source

import (
	"os/exec"
	"slices"
	"testing"
)

// What git tracks is taken although .gitignore names it; what lies beside it
// in an ignored directory is not.
func TestWalkTakesTrackedFiles(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		for _, format := range []string{"sha1", "sha256"} {
			t.Run("index "+version+" "+format, func(t *testing.T) {
				layOut(t, map[string]string{
					".gitignore": "server\n*.log\n/out/\n", "pkg/server/a.go": "1", "pkg/server/in/b.go": "2", "pkg/server/built": "3",
					"kept.log": "4", "other.log": "5", "out/x": "6", "pkg/z.go": "7", "serverless/c.go": "8",
				})
				git(t, "init", "-q", "--object-format="+format)
				git(t, "config", "index.version", version)
				git(t, "add", "-f", "pkg/server/a.go", "pkg/server/in/b.go", "kept.log", "pkg/z.go")
				if version == "3" {
					git(t, "add", "-N", "-f", ".gitignore") // asks for extended flags
				}
				visited, _, _ := walkAll(t, nil, WalkOptions{})
				if want := []string{".gitignore", "kept.log", "pkg/server/a.go", "pkg/server/in/b.go", "pkg/z.go", "serverless/c.go"}; !slices.Equal(visited, want) {
					t.Errorf("visited %q, want %q", visited, want)
				}
				t.Chdir("pkg")
				visited, _, _ = walkAll(t, nil, WalkOptions{})
				if want := []string{"server/a.go", "server/in/b.go", "z.go"}; !slices.Equal(visited, want) {
					t.Errorf("in pkg: visited %q, want %q", visited, want)
				}
			})
		}
	}
}

// An index that is cut or of another form names nothing, and nothing breaks.
func TestIndexPathsOfWhatIsNone(t *testing.T) {
	for _, data := range []string{"", "DIRC", "DIRC\x00\x00\x00\x02\x00\x00\x00\x05", "DIRC\x00\x00\x00\x04\xff\xff\xff\xff", "JUNKJUNKJUNKJUNK"} {
		if paths := indexPaths([]byte(data)); paths != nil {
			t.Errorf("%q: %q", data, paths)
		}
	}
}

func git(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Skipf("git %q: %v: %s", args, err, out)
	}
}
