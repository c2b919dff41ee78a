package prove

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A vocabulary is the spellings that the rules know.
type vocabulary struct {
	words   map[string][]string // old spellings, with every new one
	starts  [256]bool           // first bytes of old spellings
	longest int                 // length of the longest old spelling
	// versions are those that any version of some group becomes.
	versions []string
	slugs    map[string][]string // spellings in the anchors of headings, behind which a version may stand
}

func (v *vocabulary) add(old, fresh string) {
	if v.words == nil {
		v.words = map[string][]string{}
	}
	if !slices.Contains(v.words[old], fresh) {
		v.words[old] = append(v.words[old], fresh)
	}
	v.starts[old[0]] = true
	v.longest = max(v.longest, len(old))
}

// slug notes a spelling in the anchors of headings.
func (v *vocabulary) slug(old, fresh string) {
	if v.slugs == nil {
		v.slugs = map[string][]string{}
	}
	v.slugs[old] = append(v.slugs[old], fresh)
	v.starts[old[0]] = true
	v.longest = max(v.longest, len(old))
}

// Permits says whether the rules make a spelling of another one.
func (r *Rules) Permits(old, fresh string) bool { return r.names.explains(old, fresh) }

// explains says whether a text is another one in which old spellings have
// become new ones, and nothing else.
func (v *vocabulary) explains(old, fresh string) bool {
	if old == fresh {
		return true
	}
	old, fresh = middle(apart(old), apart(fresh))
	return v.walk(old, fresh)
}

// apart ends the escape sequences of terminals in a text, raw or as programs
// spell them: their last letter is no part of the word behind.
func apart(text string) string {
	if !strings.Contains(text, "[") {
		return text
	}
	return escape.ReplaceAllString(text, "$0\x00")
}

var escape = lazyregexp.New(`(?:\x1b|\\(?:033|[eE]|x1[bB]|u001[bB]))\[[0-9;]*m`)

// middle leaves out what two texts have in common at both ends, up to the
// blank or quote next to what differs.
func middle(a, b string) (string, string) {
	n := sameHead(a, b)
	a, b = a[n:], b[n:]
	i, j := len(a), len(b)
	for i > 0 && j > 0 && a[i-1] == b[j-1] {
		i--
		j--
	}
	for i < len(a) && !edge(a[i]) {
		i++
		j++
	}
	return a[:i], b[:j]
}

// sameHead is how much two texts have in common at their beginnings, up to the
// last blank or quote.
func sameHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && !edge(a[n-1]) {
		n--
	}
	return n
}

func edge(c byte) bool { return strings.IndexByte(" \t\r\n\"'`", c) >= 0 }

// A crossing is a pair of offsets that explained text leads to.
type crossing struct{ i, j int }

// walk reads both texts side by side. Where an old spelling stands it may have
// become a new one; everything else is the same.
func (v *vocabulary) walk(old, fresh string) bool {
	open := []crossing{{}}
	seen := map[crossing]bool{}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for {
			if at.i == len(old) && at.j == len(fresh) {
				return true
			}
			more := v.steps(old, fresh, at)
			same := at.i < len(old) && at.j < len(fresh) && old[at.i] == fresh[at.j]
			if len(more) > 0 {
				if seen[at] {
					break
				}
				seen[at] = true
				if same {
					open = append(open, crossing{at.i + 1, at.j + 1})
				}
				open = append(open, more...)
				break
			}
			if !same {
				break
			}
			at.i++
			at.j++
		}
	}
	return false
}

// steps are the ways on across an old spelling and its new one.
func (v *vocabulary) steps(old, fresh string, at crossing) []crossing {
	if at.i == len(old) || at.i > 0 && joined(old[at.i-1], old[at.i]) && !escapedSlash(old[:at.i]) {
		return nil
	}
	var list []crossing
	if len(v.versions) > 0 && old[at.i] == 'v' {
		if word := letters.FindString(old[at.i:]); isVersion(word) {
			for _, to := range v.versions {
				if word != to && strings.HasPrefix(fresh[at.j:], to) {
					list = append(list, crossing{at.i + len(word), at.j + len(to)})
				}
			}
		}
	}
	if !v.starts[old[at.i]] {
		return list
	}
	for end := at.i + 1; end <= len(old) && end-at.i <= v.longest; end++ {
		if end < len(old) && joined(old[end-1], old[end]) {
			if old[end] == 'v' && isVersion(letters.FindString(old[end:])) {
				list = append(list, across(v.slugs[old[at.i:end]], fresh, at, end)...)
			}
			continue
		}
		list = append(list, across(v.words[old[at.i:end]], fresh, at, end)...)
	}
	return list
}

// across are the ways across an old spelling, which ends at an offset, and its new ones.
func across(spellings []string, fresh string, at crossing, end int) []crossing {
	var list []crossing
	for _, to := range spellings {
		if strings.HasPrefix(fresh[at.j:], to) {
			list = append(list, crossing{end, at.j + len(to)})
		}
	}
	return list
}

// escapedSlash says whether a text ends with a slash as URLs escape it.
func escapedSlash(text string) bool {
	return strings.HasSuffix(text, "%2f") || strings.HasSuffix(text, "%2F")
}

// joined says whether two characters belong to one word. A capital begins one,
// as in NewMcadV1Client.
func joined(a, b byte) bool { return letter(a) && letter(b) && !(b >= 'A' && b <= 'Z') }

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// newWords says whether every word that the edits bring in is one that the
// file has elsewhere, or one of the rules. A word counts as a whole, with the
// letters around the edit.
func (c *check) newWords() error {
	before := map[string]bool{}
	for at := range words(c.file.Before, source.Span{End: len(c.file.Before)}) {
		for _, w := range readings(c.file.Before, at) {
			before[w] = true
		}
	}
	sorted, err := source.Sort(c.file.Before, c.file.Edits)
	if err != nil {
		return err
	}
	shift := 0
	for _, e := range sorted {
		s := source.Span{Start: e.Start + shift, End: e.Start + shift + len(e.New)}
		shift += len(e.New) - e.Len()
		for at := range words(c.file.After, wholeWords(c.file.After, s)) {
			list := readings(c.file.After, at)
			if !slices.ContainsFunc(list, func(w string) bool { return before[w] || c.rules.fresh[w] }) {
				c.at = e.Start
				return fmt.Errorf("the word %q comes from nowhere", list[len(list)-1])
			}
		}
	}
	return nil
}

// words are the places of the runs of letters and digits in a part of a text.
func words(text []byte, part source.Span) iter.Seq[source.Span] {
	return func(yield func(source.Span) bool) {
		for at := part.Start; at < part.End; at++ {
			start := at
			for at < part.End && letter(text[at]) {
				at++
			}
			if at > start && !yield(source.Span{Start: start, End: at}) {
				return
			}
		}
	}
}

// readings are what a word of a text may be: it, and behind a backslash what
// is left of it when its first letter belongs to an escape, as in "\nkind".
func readings(text []byte, word source.Span) []string {
	list := []string{string(word.Of(text))}
	if word.Start > 0 && text[word.Start-1] == '\\' && word.Len() > 1 {
		list = append(list, string(text[word.Start+1:word.End]))
	}
	return list
}

// wholeWords is a span with the rest of the words that it begins and ends in.
func wholeWords(text []byte, s source.Span) source.Span {
	for s.Start > 0 && letter(text[s.Start-1]) {
		s.Start--
	}
	for s.End < len(text) && letter(text[s.End]) {
		s.End++
	}
	return s
}

// lineEnds says whether lines end as they did, the last one too.
func (c *check) lineEnds() error {
	a, b := c.file.Before, c.file.After
	if len(a) > 0 && len(b) > 0 && bytes.HasSuffix(a, []byte("\n")) != bytes.HasSuffix(b, []byte("\n")) {
		c.at = len(a)
		return errors.New("the end of the last line would change")
	}
	n, crlf := bytes.Count(a, []byte("\n")), bytes.Count(a, []byte("\r\n"))
	if crlf == 0 && bytes.Contains(b, []byte("\r\n")) || crlf == n && bytes.Count(b, []byte("\r\n")) != bytes.Count(b, []byte("\n")) {
		return errors.New("the ends of lines would change")
	}
	return nil
}

// blankLines says whether no blank line comes from nowhere: those that an edit
// writes were copied from somewhere.
func (c *check) blankLines() error {
	may := blankLines(c.file.Before)
	for _, e := range c.file.Edits {
		if _, inner, ok := strings.Cut(e.New, "\n"); ok && c.file.Dual {
			may += blankLines([]byte(inner))
		}
	}
	if n := blankLines(c.file.After); n > may {
		return fmt.Errorf("%d blank lines would become %d", may, n)
	}
	if blankEnd(c.file.After) > blankEnd(c.file.Before) {
		return errors.New("a blank line would come to the end")
	}
	return nil
}

// blankEnd is how many line breaks a text ends in.
func blankEnd(text []byte) int {
	return bytes.Count(text[len(bytes.TrimRight(text, " \t\r\n")):], []byte("\n"))
}

func blankLines(text []byte) int {
	n := 0
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			n++
		}
	}
	return n
}
