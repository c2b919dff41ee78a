package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source/find"
)

// TestCommitIsWalkedLikeItsCheckout walks a folder and the same files as an
// fs.FS: what is visited, clean and skipped is the same.
func TestCommitIsWalkedLikeItsCheckout(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "group: old.example.com\n", "deep/b.yaml": "nothing\n", "deep/old.example.com_x.yaml": "", "bin/c": "\x00old.example.com", "late.pb": "\x0a\xf4old.example.com\x01",
		"vendor/d.yaml": "old.example.com", "x/node_modules/e.yaml": "old.example.com", "PROJECT": "domain: y\n", ".cfctl-tmp-1-2": "old.example.com",
		"left/f.yaml": "old.example.com", ".gitignore": "a.yaml\n", ".hg/g": "old.example.com",
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	linked := os.Symlink("a.yaml", filepath.Join(dir, "link.yaml")) == nil
	folder, err := Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	tree := OpenFS(os.DirFS(dir), nil)
	opts := func() WalkOptions {
		return WalkOptions{Finder: find.New([]string{"old.example.com"}), Always: []string{"PROJECT"}, Exclude: []string{"left/"}}
	}
	walked := func(tr *Tree) (out []string) {
		var mu sync.Mutex
		skips, stats, err := tr.Walk(t.Context(), opts(), func(f *File) error {
			mu.Lock()
			defer mu.Unlock()
			out = append(out, f.Path+": "+string(f.Data))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(out)
		return append(out, fmt.Sprint(skips), fmt.Sprint(stats.Visited, stats.Clean, stats.Unselected))
	}
	if a, b := walked(folder), walked(tree); !slices.Equal(a, b) {
		t.Errorf("the folder:\n%q\nthe commit:\n%q", a, b)
	}
	if !tree.Exists("deep/b.yaml") || tree.Exists("deep/z.yaml") || tree.Exists("../a") {
		t.Error("what is there, and what is not")
	}
	if _, err := tree.ReadFile("deep"); err == nil {
		t.Error("a folder was read as a file")
	}
	if linked {
		if _, err := tree.ReadFile("link.yaml"); err == nil {
			t.Error("a link was followed")
		}
		folderTo, _ := folder.ReadLink("link.yaml")
		if folderTo != "a.yaml" {
			t.Errorf("the link leads to %q", folderTo)
		}
	}
	err = tree.Commit(t.Context(), []Change{{From: "a.yaml", To: "a.yaml"}})
	if _, rerr := tree.Recover(t.Context()); !errors.Is(err, errReadOnly) || !errors.Is(rerr, errReadOnly) {
		t.Errorf("written into: %v, %v", err, rerr)
	}
}

// TestBinaryOfACommitIsNotRead names a file that cannot be read: where it is
// said to be binary, no one asks for it.
func TestBinaryOfACommitIsNotRead(t *testing.T) {
	asked := ""
	tree := OpenFS(watched{os.DirFS(t.TempDir()), &asked}, []string{"big.png"})
	skips, _, err := tree.Walk(context.Background(), WalkOptions{}, func(*File) error { return nil })
	if err != nil || len(skips) != 1 || skips[0].Reason != SkipBinary || asked != "" {
		t.Errorf("%v, %v, asked for %q", skips, err, asked)
	}
	if _, err := tree.ReadFile("big.png"); !errors.Is(err, errLeftOut) || asked != "" {
		t.Errorf("by name: %v, asked for %q", err, asked)
	}
}

// watched has one file, and notes who opens it.
type watched struct {
	fs.FS
	asked *string
}

func (w watched) ReadDir(string) ([]fs.DirEntry, error) { return []fs.DirEntry{bigFile{}}, nil }

func (w watched) ReadFile(name string) ([]byte, error) {
	*w.asked = name
	return nil, fs.ErrPermission
}

type bigFile struct{}

func (bigFile) Name() string               { return "big.png" }
func (bigFile) IsDir() bool                { return false }
func (bigFile) Type() fs.FileMode          { return 0 }
func (bigFile) Info() (fs.FileInfo, error) { return nil, fs.ErrPermission }
