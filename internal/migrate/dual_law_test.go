package migrate

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// What dual mode leaves to a person is derived from what is in the tree: a
// second run changes nothing, and says what the first one said. When the window
// ends, nothing tells that there was one.
func TestDualSettles(t *testing.T) {
	dirs := map[string][]string{"../../testdata/example": {"codeflare-groups"}}
	for _, c := range trees {
		dirs[filepath.Join("testdata", "trees", c.name, "before")] = c.rulesets
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		t.Run(filepath.ToSlash(dir), func(t *testing.T) {
			opts := Options{Dual: true}
			for _, name := range dirs[dir] {
				set, err := BuiltinRuleset(name)
				if err != nil {
					t.Fatal(err)
				}
				opts.Rulesets = append(opts.Rulesets, set)
			}
			before := readTree(t, dir)
			first := leftTo(t, before, opts)
			open := migrated(t, before, opts)
			if again := migrated(t, open, opts); !maps.Equal(again, open) {
				t.Error("a second run changes something")
			}
			if second := leftTo(t, open, opts); !slices.Equal(first, second) {
				t.Errorf("the first run leaves\n%q\nand the second\n%q", first, second)
			}
			opts.Dual = false
			straight, closed := migrated(t, before, opts), migrated(t, open, opts)
			for _, name := range sortedNames(straight) {
				if closed[name] != straight[name] {
					t.Errorf("after the window, %s is\n%s\nand without one\n%s", name, closed[name], straight[name])
				}
			}
			if len(closed) != len(straight) {
				t.Errorf("after the window there are %v, without one %v", sortedNames(closed), sortedNames(straight))
			}
		})
	}
}

// A window that was opened and closed leaves what one that never was does, on trees of pieces
// at random, but for what closing it asks about. A permission whose resources are filled in has both
// groups from then on, as long as a kind of the old one stays, and a rule of a webhook has both versions
// where a group may serve both.
func TestWindowLeavesNothing(t *testing.T) {
	racetest.OneGoroutine(t)
	asked := 0
	for what, tree := range secondTrees(t, 300) {
		if strings.Contains(what, "resources: [{{") || what[0] == '4' && strings.Contains(what, "webhook") {
			continue
		}
		asks := false
		after := func(files memory, dual bool) memory {
			m, err := New(Options{Rulesets: []*Ruleset{tree.set}, Dual: dual})
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.planFS(t.Context(), mapOf(files))
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(p.Files, func(f *File) bool { return f.Skip != nil }) {
				return nil
			}
			asks = slices.ContainsFunc(p.Files, func(f *File) bool {
				return slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == NeedsReview })
			})
			return files.written(t, p)
		}
		straight, open := after(tree.files, false), after(tree.files, true)
		if straight == nil || open == nil {
			continue // not read
		}
		switch closed := after(open, false); {
		case maps.Equal(closed, straight):
		case asks:
			asked++
		default:
			t.Errorf("%s\nafter the window\n%v\nand without one\n%v", what, closed, straight)
		}
		if again := after(open, true); !maps.Equal(again, open) {
			t.Errorf("%s\na second run makes\n%v\nof\n%v", what, again, open)
		}
	}
	if asked > 20 {
		t.Errorf("closing the window asks in %d trees", asked)
	}
}

// leftTo is what a migration leaves to a person in a tree.
func leftTo(t *testing.T, tree memory, opts Options) []string {
	t.Helper()
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range tree.planned(m).Files {
		for _, s := range f.Sites {
			if s.Action() == NeedsReview {
				list = append(list, fmt.Sprintf("%s %s %s: %s", f.Path, s.ID(), s.Old, s.Why()))
			}
		}
	}
	slices.Sort(list)
	return list
}

// A file that dual mode creates is proven in a review when it is what would be
// created, and its other lines are by hand.
func TestReviewOfATwin(t *testing.T) {
	m := parsedMigration(t, mergeRules, true)
	crd := func(group string) string {
		return "kind: CustomResourceDefinition\nmetadata:\n  name: things." + group + "\nspec:\n  group: " + group + "\n  names: {kind: Thing, plural: things}\n"
	}
	old, fresh := "a.example.dev_things.yaml", "x.example.dev_things.yaml"
	base := fstest.MapFS{old: {Data: []byte(crd("a.example.dev"))}}
	for text, hand := range map[string]int{crd("x.example.dev"): 0, crd("x.example.dev") + "# more\n": 1} {
		head := fstest.MapFS{old: base[old], fresh: {Data: []byte(text)}}
		r, err := m.Review(t.Context(), base, head, Diff{Touched: []string{fresh}})
		if err != nil {
			t.Fatal(err)
		}
		if r.ByHand != hand || r.Proven != 6 || r.Files != 1 {
			t.Errorf("%d by hand, %d proven, %d files: %v", r.ByHand, r.Proven, r.Files, r.Findings)
		}
	}
}
