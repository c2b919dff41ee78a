package stack

import (
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// words is the vocabulary of a cell, longest first where one begins another.
var words = []struct {
	kind string // of the token
	text *lazyregexp.Regexp
}{
	{"num", lazyregexp.New(`^[vV]?(\d+)((?:\.\d+){0,2})(\.[xX*])*(-[0-9A-Za-z][0-9A-Za-z.-]*)?(\+[0-9A-Za-z][0-9A-Za-z.-]*)?`)},
	{"+", lazyregexp.New(`^(?i:\+|\b(?:and|or) (?:later|newer|higher|above|up|greater|onwards?)\b|\bonwards?\b)`)},
	{"0", lazyregexp.New(`^(?i:\b(?:and|or) (?:earlier|older|lower|below|less)\b)`)},
	{"||", lazyregexp.New(`^(?i:\|\||,|;|\n|/|&|\band\b|\bor\b|•|·)`)},
	{">=", lazyregexp.New(`^(?i:>=|=>|≥|⩾|\bat least\b|\bminimum\b|\bmin\.?\b|\bfrom\b|\bsince\b|\bstarting with\b)`)},
	{"<=", lazyregexp.New(`^(?i:<=|=<|≤|⩽|\bup to\b|\bat most\b|\bmaximum\b|\bmax\.?\b)`)},
	{"~", lazyregexp.New(`^(?:~>|~=|~)`)},
	{"-", lazyregexp.New(`^(?i:->|–|—|−|→|⇒|…|\.\.\.?|-|\bto\b|\bthrough\b|\bthru\b|\buntil\b)`)},
	{">", lazyregexp.New(`^(?i:>|\bnewer than\b|\bafter\b|\babove\b)`)},
	{"<", lazyregexp.New(`^(?i:<|\bolder than\b|\bbefore\b|\bbelow\b)`)},
	{"=", lazyregexp.New(`^(?:==?)`)},
	{"^", lazyregexp.New(`^\^`)},
	{"any", lazyregexp.New(`^\*`)},
	{"!", lazyregexp.New(`^(?i:\b(?:except|excluding|excludes?|without|but|not|unless|no|never|neither|nor|unsupported|incompatible|broken|fails|cannot|deprecated|eol|end[- ]of[- ](?:life|support)|retired|obsolete|discontinued|dropped|removed)\b|[a-z]+n['’]t\b|!=?|≠|❌|✗|✘|✖|🚫|⛔|:x:|:no_entry(?:_sign)?:)`)},
	{"?", lazyregexp.New(`^(?i:\?|\b(?:untested|unverified|unconfirmed|unknown|unclear|uncertain|maybe|perhaps|possibly|probably|presumably|tbd|tbc|tba|partial|partially|limited|incomplete|experimental|best[- ]effort)\b|❓|❔|⚠|:question:|:warning:)`)},
	{"word", lazyregexp.New(`^[\p{L}_][\p{L}\p{N}_:@]*`)},
	{"blank", lazyregexp.New(`^[ \t\r]+`)},
}

// A lexeme is a word of a cell.
type lexeme struct {
	kind       string
	start, end int // in the plain text
}

// tokens cuts a plain text into words. What stands in parentheses is apart;
// signs that mean nothing here are left out.
func tokens(p *plainText) (list []lexeme, asides [][]lexeme) {
	depth := 0
	for i := 0; i < len(p.text); {
		switch {
		case p.text[i] == '(':
			if depth++; depth == 1 {
				asides = append(asides, nil)
			}
		case p.text[i] == ')' && depth > 0:
			depth--
		default:
			t, ok := word(p.text, i)
			if !ok {
				break
			}
			switch {
			case t.kind == "blank":
			case depth == 0:
				list = append(list, t)
			default:
				asides[len(asides)-1] = append(asides[len(asides)-1], t)
			}
			i = t.end
			continue
		}
		i++
	}
	return list, asides
}

// word is the word at an offset of the text.
func word(text []byte, i int) (lexeme, bool) {
	for _, w := range words {
		m := w.text.FindSubmatchIndex(text[i:])
		if m == nil || i > 0 && wordByte(text[i]) && wordByte(text[i-1]) {
			continue
		}
		end := i + m[1]
		if w.kind == "num" {
			end = i + numberEnd(text[i:], m)
			if end < len(text) && (wordByte(text[end]) || text[end] == '_') {
				continue // "1st", "v1beta1"
			}
		}
		if w.kind == "+" && end > i && wordByte(text[i]) && !wordBoundary(text, end) {
			continue
		}
		return lexeme{w.kind, i, end}, true
	}
	return lexeme{}, false
}

func wordBoundary(text []byte, i int) bool { return i >= len(text) || !wordByte(text[i]) }

var second = lazyregexp.New(`^-[vV]?\d+(?:\.(?:\d+|[xX*])){1,2}$`)

// numberEnd is how long a version is: a dash behind it may begin a pre-release
// or the second version of a range.
func numberEnd(text []byte, m []int) int {
	full := strings.Count(string(text[m[4]:m[5]]), ".") == 2
	switch {
	case m[8] < 0:
	case !full || m[6] >= 0 || second.Match(text[m[8]:m[9]]), isLatest(string(text[m[8]+1 : m[9]])):
		return m[8]
	}
	if m[10] >= 0 && !full {
		return m[10]
	}
	return m[1]
}

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
	return !isLatest(string(r.plain.text[list[i+1].start:list[i+1].end]))
}

// partOfName says whether the version at i is the end of a name: "release-1.2".
func partOfName(list []lexeme, i int) bool {
	return i >= 2 && i < len(list) && list[i-1].kind == "-" && list[i-1].end == list[i].start && list[i-2].kind == "word" && list[i-2].end == list[i-1].start
}
