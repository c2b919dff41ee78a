package versions

import (
	"slices"
	"strings"

	constraints "github.com/Masterminds/semver/v3"
	"golang.org/x/mod/semver"
)

// A term is one alternative of a cell: a version, a bound, or a lower and an upper
// bound, in this order.
type term struct{ limits []limit }

// A limit is a version with its operator: "" (the version or its line), ">=", ">",
// "<=", "<", "^", "~", "-" (the lower one of "1.2 - 1.4"), "*" (any version).
type limit struct {
	op string
	number
}

// A number is a version as it is written, in full or not: "v1.27.3", "1.27",
// "1.27.x".
type number struct {
	text  string // "1.27.x", with its v
	parts int    // how many numbers it has: 1, 2 or 3
	wild  string // "x" or "*" when it ends in one
	n     [3]uint64
	pre   string // "-rc.1"
	form  string // the scheme that it is written in; empty = as versions are
}

// full is the lowest release that the number stands for: "1.27" is 1.27.0.
func (n number) full() string { return Bare(versionOf(n.n)) + n.pre }

// lowest is where the line of the number begins: with its pre-releases, unless it
// is a version in full.
func (n number) lowest() string {
	if n.parts == 3 {
		return n.full()
	}
	return n.full() + "-0"
}

// short is the number as it is written, without its v and its x.
func (n number) short() string {
	parts := strings.SplitN(Bare(versionOf(n.n)), ".", 3)
	return strings.Join(parts[:n.parts], ".") + n.pre
}

// next is the first release of the line after the number's.
func (n number) next() string {
	m := n.n
	m[n.parts-1]++
	for i := n.parts; i < 3; i++ {
		m[i] = 0
	}
	return versionOf(m)
}

// line is all versions that the number stands for.
func (n number) line() interval {
	s, _ := term{limits: []limit{{"", n}}}.interval()
	return s
}

// interval is what the term takes; not ok when it takes nothing. It asks
// Masterminds/semver at every version where the answer can change: a number, what
// comes right after it, and the lines after its own.
func (t term) interval() (s interval, ok bool) {
	switch l := t.limits[0]; {
	case l.op == "*":
		return AnyVersion().spans[0], true
	case l.op == "" && l.parts == 3:
		v := versionOf(l.n) + l.pre
		return interval{v, after(v)}, true
	}
	var texts []string
	at := []string{first}
	for _, l := range t.limits {
		texts = append(texts, l.constraint())
		v := versionOf(l.n) + l.pre
		at = append(at, v, lowest(l.n), after(v))
		for l.parts = 1; l.parts <= 3; l.parts++ {
			at = append(at, l.next(), l.next()+"-0")
		}
	}
	c, err := constraints.NewConstraint(strings.Join(texts, " "))
	if err != nil {
		return interval{}, false
	}
	c.IncludePrerelease = true // the limits say which
	slices.SortFunc(at, semver.Compare)
	for _, text := range at {
		v, err := constraints.NewVersion(text)
		if err != nil {
			return interval{}, false
		}
		switch taken := c.Check(v); {
		case taken && !ok:
			s.from, ok = text, true
		case !taken && ok:
			s.until = text
			return s, true
		}
	}
	return s, ok
}

// constraint is the limit as a constraint of Masterminds/semver. It says which
// pre-releases it takes: see Range.
func (l limit) constraint() string {
	switch {
	case l.op == "":
		return ">=" + l.lowest() + " <=" + l.short()
	case l.op == "-":
		return ">=" + l.lowest()
	case l.op == ">=", l.op == ">" && l.parts == 3:
		return l.op + l.full()
	case l.op == ">":
		return ">=" + Bare(l.next())
	case l.op == "<" && l.pre == "":
		return "<" + l.full() + "-0"
	}
	return l.op + l.short() // <, <=, ^, ~
}

// anyVersion is the term "*".
var anyVersion = term{limits: []limit{{op: "*"}}}

// plain says whether the term is a version, or a line, without an operator.
func (t term) plain() bool { return t.limits[0].op == "" }

// String is the term, for errors.
func (t term) String() string {
	text := t.limits[0].op + t.limits[0].text
	switch {
	case len(t.limits) == 1:
		return text
	case t.limits[0].op == "-":
		return t.limits[0].text + " - " + t.limits[1].text
	}
	return text + " " + t.limits[1].op + t.limits[1].text
}

// bound is 1 for a lower bound, -1 for an upper one, and 0 for what has both.
func (l limit) bound() int {
	switch l.op {
	case ">=", ">":
		return 1
	case "<=", "<":
		return -1
	}
	return 0
}

// bound is that of the only limit of the term.
func (t term) bound() int {
	if len(t.limits) > 1 {
		return 0
	}
	return t.limits[0].bound()
}
