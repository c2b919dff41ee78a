package campaign

import (
	"bytes"
	"encoding/hex"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/git"
)

// object writes an object of git that git itself may not make.
func (w *world) object(kind string, data []byte) string {
	w.t.Helper()
	cmd := exec.Command("git", "hash-object", "-t", kind, "-w", "--stdin", "--literally")
	cmd.Dir, cmd.Stdin = w.store, bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// folder is a tree with one entry.
func (w *world) folder(mode, name, hash string) string {
	raw, err := hex.DecodeString(hash)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.object("tree", append([]byte(mode+" "+name+"\x00"), raw...))
}

// A worker may push what it wants to its shard: it stops neither the other shards nor itself.
func TestShardsOfBadObjects(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	w.work(p)
	at := place("results", p.Repositories[0].Key)
	blob, small := w.object("blob", make([]byte, 70<<20)), w.object("blob", []byte("{}"))
	for name, tip := range map[string]string{
		"folder above": w.git(w.store, "commit-tree", "-m", "x", w.folder("40000", "results", w.folder("40000", "..", w.folder("100644", "a.json", small)))),
		"70 MB":        w.git(w.store, "commit-tree", "-m", "x", w.folder("40000", "results", w.folder("40000", path.Base(path.Dir(at)), w.folder("100644", path.Base(at), blob)))),
		"a commit":     w.git(w.store, "commit-tree", "-m", "x", w.folder("40000", "results", w.folder("40000", path.Base(path.Dir(at)), w.folder("160000", path.Base(at), small)))),
		"no commit":    small,
	} {
		w.git(w.store, "update-ref", "refs/cfctl/campaigns/groups/shards/0009", tip)
		if r := w.result(p, "acme/r00"); r.State != Changed {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What a worker makes the others read is bounded, and of names of the plan alone.
func TestLargeShard(t *testing.T) {
	w := newWorld(t)
	w.seed(6)
	p := w.plan()
	at, err := w.open().ref(t.Context(), "shards/0009")
	if err != nil {
		t.Fatal(err)
	}
	large := append(bytes.Repeat([]byte(" "), maxResult-2), "{}"...)
	changes := []git.Change{{Path: "results/00/of-no-plan.json", Data: large}}
	for _, r := range p.Repositories {
		changes = append(changes, git.Change{Path: place("results", r.Key), Data: large})
	}
	if err := at.write(t.Context(), "many", changes); err != nil {
		t.Fatal(err)
	}
	all, err := w.open().Results(t.Context(), p)
	if err != nil || len(all) != 6 || all["of-no-plan"] != nil {
		t.Fatal(all, err)
	}
	for i, r := range p.Repositories {
		if got := all[r.Key]; got.Class != Unreadable || strings.Contains(got.Text, "too large") != (i > 4) {
			t.Errorf("%d: %+v", i, got)
		}
	}
	w.work(p)
	if st, err := Count(t.Context(), w.open()); err != nil || st.Counts["ready"] != 6 {
		t.Errorf("%+v, %v", st, err)
	}
}

// What a worker says of a repository of another shard neither keeps that from being evaluated
// nor takes the place of what its own shard says.
func TestForgedResults(t *testing.T) {
	w := newWorld(t)
	w.seed(1)
	p := w.plan()
	key := p.Repositories[0].Key
	forge := func(shard string, r *Result) {
		t.Helper()
		at, err := w.open().ref(t.Context(), shard)
		if err != nil {
			t.Fatal(err)
		}
		if err := at.write(t.Context(), "forged", []git.Change{{Path: place("results", key), Data: encode(r)}}); err != nil {
			t.Fatal(err)
		}
	}
	base := w.git(w.bare("acme/r00"), "rev-parse", "main")
	for i, r := range []*Result{
		{Base: base, Branch: "main", State: Nothing, Written: "2999-01-01T00:00:00Z"},
		{Base: base, Branch: "main", State: Trouble, Class: "moved", Written: stamp(w.clock())},
		{Base: strings.Repeat("0", 40), Branch: "main", State: Nothing, Written: "2999-01-01T00:00:00Z"},
	} {
		r.Key, r.Name, r.Digest = key, "acme/r00", p.Digest()
		for _, shard := range []string{"shards/0009", "shards/00001"} {
			forge(shard, r)
		}
		if done := w.work(p); done.Changed != map[bool]int{true: 1}[i == 0] {
			t.Errorf("%d: %+v", i, done)
		}
		if got := w.result(p, "acme/r00"); got.State != Changed {
			t.Errorf("%d: %+v", i, got)
		}
	}
}
