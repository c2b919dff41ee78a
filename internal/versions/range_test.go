package versions

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"

	"github.com/project-codeflare/cfctl/internal/source"
)

func TestReadCell(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{"v1.2.3", "v1.2.3"},
		{"**v1.2.3**", "v1.2.3"},
		{"`1.2`", "v1.2.x"},
		{"_1.2_", "v1.2.x"},
		{"1.27.x", "v1.27.x"},
		{"4.8.*", "v4.8.x"},
		{"2.x", "v2.x"},
		{"*", "*"},
		{">=1.27 <1.31", ">=v1.27.0 <v1.31.0"},
		{">= 1.27, < 1.31", ">=v1.27.0 <v1.31.0"},
		{"<1.31 and >=1.27", ">=v1.27.0 <v1.31.0"},
		{"&gt;=1.27&nbsp;&lt;1.31", ">=v1.27.0 <v1.31.0"},
		{`\>= 0.37`, ">=v0.37.0"},
		{"≥ 1.5", ">=v1.5.0"},
		{"1.27–1.30", "v1.27.x - v1.30.x"},
		{"1.27 – 1.30", "v1.27.x - v1.30.x"},
		{"1.27-1.30", "v1.27.x - v1.30.x"},
		{"1.27 → 1.30", "v1.27.x - v1.30.x"},
		{"v1.22 .. v1.30", "v1.22.x - v1.30.x"},
		{"from 1.27 to 1.30", ">=v1.27.0 <v1.31.0"},
		{"1.2.3-1.2.5", ">=v1.2.3 <v1.2.6"},
		{"v0.9+", ">=v0.9.0"},
		{"1.27 and later", ">=v1.27.0"},
		{"up to 1.30", "<v1.31.0"},
		{"1.30 or older", "<v1.31.0"},
		{">1.30", ">=v1.31.0"},
		{"1.35, 1.34, 1.33", "v1.33.x - v1.35.x"},
		{"1.35 / 1.33", "v1.33.x || v1.35.x"},
		{"1.35<br>1.33", "v1.33.x || v1.35.x"},
		{"<ul><li>1.35</li><li>1.33</li></ul>", "v1.33.x || v1.35.x"},
		{"^1.2.3", ">=v1.2.3 <v2.0.0"},
		{"^0.2.3", ">=v0.2.3 <v0.3.0"},
		{"~1.2.3", ">=v1.2.3 <v1.3.0"},
		{">=1.2 <1.4 || >=2", ">=v1.2.0 <v1.4.0 || >=v2.0.0"},
		{"[1.39.0][82]", "v1.39.0"},
		{"[1.21][]", "v1.21.x"},
		{"[v1.2.3](https://example.com/v9.9.9)", "v1.2.3"},
		{"v1.2.3[^1]", "v1.2.3"},
		{"1.19.10†", "v1.19.10"},
		{"*1.8+", ">=v1.8.0"},
		{`1.8\*`, "v1.8.x"},
		{"1.8<sup>2</sup>", "v1.8.x"},
		{"1.8 <!-- 1.9 -->", "v1.8.x"},
		{"~~1.7~~ 1.8", "v1.8.x"},
		{"![](https://img.shields.io/badge/k8s-1.28-blue)", "v1.28.x"},
		{"[![1.28](https://img.shields.io/badge/k8s-1.28-blue?logo=x)](https://example.com)", "v1.28.x"},
		{"Kubernetes v1.29", "v1.29.x"},
		{"1.17 LTS", "v1.17.x"},
		{"1.32 (Mar 2026)", "v1.32.x"},
		{"release-0.16", "v0.16.x"},
		{"kubernetes-1.29.0/v0.29.0", "v0.29.0 || v1.29.0"},
		{"v1.2.3-rc.1", "v1.2.3-rc.1"},
		{"v1.2.3+incompatible", "v1.2.3"},
		{"–", "none"}, {"n/a", "none"}, {"", "none"}, {"✗", "none"},
		{"main", "tip"}, {"HEAD", "tip"}, {"main (unreleased)", "tip"},
		{"TBD", "error"}, {"v1beta1", "error"}, {"1.2 not 1.2.3", "error"}, {"1.31 - 1.27", "error"},
		{"99999999999999999999.1", "error"}, {"v1.99999999999999999999.1", "error"}, {">=1.2.99999999999999999999", "error"}, {"4294967296", "error"},
		{"1.2[1]", "v1.2.x"}, {"1.2.x[12]", "v1.2.x"}, {"1.2 [1]", "v1.2.x"}, {"1.2[1](#a)", "v1.2.x"}, {"1.2+[1]", ">=v1.2.0"}, {"1.2[1], 1.3[2]", "v1.2.x - v1.3.x"}, {"v1.[2]", "v1.2.x"}, {"[1]", "v1.x"},
		{"no 1.2", "error"}, {"1.2 (not 1.2.4)", "error"}, {"1.2 (but 1.2.4)", "error"}, {"1.2 ❌", "error"}, {"1.2?", "error"}, {"1.2 (?)", "error"}, {"1.2 (untested)", "error"}, {"1.2 to", "error"},
		{"1.2 - latest", ">=v1.2.0"}, {"1.18-latest", ">=v1.18.0"}, {"v1.18.2-latest", ">=v1.18.2"}, {"1.18 to main", ">=v1.18.0"}, {"up to latest", "error"},
		{"Squid v19.2.0+, Tentacle v20.2.1+", ">=v19.2.0 <v20.0.0 || >=v20.2.1 <v21.0.0"}, {"v20.2.1+<br>v17.1+", ">=v17.1.0 <v20.0.0 || >=v20.2.1 <v21.0.0"}, {"1.8+, 2.1", ">=v1.8.0 <v2.0.0 || v2.1.x"},
		{"1.28, 1.29+", "v1.28.x || >=v1.29.0"}, {"1.30.4+, 1.31.2+", "error"}, {"≥ 1.2 and ≥ 2.3", ">=v1.2.0 <v2.0.0 || >=v2.3.0 <v3.0.0"}, {">=1.2 || >=2", ">=v1.2.0"},
		{"1.25 以前", "error"}, {"版本 1.2", "error"}, {"planned 1.2", "error"}, {"1.2 (soon)", "error"}, {"[1.25,1.27)", "error"}, {"(1.25, 1.27]", "error"}, {"[1.2,)", "error"}, {"[1.25, 1.27]", "error"}, {"[,1.25]", "error"}, {"[1.25, 1.26](https://x/y), 1.27", "v1.25.x - v1.27.x"}, {"1.2[1,2]", "v1.2.x"},
		{"less than 1.2", "error"}, {"between 1.2 and 1.4", "error"}, {"1.2 upwards", "error"}, {"1.2 ↑", "error"}, {"avoid 1.2", "error"}, {"1.2 – 1.4 w/o 1.3", "error"},
		{"was 1.2, now 1.3", "error"}, {"n-2", "error"}, {"last 3 minors", "error"}, {"pre-1.2", "error"}, {"1.2 & later", ">=v1.2.0"},
		{"!1.2", "error"}, {"!=1.2", "error"}, {"deprecated 1.2", "error"}, {"1.2 (deprecated)", "error"}, {"EOL 1.2", "error"}, {"v1.4 / v1.2 (EOL)", "error"}, {"1.2 end-of-life", "error"}, {"1.2 (partial)", "error"}, {"partially 1.2", "error"},
		{"1,2", "error"}, {"1, 2", "v1.x - v2.x"}, {"1.28,1.29", "v1.28.x - v1.29.x"}, {"17,18,19", "v17.x - v19.x"},
		{"1.2 >=", "error"}, {"1.2 (1.3)", "error"}, {"1.2 (>=1.2.4)", "error"}, {"1.2 (doesn't work", "error"}, {"1.2 :x:", "error"},
		{"1.2 (1.2.4)", "error"}, {"1.2.4 (1.2)", "error"}, {"1.2 (incompatible with 1.2.4)", "error"}, {"1.2 (client-go 0.28)", "v1.2.x"}, {"1.2 (since 2024)", "v1.2.x"}, {"1.2 (2024-01-15)", "v1.2.x"}, {"1.17 – LTS", "v1.17.x"}, {"1.17 - N/A", "v1.17.x"}, {"&", "error"}, {"node 1.2", "v1.2.x"},
		{"1.2 1.3", "error"}, {"v1beta2-1.6.x-3.5.0", "error"}, {">=2 <1", "error"},
	} {
		got := "error"
		r, err := Read([]byte(c.cell), nil, source.Span{End: len(c.cell)})
		switch {
		case err != nil:
		case r.None:
			got = "none"
		case r.Tip:
			got = "tip"
		default:
			got = r.Range.String()
		}
		if got != c.want {
			t.Errorf("%q: %s, %v, want %s", c.cell, got, err, c.want)
		}
	}
}

// A list is joined once, and a cell that no person would read is not read.
func TestReadCellIsBounded(t *testing.T) {
	list := func(n int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "%d.0, ", i)
		}
		return text.String()
	}
	r, err := Read([]byte(list(maxNumbers)), nil, source.Span{End: len(list(maxNumbers))})
	if err != nil || len(r.Range.spans) != maxNumbers {
		t.Fatalf("a list of %d: %v", maxNumbers, err)
	}
	for _, text := range []string{list(maxNumbers + 1), strings.Repeat("[", maxCell+1), "1.2 " + strings.Repeat("<s>", maxCell)} {
		if _, err := Read([]byte(text), nil, source.Span{End: len(text)}); !errors.Is(err, errTooMuch) {
			t.Errorf("%.10q... of %d bytes: %v", text, len(text), err)
		}
	}
	half := source.Span{End: maxCell/2 + 1}
	if _, err := Read([]byte(strings.Repeat("1", maxCell)), nil, half, half); !errors.Is(err, errTooMuch) {
		t.Errorf("two parts: %v", err)
	}
}

// someVersions are versions around the small numbers that the tests use.
func someVersions() []string {
	var list []string
	for major := range 4 {
		for minor := range 5 {
			for patch := range 4 {
				v := fmt.Sprintf("v%d.%d.%d", major, minor, patch)
				list = append(list, v+"-0", v+"-rc.1", v+"-rc.1.0", v)
			}
		}
	}
	return list
}

// someRange is a random range, as text.
func someRange(r *rand.Rand) string {
	number := func() string {
		s := fmt.Sprint(r.IntN(3))
		for range r.IntN(3) {
			s += fmt.Sprintf(".%d", r.IntN(4))
		}
		if strings.Count(s, ".") == 2 && r.IntN(6) == 0 {
			s += "-rc.1"
		}
		return s
	}
	one := func() string {
		switch r.IntN(6) {
		case 0:
			return number()
		case 1:
			return ">=" + number() + " <" + number()
		case 2:
			return number() + " - " + number()
		case 3:
			return "^" + number()
		case 4:
			return "~" + number()
		}
		return []string{">=", ">", "<", "<="}[r.IntN(4)] + number()
	}
	text := one()
	for range r.IntN(3) {
		text += " || " + one()
	}
	return text
}

func TestRangesAreSets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	versions := someVersions()
	read := 0
	for range 400 {
		x, y := someRange(r), someRange(r)
		a, erra := ParseRange(x)
		b, errb := ParseRange(y)
		if erra != nil || errb != nil {
			continue
		}
		read++
		union, both := a.Union(b), a.Intersect(b)
		again, err := ParseRange(a.String())
		if err != nil {
			t.Fatalf("%q is written %q: %v", x, a, err)
		}
		within, meet := true, false
		for _, v := range versions {
			ina, inb := a.Has(v), b.Has(v)
			if union.Has(v) != (ina || inb) || both.Has(v) != (ina && inb) || again.Has(v) != ina {
				t.Fatalf("%q %q at %s: %v %v, union %v, both %v, again %v (%s)", x, y, v, ina, inb, union.Has(v), both.Has(v), again.Has(v), a)
			}
			within, meet = within && (!ina || inb), meet || ina && inb
		}
		if meet && both.Empty() || a.Within(b) && !within {
			t.Fatalf("%q %q: both %v, within %v", x, y, both, within)
		}
	}
	if read < 100 {
		t.Fatalf("only %d ranges were read", read)
	}
}

// Operators on full versions mean what they mean in constraints of rules.
func TestRangesAgreeWithConstraints(t *testing.T) {
	for _, text := range []string{">=1.2.1", ">1.2.1", "<1.2.1", "<=1.2.1", "=1.2.1", "^1.2.1", "^0.2.1", "^0.0.2", "~1.2.1", ">=1.0.1 <2.1.0", "1.0.1 - 2.1.1", "1.2.x", "1.x", ">=1.2", "<=1.2", "^1", "~1", "1.0.1 || 2.0.1"} {
		a, err := ParseRange(text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := semver.NewConstraint(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range someVersions() {
			if strings.Contains(v, "-") {
				continue // a matter of choice: see Range
			}
			if a.Has(v) != b.Check(semver.MustParse(v)) {
				t.Errorf("%s at %s: %v", text, v, a.Has(v))
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ text, version, want string }{
		{"1.27 - 1.30", "v1.31.2", "v1.30.x"}, {"1.27 - 1.30", "v1.2.0", "v1.27.0"},
		{">=1.5", "v1.2.0", "v1.5.0"}, {"v1.2.3", "v1.9.0", "v1.2.3"}, {"1.2 || 1.4", "v1.3.0", "v1.2.x"}, {"<2", "v3.0.0", "v1.x"},
	} {
		r, err := ParseRange(c.text)
		if err != nil || r.Nearest(c.version) != c.want {
			t.Errorf("%s, %s: %s, %v, want %s", c.text, c.version, r.Nearest(c.version), err, c.want)
		}
	}
}

func TestSchemes(t *testing.T) {
	for _, c := range []struct{ scheme, text, version string }{
		{"v{version}", "v1.2.3", "v1.2.3"},
		{"v0.{minor}.{patch}{major=1}", "v0.31.2", "v1.31.2"},
		{"v0.{minor}.{patch}{major=1}", "v0.31.2-rc.1", "v1.31.2-rc.1"},
		{"{YYYY}.{0M}.{patch}", "2024.03.1", "v2024.3.1"},
		{"{YY}.{0M}", "24.04", "v24.4.0"},
		{"release-{YYYY}-{0M}-{0D}", "release-2024-01-15", "v2024.1.15"},
		{"{YYYY}.{0M}.{patch}", "2024.3.1", ""},
		{"{YYYY}.{0M}.{patch}", "v2024.03.1", ""},
		{"{major}_{minor}_{patch}", "1_02_3", ""},
	} {
		got, ok := Parse(c.scheme, c.text)
		if ok != (c.version != "") || got != c.version {
			t.Errorf("%s %s: %q, %v", c.scheme, c.text, got, ok)
		}
		if ok && Format(c.scheme, got) != c.text {
			t.Errorf("%s %s: written %q", c.scheme, got, Format(c.scheme, got))
		}
	}
	for _, bad := range []string{"", "v1", "{minor}.{patch}", "{major}.{MM}.{minor}", "{version}{version}", "{versions}"} {
		if _, err := compileScheme(bad); err == nil {
			t.Errorf("scheme %q is taken", bad)
		}
	}
}

func FuzzReadCell(f *testing.F) {
	for _, text := range []string{"1.27 – 1.30", "[v1](x) <sup>2</sup>", "![a](b/badge/c-1.2-d)", "&gt;=1 <2 || `3.x`", "kubernetes-1.2.0/v0.2.0", "~~1~~ *2*", "99999999999999999999.1", "1.2[1]", "1.2 (not 1.2.4)", "1.2 to"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read([]byte(text), nil, source.Span{End: len(text)})
		if err != nil || r.None || r.Tip {
			return
		}
		again, err := ParseRange(r.Range.String())
		if err != nil || again.String() != r.Range.String() {
			t.Fatalf("%q: %s, read again %s, %v", text, r.Range, again, err)
		}
	})
}
