package text

import (
	"bytes"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
)

// A Pattern is a regular expression that is not asked about text in which none
// of its words stands: there are as many questions as there are names in a file.
type Pattern struct {
	rx    *lazyregexp.Regexp
	words [][]byte // in lower case; one of them is in every match, in whatever case
	tail  int      // it is asked about so many bytes at the end; 0 = about all
}

// NewPattern compiles a pattern, which is valid. Each match holds one of the words.
func NewPattern(pattern string, words ...string) *Pattern {
	p := &Pattern{rx: lazyregexp.New(pattern)}
	for _, w := range words {
		p.words = append(p.words, []byte(w))
	}
	return p
}

// Tail is a pattern that ends with its text, and is not longer than n bytes.
func Tail(n int, pattern string, words ...string) *Pattern {
	p := NewPattern(pattern, words...)
	p.tail = n
	return p
}

// Match says whether the pattern is in a text.
func (p *Pattern) Match(data []byte) bool {
	data = p.asked(data)
	return p.Mentions(data) && p.rx.Match(data)
}

// Find returns the places of the first match and of its groups, as
// regexp.FindSubmatchIndex does; nil when there is none.
func (p *Pattern) Find(data []byte) []int {
	if !p.Mentions(data) {
		return nil
	}
	return p.rx.FindSubmatchIndex(data)
}

// String is the regular expression.
func (p *Pattern) String() string { return p.rx.String() }

func (p *Pattern) asked(data []byte) []byte {
	if p.tail > 0 && len(data) > p.tail {
		return data[len(data)-p.tail:]
	}
	return data
}

// Mentions says whether one of the words of the pattern is in a text, in
// whatever case; true of a pattern without words.
func (p *Pattern) Mentions(data []byte) bool {
	if len(p.words) == 0 {
		return true
	}
	var near [2 * Nearby]byte
	for {
		n := copy(near[:], data)
		lower(near[:n])
		for _, w := range p.words {
			if bytes.Contains(near[:n], w) {
				return true
			}
		}
		if n == len(data) {
			return false
		}
		data = data[n-longestWord:]
	}
}

// longestWord is how much of two parts of a long text overlaps.
const longestWord = 32

func lower(data []byte) {
	for i, c := range data {
		if c >= 'A' && c <= 'Z' {
			data[i] = c + 'a' - 'A'
		}
	}
}
