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
		r.terms = []term{anyVersion}
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
	bounds := false
	for _, t := range remark.terms {
		if low := t.limits[0]; low.parts < 2 || low.dated() {
			return nil
		}
		bounds = bounds || !t.plain()
	}
	if bounds && !r.Range.Within(remark.Range) || r.Range.Intersect(remark.Range).Empty() {
		return fmt.Errorf("%q says something else in parentheses: %w", r.Text, errAmbiguous)
	}
	return nil
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
	return len(r.terms) > 1 || !r.terms[0].plain() || r.terms[0].limits[0].wild != ""
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
			if last := len(r.terms) - 1; last >= 0 && r.terms[last].plain() && op == "" {
				r.terms[last].limits[0].op = map[string]string{"+": ">=", "0": "<="}[t.kind]
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
			r.terms = append(r.terms, anyVersion)
		case "word":
			if last := len(r.terms) - 1; op == "-" && list[i-1].kind == "-" && r.terms[last].plain() && isLatest(string(r.plain.text[t.start:t.end])) {
				r.terms[last].limits[0].op, op = ">=", "" // "1.18-latest"
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
	if slices.ContainsFunc(r.terms, func(t term) bool { return t.either || t.limits[0].op == "*" }) {
		return nil
	}
	major := func(t term) uint64 { return t.limits[0].n[0] }
	minimum := func(t term) bool { return len(t.limits) == 1 && strings.HasPrefix(t.limits[0].op, ">") }
	order := make([]*term, len(r.terms))
	several := 0
	for i := range r.terms {
		order[i] = &r.terms[i]
		if minimum(r.terms[i]) {
			several++
		}
	}
	slices.SortStableFunc(order, func(a, b *term) int { return slices.Compare(a.limits[0].n[:], b.limits[0].n[:]) })
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
		t.limits = append(t.limits, limit{"<", number{text: fmt.Sprint(end), parts: 1, n: [3]uint64{end}}})
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
	t, next := term{}, limit{op, n}
	if last := len(r.terms) - 1; last >= 0 {
		t = r.terms[last]
	}
	starts := func(prefix string) bool {
		return len(t.limits) == 1 && strings.HasPrefix(t.limits[0].op, prefix)
	}
	switch {
	case op == "-" && t.plain():
		t.limits = []limit{{"-", t.limits[0].number}, {"<=", n}}
	case op == "-" && starts(">"): // "from 1.2 to 1.4"
		t.limits = []limit{t.limits[0], {"<=", n}}
	case op == "-":
		return fmt.Errorf("%q: a dash behind %q: %w", r.Text, t.String(), errAmbiguous)
	case !or && starts(">") && strings.HasPrefix(op, "<"):
		t.limits = []limit{t.limits[0], next}
	case !or && starts("<") && strings.HasPrefix(op, ">"):
		t.limits = []limit{next, t.limits[0]}
	case beside && op == "" && len(t.limits) > 0 && t.plain():
		return fmt.Errorf("%q: how %s and %s belong together: %w", r.Text, t.limits[0].text, n.text, errAmbiguous)
	default:
		r.terms = append(r.terms, term{limits: []limit{next}})
		return nil
	}
	r.terms[len(r.terms)-1] = t
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
		r.terms, r.Range = []term{{limits: []limit{{"", n}}}}, OneVersion(version)
		if n.parts < 3 {
			r.Range = Range{[]interval{n.line()}}
		}
		return true
	}
	return false
}
