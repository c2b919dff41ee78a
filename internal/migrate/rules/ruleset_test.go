package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

const goodRule = "rules: [{id: a, from: {group: a.example.com, kind: Pear}, to: {group: b.example.com}}]\n"

// What is wrong with a ruleset is said with the place where it is.
func TestMistakes(t *testing.T) {
	convert := func(step string) string {
		return "name: x\nconvert:\n- {id: c, kind: Pear, from: a.example.dev/v1, to: a.example.dev/v2, steps: [" + step + "]}\n"
	}
	for _, x := range []struct{ in, want string }{
		{"name: Bad Name\n" + goodRule, `r.yaml:1:1: name "Bad Name": use lower-case letters, digits and hyphens, such as example-dev-groups`},
		{"name: x\n", "r.yaml: the ruleset has no rules, keys or convert"},
		{"name: x\nrules: [{id: A, from: {group: a.b}, to: {group: c.d}}]\n", `r.yaml:2:1: rule id "A": use lower-case letters, digits and hyphens, such as widget-group`},
		{"name: x\nrules:\n- {id: a, from: {group: a.b}, to: {group: c.d}}\n- {id: a, from: {group: e.f}, to: {group: c.d}}\n", `r.yaml:3:4: rule id "a" is used twice`},
		{"name: x\nrules: [{id: a, from: {version: v1}, to: {group: c.d}}]\n", "r.yaml:2:10: rule a: from.group is missing"},
		{goodRule, "r.yaml: name is missing"},
		{"name: x\nrules: [{id: a, from: a.b, to: {group: c.d}}]\n", `r.yaml:2:23: rules[].from: want a mapping with keys of group, kind, plural, version, not "a.b"`},
		{"name: x\nrules: [{id: a, from: {group: a.b/v1}, to: {group: c.d}}]\n", `r.yaml:2:10: rule a: from.group "a.b/v1" has a version in it: write group: a.b, version: v1`},
		{"name: x\nrules: [{id: a, from: {group: A.b}, to: {group: c.d}}]\n", `r.yaml:2:10: rule a: from.group "A.b" is not an API group: want a domain in lower case`},
		{"name: x\nrules: [{id: a, from: {group: a.b, version: one}, to: {group: c.d}}]\n", `r.yaml:2:10: rule a: from.version "one" is not an API version`},
		{"name: x\nrules: [{id: a, from: {group: a.b, kind: my_pear}, to: {group: c.d}}]\n", `r.yaml:2:10: rule a: from.kind "my_pear" is not a kind`},
		{"name: x\nrules: [{id: a, from: {group: a.b, plural: Pears}, to: {group: c.d}}]\n", `r.yaml:2:10: rule a: from.plural "Pears" is not a resource name`},
		{"name: x\nrules: [{id: a, from: {group: a.b}, to: {}}]\n", "r.yaml:2:10: rule a: to is missing"},
		{"name: x\nrules: [{id: a, from: {group: a.b}, to: {group: c.d}, removed: gone}]\n", "r.yaml:2:10: rule a: "},
		{"name: x\nrules: [{id: a, from: {group: a.b, kind: Pear}, to: {group: a.b, kind: Plum}, words: some}]\n", `r.yaml:2: words "some": want surface, all, or a mapping such as {wdgt: gadget}`},
		{"name: x\nrules: [{id: a, from: {group: a.b, kind: Pear}, to: {group: a.b, kind: Plum}, words: {PR: plum}}]\n", `r.yaml:2:10: rule a: words: "PR": "plum": want words that begin with a lower-case letter, such as wdgt: gadget`},
		{"name: x\nrules: [{id: a, from: {group: a.b, kind: Pear}, to: {group: a.b, kind: Plum}, words: {PearTree: plum tree}}]\n", `r.yaml:2:10: rule a: words: "PearTree": "plum tree": want words that`},
		{"name: x\nrules: [{id: a, from: {group: a.b}, to: {group: c.d}, words: surface}]\n", "r.yaml:2:10: rule a: words are those of a kind that is renamed"},
		{"name: x\nkeys: [{from: a.b/c}]\n", "r.yaml:2:1: a key needs from and to"},
		{"name: x\nkeys: [" + strings.Repeat("{from: a.b/c, to: d.e/c}, ", 1001) + "]\n", "r.yaml:2:1: 1001 keys, more than 1000"},
		{"name: x\nkeys: [{to: a.b/c}]\n", "r.yaml:2:1: a key needs from and to"},
		{"name: x\nkeys: [{from: a.b/*, to: c.d/}]\n", `r.yaml:2:15: key "a.b/*" is no key of a label or annotation`},
		{"name: x\nkeys: [{from: a.b/, to: 'c d'}]\n", `key "c d" is no key of a label or annotation`},
		{"name: x\nkeys: [{from: a.b/, to: c.d/x}]\n", `r.yaml:2:15: key "a.b/": a prefix moves to a prefix, an exact key to an exact key`},
		{"name: x\nguard: [Plum]\n" + goodRule, `r.yaml:2:1: guard: no rule has the kind Plum, old or new`},
		{"name: x\nkeep: [{value: a, path: b}]\n" + goodRule, "r.yaml:2:1: a keep entry has either value or path"},
		{"name: x\nkeep: [{why: a}]\n" + goodRule, "r.yaml:2:1: a keep entry has either value or path"},
		{"name: x\nmodules: [{to: a}]\n" + goodRule, "r.yaml:2:1: a module needs from, and to or run"},
		{"name: x\nmodules: [{from: a}]\n" + goodRule, "r.yaml:2:1: a module needs from, and to or run"},
		{"name: x\nconvert: [{id: C, kind: Pear, from: a/v1, to: a/v2}]\n", `convert C: id "C" is not kebab-case`},
		{"name: x\nconvert: [{id: c, kind: my_pear, from: a/v1, to: a/v2}]\n", `convert c: kind "my_pear" is not a kind`},
		{"name: x\nconvert: [{id: c, kind: Pear, from: a, to: a/v2}]\n", `convert c: from "a" and to "a/v2" must be group/version`},
		{"name: x\nconvert: [{id: c, kind: Pear, from: a/v1, to: a/2}]\n", `convert c: from "a/v1" and to "a/2" must be group/version`},
		{convert("{why: x}"), "step 1: a step needs a verb"},
		{convert("{drop: a, set: b}"), "step 1: a step has one verb, not drop and set"},
		{convert("{drop: a.b}, {drop: 'a[0'}"), "step 2: "},
		{convert("{move: a, to: 'b[0'}"), "step 1: to: "},
		{convert("{copy: a}"), "step 1: to: "},
		{convert("{rename: a, to: '[*]'}"), `step 1: rename needs to: one key, which "[*]" is not`},
		{convert("{wrap: a, to: b.c}"), `step 1: wrap needs to: one key, which "b.c" is not`},
		{convert("{set: a}"), "step 1: set needs value: YAML in one line"},
		{convert(`{set: a, value: "b\nc"}`), "step 1: set needs value: YAML in one line"},
		{convert("{require-input: a}"), "step 1: require-input needs name"},
		{convert("{tell: a}"), "step 1: tell needs why"},
		{convert("{map-values: a}"), "step 1: map-values needs values"},
		{convert("{drop: a, when: {is: there}}"), `step 1: when.is "there" is none of present, missing, number, string, template, empty`},
		{convert("{wrap: 'a[*]', to: '[*]'}"), `step 1: wrap needs a path that ends in a key, which "a[*]" does not`},
		{convert("{rename: 'a[*]', to: b}"), `step 1: rename needs a path that ends in a key`},
		{convert("{set: 'a[*]', value: b}"), `step 1: set needs a path that ends in a key`},
		{convert("{require-input: 'a[*]', name: b}"), `step 1: require-input needs a path that ends in a key`},
		{convert("{drop: a, when: {path: 'b[0'}}"), "step 1: when: "},
		{convert("{drop: 'a[*].b', when: {path: 'a[*].c[*].d', is: present}}"), `step 1: when: path "a[*].c[*].d" has more [*] than the step, which is at one item`},
	} {
		if _, err := Parse("r.yaml", []byte(x.in)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.in, err, x.want)
		}
	}
	for _, in := range []string{
		"name: x\n" + goodRule + "guard: [Pear]\nkeep: [{value: x}, {path: y}]\nmodules: [{from: a, run: go get a}, {from: b, to: c}]\n",
		"name: x\nkeys: [{from: a.b/, to: c.d/}, {from: a.b/x, to: c.d/y}]\n",
		convert("{wrap: a, to: '[*]'}, {drop: 'a[*]', when: {in: [c]}}, {map-values: 'a[*]', values: {c: d}}, {wrap: a, to: b}, {rename: a, to: b}, {drop: 'a[*].b', when: {path: 'a[*].c', is: present, in: [d], not: [e]}}"),
	} {
		if _, err := Parse("r.yaml", []byte(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// Who writes a star in a key is told what it should have been.
func TestHintOfKey(t *testing.T) {
	_, err := Parse("r.yaml", []byte("name: x\nkeys: [{from: a.b/*, to: c.d/}]\n"))
	var e *source.Error
	if !errors.As(err, &e) || !strings.HasSuffix(e.Hint, ": a.b/") {
		t.Errorf("%v, hint %q", err, e.Hint)
	}
}

// An entry that does nothing, wherever the ruleset is run, is a mistake.
func TestLint(t *testing.T) {
	for in, want := range map[string]string{
		"rules: [{id: a, from: {group: a.example.com}, to: {group: a.example.com}}]\n":                                        `r.yaml:2:10: rule a: from and to are the same API`,
		"rules: [{id: a, from: {group: a.b, kind: Pear, plural: pears}, to: {kind: Pear}}]\n":                                 `r.yaml:2:10: rule a: from and to are the same API`,
		"rules: [{id: a, from: {group: a.b, kind: networkpolicies}, to: {group: c.d}}]\n":                                     `r.yaml:2:10: rule a: "networkpolicies" is not a kind as manifests have it`,
		"rules: [{id: a, from: {group: a.b, kind: pear, plural: pears}, to: {group: c.d}}]\n":                                 "",
		"rules: [{id: a, from: {group: a.b, kind: Pear}, to: {group: c.d, kind: Plum}}]\nguard: [Plum]\n":                     "",
		"keys: [{from: a.b/x, to: c.d/x}, {from: a.b/x, to: e.f/x}]\n":                                                        `r.yaml:2:41: the key "a.b/x" is listed twice: only the first entry has an effect`,
		"keys: [{from: a.b/x, to: c.d/x}]\nkeep: [{value: a.b/x}]\n":                                                          `r.yaml:3:16: "a.b/x" is listed twice under keep, or under keys, where it is never renamed`,
		goodRule + "keep: [{value: a.example.com}, {value: a.example.com, why: again}]\n":                                     `"a.example.com" is listed twice under keep`,
		goodRule + "keep: [{path: 'a['}]\n":                                                                                   `keep never matches: "a[" is no path from the top of a work tree`,
		goodRule + "keep: [{path: '!a'}]\n":                                                                                   `keep never matches: "!a" is no path from the top of a work tree`,
		goodRule + "keep: [{path: ../a}]\n":                                                                                   `keep never matches: "../a" is no path from the top of a work tree`,
		goodRule + "keep: [{path: ./a}]\n":                                                                                    `keep never matches: "./a" is no path from the top of a work tree`,
		goodRule + "keep: [{value: other.example.com}]\n":                                                                     `keep never matches: "other.example.com" is no path from the top of a work tree`,
		goodRule + "keep: [{value: xa.example.com}]\n":                                                                        `keep never matches`,
		"rules: [{id: a, from: {group: a.b}, to: {group: c.d}}, {id: k, from: {group: a.b, kind: Pear}, to: {group: a.b}}]\n": "",
		goodRule + "keep: [{value: a.example.comx}]\n":                                                                        `keep never matches`,
		goodRule + "keep: [{value: x.a.example.com}, {value: a.example.com/x}, {path: a/**}]\n":                               "",
		goodRule + "keep: [{value: a.example.comx.a.example.com}]\n":                                                          "",
		goodRule + "keep: [{path: a}, {path: b}]\nkeys: [{from: k.b/x, to: c.d/x}, {from: k.b/y, to: c.d/y}]\n":               "",
		"keys: [{from: a.b/x, to: c.d/x}]\nkeep: [{value: a.b/y}]\n":                                                          "",
		"convert: [{id: c, kind: Pear, from: a.b/v1, to: a.b/v2}]\nkeep: [{value: x.a.b}]\n":                                  "",
	} {
		r, err := Parse("r.yaml", []byte("name: x\n"+in))
		if err != nil {
			t.Fatal(in, err)
		}
		if err := r.Lint(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

// answerOf is what rules make of a site that tells everything, read off the
// rules without the table: the closest ones answer, when they agree.
func answerOf(list []Rule, site GVK) (to GVK, outcome Outcome) {
	best, found := -1, map[string]GVK{}
	for _, r := range list {
		if r.From.Group != site.Group || r.From.Version != "" && r.From.Version != site.Version || r.From.Kind != "" && r.From.Kind != site.Kind {
			continue
		}
		near := 0
		if r.From.Kind != "" {
			near += 4
		}
		if r.From.Version != "" {
			near += 2
		}
		if near < best {
			continue
		}
		if near > best {
			best, found = near, map[string]GVK{}
		}
		to := site
		for _, p := range []struct{ to, of *string }{{&to.Group, &r.To.Group}, {&to.Version, &r.To.Version}, {&to.Kind, &r.To.Kind}} {
			if *p.of != "" && r.Removed == "" {
				*p.to = *p.of
			}
		}
		found[fmt.Sprint(to, r.Removed)] = to
		if r.Removed != "" {
			outcome = Removed
		} else if outcome = Moves; to == site {
			outcome = Same
		}
	}
	switch {
	case len(found) == 0:
		return GVK{}, NoRule
	case len(found) > 1:
		return GVK{}, Ambiguous
	}
	for _, to = range found {
	}
	return to, outcome
}

// Random rules over a few names: what they make of a site is what the rules say
// one by one, a second time nothing moves, and the order of the rules does not
// matter.
func TestAskAgreesWithReadingTheRules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	groups, versions, kinds := []string{"a.example.com", "b.example.com", "c.example.com"}, []string{"v1", "v2"}, []string{"Pear", "Plum"}
	tried := map[Outcome]int{}
	for range 400 {
		set := &Ruleset{Name: "x"}
		for i := range 1 + r.IntN(4) {
			rule := Rule{ID: fmt.Sprint("r", i), From: GVK{Group: pick(groups...), Version: pick("", "v1", "v2"), Kind: pick("", "Pear", "Plum")}}
			rule.To = GVK{Group: pick(groups...), Version: pick("", "v1", "v2")}
			if rule.From.Kind != "" {
				rule.To.Kind = pick("", "", "Pear", "Plum")
			}
			if r.IntN(8) == 0 {
				rule.To, rule.Removed = GVK{}, "gone"
			}
			set.Rules = append(set.Rules, rule)
		}
		table, err := Compile([]*Ruleset{set})
		if err != nil {
			continue // they lead in a circle
		}
		other := &Ruleset{Name: "x", Rules: slices.Clone(set.Rules)}
		slices.Reverse(other.Rules)
		reversed, err := Compile([]*Ruleset{other})
		if err != nil {
			t.Fatalf("%v: in another order, %v", set.Rules, err)
		}
		for _, group := range groups {
			for _, version := range versions {
				for _, kind := range kinds {
					site := GVK{Group: group, Version: version, Kind: kind}
					to, outcome := answerOf(set.Rules, site)
					moved := false
					for outcome == Moves {
						moved = true
						site := to
						if to, outcome = answerOf(set.Rules, site); outcome == NoRule || outcome == Same {
							to, outcome = site, Moves
							break
						}
					}
					if moved && outcome == Moves && to == site {
						outcome = Same
					}
					got := table.Ask(site)
					if got.Outcome != outcome || outcome == Moves && got.To != to {
						t.Errorf("%v: %s becomes %v %s, want %v %s", set.Rules, site, got.Outcome, got.To, outcome, to)
					}
					if back := reversed.Ask(site); back.Outcome != got.Outcome || back.To != got.To {
						t.Errorf("%v: in another order, %s becomes %s", set.Rules, site, back.To)
					}
					if got.Outcome == Moves {
						if again := table.Ask(got.To); again.Outcome != NoRule && again.Outcome != Same {
							t.Errorf("%v: %s becomes %s, and that %v", set.Rules, site, got.To, again.To)
						}
					}
					tried[got.Outcome]++
				}
			}
		}
	}
	for _, outcome := range []Outcome{NoRule, Same, Moves, Ambiguous, Removed} {
		if tried[outcome] < 20 {
			t.Errorf("outcome %v was seen %d times", outcome, tried[outcome])
		}
	}
}

// A site that tells less is answered by what holds for all that it may be.
func TestAskWithLessTold(t *testing.T) {
	table := tableOf(t, "rules:\n- {id: all, from: {group: a.example.com}, to: {group: b.example.com}}\n- {id: pear, from: {group: a.example.com, kind: Pear, plural: pears}, to: {group: p.example.com, kind: Quince, plural: quinces}}\n"+
		"- {id: one, from: {group: v.example.com, version: v1beta1, kind: Fig}, to: {version: v1}}\n- {id: gone, from: {group: g.example.com, kind: Ghost}, removed: nothing}\n- {id: g1, from: {group: g.example.com, version: v1, kind: Ghoul}, removed: nothing}\n")
	for _, x := range []struct {
		site    GVK
		outcome Outcome
		to      GVK
	}{
		{GVK{Group: "a.example.com"}, Moves, GVK{Group: "b.example.com"}},
		{GVK{Group: "a.example.com", Plural: "pears"}, Moves, GVK{Group: "p.example.com", Plural: "quinces"}},
		{GVK{Group: "a.example.com", Kind: "PearList"}, Moves, GVK{Group: "p.example.com", Kind: "QuinceList"}},
		{GVK{Group: "a.example.com", Kind: "PearLists"}, Moves, GVK{Group: "b.example.com", Kind: "PearLists"}},
		{GVK{Group: "a.example.com", Plural: "plums"}, Moves, GVK{Group: "b.example.com", Plural: "plums"}},
		{GVK{Group: "v.example.com"}, Same, GVK{}},
		{GVK{Group: "v.example.com", Version: "v1beta1"}, Moves, GVK{Group: "v.example.com", Version: "v1"}},
		{GVK{Group: "v.example.com", Version: "v1"}, NoRule, GVK{}},
		{GVK{Group: "v.example.com", Plural: "figs", Version: "v1beta1"}, Moves, GVK{Group: "v.example.com", Plural: "figs", Version: "v1"}},
		{GVK{Group: "g.example.com"}, NoRule, GVK{}},
		{GVK{Group: "g.example.com", Kind: "Ghost"}, Removed, GVK{}},
		{GVK{Group: "g.example.com", Kind: "Ghoul"}, NoRule, GVK{}},
		{GVK{Group: "g.example.com", Version: "v1", Kind: "Ghoul"}, Removed, GVK{}},
		{GVK{Group: "none.example.com"}, NoRule, GVK{}},
	} {
		if got := table.Ask(x.site); got.Outcome != x.outcome || x.outcome == Moves && got.To != x.to || got.Ruled() != (x.outcome == Moves || x.outcome == Removed) {
			t.Errorf("%s: %+v", x.site, got)
		}
	}
}

// Whole and Key are readings of the rules.
func TestReadings(t *testing.T) {
	rule := func(from, to string) string { return "- {id: r, from: {" + from + "}, to: {" + to + "}}\n" }
	for rules, whole := range map[string]bool{
		rule("group: a.b", "group: c.d"):                           true,
		rule("group: a.b, kind: Pear", "group: c.d"):               false,
		rule("group: a.b, version: v1", "group: c.d, version: v2"): true,
		"- {id: r, from: {group: a.b}, removed: gone}\n":           false,
	} {
		if got := tableOf(t, "rules:\n"+rules).RulesOf("a.b").Whole(); got != whole {
			t.Errorf("%s: whole: %v", rules, got)
		}
	}
	keys := tableOf(t, "keys: [{from: g.h/x, to: e.f/x}, {from: g.h/, to: c.d/}, {from: a.b/, to: c.d/}, {from: a.b/x, to: e.f/y}, {from: a.b/long-, to: e.f/long-}]\n")
	for key, want := range map[string]string{"a.b/z": "c.d/", "a.b/x": "e.f/y", "a.b/xy": "c.d/", "a.b/": "c.d/", "a.b": "", "xa.b/z": "", "a.b/long-er": "c.d/", "g.h/x": "e.f/x"} {
		if k, ok := keys.Key(key); k.To != want || ok != (want != "") {
			t.Errorf("%s: %q", key, k.To)
		}
	}
}

func TestPlurals(t *testing.T) {
	for kind, want := range map[string]string{"Pear": "pears", "Policy": "policies", "Gateway": "gateways", "Y": "ys", "Ingress": "ingresses", "Box": "boxes", "Branch": "branches", "Mesh": "meshes"} {
		if got := Plurals(kind)[0]; got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// Why several rules do not agree is said in a few words.
func TestDisagreement(t *testing.T) {
	text := "rules:\n"
	for _, kind := range []string{"Ant", "Bee", "Cat", "Dog", "Elk"} {
		text += fmt.Sprintf("- {id: %s, from: {group: a.b, kind: %s}, to: {group: %s.example.com}}\n", strings.ToLower(kind), kind, strings.ToLower(kind))
	}
	if got := tableOf(t, text).Ask(GVK{Group: "a.b"}).Why; got != "it depends on the kind: Ant → ant.example.com, Bee → bee.example.com, Cat → cat.example.com, Dog → dog.example.com, …" {
		t.Error(got)
	}
}

// The schema names every field that is decoded, with its words.
func TestSchema(t *testing.T) {
	var s map[string]any
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	var walk func(t *testing.T, at string, of reflect.Type, s map[string]any)
	walk = func(t *testing.T, at string, of reflect.Type, s map[string]any) {
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			if of.Kind() == reflect.Slice {
				s, _ = s["items"].(map[string]any)
			}
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			if s["type"] == nil {
				t.Errorf("%s has no type", at)
			}
			return
		}
		props, _ := s["properties"].(map[string]any)
		for f := range of.Fields() {
			name := f.Tag.Get("yaml")
			if name == "" || name == "-" || !f.IsExported() {
				continue
			}
			p, ok := props[name].(map[string]any)
			if !ok || f.Tag.Get("doc") != "" && p["description"] != f.Tag.Get("doc") {
				t.Errorf("%s.%s is not described", at, name)
				continue
			}
			walk(t, at+"."+name, f.Type, p)
		}
	}
	walk(t, "", reflect.TypeFor[Ruleset](), s)
}

// A table tells what its rulesets hold, one after the other.
func TestTable(t *testing.T) {
	table := tableOf(t, "rules:\n- {id: r, from: {group: a.b, kind: Pear}, to: {group: c.d, kind: Plum}}\n- {id: s, from: {group: a.b, kind: Fig}, to: {group: a.b, version: v2}}\nkeep: [{value: x.a.b, why: held}, {path: y/**}]\n",
		"rules: [{id: q, from: {group: c.d, kind: Plum}, to: {group: e.f}}]\nkeys: [{from: k.b/x, to: k.c/x}]\n"+
			"convert: [{id: c, kind: Pear, from: a.b/v1, to: a.b/v2, steps: [{require-input: spec.x, name: queue}, {drop: spec.y}]}]\n")
	if why, ok := table.Keeps("x.a.b"); why != "held" || !ok {
		t.Errorf("kept because %q", why)
	}
	if _, ok := table.Keeps("a.b"); ok {
		t.Error("what is not named is kept")
	}
	got := fmt.Sprint(table.Groups(), table.Homes("Plum"), table.Homes("Pear"), len(table.Keys()), table.KeptPaths()[0].Path, len(table.Sets()), table.Converts(), table.Sets()[1].Inputs(), table.Sets()[1].Groups())
	if want := "[a.b c.d] [c.d e.f] [a.b c.d] 1y/**2 true [queue] [a.b c.d]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !table.MayConvert([]byte("kind: Pear")) || table.MayConvert([]byte("kind: Fig")) {
		t.Error("the kinds whose shape changes are others")
	}
	for want, rule := range map[string]Rule{
		"a.b/v1 Pear becomes c.d/v1 Plum": {From: GVK{Group: "a.b", Version: "v1", Kind: "Pear"}, To: GVK{Group: "c.d", Kind: "Plum"}},
		"a.b pears becomes a.b/v2 pears":  {From: GVK{Group: "a.b", Plural: "pears"}, To: GVK{Version: "v2"}},
		"a.b is removed: gone":            {From: GVK{Group: "a.b"}, Removed: "gone"},
	} {
		if got := rule.Describe(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if set := table.Sets()[0]; !set.Is(set.text) || set.Is(nil) {
		t.Error("a ruleset does not know its text")
	}
	if got := GVKOf("v1", "Pod"); got != (GVK{Version: "v1", Kind: "Pod"}) {
		t.Errorf("%+v", got)
	}
}

// TestLongChains: rules that lead on through thousands of others are refused at once.
func TestLongChains(t *testing.T) {
	set := &Ruleset{Name: "x"}
	for i := range 2000 {
		set.Rules = append(set.Rules, Rule{ID: fmt.Sprint("r", i), From: GVK{Group: fmt.Sprintf("g%d.example.com", i)}, To: GVK{Group: fmt.Sprintf("g%d.example.com", i+1)}})
	}
	if _, err := Compile([]*Ruleset{set}); err == nil || !strings.Contains(err.Error(), "more than 32 rules") {
		t.Error(err)
	}
	if _, err := Compile([]*Ruleset{set, set}); err == nil || !strings.Contains(err.Error(), "ruleset x: the rulesets have more than 2500 rules together") {
		t.Error(err)
	}
	set.Rules = set.Rules[:30]
	if _, err := Compile([]*Ruleset{set}); err != nil {
		t.Error(err)
	}
}
