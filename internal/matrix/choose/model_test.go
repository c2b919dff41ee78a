package choose

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A world is a random stack with a table of releases and rules, and the same in
// plain words for the oracle.
type world struct {
	stack  *stack.Stack
	config *matrix.Config
	tree   fstest.MapFS
	rows   []string                     // releases
	cells  map[string]map[string]string // by release and component: a range, "–" for none
	rules  []matrix.Rule
}

var otherNames = []string{"lib", "tool", "cluster"}

// grid are the versions that the oracle tries: cells and rules have no finer bounds.
func gridVersions() []string {
	list := []string{"v0.9.0"}
	for minor := range 4 {
		for patch := range 3 {
			list = append(list, fmt.Sprintf("v1.%d.%d", minor, patch))
		}
	}
	return append(list, "v1.4.0")
}

// sets keeps what texts mean to the oracle.
var sets = map[string]map[string]bool{}

// inRange says whether a version of the grid is in a range; empty takes all.
func inRange(text, version string) bool {
	if text == "" {
		return true
	}
	if sets[text] == nil {
		sets[text] = map[string]bool{}
		r, err := versions.ParseRange(text)
		for _, v := range gridVersions() {
			sets[text][v] = err == nil && r.Has(v)
		}
	}
	return sets[text][version]
}

func randomWorld(t testing.TB, r *rand.Rand) *world {
	t.Helper()
	some := func() string {
		a, b := r.IntN(4), r.IntN(4)
		switch r.IntN(6) {
		case 0:
			return fmt.Sprintf("v1.%d.%d", a, r.IntN(2))
		case 1:
			return fmt.Sprintf("1.%d, 1.%d", a, b)
		case 2:
			return fmt.Sprintf("1.%d+", a)
		case 3:
			return fmt.Sprintf("<=1.%d", a)
		}
		return fmt.Sprintf("1.%d - 1.%d", min(a, b), max(a, b))
	}
	w := &world{cells: map[string]map[string]string{}, config: &matrix.Config{}}
	var b strings.Builder
	b.WriteString("| App | lib | tool | cluster |\n|---|---|---|---|\n")
	for i := range 1 + r.IntN(4) {
		release := fmt.Sprintf("v%d.0.0", i+1)
		w.rows = append(w.rows, release)
		w.cells[release] = map[string]string{}
		b.WriteString("| " + release)
		for _, c := range otherNames {
			cell := some()
			if r.IntN(6) == 0 {
				cell = "–"
			}
			w.cells[release][c] = cell
			b.WriteString(" | " + cell)
		}
		b.WriteString(" |\n")
	}
	for range r.IntN(3) {
		i := r.IntN(3)
		rule := matrix.Rule{Kind: matrix.KindPair, Component: otherNames[i], With: otherNames[(i+1+r.IntN(2))%3], When: some(), Needs: some()}
		if r.IntN(4) == 0 {
			rule.Kind, rule.When, rule.Needs = matrix.KindAlign, "", ""
		}
		w.rules = append(w.rules, rule)
	}
	w.config.Rules = w.rules
	w.tree = fstest.MapFS{"README.md": {Data: []byte(b.String())}}
	w.stack = &stack.Stack{}
	text := "root: app\ncomponents: [{name: app}, {name: lib}, {name: tool}, {name: cluster}]\ntables: [{rows: releases, columns: [{component: lib}, {component: tool}, {component: cluster}]}]\n"
	if err := strict.Decode("c", []byte(text), w.stack); err != nil {
		t.Fatal(err)
	}
	if err := w.stack.Complete("c"); err != nil {
		t.Fatal(err)
	}
	return w
}

// allows says in plain words whether a set is allowed; an empty version is a
// component that is not there.
func (w *world) allows(set map[string]string, wants []Want) bool {
	for _, c := range otherNames {
		cell := w.cells[set["app"]][c]
		if (cell == "–") != (set[c] == "") || set[c] != "" && !inRange(cell, set[c]) {
			return false
		}
	}
	for _, r := range w.rules {
		a, b := set[r.Component], set[r.With]
		switch {
		case a == "" || b == "":
		case r.Kind == matrix.KindAlign && a != b, r.Kind == matrix.KindPair && inRange(r.When, a) && !inRange(r.Needs, b):
			return false
		}
	}
	for _, want := range wants {
		if !want.Range.Has(set[want.Component.Name]) {
			return false
		}
	}
	return true
}

// newest tries every set, the newest first.
func (w *world) newest(wants []Want) map[string]string {
	versions := append([]string{""}, gridVersions()...)
	slices.Reverse(versions)
	for _, app := range slices.Backward(w.rows) {
		for _, a := range versions {
			for _, b := range versions {
				for _, c := range versions {
					set := map[string]string{"app": app, "lib": a, "tool": b, "cluster": c}
					if w.allows(set, wants) {
						return set
					}
				}
			}
		}
	}
	return nil
}

func randomWants(t testing.TB, w *world, r *rand.Rand) []Want {
	var texts []string
	for _, i := range r.Perm(3)[:2] {
		texts = append(texts, otherNames[i]+"="+gridVersions()[r.IntN(12)])
	}
	return wantsOf(t, w.stack, texts...)
}

func TestNewestSetAgreesWithTryingAll(t *testing.T) {
	racetest.OneGoroutine(t)
	r := rand.New(rand.NewPCG(3, 4))
	found, none := 0, 0
	for range 200 {
		w := randomWorld(t, r)
		wants := randomWants(t, w, r)[:r.IntN(3)]
		m, err := ModelOf(w.stack, w.config, w.tree, nil, wants)
		if err != nil {
			t.Fatal(err)
		}
		set, ok, err := m.Newest(wants)
		if err != nil {
			t.Fatal(err)
		}
		want := w.newest(wants)
		if ok != (want != nil) {
			t.Fatalf("%s\n%+v\n%+v: %v, want %v", w.tree["README.md"].Data, w.rules, wants, set, want)
		}
		if !ok {
			none++
			continue
		}
		found++
		for _, c := range append([]string{"app"}, otherNames...) {
			i := slices.IndexFunc(set, func(m Member) bool { return m.Component.Name == c })
			if (i < 0) != (want[c] == "") || i >= 0 && !set[i].Versions.Has(want[c]) {
				t.Fatalf("%s\n%+v\n%+v: %s is %v, want %v", w.tree["README.md"].Data, w.rules, wants, c, set, want)
			}
		}
	}
	if found < 30 || none < 30 {
		t.Fatalf("%d sets, %d without", found, none)
	}
}

// chain finds the length of the shortest chain by trying all paths over the
// components with all versions of the grid; 0 = there is none.
func (w *world) chain(a, b Want) int {
	names := append([]string{"app"}, otherNames...)
	versions := func(c string) []string {
		if c == "app" {
			return w.rows
		}
		for _, want := range []Want{a, b} {
			if want.Component.Name == c {
				return slices.DeleteFunc(gridVersions(), func(v string) bool { return !want.Range.Has(v) })
			}
		}
		return append(gridVersions(), "")
	}
	// goes is one pair at a time: the table, or a rule.
	goes := func(pair int, x, vx, y, vy string) bool {
		if pair < 0 {
			if x != "app" && y != "app" {
				return true
			}
			app, c, v := vx, y, vy
			if y == "app" {
				app, c, v = vy, x, vx
			}
			cell := w.cells[app][c]
			return (cell == "–") == (v == "") && (v == "" || inRange(cell, v))
		}
		r := w.rules[pair]
		set := map[string]string{x: vx, y: vy}
		u, v := set[r.Component], set[r.With]
		if u == "" || v == "" {
			return true
		}
		if r.Kind == matrix.KindAlign {
			return u == v
		}
		return !inRange(r.When, u) || inRange(r.Needs, v)
	}
	best := 0
	var walk func(path, left []string)
	walk = func(path, left []string) {
		at := path[len(path)-1]
		for _, next := range names {
			if slices.Contains(path, next) {
				continue
			}
			for pair := -1; pair < len(w.rules); pair++ {
				if pair < 0 && at != "app" && next != "app" {
					continue
				}
				if pair >= 0 && !(w.rules[pair].Component == at && w.rules[pair].With == next || w.rules[pair].Component == next && w.rules[pair].With == at) {
					continue
				}
				var leaves []string
				for _, vy := range versions(next) {
					if slices.ContainsFunc(left, func(vx string) bool { return goes(pair, at, vx, next, vy) }) {
						leaves = append(leaves, vy)
					}
				}
				if len(leaves) == 0 {
					if best == 0 || len(path) < best {
						best = len(path)
					}
					continue
				}
				walk(append(slices.Clone(path), next), leaves)
			}
		}
	}
	walk([]string{a.Component.Name}, versions(a.Component.Name))
	return best
}

func TestWhyIsTheShortestChain(t *testing.T) {
	racetest.OneGoroutine(t)
	r := rand.New(rand.NewPCG(5, 6))
	chains, together := 0, 0
	for range 200 {
		w := randomWorld(t, r)
		wants := randomWants(t, w, r)
		m, err := ModelOf(w.stack, w.config, w.tree, nil, wants)
		if err != nil {
			t.Fatal(err)
		}
		why, err := m.Why(wants[0], wants[1])
		if err != nil {
			t.Fatal(err)
		}
		if (why == nil) != (w.newest(wants) != nil) {
			t.Fatalf("%s\n%+v\n%+v: %+v", w.tree["README.md"].Data, w.rules, wants, why)
		}
		if why == nil {
			continue
		}
		if got, want := len(why.Chain), w.chain(wants[0], wants[1]); got != want {
			t.Fatalf("%s\n%+v\n%+v: a chain of %d, want %d: %+v", w.tree["README.md"].Data, w.rules, wants, got, want, why.Chain)
		}
		if len(why.Chain) > 0 {
			chains++
		} else if together++; len(why.Together) == 0 {
			t.Fatalf("no reason for %+v", wants)
		}
	}
	if chains < 50 {
		t.Fatalf("%d chains, %d together", chains, together)
	}
}

func TestModelOfDeclaredReleases(t *testing.T) {
	s := acme(t)
	releases := []matrix.Release{
		{Version: "v1.0.0", Components: []matrix.Pin{{Name: "lib", Version: "v1.0.0"}, {Name: "tool", Range: "0.4 - 0.5"}}},
		{Version: "v1.1.0", Components: []matrix.Pin{{Name: "lib", Version: "v1.2.0"}, {Name: "tool", Range: "0.6+"}}},
	}
	config := &matrix.Config{Rules: []matrix.Rule{{Kind: matrix.KindPair, Component: "lib", When: ">=1.1", With: "tool", Needs: "<0.8"}}}
	for _, c := range []struct{ wants, set string }{
		{"", "app v1.1.0, lib v1.2.0, tool >=v0.6.0 <v0.8.0"},
		{"lib=1.0", "app v1.0.0, lib v1.0.0, tool v0.4.x - v0.5.x"},
		{"tool=0.7.3", "app v1.1.0, lib v1.2.0, tool v0.7.3"},
		{"tool=0.8.1", ""},
		{"lib=v1.0.0 tool=0.6", ""},
	} {
		wants := wantsOf(t, s, strings.Fields(c.wants)...)
		m, err := ModelOf(s, config, fstest.MapFS{}, releases, wants)
		if err != nil {
			t.Fatal(err)
		}
		set, _, err := m.Newest(wants)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range set {
			got = append(got, x.Component.Name+" "+x.Versions.String())
		}
		if strings.Join(got, ", ") != c.set {
			t.Errorf("%s: %s, want %s", c.wants, strings.Join(got, ", "), c.set)
		}
	}
}

// A version whose numbers are too large is no want, whatever its scheme.
func TestWantTooLarge(t *testing.T) {
	c := &stack.Component{Name: "lib", Tag: "v{version}"}
	for _, text := range []string{"99999999999999999999", "v99999999999999999999.0.0", "v1.2.99999999999999999999", "18446744073709551615.1"} {
		if w, err := newWant(c, text); err == nil {
			t.Errorf("%s is taken as %s", text, w.Range)
		}
	}
}

// Of a component that nothing is about, the answer is not known.
func TestWhyOfWhatNothingHas(t *testing.T) {
	s := stackOf(t, []byte("root: app\ncomponents: [{name: app}, {name: lib}, {name: tool}]\ntables: [{rows: releases, columns: [{component: lib}]}]\n"))
	tree := fstest.MapFS{"README.md": {Data: []byte("| App | lib |\n|---|---|\n| 1.0 | 2.0 |\n")}}
	declared := []matrix.Release{{Version: "v1.0.0", Components: []matrix.Pin{{Name: "lib", Version: "v2.0.0"}}}}
	for name, releases := range map[string][]matrix.Release{"a table": nil, "declared": declared} {
		var wants []Want
		for _, c := range []string{"lib", "tool"} {
			w, err := newWant(&s.Components[slices.Index([]string{"app", "lib", "tool"}, c)], "")
			if err != nil {
				t.Fatal(err)
			}
			wants = append(wants, w)
		}
		m, err := ModelOf(s, &matrix.Config{}, tree, releases, wants)
		if err != nil {
			t.Fatal(err)
		}
		if why, err := m.Why(wants[0], wants[1]); err == nil || !strings.Contains(err.Error(), "no rule has tool") {
			t.Errorf("%s: %+v, %v", name, why, err)
		}
	}
}

func TestResolve(t *testing.T) {
	s := acme(t)
	lib, _ := s.Component("lib")
	releases := []matrix.Release{
		{Version: "v1.0.0", Components: []matrix.Pin{{Name: "lib", Version: "v1.0.0"}, {Name: "tool", Version: "v0.5.0", Tested: ">=0.4 <0.6"}}},
		{Version: "v1.1.0", Components: []matrix.Pin{{Name: "lib", Version: "v1.0.0"}, {Name: "tool", Version: "v0.6.0"}}},
		{Version: "v1.2.0", Components: []matrix.Pin{{Name: "lib", Version: "v1.5.0"}}},
	}
	for _, c := range []struct {
		wants []string
		exact bool
		want  string
	}{
		{[]string{"lib=v1.0.0"}, true, "v1.1.0 v1.0.0"},
		{[]string{"lib=1.0.0", "tool=v0.4.3"}, true, "v1.0.0"},
		{[]string{"lib=>=1.1"}, true, "v1.2.0"},
		{[]string{"lib=v1.4.9"}, false, "v1.2.0"},
		{[]string{"lib=v1.0.0", "tool=v0.7.0"}, false, "v1.1.0"},
	} {
		exact, answers := Resolve(releases, wantsOf(t, s, c.wants...))
		var got []string
		for _, a := range answers {
			got = append(got, a.Release.Version)
		}
		if exact != c.exact || strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v %q, want %v %q", c.wants, exact, got, c.exact, c.want)
		}
	}
	if _, err := newWant(lib, "nonsense"); err == nil {
		t.Error("nonsense was taken")
	}
}

// wantsOf reads "NAME=VERSION".
func wantsOf(t testing.TB, s *stack.Stack, texts ...string) []Want {
	t.Helper()
	var wants []Want
	for _, text := range texts {
		name, version, _ := strings.Cut(text, "=")
		c, err := s.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := newWant(c, version)
		if err != nil {
			t.Fatal(err)
		}
		wants = append(wants, w)
	}
	return wants
}
