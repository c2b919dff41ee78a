package stack

import (
	"bytes"
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
	either   bool   // "||" stands before it, as in a constraint: no item of a list
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

// full is the lowest release that the number stands for: "1.27" is 1.27.0.
func (n number) full() string { return bare(versionOf(n.n)) + n.pre }

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
	parts := strings.SplitN(bare(versionOf(n.n)), ".", 3)
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
	s, _ := term{low: n}.interval()
	return s
}

// interval is what the term takes; not ok when it takes nothing.
func (t term) interval() (interval, bool) {
	switch {
	case t.wildcard:
		return AnyVersion().spans[0], true
	case t.op == "" && t.low.parts == 3:
		v := versionOf(t.low.n) + t.low.pre
		return interval{v, after(v)}, true
	}
	r, err := takenBy(t.constraint(), t.low, t.high)
	if err != nil || r.Empty() {
		return interval{}, false
	}
	return r.spans[0], true
}

// constraint is the term as a constraint of Masterminds/semver. The bounds say
// which pre-releases it takes: see Range.
func (t term) constraint() string {
	low, high := t.low, t.high
	switch t.op {
	case "", "-":
		if t.op == "" {
			high = low
		}
		return ">=" + low.lowest() + " <=" + high.short()
	case ">=":
		return ">=" + low.full()
	case ">":
		if low.parts < 3 {
			return ">=" + bare(low.next())
		}
		return ">" + low.full()
	case "<":
		if low.pre == "" {
			return "<" + low.full() + "-0"
		}
		return "<" + low.full()
	case ">=<":
		return term{op: t.lower, low: low}.constraint() + " " + term{op: t.upper, low: high}.constraint()
	}
	return t.op + low.short() // <=, ^, ~
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
	// ErrEmpty is wrapped by the error of a range that takes no version: ">=2 <1".
	ErrEmpty     = errors.New("no version is in it")
	errNoVersion = errors.New("there is no version")
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
			return fmt.Errorf("%q: %w", strings.TrimSpace(t.String()), ErrEmpty)
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
	op, apart, or, either := "", true, false, false
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
			r.terms[len(r.terms)-1].either = r.terms[len(r.terms)-1].either || either
			op, apart, or, either = "", false, false, false
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
			either = either || text == "||"
			apart = true
			if text == "," && r.decimal(list, i) {
				return fmt.Errorf("%q is a list or a decimal comma: %w, put a blank or a dot", r.Text, errAmbiguous)
			}
		case "!", "?":
			return r.denied(t)
		case "=":
		case "any":
			r.terms = append(r.terms, term{wildcard: true})
		case "word":
			if last := len(r.terms) - 1; op == "-" && list[i-1].kind == "-" && r.terms[last].op == "" && isLatest(string(r.plain.text[t.start:t.end])) {
				r.terms[last].op, op = ">=", "" // "1.18-latest"
			}
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
	return r.minimums()
}

// minimums ends each minimum of a list, "v19.2.0+, v20.2.1+", before the major
// version of the next item, and the last one of several before the next major
// version: such a list has one minimum for each. Two of one major version are an
// error.
func (r *Reading) minimums() error {
	if slices.ContainsFunc(r.terms, func(t term) bool { return t.either || t.wildcard }) {
		return nil
	}
	major := func(t term) uint64 { return t.low.n[0] }
	minimum := func(t term) bool { return t.op == ">=" || t.op == ">" }
	order := make([]*term, len(r.terms))
	several := 0
	for i := range r.terms {
		order[i] = &r.terms[i]
		if minimum(r.terms[i]) {
			several++
		}
	}
	slices.SortStableFunc(order, func(a, b *term) int { return slices.Compare(a.low.n[:], b.low.n[:]) })
	for i, t := range order {
		if !minimum(*t) {
			continue
		}
		end := major(*t) + 1
		switch next := i + 1; {
		case next == len(order) && several < 2:
			continue
		case next == len(order):
		case major(*order[next]) > major(*t):
			end = major(*order[next])
		case minimum(*order[next]):
			return fmt.Errorf("%q has two minimums of one major version: %w, say where each ends", r.Text, errAmbiguous)
		default:
			continue
		}
		t.lower, t.upper, t.op, t.high = t.op, "<", ">=<", number{text: fmt.Sprint(end), parts: 1, n: [3]uint64{end}}
	}
	return nil
}

// decimal says whether the comma at i may be that of a number, "1,2".
func (r *Reading) decimal(list []lexeme, i int) bool {
	return len(list) == 3 && i == 1 && list[0].end == list[1].start && list[1].end == list[2].start &&
		!bytes.Contains(r.plain.text[list[0].start:list[2].end], []byte("."))
}

// latest are words for a version that no one can tell.
var latest = []string{"latest", "newest", "current", "present", "now", "today", "stable"}

// isLatest says whether a word stands for whatever is newest.
func isLatest(word string) bool {
	word = strings.ToLower(word)
	return slices.Contains(latest, word) || slices.Contains(tips, word)
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
