package stack

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A Reading is what a cell says about versions, with the places of the numbers
// in it.
type Reading struct {
	Range  Range
	Text   string // without markup
	Tip    bool   // it names the branch that is worked on: main, HEAD
	none   bool   // it says that there is none: a dash, n/a, nothing at all
	marked bool   // it begins with a mark, "✓ >= 1.2"; see Column.Marks

	terms []term
	plain *plainText
}

// A term is one alternative of a cell: a version, or a bound, or two.
type term struct {
	op       string // "", ">=", ">", "<=", "<", "^", "~", "-" (from low to high), ">=<" (both bounds)
	low      number // the version of op; the lower one of two
	high     number
	upper    string // of two bounds: "<" or "<="
	lower    string // of two bounds: ">=" or ">"
	wildcard bool   // "*": any version
}

// A number is a version as it is written, in full or not: "v1.27.3", "1.27",
// "1.27.x".
type number struct {
	text  string      // "1.27.x", with its v
	span  source.Span // in the file; empty = it cannot be written
	parts int         // how many numbers it has: 1, 2 or 3
	wild  string      // "x" or "*" when it ends in one
	n     [3]uint64
	pre   string // "-rc.1"
	form  string // the scheme that it is written in; empty = as versions are
}

// line is all versions that the number stands for.
func (n number) line() interval {
	switch {
	case n.parts == 3 && n.pre == "":
		v := versionOf(n.n)
		return interval{v, after(v)}
	case n.parts == 3:
		return interval{versionOf(n.n) + n.pre, after(versionOf(n.n) + n.pre)}
	}
	return interval{lowest(n.n), lowest(n.next())}
}

// next are the numbers of the line after it.
func (n number) next() [3]uint64 {
	m := n.n
	m[n.parts-1]++
	for i := n.parts; i < 3; i++ {
		m[i] = 0
	}
	return m
}

// least is the version that ">=" begins with.
func (n number) least() string { return versionOf(n.n) + n.pre }

// beyond is where ">" begins: after a version, or with the release after a line.
func (n number) beyond() string {
	if n.parts == 3 {
		return n.line().until
	}
	return versionOf(n.next())
}

// before is where "<" ends.
func (n number) before() string {
	if n.pre != "" {
		return n.least()
	}
	return lowest(n.n)
}

// interval is what the term takes; not ok when it takes nothing.
func (t term) interval() (interval, bool) {
	s := interval{from: first}
	switch t.op {
	case "":
		if !t.wildcard {
			s = t.low.line()
		}
	case ">=":
		s.from = t.low.least()
	case ">":
		s.from = t.low.beyond()
	case "<":
		s.until = t.low.before()
	case "<=":
		s.until = t.low.line().until
	case "-":
		s = interval{t.low.line().from, t.high.line().until}
	case ">=<":
		lower, _ := term{op: t.lower, low: t.low}.interval()
		upper, _ := term{op: t.upper, low: t.high}.interval()
		s = interval{lower.from, upper.until}
	case "^":
		s = interval{t.low.least(), lowest(t.low.caret())}
	case "~":
		n := t.low
		n.parts = min(n.parts, 2)
		s = interval{t.low.least(), lowest(n.next())}
	}
	return s, below(s.from, s.until)
}

// caret is where "^" ends: at the next number of the first that is not 0.
// Source: https://github.com/npm/node-semver#caret-ranges-123-025-004
func (n number) caret() [3]uint64 {
	for i := range n.parts {
		if n.n[i] != 0 || i == n.parts-1 {
			n.parts = i + 1
			break
		}
	}
	return n.next()
}

// tips are the names of what is worked on.
var tips = []string{"main", "master", "head", "devel", "develop", "trunk", "unreleased", "next", "tip"}

// nones are cells that say that there is no version.
var nones = []string{"", "-", "--", "---", "–", "—", "−", "n/a", "na", "none", "n.a.", "null", "x", "✗", "✘", "❌", "no"}

// What a cell may hold at most, in bytes and in versions: tables that people
// read are far below.
const (
	maxCell    = 16 << 10
	maxNumbers = 1000
)

var (
	errNoVersion = errors.New("no version stands there")
	errAmbiguous = errors.New("that is not clear")
	errTooMuch   = fmt.Errorf("a cell of more than %d bytes or %d versions", maxCell, maxNumbers)
)

// readCell reads the versions of a cell, whose text may stand in several
// places. The texts are those of the schemes when there are any, else versions
// as people write them. A cell that does not say what it means is an error.
func readCell(data []byte, forms []string, parts ...source.Span) (*Reading, error) {
	return readPlain(plainOf(data, parts...), forms)
}

// ParseRange reads a range as cells have them: "1.27 - 1.30", ">=1.27 <1.31",
// "1.27.x", "v0.9+", "1.28, 1.27", "^1.2 || 2.x".
func ParseRange(text string) (Range, error) {
	r, err := readCell([]byte(text), nil, source.Span{End: len(text)})
	if errors.Is(err, errNoVersion) {
		err = errNoVersion
	}
	if err != nil {
		return Range{}, fmt.Errorf("range %q: %w", text, err)
	}
	if r.none || r.Tip {
		return Range{}, fmt.Errorf("range %q: %w", text, errNoVersion)
	}
	return r.Range, nil
}

func readPlain(p *plainText, forms []string) (*Reading, error) {
	if p.cut {
		return nil, errTooMuch
	}
	r := &Reading{Text: p.String(), plain: p}
	lower := strings.ToLower(r.Text)
	switch {
	case slices.Contains(nones, lower):
		r.none = true
		return r, nil
	case slices.Contains(tips, strings.TrimSuffix(strings.ToLower(firstWord(lower)), ",")):
		r.Tip = true
		return r, nil
	case lower == "*" || lower == "any" || lower == "all":
		r.terms = []term{{wildcard: true}}
		r.Range = AnyVersion()
		return r, nil
	}
	if r.inForms(forms) {
		return r, nil
	}
	list, asides := tokens(p)
	if err := r.parse(list); err != nil {
		return nil, err
	}
	if err := r.join(); err != nil {
		return nil, err
	}
	for _, aside := range asides {
		if err := r.contradicted(aside); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readable says whether words are versions, and takes them in.
func (r *Reading) readable(list []lexeme) bool { return r.parse(list) == nil && r.join() == nil }

// contradicted judges what stands in parentheses: a remark says nothing, but a
// doubt, what is left out, and versions that are not those of the cell do.
func (r *Reading) contradicted(aside []lexeme) error {
	remark := &Reading{Text: r.Text, plain: r.plain}
	words := false
	for _, t := range aside {
		if err := r.denied(t); err != nil {
			return err
		}
		words = words || t.kind == "word"
	}
	if words || !remark.readable(aside) {
		return nil
	}
	for _, t := range remark.terms {
		if t.wildcard || t.low.parts < 2 || t.low.dated() {
			return nil
		}
	}
	bounds := slices.ContainsFunc(remark.terms, func(t term) bool { return t.op != "" })
	if bounds && !r.Range.Within(remark.Range) || r.Range.Intersect(remark.Range).Empty() {
		return fmt.Errorf("%q says something else in parentheses: %w", r.Text, errAmbiguous)
	}
	return nil
}

// dated says whether the number is a day: one of its parts is a year.
func (n number) dated() bool {
	return slices.ContainsFunc(n.n[:], func(part uint64) bool { return part >= 1900 && part < 2200 })
}

// denied is the error of a word that leaves versions out, or doubts.
func (r *Reading) denied(t lexeme) error {
	switch t.kind {
	case "!":
		return fmt.Errorf("%q leaves versions out: %w, say what is taken", r.Text, errAmbiguous)
	case "?":
		return fmt.Errorf("%q is a doubt: %w, say what is taken", r.Text, errAmbiguous)
	}
	return nil
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

// join makes the range of the terms.
func (r *Reading) join() error {
	spans := make([]interval, 0, len(r.terms))
	for _, t := range r.terms {
		s, ok := t.interval()
		if !ok {
			return fmt.Errorf("%q has no version in it", strings.TrimSpace(t.String()))
		}
		spans = append(spans, s)
	}
	r.Range = joined(spans)
	return nil
}

// several says whether the cell takes more than one version by its own words:
// a range, a list, a line with an x. A short version alone does not.
func (r *Reading) several() bool {
	if r.Range.Empty() || r.Range.Exact() != "" {
		return false
	}
	return len(r.terms) > 1 || r.terms[0].op != "" || r.terms[0].wildcard || r.terms[0].low.wild != ""
}

// Items are the ranges of the cell's alternatives, in the order that they stand.
func (r *Reading) Items() []Range {
	var items []Range
	for _, t := range r.terms {
		if s, ok := t.interval(); ok && len(r.terms) > 1 {
			items = append(items, Range{[]interval{s}})
		}
	}
	return items
}

// String is the term, for errors.
func (t term) String() string {
	switch t.op {
	case "-":
		return t.low.text + " - " + t.high.text
	case ">=<":
		return t.lower + t.low.text + " " + t.upper + t.high.text
	}
	return t.op + t.low.text
}

// number reads the number of a token. One of more than 32 bits is an error.
func (r *Reading) number(t lexeme) (number, error) {
	text := string(r.plain.text[t.start:t.end])
	n := number{text: text}
	n.span = r.plain.span(t.start, t.end)
	core := strings.TrimLeft(text, "vV")
	core, _, _ = strings.Cut(core, "+")
	core, pre, ok := strings.Cut(core, "-")
	if ok {
		n.pre = "-" + pre
	}
	for part := range strings.SplitSeq(core, ".") {
		v, err := strconv.ParseUint(part, 10, 32)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return n, fmt.Errorf("%q: %s is too large for the number of a version", r.Text, part)
		case err == nil && n.wild == "" && n.parts < 3:
			n.n[n.parts] = v
			n.parts++
		default:
			n.wild = part
		}
	}
	return n, nil
}

// parse makes terms of the words: bounds before or behind a version, two
// versions with a dash, alternatives. A lower bound and an upper one beside it
// are one term, unless "or" stands between them.
func (r *Reading) parse(list []lexeme) error {
	op, apart, or := "", true, false
	for i, t := range list {
		switch t.kind {
		case "num":
			if partOfName(list, i) && i+1 < len(list) && list[i+1].kind == "-" && list[i+1].start == t.end {
				return fmt.Errorf("%q is made of several versions: %w", r.Text, errAmbiguous)
			}
			n, err := r.number(t)
			if err == nil {
				err = r.add(op, n, !apart, or)
			}
			if err == nil && len(r.terms) > maxNumbers {
				err = errTooMuch
			}
			if err != nil {
				return err
			}
			op, apart, or = "", false, false
		case "+", "0":
			if last := len(r.terms) - 1; last >= 0 && r.terms[last].op == "" && op == "" {
				r.terms[last].op = map[string]string{"+": ">=", "0": "<="}[t.kind]
			}
		case "-":
			if op == "" && len(r.terms) > 0 && !apart && !partOfName(list, i+1) {
				op = "-"
			} else if strings.EqualFold(string(r.plain.text[t.start:t.end]), "until") {
				op = "<="
			}
		case "||":
			text := strings.ToLower(string(r.plain.text[t.start:t.end]))
			or = or || text == "or" || text == "||" || text == "/"
			apart = true
		case "!", "?":
			return r.denied(t)
		case "=":
		case "any":
			r.terms = append(r.terms, term{wildcard: true})
		case "word":
		default:
			op = t.kind
		}
	}
	if len(r.terms) == 0 {
		return fmt.Errorf("%q: %w", r.Text, errNoVersion)
	}
	if op != "" && !r.remarked(list) {
		return fmt.Errorf("%q ends before it says all: %w", r.Text, errAmbiguous)
	}
	return nil
}

// latest are words for a version that no one can tell.
var latest = []string{"latest", "newest", "current", "present", "now", "today", "stable"}

// remarked says whether the last dash begins a remark, "1.17 – LTS": words that
// are no version stand behind it.
func (r *Reading) remarked(list []lexeme) bool {
	i := len(list) - 1
	for i >= 0 && list[i].kind == "word" {
		i--
	}
	if i < 0 || i == len(list)-1 || list[i].kind != "-" || wordByte(r.plain.text[list[i].start]) {
		return false
	}
	first := strings.ToLower(string(r.plain.text[list[i+1].start:list[i+1].end]))
	return !slices.Contains(latest, first) && !slices.Contains(tips, first)
}

// partOfName says whether the version at i is the end of a name: "release-1.2".
func partOfName(list []lexeme, i int) bool {
	return i >= 2 && i < len(list) && list[i-1].kind == "-" && list[i-1].end == list[i].start && list[i-2].kind == "word" && list[i-2].end == list[i-1].start
}

// add adds a version with what stands before it. beside says that no comma
// stands before it, or that "or" does.
func (r *Reading) add(op string, n number, beside, or bool) error {
	last := len(r.terms) - 1
	switch {
	case op == "-":
		t := &r.terms[last]
		switch t.op {
		case "":
			t.op, t.high = "-", n
		case ">=", ">": // "from 1.2 to 1.4"
			t.lower, t.upper, t.op, t.high = t.op, "<=", ">=<", n
		default:
			return fmt.Errorf("%q: a dash behind %q: %w", r.Text, t.String(), errAmbiguous)
		}
	case last >= 0 && !or && strings.HasPrefix(r.terms[last].op, ">") && r.terms[last].upper == "" && strings.HasPrefix(op, "<"):
		t := &r.terms[last]
		t.lower, t.upper, t.op, t.high = t.op, op, ">=<", n
	case last >= 0 && !or && strings.HasPrefix(r.terms[last].op, "<") && strings.HasPrefix(op, ">"):
		t := &r.terms[last]
		t.lower, t.upper, t.op, t.low, t.high = op, t.op, ">=<", n, t.low
	case beside && last >= 0 && op == "" && r.terms[last].op == "" && !r.terms[last].wildcard:
		return fmt.Errorf("%q: how %s and %s belong together: %w", r.Text, r.terms[last].low.text, n.text, errAmbiguous)
	default:
		r.terms = append(r.terms, term{op: op, low: n})
	}
	return nil
}

// inForms reads a cell that is one version in one of the schemes. A scheme
// without a patch is of a line: "v{major}.{minor}" has all patches.
func (r *Reading) inForms(forms []string) bool {
	for _, form := range forms {
		version, ok := parse(form, r.Text)
		if !ok || OneVersion(version).Empty() {
			continue
		}
		n := number{text: r.Text, form: form, parts: partsOf(form)}
		if i := strings.Index(string(r.plain.text), r.Text); i >= 0 {
			n.span = r.plain.span(i, i+len(r.Text))
		}
		n.n, n.pre = numbersOf(version), semver.Prerelease(version)
		r.terms, r.Range = []term{{low: n}}, OneVersion(version)
		if n.parts < 3 {
			r.Range = Range{[]interval{n.line()}}
		}
		return true
	}
	return false
}
