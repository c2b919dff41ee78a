package rules

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func tableOf(t *testing.T, texts ...string) *Table {
	t.Helper()
	var sets []*Ruleset
	for i, text := range texts {
		set, err := Parse("r.yaml", []byte(fmt.Sprintf("name: r%d\n%s", i, text)))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	table, err := Compile(sets)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

const (
	first  = "rules:\n- {id: group, from: {group: a.example.com}, to: {group: b.example.com}}\n- {id: old-pear, from: {group: a.example.com, kind: Quince}, to: {group: b.example.com, kind: Pear}}\n"
	second = "rules:\n- {id: version, from: {group: b.example.com, version: v1, kind: Pear}, to: {version: v2}}\n- {id: apple, from: {group: b.example.com, kind: Apple}, to: {group: apples.example.com}}\n" +
		"convert:\n- {id: shape, kind: Pear, from: b.example.com/v1, to: b.example.com/v2, steps: [{drop: spec.worm}]}\n- {id: alone, kind: Plum, from: b.example.com/v1, to: b.example.com/v3, steps: [{drop: spec.worm}]}\n"
)

// Several rulesets answer as one, and the first rule that moved a site is the
// one that is named.
func TestAsk(t *testing.T) {
	table := tableOf(t, first, second)
	for _, c := range []struct {
		site    GVK
		outcome Outcome
		to      GVK
		rule    string
	}{
		{GVK{Group: "a.example.com", Version: "v1", Kind: "Fig"}, Moves, GVK{Group: "b.example.com", Version: "v1", Kind: "Fig"}, "group"},
		{GVK{Group: "a.example.com", Version: "v1", Kind: "Pear"}, Moves, GVK{Group: "b.example.com", Version: "v2", Kind: "Pear"}, "group"},
		{GVK{Group: "a.example.com", Version: "v1", Kind: "Quince"}, Moves, GVK{Group: "b.example.com", Version: "v2", Kind: "Pear"}, "old-pear"},
		{GVK{Group: "a.example.com", Version: "v1", Kind: "Apple"}, Moves, GVK{Group: "apples.example.com", Version: "v1", Kind: "Apple"}, "group"},
		{GVK{Group: "b.example.com", Version: "v2", Kind: "Pear"}, NoRule, GVK{}, ""},
		{GVK{Group: "other.example.com", Version: "v1", Kind: "Pear"}, NoRule, GVK{}, ""},
	} {
		if got := table.Ask(c.site); got.Outcome != c.outcome || got.To != c.to || got.Rule.ID != c.rule {
			t.Errorf("%s: %+v", c.site, got)
		}
	}
}

// A hop tells the change of shape that belongs to it, also where no rule moves
// the kind.
func TestHops(t *testing.T) {
	table := tableOf(t, first, second)
	for kind, want := range map[string]string{"Quince": "a/v1 Quince, b/v1 Pear shape", "Plum": "a/v1 Plum, b/v1 Plum alone", "Fig": "a/v1 Fig"} {
		var way []string
		table.Hops(GVK{Group: "a.example.com", Version: "v1", Kind: kind}, func(h Hop) bool {
			step := strings.ReplaceAll(h.From.String(), ".example.com", "")
			if h.Shape != nil {
				step += " " + h.Shape.ID
			}
			way = append(way, step)
			return true
		})
		if got := strings.Join(way, ", "); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

// Rules that lead back are refused, however many rulesets it takes.
func TestCircles(t *testing.T) {
	for _, back := range []string{"a.example.com", "b.example.com"} {
		set, err := Parse("r.yaml", []byte("name: x\nrules:\n- {id: a, from: {group: a.example.com}, to: {group: b.example.com}}\n- {id: b, from: {group: b.example.com}, to: {group: c.example.com}}\n- {id: c, from: {group: c.example.com}, to: {group: "+back+"}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile([]*Ruleset{set}); err == nil || !strings.Contains(err.Error(), "circle") {
			t.Errorf("back to %s: %v", back, err)
		}
	}
}

// What does not tell enough is ambiguous, whatever the order of the rules.
func TestAmbiguous(t *testing.T) {
	for _, order := range [][2]string{{"Apple", "Berry"}, {"Berry", "Apple"}} {
		text := "rules:\n"
		for _, kind := range order {
			text += fmt.Sprintf("- {id: %s, from: {group: s.example.com, kind: %s}, to: {group: %s.example.com}}\n", strings.ToLower(kind), kind, strings.ToLower(kind))
		}
		got := tableOf(t, text).Ask(GVK{Group: "s.example.com"})
		if got.Outcome != Ambiguous || got.Why != "it depends on the kind: Apple → apple.example.com, Berry → berry.example.com" {
			t.Errorf("%v: %+v", order, got)
		}
	}
}

// A table is asked by many at once.
func TestAskConcurrently(t *testing.T) {
	table := tableOf(t, first, second)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, kind := range []string{"Pear", "Quince", "Plum", "Fig"} {
				table.Ask(GVK{Group: "a.example.com", Version: "v1", Kind: kind})
				table.Hops(GVK{Group: "a.example.com", Version: "v1", Kind: kind}, func(Hop) bool { return true })
			}
		})
	}
	all.Wait()
}

// A text may need another shape where it names a kind that a rule renames, or one
// whose shape changes.
func TestMayConvert(t *testing.T) {
	table := tableOf(t, first, second)
	for in, want := range map[string]bool{"kind: Quince": true, "kind: Pear": true, "kind: Plum": true, "kind: Apple": false, "": false} {
		if table.MayConvert([]byte(in)) != want {
			t.Errorf("%q: not %v", in, want)
		}
	}
}
