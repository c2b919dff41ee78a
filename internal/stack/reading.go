package stack

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Reading is what a cell says about versions.
type Reading struct {
	Range  Range
	Text   string // without markup
	Tip    bool   // it names the branch that is worked on: main, HEAD
	none   bool   // it says that there is none: a dash, n/a, nothing at all
	marked bool   // it begins with a mark, "✓ >= 1.2"; see Column.Marks

	terms []term
	at    source.Span // where it stands, markup and all
}

// tips are the names of what is worked on.
var tips = []string{"main", "master", "head", "devel", "develop", "trunk", "unreleased", "next", "tip"}

// nones are cells that say that there is no version.
var nones = []string{"", "-", "--", "---", "–", "—", "−", "n/a", "na", "none", "n.a.", "null", "x", "✗", "✘", "❌", "no"}

// latest are words for a version that no one can tell.
var latest = []string{"latest", "newest", "current", "present", "now", "today", "stable"}

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

// readCell reads the versions of a cell, whose text may stand in several
// places. The texts are those of the schemes when there are any, else versions
// as people write them. A cell that does not say what it means is an error.
func readCell(data []byte, forms []string, parts ...source.Span) (*Reading, error) {
	size := 0
	for _, s := range parts {
		size += s.Len()
	}
	if size > maxCell {
		return nil, errTooMuch
	}
	text := textOf(data, parts...)
	r := &Reading{Text: strings.Join(strings.Fields(text), " ")}
	if len(parts) > 0 {
		r.at = source.Span{Start: parts[0].Start, End: parts[len(parts)-1].End}
	}
	lower := strings.ToLower(r.Text)
	word, _, _ := strings.Cut(lower, " ")
	switch {
	case slices.Contains(nones, lower):
		r.none = true
		return r, nil
	case slices.Contains(tips, strings.TrimSuffix(word, ",")):
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
	remarks := remark.FindAllString(text, -1)
	if err := r.parse(remark.ReplaceAllString(text, " ")); err != nil {
		return nil, err
	}
	for _, text := range remarks {
		if err := r.contradicted(text); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// remark is what stands in parentheses.
var remark = lazyregexp.New(`\((?:[^()]|\([^()]*\))*\)`)

// contradicted judges what stands in parentheses: words say nothing, but a doubt,
// what is left out, and versions that are not those of the cell do.
func (r *Reading) contradicted(text string) error {
	words := tokens(text)
	if err := r.denied(words); err != nil {
		return err
	}
	said := &Reading{Text: r.Text}
	readable := said.parse(text) == nil
	if !readable || slices.ContainsFunc(words, func(t lexeme) bool { return t.kind == "word" }) {
		return nil
	}
	bounds := false
	for _, t := range said.terms {
		if low := t.limits[0]; low.parts < 2 || low.dated() {
			return nil
		}
		bounds = bounds || !t.plain()
	}
	if bounds && !r.Range.Within(said.Range) || r.Range.Intersect(said.Range).Empty() {
		return fmt.Errorf("%q says something else in parentheses: %w", r.Text, errAmbiguous)
	}
	return nil
}

// denied is the error of a word that leaves versions out, or doubts.
func (r *Reading) denied(words []lexeme) error {
	for _, t := range words {
		switch t.kind {
		case "!":
			return fmt.Errorf("%q leaves versions out: %w, say what is taken", r.Text, errAmbiguous)
		case "?":
			return fmt.Errorf("%q is a doubt: %w, say what is taken", r.Text, errAmbiguous)
		}
	}
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

// inForms reads a cell that is one version in one of the schemes. A scheme
// without a patch is of a line: "v{major}.{minor}" has all patches.
func (r *Reading) inForms(forms []string) bool {
	for _, form := range forms {
		version, ok := parse(form, r.Text)
		if !ok || OneVersion(version).Empty() {
			continue
		}
		n := number{text: r.Text, form: form, parts: partsOf(form)}
		n.n, n.pre = numbersOf(version), semver.Prerelease(version)
		r.terms, r.Range = []term{{limits: []limit{{"", n}}}}, Range{[]interval{n.line()}}
		return true
	}
	return false
}

// vocabulary is what the text of a cell is made of. Of two that begin at one
// place, the first one counts; characters that are none of them mean nothing.
var vocabulary = []struct{ kind, text string }{
	{"word", `[vV]?[0-9]+(?:\.[0-9]+){0,3}[\p{L}_][\p{L}\p{N}_]*`}, // 1st, v1beta1
	{"num", `[vV]?[0-9]+\.[0-9]+\.[0-9]+(?:\.[xX*])*(?:-[0-9A-Za-z][0-9A-Za-z.-]*)?(?:\+[0-9A-Za-z][0-9A-Za-z.-]*)?|[vV]?[0-9]+(?:\.[0-9]+)?(?:\.[xX*])*`},
	{">=", `\+|\b(?:and|or) (?:later|newer|higher|above|up|greater|onwards?)\b|\bonwards?\b`},
	{"<=", `\b(?:and|or) (?:earlier|older|lower|below|less)\b`},
	{"or", `\|\||/|\bor\b`},
	{"and", `[,;\n&•·]|\band\b`},
	{"op>=", `>=|=>|≥|⩾|\bat least\b|\bmin(?:imum\b|\b\.?)|\bfrom\b|\bsince\b|\bstarting with\b`},
	{"op<=", `<=|=<|≤|⩽|\bup to\b|\bat most\b|\bmax(?:imum\b|\b\.?)`},
	{"op~", `~[>=]?`},
	{"-", `->|–|—|−|→|⇒|…|\.\.\.?|-|\bto\b|\bthrough\b|\bthru\b|\buntil\b`},
	{"op>", `>|\bnewer than\b|\bafter\b|\babove\b`},
	{"op<", `<|\bolder than\b|\bbefore\b|\bbelow\b`},
	{"op^", `\^`},
	{"*", `\*`},
	{"!", `\b(?:except|excluding|excludes?|without|but|not|unless|no|never|neither|nor)\b|[a-z]+n['’]t\b`},
	{"!", `\b(?:unsupported|incompatible|broken|fails|cannot|deprecated|eol|end[- ]of[- ](?:life|support))\b`},
	{"!", `\b(?:retired|obsolete|discontinued|dropped|removed)\b`},
	{"!", `!=?|≠|❌|✗|✘|✖|🚫|⛔|:x:|:no_entry(?:_sign)?:`},
	{"?", `\b(?:untested|unverified|unconfirmed|unknown|unclear|uncertain|maybe|perhaps|possibly|probably|presumably)\b`},
	{"?", `\b(?:tbd|tbc|tba|partial|partially|limited|incomplete|experimental|best[- ]effort)\b`},
	{"?", `\?|❓|❔|⚠|:question:|:warning:`},
	{"word", `[\p{L}_][\p{L}\p{N}_:@]*`},
}

var tokenText = func() *lazyregexp.Regexp {
	texts := make([]string, len(vocabulary))
	for i, v := range vocabulary {
		texts[i] = "(" + v.text + ")"
	}
	return lazyregexp.New("(?i)" + strings.Join(texts, "|"))
}()

// A lexeme is a word of the vocabulary in a text.
type lexeme struct {
	kind, text string
	start, end int
}

// joinedVersions are two versions in full with a dash between them, which would
// be a version and its pre-release.
var joinedVersions = lazyregexp.New(`([0-9]+\.[0-9]+\.[0-9]+)-((?i:[vV]?[0-9]+(?:\.(?:[0-9]+|[xX*])){1,2}|` + strings.Join(append(latest, tips...), "|") + `)(?:[^0-9A-Za-z.]|$))`)

func tokens(text string) []lexeme {
	text = joinedVersions.ReplaceAllString(text, "$1→$2")
	var list []lexeme
	for _, m := range tokenText.FindAllStringSubmatchIndex(text, -1) {
		for i, v := range vocabulary {
			if m[2*i+2] >= 0 {
				list = append(list, lexeme{v.kind, text[m[0]:m[1]], m[0], m[1]})
			}
		}
	}
	return list
}

// number reads the number of a word. One of more than 32 bits is an error.
func (r *Reading) number(text string) (number, error) {
	n := number{text: text}
	core, _, _ := strings.Cut(strings.TrimLeft(text, "vV"), "+")
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

// parse makes terms of a text, and the range of them: bounds before or behind a
// version, two versions with a dash, alternatives. A lower bound and an upper one
// beside it are one term, unless "or" stands between them.
func (r *Reading) parse(text string) error {
	list := tokens(text)
	if err := r.denied(list); err != nil {
		return err
	}
	next := operator{apart: true}
	either := false // "||" is there, as in a constraint: it is no list
	dash := len(list)
	for i, t := range list {
		last := len(r.terms) - 1
		switch t.kind {
		case "num":
			if partOfName(list, i) && i+1 < len(list) && list[i+1].kind == "-" && list[i+1].start == t.end {
				return fmt.Errorf("%q is made of several versions: %w", r.Text, errAmbiguous)
			}
			n, err := r.number(t.text)
			if err == nil {
				err = r.add(next, n)
			}
			if err == nil && len(r.terms) > maxNumbers {
				err = errTooMuch
			}
			if err != nil {
				return err
			}
			next = operator{}
		case ">=", "<=":
			if last >= 0 && r.terms[last].plain() && next.text == "" {
				r.terms[last].limits[0].op = t.kind
			}
		case "-":
			if next.text == "" && last >= 0 && !next.apart && !partOfName(list, i+1) {
				next.text, dash = "-", i
			} else if strings.EqualFold(t.text, "until") {
				next.text = "<="
			}
		case "or", "and":
			next.or, next.apart = next.or || t.kind == "or", true
			either = either || t.text == "||"
			if t.text == "," && decimal(list, i) {
				return fmt.Errorf("%q is a list or a decimal comma: %w, put a blank or a dot", r.Text, errAmbiguous)
			}
		case "*":
			r.terms = append(r.terms, anyVersion)
			either = true
		case "word":
			word := strings.ToLower(t.text)
			if next.text == "-" && dash == i-1 && r.terms[last].plain() && (slices.Contains(latest, word) || slices.Contains(tips, word)) {
				r.terms[last].limits[0].op, next.text = ">=", "" // "1.18-latest"
			}
		default:
			next.text = strings.TrimPrefix(t.kind, "op")
		}
	}
	switch {
	case len(r.terms) == 0:
		return fmt.Errorf("%q: %w", r.Text, errNoVersion)
	case next.text != "" && (next.text != "-" || dash == len(list)-1 || letter.MatchString(list[dash].text)): // "1.17 – LTS" is a remark
		return fmt.Errorf("%q ends before it says all: %w", r.Text, errAmbiguous)
	case !either:
		if err := r.minimums(); err != nil {
			return err
		}
	}
	return r.join()
}

// An operator is what stands before a version.
type operator struct {
	text  string // as of limit
	apart bool   // a comma is there, or a word for it
	or    bool   // "or" is there
}

var letter = lazyregexp.New(`[A-Za-z]`)

// partOfName says whether the version at i is the end of a name: "release-1.2".
func partOfName(list []lexeme, i int) bool {
	return i >= 2 && i < len(list) && list[i-1].kind == "-" && list[i-1].end == list[i].start && list[i-2].kind == "word" && list[i-2].end == list[i-1].start
}

// decimal says whether the comma at i may be that of a number, "1,2".
func decimal(list []lexeme, i int) bool {
	return len(list) == 3 && i == 1 && list[0].end == list[1].start && list[1].end == list[2].start &&
		!strings.Contains(list[0].text+list[2].text, ".")
}

// add adds a version with what stands before it.
func (r *Reading) add(op operator, n number) error {
	t, next := term{}, limit{op.text, n}
	if last := len(r.terms) - 1; last >= 0 {
		t = r.terms[last]
	}
	starts := func(prefix string) bool {
		return len(t.limits) == 1 && strings.HasPrefix(t.limits[0].op, prefix)
	}
	switch {
	case op.text == "-" && t.plain():
		t.limits = []limit{{"-", t.limits[0].number}, {"<=", n}}
	case op.text == "-" && starts(">"): // "from 1.2 to 1.4"
		t.limits = []limit{t.limits[0], {"<=", n}}
	case op.text == "-":
		return fmt.Errorf("%q: a dash behind %q: %w", r.Text, t.String(), errAmbiguous)
	case !op.or && starts(">") && strings.HasPrefix(op.text, "<"):
		t.limits = []limit{t.limits[0], next}
	case !op.or && starts("<") && strings.HasPrefix(op.text, ">"):
		t.limits = []limit{next, t.limits[0]}
	case !op.apart && op.text == "" && len(t.limits) > 0 && t.plain():
		return fmt.Errorf("%q: how %s and %s belong together: %w", r.Text, t.limits[0].text, n.text, errAmbiguous)
	default:
		r.terms = append(r.terms, term{limits: []limit{next}})
		return nil
	}
	r.terms[len(r.terms)-1] = t
	return nil
}

// minimums ends each minimum of a list, "v19.2.0+, v20.2.1+", before the major
// version of the next item, and the last one of several before the next major
// version: such a list has one minimum for each. Two of one major version are an
// error.
func (r *Reading) minimums() error {
	major := func(t term) uint64 { return t.limits[0].n[0] }
	minimum := func(t term) bool { return len(t.limits) == 1 && strings.HasPrefix(t.limits[0].op, ">") }
	order := make([]*term, len(r.terms))
	several := 0
	for i, t := range r.terms {
		order[i] = &r.terms[i]
		if minimum(t) {
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
