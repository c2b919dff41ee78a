package matrix

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// synthetic is a stack of n components, the first one its root.
func synthetic(n int) *stack.Stack {
	s := &stack.Stack{Root: "c0"}
	for i := range n {
		s.Components = append(s.Components, stack.Component{Name: fmt.Sprintf("c%d", i)})
	}
	if err := s.Complete("synthetic"); err != nil {
		panic(err)
	}
	return s
}

// A fault is what is wrong with a pin of a release (-1: with the release).
type fault struct {
	rule         string
	release, pin int
}

// oracle finds the same faults as Lint, with one look at each cell and none
// of its short cuts.
func oracle(s *stack.Stack, c *Config) []fault {
	var faults []fault
	parse := func(text string) *semver.Version {
		v, err := semver.StrictNewVersion(strings.TrimPrefix(text, "v"))
		if err != nil || !strings.HasPrefix(text, "v") {
			return nil
		}
		return v
	}
	var before *semver.Version
	last := map[string]*semver.Version{}
	for i, r := range c.Releases {
		v := parse(r.Version)
		switch {
		case v == nil:
			faults = append(faults, fault{"version-not-semver", i, -1})
		case before != nil && v.Compare(before) <= 0:
			faults = append(faults, fault{"release-order", i, -1})
		}
		if v != nil {
			before = v
		}
		pins := map[string]int{}
		for j, p := range r.Components {
			if _, ok := s.Component(p.Name); !ok {
				faults = append(faults, fault{"unknown-component", i, j})
				continue
			}
			if _, ok := pins[p.Name]; ok {
				faults = append(faults, fault{"duplicate-component", i, j})
				continue
			}
			pins[p.Name] = j
			v := parse(p.Version)
			if v == nil {
				faults = append(faults, fault{"version-not-semver", i, j})
				continue
			}
			if p.Tested != "" {
				if !oracleFits(p.Tested, v) {
					faults = append(faults, fault{"tested", i, j})
				}
			}
			if b := last[p.Name]; b != nil && v.Compare(b) < 0 {
				faults = append(faults, fault{"downgrade", i, j})
			}
			last[p.Name] = v
		}
		faults = append(faults, oracleRules(c, i, pins, parse)...)
	}
	return faults
}

// oracleConstraints are constraints, and what they mean with the rule on
// pre-releases written out.
var oracleConstraints = map[string]string{
	">=1.0.0 <2.0.0": ">=1.0.0 <2.0.0-0", "1.2.x": ">=1.2.0-0 <1.3.0-0", "~0.3": ">=0.3.0 <0.4.0-0",
	"^1.1.0 || 0.2.x": ">=1.1.0 <2.0.0-0 || >=0.2.0-0 <0.3.0-0", "<1.1.1 || >1.1.1": "<1.1.1-0 || >1.1.1", ">=0.1.0-0": ">=0.1.0-0",
}

func oracleFits(text string, v *semver.Version) bool {
	if text == "" {
		return true
	}
	c, err := semver.NewConstraint(oracleConstraints[text])
	if err != nil {
		panic(err)
	}
	c.IncludePrerelease = true
	return c.Check(v)
}

func oracleRules(c *Config, i int, pins map[string]int, parse func(string) *semver.Version) []fault {
	var faults []fault
	for _, r := range c.Rules {
		ja, ok := pins[r.Component]
		jb, ok2 := pins[r.With]
		if !ok || !ok2 {
			continue
		}
		ta, tb := c.Releases[i].Components[ja].Version, c.Releases[i].Components[jb].Version
		a, b := parse(ta), parse(tb)
		if a == nil || b == nil {
			continue
		}
		fits := oracleFits
		d := max(int(a.Minor())-int(b.Minor()), int(b.Minor())-int(a.Minor()))
		switch {
		case r.Kind == KindPair && fits(r.When, a) && !fits(r.Needs, b):
			faults = append(faults, fault{"pairwise", i, jb})
		case r.Kind == KindAlign && ta != tb:
			faults = append(faults, fault{"alignment", i, jb})
		case r.Kind == kindSkew && (a.Major() != b.Major() || d > r.Minors):
			faults = append(faults, fault{"skew", i, jb})
		}
	}
	return faults
}

var oddVersions = []string{"v.0.0.7", "latest", "1.2.3", "v1.2", "v01.2.3", "", "v1.2.3-rc.1", "v1.2.3-rc.2", "v1.2.3+build", "v0.20230614221720.0", "v1.2.3-01", "v1.2.3-"}

func randomMatrix(rng *rand.Rand, s *stack.Stack) *Config {
	c := &Config{}
	version := func() string {
		if rng.IntN(8) == 0 {
			return oddVersions[rng.IntN(len(oddVersions))]
		}
		return fmt.Sprintf("v%d.%d.%d", rng.IntN(3), rng.IntN(4), rng.IntN(3))
	}
	constraints := append([]string{""}, slices.Sorted(maps.Keys(oracleConstraints))...)
	for range rng.IntN(40) {
		r := Release{Version: fmt.Sprintf("v1.%d.0", len(c.Releases)+rng.IntN(3))}
		for _, i := range rng.Perm(len(s.Components))[:rng.IntN(len(s.Components)+1)] {
			p := Pin{Name: s.Components[i].Name, Version: version()}
			if rng.IntN(4) == 0 {
				p.Tested = constraints[rng.IntN(len(constraints))]
			}
			r.Components = append(r.Components, p)
		}
		if rng.IntN(5) == 0 {
			r.Components = append(r.Components, Pin{Name: "nobody", Version: "v1.0.0"})
		}
		if rng.IntN(5) == 0 && len(r.Components) > 0 {
			r.Components = append(r.Components, r.Components[0])
		}
		c.Releases = append(c.Releases, r)
	}
	for range rng.IntN(6) {
		c.Rules = append(c.Rules, Rule{
			Kind:      []string{KindPair, KindAlign, kindSkew}[rng.IntN(3)],
			Component: s.Components[rng.IntN(len(s.Components))].Name, With: s.Components[rng.IntN(len(s.Components))].Name,
			When: constraints[rng.IntN(len(constraints))], Needs: constraints[1+rng.IntN(len(constraints)-1)], Minors: rng.IntN(2),
		})
	}
	return c
}

func sorted(faults []fault) []string {
	var out []string
	for _, f := range faults {
		out = append(out, fmt.Sprintf("%s %d", f.rule, 1000*f.release+f.pin+1))
	}
	slices.Sort(out)
	return out
}

// withLines gives each pin a line of its own.
func withLines(c *Config) *Config {
	for i := range c.Releases {
		c.Releases[i].line = 1000 * i
		for j := range c.Releases[i].Components {
			c.Releases[i].Components[j].line = 1000*i + j + 1
		}
	}
	return c
}

func TestFaultsAgreeWithOracle(t *testing.T) {
	racetest.OneGoroutine(t)
	s := synthetic(6)
	for seed := range uint64(600) {
		c := randomMatrix(rand.New(rand.NewPCG(seed, 1)), s)
		l := &linter{stack: s, config: withLines(c), path: "x", read: map[string]readRange{}}
		l.releases()
		var got []string
		for _, f := range l.Findings {
			got = append(got, fmt.Sprintf("%s %d", f.Rule, f.Line))
		}
		slices.Sort(got)
		want := sorted(oracle(s, c))
		if !slices.Equal(got, want) {
			extra := slices.DeleteFunc(slices.Clone(got), func(f string) bool { return slices.Contains(want, f) })
			missing := slices.DeleteFunc(want, func(f string) bool { return slices.Contains(got, f) })
			t.Fatalf("seed %d: extra:\n%s\nmissing:\n%s\nrules: %+v", seed, strings.Join(extra, "\n"), strings.Join(missing, "\n"), c.Rules)
		}
	}
}

func TestLint(t *testing.T) {
	s := acme(t)
	text := `matrix:
  releases:
    - version: v1.0.0
      components:
        - {name: app, version: v1.0.1}
        - {name: lib, version: v1.2.0, tested: ">=1.3"}
    - version: v1.0.0
      components:
        - {name: lib, version: v1.1.0}
        - {name: tol, version: v1.1.0}
        - {name: lib, version: v1.1.0}
    - version: v1
      components:
        - {name: tool, version: v.0.0.7}
  rules:
    - {kind: pair, component: lib, when: ">=2 <1", with: tool, needs: "1.x"}
    - {kind: pair, component: lib, when: "1.x", with: tool, needs: ">=1.0 <1.5"}
    - {kind: pair, component: lib, when: "1.2.x", with: tool, needs: ">=1.6"}
    - {kind: pair, component: lib, when: "1.3.x", with: tool, needs: ">=1.0 <1.9"}
  allow:
    - {rule: downgrade, component: lib, reason: x, expires: 2020-01-01}
`
	var doc struct {
		Matrix Config `yaml:"matrix"`
	}
	decode(t, text, &doc)
	if err := doc.Matrix.Complete("c", s); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Lint(s, &doc.Matrix, ".cfctl.yaml", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)) {
		got = append(got, told(f))
	}
	slices.Sort(got)
	want := []string{
		".cfctl.yaml allow-expired lib",
		".cfctl.yaml:10 unknown-component tol",
		".cfctl.yaml:11 duplicate-component Lib",
		".cfctl.yaml:12 version-not-semver -",
		".cfctl.yaml:14 version-not-semver Tool",
		".cfctl.yaml:16 rule-unsatisfiable Lib",
		".cfctl.yaml:18 rule-contradiction Lib",
		".cfctl.yaml:19 rule-shadowed Lib",
		".cfctl.yaml:3 root-version Acme App",
		".cfctl.yaml:6 tested Lib",
		".cfctl.yaml:7 release-order -",
		".cfctl.yaml:9 downgrade Lib",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLintIsBounded has rules that take hours to compare, each with each: those
// that are real are compared, and what is not compared is said.
func TestLintIsBounded(t *testing.T) {
	racetest.OneGoroutine(t)
	s := stack.Default()
	lint := func(rules ...Rule) map[string]int {
		count := map[string]int{}
		c := &Config{Rules: rules}
		if err := c.Complete("x", s); err != nil {
			t.Fatal(err)
		}
		for _, f := range Lint(s, c, "x", time.Time{}) {
			count[f.Rule]++
		}
		return count
	}
	rule := func(when, needs string) Rule {
		return Rule{Kind: KindPair, Component: "codeflare-operator", With: "mcad", When: when, Needs: needs}
	}
	var many []Rule
	for i := range 80 {
		many = append(many, rule(fmt.Sprintf(">=1.%d", i), fmt.Sprintf(">=1.%d <1.%d", i, i+5)))
	}
	if got := lint(many...); got["rule-contradiction"] != maxPairFindings || got["rules-not-compared"] != 1 {
		t.Errorf("many findings: %v", got)
	}
	many = nil
	for i := range 4000 {
		many = append(many, rule(fmt.Sprintf("1.%d.x", i), fmt.Sprintf("1.%d.x", i)))
	}
	if got := lint(many...); got["rules-not-compared"] != 1 || len(got) != 1 {
		t.Errorf("many rules: %v", got)
	}
	if got := lint(many[0], many[1], many[0]); got["rule-shadowed"] != 1 || len(got) != 1 {
		t.Errorf("three rules: %v", got)
	}
	releases := &Config{Rules: make([]Rule, 300)}
	for i := range releases.Rules {
		releases.Rules[i] = rule("", ">=2")
	}
	for i := range 50 {
		releases.Releases = append(releases.Releases, Release{Version: fmt.Sprintf("v1.%d.0", i), Components: []Pin{{Name: "codeflare-operator", Version: fmt.Sprintf("v1.%d.0", i)}, {Name: "mcad", Version: "v1.0.0"}}})
	}
	count := map[string]int{}
	for _, f := range Lint(s, releases, "x", time.Time{}) {
		count[f.Rule]++
	}
	if count["pairwise"] != maxBroken || count["rules-not-compared"] == 0 {
		t.Errorf("many releases that break rules: %v", count)
	}
}

// TestExceptionsAreBounded: each finding is compared with each exception.
func TestExceptionsAreBounded(t *testing.T) {
	c := &Config{Allow: make([]Allow, maxAllow+1)}
	for i := range c.Allow {
		c.Allow[i] = Allow{Rule: "row-unknown", Reason: "known"}
	}
	if err := c.Complete("x", stack.Default()); err == nil || !strings.Contains(err.Error(), "allow has 1001 exceptions, more than 1000") {
		t.Error(err)
	}
}
