package versions

import (
	"cmp"
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
	Range Range
	Text  string // without markup
	Tip   bool   // it names the branch that is worked on: main, HEAD
	None  bool   // it says that there is none: a dash, n/a, nothing at all

	terms []term
	at    source.Span // where it stands, markup and all
}

// tips are the names of what is worked on.
var tips = []string{"main", "master", "head", "devel", "develop", "trunk", "unreleased", "next", "tip", "edge", "nightly"}

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
	ErrEmpty = errors.New("no version is in it")
	// ErrNoVersion is wrapped by the error of a cell that has words and no version.
	ErrNoVersion = errors.New("there is no version")
	errAmbiguous = errors.New("that is not clear")
	errTooMuch   = fmt.Errorf("a cell of more than %d bytes or %d versions", maxCell, maxNumbers)
)

// ParseRange reads a range as cells have them: "1.27 - 1.30", ">=1.27 <1.31",
// "1.27.x", "v0.9+", "1.28, 1.27", "^1.2 || 2.x".
func ParseRange(text string) (Range, error) {
	r, err := Read([]byte(text), nil, source.Span{End: len(text)})
	if errors.Is(err, ErrNoVersion) {
		err = ErrNoVersion
	}
	if err != nil {
		return Range{}, fmt.Errorf("range %q: %w", text, err)
	}
	if r.None || r.Tip {
		return Range{}, fmt.Errorf("range %q: %w", text, ErrNoVersion)
	}
	return r.Range, nil
}

// Read reads the versions of a cell, whose text may stand in several
// places. The texts are those of the schemes when there are any, else versions
// as people write them. A cell that does not say what it means is an error.
func Read(data []byte, forms []string, parts ...source.Span) (*Reading, error) {
	size := 0
	for _, s := range parts {
		size += s.Len()
	}
	if size > maxCell {
		return nil, errTooMuch
	}
	text := TextOf(data, parts...)
	r := &Reading{Text: strings.Join(strings.Fields(text), " ")}
	if len(parts) > 0 {
		r.at = source.Span{Start: parts[0].Start, End: parts[len(parts)-1].End}
	}
	lower := strings.ToLower(r.Text)
	word, _, _ := strings.Cut(lower, " ")
	switch {
	case slices.Contains(nones, lower):
		r.None = true
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
	return r, r.parse(text)
}

// Several says whether the cell takes more than one version by its own words:
// a range, a list, a line with an x. A short version alone does not.
func (r *Reading) Several() bool {
	if r.Range.Empty() || r.Range.Exact() != "" {
		return false
	}
	return len(r.terms) > 1 || !r.terms[0].plain() || r.terms[0].limits[0].wild != ""
}

// inForms reads a cell that is one version in one of the schemes. A scheme
// without a patch is of a line: "v{major}.{minor}" has all patches.
func (r *Reading) inForms(forms []string) bool {
	for _, form := range forms {
		version, ok := Parse(form, r.Text)
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

// versionForm is a version as people write it, in full or not. A pre-release needs
// all three numbers before it.
const versionForm = `[vV]?[0-9]+\.[0-9]+\.[0-9]+(?:\.[xX*])*(?:-[0-9A-Za-z][0-9A-Za-z.-]*)?(?:\+[0-9A-Za-z][0-9A-Za-z.-]*)?|[vV]?[0-9]+(?:\.[0-9]+)?(?:\.[xX*])*`

// unclear is what no reader of a cell may pass over, and why.
var unclear = []struct {
	text *lazyregexp.Regexp
	why  string
}{
	{lazyregexp.New(`(?i)\b(?:except|excl[a-z]*|without|but|not|unless|no|never|neither|nor|avoid|drops?|minus|was|were)\b|\bw/o\b|[a-z]+n['’]t\b`), "leaves versions out"},
	// Bounds in other words than those of the spellings.
	{lazyregexp.New(`(?i)\b(?:less|lower|smaller|earlier|greater|higher|later|more|fewer) than\b|\b(?:between|under|over|beyond|upwards?|downwards?|forwards?|backwards?|plus|to date)\b`), "has a bound in words"},
	{lazyregexp.New(`(?i)\b(?:pre|post|n|last)\s*[-–−]?\s*v?[0-9]|[↑↓⬆⬇]`), "has a bound in words"},
	{lazyregexp.New(`(?i)\b(?:unsupported|broken|fails|cannot|deprecated|eol|end[- ]of[- ](?:life|support))\b`), "leaves versions out"},
	{lazyregexp.New(`(?i)\b(?:retired|obsolete|discontinued|dropped|removed)\b|(?:^|[^+])\bincompatible\b`), "leaves versions out"},
	{lazyregexp.New(`!=?|≠|❌|✗|✘|✖|🚫|⛔|:x:|:no_entry(?:_sign)?:`), "leaves versions out"},
	{lazyregexp.New(`(?i)\b(?:untested|unverified|unconfirmed|unknown|unclear|uncertain|maybe|perhaps|possibly|probably|presumably)\b`), "is a doubt"},
	{lazyregexp.New(`(?i)\b(?:tbd|tbc|tba|partial|partially|limited|incomplete|experimental|best[- ]effort)\b`), "is a doubt"},
	{lazyregexp.New(`(?i)\b(?:planned|pending|upcoming|soon)\b.*[0-9]|[0-9].*\b(?:planned|pending|upcoming|soon)\b`), "is a doubt"},
	{lazyregexp.New(`[^\x00-\x{24f}\PL]`), "has words of another script"}, // 1.25 以前
	{lazyregexp.New(`\?|❓|❔|⚠|:question:|:warning:`), "is a doubt"},
	{lazyregexp.New(`(?i)[a-z][a-z0-9]*-[0-9]+(?:\.(?:[0-9]+|[x*]))+-[0-9]`), "is made of several versions"},
	{lazyregexp.New(`(?i)\([<>=~^≥≤ ]*v?[0-9]+(?:\.(?:[0-9]+|[x*]))+[+ ]*\)`), "has a version in parentheses"},
	{lazyregexp.New(`^\s*v?[0-9]+,v?[0-9]+\s*$`), "is a list or a decimal comma"},
}

// spellings are what people write for the operators of a constraint, in the order
// in which they are rewritten.
var spellings = []struct {
	text *lazyregexp.Regexp
	with string
}{
	{lazyregexp.New(`\((?:[^()]|\([^()]*\))*\)`), " "}, // remarks
	{lazyregexp.New(`(?i)(` + versionForm + `)\s*(?:->|[-–—−→⇒…]|\.\.\.?|\bto\b|\bthrough\b)\s*(?:` + strings.Join(append(latest, tips...), "|") + `)\b`), " >=$1 "},
	{lazyregexp.New(`([0-9]+\.[0-9]+\.[0-9]+)-([vV]?[0-9]+(?:\.(?:[0-9]+|[xX*])){1,2}(?:[^0-9A-Za-z.]|$))`), "$1 - $2"},
	{lazyregexp.New(`(` + versionForm + `)\s*\+([^0-9A-Za-z]|$)`), " >=$1 $2"},
	{lazyregexp.New(`(?i)(` + versionForm + `)\s*(?:(?:\b(?:and|or)|&) (?:later|newer|higher|above|up|greater|onwards?)\b|\bonwards?\b)`), " >=$1 "},
	{lazyregexp.New(`(?i)(` + versionForm + `)\s*\b(?:and|or) (?:earlier|older|lower|below|less)\b`), " <=$1 "},
	{lazyregexp.New(`(?i)=>|≥|⩾|\bat least\b|\bmin(?:imum\b|\b\.?)|\bfrom\b|\bsince\b|\bstarting with\b`), ">="},
	{lazyregexp.New(`(?i)=<|≤|⩽|\bup to\b|\bat most\b|\bmax(?:imum\b|\b\.?)|\buntil\b`), "<="},
	{lazyregexp.New(`(?i)->|[–—−→⇒…]|\.\.\.?|\bto\b|\bthrough\b|\bthru\b`), " - "},
	{lazyregexp.New(`(?i)\bnewer than\b|\bafter\b|\babove\b`), ">"},
	{lazyregexp.New(`(?i)\bolder than\b|\bbefore\b|\bbelow\b`), "<"},
	{lazyregexp.New(`~[>=]`), "~"},
	{lazyregexp.New(`(?i)/|\bor\b`), "||"},
	{lazyregexp.New(`(?i)[;\n&•·]|\band\b`), ","},
}

// Items of a cell: words, with the dash that joins them to something, versions and
// operators.
var (
	cellItem = lazyregexp.New(`[vV]?[0-9]+(?:\.[0-9]+){0,3}[\p{L}_][\p{L}\p{N}_]*-?|` + versionForm + `|[\p{L}_][\p{L}\p{N}_:@]*-?|>=|<=|[<>^~*,-]|\|\|`)
	termText = lazyregexp.New(`^(|>=|<=|[<>^~]) ?(` + versionForm + `)(?: (-|>=|<=|[<>]) ?(` + versionForm + `))?$`)
)

// operators are what a cell has besides versions.
var operators = []string{">=", "<=", "<", ">", "^", "~", "*", ",", "-", "||"}

// normal is a cell in the language of constraints, without the words in it, and
// without a dash before a word: "1.17 – LTS".
func normal(text string) string {
	for _, s := range spellings {
		text = s.text.ReplaceAllString(text, s.with)
	}
	var parts []string
	for _, item := range cellItem.Get().FindAllString(text, -1) {
		last := len(parts) - 1
		switch {
		case termText.MatchString(item) || slices.Contains(operators, item):
			parts = append(parts, item)
		case last >= 0 && parts[last] == "-":
			parts = parts[:last]
		}
	}
	return strings.Join(parts, " ")
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

// parse makes terms of a text, and the range of them: alternatives at "||", which
// are lists. A lower bound and an upper one that are neighbours in a list are one
// term.
func (r *Reading) parse(text string) error {
	for _, u := range unclear {
		if u.text.MatchString(text) {
			return fmt.Errorf("%q %s: %w, say what is taken", r.Text, u.why, errAmbiguous)
		}
	}
	text = normal(text)
	if strings.Count(text, ",")+strings.Count(text, "|")/2 > maxNumbers {
		return errTooMuch
	}
	for list := range strings.SplitSeq(text, "||") {
		first := len(r.terms)
		for item := range strings.SplitSeq(list, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			t, err := r.term(item)
			if err != nil {
				return err
			}
			if last := len(r.terms) - 1; last >= first && r.terms[last].bound()*t.bound() < 0 {
				t = both(r.terms[last].limits[0], t.limits[0])
				r.terms = r.terms[:last]
			}
			r.terms = append(r.terms, t)
		}
		if err := r.minimums(r.terms[first:]); err != nil {
			return err
		}
	}
	if len(r.terms) == 0 {
		return fmt.Errorf("%q: %w", r.Text, ErrNoVersion)
	}
	return r.join()
}

// term reads one item of a list.
func (r *Reading) term(item string) (term, error) {
	if item == "*" {
		return anyVersion, nil
	}
	m := termText.FindStringSubmatch(item)
	if m == nil && strings.ContainsAny(item, "0123456789") || m != nil && m[3] == "-" && m[1] != "" && m[1] != ">=" {
		return term{}, fmt.Errorf("%q: how the versions belong together: %w", r.Text, errAmbiguous)
	}
	if m == nil {
		return term{}, fmt.Errorf("%q: %w", r.Text, ErrNoVersion)
	}
	low, err := r.number(m[2])
	if err != nil || m[4] == "" {
		return term{[]limit{{m[1], low}}}, err
	}
	high, err := r.number(m[4])
	if m[3] == "-" {
		return term{[]limit{{cmp.Or(m[1], "-"), low}, {"<=", high}}}, err
	}
	t := both(limit{m[1], low}, limit{m[3], high})
	if t.limits[0].bound() <= 0 || t.limits[1].bound() >= 0 {
		return term{}, fmt.Errorf("%q: how the versions belong together: %w", r.Text, errAmbiguous)
	}
	return t, err
}

// both is the term of two bounds, the lower one first.
func both(a, b limit) term {
	if a.bound() < 0 {
		a, b = b, a
	}
	return term{[]limit{a, b}}
}

// minimums ends each minimum of a list, "v19.2.0+, v20.2.1+", before the major
// version of the next item, and the highest of several before the next one. An
// item above a minimum of the same major version is an error.
func (r *Reading) minimums(list []term) error {
	several := 0
	for _, t := range list {
		several += max(0, t.bound())
	}
	for i, t := range list {
		low := t.limits[0].number
		end := low.n[0] + 1
		if t.bound() <= 0 {
			continue
		}
		above := slices.DeleteFunc(slices.Clone(list), func(o term) bool { return slices.Compare(o.limits[0].n[:], low.n[:]) <= 0 })
		if len(above) > 0 {
			end = slices.MinFunc(above, func(a, b term) int { return cmp.Compare(a.limits[0].n[0], b.limits[0].n[0]) }).limits[0].n[0]
		}
		switch {
		case end == low.n[0]:
			return fmt.Errorf("%q has an item above a minimum of one major version: %w, say where each ends", r.Text, errAmbiguous)
		case several > 1 || len(above) > 0:
			list[i].limits = []limit{t.limits[0], {"<", number{text: fmt.Sprint(end), parts: 1, n: [3]uint64{end}}}}
		}
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
