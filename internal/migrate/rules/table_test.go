package rules

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
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
		{GVK{Group: "b.example.com", Version: "v1", Kind: "Plum"}, Moves, GVK{Group: "b.example.com", Version: "v3", Kind: "Plum"}, "alone"},
		{GVK{Group: "b.example.com", Version: "v1", Kind: "Fig"}, NoRule, GVK{}, ""},
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

// One rule that changes the group and the version goes by the change of shape of the new group.
func TestShapeOfTheNewGroup(t *testing.T) {
	table := tableOf(t, "rules:\n- {id: a, from: {group: a.example.com, version: v1}, to: {group: b.example.com, version: v2}}\nconvert:\n- {id: s, kind: Pear, from: b.example.com/v1, to: b.example.com/v2, steps: [{drop: spec.a, why: gone}]}\n- {id: t, kind: Fig, from: b.example.com/v1, to: b.example.com/v3, steps: [{drop: spec.a, why: gone}]}\n")
	for kind, want := range map[string]int{"Pear": 1, "Fig": 0} {
		if got := table.Shapes(GVK{Group: "a.example.com", Version: "v1", Kind: kind}); len(got) != want {
			t.Errorf("%s: %d shapes, want %d", kind, len(got), want)
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

// Many groups that become one, of which each kind goes on to another one, are refused in time.
func TestTooManyRulesLeadOn(t *testing.T) {
	text := "name: x\nrules:\n"
	for i := range 1000 {
		text += fmt.Sprintf("- {id: g%d, from: {group: g%[1]d.example.com}, to: {group: all.example.com}}\n", i)
		text += fmt.Sprintf("- {id: k%d, from: {group: all.example.com, kind: Kind%[1]d}, to: {group: last.example.com}}\n", i)
	}
	set, err := Parse("r.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile([]*Ruleset{set}); err == nil || !strings.Contains(err.Error(), "too many rules lead on from all.example.com") {
		t.Error(err)
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

// What rules say of versions and of kinds that are renamed is told with them.
func TestAmbiguousVersions(t *testing.T) {
	for text, want := range map[string]string{
		"- {id: a, from: {group: a.b, version: v1}, to: {version: v3}}\n- {id: b, from: {group: a.b, version: v2}, to: {group: c.d, version: v4}}\n": "version: v1 → a.b/v3, v2 → c.d",
		"- {id: a, from: {group: a.b}, to: {group: c.d}}\n- {id: b, from: {group: a.b}, to: {group: e.f}}\n":                                         "ruleset: r0 → c.d, r0 → e.f",
		"- {id: a, from: {group: a.b, kind: Ant}, to: {kind: Bee}}\n- {id: b, from: {group: a.b, kind: Cat}, to: {group: c.d}}\n":                    "kind: Ant → a.b, Cat → c.d",
		"- {id: a, from: {group: a.b, kind: Ant}, to: {group: a.x}}\n- {id: b, from: {group: a.b, kind: Bee}, to: {group: b.x}}\n" +
			"- {id: c, from: {group: a.b, kind: Cat}, to: {group: c.x}}\n- {id: d, from: {group: a.b, kind: Dog}, removed: gone}\n": "kind: Ant → a.x, Bee → b.x, Cat → c.x, Dog → removed",
	} {
		if got := tableOf(t, "rules:\n"+text).Ask(GVK{Group: "a.b"}).Why; got != "it depends on the "+want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Of two rulesets that change the shape of one kind the first does.
func TestFirstShape(t *testing.T) {
	table := tableOf(t, second, "convert: [{id: another, kind: Pear, from: b.example.com/v1, to: b.example.com/v2, steps: [{drop: spec.leaf}]}]\n")
	table.Hops(GVK{Group: "b.example.com", Version: "v1", Kind: "Pear"}, func(h Hop) bool {
		if h.Shape.ID != "shape" {
			t.Errorf("%s changes the shape", h.Shape.ID)
		}
		return true
	})
}

// What a rule does not name stays, and a kind that is renamed has a resource of its own.
func TestComplete(t *testing.T) {
	from := GVK{Group: "a.b", Version: "v1", Kind: "Pear", Plural: "pearen"}
	for to, want := range map[GVK]GVK{
		{}:                               from,
		{Group: "c.d", Version: "v2"}:    {Group: "c.d", Version: "v2", Kind: "Pear", Plural: "pearen"},
		{Kind: "Policy"}:                 {Group: "a.b", Version: "v1", Kind: "Policy", Plural: "policies"},
		{Kind: "Policy", Plural: "laws"}: {Group: "a.b", Version: "v1", Kind: "Policy", Plural: "laws"},
	} {
		if got := Complete(to, from); got != want {
			t.Errorf("%+v: %+v", to, got)
		}
	}
}

// Nothing is before or behind a name.
func TestNamesOfRulesets(t *testing.T) {
	for _, x := range []struct {
		what    *lazyregexp.Regexp
		yes, no string
	}{
		{kebab, "a a-b 1-2", "A -a a- a--b a_b a-b_c ab.c"},
		{GroupName, "a a.b a-b.c", "-a a. .a a..b a.b- a.b_c A.b a.b/c"},
		{keyName, "a.b/ a.b/c A a.b/C_d", "/a a/b/c a.b* .a a.b/c*"},
		{APIVersion, "v1 v10 v1beta2 v2alpha10", "v0 1 v v1beta v1beta0 v1gamma1 v1beta1x xv1"},
		{kindName, "Pear P P1", "pear 1P Pear_s Pear- xPear"},
		{ServedKind, "Pear pear P-1", "1P Pear- Pear_s Pear.s"},
		{PluralName, "pears p-1", "Pears 1p pears_ pears.x xPears"},
	} {
		for want, list := range map[bool]string{true: x.yes, false: x.no} {
			for name := range strings.FieldsSeq(list) {
				if x.what.MatchString(name) != want {
					t.Errorf("%s: %v", name, !want)
				}
			}
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

// What stays is told of by its version where only that keeps it.
func TestWhyNot(t *testing.T) {
	table := tableOf(t, "rules:\n- {id: a, from: {group: a.b, version: v1beta1}, to: {version: v1}}\n- {id: c, from: {group: c.d, version: v1, kind: Apple, plural: apples}, to: {group: e.f}}")
	for site, want := range map[GVK]string{
		{Group: "a.b", Version: "v1beta2", Kind: "Apple"}: "no rule covers version v1beta2",
		{Group: "a.b", Version: "v1beta2"}:                "no rule covers version v1beta2",
		{Group: "c.d", Version: "v2", Kind: "Apple"}:      "no rule covers version v2",
		{Group: "c.d", Version: "v2", Plural: "apples"}:   "no rule covers version v2",
		{Group: "c.d", Version: "v2", Kind: "Pear"}:       "no rule covers kind Pear",
		{Group: "c.d", Version: "v1", Plural: "pears"}:    "no rule covers resource pears",
	} {
		if got := table.Ask(site).Why; got != want {
			t.Errorf("%v: got %q, want %q", site, got, want)
		}
	}
}

// TestAnswersAreBounded: a name that may mean thousands of kinds is ambiguous, and no list of
// what becomes of each is made.
func TestAnswersAreBounded(t *testing.T) {
	var s strings.Builder
	s.WriteString("name: many\nrules:\n")
	var kinds []string
	for i := range 2 * maxDifferent {
		kinds = append(kinds, fmt.Sprintf("K%dx", i))
		fmt.Fprintf(&s, "- {id: w%d, from: {group: old.example.com, kind: K%dx}, to: {kind: L%dx}}\n", i, i, i)
	}
	set, err := Parse("rules.yaml", []byte(s.String()))
	if err != nil {
		t.Fatal(err)
	}
	table, err := Compile([]*Ruleset{set})
	if err != nil {
		t.Fatal(err)
	}
	list := table.Answers(Known{Group: "old.example.com", Kinds: kinds})
	if n := len(list); n > maxDifferent+2 || list[n-1].Outcome != Ambiguous {
		t.Errorf("%d answers, the last is %v", n, list[n-1].Outcome)
	}
}
