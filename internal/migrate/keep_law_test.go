package migrate

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// What is acknowledged is left no more: neither is anything else of the tree.
func TestKeptRest(t *testing.T) {
	racetest.OneGoroutine(t)
	scripts, err := filepath.Glob("../../testdata/migrate/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		tree, sets := scriptTree(t, script)
		maps.DeleteFunc(tree, func(name, _ string) bool { return path.Ext(name) == ".txt" }) // what a run is to print
		for _, name := range slices.Sorted(maps.Keys(sets)) {
			keptRest(t, path.Base(script)+" "+name, tree, sets[name])
		}
	}
	for what, tree := range secondTrees(t, 200) {
		keptRest(t, what, tree.files, tree.set)
		k := &keeper{t: t, opts: Options{Rulesets: []*Ruleset{tree.set}}}
		if _, p := k.plan(tree.files, nil); !slices.ContainsFunc(p.Files, func(f *File) bool { return f.Skip != nil }) {
			keptRest(t, "written: "+what, tree.files.written(t, p), tree.set)
		}
	}
}

// A keeper acknowledges what remains of a tree, as the command does.
type keeper struct {
	t    *testing.T
	opts Options
}

// plan is the plan of a tree with what the configuration keeps.
func (k *keeper) plan(tree memory, keep []Keep) (*Migration, *Plan) {
	k.t.Helper()
	opts := k.opts
	opts.Keep = keep
	m, err := New(opts)
	if err != nil {
		k.t.Fatal(err)
	}
	p, err := m.planFS(k.t.Context(), mapOf(tree))
	if err != nil {
		k.t.Fatal(err)
	}
	return m, p
}

// acknowledge is what goes to the configuration for what remains of a tree.
func (k *keeper) acknowledge(tree memory, keep []Keep) []Keep {
	k.t.Helper()
	for range 8 {
		_, p := k.plan(tree, keep)
		more, places := p.KeepRest("ours")
		if places == 0 {
			return keep
		}
		keep = append(keep, more...)
	}
	k.t.Fatal("no end of it")
	return nil
}

// keptFaults are trees with a file whose change is refused: templates of permissions in
// both modes, kinds with a dash, alternatives of kinds.
var keptFaults = []string{"dual-renamed.txtar rules.yaml", "kind-names.txtar pear.yaml", "matched-kinds.txtar rules.yaml"}

// keptRest holds the acknowledgement of a tree to the law.
func keptRest(t *testing.T, what string, tree memory, set *Ruleset) {
	t.Helper()
	if slices.Contains(keptFaults, what) {
		return
	}
	k := &keeper{t: t, opts: Options{Rulesets: []*Ruleset{set}}}
	if _, err := New(k.opts); err != nil {
		return // rules in a circle
	}
	_, p := k.plan(tree, k.acknowledge(tree, nil))
	for _, f := range p.Files {
		if f.Skip != nil {
			t.Errorf("%s\n%s: not read: %v", what, f.Path, f.Skip)
		}
		for _, s := range f.Sites {
			if s.Action() != Stay && s.Old != Suppression { // a person takes that away
				t.Errorf("%s\n%s:%d: still left: %s: %s", what, f.Path, s.Pos.Line, s.Old, s.Why())
			}
		}
	}
}
