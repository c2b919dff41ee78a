package campaign

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/project-codeflare/cfctl/internal/git"
)

// TestPackMustBeWhatItSays changes a result and its pack in every way that a
// worker could: nothing is pushed.
func TestPackMustBeWhatItSays(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	w.work(p)
	good := w.result(p, "acme/r00")
	s := w.open()
	pack, err := s.pack(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	url := w.forge.URL + "/acme/r00.git"
	side := w.commit("acme/r00", "side", map[string]string{"x": "x\n"})
	made := func(author git.Identity, message string, parents []string, changes ...git.Change) (Result, []byte) {
		local, done, err := git.Scratch(t.Context(), url, false)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if err := errors.Join(local.FetchLean(t.Context(), good.Base, leanLimit), local.FetchLean(t.Context(), side, leanLimit)); err != nil {
			t.Fatal(err)
		}
		tree, err := local.WriteTree(t.Context(), good.Base, changes)
		if err != nil {
			t.Fatal(err)
		}
		r := *good
		if r.Commit, err = local.CommitTree(t.Context(), git.NewCommit{Tree: tree, Parents: parents, Message: message, Author: author, Time: time.Unix(1, 0)}); err != nil {
			t.Fatal(err)
		}
		r.Paths = nil
		for _, c := range changes {
			r.Paths = append(r.Paths, c.Path)
		}
		slices.Sort(r.Paths)
		pack, err := local.Pack(t.Context(), r.Commit, r.Base)
		if err != nil {
			t.Fatal(err)
		}
		return r, pack
	}
	edit := git.Change{Path: "a.yaml", Data: []byte("x\n")}
	parents := []string{good.Base}
	for name, c := range map[string]func() (Result, []byte){
		"other paths":    func() (Result, []byte) { r := *good; r.Paths = []string{"b.yaml"}; return r, pack },
		"no paths":       func() (Result, []byte) { r := *good; r.Paths = nil; return r, pack },
		"another branch": func() (Result, []byte) { r := *good; r.Branch = "x y"; return r, pack },
		"an option":      func() (Result, []byte) { r := *good; r.Commit = "--all"; return r, pack },
		"no pack":        func() (Result, []byte) { return *good, nil },
		"a broken pack":  func() (Result, []byte) { return *good, pack[:len(pack)-7] },
		"two parents":    func() (Result, []byte) { return made(author, p.Message(), []string{good.Base, side}, edit) },
		"no parent":      func() (Result, []byte) { return made(author, p.Message(), nil, edit) },
		"another author": func() (Result, []byte) {
			return made(git.Identity{Name: "Eve", Email: "e@x"}, p.Message(), parents, edit)
		},
		"a message": func() (Result, []byte) { return made(author, "other", parents, edit) },
		"a new file": func() (Result, []byte) {
			return made(author, p.Message(), parents, edit, git.Change{Path: ".github/workflows/x.yaml", Data: []byte("x")})
		},
	} {
		r, pack := c()
		local, done, err := git.Scratch(t.Context(), url, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkPack(t.Context(), local, p, &r, pack); !errors.Is(err, errPack) {
			t.Errorf("%s: %v", name, err)
		}
		_ = done()
	}
	local, done, err := git.Scratch(t.Context(), url, true)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if err := checkPack(t.Context(), local, p, good, pack); err != nil {
		t.Error(err)
	}
	for name, changes := range map[string][]git.FileChange{
		"a link":      {{Path: "a", OldMode: "100644", NewMode: "120000"}},
		"a submodule": {{Path: "a", OldMode: "000000", NewMode: "160000"}},
		"a program":   {{Path: "a", OldMode: "100644", NewMode: "100755"}},
		"new":         {{Path: "a", OldMode: "000000", NewMode: "100644"}},
	} {
		if err := checkChanges(changes, []string{"a"}, false); !errors.Is(err, errPack) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkChanges([]git.FileChange{{Path: "a", OldMode: "000000", NewMode: "100644"}, {Path: "b", OldMode: "100644", NewMode: "000000"}}, []string{"a", "b"}, false); err != nil {
		t.Errorf("a rename: %v", err)
	}
}
