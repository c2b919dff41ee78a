package git

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestObjectsAreGits writes random changes, and compares trees and commits with those that git
// makes of the same changes.
func TestObjectsAreGits(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		dir := t.TempDir()
		sh(t, dir, "init", "-q", "-b", "main", "--object-format="+format)
		names := []string{"a", "a.b", "a-b/c", "a0", "d/e/f", "d/e.f", "d/g", "ü/h", "i/j/k/l"}
		for i, name := range names {
			write(t, dir, name, fmt.Sprintln("first", i))
		}
		sh(t, dir, "add", "-A")
		sh(t, dir, "update-index", "--chmod=+x", "d/g")
		sh(t, dir, "commit", "-qm", "First")
		r, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close() //nolint:errcheck // at the end of the test
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 1))
			sh(t, dir, "reset", "-q", "--hard", "main")
			var changes []Change
			for _, name := range slices.Concat(names, []string{"new", "d/new", "x/y/z", "a/b"}) {
				switch n := random.IntN(3); {
				case n == 1 && name != "new" || name == "a/b":
					changes = append(changes, Change{Path: name, Delete: true})
					sh(t, dir, "rm", "-q", "--cached", "--ignore-unmatch", "--", name)
				case n == 2:
					changes = append(changes, Change{Path: name, Data: fmt.Appendln(nil, seed, name)})
					write(t, dir, name, fmt.Sprintln(seed, name))
					sh(t, dir, "add", "--", name)
				}
			}
			random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
			tree, err := r.WriteTree(t.Context(), "main", changes)
			if want := sh(t, dir, "write-tree"); err != nil || tree != want {
				t.Fatalf("%s, seed %d: tree %s, %v, not %s, of %+v", format, seed, tree, err, want, changes)
			}
			base := sh(t, dir, "rev-parse", "main")
			got, err := r.CommitTree(t.Context(), NewCommit{Tree: tree, Parents: []string{base}, Message: "\nSecond\n\nbody\n", Author: Identity{"t", "t@example.com"}, Time: time.Date(2023, 8, 1, 12, 0, 0, 0, time.UTC)})
			if want := sh(t, dir, "commit-tree", "-p", base, "-m", "Second\n\nbody", tree); err != nil || got != want {
				t.Errorf("%s, seed %d: commit %s, %v, not %s", format, seed, got, err, want)
			}
		}
		if all, err := r.WriteTree(t.Context(), "main", func() (list []Change) {
			for _, name := range names {
				list = append(list, Change{Path: name, Delete: true})
			}
			return list
		}()); err != nil || all != sh(t, dir, "hash-object", "-t", "tree", "--stdin") {
			t.Errorf("nothing left: %s, %v", all, err)
		}
		if out := sh(t, dir, "fsck", "--strict", "--no-dangling"); out != "" {
			t.Error(out)
		}
	}
}

// A path is a file or a folder, not both, and an author has a name.
func TestObjectsRefuse(t *testing.T) {
	dir := example(t)
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // at the end of the test
	for _, name := range []string{"README.md/a", "config", "../a", ".git/config"} {
		if hash, err := r.WriteTree(t.Context(), "main", []Change{{Path: name, Data: []byte("a")}}); err == nil {
			t.Errorf("%s: written as %s", name, hash)
		}
	}
	if hash, err := r.WriteTree(t.Context(), "main", []Change{{Path: "README.md", Delete: true}, {Path: "README.md/a", Data: []byte("a")}}); err != nil {
		t.Errorf("a file that becomes a folder: %s, %v", hash, err)
	}
	tree, who := sh(t, dir, "rev-parse", "main^{tree}"), Identity{"a", "a@example.com"}
	for _, c := range []NewCommit{
		{Tree: tree, Author: Identity{" <>", "a"}}, {Tree: "-x", Author: who}, {Tree: tree, Author: who, Message: "a\x00b"},
		{Tree: tree, Author: who, Parents: []string{sh(t, dir, "rev-parse", "main") + "\nparent x"}},
	} {
		if hash, err := r.CommitTree(t.Context(), c); err == nil {
			t.Errorf("%+v: written as %s", c, hash)
		}
	}
	if list, err := parseTree(object{hash: strings.Repeat("0", 40), data: []byte("040000 a\x00" + strings.Repeat("x", 20))}); err != nil || list[0].mode != folderMode {
		t.Errorf("a mode with a zero: %+v, %v", list, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".git", "objects", "*", "tmp_obj_*")); len(left) > 0 {
		t.Errorf("left behind: %s", strings.Join(left, ", "))
	}
}
